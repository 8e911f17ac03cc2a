//! One search from a space to an exit code: the files that it shall leave are tried first, then the
//! engine runs under a clock, then everything is written. Commands differ only in the space they bring.

use crate::arguments::OutputArgs;
use crate::clock::{Clock, Showing};
use crate::effort::Effort;
use crate::machine;
use crate::outputs::{Target, to_stderr, to_stdout};
use crate::problem::{Origin, Problem};
use std::io::IsTerminal;
use std::path::Path;
use watchkeeper_explore::{check, graph};
use watchkeeper_logic::{ExitCode, Question, Verdict};
use watchkeeper_report::{Chart, Run, Style, aut, dot, headline, itf, render_verdict, verdict_json};
use watchkeeper_space::{Graph, Space};

/// The most states of a space that is written out state by state. Beyond it no reader of such a file
/// can do anything with it.
const LISTED: usize = 20_000;

/// How a search is done, and what is left of it.
pub(crate) struct Job {
    pub(crate) effort: Effort,
    pub(crate) style: Style,
    quiet: bool,
    files: Vec<(Form, Target)>,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Json,
    Itf,
    ChartText,
    ChartSvg,
    ChartMermaid,
    Dot,
    Aut,
}

impl Job {
    /// A job with these outputs; says now if one of them cannot be had.
    pub(crate) fn new(effort: Effort, args: &OutputArgs) -> Result<Job, Problem> {
        let mut files = Vec::new();
        for (form, path) in [(Form::Json, &args.json), (Form::Itf, &args.out_itf)] {
            files.extend(path.as_deref().map(|path| (form, Target::new(path))));
        }
        for path in &args.chart {
            files.push((chart_form(path)?, Target::File(path.clone())));
        }
        for (form, path) in [(Form::Dot, &args.out_dot), (Form::Aut, &args.out_aut)] {
            files.extend(path.as_deref().map(|path| (form, Target::new(path))));
        }
        for (i, (_, target)) in files.iter().enumerate() {
            if files[..i].iter().any(|(_, other)| other == target) {
                let why = format!("two outputs go to {target}; give each a place of its own");
                return Err(Problem::Usage(why));
            }
            target.probe()?;
        }
        Ok(Job { effort, style: style(args), quiet: args.quiet, files })
    }

    /// Asks the question of the space, reports the answer, and returns the exit code that tells it.
    pub(crate) fn solve(
        &self,
        space: &impl Space,
        question: &Question,
        command: &str,
    ) -> Result<ExitCode, Problem> {
        let graph = self.listed(space)?;
        let (verdict, run) = self.search(space, question, command)?;
        let report = render_verdict(&verdict, &run, &self.style);
        self.leave(&report, |form| content(form, &verdict, &run, graph.as_ref()))?;
        Ok(verdict.exit_code())
    }

    /// Leaves a table behind: as text, and as JSON where that is asked for.
    pub(crate) fn leave_table(&self, text: &str, json: impl Fn() -> String) -> Result<(), Problem> {
        self.leave(text, |form| (form == Form::Json).then(&json))
    }

    /// Prints the report and writes the files. What fails is told at the end, when the rest is safe.
    fn leave(&self, report: &str, content: impl Fn(Form) -> Option<String>) -> Result<(), Problem> {
        let mut failures = Vec::new();
        if self.quiet {
            // The files tell everything.
        } else if self.files.iter().any(|(_, target)| *target == Target::Stdout) {
            to_stderr(report);
        } else if let Err(why) = to_stdout(report) {
            failures.push(format!("standard output: {why}"));
        }
        for (form, target) in &self.files {
            match content(*form) {
                Some(content) => {
                    failures.extend(target.write(&content).err().map(|why| format!("{target}: {why}")));
                }
                None if !self.quiet => {
                    to_stderr(&format!("note: {target} is not written: there is no violation to show\n"));
                }
                None => {}
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(Problem::Unwritten(failures)) }
    }

    /// Asks the question of the space, and reports nothing.
    pub(crate) fn search(
        &self,
        space: &impl Space,
        question: &Question,
        command: &str,
    ) -> Result<(Verdict, Run), Problem> {
        let clock = Clock::start(self.effort.timeout, Showing::fitting(self.quiet));
        let found = check(space, question, &self.effort.search, &clock);
        let seconds = clock.seconds();
        clock.finish();
        let mut verdict = found?;
        let peak = machine::peak_bytes();
        if peak.is_none() {
            verdict.warnings.push("this system does not tell the peak memory of a process".to_string());
        }
        Ok((verdict, Run { command: command.to_string(), seconds, peak_bytes: peak.unwrap_or(0) }))
    }

    /// The whole space, if an output lists it. It is small or refused, so it costs next to nothing to do
    /// this before a search that may take hours.
    fn listed(&self, space: &impl Space) -> Result<Option<Graph>, Problem> {
        let flag = self.files.iter().find_map(|(form, _)| match form {
            Form::Dot => Some("--out-dot"),
            Form::Aut => Some("--out-aut"),
            _ => None,
        });
        let Some(flag) = flag else { return Ok(None) };
        graph(space, LISTED).map(Some).ok_or(Problem::TooLarge { flag, most: LISTED })
    }
}

/// The content of an output; `None` if it shows a violation and there is none.
fn content(form: Form, verdict: &Verdict, run: &Run, graph: Option<&Graph>) -> Option<String> {
    let trace = verdict.trace();
    Some(match form {
        Form::Json => verdict_json(verdict, run),
        Form::Itf => itf(trace?, &run.command),
        Form::ChartText => Chart::of(trace?).text(&Style::default()),
        Form::ChartSvg => Chart::of(trace?).svg(&headline(verdict)),
        Form::ChartMermaid => Chart::of(trace?).mermaid(),
        Form::Dot => dot(graph?),
        Form::Aut => aut(graph?),
    })
}

fn chart_form(path: &Path) -> Result<Form, Problem> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(Form::ChartSvg),
        Some("mmd") => Ok(Form::ChartMermaid),
        Some("txt") => Ok(Form::ChartText),
        _ => Err(Problem::Value {
            origin: Origin::Argument(format!("--chart {}", path.display())),
            why: "the ending says the format of a chart; end the name in .svg, .mmd (Mermaid) or .txt"
                .to_string(),
        }),
    }
}

/// What the terminal of the report can show.
pub(crate) fn style(args: &OutputArgs) -> Style {
    let out = std::io::stdout();
    let wanted = !args.no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = if out.is_terminal() { terminal_width() } else { None };
    let usual = Style::default();
    Style { color: wanted && out.is_terminal(), unicode: !args.ascii, width: width.unwrap_or(usual.width) }
}

/// The width that a shell has told, within reason.
fn terminal_width() -> Option<usize> {
    let columns: usize = std::env::var("COLUMNS").ok()?.parse().ok()?;
    Some(columns.clamp(60, 160))
}
