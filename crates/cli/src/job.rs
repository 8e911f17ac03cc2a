//! From spaces to an exit code: the files that shall be left are tried first, then the engine runs under a
//! clock, once for each space, then everything is written. Commands differ only in the space they bring.

use crate::arguments::OutputArgs;
use crate::checkpoint::Checkpointing;
use crate::clock::{Clock, Showing};
use crate::outlet::Outlet;
use crate::outputs::{OutputTarget, to_stderr};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use watchkeeper::machine;
use watchkeeper::plan::ReportOptions;
use watchkeeper::quantities::MemoryLimit;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, Query, SettingOrigin, Settings};
use watchkeeper_explore::{Search, SymmetryReduction, graph};
use watchkeeper_logic::{ExitCode, Limit, Outcome, Question, Verdict};
use watchkeeper_lts::{explore, write_aut};
use watchkeeper_report::{
    Chart, RunFacts, Style, TextTable, dot, headline, itf, render_verdict, render_verdicts, verdict_json,
    verdicts_json,
};
use watchkeeper_space::{Graph, Space, Trace};

/// The most states of a space that is drawn with the content of each state. Beyond it no reader of such a file can do
/// anything with it.
const LISTED: usize = 20_000;

/// How a search is done, and what is left of it.
pub(crate) struct Job {
    pub(crate) options: SearchOptions,
    pub(crate) style: Style,
    quiet: bool,
    outlet: Outlet<Form>,
    checkpointing: Option<Checkpointing>,
    /// A run that shows that a formula holds.
    witness: Option<Trace>,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Json,
    Csv,
    Itf,
    ChartText,
    ChartSvg,
    ChartMermaid,
    Dot,
    Aut,
}

impl Job {
    /// A job with these outputs; says now if one of them cannot be had.
    pub(crate) fn new(options: SearchOptions, args: &OutputArgs) -> Result<Job, Problem> {
        let charts = args.chart.iter().map(|path| Ok((chart_form(path)?, OutputTarget::File(path.clone()))));
        let charts = charts.collect::<Result<Vec<_>, Problem>>()?;
        announce(&options, args.quiet);
        let mut outlet = Outlet::new(args.quiet, [(Form::Json, &args.json), (Form::Itf, &args.out_itf)])?;
        for (form, target) in charts {
            outlet.add(form, target)?;
        }
        for (form, path) in [(Form::Dot, &args.out_dot), (Form::Aut, &args.out_aut)] {
            path.as_deref().map_or(Ok(()), |path| outlet.add(form, OutputTarget::new(path)))?;
        }
        Ok(Job {
            options,
            style: style(args.no_color, args.ascii),
            quiet: args.quiet,
            outlet,
            checkpointing: None,
            witness: None,
        })
    }

    /// Lets the searches of this job leave checkpoints.
    pub(crate) fn leave_checkpoints(&mut self, checkpointing: Option<Checkpointing>) {
        self.options.search.checkpoints = checkpointing.as_ref().map(|known| Arc::clone(&known.checkpoints));
        self.checkpointing = checkpointing;
    }

    /// Asks each question of its spaces, reports one answer to each, and returns the exit code that tells the
    /// worst of them.
    pub(crate) fn ask_all(
        &self,
        queries: Vec<Query>,
        report_options: &ReportOptions,
        command: &str,
    ) -> Result<ExitCode, Problem> {
        let first = queries.first().and_then(|first| first.spaces.first());
        let listed = self.listed(first.map(|(_, space)| &**space))?;
        let every = self.checkpointing.as_ref().map(|known| known.every);
        let clock = Clock::start(self.options.timeout, Showing::fitting(self.quiet)).with_checkpoints(every);
        let mut answers = Vec::new();
        for query in queries {
            let began = clock.seconds();
            let found = query.answer(report_options, &self.options, &clock);
            clock.finish();
            let mut verdict = found?;
            let run = self.run(&mut verdict, command, clock.seconds() - began);
            answers.push((verdict, run));
        }
        if let (Some(known), false) = (&self.checkpointing, self.quiet)
            && answers.iter().any(|(verdict, _)| is_interrupted(verdict))
        {
            let dir = known.checkpoints.path().display();
            to_stderr(&format!(
                "note: the command `resume {dir}` goes on from the last checkpoint, or from the start if there is none yet\n"
            ));
        }
        report_options.warn(&mut answers.iter_mut().map(|(verdict, _)| verdict).collect::<Vec<_>>());
        self.report(&answers, &listed)
    }

    /// The same with one question about one space.
    pub(crate) fn solve(
        &self,
        space: impl Space + 'static,
        question: Question,
        command: &str,
    ) -> Result<ExitCode, Problem> {
        self.ask_all(vec![Query::new(Box::new(space), question)], &ReportOptions::default(), command)
    }

    /// Reports answers, and returns the exit code that tells the worst of them.
    fn report(&self, answers: &[(Verdict, RunFacts)], listed: &Listed) -> Result<ExitCode, Problem> {
        let report = || match answers {
            [(verdict, run)] => {
                let witness = self.witness.as_ref().map(|run| Chart::of(run).text(&self.style));
                let witness =
                    witness.map_or(String::new(), |chart| format!("\nA run that shows it\n\n{chart}"));
                render_verdict(verdict, run, &self.style) + &witness
            }
            answers => render_verdicts(answers, &self.style),
        };
        let missing = |form| if form == Form::Csv { "table" } else { "violation" };
        let witness = self.witness.as_ref();
        self.outlet.leave(report, |form| content(form, answers, listed, witness).ok_or(missing(form)))?;
        Ok(worst(answers))
    }

    /// Reports an answer that no engine of a single space has given, and returns the exit code that tells it.
    pub(crate) fn tell(
        &self,
        mut verdict: Verdict,
        seconds: f64,
        command: &str,
    ) -> Result<ExitCode, Problem> {
        let run = self.run(&mut verdict, command, seconds);
        self.report(&[(verdict, run)], &Listed::default())
    }

    /// This job with a run that shows that a formula holds.
    pub(crate) fn and_witness(mut self, run: Option<Trace>) -> Job {
        self.witness = run;
        self
    }

    /// This job with one more output, a table as comma-separated values.
    pub(crate) fn and_csv(mut self, path: Option<&Path>) -> Result<Job, Problem> {
        path.map_or(Ok(()), |path| self.outlet.add(Form::Csv, OutputTarget::new(path)))?;
        Ok(self)
    }

    /// Leaves a table behind: as text, and as JSON and comma-separated values where that is asked for.
    pub(crate) fn leave_table(&self, table: &TextTable, run: &RunFacts) -> Result<(), Problem> {
        self.outlet.leave(
            || table.text(),
            |form| match form {
                Form::Json => Ok(table.json(run)),
                Form::Csv => Ok(table.csv()),
                _ => Err("violation"),
            },
        )
    }

    /// What a verdict cost. A warning says so where the system does not tell.
    fn run(&self, verdict: &mut Verdict, command: &str, seconds: f64) -> RunFacts {
        if let (Outcome::Unknown(Limit::Memory(_)), Some(allowance)) =
            (&verdict.outcome, self.options.allowance)
        {
            verdict.warnings.push(format!("the memory limit is {allowance}"));
        }
        let peak = machine::peak_bytes();
        if peak.is_none() {
            verdict.warnings.push("this system does not tell the peak memory of a process".to_string());
        }
        RunFacts { command: command.to_string(), seconds, peak_bytes: peak.unwrap_or(0) }
    }

    /// The whole space, where an output lists it, before a search that may take hours.
    fn listed(&self, first: Option<&dyn Space>) -> Result<Listed, Problem> {
        let mut listed = Listed::default();
        let Some(space) = first else { return Ok(listed) };
        let wants = |wanted: Form| self.outlet.forms().any(|form| form == wanted);
        if wants(Form::Dot) {
            listed.graph = graph(space, LISTED);
            if listed.graph.is_none() {
                return Err(Problem::Usage(format!(
                    "--out-dot lists every state with its content, and this space has more than {LISTED}\n  \
                     Nothing was searched. Leave --out-dot out, make the scenario smaller (fewer processes, fewer crashes, \
                     less channel capacity), or write states as numbers with the command `space`."
                )));
            }
        }
        if wants(Form::Aut) {
            let clock = Clock::start(self.options.timeout, Showing::fitting(self.quiet));
            let whole = Search { symmetry: SymmetryReduction::Off, ..self.options.search.clone() };
            let explored = explore(space, None, &whole, &clock);
            clock.finish();
            let unlisted = |why: String| Problem::Usage(format!("--out-aut: {why}; leave it out"));
            let explored = explored.map_err(|why| unlisted(why.to_string()))?;
            let (system, _) = explored.map_err(|_| {
                unlisted("the whole space is larger than the limits of the search".to_string())
            })?;
            let mut aut = Vec::new();
            // Writing to memory cannot fail, and the labels are text.
            let _ = write_aut(&system, &mut aut);
            listed.aut = String::from_utf8(aut).ok();
        }
        Ok(listed)
    }
}

/// A whole space as outputs list it.
#[derive(Default)]
struct Listed {
    graph: Option<Graph>,
    aut: Option<String>,
}

/// Whether a search ended by a limit that may be another one when it is resumed.
fn is_interrupted(verdict: &Verdict) -> bool {
    use Limit::{Interrupted, Memory, OutOfMemory, Time};
    matches!(&verdict.outcome, Outcome::Unknown(Time(_) | Interrupted | Memory(_) | OutOfMemory(_)))
}

/// What a command cost that took so many seconds.
pub(crate) fn cost(command: String, seconds: f64) -> RunFacts {
    RunFacts { command, seconds, peak_bytes: machine::peak_bytes().unwrap_or(0) }
}

/// How a command searches, and the clock that it looks at from now on.
pub(crate) fn begin(settings: &Settings, quiet: bool) -> Result<(SearchOptions, Clock), Problem> {
    let options = SearchOptions::of(settings)?;
    announce(&options, quiet);
    let clock = Clock::start(options.timeout, Showing::fitting(quiet));
    Ok((options, clock))
}

/// Says, unless told to be quiet, that the memory limit is not the one that the user wrote down.
pub(crate) fn announce(options: &SearchOptions, quiet: bool) {
    if let (MemoryLimit::Bytes(_), Some(allowance), false) = (options.memory, options.allowance, quiet) {
        let wanted = options.memory;
        to_stderr(&format!("note: --max-memory {wanted} is more than there is: the limit is {allowance}\n"));
    }
}

/// The exit code of the worst answer: what is wrong before what is not known, and both before what holds.
fn worst(answers: &[(Verdict, RunFacts)]) -> ExitCode {
    let rank = |code: &ExitCode| match *code {
        ExitCode::HOLDS => 0,
        ExitCode::UNKNOWN => 1,
        _ => 2,
    };
    let codes = answers.iter().map(|(verdict, _)| verdict.exit_code());
    // Of equally bad ones the first.
    codes.rev().max_by_key(rank).unwrap_or(ExitCode::HOLDS)
}

/// The content of an output; `None` if it shows a run and there is none. Of several violations it is the first.
fn content(
    form: Form,
    answers: &[(Verdict, RunFacts)],
    listed: &Listed,
    witness: Option<&Trace>,
) -> Option<String> {
    let shown = |verdict: &Verdict| verdict.trace().or(witness).cloned();
    let violated = || answers.iter().find_map(|(verdict, run)| Some((verdict, run, shown(verdict)?)));
    Some(match form {
        Form::Json => match answers {
            [(verdict, run)] => verdict_json(verdict, run),
            answers => verdicts_json(answers, worst(answers)),
        },
        // Only tables have this form.
        Form::Csv => return None,
        Form::Itf => violated().map(|(_, run, trace)| itf(&trace, &run.command))?,
        Form::ChartText => violated().map(|(.., trace)| Chart::of(&trace).text(&Style::default()))?,
        Form::ChartSvg => violated().map(|(verdict, _, trace)| Chart::of(&trace).svg(&headline(verdict)))?,
        Form::ChartMermaid => violated().map(|(.., trace)| Chart::of(&trace).mermaid())?,
        Form::Dot => dot(listed.graph.as_ref()?),
        Form::Aut => listed.aut.clone()?,
    })
}

fn chart_form(path: &Path) -> Result<Form, Problem> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(Form::ChartSvg),
        Some("mmd") => Ok(Form::ChartMermaid),
        Some("txt") => Ok(Form::ChartText),
        _ => Err(Problem::Value {
            origin: SettingOrigin::Argument(format!("--chart {}", path.display())),
            why: "the ending says the format of a chart; end the name in .svg, .mmd (Mermaid) or .txt"
                .to_string(),
        }),
    }
}

/// What the terminal of the report can show, with colours and lines only if nobody has forbidden them.
pub(crate) fn style(no_color: bool, ascii: bool) -> Style {
    let out = std::io::stdout();
    let wanted = !no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = if out.is_terminal() { terminal_width() } else { None };
    let usual = Style::default();
    Style { color: wanted && out.is_terminal(), unicode: !ascii, width: width.unwrap_or(usual.width) }
}

/// The width that a shell has told, within reason.
fn terminal_width() -> Option<usize> {
    let columns: usize = std::env::var("COLUMNS").ok()?.parse().ok()?;
    Some(columns.clamp(60, 160))
}
