//! Runs in stages against all runs. Stages keep what each process decides, and whether two decide differently; where
//! decisions are passed on, only whether someone decides something. Where rounds have no end, all runs are searched up to
//! some round, and what is wrong there must be found in stages.

use super::parts::told;
use super::{CompareScope, Disagreement, shown};
use crate::ask::{CaseQuery, DrawnClaim, Minded, Prop};
use crate::engines::{Looks, WorldParts, fairness, question};
use crate::ladder::{Climb, Ladder, LadderOutput, VALUES};
use crate::naive::{NaiveFairness, NaiveGraph, NaiveWorld, NoGraph};
use crate::tally::{CaseTally, CompareMode};
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pid};
use watchkeeper_explore::{Collapsed, ExploreError, NoCallback, Search, check, liveness};
use watchkeeper_logic::{Formula, Invariant, Question, TemporalProperty, Verdict};
use watchkeeper_space::Space;
use watchkeeper_world::{InStages, StageRules, TypedWorld};

/// How many more states a ladder may have than a table: it is climbed in many orders.
const TALLER: usize = 5;

pub(super) fn compare(
    climb: &Climb,
    scope: &CompareScope,
    tally: &mut CaseTally,
) -> Result<(), Disagreement> {
    let mode = CompareMode::Stages;
    if scope.has(CompareMode::Parts) {
        retell(climb, tally)?;
    }
    if !scope.has(mode) {
        return Ok(());
    }
    let wrong = |what: String| Err(Disagreement { mode, what });
    let (calls, limited, free) = (climb.calls(), climb.limited(), climb.free());
    let props = props(climb);
    let naive = NaiveWorld { protocol: &limited, scenario: &climb.scenario, calls: &calls, watchers: &[] };
    let graph = match NaiveGraph::of(vec![naive], TALLER * scope.most) {
        Ok(graph) => graph,
        Err(NoGraph::Large) => {
            tally.large += 1;
            return Ok(());
        }
        Err(NoGraph::Start) => return wrong("nothing is sent at the start".to_string()),
    };
    let parts = |protocol: &Ladder| {
        let parts = WorldParts { protocol, calls: &calls, watchers: &[], props: &props };
        parts.world(&climb.scenario, &Looks::default()).map_err(|why| why.to_string())
    };
    let all = match parts(&limited) {
        Ok(all) => all,
        Err(why) => return wrong(format!("no world: {why}")),
    };
    tally.cases += 1;
    tally.states += graph.states.len() as u64;
    tally.note("ladders");
    let truth = graph.truth(&props);
    for then in 0..props.len() {
        let ask = CaseQuery { invariants: vec![(None, then)], ..CaseQuery::default() };
        let answer = graph.answer(&ask, &props, &truth);
        let full =
            check(&*all, &question::<Ladder>(all.shape(), &props, &ask), &Search::default(), &NoCallback);
        match full {
            Ok(full) if full.word() == answer.word() && full.stats.level_sizes == answer.levels => {}
            Ok(full) => return wrong(format!("{ask:?}\n  naive {answer:?}\n  all runs {}", shown(&full))),
            Err(why) => return wrong(format!("{ask:?}: {why}")),
        }
    }
    // Stages keep what is decided, which an observer sees, and refuse to be asked about states.
    for prop in props.iter().filter(|prop| **prop != Prop::SomeoneUnmarked) {
        let name = Observer::name(&Never(prop.clone()));
        let observed = |protocol: &Ladder| {
            parts(protocol)?.observed_by(Never(prop.clone())).map_err(|why| why.to_string())
        };
        let staged = observed(&free).and_then(in_stages);
        let (all, staged) = match (observed(&limited), staged) {
            (Ok(all), Ok(staged)) => (all, staged),
            (Err(why), _) | (_, Err(why)) => return wrong(format!("no world: {why}")),
        };
        let said = (asked(&*all, &name), asked(&staged, &name));
        let (all, staged) = match said {
            (Ok(all), Ok(staged)) => (all, staged),
            (Err(why), _) | (_, Err(why)) => return wrong(format!("{name}: {why}")),
        };
        let fine = match (all.word(), staged.word()) {
            (all, staged) if all == staged => true,
            // Rounds have no end in stages, and may go wrong later.
            ("unknown", _) => climb.within.is_some(),
            _ => false,
        };
        if !fine {
            return wrong(format!("{name}\n  all runs {}\n  in stages {}", shown(&all), shown(&staged)));
        }
        tally.of(mode).count(staged.word());
    }
    if climb.within.is_some() || graph.cuts.contains(&true) {
        return Ok(());
    }
    let world = parts(&free).map(|world| {
        let marked = |world: TypedWorld<Ladder>, p: Pid| {
            world.with_outcome(format!("marked({p})"), p, |state| state.marked())
        };
        Pid::all(climb.table.n).fold(world, marked)
    });
    match world.and_then(in_stages) {
        Ok(staged) => ends(climb, &graph, &staged, &props, &truth, tally),
        Err(why) => wrong(format!("no world: {why}")),
    }
}

/// Tells the states in stages to another instance.
fn retell(climb: &Climb, tally: &mut CaseTally) -> Result<(), Disagreement> {
    let (calls, free) = (climb.calls(), climb.free());
    let parts = WorldParts { protocol: &free, calls: &calls, watchers: &[], props: &[] };
    let world = || parts.world(&climb.scenario, &Looks::default()).map_err(|why| why.to_string());
    match (world().and_then(in_stages), world().and_then(in_stages)) {
        (Ok(here), Ok(there)) => {
            told("in stages", &here, &there, 1, tally)?;
            told("in stages, folded", &Collapsed::new(&here), &Collapsed::new(&there), 2, tally)
        }
        (Err(why), _) | (_, Err(why)) => {
            Err(Disagreement { mode: CompareMode::Parts, what: format!("no world: {why}") })
        }
    }
}

fn in_stages(world: TypedWorld<Ladder>) -> Result<InStages, String> {
    InStages::new(world, StageRules::of()).map_err(|why| why.to_string())
}

/// What an engine says of an observer.
fn asked(space: &impl Space, name: &str) -> Result<Verdict, ExploreError> {
    let then = space.shape().atom(name).expect("an observer adds an atom");
    let invariants = vec![Invariant { name: name.to_string(), when: None, then }];
    check(space, &Question { invariants, ..Question::default() }, &Search::default(), &NoCallback)
}

/// That what a proposition excludes is never decided, by whoever has crashed since either.
struct Never(Prop);

impl Observer<Ladder> for Never {
    /// What each process has decided, in order, one more each.
    type State = Vec<(Pid, u8)>;

    fn name(&self) -> String {
        format!("never: {}", self.0.name())
    }

    fn start(&self, _: &mut Deadlines) -> Self::State {
        Vec::new()
    }

    fn see(&self, state: &mut Self::State, observation: &Observation<'_, Ladder>, _: &mut Deadlines) {
        if let Observation::Emitted { by, output: LadderOutput::Decides(value) } = observation
            && !state.contains(&(*by, *value))
        {
            state.push((*by, *value));
            state.sort_unstable();
        }
    }

    fn judge(&self, state: &Self::State) -> Judgement {
        let decided = |p: Pid, value: u8| state.contains(&(p, value));
        let wrong = match &self.0 {
            Prop::NotIn(p, value) => decided(*p, *value),
            Prop::NotBoth(p, a, q, b) => decided(*p, *a) && decided(*q, *b),
            Prop::Nobody(value) => state.iter().any(|(_, other)| other == value),
            _ => state.iter().any(|(_, a)| state.iter().any(|(_, b)| a != b)),
        };
        if wrong { Judgement::Violated("decided".to_string()) } else { Judgement::Open }
    }

    fn stage_invariant(&self) -> bool {
        true
    }
}

/// What becomes of everyone in the end.
fn ends(
    climb: &Climb,
    graph: &NaiveGraph<'_, Ladder>,
    staged: &InStages,
    props: &[Prop],
    truth: &[Vec<bool>],
    tally: &mut CaseTally,
) -> Result<(), Disagreement> {
    let mode = CompareMode::Stages;
    let unmarked = props.iter().position(|prop| *prop == Prop::SomeoneUnmarked).expect("it is asked about");
    let done = DrawnClaim::Not(Box::new(DrawnClaim::Prop(unmarked)));
    let claim = DrawnClaim::Until(Box::new(DrawnClaim::Is(true)), Box::new(done));
    let Some(holds) = graph.holds(&claim, &[NaiveFairness::Steps], truth) else { return Ok(()) };
    let atom = |name: String| Formula::atom(staged.shape().atom(&name).expect("an atom of this name"));
    let done = |p: Pid| atom(format!("marked({p})")).or(atom(format!("crashed({p})")));
    let claims =
        [TemporalProperty::new("done", Formula::all(Pid::all(climb.table.n).map(done)).eventually())];
    let rules: Vec<_> = fairness(staged.shape(), NaiveFairness::Steps).into_iter().collect();
    match liveness(staged, &claims, &rules, &Search::default(), &NoCallback) {
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
        Err(why) => return Err(Disagreement { mode, what: why.to_string() }),
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
