//! Protocols drawn at random: small tables of reactions, in which everything happens that a world can do, and around
//! them scenarios of all kinds. Everything follows from one number, so that a failure can be had again.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Pack, Pid, ProcSet, Promises, Protocol, Reception, SelectiveReceive, Slot,
    Suspicion,
};
use watchkeeper_world::{
    Capacity, DeliveryOrder, Faults, Lanes, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory,
    WhenFull,
};

/// A stream of draws from what is mixed into it.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub fn mix(mut self, value: u64) -> Dice {
        self.0 ^= value.wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.roll(2);
        self
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % sides
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.roll(one_in) == 0
    }
}

/// A protocol whose reactions are drawn. A selective one leaves some messages lying.
#[derive(Clone, Debug)]
pub struct Drawn<const SELECTIVE: bool> {
    pub n: usize,
    pub seed: u64,
    /// How many moods there are.
    pub moods: u64,
    /// After how many inputs a process falls silent; without an end it answers each message with at most one, and
    /// sends nothing else.
    pub fuel: Option<u8>,
    /// Whom each process may send to.
    pub links: Vec<ProcSet>,
    /// Whether it tells so.
    pub tells: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Mind {
    pub mood: u8,
    /// Bits that are never taken back.
    pub marks: u8,
    pub fuel: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Word {
    Yes,
    No,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum Bell {
    One,
    Two,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Ask {
    Please,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Cry {
    Oh,
    Ah,
}

impl<const SELECTIVE: bool> Drawn<SELECTIVE> {
    pub fn new(seed: u64) -> Drawn<SELECTIVE> {
        let mut dice = Dice::new(seed).mix(1);
        let n = 2 + dice.roll(2) as usize;
        let links = Pid::all(n).map(|p| {
            let bits = if dice.chance(3) { u64::MAX } else { dice.roll(8) };
            ProcSet::from_bits(bits).intersection(ProcSet::first(n)).without(p)
        });
        let links = links.collect();
        let moods = 2 + dice.roll(2);
        let fuel = if dice.chance(4) {
            None
        } else {
            Some(if n == 2 { 1 + dice.roll(3) as u8 } else { 1 + u8::from(dice.chance(4)) })
        };
        Drawn { n, seed, moods, fuel, links, tells: !dice.chance(3) }
    }

    fn react(&self, me: Pid, mind: &mut Mind, mut dice: Dice, sends: u64, fx: &mut impl Effects<Self>) {
        let mut peers: Vec<Pid> = self.links[me.index()].iter().collect();
        for _ in 0..dice.roll(sends + 1).min(peers.len() as u64 * 2) {
            let to = peers[dice.roll(peers.len() as u64) as usize];
            fx.send(to, if dice.chance(2) { Word::Yes } else { Word::No });
            if dice.chance(2) && peers.len() > 1 {
                peers.retain(|&p| p != to);
            }
        }
        for bell in [Bell::One, Bell::Two] {
            // Whoever never falls silent should be able to go on by itself.
            match (dice.roll(6), self.fuel) {
                (0, _) | (1..4, None) => fx.arm(bell, Bound::exactly(1)),
                (1, _) => fx.disarm(bell),
                _ => {}
            }
        }
        if dice.chance(3) {
            fx.emit(if dice.chance(2) { Cry::Oh } else { Cry::Ah });
        }
        if dice.chance(12) {
            mind.mood = fx.pick(2) as u8;
        } else {
            mind.mood = dice.roll(self.moods) as u8;
        }
        if dice.chance(3) {
            mind.marks |= 1 << dice.roll(2);
        }
    }
}

impl<const SELECTIVE: bool> Protocol for Drawn<SELECTIVE> {
    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> =
        if SELECTIVE { Some(Self::reception) } else { None };

    type State = Mind;
    type Msg = Word;
    type Timer = Bell;
    type Call = Ask;
    type Output = Cry;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Mind {
        let mut mind = Mind { mood: 0, marks: 0, fuel: self.fuel.unwrap_or(0) };
        let mut dice = Dice::new(self.seed).mix(2).mix(me.index() as u64);
        if dice.chance(2) {
            fx.arm(Bell::One, Bound::exactly(1));
        }
        self.react(me, &mut mind, dice, 2, fx);
        mind
    }

    fn step(&self, me: Pid, mind: &mut Mind, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if self.fuel.is_some() {
            if mind.fuel == 0 {
                return;
            }
            mind.fuel -= 1;
        }
        let dice = Dice::new(self.seed).mix(3).mix(me.index() as u64).mix(u64::from(mind.mood));
        let (dice, answers) = match input {
            Input::Receive { from, msg } => {
                let kind = u64::from(*msg == Word::Yes);
                (dice.mix(4).mix(from.index() as u64).mix(kind), 1)
            }
            Input::Fire(bell) => (dice.mix(5).mix(bell.index() as u64), 0),
            Input::Call(Ask::Please) => (dice.mix(6), 1),
            Input::Notice(Suspicion::Suspect(p)) => (dice.mix(7).mix(p.index() as u64), 0),
            Input::Notice(Suspicion::Trust(p)) => (dice.mix(8).mix(p.index() as u64), 0),
        };
        let sends = if self.fuel.is_some() { 2 } else { answers };
        self.react(me, mind, dice, sends, fx);
    }
}

impl<const SELECTIVE: bool> Drawn<SELECTIVE> {
    /// Never is said only by who has fallen silent, and stays so.
    fn reception(&self, me: Pid, mind: &Mind, from: Pid, msg: &Word) -> Reception {
        let mut dice = Dice::new(self.seed).mix(9).mix(me.index() as u64).mix(u64::from(mind.mood));
        dice = dice.mix(from.index() as u64).mix(u64::from(*msg == Word::Yes));
        match () {
            () if self.fuel.is_some() && mind.fuel == 0 => Reception::Discarded,
            () if dice.chance(3) => Reception::Deferred,
            () => Reception::Accepted,
        }
    }
}

impl<const SELECTIVE: bool> Promises for Drawn<SELECTIVE> {
    fn reaches(&self, me: Pid, mind: &Mind) -> ProcSet {
        match () {
            () if !self.tells => ProcSet::first(self.n),
            () if self.fuel.is_some() && mind.fuel == 0 => ProcSet::EMPTY,
            () => self.links[me.index()],
        }
    }
}

/// What surrounds a protocol of `n` processes.
pub fn scenario(seed: u64, n: usize, selective: bool, fuel: bool) -> Scenario {
    let mut dice = Dice::new(seed).mix(10);
    let all = ProcSet::first(n);
    let unbounded = selective || !dice.chance(3);
    let size = 1 + dice.roll(2) as u32;
    let capacity = if unbounded { Capacity::Unbounded { cap: 6 } } else { Capacity::Bounded(size) };
    let network = Network {
        order: if selective || dice.chance(4) { DeliveryOrder::AnyOrder } else { DeliveryOrder::Fifo },
        capacity,
        when_full: [WhenFull::Block, WhenFull::Drop, WhenFull::Report][dice.roll(3) as usize],
        lanes: if dice.chance(4) { Lanes::PerKind } else { Lanes::PerPair },
        losses: if dice.chance(6) { 1 } else { 0 },
        duplications: if dice.chance(12) { 1 } else { 0 },
    };
    let crashable = if dice.chance(2) { all } else { ProcSet::from_bits(1 + dice.roll(3)) };
    let crashed_at_start = if dice.chance(8) { ProcSet::only(Pid::at(0)) } else { ProcSet::EMPTY };
    let able = crashable.difference(crashed_at_start).len() as u64;
    let crashes = if dice.chance(2) { 0 } else { dice.roll(able + 1) as u32 };
    let faults = Faults {
        crashable,
        crashes,
        crashed_at_start,
        recoveries: if dice.chance(6) { 1 } else { 0 },
        crash_loses: dice.chance(6),
    };
    let oracle = (faults.recoveries == 0 && dice.chance(3)).then(|| oracle(&mut dice, fuel));
    Scenario { network, faults, oracle, ..Scenario::new(n) }
}

fn oracle(dice: &mut Dice, fuel: bool) -> Oracle {
    let accuracy = match dice.roll(6) {
        0 => OracleAccuracy::Weak,
        1 => OracleAccuracy::EventuallyWeak,
        2 => OracleAccuracy::None,
        3 => OracleAccuracy::EventuallyStrong,
        4 => OracleAccuracy::Strong { mistakes: 1 },
        _ => OracleAccuracy::Strong { mistakes: 0 },
    };
    let momentary = dice.chance(2) && accuracy != OracleAccuracy::Strong { mistakes: 1 };
    // Whoever never falls silent changes its mind for ever, and there are more states than the test has time for.
    let memory = if momentary || !fuel { SuspicionMemory::Momentary } else { SuspicionMemory::Lasting };
    match (accuracy, memory) {
        (OracleAccuracy::Strong { .. }, SuspicionMemory::Momentary) => {
            Oracle { accuracy: OracleAccuracy::Strong { mistakes: 0 }, memory }
        }
        _ => Oracle { accuracy, memory },
    }
}
