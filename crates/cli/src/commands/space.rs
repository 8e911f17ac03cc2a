//! `space`: the state space of a model as a labelled transition system: counted, reduced, written to files, drawn.

use crate::clock::{Clock, Showing};
use crate::models::{ModelArgs, OpenedModel, ViewArgs, no_lts, open, search_options};
use crate::outputs::{OutputTarget, to_stderr, to_stdout, unwritten};
use crate::program::Program;
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use strum::VariantNames;
use watchkeeper::{Problem, SettingOrigin, machine};
use watchkeeper_logic::{ExitCode, Limit};
use watchkeeper_lts::{Equivalence, Lts, SubsetLimit, TAU, reduce, write_aut};
use watchkeeper_report::{MOST_DRAWN_STATES, SystemPicture, counted, system_dot, thousands};

const OUTPUT: &str = "Output";

/// All flags of `space`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SpaceArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,

    /// Write the space, in the format of the ending: .aut (Aldebaran), .dot (Graphviz), or .svg, a picture of a small one; may be
    /// given more than once
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    out: Vec<PathBuf>,

    /// Write the figures as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Print nothing but errors
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

impl SpaceArgs {
    /// Whether nothing is said but which space it is; or the flag that says what becomes of it.
    pub(crate) fn refuse_outputs(&self) -> Result<(), &'static str> {
        match () {
            () if !self.out.is_empty() => Err("--out"),
            () if self.json.is_some() => Err("--json"),
            () if self.quiet => Err("--quiet"),
            () if self.model.search.settings().given("reduce").is_some() => Err("--reduce"),
            () => Ok(()),
        }
    }
}

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SpaceFormat {
    Aut,
    Dot,
    Svg,
}

/// How large a system is.
struct SystemSize {
    states: usize,
    transitions: usize,
    labels: usize,
    deadlocks: usize,
}

/// Explores, reduces and writes what the arguments name.
pub(crate) fn run(program: &Program, args: &SpaceArgs) -> Result<ExitCode, Problem> {
    let mut args = args.clone();
    let modulo = args.model.search.take("reduce", |_| true).map(|given| {
        let kinds = Equivalence::VARIANTS.join(", ");
        given.value.parse::<Equivalence>().map_err(|_| {
            given.refused(format!("there is no reduction `{}`; choose one of {kinds}", given.value))
        })
    });
    let modulo = modulo.transpose()?;
    let outputs = outputs(&args)?;
    let options = search_options(&args.model)?;
    let clock = Clock::start(options.timeout, Showing::fitting(args.quiet));
    let opened = match open(program, &args.model, &ViewArgs::default(), &clock)? {
        Ok(opened) => opened,
        Err(limit) => return Ok(larger(&limit)),
    };
    let OpenedModel { name, system, cut, dense, .. } = opened;
    let (whole, explored_seconds) = (SystemSize::of(&system), clock.seconds());
    let held = system.bytes();
    let began = Instant::now();
    let reduced = match modulo {
        None => None,
        Some(modulo) => {
            let limit = subset_limit(&options.search, &clock);
            match reduce(&system, modulo, limit) {
                Ok(least) => Some((modulo, least)),
                Err(limit) => {
                    clock.finish();
                    return Ok(larger(&limit));
                }
            }
        }
    };
    clock.finish();
    let reduced_seconds = began.elapsed().as_secs_f64();
    let written = reduced.as_ref().map_or(&system, |(_, least)| least);
    let title = match &reduced {
        None => name.clone(),
        Some((modulo, _)) => format!("{name}, modulo {}", modulo.named()),
    };
    let (mut failures, mut done) = (Vec::new(), Vec::new());
    for (target, format) in &outputs {
        let mut content = |out: &mut dyn Write| write(written, *format, &title, out);
        match target.stream(&mut content) {
            Ok(_) => done.push(target),
            Err(why) => failures.push(format!("{target}: {why}")),
        }
    }
    let reduced = reduced.map(|(modulo, least)| (modulo, SystemSize::of(&least)));
    let figures = json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "model": name,
        "states": whole.states,
        "transitions": whole.transitions,
        "labels": whole.labels,
        "deadlocks": whole.deadlocks,
        "system_bytes": held,
        "reduced": reduced.as_ref().map(|(modulo, size)| json!({
            "modulo": modulo.to_string(),
            "states": size.states,
            "transitions": size.transitions,
            "labels": size.labels,
            "deadlocks": size.deadlocks,
            "seconds": reduced_seconds,
        })),
        "cap": cut.as_ref().map(cap),
        "seconds": explored_seconds,
        "peak_bytes": machine::peak_bytes(),
    });
    let json = args.json.as_deref().map(OutputTarget::new);
    if let Some(target) = &json
        && let Err(why) = target.write(&format!("{figures:#}\n"))
    {
        failures.push(format!("{target}: {why}"));
    }
    if !args.quiet {
        let mut report = format!("{name}: {whole}\n");
        if let Some((modulo, size)) = &reduced {
            report.push_str(&format!("modulo {}: {size}\n", modulo.named()));
        }
        if dense {
            report.push_str("note: in dense time each state is a zone; the space keeps the order of labels, and not when there is a choice\n");
        }
        if let Some(limit) = &cut {
            report.push_str(&format!("note: {} cut steps away, which are missing here\n", cap(limit)));
        }
        done.iter().for_each(|target| report.push_str(&format!("written: {target}\n")));
        let out_is_taken = outputs
            .iter()
            .map(|(target, _)| target)
            .chain(&json)
            .any(|target| *target == OutputTarget::Stdout);
        if out_is_taken {
            to_stderr(&report);
        } else if let Err(why) = to_stdout(&report) {
            failures.push(format!("standard output: {why}"));
        }
    }
    if failures.is_empty() { Ok(ExitCode::HOLDS) } else { Err(unwritten(&failures)) }
}

/// The limit of subset constructions and products, by the limits of the search.
pub(crate) fn subset_limit<'a>(search: &watchkeeper_explore::Search, clock: &'a Clock) -> SubsetLimit<'a> {
    SubsetLimit { max_sets: search.max_states, max_bytes: search.max_bytes, callback: clock }
}

/// Says that a limit was reached, and gives the exit code for it.
pub(crate) fn larger(limit: &Limit) -> ExitCode {
    let what = match limit {
        Limit::States(most) => format!("more than {} states, the limit (--max-states)", thousands(*most)),
        Limit::Memory(most) => {
            format!("more than {} of memory, the limit (--max-memory)", watchkeeper_report::bytes(*most))
        }
        Limit::Time(time) => format!("more than {time}, the limit (--timeout)"),
        Limit::Interrupted => "longer than you wanted to wait".to_string(),
        other => format!("more than there is: {other:?}"),
    };
    to_stderr(&format!("unknown: this takes {what}; nothing was written\n"));
    ExitCode::UNKNOWN
}

/// The name of a cap.
pub(crate) fn cap(limit: &Limit) -> String {
    match limit {
        Limit::Cap(name) => name.clone(),
        other => format!("{other:?}"),
    }
}

/// The files, each with its format; they are tried now.
fn outputs(args: &SpaceArgs) -> Result<Vec<(OutputTarget, SpaceFormat)>, Problem> {
    let mut outputs: Vec<(OutputTarget, SpaceFormat)> = Vec::new();
    for path in &args.out {
        let target = OutputTarget::new(path);
        if outputs.iter().any(|(other, _)| *other == target) {
            return Err(Problem::Usage(format!("two outputs go to {target}; give each a place of its own")));
        }
        let format = format_of(path)?;
        target.probe()?;
        outputs.push((target, format));
    }
    if let Some(path) = &args.json {
        OutputTarget::new(path).probe()?;
    }
    Ok(outputs)
}

fn format_of(path: &Path) -> Result<SpaceFormat, Problem> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("aut") => Ok(SpaceFormat::Aut),
        Some("dot" | "gv") => Ok(SpaceFormat::Dot),
        Some("svg") => Ok(SpaceFormat::Svg),
        Some("lts") => Err(no_lts(path)),
        // Standard output has no ending; its readers mostly want what other tools read.
        None if OutputTarget::new(path) == OutputTarget::Stdout => Ok(SpaceFormat::Aut),
        _ => {
            let origin = SettingOrigin::Argument(format!("--out {}", path.display()));
            Err(origin.refused("the ending says the format; end the name in .aut, .dot or .svg"))
        }
    }
}

fn write(system: &Lts, format: SpaceFormat, title: &str, out: &mut dyn Write) -> io::Result<()> {
    let label = |label: u32| (label != TAU).then(|| system.labels().text(label));
    match format {
        SpaceFormat::Aut => write_aut(system, out),
        SpaceFormat::Dot => {
            let edges = system.all().map(|(from, edge)| (from, label(edge.label), edge.to));
            system_dot((system.states(), system.initial()), edges, out)
        }
        SpaceFormat::Svg => {
            if system.states() > MOST_DRAWN_STATES {
                return Err(io::Error::other(format!(
                    "a picture shows at most {MOST_DRAWN_STATES} states, and there are {}; reduce it (--reduce branching, with \
                     --show or --hide), or write .dot",
                    system.states()
                )));
            }
            let edges = system.all();
            let edges = edges.map(|(from, edge)| (from, label(edge.label).map(str::to_string), edge.to));
            let picture = SystemPicture {
                title: title.to_string(),
                states: system.states(),
                initial: system.initial(),
                edges: edges.collect(),
            };
            out.write_all(picture.svg().as_bytes())
        }
    }
}

impl SystemSize {
    fn of(system: &Lts) -> SystemSize {
        SystemSize {
            states: system.states(),
            transitions: system.transitions(),
            labels: system.labels_used(),
            deadlocks: system.deadlocks(),
        }
    }
}

impl std::fmt::Display for SystemSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            counted(self.states as u64, "state"),
            counted(self.transitions as u64, "transition"),
            counted(self.labels as u64, "label"),
            counted(self.deadlocks as u64, "deadlock"),
        ];
        f.write_str(&parts.join(", "))
    }
}
