//! All who answer a question about infinite runs, held against each other.

use crate::formulas::written;
use crate::lasso::{judge, walk};
use crate::table::{Line, State, Table};
use watchkeeper_explore::{
    ExploreError, NoCallback, Search, check, liveness, liveness_eager, liveness_general, naive_liveness,
};
use watchkeeper_logic::{
    ExitCode, Fairness, Formula, Limit, Outcome, Question, TemporalProperty, Verdict, ViolationKind,
};
use watchkeeper_space::Trace;

/// An atom that no claim about this space speaks of.
const MARK: usize = 3;

/// What is said of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Holds,
    Violated,
    /// Steps were cut away, so that nobody can say that it holds.
    Unknown,
}

/// What the slow reference says.
pub fn reference(table: &Table, claim: &Formula, fairness: &[Fairness]) -> Answer {
    match naive_liveness(table, claim, fairness).expect("it may be asked") {
        Some(false) => Answer::Violated,
        None => Answer::Unknown,
        Some(true) => Answer::Holds,
    }
}

/// Says who gives another answer than the expected one, or a counterexample that is none. With `threads` two of
/// them must tell the same as one.
pub fn agree(
    table: &Table,
    claim: &Formula,
    fairness: &[Fairness],
    expected: Answer,
    threads: bool,
) -> Result<(), String> {
    let slow = reference(table, claim, fairness);
    if slow != expected {
        return Err(format!("the reference says {slow:?}, and {expected:?} is expected"));
    }
    let opposite = claim.clone().not();
    let other = reference(table, &opposite, fairness);
    let both = [(claim, expected), (&opposite, other)];
    let one = answers(table, both, fairness, 1, threads)?;
    if threads && one != answers(table, both, fairness, 2, threads)? {
        return Err("another trace on another number of threads".into());
    }
    Ok(())
}

/// The traces of the engine, by its fast paths, by its general search and with a look after every depth, for a claim
/// and its opposite.
fn answers(
    table: &Table,
    both: [(&Formula, Answer); 2],
    fairness: &[Fairness],
    workers: usize,
    thorough: bool,
) -> Result<Vec<Option<Trace>>, String> {
    let claims = both.map(|(claim, _)| TemporalProperty::new("claim", claim.clone()));
    let search = Search { workers, ..Search::default() };
    let fast = liveness(table, &claims, fairness, &search, &NoCallback);
    let general = liveness_general(table, &claims, fairness, &search, &NoCallback);
    let eager = thorough.then(|| liveness_eager(table, &claims, fairness, &search, &NoCallback));
    let mut traces = Vec::new();
    let all =
        [("the engine", Some(fast)), ("the general search", Some(general)), ("the eager search", eager)];
    for (who, answer) in all.into_iter().filter_map(|(who, answer)| Some((who, answer?))) {
        let blame = |why: String| format!("{who} on {workers} threads: {why}");
        let verdicts = answer.map_err(|error| blame(error.to_string()))?;
        if verdicts.len() != both.len() {
            return Err(blame(format!("{} verdicts", verdicts.len())));
        }
        for (verdict, (claim, expected)) in verdicts.iter().zip(both) {
            let about = |why: String| blame(format!("{}: {why}", written(claim)));
            look(verdict, table, claim, fairness, expected).map_err(about)?;
            traces.push(verdict.trace().cloned());
        }
    }
    Ok(traces)
}

/// Says what is wrong with the answer to the whole question, which is refused if nothing ever has to happen.
pub fn check_agrees(
    table: &Table,
    claim: &Formula,
    fairness: &[Fairness],
    expected: Answer,
) -> Result<(), String> {
    let question = Question {
        temporal: vec![TemporalProperty::new("claim", claim.clone())],
        fairness: fairness.to_vec(),
        ..Question::default()
    };
    match check(table, &question, &Search::default(), &NoCallback) {
        Err(ExploreError::Unfair) if fairness.is_empty() && table.shape.time.is_none() => Ok(()),
        Err(error) => Err(format!("the check is refused: {error}")),
        Ok(verdict) => look(&verdict, table, claim, fairness, expected),
    }
}

/// Looks at one verdict.
fn look(
    verdict: &Verdict,
    table: &Table,
    claim: &Formula,
    fairness: &[Fairness],
    expected: Answer,
) -> Result<(), String> {
    let lawless = fairness.is_empty() && Fairness::of_space(&table.shape).is_empty();
    let doubtful = !lawless && table.states.iter().any(|state| state.cut);
    let violation = match (&verdict.outcome, expected) {
        (Outcome::Holds(_), Answer::Holds) | (Outcome::Unknown(Limit::Cap(_)), Answer::Unknown) => {
            return Ok(());
        }
        (Outcome::Violated(violation), Answer::Violated) => violation,
        // A finite run may well break a claim, even if the steps that would follow it were cut away.
        (Outcome::Violated(violation), Answer::Unknown) if violation.finding == ViolationKind::Safety => {
            violation
        }
        // Whether a loop is fair nobody can say if steps of it were cut away.
        (Outcome::Unknown(Limit::Cap(_)), Answer::Violated) if doubtful => return Ok(()),
        (other, _) => return Err(format!("it says {other:?}, and {expected:?} is expected")),
    };
    if violation.finding == ViolationKind::Safety {
        return broken_early(&uncut(table), claim, fairness, &violation.trace);
    }
    if (violation.finding, verdict.exit_code()) != (ViolationKind::Liveness, ExitCode::LIVENESS) {
        return Err(format!("it takes a broken claim for {:?}", violation.finding));
    }
    judge(table, claim, fairness, &violation.trace)
        .map_err(|why| format!("its lasso is none: {why}: {:?}", violation.trace))
}

/// A claim may be refuted by a finite run, if some fair run begins with it, and all that do break the claim. So
/// the moves of the run are put before the space, as a way that can be taken only from one end to the other.
fn broken_early(table: &Table, claim: &Formula, fairness: &[Fairness], trace: &Trace) -> Result<(), String> {
    let (moves, last) = walk(table, trace)?;
    let mut longer = table.clone();
    longer.states.iter_mut().for_each(|state| state.atoms &= !(1 << MARK));
    let mut to = last;
    for &(state, step) in moves.iter().rev() {
        let step = step.ok_or("it is still for a while, and yet finite")?;
        let from = longer.states.len();
        // A step beyond a cap is no rest.
        longer.states.push(State { start: false, idles: false, cut: true, ..longer.states[state] });
        longer.steps.push(Line { from, to, ..table.steps[step] });
        to = from;
    }
    longer.states[to].start = true;
    longer.states[to].atoms |= 1 << MARK;
    let whenever = |claim: Formula| {
        naive_liveness(&longer, &Formula::atom(MARK).implies(claim), fairness).expect("it may be asked")
            != Some(false)
    };
    if !whenever(claim.clone().not()) {
        return Err("a fair run goes on from its finite run and is as claimed".into());
    }
    if whenever(Formula::False) {
        return Err("no fair run goes on from where its finite run ends".into());
    }
    Ok(())
}

/// The space in which a run may stay wherever it would go beyond a cap.
fn uncut(table: &Table) -> Table {
    let mut uncut = table.clone();
    for state in uncut.states.iter_mut().filter(|state| state.cut) {
        *state = State { cut: false, locked: false, idles: table.shape.time.is_some(), ..*state };
    }
    uncut
}
