//! `--at`: the same system at one point, searched by the explicit engine. What is proven of all parameters can so be
//! seen of some, and what fails has its shortest run there, beside that of the witness. It asks no solver.

use super::ProveArgs;
use super::request::ProofRequest;
use super::runs::{posed, shortest, witnessed};
use crate::arguments::OutputArgs;
use crate::job::{Job, style};
use crate::outputs::{print, to_stderr};
use crate::raw_settings::RawSettings;
use std::path::Path;
use watchkeeper::plan::ReportOptions;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, Query, SettingOrigin};
use watchkeeper_logic::ExitCode;
use watchkeeper_prove::{InstanceError, ProofGoal, System, SystemInstance};
use watchkeeper_report::render_run;

/// Searches the claims at a point.
pub(super) fn run(
    args: &ProveArgs,
    request: &ProofRequest,
    at: &str,
    settings: &RawSettings,
    command: &str,
) -> Result<ExitCode, Problem> {
    let output = OutputArgs {
        json: args.json.clone(),
        chart: args.chart.clone(),
        quiet: args.quiet,
        no_color: args.no_color,
        ascii: args.ascii,
        ..OutputArgs::default()
    };
    let job = Job::new(SearchOptions::of(&settings.read()?)?, &output)?;
    let mut searches = Vec::new();
    let mut outside = Vec::new();
    let (mut runs, mut witnesses) = (Vec::new(), Vec::new());
    let mut dense = false;
    for case in &request.cases {
        let system = case.system();
        let values = values(system, at)?;
        let instance = match SystemInstance::new(system, &values) {
            Ok(instance) => instance,
            Err(error) => {
                outside.push((case.name(), error));
                continue;
            }
        };
        if let ProofGoal::Fails(refutation) = case {
            witnesses.extend(witnessed(refutation, &values).map(|run| (case.name(), run)));
        }
        dense |= system.dense;
        let (space, question) = posed(instance, case.property())?;
        searches.push(Query::new(Box::new(space), question));
    }
    if let (true, Some((_, error))) = (searches.is_empty(), outside.first()) {
        return Err(Problem::Value {
            origin: SettingOrigin::Argument("--at".to_string()),
            why: refused(error),
        });
    }
    let code = job.ask_all(searches, &ReportOptions::default(), command)?;
    if args.quiet {
        return Ok(code);
    }
    let mut more = String::new();
    if code == ExitCode::SAFETY {
        // The chart of a system without processes shows only steps; these are the states.
        for case in &request.cases {
            let run = shortest(case.system(), case.property(), &values(case.system(), at)?)?;
            runs.extend(run.map(|run| (case.name(), run)));
        }
    }
    for (name, run) in runs.iter().chain(&witnesses) {
        more.push_str(&format!("\n{name}{}", render_run(run, &style(args.no_color, args.ascii))));
    }
    if dense {
        more.push_str("\nnote: here numbers are whole, and the theorem is about all real numbers\n");
    }
    for (name, error) in &outside {
        more.push_str(&format!("\nnote: {name} is not about this point: {}\n", refused(error)));
    }
    if args.json.as_deref() == Some(Path::new("-")) {
        to_stderr(&more);
    } else {
        print(&more)?;
    }
    Ok(code)
}

fn refused(error: &InstanceError) -> String {
    match error {
        InstanceError::Assumption(_) => format!("{error}, which the theorem assumes; choose others"),
        other => other.to_string(),
    }
}

/// The values of the parameters in their order: `Delta=2,Phi=4`.
fn values(system: &System, text: &str) -> Result<Vec<i64>, Problem> {
    let origin = || SettingOrigin::Argument("--at".to_string());
    let names: Vec<&str> = system.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let example = || names.iter().map(|name| format!("{name}=2")).collect::<Vec<_>>().join(",");
    let wrong = |why: String| Problem::Value { origin: origin(), why };
    let mut given: Vec<Option<i64>> = vec![None; names.len()];
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, number) = part
            .split_once('=')
            .ok_or_else(|| wrong(format!("`{part}` gives no parameter a value; write {}", example())))?;
        let Some(place) = names.iter().position(|known| *known == name.trim()) else {
            let known = names.iter().map(ToString::to_string).collect();
            return Err(Problem::Unknown {
                origin: origin(),
                what: "parameter",
                name: name.trim().to_string(),
                known,
            });
        };
        let number = number.trim().parse().ok().filter(|number: &i64| number.abs() <= 1_000_000);
        let number = number.ok_or_else(|| wrong(format!("`{part}` is not a number of at most 1,000,000")))?;
        if given[place].replace(number).is_some() {
            return Err(wrong(format!("`{}` has two values; leave one of them out", names[place])));
        }
    }
    let missing: Vec<&str> =
        names.iter().zip(&given).filter(|(_, value)| value.is_none()).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        return Err(wrong(format!(
            "no value for {}; write all of them, such as {}",
            missing.join(", "),
            example()
        )));
    }
    Ok(given.into_iter().flatten().collect())
}
