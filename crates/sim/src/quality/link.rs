//! The network between processes: how long each message takes and whether it arrives, drawn from distributions or taken from
//! a trace. What a link has to remember is kept for links that were used, and only where there is something to remember.

use super::trace::DelayTrace;
use crate::distribution::DelayDistribution;
use fastrand::Rng;
use std::collections::HashMap;
use std::sync::Arc;

/// Where delays come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DelaySource {
    /// Each is drawn for itself.
    Drawn(DelayDistribution),
    /// They come one after the other from a trace, which also says what is lost; each link begins at a random place of it.
    Trace(Arc<DelayTrace>),
}

/// A network whose links all behave alike.
#[derive(Clone, Debug)]
pub struct NetworkProfile {
    /// How long messages take.
    pub delay: DelaySource,
    /// The share of messages that are lost, each for itself.
    pub loss: f64,
    /// Losses that come in bursts, beside.
    pub burst: Option<BurstLoss>,
    /// Whether messages of a link never overtake each other.
    pub fifo: bool,
}

impl NetworkProfile {
    /// Whether the fate of a message on its way depends on nothing but how long it has been on its way.
    pub(super) fn is_memoryless(&self) -> Option<DelayDistribution> {
        match self.delay {
            DelaySource::Drawn(delay) if self.burst.is_none() && !self.fifo => Some(delay),
            _ => None,
        }
    }

    /// The longest delay; where there is none, the one that only this share of messages exceeds, and `false`.
    pub fn longest_delay(&self, share: f64) -> (u64, bool) {
        match &self.delay {
            DelaySource::Drawn(delay) => match delay.most() {
                Some(most) => (most, true),
                None => (delay.beyond(share), false),
            },
            DelaySource::Trace(trace) => (trace.longest(), true),
        }
    }
}

impl NetworkProfile {
    /// The shortest delay.
    pub fn shortest_delay(&self) -> u64 {
        match &self.delay {
            DelaySource::Drawn(delay) => delay.least(),
            DelaySource::Trace(trace) => trace.shortest(),
        }
    }

    /// The share of messages that are lost.
    pub fn lost_share(&self) -> f64 {
        let arrives = |loss: Option<f64>| 1.0 - loss.unwrap_or(0.0);
        let traced = match &self.delay {
            DelaySource::Drawn(_) => None,
            DelaySource::Trace(trace) => Some(trace.loss()),
        };
        1.0 - arrives(Some(self.loss)) * arrives(self.burst.map(|burst| burst.share())) * arrives(traced)
    }

    /// How long a message there and one back take together, but for this share of them: the quantile of 100,000 pairs that
    /// are drawn.
    pub fn round_trip(self: &Arc<NetworkProfile>, share: f64) -> u64 {
        const PAIRS: usize = 100_000;
        let (mut random, lossless) =
            (Rng::with_seed(1), NetworkProfile { loss: 0.0, burst: None, fifo: false, ..(**self).clone() });
        let mut links = Links::new(Arc::new(lossless));
        let mut times = Vec::with_capacity(PAIRS);
        // A trace may lose nearly everything, but not all.
        for _ in 0..64 * PAIRS {
            if times.len() == PAIRS {
                break;
            }
            let there = links.arrival((0, 1), 0, &mut random);
            let back = links.arrival((1, 0), 0, &mut random);
            times.extend(there.zip(back).map(|(there, back)| there + back));
        }
        times.sort_unstable();
        let place = ((1.0 - share) * times.len() as f64).ceil() as usize;
        times.get(place.saturating_sub(1)).copied().unwrap_or(0)
    }
}

/// The two states of Gilbert and Elliott: before each message a link may change between good and bad, and in each of them
/// it loses another share of its messages.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BurstLoss {
    /// The probability to turn bad, before each message.
    pub to_bad: f64,
    /// The probability to turn good again.
    pub to_good: f64,
    /// The share that is lost while it is good.
    pub loss_good: f64,
    /// The share that is lost while it is bad.
    pub loss_bad: f64,
}

impl BurstLoss {
    /// The share of messages that are lost in all.
    pub fn share(&self) -> f64 {
        let bad = self.bad();
        bad * self.loss_bad + (1.0 - bad) * self.loss_good
    }

    /// The share of messages that find their link bad.
    fn bad(&self) -> f64 {
        if self.to_bad == 0.0 { 0.0 } else { self.to_bad / (self.to_bad + self.to_good) }
    }
}

/// What a link remembers.
#[derive(Clone, Copy, Debug)]
struct LinkMemory {
    bad: bool,
    /// The place in the trace.
    place: usize,
    /// When the last message arrived.
    last: u64,
}

/// All links of a cluster.
#[derive(Clone, Debug)]
pub(super) struct Links {
    profile: Arc<NetworkProfile>,
    remembered: HashMap<(u32, u32), LinkMemory>,
    remembers: bool,
}

impl Links {
    pub(super) fn new(profile: Arc<NetworkProfile>) -> Links {
        let remembers =
            profile.burst.is_some() || profile.fifo || matches!(profile.delay, DelaySource::Trace(_));
        Links { profile, remembered: HashMap::new(), remembers }
    }

    pub(super) fn profile(&self) -> &NetworkProfile {
        &self.profile
    }

    /// When a message that is sent now arrives; `None` if it never does.
    pub(super) fn arrival(&mut self, ends: (u32, u32), now: u64, random: &mut Rng) -> Option<u64> {
        let profile = &*self.profile;
        let mut delay = match profile.delay {
            DelaySource::Drawn(delay) => Some(delay.draw(random)),
            DelaySource::Trace(_) => None,
        };
        let mut lost = profile.loss > 0.0 && random.f64() < profile.loss;
        if self.remembers {
            let memory = self.remembered.entry(ends).or_insert_with(|| LinkMemory::new(profile, random));
            if let Some(burst) = profile.burst {
                let turn = if memory.bad { burst.to_good } else { burst.to_bad };
                memory.bad ^= random.f64() < turn;
                lost |= random.f64() < if memory.bad { burst.loss_bad } else { burst.loss_good };
            }
            if let DelaySource::Trace(trace) = &profile.delay {
                delay = trace.at(memory.place);
                memory.place += 1;
            }
            let arrival = delay.filter(|_| !lost).map(|delay| now + delay);
            if profile.fifo
                && let Some(arrival) = arrival
            {
                memory.last = memory.last.max(arrival);
                return Some(memory.last);
            }
            return arrival;
        }
        delay.filter(|_| !lost).map(|delay| now + delay)
    }
}

impl LinkMemory {
    /// A link that has been there for ever.
    fn new(profile: &NetworkProfile, random: &mut Rng) -> LinkMemory {
        let bad = profile.burst.is_some_and(|burst| random.f64() < burst.bad());
        let place = match &profile.delay {
            DelaySource::Trace(trace) => random.usize(..trace.len()),
            DelaySource::Drawn(_) => 0,
        };
        LinkMemory { bad, place, last: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: (u32, u32) = (0, 1);

    fn links(delay: DelaySource, burst: Option<BurstLoss>, fifo: bool) -> Links {
        Links::new(Arc::new(NetworkProfile { delay, loss: 0.0, burst, fifo }))
    }

    #[test]
    fn bursts_lose_as_many_as_they_say_and_one_after_the_other() {
        let burst = BurstLoss { to_bad: 0.01, to_good: 0.2, loss_good: 0.001, loss_bad: 0.8 };
        let mut links = links(DelaySource::Drawn(DelayDistribution::Constant(1)), Some(burst), false);
        let mut random = Rng::with_seed(5);
        let lost: Vec<bool> = (0..400_000).map(|_| links.arrival(LINK, 0, &mut random).is_none()).collect();
        let share = lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64;
        assert!((share / burst.share() - 1.0).abs() < 0.05, "{share}, {} expected", burst.share());
        let pairs = lost.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64 / lost.len() as f64;
        assert!(pairs > 10.0 * share * share, "losses come together: {pairs}");
    }

    #[test]
    fn nothing_is_overtaken_on_a_link_that_keeps_the_order() {
        let delay = DelaySource::Drawn(DelayDistribution::Exponential(1_000));
        let mut random = Rng::with_seed(5);
        let mut arrivals = |fifo| {
            let mut links = links(delay.clone(), None, fifo);
            (0..1000).filter_map(|now| links.arrival(LINK, now, &mut random)).collect::<Vec<u64>>()
        };
        assert!(arrivals(true).is_sorted() && !arrivals(false).is_sorted());
    }

    #[test]
    fn a_trace_is_gone_through_in_its_order_and_again_from_its_beginning() {
        let trace = DelayTrace::of(vec![Some(1), None, Some(3)]).expect("a trace");
        let mut links = links(DelaySource::Trace(Arc::new(trace)), None, false);
        let mut random = Rng::with_seed(5);
        let delays: Vec<Option<u64>> = (0..6).map(|_| links.arrival(LINK, 0, &mut random)).collect();
        assert_eq!(delays[..3], delays[3..]);
        let first = delays.iter().position(|delay| *delay == Some(1)).expect("it comes");
        assert_eq!((delays[first + 1], delays[first + 2]), (None, Some(3)));
    }
}
