//! Runs that leave the page: as a picture, a trace for other tools, a test in Rust, or a page that opens from disk.

use super::scenario::PageScenario;
use super::searches;
use crate::interrupt;
use crate::outputs::unwritten;
use crate::program::Program;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use watchkeeper::Problem;
use watchkeeper_web::{Answered, Explorer, JobProgress, OpenedSpace, StaticPage, WebProblem};

/// The most states of a run that a page from disk has.
const STATES: usize = 2000;

/// What an export is of.
pub(super) struct ExportedRun<'a> {
    pub(super) program: &'a Program,
    /// What the page knows of the program, for a page from disk.
    pub(super) about: Value,
    pub(super) scenario: &'a PageScenario,
    /// The answer that opened the space.
    pub(super) open: &'a Value,
    pub(super) space: &'a OpenedSpace,
}

impl ExportedRun<'_> {
    /// The answer to a request for an export.
    pub(super) fn answer(&self, body: &Value) -> Answered {
        let form = body.get("form").and_then(Value::as_str).unwrap_or("svg");
        let (text, ending, mime) = match form {
            "test" => (self.test(body)?, "rs", "text/plain"),
            "page" => (self.page(body, Value::Null)?.html(), "html", "text/html"),
            form => {
                let (text, ending) = self.space.exported(body, &self.title(), form)?;
                let mime = match ending {
                    "svg" => "image/svg+xml",
                    "itf.json" => "application/json",
                    _ => "text/plain",
                };
                (text, ending, mime)
            }
        };
        Ok(json!({ "name": format!("{}-run.{ending}", self.scenario.protocol), "mime": mime, "text": text }))
    }

    fn title(&self) -> String {
        self.open["check"].as_str().unwrap_or_default().to_string()
    }

    fn run(&self, body: &Value) -> Answered {
        self.space.told_run(body)
    }

    /// A test that takes the same steps.
    fn test(&self, body: &Value) -> Result<String, WebProblem> {
        let planned = self.scenario.planned(self.program).map_err(searches::problem)?;
        let run = self.run(body)?;
        let labels = run["labels"].as_array().cloned().unwrap_or_default();
        let labels: String = labels
            .iter()
            .filter_map(Value::as_str)
            .map(|label| format!("            {label:?},\n"))
            .collect();
        let settings: String = self
            .scenario
            .settings
            .iter()
            .map(|(name, text)| format!("        .setting({name:?}, {text:?})\n"))
            .collect();
        let (name, ty) = (planned.entry.name(), exported_path(planned.entry.protocol.rust_type()));
        let function: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Ok(format!(
            "//! A run of {name}, step by step: it fails with a chart where the protocol no longer takes a step of it. The crate\n\
             //! `watchkeeper` and the crate of the protocol are dev-dependencies.\n\n\
             #[test]\nfn this_run_of_{function}_is_possible() {{\n    \
             watchkeeper::check_named::<{ty}>({name:?})\n{settings}        .assert_run(&[\n{labels}        ]);\n}}\n"
        ))
    }

    /// A page that opens from disk.
    fn page(&self, body: &Value, verdict: Value) -> Result<StaticPage, WebProblem> {
        let run = self.run(body)?;
        let mut states = Map::new();
        for state in run["states"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            if states.len() < STATES && !states.contains_key(&state.to_string()) {
                let number = usize::try_from(state).unwrap_or(usize::MAX);
                states.insert(state.to_string(), self.space.shown_state(number)?);
            }
        }
        let mut exports = Map::new();
        for form in ["svg", "mermaid", "text", "itf", "test"] {
            let mut asked = body.clone();
            asked["form"] = json!(form);
            exports.insert(form.to_string(), self.answer(&asked)?);
        }
        let data = json!({
            "program": self.about,
            "open": self.open,
            "protocol": self.scenario.protocol,
            "settings": self.scenario.json(),
            "only": body.get("only"),
            "picks": body.get("picks"),
            "run": run,
            "loop": body.get("loop"),
            "states": states,
            "chart": self.space.shown_chart(body)?,
            "verdict": verdict,
            "exports": exports,
        });
        Ok(StaticPage { data })
    }
}

/// What `explore --export` writes about: a scenario, and the run of a link, if there is one.
pub(crate) struct StaticExport<'a> {
    pub(crate) scenario: &'a PageScenario,
    pub(crate) run: Option<&'a str>,
    pub(crate) lap: Option<usize>,
    pub(crate) clients: usize,
    /// The moments that were picked, and the processes that are shown, as a link has them.
    pub(crate) times: Option<&'a str>,
    pub(crate) only: Option<&'a str>,
}

/// Writes a folder that opens from disk: the run of a link, or else the counterexample of a check. Says what it wrote.
pub(crate) fn export(
    program: &Program,
    about: impl Fn(&Explorer, &PageScenario, usize) -> Result<(Value, Value, usize), WebProblem>,
    export: &StaticExport<'_>,
    directory: &Path,
) -> Result<Vec<String>, Problem> {
    let refused = |why: WebProblem| Problem::Usage(why.message);
    refuse_full(directory)?;
    let explorer = Explorer::default();
    let mut asked = Value::Null;
    let (mut scenario, mut link, mut lap, mut clients) =
        (export.scenario.clone(), export.run.map(str::to_string), export.lap, export.clients);
    if link.is_none() {
        let progress = JobProgress::silent();
        let found = searches::check(program, &scenario, &progress).map_err(refused)?;
        if interrupt::asked() {
            return Err(Problem::Usage("the search was interrupted, so nothing was written".to_string()));
        }
        let verdicts = found["verdicts"].as_array().cloned().unwrap_or_default();
        let shown = verdicts.iter().find(|verdict| !verdict["run"].is_null()).or(verdicts.first()).cloned();
        asked = shown.unwrap_or_default();
        if let Some(run) = asked["run"].as_str() {
            link = Some(run.to_string());
            lap = asked["loop"].as_u64().and_then(|lap| usize::try_from(lap).ok());
            clients = asked["clients"].as_u64().and_then(|k| usize::try_from(k).ok()).unwrap_or(0);
            let given = asked["settings"].as_object().cloned().unwrap_or_default();
            let text = |(name, text): (&String, &Value)| Some((name.clone(), text.as_str()?.to_string()));
            scenario.settings = given.iter().filter_map(text).collect();
        }
    }
    let (about, open, space) = about(&explorer, &scenario, clients).map_err(refused)?;
    let space = explorer.space(space).map_err(refused)?;
    let run = match &link {
        Some(link) => space.resolved(link).map_err(refused)?,
        None => json!({ "start": open["initial"][0]["state"], "steps": [], "missing": null }),
    };
    if let Some(why) = run["missing"]["why"].as_str() {
        return Err(Problem::Usage(why.to_string()));
    }
    let mut body = json!({ "start": run["start"], "steps": run["steps"], "loop": lap });
    if let Some(only) = export.only {
        body["only"] = only.split(',').collect();
    }
    if let Some(times) = export.times {
        let picks = times.split(',').filter_map(|pick| pick.split_once(':'));
        let pick = |(step, at): (&str, &str)| Some(json!([step.parse::<u64>().ok()?, at]));
        body["picks"] = picks.filter_map(pick).collect();
    }
    let exported = ExportedRun { program, about, scenario: &scenario, open: &open, space: &space };
    let mut files =
        vec![("index.html".to_string(), exported.page(&body, asked.clone()).map_err(refused)?.html())];
    for (form, name) in [
        ("svg", "chart.svg"),
        ("mermaid", "chart.mmd"),
        ("text", "chart.txt"),
        ("itf", "run.itf.json"),
        ("test", "run.rs"),
    ] {
        let mut body = body.clone();
        body["form"] = json!(form);
        let answer = exported.answer(&body).map_err(refused)?;
        files.push((name.to_string(), answer["text"].as_str().unwrap_or_default().to_string()));
    }
    if !asked["json"].is_null() {
        files.push(("verdict.json".to_string(), format!("{:#}\n", asked["json"])));
    }
    write(directory, &files)?;
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Writes files into a directory that is new or empty.
fn write(directory: &Path, files: &[(String, String)]) -> Result<(), Problem> {
    let failed = |why: std::io::Error| unwritten(&[format!("{}: {why}", directory.display())]);
    fs::create_dir_all(directory).map_err(failed)?;
    refuse_full(directory)?;
    for (name, text) in files {
        fs::write(directory.join(name), text).map_err(failed)?;
    }
    Ok(())
}

/// Refuses a directory that has something in it: before the search, which may take long, and before the writing.
fn refuse_full(directory: &Path) -> Result<(), Problem> {
    match fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some()) {
        false => Ok(()),
        true => Err(Problem::Usage(format!(
            "{} is not empty: name a new folder with --export",
            directory.display()
        ))),
    }
}

/// The path by which others name a type whose path in its own crate is this. Protocols that are built in stand in modules
/// of their own, which are private, and are named by the module above; of other crates nothing is known.
fn exported_path(ty: &str) -> String {
    let shorter = |path: &str| match path.split("::").collect::<Vec<_>>().as_slice() {
        ["watchkeeper_protocols", module, _, name] => format!("watchkeeper_protocols::{module}::{name}"),
        _ => path.to_string(),
    };
    let between = |c: char| ['<', '>', ',', ' '].contains(&c);
    ty.split_inclusive(between)
        .map(|part| match part.strip_suffix(between) {
            Some(path) => shorter(path) + &part[path.len()..],
            None => shorter(part),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_other_crates_name_them() {
        for (ty, path) in [
            ("watchkeeper_protocols::ring::Ring", "watchkeeper_protocols::ring::Ring"),
            (
                "watchkeeper_protocols::stack::Stack<watchkeeper_protocols::stack::mailbox::Mailbox<\
                 watchkeeper_protocols::consensus::rotating::Rotating>, watchkeeper_protocols::phi::Phi>",
                "watchkeeper_protocols::stack::Stack<watchkeeper_protocols::stack::Mailbox<\
                 watchkeeper_protocols::consensus::Rotating>, watchkeeper_protocols::phi::Phi>",
            ),
            ("own::deep::inside::Protocol<u8>", "own::deep::inside::Protocol<u8>"),
        ] {
            assert_eq!(exported_path(ty), path);
        }
    }
}
