//! The models: what a few threads do with one table, and what must be true however they are interleaved. Each panics, with the
//! values that were seen, if an interleaving breaks it.

use crate::layout::KeyLayout;
use crate::store::{Insert, Key, SHARD_BITS, SMALLEST_BITS, StateTable};
use loom::sync::Arc;
use loom::thread;

/// The three forms that places have.
#[derive(Clone, Copy, Debug)]
pub enum Places {
    /// Half a word: the rest of a key, how far it is from home, and the depth.
    Half,
    /// A word: a key and the depth.
    Word,
    /// Two words, which cannot be written at once.
    Pair,
}

/// All of them.
pub const ALL: [Places; 3] = [Places::Half, Places::Word, Places::Pair];

/// What threads do with a table, for keys of either size.
trait Story: Copy + Send + Sync + 'static {
    /// Plays it once; `key` makes keys of small numbers.
    fn play<K: Key>(self, table: Arc<StateTable<K>>, key: fn(u32) -> K);
}

/// Threads add the same key: one is told that it is fresh, and its depth is kept.
pub fn equal_keys(places: Places, threads: u64) {
    explored_for(places, if threads == 2 { 5 } else { 3 }, Equal { threads });
}

/// Threads add different keys that have one home: all are fresh, and all are kept.
pub fn one_home(places: Places) {
    explored_for(places, 5, OneHome);
}

/// Two threads add the same key while a third adds another one of the same home.
pub fn two_of_three(places: Places) {
    explored_for(places, 2, TwoOfThree);
}

/// Two threads add two keys of one home in opposite orders, in batches: each key is fresh once.
pub fn opposite_orders(places: Places) {
    explored_for(places, 3, OppositeOrders);
}

/// Three keys for the last two places of a shard: two are kept, and whoever finds no room is told so.
pub fn no_room(places: Places) {
    explored_for(places, 2, NoRoom);
}

/// A thread looks keys up while another adds one at the same home: what was there before is found, what is being added is found
/// whole or not at all, and what nobody adds is never found.
pub fn a_reader(places: Places) {
    explored_for(places, 3, Reader);
}

/// The same of keys of two words that differ in their second words only, one of which is 0 like a word that is not written yet.
pub fn a_reader_of_second_words() {
    explored(5, || {
        let table = small::<u128>(&[u32::MAX; 3]);
        let low =
            (0..1u128 << 20).find(|&low| home(&table, low) == home(&table, low | 1 << 63)).expect("a key");
        let (absent, added) = (low, low | 1 << 63);
        let writer = adding(&table, vec![(added, 2)]);
        assert_eq!(table.depth(absent), None, "nobody adds it");
        writer.join().expect("no panic");
        assert_eq!((table.depth(absent), table.depth(added)), (None, Some(2)));
    });
}

fn explored_for(places: Places, interruptions: usize, story: impl Story) {
    match places {
        Places::Half => explored(interruptions, move || story.play(small::<u64>(&[0xff]), u64::from)),
        Places::Word => {
            explored(interruptions, move || story.play(small::<u64>(&[u32::MAX, 0xff]), u64::from))
        }
        Places::Pair => {
            explored(interruptions, move || {
                story.play(small::<u128>(&[u32::MAX; 3]), |key| u128::from(key) << 63)
            });
        }
    }
}

/// All interleavings in which threads are interrupted at most so often, all together. That a thread waits, or ends, is no
/// interruption.
fn explored(interruptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(interruptions);
    builder.check(model);
}

fn small<K: Key>(largest: &[u32]) -> Arc<StateTable<K>> {
    let layout = KeyLayout::fit::<K>(largest, 3).expect("fits");
    Arc::new(StateTable::new(&layout).expect("a few words"))
}

/// The shard of a key and its place there.
fn home<K: Key>(table: &StateTable<K>, key: K) -> u64 {
    table.hash(key) >> (64 - SHARD_BITS - SMALLEST_BITS)
}

/// Different keys with one home.
fn of_one_home<K: Key>(table: &StateTable<K>, key: fn(u32) -> K) -> Vec<K> {
    let first = home(table, key(1));
    (1..256).map(key).filter(|&key| home(table, key) == first).take(5).collect()
}

/// A thread that adds keys one after the other, each at its depth.
fn adding<K: Key>(table: &Arc<StateTable<K>>, keys: Vec<(K, u64)>) -> thread::JoinHandle<Vec<Insert>> {
    let table = Arc::clone(table);
    thread::spawn(move || {
        keys.iter().map(|&(key, level)| table.insert(key, table.hash(key), level)).collect()
    })
}

/// What is in the table, by looking at every place.
fn contents<K: Key>(table: &StateTable<K>) -> Vec<(K, u64)> {
    let mut all = Vec::new();
    for piece in 0..table.pieces() {
        table.each(piece, |key, level| all.push((key, level)));
    }
    all
}

#[derive(Clone, Copy)]
struct Equal {
    threads: u64,
}

impl Story for Equal {
    fn play<K: Key>(self, table: Arc<StateTable<K>>, key: fn(u32) -> K) {
        let (key, threads) = (key(1), self.threads);
        let others: Vec<_> = (2..=threads).map(|level| adding(&table, vec![(key, level)])).collect();
        let mut told = vec![table.insert(key, table.hash(key), 1)];
        told.extend(others.into_iter().flat_map(|other| other.join().expect("no panic")));
        let fresh: Vec<usize> = (0..told.len()).filter(|&i| told[i] == Insert::Fresh).collect();
        assert_eq!(fresh.len(), 1, "{told:?}");
        assert_eq!(told.iter().filter(|told| **told == Insert::Known).count(), told.len() - 1, "{told:?}");
        let level = fresh[0] as u64 + 1;
        assert_eq!((contents(&table), table.depth(key)), (vec![(key, level)], Some(level)));
    }
}

#[derive(Clone, Copy)]
struct OneHome;

impl Story for OneHome {
    fn play<K: Key>(self, table: Arc<StateTable<K>>, key: fn(u32) -> K) {
        let keys = of_one_home(&table, key);
        let other = adding(&table, vec![(keys[1], 2)]);
        let mine = table.insert(keys[0], table.hash(keys[0]), 1);
        assert_eq!((mine, other.join().expect("no panic")), (Insert::Fresh, vec![Insert::Fresh]));
        assert_eq!((table.depth(keys[0]), table.depth(keys[1])), (Some(1), Some(2)));
        assert_eq!((contents(&table).len(), table.depth(keys[2])), (2, None));
    }
}

#[derive(Clone, Copy)]
struct TwoOfThree;

impl Story for TwoOfThree {
    fn play<K: Key>(self, table: Arc<StateTable<K>>, key: fn(u32) -> K) {
        let keys = of_one_home(&table, key);
        let (second, other) = (adding(&table, vec![(keys[0], 2)]), adding(&table, vec![(keys[1], 3)]));
        let mine = table.insert(keys[0], table.hash(keys[0]), 1);
        let level = match (mine, second.join().expect("no panic")[0]) {
            (Insert::Fresh, Insert::Known) => 1,
            (Insert::Known, Insert::Fresh) => 2,
            told => panic!("{told:?}"),
        };
        assert_eq!(other.join().expect("no panic"), [Insert::Fresh]);
        assert_eq!((table.depth(keys[0]), table.depth(keys[1])), (Some(level), Some(3)));
        assert_eq!(contents(&table).len(), 2);
    }
}

#[derive(Clone, Copy)]
struct OppositeOrders;

impl Story for OppositeOrders {
    fn play<K: Key>(self, table: Arc<StateTable<K>>, key: fn(u32) -> K) {
        let keys = of_one_home(&table, key);
        let other = adding(&table, vec![(keys[1], 2), (keys[0], 2)]);
        let batch: Vec<(K, u64)> = keys[..2].iter().map(|&key| (key, table.hash(key))).collect();
        let mut mine = Vec::new();
        table.insert_all(&batch, 1, |told, _, _| mine.push(told));
        let mut theirs = other.join().expect("no panic");
        theirs.reverse();
        for i in 0..2 {
            let level = match (mine[i], theirs[i]) {
                (Insert::Fresh, Insert::Known) => 1,
                (Insert::Known, Insert::Fresh) => 2,
                told => panic!("{told:?} of key {i}"),
            };
            assert_eq!(table.depth(keys[i]), Some(level));
        }
        assert_eq!(contents(&table).len(), 2);
    }
}

#[derive(Clone, Copy)]
struct NoRoom;

impl Story for NoRoom {
    fn play<K: Key>(self, table: Arc<StateTable<K>>, key: fn(u32) -> K) {
        let mut keys = of_one_home(&table, key);
        for key in keys.split_off(3) {
            assert_eq!(table.insert(key, table.hash(key), 1), Insert::Fresh);
        }
        let other = adding(&table, vec![(keys[1], 2), (keys[2], 2)]);
        let mut told = [Vec::new(), Vec::new(), Vec::new()];
        for i in [0, 1] {
            told[i].push(table.insert(keys[i], table.hash(keys[i]), 1));
        }
        let theirs = other.join().expect("no panic");
        told[1].push(theirs[0]);
        told[2].push(theirs[1]);
        for (key, told) in keys.iter().zip(&told) {
            let fresh = told.iter().filter(|told| **told == Insert::Fresh).count();
            assert!(fresh <= 1, "{told:?}");
            let there = table.depth(*key).is_some();
            assert_eq!(there, fresh == 1, "{told:?}");
            assert!(there || told.iter().all(|told| *told == Insert::Crowded), "{told:?}");
        }
        assert_eq!(contents(&table).len(), 4);
    }
}

#[derive(Clone, Copy)]
struct Reader;

impl Story for Reader {
    fn play<K: Key>(self, table: Arc<StateTable<K>>, key: fn(u32) -> K) {
        let keys = of_one_home(&table, key);
        assert_eq!(table.insert(keys[0], table.hash(keys[0]), 1), Insert::Fresh);
        let writer = adding(&table, vec![(keys[1], 2)]);
        let seen = table.depth(keys[1]);
        assert!(matches!(seen, None | Some(2)), "{seen:?}");
        assert_eq!((table.depth(keys[0]), table.depth(keys[2])), (Some(1), None));
        assert_eq!(table.insert(keys[0], table.hash(keys[0]), 3), Insert::Known);
        if seen.is_some() {
            assert_eq!(table.insert(keys[1], table.hash(keys[1]), 3), Insert::Known, "what was seen stays");
        }
        assert_eq!(writer.join().expect("no panic"), [Insert::Fresh]);
        assert_eq!(table.depth(keys[1]), Some(2));
    }
}
