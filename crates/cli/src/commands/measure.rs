//! `measure`: the quality of service of a failure detector on a network: how soon it detects a crash, how often and for how
//! long it suspects wrongly, and what it costs.

use crate::arguments::params_of;
use crate::command_line::CommandLine;
use crate::measuring::{Contender, DetectorComparison, MeasurementFlags, NetworkFlags, json, plot, text};
use crate::outlet::Outlet;
use crate::program::Program;
use crate::raw_settings::RawValue;
use crate::registry;
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::{ExitCode, Limit};

const OUTPUT: &str = "Output";

/// All flags of `measure`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MeasureArgs {
    /// The name of a failure detector
    protocol: Option<String>,

    /// The number of processes [default: the protocol chooses]
    #[arg(long, value_name = "N")]
    n: Option<String>,

    /// A parameter of the protocol; a duration may have a unit, such as eta=1s; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,

    #[command(flatten)]
    network: NetworkFlags,
    #[command(flatten)]
    measurement: MeasurementFlags,

    /// Write the figures as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Draw how the detection times are spread, with the proved bound; of a family, accuracy against detection
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,

    /// Measure once for each of these values of a parameter
    #[arg(long, value_name = "NAME=VALUE,VALUE,...", help_heading = OUTPUT)]
    family: Option<String>,

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

/// Measures what the arguments name.
pub(crate) fn run(program: &Program, args: &MeasureArgs) -> Result<ExitCode, Problem> {
    let outlet = Outlet::new(args.quiet, [(Form::Json, &args.json), (Form::Svg, &args.svg)])?;
    let entry = registry::named(program, args.protocol.as_deref(), "measure")?;
    let origin = SettingOrigin::Argument("--n".to_string());
    let n = args.n.as_ref().map(|text| RawValue { value: text.clone(), origin });
    let profile = Arc::new(args.network.profile()?);
    let given = params_of(&args.param)?;
    let contender =
        |given| Contender::new(entry, (n.as_ref(), given), (&args.network, &profile), &args.measurement);
    if let Some(family) = &args.family {
        let family = members(family, &given)?.into_iter().map(contender).collect::<Result<Vec<_>, _>>()?;
        return compared(program, args, family, &outlet);
    }
    let contender = contender(given)?;
    let measured = contender.measured(program, &args.measurement, args.quiet)?;
    let again = contender.again(program, (&args.network, &args.measurement), measured.found.batches);
    let content = |form| match form {
        Form::Json => Ok(format!("{:#}\n", json(&contender, &measured, &args.network, &again))),
        Form::Svg => Ok(plot(&contender, &measured, &args.network).svg()),
    };
    outlet.leave(|| text(&contender, &measured, &args.network, &again), content)?;
    Ok(match measured.limit {
        Some(Limit::Interrupted) => ExitCode::UNKNOWN,
        _ => ExitCode::HOLDS,
    })
}

/// Measures a family, one member after the other.
fn compared(
    program: &Program,
    args: &MeasureArgs,
    family: Vec<Contender<'_>>,
    outlet: &Outlet<Form>,
) -> Result<ExitCode, Problem> {
    let again = family.first().map_or(String::new(), |first| again(program, args, first));
    let name = args.family.as_deref().and_then(|family| family.split('=').next()).unwrap_or_default().trim();
    let protocol = family.first().map_or("", |first| first.entry.name());
    let given = args.param.iter().map(|pair| format!(", {pair}")).collect::<String>();
    let title = format!("{protocol} by {name}{given}");
    let comparison = DetectorComparison::measured(
        program,
        family,
        title,
        Some(name.to_string()),
        (&args.measurement, args.quiet),
    )?;
    let content = |form| match form {
        Form::Json => Ok(comparison.json(program, (&args.network, &args.measurement), &again)),
        Form::Svg => Ok(comparison.plot(&args.network).svg()),
    };
    let report = || format!("{}\nAgain\n  {again}\n", comparison.table(&args.network).text());
    outlet.leave(report, content)?;
    Ok(comparison.exit_code())
}

/// The parameters of each member of a family.
fn members(
    family: &str,
    given: &BTreeMap<String, RawValue>,
) -> Result<Vec<BTreeMap<String, RawValue>>, Problem> {
    let origin = SettingOrigin::Argument(format!("--family {family}"));
    let Some((name, values)) = family.split_once('=').filter(|(_, values)| !values.trim().is_empty()) else {
        return Err(origin.refused("expected NAME=VALUE,VALUE,..., such as delta=50ms,100ms"));
    };
    if let Some(other) = given.get(name.trim()) {
        return Err(other.refused("--family gives this parameter its values; leave it out"));
    }
    let member = |value: &str| {
        let value = RawValue { value: value.trim().to_string(), origin: origin.clone() };
        given.clone().into_iter().chain([(name.trim().to_string(), value)]).collect()
    };
    Ok(values.split(',').map(member).collect())
}

/// The command that measures the family again.
fn again(program: &Program, args: &MeasureArgs, contender: &Contender<'_>) -> String {
    let mut line = CommandLine::new(&program.name, &["measure", contender.entry.name()]);
    line.maybe("n", args.n.as_ref());
    args.param.iter().for_each(|pair| line.flag("param", pair));
    line.maybe("family", args.family.as_ref());
    args.network.add_to(&mut line);
    args.measurement.add_to(&mut line, &contender.plan, None);
    line.to_string()
}
