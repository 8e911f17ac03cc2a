//! How much of each depth a beam sees, on a tree whose depths can be counted by hand.

use watchkeeper_explore::{NoCallback, Search, Strategy, check};
use watchkeeper_logic::{BeamShare, Limit, Outcome, Question, Stats, Verdict};
use watchkeeper_space::{
    Action, ActionClass, AtomId, Edit, Id, Mismatch, Narration, Role, Shape, Space, StatePath, Stuck,
    Successors, Trace, Value, View,
};

/// A tree in which every state of a depth less than `deepest` leads to two others. Those that took the second way
/// most often are the most promising.
struct Tree {
    shape: Shape,
    deepest: Id,
}

impl Tree {
    fn new(deepest: Id) -> Tree {
        let class = ActionClass { name: "way".into(), role: Role::Other };
        let slots = vec!["depth".to_string(), "ways".to_string()];
        Tree { shape: Shape { slots, classes: vec![class], ..Shape::default() }, deepest }
    }
}

impl Space for Tree {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        vec![vec![0, 0]]
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        for way in (0..2).filter(|_| row[0] < self.deepest) {
            out.step(
                Action::new(0, u64::from(way)),
                &[Edit::new(0, row[0] + 1), Edit::new(1, row[1] << 1 | way)],
            );
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

    fn guide(&self, row: &[Id]) -> u32 {
        row[1].count_ones()
    }
}

impl Narration for Tree {
    fn view(&self, row: &[Id]) -> View {
        self.shape.slots.iter().zip(row).map(|(name, &id)| (name.clone(), Value::Int(id.into()))).collect()
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        format!("way {}", action.code())
    }

    fn replay(&self, _: &StatePath) -> Result<Trace, Mismatch> {
        Ok(Trace { start: self.view(&[0, 0]), ..Trace::default() })
    }
}

fn run(strategy: Strategy, workers: usize) -> Verdict {
    let search = Search { strategy, workers, ..Search::default() };
    check(&Tree::new(6), &Question::default(), &search, &NoCallback).expect("a verdict")
}

fn beam(width: usize, max_depth: u64) -> Stats {
    run(Strategy::Beam { width, max_depth }, 1).stats
}

/// Two states of each that was kept: 1, 2, 4, and from then on two of each of three.
#[test]
fn a_beam_says_how_much_of_each_depth_it_saw() {
    let stats = beam(3, 100);
    assert_eq!(stats.level_sizes, [1, 2, 4, 6, 6, 6, 6]);
    assert_eq!(stats.level_kept, [1, 2, 3, 3, 3, 3, 3]);
    assert_eq!(stats.distinct_states, stats.level_sizes.iter().sum::<u64>());
    assert_eq!(stats.transitions, 2 * (1 + 2 + 3 + 3 + 3 + 3));
    let narrowed: Vec<u64> = stats.narrowed().map(|share| share.depth).collect();
    assert_eq!(narrowed, [2, 3, 4, 5, 6]);
    assert_eq!(stats.narrowest(), Some(BeamShare { depth: 3, found: 6, kept: 3 }), "the nearest of four");
    let four = Stats { level_kept: vec![1, 2, 4, 4, 2, 6, 6], ..stats };
    assert_eq!(four.narrowest(), Some(BeamShare { depth: 4, found: 6, kept: 2 }));
}

#[test]
fn the_figures_are_the_same_with_any_number_of_threads() {
    let figures = |workers| {
        let stats = run(Strategy::Beam { width: 5, max_depth: 100 }, workers).stats;
        (stats.level_sizes, stats.level_kept)
    };
    assert_eq!(figures(1), (vec![1, 2, 4, 8, 10, 10, 10], vec![1, 2, 4, 5, 5, 5, 5]));
    assert!([2, 4].iter().all(|&workers| figures(workers) == figures(1)));
}

/// A beam as wide as the widest depth leaves nothing out, and has an answer.
#[test]
fn a_beam_that_is_wide_enough_sees_everything() {
    let whole = run(Strategy::Beam { width: 64, max_depth: 100 }, 1);
    assert!(matches!(whole.outcome, Outcome::Holds(_)), "{:?}", whole.outcome);
    assert_eq!(whole.stats.level_sizes, [1, 2, 4, 8, 16, 32, 64]);
    assert_eq!(whole.stats.level_kept, whole.stats.level_sizes);
    assert_eq!((whole.stats.narrowed().count(), whole.stats.narrowest()), (0, None));
    let almost = run(Strategy::Beam { width: 63, max_depth: 100 }, 1);
    let Outcome::Unknown(Limit::Incomplete(search)) = &almost.outcome else { panic!("{:?}", almost.outcome) };
    assert_eq!(search, "a beam of 63 states at each depth");
    assert_eq!(almost.stats.narrowest(), Some(BeamShare { depth: 6, found: 64, kept: 63 }));
}

/// Depths that are not looked at any more are not counted.
#[test]
fn a_beam_that_ends_early_counts_as_far_as_it_came() {
    let stats = beam(3, 3);
    assert_eq!((stats.level_sizes, stats.level_kept), (vec![1, 2, 4, 6], vec![1, 2, 3, 3]));
}

#[test]
fn other_searches_keep_everything_and_say_nothing() {
    for strategy in [
        Strategy::Breadth { max_depth: None },
        Strategy::Breadth { max_depth: Some(2) },
        Strategy::Walks { count: 3, max_depth: 9 },
    ] {
        let stats = run(strategy, 1).stats;
        assert!(stats.level_kept.is_empty() && stats.narrowest().is_none());
    }
}
