//! The command line that repeats a check: the settings of its plan, whether they came from flags, from the environment or
//! from a file. The number of processes, the channels and the bounds on time are spelled out, also those that the
//! protocol chose.

use crate::arguments::of_search;
use crate::command_line::CommandLine;
use watchkeeper::erased::ProtocolOutline;
use watchkeeper::plan::CheckPlan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{
    Bound, Param, PropertySpec, SearchMethod, SettingOrigin, Settings, Simultaneous, Sourced, SynchronyModel,
    TimeModel,
};
use watchkeeper_explore::Strategy;
use watchkeeper_world::{Delay, WorldTime};

/// Adds the flags that repeat a plan and its search.
pub(crate) fn add_to(
    line: &mut CommandLine,
    outline: &ProtocolOutline,
    plan: &CheckPlan,
    options: &SearchOptions,
) {
    plan_flags(line, plan);
    for Param { name, default, .. } in &outline.params {
        let text = plan.params.text(name);
        if text != *default {
            line.param(name, text);
        }
    }
    search_flags(line, options);
}

/// The command `check` that repeats this.
pub(crate) fn check(
    program: &str,
    outline: &ProtocolOutline,
    plan: &CheckPlan,
    options: &SearchOptions,
) -> String {
    let mut line = CommandLine::new(program, &["check", outline.form.name]);
    add_to(&mut line, outline, plan, options);
    line.to_string()
}

/// A setting of this program.
fn some<T>(value: T) -> Option<Sourced<T>> {
    Some(Sourced { value, origin: SettingOrigin::Argument(String::new()) })
}

/// Adds the flags that repeat a plan.
pub(crate) fn plan_flags(line: &mut CommandLine, plan: &CheckPlan) {
    let mut settings = Settings {
        n: some(plan.usual.n),
        crashes: some(plan.scenario.faults.crashes),
        channel: some(plan.scenario.network.channel()),
        ..plan.settings.clone()
    };
    if let Some(timing) = plan.scenario.time.timing() {
        let ticks = matches!(plan.scenario.time, WorldTime::Ticks(_));
        settings.time = some(if ticks { TimeModel::Ticks } else { TimeModel::Dense });
        match timing.delay {
            Delay::PerMessage(bound) => settings.delay = some(bound),
            Delay::RoundTrip(most) => settings.round_trip = some(most),
        }
        if timing.processing != Bound::exactly(0) {
            settings.processing = some(timing.processing);
        }
        if timing.simultaneous != Simultaneous::AnyOrder {
            settings.simultaneous = some(timing.simultaneous);
        }
        if timing.speed != 1 {
            settings.speed = some(timing.speed);
        }
        if let Some(before) = timing.before() {
            settings.synchrony = some(SynchronyModel::Eventual);
            settings.before_delay = some(before.delay);
            settings.before_loss =
                some(before.losses).filter(|loses| loses.value || settings.before_loss.is_some());
        }
    }
    let formula = |asked: &PropertySpec| match asked {
        PropertySpec::Formula(text) => Some(text.clone()),
        _ => None,
    };
    let (formulas, named): (Vec<_>, Vec<_>) =
        plan.asked.iter().cloned().partition(|asked| formula(asked).is_some());
    settings.property = some(named).filter(|named| !named.value.is_empty());
    let formulas: Vec<String> = formulas.iter().filter_map(formula).collect();
    settings.ltl = some(formulas).filter(|formulas| !formulas.value.is_empty());
    line.settings(&settings, |row| !of_search(row));
}

/// Adds the flags that repeat a search. The number of threads is not among them, since no verdict depends on it.
pub(crate) fn search_flags(line: &mut CommandLine, options: &SearchOptions) {
    let mut settings =
        Settings { symmetry: options.symmetry.and_then(some), workers: None, ..options.settings.clone() };
    let method = settings.search.as_ref().map_or(SearchMethod::Breadth, |given| given.value);
    let depth = match options.search.strategy {
        Strategy::Breadth { max_depth } => max_depth,
        Strategy::Beam { max_depth, .. } | Strategy::Walks { max_depth, .. } => Some(max_depth),
    };
    settings.max_depth = depth.and_then(some);
    settings.seed = some(options.search.seed).filter(|_| method != SearchMethod::Breadth);
    settings.max_states = options.search.max_states.and_then(some);
    line.settings(&settings, of_search);
}

#[cfg(test)]
#[path = "again_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "again_time_tests.rs"]
mod time_tests;
