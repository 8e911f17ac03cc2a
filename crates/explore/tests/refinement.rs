//! Refinement on graphs whose answers are in the textbooks, and on thousands of random ones against a reference
//! that enumerates everything.

#[path = "refinement/graph.rs"]
mod graph;
#[path = "refinement/reference.rs"]
mod reference;

use graph::{Labelled, changes, letters};
use reference::fewest_steps;
use std::ops::ControlFlow;
use watchkeeper_explore::{
    NoCallback, Progress, ProgressCallback, RefinementMapping, RefinementSide, Search, SlotCondition,
    Strategy, refines, refines_by,
};
use watchkeeper_logic::{Alphabet, Limit, Outcome, Refinement, RefinementFailure, Semantics, Visibility};
use watchkeeper_space::{Event, Id};

const TRACES: Semantics = Semantics::Traces;
const FAILURES: Semantics = Semantics::StableFailures;

fn side<'a>(space: &'a Labelled, alphabet: &'a Alphabet, name: &'a str) -> RefinementSide<'a> {
    RefinementSide { space, alphabet, name }
}

fn compared(
    implementation: &Labelled,
    specification: &Labelled,
    alphabet: &Alphabet,
    semantics: Semantics,
) -> Refinement {
    let mine = side(implementation, alphabet, "I");
    let theirs = side(specification, alphabet, "S");
    refines(mine, theirs, semantics, &Search::default(), &NoCallback).expect("an answer")
}

fn answers(implementation: &Labelled, specification: &Labelled) -> (bool, bool) {
    let holds = |semantics| {
        let found = compared(implementation, specification, &letters(), semantics);
        matches!(found.verdict.outcome, Outcome::Holds(_))
    };
    (holds(TRACES), holds(FAILURES))
}

fn steps(found: &Refinement) -> Option<usize> {
    found.verdict.trace().map(|trace| trace.steps.len())
}

fn stop() -> Labelled {
    Labelled::new(1, &[])
}

fn a_then_stop() -> Labelled {
    Labelled::new(2, &[(0, 'a', 1)])
}

fn a_then_b() -> Labelled {
    Labelled::new(3, &[(0, 'a', 1), (1, 'b', 2)])
}

fn external() -> Labelled {
    Labelled::new(3, &[(0, 'a', 1), (0, 'b', 2)])
}

fn internal() -> Labelled {
    Labelled::new(5, &[(0, 't', 1), (0, 't', 2), (1, 'a', 3), (2, 'b', 4)])
}

/// Never rests, and is never seen to do anything.
fn diverging() -> Labelled {
    Labelled::new(1, &[(0, 't', 0)])
}

#[test]
fn the_textbook_answers() {
    assert_eq!(answers(&stop(), &a_then_stop()), (true, false));
    assert_eq!(answers(&a_then_stop(), &a_then_b()), (true, false));
    assert_eq!(answers(&a_then_b(), &a_then_stop()), (false, false));
    assert_eq!(answers(&a_then_b(), &a_then_b()), (true, true));
    // a [] b and a |~| b have the same traces; only the former keeps both promises.
    assert_eq!(answers(&external(), &internal()), (true, true));
    assert_eq!(answers(&internal(), &external()), (true, false));
    // A process that never rests has no stable failures at all: it refines whatever has its traces.
    assert_eq!(answers(&diverging(), &a_then_b()), (true, true));
    assert_eq!(answers(&stop(), &diverging()), (true, false));
}

#[test]
fn the_offence_says_what_was_seen_and_what_was_allowed() {
    let found = compared(&a_then_b(), &a_then_stop(), &letters(), TRACES);
    let violation = found.violation.clone().expect("an violation");
    assert_eq!(violation.trace, [["a"]]);
    assert_eq!(violation.wrong, RefinementFailure::Events(vec!["b".into()]));
    assert_eq!(violation.to_string(), "b is not allowed here; the specification allows nothing");
    assert_eq!(found.verdict.exit_code().0, 12);
    assert_eq!(found.verdict.property, "I refines S in traces");
    let trace = found.verdict.trace().expect("a run");
    assert_eq!(trace.steps.len(), 2);
    let text = "seen so far: a; b is not allowed here; the specification allows nothing".to_string();
    assert_eq!(trace.steps[1].events, [Event::Remark { text }]);

    let found = compared(&internal(), &external(), &letters(), FAILURES);
    assert_eq!(steps(&found), Some(1));
    let violation = found.violation.expect("an violation");
    let (a, b) = (vec!["a".to_string()], vec!["a".to_string(), "b".to_string()]);
    assert_eq!(violation.wrong, RefinementFailure::Refusal { offered: a, required: vec![b] });
    assert_eq!(violation.allowed, ["a", "b"]);
}

#[test]
fn sizes_are_those_of_the_normal_form() {
    // a a* or a b, by an internal choice: the sets are all, after a, after aa, after ab.
    let edges = [(0, 't', 1), (0, 't', 2), (1, 'a', 3), (3, 'a', 3), (2, 'a', 4), (4, 'b', 5)];
    let space = Labelled::new(6, &edges);
    let found = compared(&space, &space, &letters(), TRACES);
    assert!(matches!(found.verdict.outcome, Outcome::Holds(_)));
    let sizes = found.sizes;
    assert_eq!((sizes.implementation, sizes.specification, sizes.sets, sizes.pairs), (6, 6, 4, 7));
    assert_eq!(found.verdict.stats.level_sizes, [1, 2, 2, 2]);
}

#[test]
fn events_of_one_step_are_matched_in_any_order_and_told_in_any_order() {
    let alphabet = Alphabet::new().rise(0, "x").rise(1, "y");
    let mut together = Labelled::new(2, &[(0, 't', 1)]);
    together.facts = vec![0, 0b11];
    // y, then an internal step, then x.
    let mut one_by_one = Labelled::new(4, &[(0, 't', 1), (1, 't', 2), (2, 't', 3)]);
    one_by_one.facts = vec![0b00, 0b10, 0b10, 0b11];
    for semantics in [TRACES, FAILURES] {
        let found = compared(&together, &one_by_one, &alphabet, semantics);
        // In failures it rests at once, offering both, and the other offers y alone: that is no more.
        assert!(matches!(found.verdict.outcome, Outcome::Holds(_)), "{semantics}");
    }
    let found = compared(&one_by_one, &together, &alphabet, TRACES);
    assert!(matches!(found.verdict.outcome, Outcome::Holds(_)));
    let mut only_one = Labelled::new(2, &[(0, 't', 1)]);
    only_one.facts = vec![0, 0b01];
    let found = compared(&together, &only_one, &alphabet, TRACES);
    assert_eq!(
        found.violation.expect("an violation").wrong,
        RefinementFailure::Events(vec!["x".into(), "y".into()])
    );
}

#[test]
fn whoever_has_crashed_announces_nothing() {
    let mut crash = Labelled::new(2, &[(0, 't', 1)]);
    crash.facts = vec![0b01, 0b10];
    let loud = Alphabet::new().fall(0, "trust").rise(1, "crash");
    let quiet = Alphabet::new().with(Visibility::Fall(0), "trust", Some(1)).rise(1, "crash");
    let mut plain = Labelled::new(2, &[(0, 't', 1)]);
    plain.facts = vec![0, 0b10];
    let wrong = compared(&crash, &plain, &loud, TRACES).violation.expect("an violation").wrong;
    assert_eq!(wrong, RefinementFailure::Events(vec!["trust".into(), "crash".into()]));
    let found = compared(&crash, &plain, &quiet, TRACES);
    assert!(matches!(found.verdict.outcome, Outcome::Holds(_)));
    let warning = "trust never happens in the implementation, so nothing was checked of it";
    assert_eq!(found.verdict.warnings, [warning]);
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as u32 % sides
    }

    fn graph(&mut self, letters: u32) -> Labelled {
        let states = 1 + self.roll(5);
        let edges = self.roll(2 * states + 2);
        let letter = |class: u32| ['t', 'a', 'b', 'c'][class as usize];
        let edges: Vec<_> = (0..edges)
            .map(|_| (self.roll(states), letter(self.roll(letters + 1)), self.roll(states)))
            .collect();
        let mut graph = Labelled::new(states as usize, &edges);
        graph.facts = (0..states).map(|_| self.roll(4)).collect();
        graph.initial.extend((self.roll(4) == 0).then(|| self.roll(states)).filter(|&state| state != 0));
        graph
    }
}

/// Random pairs; the numbers of those that hold and of those that are violated.
fn against_the_reference(
    pairs: usize,
    letters: u32,
    alphabet: &Alphabet,
    most: usize,
    seed: u64,
) -> [usize; 2] {
    let mut dice = Dice(seed);
    let mut found_so = [0, 0];
    for number in 0..pairs {
        let (mine, theirs) = (dice.graph(letters), dice.graph(letters));
        // Unrelated graphs hardly ever refine each other; one with fewer edges often does.
        let mine = if dice.roll(3) == 0 {
            mine
        } else {
            let mut part = theirs.clone();
            part.edges.retain(|_| dice.roll(4) > 0);
            part.initial.truncate(1);
            part
        };
        for semantics in [TRACES, FAILURES] {
            let found = compared(&mine, &theirs, alphabet, semantics);
            let known = fewest_steps(&mine, &theirs, alphabet, semantics, most);
            let told = || format!("pair {number}, {semantics}\n{mine:?}\n{theirs:?}\n{:?}", found.violation);
            match (&found.verdict.outcome, known) {
                (Outcome::Holds(_), None) => found_so[0] += 1,
                (Outcome::Violated(_), known) => {
                    found_so[1] += 1;
                    let violation = found.violation.as_ref().expect("an violation");
                    let events: usize = violation.trace.iter().map(Vec::len).sum();
                    let last = match &violation.wrong {
                        RefinementFailure::Events(events) => events.len(),
                        _ => 0,
                    };
                    if known.is_some() || events + last <= most {
                        assert_eq!(steps(&found), known, "{}", told());
                    }
                }
                _ => panic!("{known:?} steps: {}", told()),
            }
        }
    }
    found_so
}

#[test]
fn four_thousand_random_pairs_agree_with_the_reference() {
    let [holds, violated] = against_the_reference(3000, 2, &letters(), 6, 0x1234_5678_9abc_def1);
    assert!(holds > 1000 && violated > 1000, "{holds} hold, {violated} do not");
    let [holds, violated] = against_the_reference(1000, 3, &letters(), 4, 0x0dd_ba11);
    assert!(holds > 300 && violated > 300, "{holds} hold, {violated} do not");
}

#[test]
fn two_thousand_random_pairs_with_several_events_in_a_step_agree_with_the_reference() {
    let [holds, violated] = against_the_reference(2000, 1, &changes(), 5, 0xfeed_beef_0bad);
    assert!(holds > 500 && violated > 500, "{holds} hold, {violated} do not");
}

/// A witness that says what a table says.
struct Table(Vec<SlotCondition>);

impl RefinementMapping for Table {
    fn image(&self, implementation: &[Id]) -> Vec<SlotCondition> {
        vec![self.0[implementation[0] as usize]]
    }
}

fn by(mine: &Labelled, theirs: &Labelled, semantics: Semantics, witness: &Table) -> Refinement {
    let letters = letters();
    let (mine, theirs) = (side(mine, &letters, "I"), side(theirs, &letters, "S"));
    refines_by(mine, theirs, semantics, witness, &Search::default(), &NoCallback).expect("an answer")
}

#[test]
fn a_witness_shows_what_it_can_and_says_where_it_cannot() {
    // a, two internal steps, b stands for a, b.
    let mine = Labelled::new(5, &[(0, 'a', 1), (1, 't', 2), (2, 't', 3), (3, 'b', 4)]);
    let right = Table([0, 1, 1, 1, 2].map(SlotCondition::Exactly).to_vec());
    for semantics in [TRACES, FAILURES] {
        let found = by(&mine, &a_then_b(), semantics, &right);
        assert!(matches!(found.verdict.outcome, Outcome::Holds(_)));
        assert_eq!((found.sizes.specification, found.sizes.sets, found.sizes.pairs), (3, 0, 5));
    }
    let wrong = Table([0, 1, 2, 2, 2].map(SlotCondition::Exactly).to_vec());
    let found = by(&mine, &a_then_b(), TRACES, &wrong);
    let Outcome::Unknown(Limit::Incomplete(why)) = &found.verdict.outcome else { panic!("{found:?}") };
    assert!(why.contains("no match for a step that shows nothing"), "{why}");
    assert_eq!(found.violation.map(|violation| violation.trace), Some(vec![vec!["a".to_string()]]));
    let lost = by(&mine, &a_then_b(), TRACES, &Table(vec![SlotCondition::AtLeast(9); 5]));
    assert_eq!(
        lost.violation.map(|violation| violation.wrong),
        Some(RefinementFailure::Unmatched(Vec::new()))
    );
}

#[test]
fn a_witness_never_shows_what_is_not_so() {
    let mut dice = Dice(0xabc_0ffee);
    let (mut shown, mut failed) = (0, 0);
    for _ in 0..4000 {
        let (mut mine, mut theirs) = (dice.graph(2), dice.graph(2));
        if dice.roll(2) == 0 {
            theirs = mine.clone();
            mine.edges.retain(|_| dice.roll(5) > 0);
        }
        let wants = (0..6).map(|state| match dice.roll(4) {
            0 => SlotCondition::Exactly(dice.roll(5)),
            1 => SlotCondition::AtLeast(dice.roll(3)),
            2 => SlotCondition::Anything,
            _ => SlotCondition::Exactly(state),
        });
        let witness = Table(wants.collect());
        for semantics in [TRACES, FAILURES] {
            match by(&mine, &theirs, semantics, &witness).verdict.outcome {
                Outcome::Holds(_) => {
                    shown += 1;
                    let exact = compared(&mine, &theirs, &letters(), semantics);
                    assert!(
                        matches!(exact.verdict.outcome, Outcome::Holds(_)),
                        "{semantics}: {mine:?} {theirs:?}"
                    );
                }
                Outcome::Unknown(_) => failed += 1,
                Outcome::Violated(_) => panic!("a witness cannot refute"),
            }
        }
    }
    assert!(shown > 500 && failed > 500, "{shown} shown, {failed} failed");
}

#[test]
fn caps_leave_it_unknown_where_they_could_matter() {
    let cut = |mut space: Labelled| {
        space.cut = Some(0);
        space
    };
    let unknown = |found: Refinement| matches!(found.verdict.outcome, Outcome::Unknown(Limit::Cap(_)));
    let ask = |mine: &Labelled, theirs: &Labelled, semantics| compared(mine, theirs, &letters(), semantics);
    assert!(unknown(ask(&cut(a_then_b()), &a_then_b(), TRACES)));
    assert!(unknown(ask(&a_then_b(), &cut(a_then_stop()), TRACES)));
    // A specification that is larger than what was seen of it allows at least as much.
    assert!(!unknown(ask(&a_then_b(), &cut(a_then_b()), TRACES)));
    assert!(unknown(ask(&a_then_b(), &cut(a_then_b()), FAILURES)));
    // A violation is one, whatever else the implementation might do; but there may be a shorter one.
    let found = ask(&cut(a_then_b()), &a_then_stop(), TRACES);
    let Outcome::Violated(violation) = found.verdict.outcome else { panic!("{:?}", found.verdict) };
    assert!(!violation.shortest);
}

/// A counter up to `most`, whose steps are internal.
fn long(most: u32) -> Labelled {
    Labelled::new(most as usize + 1, &(0..most).map(|i| (i, 't', i + 1)).collect::<Vec<_>>())
}

#[test]
fn limits_end_it_with_unknown() {
    struct Never;
    impl ProgressCallback for Never {
        fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
            ControlFlow::Break(Limit::Interrupted)
        }
    }
    let (letters, long, stop) = (letters(), long(3000), stop());
    let ask = |mine: &Labelled, theirs: &Labelled, search: &Search| {
        let (mine, theirs) = (side(mine, &letters, "I"), side(theirs, &letters, "S"));
        refines(mine, theirs, TRACES, search, &NoCallback).expect("an answer").verdict.outcome
    };
    let few = Search { max_states: Some(50), ..Search::default() };
    assert!(matches!(ask(&long, &stop, &few), Outcome::Unknown(Limit::States(50))));
    assert!(matches!(ask(&stop, &long, &few), Outcome::Unknown(Limit::States(50))));
    let little = Search { max_bytes: Some(5000), ..Search::default() };
    assert!(matches!(ask(&long, &stop, &little), Outcome::Unknown(Limit::Memory(5000))));
    let shallow = Search { strategy: Strategy::Breadth { max_depth: Some(5) }, ..Search::default() };
    assert!(matches!(ask(&long, &stop, &shallow), Outcome::Unknown(Limit::Depth(5))));
    assert!(matches!(ask(&long, &stop, &Search::default()), Outcome::Holds(_)));
    let (mine, theirs) = (side(&long, &letters, "I"), side(&stop, &letters, "S"));
    let outcome =
        refines(mine, theirs, TRACES, &Search::default(), &Never).expect("an answer").verdict.outcome;
    assert!(matches!(outcome, Outcome::Unknown(Limit::Interrupted)));
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_reason() {
    let letters = letters();
    let refused = |mine: &Labelled, alphabet: &Alphabet, search: &Search| {
        let stop = stop();
        let found =
            refines(side(mine, alphabet, "I"), side(&stop, &letters, "S"), TRACES, search, &NoCallback);
        found.map(|_| ()).map_err(|error| error.to_string())
    };
    let plain = Search::default();
    let mut dense = stop();
    dense.shape.zone = Some(0);
    let why = "the model cannot be searched: I is in dense time, and refinement compares single states; choose ticks";
    assert_eq!(refused(&dense, &letters, &plain), Err(why.to_string()));
    let mut nowhere = stop();
    nowhere.initial.clear();
    assert!(refused(&nowhere, &letters, &plain).is_err_and(|why| why.contains("I: it has no initial state")));
    let foreign = Alphabet::new().rise(7, "x");
    assert!(
        refused(&stop(), &foreign, &plain).is_err_and(|why| why.contains("the event x stands on an atom"))
    );
    let walks = Search { strategy: Strategy::Walks { count: 1, max_depth: 1 }, ..Search::default() };
    assert!(refused(&stop(), &letters, &walks).is_err_and(|why| why.contains("breadth-first")));
    let symmetric = Search { symmetry: true.into(), ..Search::default() };
    assert!(refused(&stop(), &letters, &symmetric).is_err());
    let many = (0..129).fold(Alphabet::new(), |alphabet, i| alphabet.class(1, format!("e{i}")));
    assert!(refused(&stop(), &many, &plain).is_err_and(|why| why.contains("128")));
    assert_eq!(refused(&a_then_b(), &letters, &plain), Ok(()));
}
