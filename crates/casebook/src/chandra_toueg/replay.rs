//! A trail told as a run: every step is taken again by the plain model, every row compared, and what happened
//! is put in the words of a sequence chart. A trail that the plain model cannot follow is refused; nothing is
//! repaired.

use super::ChandraTouegCase;
use super::action::{NAMES, RECEIVER, SENDER, SubRoundAction};
use super::naive::{PlainState, PlainStep};
use watchkeeper_space::{Action, Event, Mismatch, StatePath, Step, Tone, Trace};

/// The trail as a trace, or where it is not a path.
pub(super) fn replay(case: &ChandraTouegCase, trail: &StatePath) -> Result<Trace, Mismatch> {
    let differs = |step, why: &str| Err(Mismatch { step, why: why.to_string() });
    if trail.rows.len() != trail.actions.len() + 1 {
        return differs(0, "a trail needs one state more than actions");
    }
    let mut now = PlainState::initial(case);
    if now.row() != trail.rows[0] {
        return differs(0, "the model begins in another state");
    }
    let start = now.view();
    let mut steps = Vec::with_capacity(trail.actions.len());
    for (i, (&action, row)) in trail.actions.iter().zip(&trail.rows[1..]).enumerate() {
        let Some(turn) = now.turns().into_iter().find(|turn| is_named(turn, action)) else {
            return differs(i + 1, "the action is not possible in the state before");
        };
        if turn.after.row() != *row {
            return differs(i + 1, "the action leads to another state");
        }
        steps.push(Step {
            action: turn.action.label().to_string(),
            at: Some(now.time.to_string()),
            events: events(&now, &turn),
            after: turn.after.view(),
        });
        now = turn.after;
    }
    let processes = NAMES.map(String::from).to_vec();
    Ok(Trace { processes, start, opening: Vec::new(), steps, loops_to: None })
}

/// Whether this is the turn that an action names.
fn is_named(turn: &PlainStep, action: Action) -> bool {
    let code: u64 = turn.stay.iter().map(|&age| 1u64 << age).sum();
    turn.action.class() == action.class() && code == action.code()
}

/// What a chart draws. Where a process only rests, or it is not its turn, nothing happens.
fn events(before: &PlainState, turn: &PlainStep) -> Vec<Event> {
    let after = &turn.after;
    let note = |text: String| Event::Note { process: RECEIVER, text };
    let waited = || note(format!("waits {} of {}", after.waited, after.timeout));
    let output =
        |label: &str, tone| Event::Output { process: RECEIVER, label: format!("{label} {}", NAMES[0]), tone };
    match turn.action {
        SubRoundAction::Send => {
            let sent = after.under_way.iter().filter(|message| message.id.0 >= before.sent);
            let send = |message: &super::naive::AgedAlive| Event::Send {
                message: message.id,
                from: SENDER,
                to: RECEIVER,
                label: "alive".to_string(),
            };
            sent.map(send).collect()
        }
        SubRoundAction::Deliver => {
            let received = before.under_way.iter().filter(|message| !after.under_way.contains(message));
            let mut events: Vec<Event> =
                received.map(|message| Event::Receive { message: message.id }).collect();
            if before.suspected {
                events.push(output("stop suspecting", Tone::Relief));
                events.push(note(format!("timeout grows to {}", after.timeout)));
            }
            events
        }
        SubRoundAction::Wait | SubRoundAction::Bide | SubRoundAction::Miss => vec![waited()],
        SubRoundAction::Suspect => vec![output("suspect", Tone::Alarm)],
        SubRoundAction::Crash => vec![Event::Crash { process: SENDER }],
        SubRoundAction::SenderActs
        | SubRoundAction::SenderRests
        | SubRoundAction::ReceiverActs
        | SubRoundAction::ReceiverRests
        | SubRoundAction::Age
        | SubRoundAction::NoSend
        | SubRoundAction::NoWait
        | SubRoundAction::NoReceive
        | SubRoundAction::StillSuspect
        | SubRoundAction::NoCompute
        | SubRoundAction::NoCrash => Vec::new(),
    }
}
