//! A check from Rust, above all from `cargo test`: the settings of the command line as methods, and one
//! assertion at the end. What a test sees of a violation is the chart that a terminal would show.

use crate::effort::Effort;
use crate::inquiry::inquiries;
use crate::job::Manner;
use crate::plan::size;
use crate::problem::{Origin, Problem};
use crate::question::Together;
use crate::registry::plan;
use crate::settings::{Given, Settings};
use crate::subject::{Form, Params, Subject};
use std::fmt::Display;
use watchkeeper_explore::Quiet;
use watchkeeper_logic::{Outcome, Verdict, Violation};
use watchkeeper_report::{Chart, Style, headline, warnings};

/// A check that is being described. Every method is the flag of the same name, with the same default.
///
/// ```
/// # use watchkeeper::Ring;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// watchkeeper::check(Ring::new(3, 1)?).n(3).channel("drop:1").assert_holds();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a check does nothing until it is run"]
pub struct Check<S: Subject> {
    protocol: S,
    settings: Settings,
}

/// A check of a protocol. The configuration is the protocol's own value; its processes, the network and
/// the faults are described next.
pub fn check<S: Subject>(protocol: S) -> Check<S> {
    Check { protocol, settings: Settings::default() }
}

impl<S: Subject> Check<S> {
    /// The number of processes; [`Subject::PROCESSES`] if nobody says.
    pub fn n(self, n: usize) -> Check<S> {
        self.set("n", n)
    }

    /// How many processes may crash.
    pub fn crashes(self, most: u32) -> Check<S> {
        self.set("crashes", most)
    }

    /// Which processes may crash, such as `p1,p2`; everyone if nobody says.
    pub fn crashable(self, processes: &str) -> Check<S> {
        self.set("crashable", processes)
    }

    /// Which processes have crashed before the start.
    pub fn crashed_at_start(self, processes: &str) -> Check<S> {
        self.set("crashed-at-start", processes)
    }

    /// How often in a run a process that has crashed may start again;
    /// [`ANY_NUMBER`](watchkeeper_world::ANY_NUMBER) for any number. It remembers nothing.
    pub fn recoveries(self, most: u32) -> Check<S> {
        self.set("recoveries", most)
    }

    /// What a channel holds and what it does when it is full: `block:1`, `drop:2`, `report:1`,
    /// `unbounded:8`.
    pub fn channel(self, spec: &str) -> Check<S> {
        self.set("channel", spec)
    }

    /// Whether messages may overtake each other: `any` or `fifo`.
    pub fn order(self, order: &str) -> Check<S> {
        self.set("order", order)
    }

    /// Which messages share a channel: `per-pair` or `per-kind`.
    pub fn lanes(self, lanes: &str) -> Check<S> {
        self.set("lanes", lanes)
    }

    /// How many messages the network may lose on their way;
    /// [`ANY_NUMBER`](watchkeeper_world::ANY_NUMBER) for any number.
    pub fn loss(self, most: u32) -> Check<S> {
        self.set("loss", most)
    }

    /// How many messages the network may deliver twice.
    pub fn duplicate(self, most: u32) -> Check<S> {
        self.set("duplicate", most)
    }

    /// How time passes: `untimed`, `ticks` or `dense`.
    pub fn time(self, model: &str) -> Check<S> {
        self.set("time", model)
    }

    /// How long a message is on its way: `1..3`, `2`, `1..`.
    pub fn delay(self, bound: &str) -> Check<S> {
        self.set("delay", bound)
    }

    /// How long a message and the reply to it take together at most.
    pub fn round_trip(self, most: u32) -> Check<S> {
        self.set("round-trip", most)
    }

    /// How long a process takes to handle a message that has arrived: `0..1`.
    pub fn processing(self, bound: &str) -> Check<S> {
        self.set("processing", bound)
    }

    /// What comes first of what falls on the same moment: `any` or `deliveries-first`.
    pub fn simultaneous(self, order: &str) -> Check<S> {
        self.set("simultaneous", order)
    }

    /// Whether what a process had sent and what has not arrived may be lost once it has crashed.
    pub fn crash_loses(self, loses: bool) -> Check<S> {
        self.set("crash-loses", loses)
    }

    /// The abstract failure detector below the protocol: `S`, `<>S` or `none`, and how long its suspicions last,
    /// `:momentary` or `:lasting`.
    pub fn oracle(self, oracle: &str) -> Check<S> {
        self.set("oracle", oracle)
    }

    /// Which orders of steps are searched: `stages` or `all`.
    pub fn interleaving(self, word: &str) -> Check<S> {
        self.set("interleaving", word)
    }

    /// A parameter that says what clients ask, such as the values that processes of a consensus protocol propose.
    /// Those that the protocol was built with stay as they are.
    pub fn values(mut self, values: &str) -> Check<S> {
        let given = Given { text: values.to_string(), origin: Origin::Call("values") };
        self.settings.params.insert("values".to_string(), given);
        self
    }

    /// What to ask, separated by commas; all that the protocol should have if nobody says.
    pub fn property(self, names: &str) -> Check<S> {
        self.set("property", names)
    }

    /// A claim about all infinite runs that are fair, in temporal logic; several apart by `;`.
    pub fn ltl(self, formula: &str) -> Check<S> {
        self.set("ltl", formula)
    }

    /// Which infinite runs count, separated by commas: `steps`, `messages`, `weak:NAME@pX` and so on.
    pub fn fairness(self, names: &str) -> Check<S> {
        self.set("fairness", names)
    }

    /// How many times too slow a process may be.
    pub fn speed(self, most: u32) -> Check<S> {
        self.set("speed", most)
    }

    /// Which states to look at: `breadth`, `beam:WIDTH` or `walks:COUNT`.
    pub fn search(self, search: &str) -> Check<S> {
        self.set("search", search)
    }

    /// Searches one state of each set of states that are renamings of each other.
    pub fn symmetry(self) -> Check<S> {
        self.set("symmetry", true)
    }

    /// The most steps from the start.
    pub fn max_depth(self, steps: u64) -> Check<S> {
        self.set("max-depth", steps)
    }

    /// The most distinct states to keep.
    pub fn max_states(self, most: u64) -> Check<S> {
        self.set("max-states", most)
    }

    /// The most memory for the search, such as `1GiB`.
    pub fn max_memory(self, size: &str) -> Check<S> {
        self.set("max-memory", size)
    }

    /// The number of threads; one for each core if nobody says.
    pub fn workers(self, count: usize) -> Check<S> {
        self.set("workers", count)
    }

    /// The seed of searches that choose at random.
    pub fn seed(self, seed: u64) -> Check<S> {
        self.set("seed", seed)
    }

    /// Searches, and gives the verdict. Where what is asked takes several searches, it is that of the first
    /// that finds something wrong, or else of the first that ran into a limit, or else that of the last with
    /// what all of them have seen.
    pub fn run(&self) -> Result<Verdict, Problem> {
        let n = size(&self.settings, S::PROCESSES, S::SIZES, S::COUNTED)?;
        let (plan, effort) = (plan(&self.protocol, n, &self.settings)?, Effort::of(&self.settings)?);
        let params = Params::of(S::PARAMS, &Form::alone::<S>(), &self.settings)?;
        let manner = Manner {
            symmetric: plan.is_symmetric(S::SYMMETRIC),
            absent: self.protocol.absent(),
            cautions: Vec::new(),
        };
        let cautions = self.protocol.cautions(&plan.scenario);
        let mut all: Option<Verdict> = None;
        for inquiry in inquiries(&self.protocol, &params, &plan, Together::AsFarAsPossible)? {
            let mut verdict = inquiry.verdict(|space, question| {
                let search = effort.search_of(manner.symmetric);
                Ok(watchkeeper_explore::check(space, question, &search, &Quiet)?)
            })?;
            manner.spare(&mut verdict);
            let about = cautions.iter().filter(|(property, _)| verdict.property == *property);
            verdict.warnings.extend(about.map(|(_, caution)| caution.clone()));
            if matches!(verdict.outcome, Outcome::Violated(_)) {
                return Ok(verdict);
            }
            // What one search could not find out does not hide what another one finds.
            all = Some(match all {
                None => verdict,
                Some(before) => before.and(verdict),
            });
        }
        all.ok_or_else(|| Problem::Usage(format!("nothing is asked of {}; name a property", S::NAME)))
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
            Ok(verdict) => panic!("{}", self.told(&verdict)),
            Err(problem) => panic!("{}: no verdict: {problem}", S::NAME),
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
            Ok(verdict) => panic!("{}", self.told(&verdict)),
            Err(problem) => panic!("{}: no verdict: {problem}", S::NAME),
        }
    }

    fn set(mut self, name: &'static str, value: impl Display) -> Check<S> {
        self.settings.set(name, value.to_string(), Origin::Call(name));
        self
    }

    /// The verdict as the output of a failed test.
    fn told(&self, verdict: &Verdict) -> String {
        let mut out = format!("{}: {}\n\n", S::NAME, headline(verdict));
        if let Some(trace) = verdict.trace() {
            out.push_str(&Chart::of(trace).text(&Style::default()));
            out.push('\n');
        }
        let rests = verdict.assumptions.iter().map(|assumption| format!("  - {assumption}\n"));
        out.push_str(&format!("Rests on\n{}", rests.collect::<String>()));
        out.extend(warnings(verdict).iter().map(|warning| format!("  ! {warning}\n")));
        out
    }
}
