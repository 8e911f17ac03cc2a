//! A check from Rust, above all from `cargo test`: a method for each setting, and one assertion at the end. A failed
//! assertion shows the chart that a terminal would show.

use crate::ask::{answers, ask};
use crate::bound::{self, BoundAnswer};
use crate::classify::{self, Classified, Met};
use crate::description::Described;
use crate::erased::{ErasedProtocol, NamedProtocol, Replayed};
use crate::plan::CheckPlan;
use crate::problem::{Problem, SettingOrigin};
use crate::search_options::{Deadline, SearchOptions};
use crate::settings::{Settings, Sourced};
use std::fmt::Display;
use std::sync::Arc;
use watchkeeper_explore::{ToldRun, follow};
use watchkeeper_logic::{DetectorClass, Outcome, Verdict, Violation};
use watchkeeper_report::{Chart, RunFacts, Style, headline, warnings};
use watchkeeper_space::{Action, Id, Space, Trace, successors};
use watchkeeper_world::{Conformance, RecordedRun};

/// A check that is being built, with one method for each setting. A setting that is not given is as the protocol
/// describes it.
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
    pub(crate) settings: Settings,
}

/// A check of a protocol. The configuration is the protocol's own value; its processes, the network and
/// the faults are described next.
pub fn check<P: Described>(protocol: P) -> CheckBuilder {
    CheckBuilder { protocol: Arc::new(NamedProtocol::value(protocol)), settings: Settings::default() }
}

/// A check of a protocol under one of its names, with the parameters and settings as they are written on a command line:
/// see [`CheckBuilder::setting`].
///
/// # Panics
/// If the protocol has no such name.
#[track_caller]
pub fn check_named<P: Described>(name: &str) -> CheckBuilder {
    let known = NamedProtocol::<P>::all();
    let names: Vec<&str> = known.iter().map(|protocol| protocol.outline().form.name).collect();
    let told = format!("there is no protocol {name}; it is one of {}", names.join(", "));
    let found = known.into_iter().find(|protocol| protocol.outline().form.name == name);
    CheckBuilder {
        protocol: Arc::new(found.unwrap_or_else(|| panic!("{told}"))),
        settings: Settings::default(),
    }
}

impl CheckBuilder {
    /// A setting by its name, or else a parameter of the protocol, as it is written on a command line:
    /// `.setting("channel", "block:1")`.
    ///
    /// # Panics
    /// If the setting has no such value.
    #[track_caller]
    pub fn setting(mut self, name: &str, text: &str) -> CheckBuilder {
        let given = Sourced { value: text.to_string(), origin: SettingOrigin::Call("setting") };
        match Settings::row(name) {
            Some(row) => {
                let read = (row.read)(&given, &mut self.settings);
                read.unwrap_or_else(|problem| panic!("{name}: {problem}"));
            }
            None => drop(self.settings.params.insert(name.to_string(), given)),
        }
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

    /// Searches, and gives the verdict. Where what is asked takes several searches, it is that of the first
    /// that finds something wrong, or else of the first that ran into a limit, or else that of the last with
    /// what all of them have seen.
    pub fn run(&self) -> Result<Verdict, Problem> {
        let (plan, options) = (self.plan(&self.settings)?, SearchOptions::of(&self.settings)?);
        answers(&*self.protocol, &plan, &options, &Deadline::new(options.timeout)).map_err(Problem::in_rust)
    }

    /// The least time within which every crash is found out, of all up to `most`. By default time is dense and one
    /// process may crash.
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
        .map_err(Problem::in_rust)
    }

    /// The classes of failure detectors that it belongs to. By default one process may crash.
    pub fn classify(&self) -> Result<Classified, Problem> {
        let settings = classify::supposed(self.settings.clone());
        let (plan, options) = (self.plan(&settings)?, SearchOptions::of(&settings)?);
        classify::classify(&*self.protocol, &plan, &options, &Deadline::new(options.timeout))
            .map_err(Problem::in_rust)
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

    /// Asserts that the protocol can take these steps, by their labels, one after the other from its start, and gives the
    /// run. A page that explores a protocol writes such a test for the run that it shows.
    ///
    /// # Panics
    /// If it cannot, with the chart up to there and the steps that are possible instead; or if there is no such space,
    /// with the reason.
    #[track_caller]
    pub fn assert_run(&self, labels: &[&str]) -> Trace {
        let plan = match self.plan(&self.settings) {
            Ok(plan) => plan,
            Err(problem) => self.fail(Err(problem)),
        };
        let spaces = match self.protocol.explored(&plan) {
            Ok(spaces) => spaces,
            Err(problem) => self.fail(Err(problem)),
        };
        let mut furthest: Option<(usize, String)> = None;
        for explored in &spaces {
            let space = &*explored.space;
            let found = follow(space, &LabelledRun { space, labels });
            let path = found.path.unwrap_or_default();
            let trace = match space.replay(&path) {
                Ok(trace) => trace,
                Err(mismatch) => self.fail(Ok(mismatch.to_string())),
            };
            if found.whole {
                return trace;
            }
            if furthest.as_ref().is_none_or(|(steps, _)| *steps < found.found) {
                let last = path.rows.last().cloned().unwrap_or_default();
                let enabled = successors(space, &last);
                let enabled: String = enabled
                    .iter()
                    .map(|(action, _)| format!("  {}\n", space.label(&last, *action)))
                    .collect();
                let (number, label) = (found.found + 1, labels[found.found]);
                let chart = Chart::of(&trace).text(&Style::default());
                furthest = Some((
                    found.found,
                    format!(
                        "step {number}, `{label}`, is not possible here:\n\n{chart}\nPossible are\n{enabled}"
                    ),
                ));
            }
        }
        self.fail(Ok(furthest.map_or("no client asks anything".to_string(), |(_, told)| told)))
    }

    fn name(&self) -> &'static str {
        self.protocol.outline().form.name
    }

    fn plan(&self, settings: &Settings) -> Result<CheckPlan, Problem> {
        self.protocol.plan(settings).map_err(Problem::in_rust)
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

/// A run that is told by the labels of its steps.
struct LabelledRun<'a> {
    space: &'a dyn Space,
    labels: &'a [&'a str],
}

impl ToldRun for LabelledRun<'_> {
    fn steps(&self) -> usize {
        self.labels.len()
    }

    fn begins(&self, _: &[Id]) -> bool {
        true
    }

    fn takes(&self, step: usize, from: &[Id], action: Action, _: &[Id]) -> bool {
        self.space.label(from, action) == self.labels[step]
    }
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
