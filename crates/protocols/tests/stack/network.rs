//! Whole systems on a network that loses, duplicates and reorders, in simulated time, the same for the same
//! seed.

use crate::script::{Asked, Effect, start, step};
use watchkeeper_core::{Input, Pid, ProcSet, Protocol, Slot, Suspicion, packed, unpacked};

/// Numbers that look random (SplitMix64, G. Steele, D. Lea and C. Flood, 2014).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound
    }
}

/// How bad the network is: of a hundred messages so many are lost, so many of the rest come twice, and each
/// copy takes between 1 and `slowest`.
#[derive(Clone, Copy)]
pub struct Weather {
    pub lost: u64,
    pub twice: u64,
    pub slowest: u64,
}

/// `n` processes and what is on its way.
pub struct System<P: Protocol> {
    protocol: P,
    pub states: Vec<P::State>,
    pub down: ProcSet,
    pub weather: Weather,
    pub now: u64,
    /// What each process has announced.
    pub announced: Vec<Vec<P::Output>>,
    /// How many messages were given to the network.
    pub sent: usize,
    wire: Vec<(u64, Pid, Pid, P::Msg)>,
    timers: Vec<Vec<Option<u64>>>,
    dice: Dice,
}

impl<P: Protocol> System<P> {
    pub fn new(protocol: P, n: usize, weather: Weather, seed: u64) -> System<P> {
        let mut system = System {
            protocol,
            states: Vec::new(),
            down: ProcSet::EMPTY,
            weather,
            now: 0,
            announced: vec![Vec::new(); n],
            sent: 0,
            wire: Vec::new(),
            timers: vec![vec![None; P::Timer::COUNT]; n],
            dice: Dice(seed),
        };
        for me in Pid::all(n) {
            let (state, asked) = start(&system.protocol, me);
            system.states.push(state);
            system.take_up(me, asked);
        }
        system
    }

    pub fn call(&mut self, me: Pid, call: P::Call) {
        self.give(me, Input::Call(&call));
    }

    pub fn notice(&mut self, me: Pid, change: Suspicion) {
        self.give(me, Input::Notice(change));
    }

    pub fn crash(&mut self, me: Pid) {
        self.down.insert(me);
        self.timers[me.index()].fill(None);
    }

    /// Whether nothing can happen any more.
    pub fn is_silent(&self) -> bool {
        self.wire.is_empty() && self.timers.iter().flatten().all(Option::is_none)
    }

    /// Lets the next thing happen; `false` if there is none.
    pub fn turn(&mut self) -> bool {
        let message = (0..self.wire.len()).map(|place| (self.wire[place].0, place)).min();
        let armed = |me: usize| self.timers[me].iter().enumerate().map(move |(slot, due)| (*due, me, slot));
        let timer =
            (0..self.timers.len()).flat_map(armed).filter_map(|(due, me, slot)| Some((due?, me, slot))).min();
        match (message, timer) {
            (None, None) => return false,
            (Some((due, place)), timer) if timer.is_none_or(|(fires, ..)| due <= fires) => {
                self.now = due;
                let (_, from, to, msg) = self.wire.swap_remove(place);
                self.give(to, Input::Receive { from, msg: &msg });
            }
            (_, Some((due, me, slot))) => {
                self.now = due;
                self.timers[me][slot] = None;
                let timer = P::Timer::from_index(slot).expect("only slots that exist are armed");
                self.give(Pid::at(me), Input::Fire(timer));
            }
            (Some(_), None) => unreachable!("a message that is due before no timer"),
        }
        true
    }

    fn give(&mut self, me: Pid, input: Input<'_, P>) {
        if self.down.contains(me) {
            return;
        }
        let asked = step(&self.protocol, me, &mut self.states[me.index()], input);
        let bytes = packed(&self.states[me.index()]);
        assert_eq!(
            unpacked::<P::State>(&bytes).as_ref(),
            Ok(&self.states[me.index()]),
            "states go through bytes"
        );
        self.take_up(me, asked);
    }

    fn take_up(&mut self, me: Pid, asked: Asked<P>) {
        for effect in asked {
            match effect {
                Effect::Send(to, msg) | Effect::Reply(to, msg) => self.send(me, to, msg),
                Effect::Arm(timer, bound) => {
                    self.timers[me.index()][timer.index()] = Some(self.now + u64::from(bound.lo()));
                }
                Effect::Disarm(timer) => self.timers[me.index()][timer.index()] = None,
                Effect::Emit(output) => self.announced[me.index()].push(output),
            }
        }
    }

    fn send(&mut self, from: Pid, to: Pid, msg: P::Msg) {
        self.sent += 1;
        if self.dice.below(100) < self.weather.lost {
            return;
        }
        let copies = if self.dice.below(100) < self.weather.twice { 2 } else { 1 };
        for _ in 0..copies {
            let due = self.now + 1 + self.dice.below(self.weather.slowest);
            self.wire.push((due, from, to, msg.clone()));
        }
    }
}

impl<P: Protocol> System<P> {
    /// A number below `bound`, from the same dice as everything else.
    pub fn throw(&mut self, bound: u64) -> u64 {
        self.dice.below(bound)
    }
}
