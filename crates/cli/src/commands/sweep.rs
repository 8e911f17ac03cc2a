//! `sweep`: a property over a grid of parameters. Its verdicts are a map, and its exit code says whether the
//! map is complete.

use crate::again;
use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::clock::Showing;
use crate::command_line::CommandLine;
use crate::commands::check::named;
use crate::job;
use crate::outlet::Outlet;
use crate::program::Program;
use crate::registry::ProtocolEntry;
use crate::sweep::cells::{CellOutcome, SweepProgress, search};
use crate::sweep::findings::SweepFindings;
use crate::sweep::grid::SweepGrid;
use clap::Args;
use std::path::PathBuf;
use watchkeeper::Problem;
use watchkeeper::plan::CheckPlan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper_logic::ExitCode;
use watchkeeper_report::{Region, RunFacts, Style, duration};
use watchkeeper_world::WorldTime;

const OUTPUT: &str = "Output";

/// All flags of `sweep`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    search: SearchArgs,

    /// Write every cell as comma-separated values, with its witness; - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    csv: Option<PathBuf>,

    /// Draw a map of each property
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,

    /// Write every cell as JSON; - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Print nothing but errors
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    no_color: bool,

    /// Draw maps with plain characters
    #[arg(long, help_heading = OUTPUT)]
    ascii: bool,
}

/// Sweeps over what the arguments say.
pub(crate) fn run(program: &Program, args: &SweepArgs) -> Result<ExitCode, Problem> {
    let (entry, texts) = named(program, &args.scenario, &args.search, "sweep")?;
    let grid = SweepGrid::of(entry, texts)?;
    let options = SearchOptions::of(&grid.settings(0).read()?)?;
    job::announce(&options, args.quiet);
    let plan = outline(entry, &grid)?;
    let properties: Vec<String> = plan.asked.iter().map(ToString::to_string).collect();
    let files = [(Form::Csv, &args.csv), (Form::Svg, &args.svg), (Form::Json, &args.json)];
    let outlet = Outlet::new(args.quiet, files)?;
    let progress = SweepProgress::over(grid.len(), options.timeout, Showing::fitting(args.quiet));
    let fates = search(entry, &program.name, &grid, &options, &progress)?;
    if let (Some(CellOutcome::Impossible(why)), true) =
        (fates.first(), fates.iter().all(|fate| matches!(fate, CellOutcome::Impossible(_))))
    {
        return Err(why.clone());
    }
    let findings = SweepFindings { grid: &grid, properties: &properties, fates: &fates };
    let command = command(program, entry, &grid, &properties, &options);
    let run = job::cost(command, progress.seconds());
    let region = findings.region(title(entry, &findings, &plan));
    let conjectures = region.panels.iter().map(|panel| panel.caption.clone()).collect();
    let table = findings.table(region.title.clone(), conjectures);
    let content = |form| match form {
        Form::Csv => table.csv(),
        Form::Svg => region.svg(),
        Form::Json => table.json(&run),
    };
    let style = job::style(args.no_color, args.ascii);
    outlet.leave(|| report(&region, &findings, &run, &style), |form| Ok(content(form)))?;
    Ok(findings.exit_code())
}

/// The plan of the first cell that is a configuration; what is asked is the same in every cell.
fn outline(entry: &ProtocolEntry, grid: &SweepGrid) -> Result<CheckPlan, Problem> {
    let mut first = None;
    for cell in 0..grid.len() {
        match grid.settings(cell).read().and_then(|settings| entry.protocol.plan(&settings)) {
            Ok(plan) => return Ok(plan),
            Err(problem) => {
                first.get_or_insert(problem);
            }
        }
    }
    Err(first.unwrap_or_else(|| Problem::Usage("there is no cell".to_string())))
}

/// The command that gives these maps again: the first cell's, with the ranges in place of its values.
fn command(
    program: &Program,
    entry: &ProtocolEntry,
    grid: &SweepGrid,
    properties: &[String],
    options: &SearchOptions,
) -> String {
    let mut line = CommandLine::new(&program.name, &["sweep", entry.name()]);
    for axis in grid.axes() {
        match entry.outline().params.iter().any(|param| param.name == axis.name) {
            true => line.param(axis.name, &axis.to_string()),
            false => line.flag(axis.name, axis),
        }
    }
    grid.say_rest(&mut line);
    line.flag("property", properties.join(","));
    again::search_flags(&mut line, options);
    line.to_string()
}

/// What is written beside the report.
#[derive(Clone, Copy)]
enum Form {
    Csv,
    Svg,
    Json,
}

/// The maps, the shortest failures, and how it was done.
fn report(region: &Region, findings: &SweepFindings<'_>, run: &RunFacts, style: &Style) -> String {
    let mut report = region.text(style);
    let examples = findings.examples();
    if !examples.is_empty() {
        report.push_str(&format!("\nShortest failures\n{examples}"));
    }
    let cells = findings.fates.iter().filter(|fate| matches!(fate, CellOutcome::Searched(_))).count();
    report.push_str(&format!("\n{cells} cells in {}\n\nAgain\n  {}\n", duration(run.seconds), run.command));
    report
}

/// The protocol, what is the same in every cell, and what is asked.
fn title(entry: &ProtocolEntry, findings: &SweepFindings<'_>, plan: &CheckPlan) -> String {
    let moving = |name: &str| findings.grid.axes().any(|axis| axis.name == name);
    let mut words = vec![entry.name().to_string()];
    for param in entry.outline().params.iter().filter(|param| !moving(param.name)) {
        match findings.grid.param(param.name) {
            Some("true") => words.push(param.name.to_string()),
            Some("false") | None => {}
            Some(text) => words.push(format!("{} = {text}", param.name)),
        }
    }
    if !moving("n") {
        let n = plan.usual.n;
        let counted =
            if n == 1 { entry.outline().counted.trim_end_matches('s') } else { entry.outline().counted };
        words.push(format!("{n} {counted}"));
    }
    words.push(match plan.scenario.time {
        WorldTime::Untimed => "untimed".to_string(),
        WorldTime::Ticks(_) => "in ticks".to_string(),
        WorldTime::Dense(_) => "in dense time".to_string(),
    });
    let (last, first) =
        findings.properties.split_last().map_or(("", &[][..]), |(last, first)| (last.as_str(), first));
    let and = if first.is_empty() { last.to_string() } else { format!("{} and {last}", first.join(", ")) };
    let verb = if first.is_empty() { "holds" } else { "hold" };
    format!("{}: where {and} {verb}", words.join(", "))
}
