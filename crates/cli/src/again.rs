//! The command line that says a plan again: normalised, with what a scenario file or the environment said spelled out. It
//! is the inverse of reading, and says what is not as usual.

use crate::command_line::CommandLine;
use crate::words::Interval;
use watchkeeper::erased::ProtocolOutline;
use watchkeeper::plan::CheckPlan;
use watchkeeper::quantities::MemoryLimit;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{
    FairnessRule, Oracle, Param, PropertySpec, Reduction, Scenario, SearchMethod, Simultaneous,
};
use watchkeeper_core::{Bound, ProcSet};
use watchkeeper_explore::Strategy;
use watchkeeper_world::{ANY_NUMBER, Delay, SuspicionMemory as Suspicions, Time, Timing};

/// Adds the flags that say what is checked, and how; `automatic` as in [`SearchOptions::search_of`].
pub(crate) fn add_to(
    line: &mut CommandLine,
    outline: &ProtocolOutline,
    plan: &CheckPlan,
    options: &SearchOptions,
    automatic: bool,
) {
    plan_flags(line, plan);
    for Param { name, default, .. } in &outline.params {
        let text = plan.params.text(name);
        if text != *default {
            line.param(name, text);
        }
    }
    search_flags(line, options, automatic);
}

/// The command `check` that says this.
pub(crate) fn check(
    program: &str,
    outline: &ProtocolOutline,
    plan: &CheckPlan,
    options: &SearchOptions,
) -> String {
    let mut line = CommandLine::new(program, &["check", outline.form.name]);
    add_to(&mut line, outline, plan, options, outline.symmetric);
    line.to_string()
}

/// Adds the flags that say what is checked.
pub(crate) fn plan_flags(line: &mut CommandLine, plan: &CheckPlan) {
    let Scenario { n, network, faults, time, .. } = &plan.scenario;
    let usual = &plan.usual.scenario;
    line.flag("n", plan.usual.n);
    line.flag("crashes", faults.crashes);
    let able = if usual.faults.crashable.is_empty() { ProcSet::first(*n) } else { usual.faults.crashable };
    if !faults.mortal().is_empty() && faults.crashable != able {
        line.flag("crashable", list(faults.crashable));
    }
    if !faults.crashed_at_start.is_empty() {
        line.flag("crashed-at-start", list(faults.crashed_at_start));
    }
    match faults.recoveries {
        ANY_NUMBER => line.flag("recoveries", "any"),
        most if most > 0 || usual.faults.recoveries > 0 => line.flag("recoveries", most),
        _ => {}
    }
    if faults.crash_loses != usual.faults.crash_loses {
        line.switch(if faults.crash_loses { "crash-loses" } else { "crash-loses=false" });
    }
    oracle_flag(line, plan.scenario.oracle, usual.oracle);
    line.flag("channel", network.channel());
    if network.order != usual.network.order {
        line.flag("order", network.order);
    }
    if network.lanes != usual.network.lanes {
        line.flag("lanes", network.lanes);
    }
    for (name, most, usually) in [
        ("loss", network.losses, usual.network.losses),
        ("duplicate", network.duplications, usual.network.duplications),
    ] {
        match most {
            ANY_NUMBER => line.flag(name, "any"),
            _ if most > 0 || usually > 0 => line.flag(name, most),
            _ => {}
        }
    }
    time_flags(line, *time, usual.time);
    if plan.unknown {
        line.flag("synchrony", "unknown");
    }
    let (claims, named): (Vec<_>, Vec<_>) =
        plan.asked.iter().partition(|asked| matches!(asked, PropertySpec::Formula(_)));
    let joined = |asked: &[&PropertySpec], by: &str| {
        asked.iter().map(|asked| asked.to_string()).collect::<Vec<_>>().join(by)
    };
    if !named.is_empty() {
        line.flag("property", joined(&named, ","));
    }
    if !claims.is_empty() {
        line.flag("ltl", joined(&claims, "; "));
    }
    let rules =
        |rules: &[FairnessRule]| rules.iter().map(FairnessRule::to_string).collect::<Vec<_>>().join(",");
    line.maybe("fairness", plan.fairness.as_ref().map(|given| rules(&given.value)));
    if plan.interleaving.stages != plan.interleaving.usual {
        line.flag("interleaving", if plan.interleaving.stages { "stages" } else { "all" });
    }
}

/// Adds the flags that say this time, of a protocol that usually has that one.
fn time_flags(line: &mut CommandLine, time: Time, usual: Time) {
    let Some(timing) = time.timing() else {
        if usual != Time::Untimed {
            line.flag("time", time.name());
        }
        return;
    };
    line.flag("time", time.name());
    match timing.delay {
        Delay::PerMessage(bound) => line.flag("delay", Interval(bound)),
        Delay::RoundTrip(most) => line.flag("round-trip", most),
    }
    let usually = usual.timing().unwrap_or(Timing::per_message(Bound::exactly(0)));
    if timing.processing != usually.processing || timing.processing != Bound::exactly(0) {
        line.flag("processing", Interval(timing.processing));
    }
    if timing.simultaneous != usually.simultaneous || timing.simultaneous != Simultaneous::AnyOrder {
        line.flag("simultaneous", timing.simultaneous);
    }
    if timing.speed != usually.speed || timing.speed != 1 {
        line.flag("speed", timing.speed);
    }
    match (timing.before(), usually.before()) {
        (None, None) => {}
        (None, Some(_)) => line.flag("synchrony", "always"),
        (Some(before), usually) => {
            line.flag("synchrony", "eventual");
            line.flag("before-delay", Interval(before.delay));
            match (before.losses, usually.is_some_and(|before| before.losses)) {
                (true, _) => line.switch("before-loss"),
                (false, true) => line.switch("before-loss=false"),
                (false, false) => {}
            }
        }
    }
}

/// Adds the flag that says this, if it is not the usual one.
fn oracle_flag(line: &mut CommandLine, oracle: Option<Oracle>, usual: Option<Oracle>) {
    let Some(oracle) = oracle.filter(|oracle| usual != Some(*oracle)) else { return };
    let class = Oracle { memory: Suspicions::Lasting, ..oracle };
    match oracle.memory {
        Suspicions::Lasting => line.flag("oracle", format!("{class}:lasting")),
        Suspicions::Momentary => line.flag("oracle", format!("{class}:momentary")),
    }
}

/// Adds the flags that a verdict depends on. The number of threads is not among them; of the limits,
/// those are that somebody wrote down. `automatic` as in [`SearchOptions::search_of`].
pub(crate) fn search_flags(line: &mut CommandLine, options: &SearchOptions, automatic: bool) {
    let (kind, max_depth) = match options.search.strategy {
        Strategy::Breadth { max_depth } => (SearchMethod::Breadth, max_depth),
        Strategy::Beam { width, max_depth } => (SearchMethod::Beam(width), Some(max_depth)),
        Strategy::Walks { count, max_depth } => (SearchMethod::Walks(count), Some(max_depth)),
    };
    if kind != SearchMethod::Breadth {
        line.flag("search", kind_word(kind));
        line.flag("seed", options.search.seed);
    }
    line.maybe("max-depth", max_depth);
    match options.symmetry {
        Some(true) => line.switch("symmetry"),
        Some(false) if automatic => line.switch("symmetry=false"),
        _ => {}
    }
    if options.search.reduction == Reduction::PartialOrder {
        line.flag("reduce", "order");
    }
    line.maybe("max-states", options.search.max_states);
    if options.memory != MemoryLimit::Auto {
        line.flag("max-memory", options.memory);
    }
    line.maybe("timeout", options.timeout);
}

fn kind_word(kind: SearchMethod) -> String {
    match kind {
        SearchMethod::Breadth => "breadth".to_string(),
        SearchMethod::Beam(width) => format!("beam:{width}"),
        SearchMethod::Walks(count) => format!("walks:{count}"),
    }
}

fn list(set: ProcSet) -> String {
    set.iter().map(|p| p.to_string()).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
#[path = "again_tests.rs"]
mod tests;
