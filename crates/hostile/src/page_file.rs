//! Files that a person opens on a page: verdicts, traces and recordings that somebody attached to a report. What is found of
//! their runs is looked up again in the model, by the link that the page would show.

use crate::page_runs::refused;
use crate::program::PROGRAM;
use crate::quoting::text;
use serde_json::{Value as Json, json};
use watchkeeper_cli::hostile::{imported, opened};
use watchkeeper_web::Explorer;

/// Files are separated by this byte.
const BETWEEN: char = '\u{1e}';

/// A first line that begins so names what the page has open: a scenario as in the request that opens one.
const OPEN: &str = "open ";

/// A file is told with a run that the model has, or refused with a sentence.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let (open, files) = match text.strip_prefix(OPEN).and_then(|rest| rest.split_once('\n')) {
        Some((open, files)) => (serde_json::from_str(open).unwrap_or(Json::Null), files),
        None => (Json::Null, text),
    };
    let files = files.split(BETWEEN).enumerate();
    let files: Vec<Json> =
        files.map(|(at, text)| json!({ "name": format!("file-{at}"), "text": text })).collect();
    let mut body = json!({ "files": files });
    for key in ["protocol", "settings"] {
        if let Some(value) = open.get(key) {
            body[key] = value.clone();
        }
    }
    match imported(&PROGRAM, &body) {
        Ok(told) => read(&told),
        Err(problem) => refused(&problem),
    }
}

/// The run of what was read exists, and is as long as was said.
fn read(told: &Json) {
    let kind = told["kind"].as_str().expect("a kind");
    assert!(["verdict", "itf", "recording"].contains(&kind), "{kind}");
    assert!(told["headline"].as_str().is_some_and(|headline| !headline.is_empty()), "{told:.400}");
    let svg = told["svg"].as_str();
    assert!(svg.is_none_or(|svg| svg.starts_with("<svg") && !svg.contains("<script")), "{svg:?}");
    let Some(run) = told["run"].as_str() else { return };
    let explorer = Explorer::default();
    let open = opened(&PROGRAM, &explorer, told).expect("the scenario of a run that was found opens");
    let asked = json!({ "space": open["space"], "run": run });
    let found = explorer.answer("/api/resolve", &asked).expect("a request").expect("the run resolves");
    assert_eq!(found["missing"], Json::Null, "{run}");
    assert_eq!(found["steps"].as_array().map(|steps| steps.len() + 1), Some(run.split('.').count()));
}
