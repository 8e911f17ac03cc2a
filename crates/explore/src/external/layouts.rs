//! The layouts of a search on disk, oldest first. Runs stay as they were written, and are laid out anew while they are read:
//! the fields keep their order and only become wider, so a run that was sorted still is.

use crate::layout::{KeyLayout, Relay};
use crate::store::Key;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use watchkeeper_disk::{Remap, Word};
use watchkeeper_space::Id;

/// Bits to spare for an id that has outgrown its field, while keys are short.
const SPARE: u32 = 2;

/// A key that can be stored in runs.
pub(crate) trait DiskKey: Key + Word {}

impl<K: Key + Word> DiskKey for K {}

/// The keys are too narrow for this space.
pub(super) struct TooWide;

/// All layouts so far; the tag of a run is the number of its layout.
pub(super) struct Layouts {
    all: RwLock<Vec<Arc<KeyLayout>>>,
    narrow: bool,
}

impl Layouts {
    /// One layout, with room for these ids; as little as possible, if that is wanted.
    pub fn new<K: Key>(largest: &[Id], narrow: bool) -> Result<Layouts, TooWide> {
        let layout = if narrow { KeyLayout::fit::<K>(largest, 0) } else { KeyLayout::roomy::<K>(largest, 0) };
        Ok(Layouts { all: RwLock::new(vec![Arc::new(layout.ok_or(TooWide)?)]), narrow })
    }

    fn all(&self) -> RwLockReadGuard<'_, Vec<Arc<KeyLayout>>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The widest layout, with its number.
    pub fn now(&self) -> (u32, Arc<KeyLayout>) {
        let all = self.all();
        (all.len() as u32 - 1, Arc::clone(&all[all.len() - 1]))
    }

    /// The layout of this number.
    pub fn at(&self, tag: u32) -> Arc<KeyLayout> {
        Arc::clone(&self.all()[tag as usize])
    }

    /// Makes room for the ids of this row, if the widest layout has none.
    pub fn widen<K: Key>(&self, row: &[Id]) -> Result<(), TooWide> {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let old = &all[all.len() - 1];
        if old.encode::<K>(row).is_some() {
            return Ok(());
        }
        let needed: Vec<Id> = old.largest().iter().zip(row).map(|(&most, &id)| most.max(id)).collect();
        let spared =
            (1..=SPARE).rev().filter(|_| !self.narrow).find_map(|spare| old.spared::<K>(row, spare, 0));
        let layout = spared.or_else(|| KeyLayout::fit::<K>(&needed, 0)).ok_or(TooWide)?;
        all.push(Arc::new(layout));
        Ok(())
    }

    /// How keys of all layouts become keys of the widest.
    pub fn relays(&self) -> Relays {
        let all = self.all();
        let (now, older) = all.split_last().expect("there is always a layout");
        Relays { tag: older.len() as u32, relays: older.iter().map(|layout| layout.onto(now)).collect() }
    }
}

/// How keys of older layouts become keys of one layout.
pub(super) struct Relays {
    /// The number of that layout.
    pub tag: u32,
    relays: Vec<Relay>,
}

impl<K: Key> Remap<K> for Relays {
    fn remap(&self, tag: u32, words: &mut [K]) {
        if let Some(relay) = self.relays.get(tag as usize) {
            words.iter_mut().for_each(|word| *word = relay.key(*word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that delayed duplicate detection over runs of several layouts rests on.
    #[test]
    fn keys_keep_their_order_when_they_are_laid_out_anew() {
        fn in_order<K: DiskKey>(seed: u64) {
            let mut hash = seed;
            let mut draw = |below: u64| {
                hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ 0x77;
                (hash >> 20) % below
            };
            let slots = 2 + draw(8) as usize;
            let mut largest: Vec<Id> = (0..slots).map(|_| draw(5) as Id).collect();
            let Ok(layouts) = Layouts::new::<K>(&largest, true) else { panic!("it fits") };
            let mut keys: Vec<(u32, K, Vec<Id>)> = Vec::new();
            for _ in 0..6 {
                let (tag, layout) = layouts.now();
                for _ in 0..40 {
                    let row: Vec<Id> = largest.iter().map(|&most| draw(u64::from(most) + 1) as Id).collect();
                    keys.push((tag, layout.encode(&row).expect("it fits"), row));
                }
                let slot = draw(slots as u64) as usize;
                largest[slot] = largest[slot] * 2 + 1;
                assert!(layouts.widen::<K>(&largest).is_ok(), "it fits");
            }
            let (_, now) = layouts.now();
            let relays = layouts.relays();
            for (tag, key, row) in &keys {
                let mut mapped = [*key];
                relays.remap(*tag, &mut mapped);
                assert_eq!(Some(mapped[0]), now.encode(row));
                for (other_tag, other, _) in &keys {
                    let mut beside = [*other];
                    relays.remap(*other_tag, &mut beside);
                    assert!(
                        tag != other_tag || key.cmp(other) == mapped[0].cmp(&beside[0]),
                        "{key:?} {other:?}"
                    );
                }
            }
        }
        for seed in 1..20 {
            in_order::<u64>(seed);
            in_order::<u128>(seed);
        }
    }
}
