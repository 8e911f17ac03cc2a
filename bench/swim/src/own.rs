//! SWIM of this project in the engine behind `watchkeeper measure`.

use crate::{Counted, DELAY, LOSS, Load};
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_core::Completeness;
use watchkeeper_node::hosted;
use watchkeeper_protocols::swim::{PlainSwim, ProbeOrder, Swim, SwimConfig};
use watchkeeper_sim::DelayDistribution;
use watchkeeper_sim::quality::{DelaySource, MeasurePlan, MeasuredSubject, NetworkProfile, RareMistakes};

/// The nanoseconds of a unit of time.
const TICK: u64 = 50_000_000;

/// The batches: the engine does no fewer.
const BATCHES: u64 = 2;

/// Simulates it, in batches of half the time.
pub fn run(load: &Load) -> Result<Counted, Box<dyn Error>> {
    let config = SwimConfig { order: ProbeOrder::Random, ..SwimConfig::default() };
    let swim = Arc::new(Swim::new(load.n, config, PlainSwim)?);
    let subject = MeasuredSubject {
        hosts: Arc::new(move || hosted(Arc::clone(&swim))),
        n: load.n,
        tick: TICK,
        completeness: Completeness::Strong,
        victims: Vec::new(),
        longest: 20 * TICK,
        memory: 0,
    };
    let delay = DelaySource::Drawn(DelayDistribution::Uniform(DELAY, 3 * DELAY));
    let network = Arc::new(NetworkProfile { delay, loss: LOSS, burst: None, fifo: false });
    let plan = MeasurePlan {
        batches: Some(BATCHES),
        warm_up: 0,
        lasts: (load.seconds * 1_000_000_000 / BATCHES).max(1),
        crashes: 0,
        rare: RareMistakes::Never,
        workers: 1,
        ..MeasurePlan::new(subject, network, 1)
    };
    let found = plan.measure(&|_| ControlFlow::Continue(()))?;
    Ok(Counted { events: found.events, mistakes: found.mistakes })
}
