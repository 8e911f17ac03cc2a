//! Protocols made at random: every reaction is drawn from a hash of what a process can see. What it can
//! see is limited to what survives a renaming, so that a protocol can be made symmetric on purpose.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Pack, Pid, Promises, Protocol, Reception, SelectiveReceive, Slot, Suspicion,
    Symmetry,
};

/// A protocol that a seed decides; a selective one also leaves messages lying as the seed decides.
#[derive(Clone, Debug)]
pub(crate) struct Random<const SELECTIVE: bool = false> {
    pub(crate) seed: u64,
    pub(crate) n: usize,
    pub(crate) symmetry: Symmetry,
    /// What one unit of its durations is: twice as much is the same protocol on a clock twice as fine.
    pub(crate) unit: u32,
    /// How often a process reacts before it falls silent; `None` if it never does. What falls silent is
    /// livelier before.
    pub(crate) life: Option<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub(crate) struct Mind {
    pub(crate) mood: u8,
    pub(crate) friend: Pid,
    pub(crate) age: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Word {
    #[kind("HELLO")]
    Hello,
    #[kind("MEET")]
    Meet(Pid),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub(crate) enum Bell {
    Morning,
    Evening,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Order {
    #[kind("befriend")]
    Befriend(Pid),
    #[kind("cheer")]
    Cheer,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Sigh {
    #[kind("sighs")]
    Sighs(u8),
}

/// A stream of draws from what is mixed into it.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A stream of its own, so that what is drawn from it does not change what is drawn from this one.
    pub(crate) fn aside(&self) -> Dice {
        Dice(self.0 ^ 0x5bf0_3635_dce0_9a1b)
    }

    pub(crate) fn mix(&mut self, value: u64) -> &mut Dice {
        self.0 ^= value.wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.roll(2);
        self
    }

    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % sides
    }
}

/// A bound of any kind: exact or not, from now on or later, with an end or without, of no duration at all.
pub(crate) fn bound(dice: &mut Dice, unit: u32) -> Bound {
    let lo = unit * dice.roll(3) as u32;
    match dice.roll(8) {
        0 => Bound::at_least(lo),
        1..4 => Bound::exactly(lo),
        _ => Bound::new(lo, lo + unit * dice.roll(3) as u32).expect("an interval"),
    }
}

impl<const SELECTIVE: bool> Random<SELECTIVE> {
    /// How `me` sees another process: all there is to see without symmetry, the distance in a ring, or only
    /// whether it is itself.
    fn observation(&self, me: Pid, other: Pid) -> u64 {
        match self.symmetry {
            Symmetry::None => (me.index() * 64 + other.index()) as u64,
            Symmetry::Rotations => ((other.index() + self.n - me.index()) % self.n) as u64,
            Symmetry::Full => u64::from(me == other),
            Symmetry::FixingAll(_) => unreachable!("not used by the tests"),
            Symmetry::Fixing(p) => {
                u64::from(me == other) | u64::from(me == p) << 1 | u64::from(other == p) << 2
            }
        }
    }

    /// A process that `me` can name: one of those at hand, or any other one, which a pick decides.
    fn someone(&self, me: Pid, dice: &mut Dice, at_hand: &[Pid], fx: &mut impl Effects<Self>) -> Pid {
        match dice.roll(at_hand.len() as u64 + 1) as usize {
            i if i < at_hand.len() => at_hand[i],
            _ => Pid::at((me.index() + 1 + fx.pick(self.n - 1)) % self.n),
        }
    }

    fn react(&self, me: Pid, mind: &mut Mind, dice: &mut Dice, at_hand: &[Pid], fx: &mut impl Effects<Self>) {
        let mut timing = dice.aside();
        for _ in 0..dice.roll(3) {
            let to = self.someone(me, dice, at_hand, fx);
            let about = self.someone(me, dice, at_hand, fx);
            if to != me {
                let word = if dice.roll(2) == 0 { Word::Hello } else { Word::Meet(about) };
                if timing.roll(2) == 0 { fx.reply(to, word) } else { fx.send(to, word) }
            }
        }
        for bell in [Bell::Morning, Bell::Evening] {
            match dice.roll(5) {
                0 => fx.arm(bell, bound(&mut timing, self.unit)),
                1 => fx.disarm(bell),
                2 | 3 if self.life.is_some() => fx.arm(bell, bound(&mut timing, self.unit)),
                _ => {}
            }
        }
        if dice.roll(3) == 0 {
            fx.emit(Sigh::Sighs(mind.mood));
        }
        mind.mood = dice.roll(2) as u8;
        if dice.roll(3) == 0 {
            mind.friend = self.someone(me, dice, at_hand, fx);
        }
    }
}

impl<const SELECTIVE: bool> Protocol for Random<SELECTIVE> {
    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> =
        if SELECTIVE { Some(Self::reception) } else { None };

    type State = Mind;
    type Msg = Word;
    type Timer = Bell;
    type Call = Order;
    type Output = Sigh;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Mind {
        let mut mind = Mind { mood: 0, friend: me, age: 0 };
        let mut dice = Dice::new(self.seed);
        dice.mix(self.observation(me, me));
        fx.arm(Bell::Morning, Bound::exactly(2 * self.unit));
        self.react(me, &mut mind, &mut dice, &[me], fx);
        mind
    }

    fn step(&self, me: Pid, mind: &mut Mind, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Some(life) = self.life {
            if mind.age >= life {
                return;
            }
            mind.age += 1;
        }
        let mut dice = Dice::new(self.seed);
        dice.mix(u64::from(mind.mood)).mix(self.observation(me, mind.friend));
        let friend = mind.friend;
        match input {
            Input::Receive { from, msg: Word::Hello } => {
                dice.mix(1).mix(self.observation(me, from)).mix(u64::from(from == friend));
                self.react(me, mind, &mut dice, &[friend, from], fx);
            }
            Input::Receive { from, msg: Word::Meet(third) } => {
                dice.mix(2).mix(self.observation(me, from)).mix(self.observation(me, *third));
                dice.mix(u64::from(from == friend) + 2 * u64::from(*third == friend));
                self.react(me, mind, &mut dice, &[friend, from, *third], fx);
            }
            Input::Fire(bell) => {
                dice.mix(3).mix(bell.index() as u64);
                self.react(me, mind, &mut dice, &[friend], fx);
            }
            Input::Call(Order::Befriend(other)) => {
                dice.mix(4).mix(self.observation(me, *other));
                self.react(me, mind, &mut dice, &[friend, *other], fx);
            }
            Input::Call(Order::Cheer) => {
                dice.mix(5);
                self.react(me, mind, &mut dice, &[friend], fx);
            }
            // Sometimes nothing comes of it, and never more than a change of mood of the end of a suspicion, so
            // that a suspicion with its end has no more choices than any other step.
            Input::Notice(Suspicion::Suspect(whom)) => {
                dice.mix(6).mix(self.observation(me, whom)).mix(u64::from(whom == friend));
                if dice.roll(3) > 0 {
                    self.react(me, mind, &mut dice, &[friend, whom], fx);
                }
            }
            Input::Notice(Suspicion::Trust(whom)) => {
                dice.mix(7).mix(self.observation(me, whom)).mix(u64::from(whom == friend));
                mind.mood ^= dice.roll(2) as u8;
            }
        }
    }
}

impl<const SELECTIVE: bool> Random<SELECTIVE> {
    fn reception(&self, me: Pid, mind: &Mind, from: Pid, msg: &Word) -> Reception {
        let mut dice = Dice::new(!self.seed);
        dice.mix(u64::from(mind.mood)).mix(self.observation(me, from)).mix(u64::from(from == mind.friend));
        if let Word::Meet(third) = msg {
            dice.mix(1).mix(self.observation(me, *third));
        }
        match dice.roll(5) {
            0 => Reception::Discarded,
            1 => Reception::Deferred,
            _ => Reception::Accepted,
        }
    }
}

impl<const SELECTIVE: bool> Promises for Random<SELECTIVE> {
    fn symmetry(&self) -> Symmetry {
        self.symmetry
    }
}
