//! Many successors of one state, with ids that outgrow their fields one after the other: a layout that widens while
//! successors wait in batches must lose none of them, and take none for another one.

use watchkeeper_explore::{Hooks, KeyWidth, NoCallback, Search, check, naive};
use watchkeeper_logic::{Question, Verdict};
use watchkeeper_space::{
    Action, ActionClass, AtomId, Edit, Id, Mismatch, Narration, Role, Shape, Space, StatePath, Stuck,
    Successors, Trace, Value, View,
};

/// A state that leads to `rays` others, each of which leads to the end of its ray.
struct Star {
    shape: Shape,
    rays: Id,
}

impl Star {
    fn new(rays: Id) -> Star {
        let class = ActionClass { name: "ray".into(), role: Role::Other };
        let slots = ["number", "rest", "end"].map(str::to_string).to_vec();
        Star { shape: Shape { slots, classes: vec![class], ..Shape::default() }, rays }
    }
}

impl Space for Star {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        vec![vec![0, 0, 0]]
    }

    /// The number of a ray in two parts, so that a wider field for the first moves the second.
    fn expand(&self, row: &[Id], out: &mut Successors) {
        match row {
            [0, 0, 0] => (1..=self.rays).for_each(|ray| {
                out.step(Action::new(0, u64::from(ray)), &[Edit::new(0, ray), Edit::new(1, ray % 7)]);
            }),
            [_, _, 0] => out.step(Action::new(0, 0), &[Edit::new(2, 1)]),
            _ => {}
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
}

impl Narration for Star {
    fn view(&self, row: &[Id]) -> View {
        self.shape.slots.iter().zip(row).map(|(name, &id)| (name.clone(), Value::Int(id.into()))).collect()
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        format!("ray {}", action.code())
    }

    fn replay(&self, _: &StatePath) -> Result<Trace, Mismatch> {
        Ok(Trace { start: self.view(&[0, 0, 0]), ..Trace::default() })
    }
}

#[test]
fn a_layout_that_widens_between_batches_loses_nothing() {
    let counts = |verdict: &Verdict| (verdict.word(), verdict.stats.level_sizes.clone());
    for rays in [700, 3000] {
        let star = Star::new(rays);
        let truth = naive(&star, &Question::default(), &Search::default(), &NoCallback).expect("a verdict");
        assert_eq!(counts(&truth), ("holds", vec![1, u64::from(rays), u64::from(rays)]));
        for keys in [KeyWidth::Narrowest, KeyWidth::TwoWords, KeyWidth::Collapsed] {
            for workers in [1, 4] {
                let hooks = Hooks { keys, narrow: true, ..Hooks::default() };
                let search = Search { workers, hooks, ..Search::default() };
                let verdict = check(&star, &Question::default(), &search, &NoCallback).expect("a verdict");
                assert_eq!(counts(&verdict), counts(&truth), "{search:?}");
            }
        }
    }
}
