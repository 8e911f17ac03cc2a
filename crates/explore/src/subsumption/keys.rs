//! Rows without their zone, each kept once and numbered. A row is packed to a byte for each small id, two
//! for a larger one, and so on, so that nothing must be laid out anew when ids grow.

use watchkeeper_space::Id;

/// The high bits of a hash name the shard of a key, and those after them its place there.
const SHARD_BITS: u32 = 6;
/// The number of shards that keys are cut into.
pub(super) const SHARDS: usize = 1 << SHARD_BITS;

const SMALLEST_BITS: u32 = 4;

/// Appends the ids of a row, but for the one in the slot of the zone. A byte holds seven bits of an id, and
/// whether more follow.
pub(super) fn pack(row: &[Id], zone_slot: usize, out: &mut Vec<u8>) {
    for &id in row[..zone_slot].iter().chain(&row[zone_slot + 1..]) {
        let mut rest = id;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
}

/// Writes the ids that were packed back into a row; the slot of the zone is left alone, and so is what
/// follows in the bytes.
pub(super) fn unpack(bytes: &[u8], zone_slot: usize, row: &mut [Id]) {
    let mut bytes = bytes.iter();
    let (before, after) = row.split_at_mut(zone_slot);
    for id in before.iter_mut().chain(&mut after[1..]) {
        let (mut value, mut shift) = (0, 0);
        for &byte in bytes.by_ref() {
            value |= Id::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        *id = value;
    }
}

/// Bits that look random, the high ones most of all.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut hash = bytes.len() as u64;
    for word in words.by_ref() {
        hash = mix(hash ^ u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    mix(mix(hash ^ u64::from_le_bytes(last)) ^ SECOND)
}

/// The shard of a key with this hash.
pub(super) fn shard_of(hash: u64) -> usize {
    (hash >> (u64::BITS - SHARD_BITS)) as usize
}

/// The number that a key has among those of all shards.
pub(super) fn across(shard: usize, key: u32) -> u32 {
    debug_assert!(key >> (u32::BITS - SHARD_BITS) == 0);
    key << SHARD_BITS | shard as u32
}

/// The shard of a number, and the number that the key has there.
pub(super) fn within(number: u32) -> (usize, u32) {
    (number as usize % SHARDS, number >> SHARD_BITS)
}

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

/// Both halves of a long product, so that every bit has a say in every other.
#[inline]
pub(super) fn mix(word: u64) -> u64 {
    let product = u128::from(word ^ SECOND) * u128::from(FIRST);
    product as u64 ^ (product >> 64) as u64
}

/// The keys of one shard.
pub(super) struct KeyTable {
    /// For each key its number, so that a look into the table leads straight here, and its packed row.
    bytes: Vec<u8>,
    /// Where the packed row of each key begins.
    starts: Vec<u32>,
    /// An open-addressing table: a part of the hash, and where the packed row begins; 0 is free.
    places: Vec<u64>,
}

/// The bytes of a number.
const NUMBER: usize = size_of::<u32>();

impl KeyTable {
    /// No keys.
    pub fn new() -> KeyTable {
        KeyTable { bytes: Vec::new(), starts: Vec::new(), places: vec![0; 1 << SMALLEST_BITS] }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The packed row of a key, and maybe more.
    pub fn get(&self, key: u32) -> &[u8] {
        &self.bytes[self.starts[key as usize] as usize..]
    }

    /// The number of a key, if it is here.
    #[inline]
    pub fn find(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        let tag = tag(hash);
        let mut at = self.home(tag);
        loop {
            let place = self.places[at];
            if place == 0 {
                return None;
            }
            // A packed row tells where it ends, so none is the beginning of another one.
            let (number, row) = self.bytes[place as u32 as usize - NUMBER..].split_at(NUMBER);
            if (place >> 32) as u32 == tag && row.starts_with(bytes) {
                return Some(u32::from_le_bytes(number.try_into().expect("the bytes of a number")));
            }
            at = (at + 1) % self.places.len();
        }
    }

    /// A look at where a key with this hash would be. Its value means nothing.
    #[inline]
    pub fn glance(&self, hash: u64) -> u64 {
        self.places[self.home(tag(hash))]
    }

    /// A look at the packed row that is there. Its value means nothing.
    #[inline]
    pub fn glance_at_row(&self, hash: u64) -> u64 {
        let start = self.glance(hash) as u32 as usize;
        self.bytes.get(start).map_or(0, |&byte| u64::from(byte))
    }

    /// The number of a key, which is added if it is not here.
    pub fn add(&mut self, bytes: &[u8], hash: u64) -> u32 {
        if let Some(key) = self.find(bytes, hash) {
            return key;
        }
        if self.len() >= self.places.len() / 4 * 3 {
            self.grow();
        }
        let key = self.len() as u32;
        self.bytes.extend_from_slice(&key.to_le_bytes());
        let start = u32::try_from(self.bytes.len()).expect("a shard holds less than 4 GB of keys");
        self.bytes.extend_from_slice(bytes);
        self.starts.push(start);
        self.put(u64::from(tag(hash)) << 32 | u64::from(start));
        key
    }

    /// The bytes of memory that the keys hold.
    pub fn held(&self) -> usize {
        self.bytes.capacity() + 4 * self.starts.capacity() + 8 * self.places.capacity()
    }

    fn home(&self, tag: u32) -> usize {
        (tag >> (u32::BITS - self.places.len().trailing_zeros())) as usize
    }

    fn put(&mut self, place: u64) {
        let mut at = self.home((place >> 32) as u32);
        while self.places[at] != 0 {
            at = (at + 1) % self.places.len();
        }
        self.places[at] = place;
    }

    fn grow(&mut self) {
        let larger = vec![0; 2 * self.places.len()];
        let places = std::mem::replace(&mut self.places, larger);
        places.into_iter().filter(|&place| place != 0).for_each(|place| self.put(place));
    }
}

/// The part of a hash that a place keeps.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash << SHARD_BITS >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_the_way_into_a_key_and_back_wherever_the_zone_stands() {
        let row = [0, 1, 127, 128, 16_383, 16_384, Id::MAX, 5];
        for zone_slot in 0..row.len() {
            let (mut bytes, mut back) = (Vec::new(), vec![77; row.len()]);
            pack(&row, zone_slot, &mut bytes);
            unpack(&bytes, zone_slot, &mut back);
            let mut expected = row;
            expected[zone_slot] = 77;
            assert_eq!(back, expected);
        }
    }

    #[test]
    fn keys_are_numbered_once_in_the_order_in_which_they_come() {
        let mut keys = KeyTable::new();
        let name = |i: u32| {
            let mut bytes = Vec::new();
            pack(&[i, 0, i / 7], 1, &mut bytes);
            bytes
        };
        for round in 0..2 {
            for i in 0..10_000 {
                let bytes = name(i);
                assert_eq!(keys.find(&bytes, hash(&bytes)), (round > 0).then_some(i));
                assert_eq!(keys.add(&bytes, hash(&bytes)), i);
            }
        }
        assert_eq!(keys.len(), 10_000);
        assert!((0..10_000).all(|i| keys.get(i).starts_with(&name(i))));
        assert_eq!(keys.find(&name(10_000), hash(&name(10_000))), None);
    }

    #[test]
    fn similar_rows_are_spread_over_all_shards() {
        let mut sizes = [0; SHARDS];
        for i in 0..6_400u32 {
            let mut bytes = Vec::new();
            pack(&[i % 10, i / 10 % 10, 0, i / 100], 2, &mut bytes);
            sizes[shard_of(hash(&bytes))] += 1;
        }
        assert!(sizes.iter().all(|&size| (50..200).contains(&size)), "{sizes:?}");
    }

    #[test]
    fn a_number_across_shards_tells_the_shard_and_the_number_there() {
        for (shard, key) in [(0, 0), (SHARDS - 1, 0), (5, 1 << 20)] {
            assert_eq!(within(across(shard, key)), (shard, key));
        }
    }
}
