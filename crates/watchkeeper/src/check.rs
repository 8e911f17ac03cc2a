//! A check from Rust, above all from `cargo test`: everything that a command line can ask as methods with values, and one
//! assertion at the end. What a test sees of a violation is the chart that a terminal would show.

use crate::ask::{answers, ask};
use crate::bound::{self, BoundAnswer};
use crate::classify::{self, Classified, Met};
use crate::description::Described;
use crate::erased::{ErasedProtocol, Replayed, TypedProtocol};
use crate::plan::CheckPlan;
use crate::problem::{Problem, SettingOrigin};
use crate::property_spec::{FairnessRule, PropertySpec};
use crate::quantities::{MemoryLimit, TimeSpan, Workers};
use crate::search_options::{Deadline, SearchOptions};
use crate::settings::{
    Interleaving, OracleChoice, SearchMethod, Settings, Sourced, SynchronyModel, TimeModel,
};
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper_core::{Bound, Pid};
use watchkeeper_explore::Reduction;
use watchkeeper_logic::{DetectorClass, Outcome, Verdict, Violation};
use watchkeeper_report::{Chart, RunFacts, Style, headline, warnings};
use watchkeeper_world::{Channel, Conformance, DeliveryOrder, Lanes, RecordedRun, Simultaneous};

/// A check that is being described. What nobody says is as the protocol has it.
///
/// ```
/// # use watchkeeper::{Channel, check};
/// # use watchkeeper::protocols::ring::Ring;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// check(Ring::new(3, 1)?).n(3).channel(Channel::Drop(1)).assert_holds();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a check does nothing until it is run"]
pub struct CheckBuilder {
    protocol: Arc<dyn ErasedProtocol>,
    settings: Settings,
}

/// A check of a protocol. The configuration is the protocol's own value; its processes, the network and
/// the faults are described next.
pub fn check<P: Described>(protocol: P) -> CheckBuilder {
    CheckBuilder { protocol: Arc::new(TypedProtocol::value(protocol)), settings: Settings::default() }
}

/// A value that a method of this name was given.
fn said<T>(method: &'static str, value: T) -> Option<Sourced<T>> {
    Some(Sourced { value, origin: SettingOrigin::Call(method) })
}

impl CheckBuilder {
    /// The number of processes, or of what else the protocol counts.
    pub fn n(mut self, n: usize) -> CheckBuilder {
        self.settings.n = said("n", n as u64);
        self
    }

    /// How many processes may crash.
    pub fn crashes(mut self, most: u32) -> CheckBuilder {
        self.settings.crashes = said("crashes", most);
        self
    }

    /// Which processes may crash; everyone if nobody says.
    pub fn crashable(mut self, processes: impl IntoIterator<Item = Pid>) -> CheckBuilder {
        self.settings.crashable = said("crashable", processes.into_iter().collect());
        self
    }

    /// Which processes have crashed before the start.
    pub fn crashed_at_start(mut self, processes: impl IntoIterator<Item = Pid>) -> CheckBuilder {
        self.settings.crashed_at_start = said("crashed-at-start", processes.into_iter().collect());
        self
    }

    /// How often in a run a process that has crashed may start again;
    /// [`ANY_NUMBER`](watchkeeper_world::ANY_NUMBER) for any number. It remembers nothing.
    pub fn recoveries(mut self, most: u32) -> CheckBuilder {
        self.settings.recoveries = said("recoveries", most);
        self
    }

    /// Whether what a process had sent and what has not arrived may be lost once it has crashed.
    pub fn crash_loses(mut self, loses: bool) -> CheckBuilder {
        self.settings.crash_loses = said("crash-loses", loses);
        self
    }

    /// The abstract failure detector below the protocol.
    pub fn oracle(mut self, oracle: impl Into<OracleChoice>) -> CheckBuilder {
        self.settings.oracle = said("oracle", oracle.into());
        self
    }

    /// What a channel holds and what it does when it is full.
    pub fn channel(mut self, channel: Channel) -> CheckBuilder {
        self.settings.channel = said("channel", channel);
        self
    }

    /// Whether messages may overtake each other.
    pub fn order(mut self, order: DeliveryOrder) -> CheckBuilder {
        self.settings.order = said("order", order);
        self
    }

    /// Which messages share a channel.
    pub fn lanes(mut self, lanes: Lanes) -> CheckBuilder {
        self.settings.lanes = said("lanes", lanes);
        self
    }

    /// How many messages the network may lose on their way;
    /// [`ANY_NUMBER`](watchkeeper_world::ANY_NUMBER) for any number.
    pub fn loss(mut self, most: u32) -> CheckBuilder {
        self.settings.loss = said("loss", most);
        self
    }

    /// How many messages the network may deliver twice.
    pub fn duplicate(mut self, most: u32) -> CheckBuilder {
        self.settings.duplicate = said("duplicate", most);
        self
    }

    /// How time passes.
    pub fn time(mut self, model: TimeModel) -> CheckBuilder {
        self.settings.time = said("time", model);
        self
    }

    /// How long a message is on its way.
    pub fn delay(mut self, bound: Bound) -> CheckBuilder {
        self.settings.delay = said("delay", bound);
        self
    }

    /// How long a message and the reply to it take together at most.
    pub fn round_trip(mut self, most: u32) -> CheckBuilder {
        self.settings.round_trip = said("round-trip", most);
        self
    }

    /// How long a process takes to handle a message that has arrived.
    pub fn processing(mut self, bound: Bound) -> CheckBuilder {
        self.settings.processing = said("processing", bound);
        self
    }

    /// What comes first of what falls on the same moment.
    pub fn simultaneous(mut self, order: Simultaneous) -> CheckBuilder {
        self.settings.simultaneous = said("simultaneous", order);
        self
    }

    /// How many times too slow a process may be.
    pub fn speed(mut self, most: u32) -> CheckBuilder {
        self.settings.speed = said("speed", most);
        self
    }

    /// SynchronyModel when the bounds on messages hold, and whether they are known.
    pub fn synchrony(mut self, since: SynchronyModel) -> CheckBuilder {
        self.settings.synchrony = said("synchrony", since);
        self
    }

    /// How long a message takes that is sent before the bounds hold, and whether it may be lost, where they hold only
    /// eventually.
    pub fn before(mut self, delay: Bound, losses: bool) -> CheckBuilder {
        self.settings.before_delay = said("before", delay);
        self.settings.before_loss = said("before", losses);
        self
    }

    /// How long after the first the last process may begin.
    pub fn stagger(mut self, within: u32) -> CheckBuilder {
        self.settings.stagger = within;
        self
    }

    /// A parameter that says what clients ask, such as the values that processes of a consensus protocol propose.
    /// Those that the protocol was built with stay as they are.
    pub fn param(mut self, name: &str, value: impl Display) -> CheckBuilder {
        let given = Sourced { value: value.to_string(), origin: SettingOrigin::Call("param") };
        self.settings.params.insert(name.to_string(), given);
        self
    }

    /// One more thing to ask; all that the protocol should have if nobody says.
    pub fn property(mut self, asked: impl Into<PropertySpec>) -> CheckBuilder {
        let property = self.settings.property.get_or_insert_with(|| none("property"));
        property.value.push(asked.into());
        self
    }

    /// One more claim about all infinite runs that are fair, in temporal logic.
    pub fn ltl(mut self, formula: impl Into<String>) -> CheckBuilder {
        self.settings.ltl.get_or_insert_with(|| none("ltl")).value.push(formula.into());
        self
    }

    /// One more rule that says which infinite runs count.
    pub fn fairness(mut self, rule: FairnessRule) -> CheckBuilder {
        self.settings.fairness.get_or_insert_with(|| none("fairness")).value.push(rule);
        self
    }

    /// Which orders of steps are searched.
    pub fn interleaving(mut self, orders: Interleaving) -> CheckBuilder {
        self.settings.interleaving = said("interleaving", orders);
        self
    }

    /// Which states to look at.
    pub fn search(mut self, looking: SearchMethod) -> CheckBuilder {
        self.settings.search = said("search", looking);
        self
    }

    /// Whether to search one state of each set of states that are renamings of each other.
    pub fn symmetry(mut self, renamed: bool) -> CheckBuilder {
        self.settings.symmetry = said("symmetry", renamed);
        self
    }

    /// Which steps to leave out where they do not concern each other.
    pub fn reduce(mut self, reduction: Reduction) -> CheckBuilder {
        self.settings.reduce = said("reduce", reduction);
        self
    }

    /// The most steps from the start.
    pub fn max_depth(mut self, steps: u64) -> CheckBuilder {
        self.settings.max_depth = said("max-depth", steps);
        self
    }

    /// The most distinct states to keep.
    pub fn max_states(mut self, most: u64) -> CheckBuilder {
        self.settings.max_states = said("max-states", most);
        self
    }

    /// The most memory for the search, in bytes.
    pub fn max_memory(mut self, bytes: u64) -> CheckBuilder {
        self.settings.max_memory = said("max-memory", MemoryLimit::Bytes(bytes));
        self
    }

    /// The longest time to search.
    pub fn timeout(mut self, longest: Duration) -> CheckBuilder {
        self.settings.timeout = said("timeout", TimeSpan(longest));
        self
    }

    /// The number of threads; one for each core if nobody says.
    pub fn workers(mut self, count: NonZeroUsize) -> CheckBuilder {
        self.settings.workers = said("workers", Workers::Exactly(count));
        self
    }

    /// The seed of searches that choose at random.
    pub fn seed(mut self, seed: u64) -> CheckBuilder {
        self.settings.seed = said("seed", seed);
        self
    }

    /// Searches, and gives the verdict. Where what is asked takes several searches, it is that of the first
    /// that finds something wrong, or else of the first that ran into a limit, or else that of the last with
    /// what all of them have seen.
    pub fn run(&self) -> Result<Verdict, Problem> {
        let (plan, options) = (self.plan(&self.settings)?, SearchOptions::of(&self.settings)?);
        answers(&*self.protocol, &plan, &options, &Deadline::new(options.timeout))
    }

    /// The least time within which every crash is found out, of all up to `most`. Where nobody says otherwise, time is
    /// dense and one process crashes.
    pub fn bound(&self, most: u32) -> Result<BoundAnswer, Problem> {
        let settings = bound::supposed(self.settings.clone());
        let (plan, options) = (self.plan(&settings)?, SearchOptions::of(&settings)?);
        let watch = Deadline::new(options.timeout);
        bound::hunt(&plan, most, |asked| {
            let began = watch.seconds();
            let (verdict, _) = ask(&*self.protocol, &plan, asked, &options, &watch)?;
            Ok((
                verdict,
                RunFacts { command: String::new(), seconds: watch.seconds() - began, peak_bytes: 0 },
            ))
        })
    }

    /// The classes of failure detectors that it belongs to. Where nobody says otherwise, one process crashes.
    pub fn classify(&self) -> Result<Classified, Problem> {
        let settings = classify::supposed(self.settings.clone());
        let (plan, options) = (self.plan(&settings)?, SearchOptions::of(&settings)?);
        classify::classify(&*self.protocol, &plan, &options, &Deadline::new(options.timeout))
    }

    /// Holds a recorded run against the protocol.
    pub fn follow(&self, run: &mut RecordedRun) -> Result<Replayed, Problem> {
        self.protocol.follow(&self.plan(&self.settings)?, run)
    }

    /// Asserts that the property holds in the whole space, and gives the verdict, to assert more of.
    ///
    /// # Panics
    /// If it does not, with the chart of a shortest run that shows it; or if there is no verdict, with
    /// the reason.
    #[track_caller]
    pub fn assert_holds(&self) -> Verdict {
        match self.run() {
            Ok(verdict) if verdict.holds() => verdict,
            found => self.fail(found.map(|verdict| told(&verdict))),
        }
    }

    /// Asserts that the property is violated, and gives the violation: for a mistake that is known, and
    /// for a scenario that is known to be too hard.
    ///
    /// # Panics
    /// If it is not, with the verdict; or if there is no verdict, with the reason.
    #[track_caller]
    pub fn assert_violated(&self) -> Violation {
        match self.run() {
            Ok(Verdict { outcome: Outcome::Violated(violation), .. }) => *violation,
            found => self.fail(found.map(|verdict| told(&verdict))),
        }
    }

    /// Asserts that crashes are found out within this time and no sooner, and gives all that was found on the way.
    ///
    /// # Panics
    /// If the least bound is another one, with the chart of the run that refutes the next lower one; or if there is no
    /// answer, with the reason.
    #[track_caller]
    pub fn assert_bound(&self, within: u32) -> BoundAnswer {
        match self.bound(bound::MOST) {
            Ok(answer) if answer.least() == Some(within) => answer,
            found => self.fail(found.map(|answer| {
                let seconds = answer.steps.iter().map(|step| step.run.seconds).sum();
                answer.report(&RunFacts { seconds, ..nothing() }, &Style::default())
            })),
        }
    }

    /// Asserts that the protocol is a failure detector of this class, and gives all its properties.
    ///
    /// # Panics
    /// If it is not, with the charts of the runs that refute it; or if there is no answer, with the reason.
    #[track_caller]
    pub fn assert_class(&self, class: DetectorClass) -> Classified {
        match self.classify() {
            Ok(found) if found.meets(class) == Met::Yes => found,
            Ok(found) => panic!("{}", found.text(self.name(), &nothing(), &Style::default())),
            Err(problem) => self.fail(Err(problem)),
        }
    }

    /// Asserts that a recorded run is a path of the model, and gives what was seen of it.
    ///
    /// # Panics
    /// If it is not, with the chart of its last steps; or if it cannot be held against the model, with the reason.
    #[track_caller]
    pub fn assert_follows(&self, run: &mut RecordedRun) -> Conformance {
        match self.follow(run) {
            Ok(Ok(followed)) => followed,
            Ok(Err(deviation)) => {
                let chart = Chart::of(&deviation.trace).text(&Style::default());
                self.fail(Ok(format!("DEPARTS: {deviation}\n\n{chart}")))
            }
            Err(problem) => self.fail(Err(problem)),
        }
    }

    fn name(&self) -> &'static str {
        self.protocol.outline().form.name
    }

    fn plan(&self, settings: &Settings) -> Result<CheckPlan, Problem> {
        self.protocol.plan(settings)
    }

    /// Fails a test with what was found.
    #[track_caller]
    fn fail(&self, found: Result<String, Problem>) -> ! {
        match found {
            Ok(found) => panic!("{}: {found}", self.name()),
            Err(problem) => panic!("{}: no verdict: {problem}", self.name()),
        }
    }
}

/// A list that a method of this name is about to fill.
fn none<T>(method: &'static str) -> Sourced<Vec<T>> {
    Sourced { value: Vec::new(), origin: SettingOrigin::Call(method) }
}

/// A run that no command gives again.
fn nothing() -> RunFacts {
    RunFacts { command: String::new(), seconds: 0.0, peak_bytes: 0 }
}

/// The verdict as the output of a failed test.
fn told(verdict: &Verdict) -> String {
    let mut out = format!("{}\n\n", headline(verdict));
    if let Some(trace) = verdict.trace() {
        out.push_str(&Chart::of(trace).text(&Style::default()));
        out.push('\n');
    }
    let rests = verdict.assumptions.iter().map(|assumption| format!("  - {assumption}\n"));
    out.push_str(&format!("Rests on\n{}", rests.collect::<String>()));
    out.extend(warnings(verdict).iter().map(|warning| format!("  ! {warning}\n")));
    out
}
