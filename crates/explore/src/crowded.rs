//! Searches whose states crowd in the table: they are chosen so that the table has no room for them near where they
//! belong, long before it is full. Numbers that nobody chose hardly ever do that, so no other test gets there.

use crate::layout::KeyLayout;
use crate::store::{Insert, StateTable};
use crate::{NoCallback, Search, check, naive};
use watchkeeper_logic::{Question, Verdict};
use watchkeeper_space::{
    Action, ActionClass, AtomId, Edit, FixedIds, Id, Mismatch, Narration, Parts, Role, Shape, Space,
    StatePath, Stuck, Successors, Trace, View,
};

/// The largest id, which decides the layout.
const LARGEST: Id = (1 << 17) - 1;

/// The table that a search begins with.
fn table() -> StateTable<u64> {
    let layout = KeyLayout::roomy::<u64>(&[LARGEST], 2).expect("it fits");
    StateTable::new(&layout).expect("memory")
}

/// A state that leads to these.
struct Crowd {
    shape: Shape,
    ids: Vec<Id>,
}

impl Crowd {
    /// The states that stand first in the table, so many of them that the last ones would be too far from home.
    fn new() -> Crowd {
        let table = table();
        let mut ids: Vec<Id> = (1..LARGEST).collect();
        ids.sort_unstable_by_key(|&id| table.hash(u64::from(id)));
        ids.truncate(2000);
        ids.push(LARGEST);
        let class = ActionClass { name: "step".into(), role: Role::Other };
        Crowd { shape: Shape { slots: vec!["id".into()], classes: vec![class], ..Shape::default() }, ids }
    }
}

impl Space for Crowd {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        vec![vec![0]]
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        for &id in self.ids.iter().filter(|_| row == [0]) {
            out.step(Action::new(0, u64::from(id)), &[Edit::new(0, id)]);
        }
    }

    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Finished
    }

    fn atom(&self, _: AtomId, _: &[Id]) -> bool {
        true
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        row.iter().for_each(|id| out.extend_from_slice(&id.to_be_bytes()));
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(&FixedIds)
    }
}

impl Narration for Crowd {
    fn view(&self, _: &[Id]) -> View {
        View::new()
    }

    fn label(&self, _: &[Id], _: Action) -> String {
        String::new()
    }

    fn replay(&self, _: &StatePath) -> Result<Trace, Mismatch> {
        Ok(Trace::default())
    }
}

#[test]
fn states_that_crowd_are_kept_all_the_same() {
    let crowd = Crowd::new();
    let table = table();
    let key = |id: Id| u64::from(id);
    let found: Vec<Insert> =
        crowd.ids.iter().map(|&id| table.insert(key(id), table.hash(key(id)), 2)).collect();
    assert!(found.contains(&Insert::Crowded), "else this tests nothing");
    let counts = |verdict: &Verdict| (verdict.word(), verdict.stats.level_sizes.clone());
    let truth = naive(&crowd, &Question::default(), &Search::default(), &NoCallback).expect("a verdict");
    for workers in [1, 4] {
        let search = Search { workers, ..Search::default() };
        let verdict = check(&crowd, &Question::default(), &search, &NoCallback).expect("a verdict");
        assert_eq!(counts(&verdict), counts(&truth), "{workers} workers");
    }
}
