//! The answer of a simulation, for people and for machines.

use serde_json::{Value, json as value};
use watchkeeper_logic::{ExitCode, Limit};
use watchkeeper_report::{Chart, Style, duration, thousands};
use watchkeeper_sim::{Campaign, CampaignOutcome, FailedRun, RunOracle, SimulationSummary};

/// What came of a simulation.
pub(crate) struct SimulationReport<'a> {
    pub(crate) protocol: &'a str,
    pub(crate) campaign: &'a Campaign,
    pub(crate) outcome: &'a CampaignOutcome,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
    /// What ended it before all seeds were tried.
    pub(crate) limit: Option<Limit>,
    /// The command that gives it again.
    pub(crate) again: String,
    /// Whether the protocol alone was simulated.
    pub(crate) bare: bool,
}

impl SimulationReport<'_> {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match (&self.outcome.failure, self.outcome.stopped) {
            (Some(_), _) => ExitCode::SAFETY,
            (None, true) => ExitCode::UNKNOWN,
            (None, false) => ExitCode::HOLDS,
        }
    }

    /// The answer in one line.
    pub(crate) fn headline(&self) -> String {
        let SimulationSummary { runs, .. } = self.outcome.summary;
        let runs = counted(runs, "run", "runs");
        match (&self.outcome.failure, self.outcome.stopped) {
            (Some(failed), _) => {
                format!("FAILS: {} with seed {}: {}", self.protocol, failed.seed, first_line(failed))
            }
            (None, true) => {
                let limit = match &self.limit {
                    Some(Limit::Time(time)) => format!("the time of {time} was up"),
                    _ => "it was interrupted".to_string(),
                };
                format!("UNKNOWN: {limit} after {runs} of {}, none of which fails", self.protocol)
            }
            (None, false) => format!("PASSES: none of {runs} of {} fails", self.protocol),
        }
    }

    /// What was to happen and never did.
    fn warnings(&self) -> Vec<String> {
        if self.outcome.failure.is_some() {
            return Vec::new();
        }
        let never = self.campaign.never_happened(&self.outcome.summary).into_iter();
        let mut warnings: Vec<String> = never
            .map(|family| format!("no fault of the family {family} ever happened: try more seeds"))
            .collect();
        if self.outcome.summary.follows == 0 {
            warnings.push("no run followed the model, so nothing was asked that rests on it".to_string());
        }
        warnings
    }
}

fn first_line(failed: &FailedRun) -> String {
    failed.shortest.to_string().lines().next().unwrap_or_default().to_string()
}

/// The answer for people.
pub(crate) fn text(report: &SimulationReport<'_>, style: &Style) -> String {
    let mut out = format!("{}\n", report.headline());
    if let Some(failed) = &report.outcome.failure {
        out.push_str(&failure(failed, style));
    }
    out.push_str("\nSimulated\n");
    figures(report).iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    let warnings = report.warnings();
    if !warnings.is_empty() {
        out.push_str("\nWarnings\n");
        warnings.iter().for_each(|line| out.push_str(&format!("  - {line}\n")));
    }
    out.push_str(&format!("\nAgain (version {})\n  {}\n", env!("CARGO_PKG_VERSION"), report.again));
    out
}

fn failure(failed: &FailedRun, style: &Style) -> String {
    let mut out = format!("\n{}\n", failed.shortest);
    out.push_str("\nThe last steps of the shortest run found that fails so\n");
    out.push_str(&Chart::of(&failed.shortest.trace).text(style));
    let (before, after) = (failed.plan.faults.len(), failed.shortened.faults.len());
    out.push_str(&format!(
        "\nIts plan, shortened from {} to {} (run it again with --plan FILE)\n",
        counted(before as u64, "fault", "faults"),
        after
    ));
    failed.shortened.to_string().lines().for_each(|line| out.push_str(&format!("  {line}\n")));
    out
}

/// What was counted.
fn figures(report: &SimulationReport<'_>) -> Vec<String> {
    let SimulationSummary { runs, simulated, steps, messages, faults, follows, broken, asked, .. } =
        &report.outcome.summary;
    let hours = *simulated as f64 / 1e9;
    let mut lines = vec![
        format!(
            "{} of {}, {} in all, {} runs per CPU second",
            counted(*runs, "run", "runs"),
            if report.bare { "the protocol alone" } else { "whole nodes" },
            duration(hours),
            thousands((*runs as f64 / report.cpu_seconds.max(1e-9)) as u64)
        ),
        format!("{}, {}", counted(*steps, "step", "steps"), counted(*messages, "message", "messages")),
    ];
    let listed: Vec<String> =
        faults.iter().map(|(family, count)| format!("{} {family}", thousands(*count))).collect();
    lines.push(format!("faults: {}", if listed.is_empty() { "none".to_string() } else { listed.join(", ") }));
    let listed: Vec<String> =
        broken.iter().map(|(name, count)| format!("{} {name}", thousands(*count))).collect();
    let departs = if listed.is_empty() {
        String::new()
    } else {
        format!("; departs, by assumption: {}", listed.join(", "))
    };
    lines.push(format!("replay: {} follow the model{departs}", thousands(*follows)));
    lines.push(format!("requirements were asked {} times", thousands(*asked)));
    lines
}

/// How far it is.
pub(crate) fn progress(summary: &SimulationSummary, seconds: f64) -> String {
    let failures: u64 = summary.failures.values().sum();
    format!(
        "{} runs, {} simulated, {} runs/s, {} follow, {failures} fail",
        thousands(summary.runs),
        duration(summary.simulated as f64 / 1e9),
        thousands((summary.runs as f64 / seconds.max(1e-9)) as u64),
        thousands(summary.follows),
    )
}

/// The answer for machines.
pub(crate) fn json(report: &SimulationReport<'_>) -> String {
    let SimulationSummary { runs, simulated, steps, messages, faults, follows, broken, asked, failures } =
        &report.outcome.summary;
    let by_name = |pairs: &mut dyn Iterator<Item = (String, u64)>| {
        Value::Object(pairs.map(|(name, count)| (name, Value::from(count))).collect())
    };
    let failure = report.outcome.failure.as_ref().map(|failed| {
        value!({
            "seed": failed.seed,
            "oracle": failed.shortest.oracle.name(),
            "what": failed.shortest.what,
            "plan": failed.plan.to_string(),
            "shortened": failed.shortened.to_string(),
        })
    });
    let document = value!({
        "watchkeeper": "simulation",
        "version": 1,
        "program": env!("CARGO_PKG_VERSION"),
        "protocol": report.protocol,
        "passes": report.outcome.failure.is_none() && !report.outcome.stopped,
        "exit_code": report.exit_code().0,
        "headline": report.headline(),
        "bare": report.bare,
        "seeds": [report.campaign.seeds.start, report.campaign.seeds.end],
        "sizes": report.campaign.sizes,
        "nemesis": report.campaign.nemesis.families().iter().map(|family| family.name()).collect::<Vec<_>>(),
        "runs": runs,
        "simulated_seconds": *simulated as f64 / 1e9,
        "seconds": report.seconds,
        "cpu_seconds": report.cpu_seconds,
        "steps": steps,
        "messages": messages,
        "faults": by_name(&mut faults.iter().map(|(family, count)| (family.to_string(), *count))),
        "follows": follows,
        "departs": by_name(&mut broken.iter().map(|(name, count)| (name.to_string(), *count))),
        "requirements_asked": asked,
        "failures": by_name(&mut RunOracle::ALL.iter().map(|oracle| {
            (oracle.to_string(), failures.get(oracle).copied().unwrap_or(0))
        })),
        "failure": failure,
        "warnings": report.warnings(),
        "command": report.again,
    });
    format!("{document:#}\n")
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}
