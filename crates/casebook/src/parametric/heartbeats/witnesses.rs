//! Runs that break a requirement, one for each question and all parameters for which it fails: the moves with their
//! times as terms over tmin, tmax and the state before. Nothing is claimed here of other parameters.
//!
//! All are runs of integer systems, so they are runs in dense time too. In the static protocol the other participants
//! answer at once and never appear.

use super::{HeartbeatForm, HeartbeatQuestion};
use watchkeeper_protocols::heartbeat::HeartbeatVariant;
use watchkeeper_prove::{Auxiliary, ParametricWitness, Term, WitnessPhase, WitnessStep, term};

/// The runs for a question, which together cover all parameters for which the requirement fails; none if it never
/// does.
pub(super) fn witnesses(form: HeartbeatForm, question: HeartbeatQuestion) -> Vec<ParametricWitness> {
    if form.corrected || question == HeartbeatQuestion::Slots {
        return Vec::new();
    }
    let run = match (question, form.variant.expects_joins()) {
        (HeartbeatQuestion::R1, false) => [opening(form), silence(form)].concat(),
        (HeartbeatQuestion::R2, false) => [opening(form), answer_on_time(), moves(&["p1 gives up"])].concat(),
        (_, false) => [opening(form), answer_on_time(), moves(&["p0 has not heard p1 and stops"])].concat(),
        (HeartbeatQuestion::R1, true) => [joined(form), silence(form)].concat(),
        (HeartbeatQuestion::R2, true) => joins_too_late(form),
        (_, true) => [joined_at_once(), answer_on_time(), moves(&["p0 has not heard p1 and stops"])].concat(),
    };
    let halves = question == HeartbeatQuestion::R1 && form.variant != HeartbeatVariant::TwoPhase;
    let half = Auxiliary {
        name: "h".to_string(),
        low: read("tmin"),
        high: read("tmax"),
        given: read("2*h <= tmax and tmax <= 2*h + 1"),
    };
    let auxiliaries = if halves { vec![half] } else { Vec::new() };
    vec![ParametricWitness { condition: Vec::new(), auxiliaries, start: step("initially", &[]), acts: run }]
}

fn read(text: &str) -> Term {
    term(text).expect("a term")
}

fn step(path: &str, picks: &[(&str, &str)]) -> WitnessStep {
    let picks = picks.iter().map(|(name, text)| (name.to_string(), read(text))).collect();
    WitnessStep { path: path.to_string(), picks }
}

/// So much time passes.
fn time(by: &str) -> WitnessStep {
    step("time passes", &[("by", by)])
}

fn acts(moves: impl IntoIterator<Item = WitnessStep>) -> Vec<WitnessPhase> {
    moves.into_iter().map(WitnessPhase::Step).collect()
}

fn moves(paths: &[&str]) -> Vec<WitnessPhase> {
    acts(paths.iter().map(|path| step(path, &[])))
}

/// Until p0 is about to begin its first round in which it asks p1 after it has heard it. In the revised protocol
/// that is its second.
fn opening(form: HeartbeatForm) -> Vec<WitnessPhase> {
    match form.variant {
        HeartbeatVariant::Revised => moves(&["p1 answers a beat", "p0 hears an answer"]),
        _ => Vec::new(),
    }
}

/// p0 asks, and the answer would come at the very end of its round.
fn answer_on_time() -> Vec<WitnessPhase> {
    acts([time("round"), step("p0 begins a round", &[]), time("tmax")])
}

/// p1 was heard at the beginning of this round. The next beat of p0 is lost, and still there is a round to follow.
fn silence(form: HeartbeatForm) -> Vec<WitnessPhase> {
    let shorter = "p0 has not heard p1 and begins a shorter round";
    acts([
        time("round"),
        step("p0 begins a round", &[]),
        step("a beat or its answer is lost", &[]),
        time("tmax"),
        if form.variant == HeartbeatVariant::TwoPhase {
            step(shorter, &[])
        } else {
            step(shorter, &[("half", "h")])
        },
        time("1"),
    ])
}

/// p1 asks to join just before the first round of p0 ends, where that is at tmin.
fn joined_at_once() -> Vec<WitnessPhase> {
    acts([time("tmin"), step("p1 asks to join", &[]), step("p0 hears a request", &[])])
}

/// p1 asks again and again, and is heard at once, until this is not above the time to its next request.
fn asks_until(form: HeartbeatForm, clock: &str, invariant: &str) -> WitnessPhase {
    let mut known = vec![
        "up0 and up1 and joining and counted and request < 0 and not more and not old_beat and not old_answer",
        "0 <= join and join <= tmin",
        invariant,
    ];
    if form.variant == HeartbeatVariant::Dynamic {
        known.push("not leaving and not leaves and not old_leave");
    }
    WitnessPhase::Until {
        done: read(&format!("{clock} <= join")),
        invariant: Term::and(known.into_iter().map(read)),
        rank: read(&format!("{clock} - join")),
        moves: vec![time("join"), step("p1 asks to join", &[]), step("p0 hears a request", &[])],
    }
}

/// p1 joins in the first round of p0 and answers its first beat at once.
fn joined(form: HeartbeatForm) -> Vec<WitnessPhase> {
    let first = "trip < 0 and not awaited and 0 <= round and round <= tmax and patience = 2*tmax - tmin + round \
                 and wait = tmax";
    [
        joined_at_once(),
        vec![asks_until(form, "round", first)],
        acts([time("round"), step("p0 begins a round", &[])]),
        moves(&["p1 answers a beat", "p0 hears an answer"]),
    ]
    .concat()
}

/// The first request of p1 arrives just after the first round of p0, and its first beat would after the patience of p1.
fn joins_too_late(form: HeartbeatForm) -> Vec<WitnessPhase> {
    let second = "member and trip < 0 and not awaited and 0 <= round and patience = tmax - tmin + round \
                  and wait = tmax";
    let third = "member and patience <= trip and 0 <= patience and round = patience + tmin";
    [
        acts([time("tmin"), step("p1 asks to join", &[]), time("tmax - tmin")]),
        moves(&["p0 counts nobody and begins a round", "p0 hears a request"]),
        vec![asks_until(form, "round", second)],
        acts([time("round"), step("p0 begins a round", &[])]),
        vec![asks_until(form, "patience", third)],
        acts([time("patience"), step("p1 gives up", &[])]),
    ]
    .concat()
}
