//! A protocol that follows a few rules and keeps a diary, so that the orders in which things can happen are
//! the states that can be reached. Scripts are short enough to be worked out by hand.

use super::reach::{Reached, exact};
use crate::{Network, Scenario, Timing, TypedWorld, WorldTime};
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, Effects, Input, Kind, Never, Pack, Pid, Promises, Protocol, Slot};

/// What each process does when, by its number; whatever no rule names is only written down.
#[derive(Clone, Debug)]
pub(crate) struct Script(pub(crate) Vec<(usize, On, Vec<Do>)>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum On {
    Start,
    Fire(Hand),
    Get(Letter),
    Asked,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Do {
    Arm(Hand, Bound),
    Send(usize, Letter),
    Reply(usize, Letter),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub(crate) enum Hand {
    A,
    B,
    C,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Letter {
    X,
    Y,
    Z,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Please {
    Please,
}

/// What has happened to a process: A for a timer, x for a message, ? for a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub(crate) struct Diary(Vec<u8>);

impl Script {
    fn transition(&self, me: Pid, on: On, fx: &mut impl Effects<Self>) {
        for (_, _, list) in self.0.iter().filter(|(process, when, _)| *process == me.index() && *when == on) {
            for what in list {
                match *what {
                    Do::Arm(hand, bound) => fx.arm(hand, bound),
                    Do::Send(to, letter) => fx.send(Pid::at(to), letter),
                    Do::Reply(to, letter) => fx.reply(Pid::at(to), letter),
                }
            }
        }
    }
}

impl Protocol for Script {
    type State = Diary;
    type Msg = Letter;
    type Timer = Hand;
    type Call = Please;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Diary {
        self.transition(me, On::Start, fx);
        Diary(Vec::new())
    }

    fn step(&self, me: Pid, diary: &mut Diary, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let (on, entry) = match input {
            Input::Fire(hand) => (On::Fire(hand), b'A' + hand.index() as u8),
            Input::Receive { msg, .. } => (On::Get(*msg), b'x' + msg.kind() as u8),
            Input::Call(_) => (On::Asked, b'?'),
            Input::Notice(_) => return,
        };
        diary.0.push(entry);
        self.transition(me, on, fx);
    }
}

impl Promises for Script {}

/// A bound that is none of the other kinds.
pub(crate) fn between(lo: u32, hi: u32) -> Bound {
    Bound::new(lo, hi).expect("an interval")
}

/// Two processes with these channels.
pub(crate) fn scenario(channel: &str, time: WorldTime) -> Scenario {
    let network = Network::default().with_channel(channel.parse().expect("a channel"));
    Scenario { network, time, ..Scenario::new(2) }
}

/// A script in a world of two processes.
pub(crate) fn world(script: &Script, channel: &str, time: WorldTime) -> TypedWorld<Script> {
    TypedWorld::new(script.clone(), scenario(channel, time)).expect("a world")
}

/// A script in ticks and in dense time.
pub(crate) fn both(script: &Script, channel: &str, timing: Timing) -> [TypedWorld<Script>; 2] {
    [WorldTime::Ticks(timing), WorldTime::Dense(timing)].map(|time| world(script, channel, time))
}

/// All that a small world reaches.
pub(crate) fn all(world: &TypedWorld<Script>) -> Reached {
    exact(world, 10_000).expect("a small world")
}

/// The diaries of the two processes in a row, as in `Ax|`.
pub(crate) fn diaries(world: &TypedWorld<Script>, row: &[u32]) -> String {
    let state = world.global(row);
    let diary = |p| state.state(Pid::at(p)).map_or("dead".into(), |diary| text(&diary.0));
    format!("{}|{}", diary(0), diary(1))
}

/// All diaries that are reached.
pub(crate) fn written(world: &TypedWorld<Script>) -> BTreeSet<String> {
    all(world).rows.iter().map(|row| diaries(world, row)).collect()
}

fn text(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}
