//! `compare A B --modulo KIND`: whether two state spaces are equivalent, and a trace or a formula that tells them apart.

use super::CompareArgs;
use crate::clock::{Clock, Showing};
use crate::command_line::CommandLine;
use crate::commands::refine::dense;
use crate::commands::space::{cap, larger, subset_limit};
use crate::models::{ModelArgs, OpenedModel, open, search_options};
use crate::outputs::{OutputTarget, to_stderr, to_stdout, unwritten};
use crate::program::Program;
use crate::raw_settings::RawValue;
use serde_json::json;
use strum::VariantNames;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::{Problem, SettingOrigin, machine};
use watchkeeper_logic::ExitCode;
use watchkeeper_lts::{Equivalence, LtsComparison, LtsDifference, compare};
use watchkeeper_report::{counted, thousands};

/// The longest formula that a terminal is shown.
const SHOWN: usize = 4000;

/// Compares two spaces.
pub(super) fn run(program: &Program, args: &CompareArgs, modulo: &str) -> Result<ExitCode, Problem> {
    let origin = || SettingOrigin::Argument(format!("--modulo {modulo}"));
    let kinds = || origin().refused(format!("choose one of {}", Equivalence::VARIANTS.join(", ")));
    let modulo: Equivalence = modulo.parse().map_err(|_| kinds())?;
    let [first, second] = args.contenders.as_slice() else {
        let why = format!("two spaces are compared, and {} named; name two models", args.contenders.len());
        return Err(origin().refused(why));
    };
    if args.markdown || args.svg.is_some() || args.n.is_some() {
        let why = "--markdown, --svg and --n are for measurements of detectors; leave them out, or leave --modulo out. The flags of \
                   a model stand in quotation marks with it, such as 'ring --n 3'";
        return Err(Problem::Usage(why.to_string()));
    }
    let json = args.json.as_deref().map(OutputTarget::new);
    json.as_ref().map_or(Ok(()), OutputTarget::probe)?;
    let words = [ModelArgs::of_word(program, first)?, ModelArgs::of_word(program, second)?];
    let options = search_options(&words[0])?;
    let timeout = args.measurement.timeout.clone().map(|value| {
        let origin = SettingOrigin::Argument("--timeout".to_string());
        RawValue { value, origin }.parsed::<TimeSpan>()
    });
    let timeout = timeout.transpose()?.or(options.timeout);
    let clock = Clock::start(timeout, Showing::fitting(args.quiet));
    let mut sides: Vec<OpenedModel> = Vec::new();
    for word in &words {
        match open(program, word, &args.view, &clock)? {
            Ok(opened) if opened.dense => return Err(dense(&opened.name)),
            Ok(opened) => sides.push(opened),
            Err(limit) => return Ok(larger(&limit)),
        }
    }
    let found = compare(&sides[0].system, &sides[1].system, modulo, subset_limit(&options.search, &clock));
    clock.finish();
    let found = match found.map_err(|wrong| Problem::Undecided(wrong.to_string()))? {
        Ok(found) => found,
        Err(limit) => return Ok(larger(&limit)),
    };
    let cut = sides.iter().find_map(|side| side.cut.clone());
    let code = match (&cut, &found) {
        (Some(_), _) => ExitCode::UNKNOWN,
        (None, LtsComparison::Equivalent(_)) => ExitCode::HOLDS,
        (None, LtsComparison::Different(_)) => ExitCode::SAFETY,
    };
    let mut line = CommandLine::new(&program.name, &["compare", first, second]);
    line.flag("modulo", modulo);
    args.view.add_to(&mut line);
    let mut report = told(&found, modulo, [first, second]);
    for (word, side) in [first, second].into_iter().zip(&sides) {
        let (states, transitions) = (side.system.states() as u64, side.system.transitions() as u64);
        let sizes = format!("{}, {}", counted(states, "state"), counted(transitions, "transition"));
        report.push_str(&format!("  {word}: {sizes}\n"));
    }
    if let Some(limit) = &cut {
        report.push_str(&format!(
            "UNKNOWN: {} cut steps away, so this is about parts of the spaces\n",
            cap(limit)
        ));
    }
    report.push_str(&format!("Again\n  {line}\n"));
    let mut failures = Vec::new();
    if let Some(target) = &json {
        let answer = answer(&found, modulo, &sides, code, (line.to_string(), clock.seconds()));
        failures.extend(target.write(&format!("{answer:#}\n")).err().map(|why| format!("{target}: {why}")));
    }
    if !args.quiet && json == Some(OutputTarget::Stdout) {
        to_stderr(&report);
    } else if !args.quiet {
        failures.extend(to_stdout(&report).err().map(|why| format!("standard output: {why}")));
    }
    if failures.is_empty() { Ok(code) } else { Err(unwritten(&failures)) }
}

/// Refuses what is only said about state spaces, where detectors are measured.
pub(super) fn refuse(program: &Program, args: &CompareArgs) -> Result<(), Problem> {
    let view = &args.view;
    let flags =
        view.only.is_some() || !view.hide.is_empty() || !view.show.is_empty() || !view.rename.is_empty();
    let is_space = |word: &String| {
        word.contains(' ') || [".aut", ".mcrl2", ".toml"].iter().any(|end| word.ends_with(end))
    };
    if !flags && !args.contenders.iter().any(is_space) {
        return Ok(());
    }
    Err(Problem::Usage(format!(
        "to compare state spaces, say modulo what: --modulo {}\n  Try: {} compare {} --modulo branching",
        Equivalence::VARIANTS.join("|"),
        program.name,
        args.contenders.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ")
    )))
}

fn told(found: &LtsComparison, modulo: Equivalence, [first, second]: [&String; 2]) -> String {
    let named = modulo.named();
    match found {
        LtsComparison::Equivalent(states) => {
            let least = thousands(*states as u64);
            format!(
                "EQUIVALENT: modulo {named} both are the same space, of {least} states when it is reduced\n"
            )
        }
        LtsComparison::Different(LtsDifference::Trace { first_has_it, trace }) => {
            let (has, lacks) = if *first_has_it { (first, second) } else { (second, first) };
            let lines: String = trace.iter().map(|label| format!("    {label}\n")).collect();
            format!("DIFFERENT modulo {named}: a shortest trace of {has} that {lacks} does not have\n{lines}")
        }
        LtsComparison::Different(LtsDifference::Formula(text)) if text.len() <= SHOWN => {
            format!(
                "DIFFERENT modulo {named}: a formula that is true of {first} and false of {second}\n    {text}\n"
            )
        }
        LtsComparison::Different(LtsDifference::Formula(text)) => format!(
            "DIFFERENT modulo {named}: the formula that is true of {first} and false of {second} has {} bytes; --json FILE has \
             it\n",
            thousands(text.len() as u64)
        ),
        LtsComparison::Different(LtsDifference::Unspoken) => {
            format!("DIFFERENT modulo {named}: a formula that says how would be too long to be read\n")
        }
    }
}

fn answer(
    found: &LtsComparison,
    modulo: Equivalence,
    sides: &[OpenedModel],
    code: ExitCode,
    (command, seconds): (String, f64),
) -> serde_json::Value {
    let (mut trace, mut in_first, mut formula) = (None, None, None);
    match found {
        LtsComparison::Different(LtsDifference::Trace { first_has_it, trace: labels }) => {
            (trace, in_first) = (Some(labels), Some(*first_has_it));
        }
        LtsComparison::Different(LtsDifference::Formula(text)) => formula = Some(text),
        _ => {}
    }
    let sizes = |side: &OpenedModel| {
        let (states, transitions) = (side.system.states(), side.system.transitions());
        json!({ "model": side.name, "states": states, "transitions": transitions })
    };
    json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "modulo": modulo.to_string(),
        "equivalent": matches!(found, LtsComparison::Equivalent(_)),
        "reduced_states": match found { LtsComparison::Equivalent(states) => Some(states), _ => None },
        "trace": trace,
        "trace_of_first": in_first,
        "formula": formula,
        "spaces": sides.iter().map(sizes).collect::<Vec<_>>(),
        "cap": sides.iter().find_map(|side| side.cut.as_ref().map(cap)),
        "exit_code": code.0,
        "seconds": seconds,
        "peak_bytes": machine::peak_bytes(),
        "command": command,
    })
}
