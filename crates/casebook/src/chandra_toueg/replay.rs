//! A path told as a run: every step is taken again by the plain model, and what happened is put in the words of a
//! sequence chart.

use super::ChandraTouegCase;
use super::action::{NAMES, RECEIVER, SENDER, SubRoundAction};
use super::naive::{PlainState, PlainStep};
use crate::replay::retell;
use watchkeeper_space::{Action, Event, Mismatch, StatePath, Step, Tone, Trace};

/// The path as a trace, or where the plain model cannot follow it.
pub(super) fn replay(case: &ChandraTouegCase, path: &StatePath) -> Result<Trace, Mismatch> {
    let mut now = PlainState::initial(case);
    let start = now.view();
    let steps = retell(path, &now.row(), |action| {
        let turn = now.turns().into_iter().find(|turn| is_named(turn, action))?;
        let step = Step {
            action: turn.action.label().to_string(),
            at: Some(now.time.to_string()),
            events: events(&now, &turn),
            after: turn.after.view(),
        };
        now = turn.after;
        Some((now.row(), step))
    })?;
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
