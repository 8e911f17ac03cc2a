//! Built-in protocols in worlds of many kinds, searched on several workers that each have a world of their own: the verdict,
//! the counts and the trace are those of a search on one worker, with symmetry reduction and without.

#[path = "../../explore/tests/distributed/same.rs"]
mod same;
#[path = "../../explore/tests/distributed/threads.rs"]
mod threads;

use same::told;
use threads::answers;
use watchkeeper::erased::ErasedProtocol;
use watchkeeper::plan::CheckPlan;
use watchkeeper::{JointSearch, Query, SettingOrigin, Settings, Sourced, built_in};
use watchkeeper_explore::{ExploreError, NoCallback, Search, SymmetryReduction, check};
use watchkeeper_logic::Outcome;

/// The worlds, as settings.
const WORLDS: [&[(&str, &str)]; 4] = [
    &[("n", "2"), ("crashes", "1"), ("channel", "drop:1")],
    &[("n", "2"), ("channel", "block:1"), ("loss", "1"), ("duplicate", "1")],
    &[("n", "3"), ("order", "fifo"), ("channel", "drop:1"), ("crashes", "1")],
    &[("n", "2"), ("time", "ticks"), ("delay", "1"), ("crashes", "1")],
];

fn queries(protocol: &dyn ErasedProtocol, plan: &CheckPlan) -> Vec<Query> {
    protocol.pose(plan, JointSearch::AsFarAsPossible).unwrap_or_default()
}

#[test]
fn worlds_are_searched_alike_on_several_workers() {
    let (mut compared, mut violated, mut renamed, mut states) = (0, 0, 0, 0);
    for protocol in built_in::all() {
        let name = protocol.outline().form.name;
        for world in WORLDS {
            let mut settings = Settings::default();
            for (setting, text) in world {
                let given = Sourced { value: text.to_string(), origin: SettingOrigin::Call("test") };
                let row = Settings::row(setting).unwrap_or_else(|| panic!("{setting} is a setting"));
                (row.read)(&given, &mut settings).unwrap_or_else(|why| panic!("{setting} {text}: {why}"));
            }
            // Not every protocol can be in every world.
            let Ok(plan) = protocol.plan(&settings) else { continue };
            for (number, query) in queries(&*protocol, &plan).into_iter().enumerate() {
                let Some((_, space)) = query.spaces.into_iter().next() else { continue };
                if !query.question.temporal.is_empty() || space.shape().zone.is_some() {
                    continue;
                }
                for symmetry in [SymmetryReduction::Off, SymmetryReduction::WherePossible] {
                    let search = Search { symmetry, max_states: Some(6_000), ..Search::default() };
                    let alone = check(&*space, &query.question, &search, &NoCallback);
                    let own = |_| {
                        let query =
                            queries(&*protocol, &plan).into_iter().nth(number).expect("the same queries");
                        query.spaces.into_iter().next().expect("the same spaces").1
                    };
                    for answer in answers(3, own, &query.question, &search) {
                        let same = match (&answer, &alone) {
                            (Ok(answer), Ok(alone)) => told(answer) == told(alone),
                            (Err(answer), Err(alone)) => answer == alone,
                            _ => false,
                        };
                        assert!(same, "{name} in {world:?}: {answer:?}\nand alone {alone:?}");
                        assert!(!matches!(answer, Err(ExploreError::Distributed(_))));
                    }
                    let Ok(alone) = alone else { continue };
                    compared += 1;
                    states += alone.stats.distinct_states;
                    violated += usize::from(matches!(alone.outcome, Outcome::Violated(_)));
                    renamed += usize::from(alone.stats.renamings > 1);
                }
            }
        }
    }
    assert!(
        compared > 20 && violated > 2 && renamed > 3 && states > 50_000,
        "{compared} {violated} {renamed} {states}"
    );
}
