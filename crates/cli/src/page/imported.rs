//! Files that the page opens: a verdict as JSON, a trace in the Informal Trace Format, the recordings of a cluster. Each
//! becomes a run of the model, as far as the model has it, beside the run as the file tells it.

use super::recorded::recordings;
use super::scenario::PageScenario;
use super::searches::{candidates_of_any, problem, told_verdict};
use super::told::{FileRun, FoundRun, patience, trace_of_labels, trace_of_verdict};
use crate::command_line::words;
use crate::commands::check::named_around;
use crate::files::fresh_directory;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use watchkeeper::{Problem, legible};
use watchkeeper_report::Chart;
use watchkeeper_space::Trace;
use watchkeeper_web::WebProblem;

/// A file that was read, as the page is told of it.
#[derive(Clone, Debug)]
pub(crate) struct Imported {
    pub(crate) answer: Value,
}

/// Reads the files of a request.
pub(crate) fn upload(program: &Program, body: &Value) -> Result<Imported, WebProblem> {
    let wrong = || WebProblem::bad("the request needs the key files, a list of objects with name and text");
    let files = body.get("files").and_then(Value::as_array).ok_or_else(wrong)?;
    let mut read = Vec::new();
    for file in files {
        let text = |key: &str| file.get(key).and_then(Value::as_str).map(str::to_string);
        read.push((text("name").ok_or_else(wrong)?, text("text").ok_or_else(wrong)?));
    }
    let open = PageScenario::of(body).ok();
    match read.as_slice() {
        [] => Err(WebProblem::bad("no file was named: choose a verdict, a trace or recordings")),
        [(name, text)] if is_document(text) => document(program, name, text, open.as_ref()),
        _ => {
            // Recordings are read from files, so that all of them are read in one way.
            let directory = fresh_directory(&std::env::temp_dir(), "recordings");
            let directory =
                directory.map_err(|why| WebProblem::new(503, format!("no room for the files: {why}")))?;
            let written: std::io::Result<()> = read
                .iter()
                .enumerate()
                .try_for_each(|(at, (_, text))| fs::write(directory.join(format!("{at}.ndjson")), text));
            let paths = (0..read.len()).map(|at| directory.join(format!("{at}.ndjson"))).collect::<Vec<_>>();
            // The user knows the files by their names.
            let by_name = |mut why: WebProblem| {
                for (path, (name, _)) in paths.iter().zip(&read) {
                    why.message = why.message.replace(&path.display().to_string(), name);
                }
                why
            };
            let imported = match written {
                Ok(()) => recordings(program, &paths).map_err(by_name),
                Err(why) => Err(WebProblem::new(503, format!("no room for the files: {why}"))),
            };
            let _ = fs::remove_dir_all(&directory);
            imported
        }
    }
}

/// Reads files that a command line names.
pub(crate) fn import_files(program: &Program, path: &Path) -> Result<Imported, Problem> {
    let named = path.display().to_string();
    // Most say themselves which file it is.
    let refused = |why: WebProblem| match why.message.contains(&named) {
        true => Problem::Usage(why.message),
        false => Problem::Usage(format!("{named}: {}", why.message)),
    };
    if path.is_dir() {
        return recordings(program, &[path.to_path_buf()]).map_err(refused);
    }
    let text = crate::inputs::whole(path, 1 << 30)
        .map_err(|why| Problem::Usage(format!("{} cannot be read: {why}", path.display())))?;
    let text = String::from_utf8_lossy(&text);
    match is_document(&text) {
        true => document(program, &path.display().to_string(), &text, None).map_err(refused),
        false => recordings(program, &[path.to_path_buf()]).map_err(refused),
    }
}

/// Whether a text is one document of JSON, as against a recording, which is one in each line.
fn is_document(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|document| document.get("watchkeeper").is_none())
}

fn document(
    program: &Program,
    name: &str,
    text: &str,
    open: Option<&PageScenario>,
) -> Result<Imported, WebProblem> {
    let wrong = || {
        WebProblem::bad(format!(
            "{name} is neither a verdict that `check --json` wrote, nor a trace in the Informal Trace Format, nor a recording"
        ))
    };
    let document: Value = serde_json::from_str(text).map_err(|_| wrong())?;
    if document.get("tool").and_then(Value::as_str) == Some("watchkeeper") {
        return verdict(program, &document).ok_or_else(wrong)?;
    }
    let run = FileRun::of_itf(&document).ok_or_else(wrong)?;
    let command = document.get("#meta").and_then(|meta| meta.get("description")).and_then(Value::as_str);
    let scenario = command.and_then(|command| of_command(program, command)).or_else(|| open.cloned());
    let scenario = scenario.ok_or_else(|| {
        WebProblem::impossible(format!(
            "{name} does not say of which protocol it is: open that protocol first"
        ))
    })?;
    let found = run.find(program, &candidates_of_any(program, &scenario), &patience())?;
    let planned = found.scenario.planned(program).map_err(problem)?;
    let processes = (0..planned.plan.scenario.n).map(|p| format!("p{p}")).collect();
    let (svg, headline) = (
        drawn(&trace_of_labels(&run, processes), name),
        format!("A trace of {} steps from {name}", run.labels.len()),
    );
    Ok(told("itf", headline, &run, Some(&found), (svg, None)))
}

/// The verdict with a run, or the first, of a document.
fn verdict(program: &Program, document: &Value) -> Option<Result<Imported, WebProblem>> {
    let all = document.get("verdicts").and_then(Value::as_array).cloned().unwrap_or(vec![document.clone()]);
    let chosen = all.iter().find(|verdict| !verdict["trace"].is_null()).or(all.first())?;
    chosen.get("verdict")?;
    let command = chosen.get("command")?.as_str()?;
    let Some(scenario) = of_command(program, command) else {
        let why = format!("the verdict is not of a check that this program knows: {command}");
        return Some(Err(WebProblem::impossible(legible(&why))));
    };
    let goes_on = patience();
    let shown = match told_verdict(program, &scenario, chosen, "", &goes_on) {
        Ok(shown) => shown,
        Err(why) => return Some(Err(why)),
    };
    let headline = shown["headline"].as_str().unwrap_or_default().to_string();
    let (Some(run), Some(trace)) =
        (chosen.get("trace").and_then(FileRun::of_verdict), chosen.get("trace").and_then(trace_of_verdict))
    else {
        let answer = json!({
            "kind": "verdict", "headline": headline, "protocol": scenario.protocol, "settings": scenario.json(),
            "run": null, "loop": null, "departs": null, "svg": null, "verdict": shown,
        });
        return Some(Ok(Imported { answer }));
    };
    let mut settings = scenario.clone();
    if let Some(given) = shown["settings"].as_object() {
        settings.settings = given
            .iter()
            .filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_string())))
            .collect();
    }
    let svg = drawn(&trace, &headline);
    let found = match run.find(program, &[settings], &goes_on) {
        Ok(found) => found,
        Err(why) => return Some(Err(why)),
    };
    let mut imported = told("verdict", headline, &run, Some(&found), (svg, None));
    imported.answer["verdict"] = shown;
    Some(Ok(imported))
}

/// The answer for the page.
pub(super) fn told(
    kind: &str,
    headline: String,
    run: &FileRun,
    found: Option<&FoundRun>,
    (svg, departs): (String, Option<String>),
) -> Imported {
    let parted = found.filter(|found| !found.whole);
    let why = departs.or_else(|| {
        parted.map(|found| {
            let label = run.labels.get(found.found).map_or("", String::as_str);
            format!("step {} ({label}) is not possible in the model", found.found + 1)
        })
    });
    let step = parted.map_or(run.labels.len() + 1, |found| found.found + 1);
    let departs = why.map(|why| {
        json!({
            "step": step,
            "why": why,
            "recorded_svg": svg,
            "enabled": found.map(|found| &found.enabled),
        })
    });
    let answer = json!({
        "kind": kind,
        "headline": headline,
        "protocol": found.map(|found| &found.scenario.protocol),
        "settings": found.map(|found| found.scenario.json()),
        "clients": found.map(|found| found.clients),
        "run": found.map(|found| &found.link),
        "loop": run.loops_to,
        "departs": departs,
        "svg": svg,
    });
    Imported { answer }
}

pub(super) fn drawn(trace: &Trace, title: &str) -> String {
    Chart::of(trace).svg(title)
}

/// The scenario of a command line that this program once wrote.
fn of_command(program: &Program, command: &str) -> Option<PageScenario> {
    let mut words = words(command)?;
    if words.get(1).map(String::as_str) != Some("check") {
        return None;
    }
    words[0] = program.name.clone();
    let args: crate::arguments::CheckArgs = program.args_of("check", &words).ok()?;
    // A file of somebody else does not say which files are read here; what this program writes names a protocol.
    if args.scenario.file().is_some() {
        return None;
    }
    let (entry, given) =
        named_around(program, &args.scenario, &args.search, "check", RawSettings::default()).ok()?;
    Some(PageScenario::given(entry, &given))
}
