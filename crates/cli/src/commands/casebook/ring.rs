//! The case `ring`: one of its models, or the published table.

use super::{CaseRun, modelless, out_of_range};
use crate::raw_settings::RawSettings;
use clap::Args;
use watchkeeper::{Problem, model_claims};
use watchkeeper_casebook::ring::{Crash, FullChannel, RingCase, RingModel, RingNetwork, table};
use watchkeeper_logic::{ExitCode, Invariant, Monitor, Question};
use watchkeeper_space::{AtomId, Space};

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct RingArgs {
    /// The published model: process-algebra, csp, tasks, or tasks-atomic; without one, the whole table is computed
    /// again
    #[arg(long, value_name = "MODEL")]
    model: Option<RingModel>,

    /// What a full channel does: block, report or ignore
    #[arg(long, value_name = "KIND", requires = "model", default_value_t = FullChannel::Block)]
    channel: FullChannel,

    /// How many messages a channel has room for
    #[arg(long, value_name = "N", requires = "model", default_value_t = 1)]
    buffer: u32,

    /// When p1 crashes: never, any-time or at-start
    #[arg(long, value_name = "WHEN", requires = "model", default_value_t = Crash::AnyTime)]
    crash: Crash,

    /// Ask whether p0 can stop suspecting the crashed p1 K times, instead of whether there is a deadlock
    #[arg(long, value_name = "K", requires = "model", value_parser = clap::value_parser!(u32).range(1..))]
    oscillations: Option<u32>,

    /// Ask whether a formula of linear temporal logic holds of every fair infinite run: atoms are crashed(p1),
    /// suspects(p0,p1) and within-capacity
    #[arg(long, value_name = "FORMULA", requires = "model", conflicts_with_all = ["oscillations", "count"])]
    ltl: Option<String>,

    /// The fairness of infinite runs: steps, processes, or weak:NAME and strong:NAME for a class of steps, separated by commas
    #[arg(long, value_name = "NAMES", requires = "ltl")]
    fairness: Option<String>,

    /// Ask nothing: search the whole space, past deadlocks and errors, and count it
    #[arg(long, conflicts_with = "oscillations", requires = "model")]
    count: bool,

    /// Search the lines of the table with tens to hundreds of millions of states too
    #[arg(long, conflicts_with = "model")]
    heavy: bool,
}

impl RingArgs {
    /// Searches one model, or computes the published table again. A line with another answer than the printed one is
    /// a failure.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let Some(model) = self.model else {
            case.switch("heavy", self.heavy);
            return case.tabulate(|search| table(self.heavy, search));
        };
        let ring = RingCase::new(model, self.channel, self.buffer, self.crash).map_err(out_of_range)?;
        case.line.flag("model", model);
        case.line.flag("channel", self.channel);
        case.line.flag("buffer", self.buffer);
        case.line.flag("crash", self.crash);
        case.line.maybe("oscillations", self.oscillations);
        case.switch("count", self.count);
        let space = ring.space();
        case.line.maybe("ltl", self.ltl.as_deref());
        case.line.maybe("fairness", self.fairness.as_deref());
        let question = match self.claims(&space)? {
            Some(claims) => claims,
            None if self.count => Question::default(),
            None => self.question(&space),
        };
        case.solve(space, question)
    }

    /// The question of a formula, if there is one.
    fn claims(&self, space: &RingNetwork) -> Result<Option<Question>, Problem> {
        let mut settings = RawSettings::default();
        settings.flag("ltl", &self.ltl);
        settings.flag("fairness", &self.fairness);
        model_claims(&settings.read()?, space.shape(), space.local_states().len())
    }

    /// The space of its model.
    pub(super) fn space(&self) -> Result<Box<dyn Space>, Problem> {
        let model = self.model.ok_or_else(|| modelless("ring"))?;
        let ring = RingCase::new(model, self.channel, self.buffer, self.crash).map_err(out_of_range)?;
        Ok(Box::new(ring.space()))
    }

    /// The published question: an overflow where channels report, a deadlock elsewhere, unless oscillations
    /// are asked for.
    fn question(&self, space: &RingNetwork) -> Question {
        let atom = |name: &str| -> AtomId {
            space.shape().atom(name).unwrap_or_else(|| panic!("a published model without the atom {name}"))
        };
        if let Some(times) = self.oscillations {
            let monitor = Monitor::oscillation(atom("crashed(p1)"), atom("suspects(p0,p1)"), times);
            return Question { monitor: Some(monitor), ..Question::default() };
        }
        if self.channel != FullChannel::Report {
            return Question::no_deadlock();
        }
        let name = "within-capacity";
        let invariant = Invariant { name: name.to_string(), when: None, then: atom(name) };
        Question { invariants: vec![invariant], ..Question::default() }
    }
}
