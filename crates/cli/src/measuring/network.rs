//! The network of a measurement as texts: distributions, bursts, slow members, traces.

use super::flags::{given, share};
use super::recorded;
use crate::inputs;
use std::path::Path;
use std::sync::Arc;
use watchkeeper::{Problem, SettingOrigin, did_you_mean};
use watchkeeper_sim::DelayDistribution;
use watchkeeper_sim::quality::{BurstLoss, DelaySource, DelayTrace, SlowMembers};

/// How long messages take where nobody says.
pub(super) const USUAL_DELAY: &str = "exp:20ms";

/// The most of a trace that is read, in bytes.
const LONGEST_TRACE: u64 = 1 << 30;

/// Delays that are drawn.
pub(super) fn delay(flag: &str, text: &str) -> Result<DelaySource, Problem> {
    distribution(flag, text).map(DelaySource::Drawn)
}

fn distribution(flag: &str, text: &str) -> Result<DelayDistribution, Problem> {
    let given = given(flag, text);
    let name = given.value.split(':').next().unwrap_or("");
    if !DelayDistribution::NAMES.contains(&name) && given.value.contains(':') {
        let meant = did_you_mean(name, DelayDistribution::NAMES);
        let known = DelayDistribution::NAMES.join(", ");
        let meant = if meant.is_empty() { ".".to_string() } else { meant };
        return Err(given.refused(format!("`{name}` is no distribution{meant} Known: {known}")));
    }
    given.parsed()
}

/// Losses in bursts.
pub(super) fn burst(text: &str) -> Result<BurstLoss, Problem> {
    let given = given("--burst", text);
    let wrong = || {
        let why = "write gilbert-elliott:TO_BAD,TO_GOOD,LOSS_GOOD,LOSS_BAD, such as gilbert-elliott:0.5%,10%,0.1%,50%";
        given.refused(why)
    };
    let shares = given.value.strip_prefix("gilbert-elliott:").ok_or_else(wrong)?;
    let shares: Vec<f64> = shares.split(',').map(|text| share("--burst", text)).collect::<Result<_, _>>()?;
    let [to_bad, to_good, loss_good, loss_bad] = shares[..] else { return Err(wrong()) };
    if to_good == 0.0 && to_bad > 0.0 {
        return Err(
            given.refused("a link that turns bad and never good again stays bad; give TO_GOOD more than 0")
        );
    }
    Ok(BurstLoss { to_bad, to_good, loss_good, loss_bad })
}

/// Slow members of a cluster of `n`.
pub(super) fn slow(text: &str, n: usize) -> Result<SlowMembers, Problem> {
    let given = given("--slow", text);
    let wrong = || {
        given.refused(
            "write COUNT:blocked=DISTRIBUTION,normal=DISTRIBUTION, such as 2:blocked=exp:2s,normal=exp:500ms, and \
             ,timers=run behind it if only messages wait",
        )
    };
    let (count, phases) = given.value.split_once(':').ok_or_else(wrong)?;
    let count: usize = count.trim().parse().map_err(|_| wrong())?;
    if count > n {
        return Err(given.refused(format!("there are {n} members, so that {count} of them cannot be slow")));
    }
    let (phases, timers_run) =
        phases.strip_suffix(",timers=run").map_or((phases, false), |phases| (phases, true));
    // A distribution may have a comma of its own.
    let (blocked, normal) = match phases.split_once(",normal=") {
        Some((blocked, normal)) => (blocked.strip_prefix("blocked="), Some(normal)),
        None => match phases.split_once(",blocked=") {
            Some((normal, blocked)) => (Some(blocked), normal.strip_prefix("normal=")),
            None => (None, None),
        },
    };
    let (blocked, normal) = blocked.zip(normal).ok_or_else(wrong)?;
    let phase = |text: &str| {
        let phase = distribution("--slow", text)?;
        if phase.beyond(1e-6) == 0 {
            return Err(
                given.refused(format!("{text} takes no time, so that time would not pass; give it some"))
            );
        }
        Ok(phase)
    };
    let slow = SlowMembers { count, blocked: phase(blocked)?, normal: phase(normal)?, timers_run };
    // Every phase is drawn, also where nothing happens in it.
    if slow.blocked.beyond(0.5).saturating_add(slow.normal.beyond(0.5)) < SHORTEST_PHASES {
        let why = "most phases are over within 100us, which is no time to be slow in; give longer ones";
        return Err(given.refused(why));
    }
    Ok(slow)
}

/// The least that two phases of a slow member last as a rule, in nanoseconds.
const SHORTEST_PHASES: u64 = 100_000;

/// Delays from a trace.
pub(super) fn trace(path: &Path) -> Result<DelaySource, Problem> {
    if path.is_dir() {
        return recorded::trace(path).map(|trace| DelaySource::Trace(Arc::new(trace)));
    }
    let origin = || SettingOrigin::Argument(format!("--trace {}", path.display()));
    let text = inputs::text(path, LONGEST_TRACE)
        .map_err(|why| origin().refused(format!("it cannot be read: {why}")))?;
    let trace = DelayTrace::read(&text).map_err(|why| origin().refused(why))?;
    Ok(DelaySource::Trace(Arc::new(trace)))
}
