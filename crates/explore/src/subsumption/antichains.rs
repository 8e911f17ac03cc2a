//! For each key the zones that no other one includes, those of the greatest extent first. What tells most
//! zones apart stands in the lists themselves, so that the space is only asked about pairs that may well
//! include each other. The lists of a shard share three long arrays, in blocks that are used again.

use watchkeeper_space::{Id, Zones};

/// A zone with what the space tells of its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MeasuredZone {
    pub zone: Id,
    pub extent: i64,
    pub outline: u64,
}

impl MeasuredZone {
    /// A zone and its sizes.
    pub fn new(zones: &dyn Zones, zone: Id) -> MeasuredZone {
        MeasuredZone { zone, extent: zones.extent(zone), outline: zones.outline(zone) }
    }

    /// Whether this zone includes another one of a smaller extent.
    pub fn includes(&self, small: &MeasuredZone, zones: &dyn Zones) -> bool {
        self.extent > small.extent
            && encloses(self.outline, small.outline)
            && zones.includes(self.zone, small.zone)
    }
}

/// The upper bit of every byte, which no outline has.
const UPPER: u64 = 0x8080_8080_8080_8080;

/// Whether no byte of `large` is smaller: then no byte borrows the upper bit that was lent to it.
#[inline]
fn encloses(large: u64, small: u64) -> bool {
    (large | UPPER).wrapping_sub(small) & UPPER == UPPER
}

/// The lists of one shard, by the number of their key.
pub(super) struct Antichains {
    lists: Vec<List>,
    extents: Vec<i64>,
    outlines: Vec<u64>,
    zones: Vec<Id>,
    /// The starts of unused blocks, by their size.
    unused: Vec<Vec<u32>>,
    len: u64,
}

/// Where a list begins. Its block is just large enough for it, by [`block`].
#[derive(Clone, Copy, Default)]
struct List {
    start: u32,
    len: u32,
}

impl Antichains {
    /// No lists.
    pub fn new() -> Antichains {
        let (extents, outlines, zones) = (Vec::new(), Vec::new(), Vec::new());
        Antichains { lists: Vec::new(), extents, outlines, zones, unused: Vec::new(), len: 0 }
    }

    /// The number of zones in all lists.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The bytes of memory that the lists hold.
    pub fn held(&self) -> usize {
        let unused: usize = self.unused.iter().map(|starts| 4 * starts.capacity() + 24).sum();
        let zones = 8 * self.extents.capacity() + 8 * self.outlines.capacity() + 4 * self.zones.capacity();
        size_of::<List>() * self.lists.capacity() + zones + unused
    }

    /// Whether a zone in the list of this key includes another one that is not in it.
    pub fn cover(&self, key: u32, small: &MeasuredZone, zones: &dyn Zones) -> bool {
        let List { start, len } = self.lists[key as usize];
        let range = start as usize..(start + len) as usize;
        let greater = self.extents[range.clone()].partition_point(|&extent| extent > small.extent);
        let outlines = &self.outlines[range.clone()][..greater];
        let mut pairs = outlines.iter().zip(&self.zones[range][..greater]);
        pairs.any(|(&large, &zone)| encloses(large, small.outline) && zones.includes(zone, small.zone))
    }

    /// Adds zones to the list of a key, and drops those that they include. The new ones come greatest extent
    /// first, and neither include each other nor are subsumed by the list.
    pub fn add(&mut self, key: u32, new: &[MeasuredZone], zones: &dyn Zones) {
        if self.lists.len() <= key as usize {
            self.lists.resize(key as usize + 1, List::default());
        }
        let old = self.lists[key as usize];
        let kept = self.drop_covered(old, new, zones);
        let len = kept + new.len() as u32;
        self.len = self.len + u64::from(len) - u64::from(old.len);
        let start = self.moved(old, kept, len);
        self.lists[key as usize] = List { start, len };
        let start = start as usize;
        // From the end: what is smaller than a new zone moves up to make room for it.
        let (mut from, mut to) = (start + kept as usize, start + len as usize);
        for zone in new.iter().rev() {
            let place = start + self.extents[start..from].partition_point(|&extent| extent >= zone.extent);
            to -= from - place;
            self.extents.copy_within(place..from, to);
            self.outlines.copy_within(place..from, to);
            self.zones.copy_within(place..from, to);
            (from, to) = (place, to - 1);
            self.put(to, zone);
        }
    }

    fn put(&mut self, at: usize, zone: &MeasuredZone) {
        (self.extents[at], self.outlines[at], self.zones[at]) = (zone.extent, zone.outline, zone.zone);
    }

    fn get(&self, at: usize) -> MeasuredZone {
        MeasuredZone { extent: self.extents[at], outline: self.outlines[at], zone: self.zones[at] }
    }

    /// Takes what is subsumed out of a list; how much is left at its start.
    fn drop_covered(&mut self, list: List, new: &[MeasuredZone], zones: &dyn Zones) -> u32 {
        let (start, end) = (list.start as usize, (list.start + list.len) as usize);
        let Some(greatest) = new.first() else { return list.len };
        let smaller = self.extents[start..end].partition_point(|&extent| extent >= greatest.extent);
        let first = start + smaller;
        let mut kept = first;
        for at in first..end {
            let outline = self.outlines[at];
            let old = self.get(at);
            let may = new.iter().any(|zone| encloses(zone.outline, outline));
            if may && new.iter().any(|zone| zone.includes(&old, zones)) {
                continue;
            }
            if kept < at {
                self.put(kept, &old);
            }
            kept += 1;
        }
        (kept - start) as u32
    }

    /// Puts the first `kept` zones of a list into a block for `len` of them; where that begins.
    fn moved(&mut self, list: List, kept: u32, len: u32) -> u32 {
        let (before, after) = (block(list.len), block(len));
        if before == after {
            return list.start;
        }
        let start = self.take(after);
        let (from, to) = (list.start as usize..(list.start + kept) as usize, start as usize);
        self.extents.copy_within(from.clone(), to);
        self.outlines.copy_within(from.clone(), to);
        self.zones.copy_within(from, to);
        if list.len > 0 {
            self.unused_of(before).push(list.start);
        }
        start
    }

    /// The start of a block of this size that nobody uses.
    fn take(&mut self, size: usize) -> u32 {
        if let Some(start) = self.unused_of(size).pop() {
            return start;
        }
        let start = self.zones.len();
        let end = start + capacity(size) as usize;
        lengthen(&mut self.extents, end);
        lengthen(&mut self.outlines, end);
        lengthen(&mut self.zones, end);
        u32::try_from(start).expect("a shard holds fewer than 4,294,967,296 zones")
    }

    fn unused_of(&mut self, size: usize) -> &mut Vec<u32> {
        if self.unused.len() <= size {
            self.unused.resize(size + 1, Vec::new());
        }
        &mut self.unused[size]
    }
}

/// The size of the smallest block for so many zones. There are two sizes to each power of two: 1, 2, 3, 4,
/// 6, 8, 12, 16 and so on.
fn block(len: u32) -> usize {
    (0..).find(|&size| capacity(size) >= len).expect("sizes have no end")
}

/// The zones that a block of this size can hold.
fn capacity(size: usize) -> u32 {
    match size {
        0 => 0,
        1 => 1,
        _ if size.is_multiple_of(2) => 1 << (size / 2),
        _ => 3 << (size / 2 - 1),
    }
}

/// Makes a vector longer; one that is full grows by a quarter, not to twice its size.
fn lengthen<T: Copy + Default>(vec: &mut Vec<T>, len: usize) {
    if len > vec.capacity() {
        vec.reserve_exact((len - vec.len()).max(vec.len() / 4));
    }
    vec.resize(len, T::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_the_smallest_that_holds_so_many() {
        let capacities: Vec<u32> = (0..10).map(capacity).collect();
        assert_eq!(capacities, [0, 1, 2, 3, 4, 6, 8, 12, 16, 24]);
        for len in 1..5_000 {
            let size = block(len);
            assert!(capacity(size) >= len && capacity(size - 1) < len, "{len} zones");
        }
    }

    #[test]
    fn an_outline_encloses_another_if_no_byte_is_smaller() {
        let word = |bytes: [u8; 8]| u64::from_le_bytes(bytes);
        let mut bits = 1u64;
        for _ in 0..20_000 {
            bits = super::super::keys::mix(bits);
            let large = bits.to_le_bytes().map(|byte| byte & 0x7f);
            // Near the large one, so that both answers come up.
            let small = super::super::keys::mix(!bits).to_le_bytes();
            let small: [u8; 8] =
                std::array::from_fn(|i| (large[i] + 1).saturating_sub(small[i] % 16).min(127));
            let expected = large.iter().zip(&small).all(|(large, small)| large >= small);
            assert_eq!(encloses(word(large), word(small)), expected, "{large:?} {small:?}");
        }
        assert!(encloses(0, 0) && encloses(word([127; 8]), 0) && !encloses(0, 1));
    }
}
