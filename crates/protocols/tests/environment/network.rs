//! All processes of a protocol on a simulated network, in simulated time: it loses, duplicates, reorders and comes apart
//! as told, makes the choices of the protocol, and is the same for the same seed. Nothing here waits, and nothing reads a clock.

use crate::effects::{Effect, EffectsOf, start_with, step_with};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use watchkeeper_core::{Input, Pid, ProcSet, Protocol, Slot, Suspicion, packed, unpacked};

/// Numbers that look random (SplitMix64, G. Steele, D. Lea and C. Flood, OOPSLA 2014).
pub struct Dice(pub u64);

impl Dice {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound
    }

    /// The number of a process, or of anything that is counted.
    pub fn index(&mut self, count: usize) -> usize {
        self.below(count as u64) as usize
    }
}

/// How bad the network is: of a hundred messages so many are lost, so many of the rest arrive twice, and each copy takes
/// a time in `delay`.
#[derive(Clone, Debug)]
pub struct Conditions {
    pub lost: u64,
    pub twice: u64,
    pub delay: RangeInclusive<u64>,
}

impl Conditions {
    /// A network that loses nothing, with this delay.
    pub fn reliable(delay: RangeInclusive<u64>) -> Conditions {
        Conditions { lost: 0, twice: 0, delay }
    }
}

/// A message on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InFlight<M> {
    pub due: u64,
    pub from: Pid,
    pub to: Pid,
    pub msg: M,
}

/// `n` processes and what is on its way between them.
pub struct Network<P: Protocol> {
    pub protocol: P,
    pub states: Vec<P::State>,
    pub down: ProcSet,
    pub conditions: Conditions,
    /// Who can reach whom: processes with the same number.
    pub sides: Vec<u64>,
    pub now: u64,
    /// What processes have announced, first to last.
    pub announced: Vec<(Pid, P::Output)>,
    /// How many messages were given to the network.
    pub sent: usize,
    pub in_flight: Vec<InFlight<P::Msg>>,
    pub dice: Dice,
    /// Whether each state goes through its bytes, which must give it again.
    pub packs: bool,
    timers: BTreeMap<(Pid, usize), u64>,
}

impl<P: Protocol> Network<P> {
    pub fn new(protocol: P, n: usize, conditions: Conditions, seed: u64) -> Network<P> {
        let mut network = Network {
            protocol,
            states: Vec::new(),
            down: ProcSet::EMPTY,
            conditions,
            sides: vec![0; n],
            now: 0,
            announced: Vec::new(),
            sent: 0,
            in_flight: Vec::new(),
            dice: Dice(seed),
            packs: true,
            timers: BTreeMap::new(),
        };
        for me in Pid::all(n) {
            let (state, effects) = network.started(me);
            network.states.push(state);
            network.carry_out(me, effects);
        }
        network
    }

    pub fn call(&mut self, me: Pid, call: P::Call) {
        self.give(me, Input::Call(&call));
    }

    pub fn notice(&mut self, me: Pid, change: Suspicion) {
        self.give(me, Input::Notice(change));
    }

    pub fn crash(&mut self, me: Pid) {
        self.down.insert(me);
        self.timers.retain(|(of, _), _| *of != me);
    }

    /// A process that is down starts again, and remembers nothing.
    pub fn restart(&mut self, me: Pid) {
        self.down.remove(me);
        self.in_flight.retain(|message| message.to != me);
        let (state, effects) = self.started(me);
        self.states[me.index()] = state;
        self.carry_out(me, effects);
    }

    /// What a process has announced.
    pub fn announced_by(&self, me: Pid) -> Vec<P::Output> {
        self.announced.iter().filter(|(by, _)| *by == me).map(|(_, output)| output.clone()).collect()
    }

    /// Whether nothing can happen any more.
    pub fn is_silent(&self) -> bool {
        self.in_flight.is_empty() && self.timers.is_empty()
    }

    /// The message at this place arrives now.
    pub fn deliver(&mut self, place: usize) {
        let InFlight { from, to, msg, .. } = self.in_flight.swap_remove(place);
        self.give(to, Input::Receive { from, msg: &msg });
    }

    /// Lets the next thing happen; `false` if there is none.
    pub fn turn(&mut self) -> bool {
        self.turn_by(u64::MAX)
    }

    /// Lets everything happen up to and at this time.
    pub fn run_until(&mut self, time: u64) {
        while self.turn_by(time) {}
        self.now = self.now.max(time);
    }

    /// Lets the next thing happen, unless it is later than this. At one moment messages arrive before timers fire.
    fn turn_by(&mut self, latest: u64) -> bool {
        let message = self.in_flight.iter().enumerate().map(|(place, it)| (it.due, place)).min();
        let timer = self.timers.iter().map(|(&(me, slot), &due)| (due, me, slot)).min();
        let fires = timer.map_or(u64::MAX, |(due, ..)| due);
        match (message, timer) {
            (Some((due, place)), _) if due <= fires && due <= latest => {
                self.now = self.now.max(due);
                self.deliver(place);
            }
            (_, Some((due, me, slot))) if due <= latest => {
                self.now = self.now.max(due);
                self.timers.remove(&(me, slot));
                let timer = P::Timer::from_index(slot).expect("only slots that exist are armed");
                self.give(me, Input::Fire(timer));
            }
            _ => return false,
        }
        true
    }

    /// A process that is up takes an input.
    pub fn give(&mut self, me: Pid, input: Input<'_, P>) {
        if self.down.contains(me) {
            return;
        }
        let (state, dice) = (&mut self.states[me.index()], &mut self.dice);
        let effects = step_with(&self.protocol, me, state, input, &mut |ways| dice.index(ways));
        if self.packs {
            assert_eq!(unpacked::<P::State>(&packed(state)).as_ref(), Ok(&*state), "states go through bytes");
        }
        self.carry_out(me, effects);
    }

    fn started(&mut self, me: Pid) -> (P::State, EffectsOf<P>) {
        let dice = &mut self.dice;
        start_with(&self.protocol, me, &mut |ways| dice.index(ways))
    }

    fn carry_out(&mut self, me: Pid, effects: EffectsOf<P>) {
        for effect in effects {
            match effect {
                Effect::Send(to, msg) | Effect::Reply(to, msg) => self.send(me, to, msg),
                Effect::Arm(timer, bound) => {
                    self.timers.insert((me, timer.index()), self.now + u64::from(bound.lo()));
                }
                Effect::Disarm(timer) => {
                    self.timers.remove(&(me, timer.index()));
                }
                Effect::Emit(output) => self.announced.push((me, output)),
            }
        }
    }

    /// Puts a message on its way, as often as the conditions say.
    pub fn send(&mut self, from: Pid, to: Pid, msg: P::Msg) {
        self.sent += 1;
        let apart = self.sides[from.index()] != self.sides[to.index()];
        if self.dice.below(100) < self.conditions.lost || apart {
            return;
        }
        let copies = if self.dice.below(100) < self.conditions.twice { 2 } else { 1 };
        for _ in 0..copies {
            let (least, most) = (*self.conditions.delay.start(), *self.conditions.delay.end());
            let due = self.now + least + self.dice.below(most - least + 1);
            self.in_flight.push(InFlight { due, from, to, msg: msg.clone() });
        }
    }
}
