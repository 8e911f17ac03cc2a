//! The labels of the steps of the timed ring.

use super::message::{Message, PROCESSES, Task2Location, TimedAction};
use crate::labels::{RingDeed, ring_vocabulary};
use watchkeeper_core::Pid;
use watchkeeper_space::{DataLabel, Vocabulary};

/// The label of a step.
pub(super) fn label(me: Pid, action: TimedAction) -> DataLabel {
    let mut actions: Vec<_> = deeds(me, action).into_iter().map(RingDeed::action).collect();
    actions.sort();
    DataLabel { actions }
}

/// What a step of a process does.
fn deeds(me: Pid, action: TimedAction) -> Vec<RingDeed> {
    let about = |name: &'static str, q: Pid| vec![RingDeed::About(name, me, q)];
    let inside = |name: &'static str| vec![RingDeed::Alone(name, me)];
    let message = |name: &'static str, q: Pid, message: Message| RingDeed::Of(name, me, q, message);
    let handed =
        |q: Pid, kind: Message| vec![RingDeed::Of("send", me, q, kind), RingDeed::Of("swallow", q, me, kind)];
    match action {
        TimedAction::Tick => vec![RingDeed::Everywhere("time")],
        TimedAction::Ask(q) => vec![message("send", q, Message::AreYouAlive)],
        TimedAction::Answer(q) => vec![message("send", q, Message::IAmAlive)],
        TimedAction::AskCrashed(q) => handed(q, Message::AreYouAlive),
        TimedAction::AnswerCrashed(q) => handed(q, Message::IAmAlive),
        TimedAction::Take(q, kind, _) => vec![message("receive", q, kind)],
        TimedAction::Suspect(q) => about("suspect", q),
        TimedAction::SuspectLonger(q) => {
            vec![RingDeed::About("suspect", me, q), RingDeed::About("wait_longer", me, q)]
        }
        TimedAction::Trust(q) => about("trust", q),
        TimedAction::Received(q) => about("reply_received", q),
        TimedAction::Answered(q) => about("answered", q),
        TimedAction::Discard(q) => about("discard", q),
        TimedAction::Handle(q, kind) => vec![message("handle", q, kind)],
        TimedAction::Begin => inside("begin"),
        TimedAction::Proceed(place) => inside(place.name()),
        TimedAction::Release => inside("release"),
        TimedAction::Crash => inside("crash"),
    }
}

/// The sorts and actions of all labels.
pub(super) fn vocabulary(mortal: bool) -> Vocabulary {
    let (me, q) = (Pid::at(0), Pid::at(PROCESSES - 1));
    let kind = Message::IAmAlive;
    let mut all = vec![
        TimedAction::Tick,
        TimedAction::Begin,
        TimedAction::AskCrashed(q),
        TimedAction::Answered(q),
        TimedAction::SuspectLonger(q),
        TimedAction::Take(q, kind, 0),
        TimedAction::Handle(q, kind),
        TimedAction::Release,
        TimedAction::Received(q),
        TimedAction::Discard(q),
        TimedAction::Trust(q),
    ];
    all.extend(Task2Location::ALL.map(TimedAction::Proceed));
    all.extend(mortal.then_some(TimedAction::Crash));
    ring_vocabulary(all.into_iter().flat_map(|action| deeds(me, action)))
}
