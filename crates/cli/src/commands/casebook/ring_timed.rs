//! The case `ring-timed`: one of its models, or what the thesis claims of all of them.

use super::{CaseRun, modelless, out_of_range};
use clap::Args;
use watchkeeper::Problem;
use watchkeeper_casebook::ring::Crash;
use watchkeeper_casebook::ring_timed::{
    ClockReading, MessageOrder, RingTimedCase, TimedQuestion, TimedVariant, table,
};
use watchkeeper_logic::ExitCode;
use watchkeeper_space::Space;

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct RingTimedArgs {
    /// The detector: weak-completeness, weak-accuracy, strong-accuracy or strong-completeness; without one, every
    /// claim is examined
    #[arg(long, value_name = "MODEL")]
    model: Option<TimedVariant>,

    /// In what order messages arrive: any or fifo
    #[arg(long, value_name = "ORDER", requires = "model", default_value_t = MessageOrder::Any)]
    order: MessageOrder,

    /// How many messages a channel has room for
    #[arg(long, value_name = "N", requires = "model", default_value_t = 1)]
    buffer: u32,

    /// The bound on a round trip, and the longest timeout
    #[arg(long, value_name = "T", requires = "model", default_value_t = 2)]
    max_delta: u32,

    /// From when the bound counts: every-resend or oldest-unanswered
    #[arg(long, value_name = "READING", requires = "model", default_value_t = ClockReading::EveryResend)]
    clock: ClockReading,

    /// When p1 crashes: never, any-time or at-start
    #[arg(long, value_name = "WHEN", requires = "model", default_value_t = Crash::AtStart)]
    crash: Crash,

    /// What to ask: mutual-block, deadlock, new-suspicion, never-in-G, or the monitor of a figure: weak-accuracy,
    /// strong-accuracy or strong-completeness [default: mutual-block]
    #[arg(long, value_name = "QUESTION", requires = "model")]
    ask: Option<TimedQuestion>,

    /// Examine the claims with hundreds of thousands of states and more too
    #[arg(long, conflicts_with = "model")]
    heavy: bool,
}

impl RingTimedArgs {
    /// Searches one model, or examines every claim. A claim that is not answered as before is a failure.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let Some(variant) = self.model else {
            case.switch("heavy", self.heavy);
            return case.tabulate(|search| table(self.heavy, search));
        };
        let ring = self.case(variant)?;
        let asked = self.ask.unwrap_or(TimedQuestion::MutualBlock);
        case.line.flag("model", variant);
        case.line.flag("order", self.order);
        case.line.flag("buffer", self.buffer);
        case.line.flag("max-delta", self.max_delta);
        case.line.flag("clock", self.clock);
        case.line.flag("crash", self.crash);
        case.line.flag("ask", <&str>::from(asked));
        let space = ring.space();
        let question = asked.question(&space);
        case.solve(space, question)
    }
    /// The space of its model.
    pub(super) fn space(&self) -> Result<Box<dyn Space>, Problem> {
        let variant = self.model.ok_or_else(|| modelless("ring-timed"))?;
        Ok(Box::new(self.case(variant)?.space()))
    }

    fn case(&self, variant: TimedVariant) -> Result<RingTimedCase, Problem> {
        let ring = RingTimedCase::new(variant, self.order, self.buffer, self.max_delta, self.clock);
        let mut ring = ring.map_err(out_of_range)?;
        ring.crash = self.crash;
        Ok(ring)
    }
}
