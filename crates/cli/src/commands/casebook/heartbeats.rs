//! The case `heartbeats`: Tables 3.1 and 3.2, cell by cell.

use super::{CaseRun, said};
use clap::{Args, ValueEnum};
use watchkeeper::Problem;
use watchkeeper_casebook::heartbeats::{HeartbeatSelection, TimeDomain, table};
use watchkeeper_core::MAX_PROCESSES;
use watchkeeper_logic::ExitCode;
use watchkeeper_protocols::heartbeat::HeartbeatVariant;

/// The names of the protocols.
pub(super) const NAMES: [&str; 6] = [
    HeartbeatVariant::Binary.name(),
    HeartbeatVariant::Revised.name(),
    HeartbeatVariant::TwoPhase.name(),
    HeartbeatVariant::Static.name(),
    HeartbeatVariant::Expanding.name(),
    HeartbeatVariant::Dynamic.name(),
];

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct HeartbeatsArgs {
    /// How time passes: ticks, dense, or both, to be compared cell by cell [default: both]
    #[arg(long, value_name = "MODEL", hide_possible_values = true)]
    time: Option<Domains>,

    /// Only the corrected protocols
    #[arg(long, conflicts_with = "original")]
    corrected: bool,

    /// Only the protocols as they were published
    #[arg(long)]
    original: bool,

    /// Only this protocol, or these, separated by commas: binary, revised, two-phase, static, expanding, dynamic
    #[arg(long, value_name = "NAMES")]
    protocol: Option<String>,

    /// The participants of static, expanding and dynamic [default: 2 for static, 1 for the others]
    #[arg(long, value_name = "N")]
    n: Option<String>,
}

/// The models of time that a word stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Domains {
    Ticks,
    Dense,
    Both,
}

impl HeartbeatsArgs {
    /// Computes the published tables again. A cell that is not the one that was verified before is a failure.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let selection = self.selection()?;
        let time = self.time.and_then(|time| time.to_possible_value());
        case.line.maybe("time", time.as_ref().map(|time| time.get_name()));
        case.switch("corrected", self.corrected);
        case.switch("original", self.original);
        case.line.maybe("protocol", self.protocol.as_ref());
        case.line.maybe("n", self.n.as_ref());
        case.tabulate(|search| table(&selection, search))
    }

    fn selection(&self) -> Result<HeartbeatSelection, Problem> {
        let mut selection = HeartbeatSelection::default();
        match self.time {
            Some(Domains::Ticks) => selection.domains = vec![TimeDomain::Ticks],
            Some(Domains::Dense) => selection.domains = vec![TimeDomain::Dense],
            Some(Domains::Both) | None => {}
        }
        if let Some(given) = said("protocol", &self.protocol) {
            selection.variants = given.parsed_list::<HeartbeatVariant>()?;
            if selection.variants.is_empty() {
                return Err(given.refused(format!("no protocol is named; choose from {}", NAMES.join(", "))));
            }
        }
        if let Some(given) = said("n", &self.n) {
            let most = MAX_PROCESSES - 1;
            let n: usize = given.parsed()?;
            if !(1..=most).contains(&n) {
                let why = format!("{n} participants are not possible; choose from 1 to {most}");
                return Err(given.refused(why));
            }
            selection.participants = Some(n);
        }
        match (self.original, self.corrected) {
            (true, _) => selection.corrected = vec![false],
            (_, true) => selection.corrected = vec![true],
            _ => {}
        }
        Ok(selection)
    }
}
