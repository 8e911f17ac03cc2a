//! All processes of a heartbeat protocol together, with messages, timers and deadlines that count down tick
//! by tick. Who plays it decides what happens at each moment; it refuses what cannot happen then.

use crate::script::{Effect, Event, start, step};
use std::collections::BTreeMap;
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pid, ProcSet};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatCall, HeartbeatMsg, HeartbeatObserver, HeartbeatObserverState, HeartbeatOutput,
    HeartbeatState, HeartbeatTimer,
};

/// A message on its way, and how long it may still be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flight {
    pub from: Pid,
    pub to: Pid,
    pub msg: HeartbeatMsg,
    pub left: u32,
}

/// What a moment of a run consists of. Equal moments have equal futures.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Moment {
    pub states: Vec<HeartbeatState>,
    /// What is left until each armed timer fires.
    pub timers: BTreeMap<(Pid, HeartbeatTimer), u32>,
    /// In order, so that equal moments are equal.
    pub flights: Vec<Flight>,
    pub crashed: ProcSet,
    pub seen: HeartbeatObserverState,
    /// What is left of each deadline.
    deadlines: BTreeMap<usize, u32>,
}

/// A protocol, a requirement that is asked of it, and a moment of a run.
#[derive(Clone, Debug)]
pub struct Play {
    pub heartbeat: Heartbeat,
    pub monitor: HeartbeatObserver,
    pub moment: Moment,
    now: u32,
}

impl Play {
    pub fn new(heartbeat: Heartbeat, monitor: HeartbeatObserver) -> Play {
        let mut orders = Deadlines::default();
        let seen = monitor.start(&mut orders);
        let moment = Moment {
            states: Vec::new(),
            timers: BTreeMap::new(),
            flights: Vec::new(),
            crashed: ProcSet::EMPTY,
            seen,
            deadlines: BTreeMap::new(),
        };
        let mut play = Play { heartbeat, monitor, moment, now: 0 };
        play.obey(&orders);
        for me in Pid::all(heartbeat.processes()) {
            let (state, effects) = start(&heartbeat, me);
            play.moment.states.push(state);
            play.carry_out(me, effects, None);
        }
        play
    }

    /// Whether time can pass: nothing must happen now.
    pub fn can_tick(&self) -> bool {
        self.moment.timers.values().all(|left| *left > 0) && self.moment.flights.iter().all(|f| f.left > 0)
    }

    /// One unit of time passes.
    pub fn tick(&mut self) -> &mut Play {
        assert!(self.can_tick(), "something must happen at {} first: {:?}", self.now, self.moment);
        self.now += 1;
        self.moment.timers.values_mut().for_each(|left| *left -= 1);
        self.moment.flights.iter_mut().for_each(|flight| flight.left -= 1);
        self.moment.deadlines.values_mut().for_each(|left| *left -= 1);
        while let Some((&deadline, _)) = self.moment.deadlines.iter().find(|(_, left)| **left == 0) {
            self.moment.deadlines.remove(&deadline);
            let mut orders = Deadlines::default();
            self.monitor.expired(&mut self.moment.seen, deadline, &mut orders);
            self.obey(&orders);
        }
        self
    }

    /// Time passes up to this moment.
    pub fn at(&mut self, time: u32) -> &mut Play {
        while self.now < time {
            self.tick();
        }
        assert_eq!(self.now, time);
        self
    }

    /// A timer that is due fires.
    pub fn fire(&mut self, me: Pid, timer: HeartbeatTimer) -> &mut Play {
        assert_eq!(
            self.moment.timers.remove(&(me, timer)),
            Some(0),
            "{timer:?} of {me} is due at {}",
            self.now
        );
        self.see(&Observation::Fired { by: me, timer });
        self.react(me, Event::Fire(timer), None);
        self
    }

    /// The message on this way that has been on it longest arrives.
    pub fn deliver(&mut self, from: Pid, to: Pid) -> &mut Play {
        self.arrive(self.oldest(from, to))
    }

    /// The message at this place arrives.
    pub fn arrive(&mut self, place: usize) -> &mut Play {
        let Flight { from, to, msg, left } = self.moment.flights.remove(place);
        if !self.moment.crashed.contains(to) {
            self.see(&Observation::Received { by: to, from, msg: &msg });
            self.react(to, Event::Receive(from, msg), Some(left));
        }
        self
    }

    /// The message on this way that has been on it longest is lost.
    pub fn lose(&mut self, from: Pid, to: Pid) -> &mut Play {
        self.vanish(self.oldest(from, to))
    }

    /// The message at this place is lost.
    pub fn vanish(&mut self, place: usize) -> &mut Play {
        let Flight { from, to, msg, .. } = self.moment.flights.remove(place);
        self.see(&Observation::Lost { from, to, msg: &msg });
        self
    }

    pub fn crash(&mut self, process: Pid) -> &mut Play {
        self.moment.crashed.insert(process);
        self.moment.states[process.index()] = HeartbeatState::Inactive;
        self.moment.timers.retain(|(p, _), _| *p != process);
        self.see(&Observation::Crashed { process });
        self
    }

    pub fn leave(&mut self, me: Pid) -> &mut Play {
        self.see(&Observation::Called { by: me, call: &HeartbeatCall::Leave });
        self.react(me, Event::Leave, None);
        self
    }

    pub fn judgement(&self) -> Judgement {
        self.monitor.judge(&self.moment.seen)
    }

    pub fn state(&self, me: Pid) -> &HeartbeatState {
        &self.moment.states[me.index()]
    }

    fn oldest(&self, from: Pid, to: Pid) -> usize {
        let on_this_way =
            self.moment.flights.iter().enumerate().filter(|(_, f)| f.from == from && f.to == to);
        on_this_way.min_by_key(|(_, f)| f.left).expect("a message on this way").0
    }

    fn react(&mut self, me: Pid, event: Event, budget: Option<u32>) {
        let effects = step(&self.heartbeat, me, &mut self.moment.states[me.index()], &event);
        self.carry_out(me, effects, budget);
    }

    /// A reply has what its request left of the time for both; everything else that is sent has all of it.
    fn carry_out(&mut self, me: Pid, effects: Vec<Effect>, budget: Option<u32>) {
        for effect in effects {
            match effect {
                Effect::Send(to, msg) => self.post(me, to, msg, self.heartbeat.tmin()),
                Effect::Reply(to, msg) => self.post(me, to, msg, budget.expect("an answer to a message")),
                Effect::Arm(timer, bound) => {
                    assert_eq!(bound.hi(), Some(bound.lo()), "timers are exact");
                    self.moment.timers.insert((me, timer), bound.lo());
                }
                Effect::Disarm(timer) => {
                    let armed = self.moment.timers.remove(&(me, timer));
                    assert!(armed.is_some(), "{timer:?} of {me} is disarmed for nothing");
                }
                Effect::Inactivated => {
                    self.see(&Observation::Emitted { by: me, output: &HeartbeatOutput::Inactivated });
                    let mut armed = self.moment.timers.keys();
                    assert!(armed.all(|(p, _)| *p != me), "who has stopped has no timers");
                }
            }
        }
    }

    fn post(&mut self, from: Pid, to: Pid, msg: HeartbeatMsg, left: u32) {
        self.see(&Observation::Sent { by: from, to, msg: &msg });
        self.moment.flights.push(Flight { from, to, msg, left });
        self.moment.flights.sort_unstable();
    }

    fn see(&mut self, observation: &Observation<'_, Heartbeat>) {
        let mut orders = Deadlines::default();
        self.monitor.see(&mut self.moment.seen, observation, &mut orders);
        self.obey(&orders);
    }

    /// A deadline runs out one tick after its bound.
    fn obey(&mut self, orders: &Deadlines) {
        for &(deadline, bound) in orders.orders() {
            match bound {
                Some(bound) => self.moment.deadlines.insert(deadline, bound + 1),
                None => self.moment.deadlines.remove(&deadline),
            };
        }
    }
}
