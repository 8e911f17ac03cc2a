//! Timed scenarios drawn at random, each to be built in all three time models. Everything that a scenario
//! can say has its turn: a draw decides nothing by what a time model can do.

use crate::tests::random::{Dice, Order as Ask, Random, bound};
use crate::{
    ANY_NUMBER, Delay, DeliveryOrder, Faults, Lanes, Network, Scenario, Timing, TypedWorld, WorldTime,
};
use watchkeeper_core::{Bound, Pid, ProcSet, Symmetry};

/// A protocol and what surrounds it, but for the time model.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) protocol: Random,
    pub(crate) network: Network,
    pub(crate) faults: Faults,
    pub(crate) timing: Timing,
    pub(crate) calls: Vec<(Pid, Ask, u32)>,
}

impl Draw {
    /// What a seed says.
    pub(crate) fn new(seed: u64, symmetry: Symmetry) -> Draw {
        let mut dice = Dice::new(seed);
        dice.mix(0x0071_31ed);
        let n = if dice.roll(12) == 0 { 3 } else { 2 };
        let timing = timing(&mut dice);
        let round_trip = matches!(timing.delay, Delay::RoundTrip(_));
        // A round trip and channels that block do not go together.
        let channels = ["drop:1", "drop:2", "report:1", "unbounded:2", "unbounded:3", "block:1", "block:2"];
        let choices = if round_trip { 5 } else { 7 };
        let network = Network {
            order: if dice.roll(2) == 0 { DeliveryOrder::AnyOrder } else { DeliveryOrder::Fifo },
            lanes: if dice.roll(2) == 0 { Lanes::PerPair } else { Lanes::PerKind },
            losses: [0, 0, 1, ANY_NUMBER][dice.roll(4) as usize],
            duplications: [0, 0, 0, 1][dice.roll(4) as usize],
            ..Network::default()
        };
        let network = network.with_channel(channels[dice.roll(choices) as usize].parse().expect("a channel"));
        let everyone = dice.roll(2) == 0 || symmetry != Symmetry::None;
        let faults = Faults {
            crashable: if everyone { ProcSet::first(n) } else { ProcSet::only(Pid::at(1)) },
            crashes: u32::from(dice.roll(3) == 0),
            crashed_at_start: if dice.roll(12) == 0 { ProcSet::only(Pid::at(0)) } else { ProcSet::EMPTY },
            recoveries: [0, 0, 1, ANY_NUMBER][dice.aside().roll(4) as usize],
            crash_loses: false,
        };
        let calls = match dice.roll(4) {
            0 => vec![(Pid::at(1), Ask::Befriend(Pid::at(0)), 1)],
            1 => Pid::all(n).map(|p| (p, Ask::Cheer, 1)).collect(),
            _ => Vec::new(),
        };
        // What can go wrong makes worlds larger, and so does a long life.
        let wrong = [network.losses > 0, network.duplications > 0, faults.crashes > 0, !calls.is_empty()];
        let again = faults.recoveries > 0 && (faults.crashes > 0 || !faults.crashed_at_start.is_empty());
        let short = n == 3 || again || wrong.iter().filter(|&&it| it).count() > 1;
        let life = (dice.roll(16) > 0).then_some(if short { 1 } else { 2 });
        let protocol = Random { seed: dice.roll(u64::MAX), n, symmetry, unit: 1, life };
        Draw { protocol, network, faults, timing, calls }
    }

    /// The same with processes that react only once, for a world with an observer in it.
    pub(crate) fn brief(&self) -> Draw {
        let mut brief = self.clone();
        brief.protocol.life = Some(1);
        brief
    }

    /// The same with due deliveries first.
    pub(crate) fn deliveries_first(&self) -> Draw {
        Draw { timing: self.timing.deliveries_first(), ..self.clone() }
    }

    /// The same on a finer clock: `units` to what was one.
    pub(crate) fn finer(&self, units: u32) -> Draw {
        let mut finer = self.clone();
        finer.protocol.unit *= units;
        let scaled = |bound: Bound| match bound.hi() {
            Some(hi) => Bound::new(bound.lo() * units, hi * units).expect("an interval"),
            None => Bound::at_least(bound.lo() * units),
        };
        finer.timing.delay = match self.timing.delay {
            Delay::PerMessage(bound) => Delay::PerMessage(scaled(bound)),
            Delay::RoundTrip(most) => Delay::RoundTrip(most * units),
        };
        finer.timing.processing = scaled(self.timing.processing);
        finer
    }

    /// The world in which time does not pass.
    pub(crate) fn untimed(&self) -> Option<TypedWorld<Random>> {
        self.world(WorldTime::Untimed)
    }

    /// The world in ticks.
    pub(crate) fn ticks(&self) -> Option<TypedWorld<Random>> {
        self.world(WorldTime::Ticks(self.timing))
    }

    /// The world in dense time.
    pub(crate) fn dense(&self) -> Option<TypedWorld<Random>> {
        self.world(WorldTime::Dense(self.timing))
    }

    /// `None` if a channel without a limit is too small for what is sent at the start.
    pub(crate) fn world(&self, time: WorldTime) -> Option<TypedWorld<Random>> {
        let Draw { protocol, network, faults, calls, .. } = self.clone();
        let world = TypedWorld::new(
            protocol.clone(),
            Scenario { n: protocol.n, network, faults, time, oracle: None },
        )
        .ok()?;
        Some(world.with_calls(calls).expect("calls to those who exist"))
    }
}

fn timing(dice: &mut Dice) -> Timing {
    let delay = match dice.roll(3) {
        0 => Delay::RoundTrip(dice.roll(4) as u32),
        _ => Delay::PerMessage(bound(dice, 1)),
    };
    let processing = match (delay, dice.roll(3)) {
        (Delay::PerMessage(_), 0) => bound(dice, 1),
        _ => Bound::exactly(0),
    };
    Timing { delay, processing, ..Timing::per_message(Bound::exactly(0)) }
}
