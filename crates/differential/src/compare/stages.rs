//! Runs in stages against all runs. Stages keep what each process decides, and whether two decide differently; where
//! decisions are passed on, only whether someone decides something. Where rounds have no end, all runs are searched up to
//! some round, and what is wrong there must be found in stages.

use super::{Disagreement, Scope, shown};
use crate::ask::{Ask, Claim, Prop};
use crate::engines::{Looks, Parts, fairness, question, temporal};
use crate::ladder::{Climb, Ladder, VALUES};
use crate::naive::{Graph, Naive, NoGraph, Rule};
use crate::tally::{Mode, Tally};
use watchkeeper_core::Pid;
use watchkeeper_explore::{ExploreError, Quiet, Search, check, liveness};
use watchkeeper_space::Space;
use watchkeeper_world::{InStages, StageRules};

/// How many more states a ladder may have than a table: it is climbed in many orders.
const TALLER: usize = 5;

pub(super) fn compare(climb: &Climb, scope: &Scope, tally: &mut Tally) -> Result<(), Disagreement> {
    let mode = Mode::Stages;
    if !scope.has(mode) {
        return Ok(());
    }
    let wrong = |what: String| Err(Disagreement { mode, what });
    let (calls, limited, free) = (climb.calls(), climb.limited(), climb.free());
    let props = props(climb);
    let naive = Naive { protocol: &limited, scenario: &climb.scenario, calls: &calls, watchers: &[] };
    let graph = match Graph::of(vec![naive], TALLER * scope.most) {
        Ok(graph) => graph,
        Err(NoGraph::Large) => {
            tally.large += 1;
            return Ok(());
        }
        Err(NoGraph::Start) => return wrong("nothing is sent at the start".to_string()),
    };
    let parts = |protocol: &Ladder| {
        let parts = Parts { protocol, calls: &calls, watchers: &[], props: &props };
        parts.world(&climb.scenario, &Looks::default()).map_err(|why| why.to_string())
    };
    let staged =
        parts(&free).and_then(|world| InStages::new(world, StageRules::of()).map_err(|why| why.to_string()));
    let (all, staged) = match (parts(&limited), staged) {
        (Ok(all), Ok(staged)) => (all, staged),
        (Err(why), _) | (_, Err(why)) => return wrong(format!("no world: {why}")),
    };
    tally.cases += 1;
    tally.states += graph.states.len() as u64;
    tally.note("ladders");
    let truth = graph.truth(&props);
    for then in 0..props.len() {
        let ask = Ask { invariants: vec![(None, then)], ..Ask::default() };
        let answer = graph.answer(&ask, &truth);
        let full = check(&all, &question::<Ladder>(all.shape(), &props, &ask), &Search::default(), &Quiet);
        match full {
            Ok(full) if full.word() == answer.word() && full.stats.level_sizes == answer.levels => {}
            Ok(full) => return wrong(format!("{ask:?}\n  naive {answer:?}\n  all runs {}", shown(&full))),
            Err(why) => return wrong(format!("{ask:?}: {why}")),
        }
        let question = question::<Ladder>(staged.shape(), &props, &ask);
        let said = check(&staged, &question, &Search::default(), &Quiet);
        let verdict = match said {
            Ok(verdict) => verdict,
            Err(why @ (ExploreError::Replay(_) | ExploreError::Space(_))) => return wrong(why.to_string()),
            Err(_) => {
                tally.of(mode).refused += 1;
                continue;
            }
        };
        let fine = match (answer.word(), verdict.word()) {
            (all, staged) if all == staged => true,
            // Rounds have no end in stages, and may go wrong later.
            ("unknown", _) => climb.within.is_some(),
            _ => false,
        };
        if !fine {
            let said = shown(&verdict);
            return wrong(format!("{}\n  naive {answer:?}\n  in stages {said}", props[then].name()));
        }
        tally.of(mode).count(verdict.word());
    }
    if climb.within.is_some() || graph.cuts.contains(&true) {
        return Ok(());
    }
    ends(climb, &graph, &staged, &props, &truth, tally)
}

/// What becomes of everyone in the end.
fn ends(
    climb: &Climb,
    graph: &Graph<'_, Ladder>,
    staged: &InStages<Ladder>,
    props: &[Prop],
    truth: &[Vec<bool>],
    tally: &mut Tally,
) -> Result<(), Disagreement> {
    let mode = Mode::Stages;
    let unmarked = props.iter().position(|prop| *prop == Prop::SomeoneUnmarked).expect("it is asked about");
    let done = Claim::Not(Box::new(Claim::Prop(unmarked)));
    let claim = Claim::Until(Box::new(Claim::Is(true)), Box::new(done));
    let Some(holds) = graph.holds(&claim, &[Rule::Steps], truth) else { return Ok(()) };
    let claims = [temporal(staged.shape(), props, &claim)];
    let rules: Vec<_> = fairness(staged.shape(), Rule::Steps).into_iter().collect();
    match liveness(staged, &claims, &rules, &Search::default(), &Quiet) {
        Ok(verdicts) => {
            let word = if holds { "holds" } else { "violated" };
            if verdicts[0].word() != word {
                let said = shown(&verdicts[0]);
                let what =
                    format!("everyone decides or crashes\n  naive {word}\n  in stages {said}\n{climb}");
                return Err(Disagreement { mode, what });
            }
            tally.of(mode).count(word);
        }
        Err(ExploreError::Replay(why)) => return Err(Disagreement { mode, what: why.to_string() }),
        Err(_) => tally.of(mode).refused += 1,
    }
    Ok(())
}

/// What stages keep.
fn props(climb: &Climb) -> Vec<Prop> {
    let n = climb.table.n;
    let mut props = vec![Prop::SomeoneUnmarked];
    for p in Pid::all(n) {
        for q in Pid::all(n).filter(|&q| q > p) {
            props.extend([Prop::NotBoth(p, 0, q, 1), Prop::NotBoth(p, 1, q, 0)]);
        }
    }
    props.extend(Pid::all(n).flat_map(|p| (0..VALUES).map(move |value| Prop::NotIn(p, value))));
    if climb.table.shares {
        props.truncate(1);
        props.push(Prop::Agreement);
        props.extend((0..VALUES).map(Prop::Nobody));
    }
    props
}
