//! A path told as a run: every step is taken again by the automata as they are drawn, and what happened is put in the
//! words of a sequence chart, with its time.

use super::RingTimedCase;
use super::automata::{Automata, AutomataStep};
use super::message::{MORTAL, Message, PROCESSES, TimedAction};
use super::state::TimedLayout;
use super::view::view;
use crate::replay::retell;
use crate::ring::Crash;
use watchkeeper_core::{Kind, Pid, Suspicion};
use watchkeeper_space::{Event, MessageId, Mismatch, StatePath, Step, Tone, Trace};

/// The path as a trace, or where the automata cannot follow it.
pub(super) fn replay(case: &RingTimedCase, path: &StatePath) -> Result<Trace, Mismatch> {
    let layout = TimedLayout::new(case);
    let row = |automata: &Automata| layout.row(&automata.state()).to_vec();
    let mut now = Automata::initial(case);
    let start = view(case, &now.state());
    let mut steps = retell(path, &row(&now), |action| {
        let named = |edge: &AutomataStep| {
            edge.action.code(edge.me) == action.code() && edge.action.class() == usize::from(action.class())
        };
        let edge = now.edges().into_iter().find(named)?;
        let step = Step {
            action: edge.action.label(edge.me),
            at: Some(edge.after.now.to_string()),
            events: events(&now, &edge),
            after: view(case, &edge.after.state()),
        };
        now = edge.after;
        Some((row(&now), step))
    })?;
    if let Some(last) = steps.last_mut() {
        last.events.extend(ending(&now));
    }
    let processes = Pid::all(PROCESSES).map(|p| p.to_string()).collect();
    let dead = case.crash == Crash::AtStart;
    let opening = dead.then_some(Event::Crash { process: MORTAL }).into_iter().collect();
    Ok(Trace { processes, start, opening, steps, loops_to: None })
}

/// What a chart draws of one step.
fn events(before: &Automata, edge: &AutomataStep) -> Vec<Event> {
    let process = edge.me;
    let note = |text: String| Event::Note { process, text };
    let send = |to: Pid, kind: Message| {
        let message = MessageId(before.sent);
        Event::Send { message, from: process, to, label: kind.name().to_string() }
    };
    let swallow = Event::Swallow { message: MessageId(before.sent) };
    let said = |suspicion: Suspicion, tone| Event::Output { process, label: suspicion.label(), tone };
    match edge.action {
        TimedAction::Ask(q) => vec![send(q, Message::AreYouAlive)],
        TimedAction::Answer(q) => vec![send(q, Message::IAmAlive)],
        TimedAction::AskCrashed(q) => vec![send(q, Message::AreYouAlive), swallow],
        TimedAction::AnswerCrashed(q) => vec![send(q, Message::IAmAlive), swallow],
        TimedAction::Take(..) => {
            let message = MessageId(edge.after.processes[process.index()].taken.number);
            vec![Event::Receive { message }, note("received by Task2, waits for the mutex".to_string())]
        }
        TimedAction::Handle(q, message) => {
            vec![note(format!("Task2 holds the mutex and processes {} of {q}", message.name()))]
        }
        TimedAction::Begin => vec![note("Task1 holds the mutex".to_string())],
        TimedAction::Suspect(q) => {
            vec![note("timeout".to_string()), said(Suspicion::Suspect(q), Tone::Alarm)]
        }
        TimedAction::SuspectLonger(q) => {
            let delta = edge.after.processes[process.index()].delta[q.index()];
            let longer = format!("timeout, and Delta for {q} grows to {delta}");
            vec![note(longer), said(Suspicion::Suspect(q), Tone::Alarm)]
        }
        TimedAction::Trust(_) => {
            let ended = before.suspects(process).difference(edge.after.suspects(process));
            ended.iter().map(|q| said(Suspicion::Trust(q), Tone::Relief)).collect()
        }
        TimedAction::Received(_) => vec![note("reply received".to_string())],
        TimedAction::Discard(_) => vec![note("discarded".to_string())],
        TimedAction::Crash => vec![Event::Crash { process }],
        TimedAction::Tick | TimedAction::Answered(_) | TimedAction::Proceed(_) | TimedAction::Release => {
            Vec::new()
        }
    }
}

/// Who waits for room, in a state from which no process will ever act again, and what time does there.
fn ending(last: &Automata) -> Vec<Event> {
    let mut now = last.clone();
    loop {
        if now.edges().iter().any(|edge| edge.action != TimedAction::Tick) {
            return Vec::new();
        }
        match now.later() {
            // Where time makes no difference any more, it may pass for ever.
            Some(later) if later.state() != now.state() => now = later,
            _ => break,
        }
    }
    let mut events = Vec::new();
    for process in Pid::all(PROCESSES) {
        if let Some((to, message)) = last.wants_room(process) {
            events.push(Event::Block { process, to, label: message.name().to_string() });
            events.push(Event::Note { process, text: "holds the mutex while it waits".to_string() });
        }
    }
    let text = match (last.later(), now.later()) {
        (None, _) => "something is due that cannot be done: time cannot pass".to_string(),
        (_, None) => format!("no process can act any more, and time cannot pass beyond {}", now.now),
        _ => "no process can act any more, and time may pass for ever".to_string(),
    };
    events.push(Event::Remark { text });
    events
}
