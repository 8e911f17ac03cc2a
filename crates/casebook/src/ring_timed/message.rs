//! The words that the two accounts of the model share: processes, kinds of message, and what a step is
//! called. Nothing here says when a step is possible or what it leads to.

pub(super) use crate::published_ring::{MORTAL, Message, PROCESSES, pred, succ};
use watchkeeper_core::Pid;
use watchkeeper_space::{ActionClass, ClassId, Role};

/// The first candidate of the detector for weak accuracy. Figure 6.14 watches what p0 thinks of p2, and the
/// timeout of p0 for p2 grows with the candidates p1 and p2 alike.
pub(super) const CANDIDATE: Pid = Pid::at(2);

/// Everyone but `me`, the successor first.
pub(super) const fn others(me: Pid) -> [Pid; 2] {
    [succ(me), pred(me)]
}

/// What happens in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimedAction {
    /// One unit of time passes.
    Tick,
    /// Task1 takes the mutex.
    Begin,
    /// Task1 puts its question into the channel to the target.
    Ask(Pid),
    /// Task1 hands its question to a target that has crashed.
    AskCrashed(Pid),
    /// The delay is over and the target has answered.
    Answered(Pid),
    /// The delay is over, the target is silent and is suspected; its timeout stays.
    Suspect(Pid),
    /// The same, and the timeout for the target grows.
    SuspectLonger(Pid),
    /// Task2 takes a message of this age.
    Take(Pid, Message, u8),
    /// Task2 takes the mutex.
    Handle(Pid, Message),
    /// Task2 puts its answer into the channel to the one who asked.
    Answer(Pid),
    /// Task2 hands its answer to one who asked and has crashed since.
    AnswerCrashed(Pid),
    /// Task2 moves on inside.
    Proceed(Task2Location),
    /// Task2 has answered someone whom it does not suspect, and is done.
    Release,
    /// Task2 counts a message from here as the answer.
    Received(Pid),
    /// Task2 throws an answer from here away.
    Discard(Pid),
    /// Task2 stops suspecting.
    Trust(Pid),
    /// The process stops for ever.
    Crash,
}

/// Where Task2 is, other than at its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task2Location {
    /// `wait`: it has a message and wants the mutex.
    Wait(Message),
    /// `case`: it has the mutex too.
    Case(Message),
    /// `replySent`.
    ReplySent,
    /// `replyRcvd`.
    ReplyRcvd,
    /// The location without a name behind `L[p][q]!=true`.
    NotSuspected,
    /// `stopSus`, because of a message of this kind.
    StopSus(Message),
}

impl Task2Location {
    /// All places, in the order of their numbers.
    pub(super) const ALL: [Task2Location; 9] = {
        use Message::{AreYouAlive, IAmAlive};
        [
            Task2Location::Wait(AreYouAlive),
            Task2Location::Wait(IAmAlive),
            Task2Location::Case(AreYouAlive),
            Task2Location::Case(IAmAlive),
            Task2Location::ReplySent,
            Task2Location::ReplyRcvd,
            Task2Location::NotSuspected,
            Task2Location::StopSus(AreYouAlive),
            Task2Location::StopSus(IAmAlive),
        ]
    };

    /// Its place in [`Task2Location::ALL`].
    pub(super) const fn index(self) -> usize {
        match self {
            Task2Location::Wait(message) => message as usize,
            Task2Location::Case(message) => 2 + message as usize,
            Task2Location::ReplySent => 4,
            Task2Location::ReplyRcvd => 5,
            Task2Location::NotSuspected => 6,
            Task2Location::StopSus(message) => 7 + message as usize,
        }
    }

    /// The kind of message that is being handled.
    pub(super) const fn message(self) -> Message {
        match self {
            Task2Location::Wait(message) | Task2Location::Case(message) | Task2Location::StopSus(message) => {
                message
            }
            Task2Location::ReplySent => Message::AreYouAlive,
            Task2Location::ReplyRcvd | Task2Location::NotSuspected => Message::IAmAlive,
        }
    }

    /// Its name in the figure.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Task2Location::Wait(_) => "wait",
            Task2Location::Case(_) => "case",
            Task2Location::ReplySent => "replySent",
            Task2Location::ReplyRcvd => "replyRcvd",
            Task2Location::NotSuspected => "not suspected",
            Task2Location::StopSus(_) => "stopSus",
        }
    }
}

impl TimedAction {
    /// The class of the passing of time.
    pub(super) const TICK: ClassId = TimedAction::Tick.class() as ClassId;

    /// The class by which it is counted.
    pub(super) const fn class(self) -> usize {
        match self {
            TimedAction::Tick => 0,
            TimedAction::Ask(_) => 1,
            TimedAction::Answer(_) => 2,
            TimedAction::AskCrashed(_) | TimedAction::AnswerCrashed(_) => 3,
            TimedAction::Take(_, Message::AreYouAlive, _) => 4,
            TimedAction::Take(_, Message::IAmAlive, _) => 5,
            TimedAction::Suspect(_) => 6,
            TimedAction::SuspectLonger(_) => 7,
            TimedAction::Trust(_) => 8,
            TimedAction::Received(_) => 9,
            TimedAction::Discard(_) => 10,
            TimedAction::Begin
            | TimedAction::Answered(_)
            | TimedAction::Handle(..)
            | TimedAction::Proceed(_)
            | TimedAction::Release => 11,
            TimedAction::Crash => 12,
        }
    }

    /// The classes, in their order; a crash only where one may still come.
    pub(super) fn classes(mortal: bool) -> Vec<ActionClass> {
        let named = [
            ("tick", Role::Other),
            ("put ARE-YOU-ALIVE", Role::Other),
            ("put I-AM-ALIVE", Role::Other),
            ("hand to crashed", Role::Other),
            ("take ARE-YOU-ALIVE", Role::Message),
            ("take I-AM-ALIVE", Role::Message),
            ("suspect", Role::Other),
            ("suspect, and the timeout grows", Role::Other),
            ("stop suspecting", Role::Other),
            ("reply received", Role::Other),
            ("discard", Role::Other),
            ("proceed", Role::Other),
            ("crash", Role::Fault),
        ];
        let there = named.into_iter().filter(|(_, role)| mortal || *role != Role::Fault);
        there.map(|(name, role)| ActionClass { name: name.to_string(), role }).collect()
    }

    /// A number for the step of process `me`, apart from those of all other steps that leave a state.
    pub(super) const fn code(self, me: Pid) -> u64 {
        let detail = match self {
            TimedAction::Take(q, message, age) => (q.index() * 2 + message as usize) * 16 + age as usize,
            _ => 0,
        };
        // Of the other deeds of a class a process has at most one in each state, but for Task1 and Task2
        // that both proceed.
        let second =
            matches!(self, TimedAction::Handle(..) | TimedAction::Proceed(_) | TimedAction::Release) as usize;
        ((detail * 2 + second) * 16 + self.class()) as u64 * PROCESSES as u64 + me.index() as u64
    }

    /// The step of process `me` in the notation of the figures.
    pub(super) fn label(self, me: Pid) -> String {
        let channel = |action: &str, from: Pid, to: Pid, message: Message| {
            format!("{action}_{}[{from}][{to}]", message.identifier())
        };
        match self {
            TimedAction::Tick => "one tick passes".to_string(),
            TimedAction::Begin => format!("{me}: Task1: initial to wait"),
            TimedAction::Ask(q) => channel("send", me, q, Message::AreYouAlive),
            TimedAction::Answer(q) => channel("send", me, q, Message::IAmAlive),
            TimedAction::AskCrashed(q) => {
                format!("{} to the crashed Task1", channel("send", me, q, Message::AreYouAlive))
            }
            TimedAction::AnswerCrashed(q) => {
                format!("{} to the crashed Task1", channel("send", me, q, Message::IAmAlive))
            }
            TimedAction::Answered(q) => format!("{me}: Task1: delay for {q} to initial"),
            TimedAction::Suspect(q) => format!("{me}: L[{me}][{q}]=true"),
            TimedAction::SuspectLonger(q) => format!("{me}: Delta[{me}][{q}]++, L[{me}][{q}]=true"),
            TimedAction::Take(q, message, _) => channel("rcv", q, me, message),
            TimedAction::Handle(..) => format!("{me}: Task2: wait to case"),
            TimedAction::Proceed(place) => format!("{me}: Task2: to {}", place.name()),
            TimedAction::Release => format!("{me}: Task2: replySent to initial"),
            TimedAction::Received(_) => format!("{me}: received[{me}]=true"),
            TimedAction::Discard(q) => format!("{me}: I-AM-ALIVE of {q} discarded"),
            TimedAction::Trust(q) => format!("{me}: stopSuspect({q},target[{me}])"),
            TimedAction::Crash => format!("crash[{me}]"),
        }
    }
}
