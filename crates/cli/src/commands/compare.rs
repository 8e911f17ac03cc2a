//! `compare`: the quality of service of several failure detectors on the same network, with the same seeds, in one table; and
//! with `--modulo`, whether two state spaces are equivalent.

mod spaces;

use crate::arguments::params_of;
use crate::command_line::CommandLine;
use crate::measuring::{Contender, DetectorComparison, MeasurementFlags, NetworkFlags};
use crate::models::ViewArgs;
use crate::outlet::Outlet;
use crate::program::Program;
use crate::raw_settings::RawValue;
use crate::registry;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;

const OUTPUT: &str = "Output";
const SPACES: &str = "State spaces";

/// All flags of `compare`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CompareArgs {
    /// Failure detectors, each with parameters of its own, such as nfd-s:eta=1s,delta=50ms; with --modulo two models, named as
    /// `refine` names them
    #[arg(value_name = "PROTOCOL[:NAME=VALUE,...]", required = true)]
    contenders: Vec<String>,

    /// Compare the state spaces of two models: modulo strong, branching, divergence-preserving-branching, weak-trace or trace
    /// equivalence
    #[arg(long, value_name = "KIND", help_heading = SPACES)]
    modulo: Option<String>,

    #[command(flatten)]
    view: ViewArgs,

    /// The number of processes of all of them [default: each protocol chooses]
    #[arg(long, value_name = "N")]
    n: Option<String>,

    #[command(flatten)]
    network: NetworkFlags,
    #[command(flatten)]
    measurement: MeasurementFlags,

    /// Print the table as Markdown
    #[arg(long, help_heading = OUTPUT)]
    markdown: bool,

    /// Write all figures as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Draw the accuracy of each against its detection time
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,

    /// Print nothing but errors
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

/// What is written beside the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Json,
    Svg,
}

/// Compares what the arguments name.
pub(crate) fn run(program: &Program, args: &CompareArgs) -> Result<ExitCode, Problem> {
    if let Some(modulo) = &args.modulo {
        return spaces::run(program, args, modulo);
    }
    spaces::refuse(program, args)?;
    let outlet = Outlet::new(args.quiet, [(Form::Json, &args.json), (Form::Svg, &args.svg)])?;
    let origin = SettingOrigin::Argument("--n".to_string());
    let n = args.n.as_ref().map(|text| RawValue { value: text.clone(), origin });
    let profile = Arc::new(args.network.profile()?);
    let contender = |text: &String| {
        let (name, params) = text.split_once(':').unwrap_or((text, ""));
        let entry = registry::named(program, Some(name), "compare")?;
        let given = params_of(&pairs(params))?;
        Contender::new(entry, (n.as_ref(), given), (&args.network, &profile), &args.measurement)
    };
    let contenders = args.contenders.iter().map(contender).collect::<Result<Vec<_>, _>>()?;
    let again = again(program, args, contenders.first());
    let title = "Detectors".to_string();
    let comparison =
        DetectorComparison::measured(program, contenders, title, None, (&args.measurement, args.quiet))?;
    let report = || {
        let table = comparison.table(&args.network);
        if args.markdown { table.markdown() } else { format!("{}\nAgain\n  {again}\n", table.text()) }
    };
    let content = |form| match form {
        Form::Json => Ok(comparison.json(program, (&args.network, &args.measurement), &again)),
        Form::Svg => Ok(comparison.plot(&args.network).svg()),
    };
    outlet.leave(report, content)?;
    Ok(comparison.exit_code())
}

/// Parameters between commas; a part without a name belongs to the value before it.
fn pairs(text: &str) -> Vec<String> {
    let mut pairs: Vec<String> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        match pairs.last_mut() {
            Some(last) if !part.contains('=') => last.push_str(&format!(",{part}")),
            _ => pairs.push(part.to_string()),
        }
    }
    pairs
}

fn again(program: &Program, args: &CompareArgs, first: Option<&Contender<'_>>) -> String {
    let words: Vec<&str> =
        ["compare"].into_iter().chain(args.contenders.iter().map(String::as_str)).collect();
    let mut line = CommandLine::new(&program.name, &words);
    line.maybe("n", args.n.as_ref());
    args.network.add_to(&mut line);
    if let Some(first) = first {
        args.measurement.add_to(&mut line, &first.plan, None);
    }
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_have_commas() {
        assert_eq!(pairs("leavers=p0,p2,period=1s"), ["leavers=p0,p2", "period=1s"]);
        assert!(pairs("").is_empty());
    }
}
