//! Requests of a page about spaces. Each line is one: a path and a body. Their state numbers are those that the answers before
//! have given out, so that a script goes where a person could click.

use crate::page_runs::{Walked, refused};
use crate::program::PROGRAM;
use crate::quoting::text;
use serde_json::{Value as Json, json};
use watchkeeper_cli::hostile::opened;
use watchkeeper_web::{Answered, Explorer, JobProgress};

/// The spaces that are open: without times, in ticks, in dense time.
const SPACES: [&str; 3] = [
    r#"{"protocol":"ring","settings":{"n":"2","crashes":"1","channel":"block:1","property":"strong-accuracy"}}"#,
    r#"{"protocol":"ring","settings":{"n":"2","crashes":"1","time":"ticks","delay":"0..1"}}"#,
    r#"{"protocol":"ring","settings":{"n":"2","crashes":"1","time":"dense","delay":"0..1"}}"#,
];

/// The most requests of a script.
const REQUESTS: usize = 12;

/// The longest walk, and the longest run for whose steps alternatives are looked for: what takes long is no finding here.
const WALK: u64 = 200;
const ALTERNATIVES: usize = 6;

/// Every request is answered or refused with a sentence, and every run of an answer is one of the space.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let requests: Vec<(String, Json)> = text.split('\n').filter_map(request).take(REQUESTS).collect();
    if requests.is_empty() {
        return;
    }
    let spaces = requests.iter().filter_map(|(_, body)| usize::try_from(body["space"].as_u64()?).ok());
    let spaces = spaces.filter(|space| *space < SPACES.len()).max().map_or(0, |space| space + 1);
    let explorer = Explorer::default();
    for space in &SPACES[..spaces] {
        let body = serde_json::from_str(space).expect("a request");
        opened(&PROGRAM, &explorer, &body).expect("a space");
    }
    let mut walked = Walked::new(&explorer, spaces);
    for (path, body) in &requests {
        match answered(&explorer, path, body) {
            None => {}
            Some(Ok(answer)) => walked.told(path, body, &answer),
            Some(Err(problem)) => refused(&problem),
        }
    }
}

/// A path and a body. A line whose body is no JSON is refused before any of this.
fn request(line: &str) -> Option<(String, Json)> {
    let (path, body) = line.split_once(' ')?;
    let mut body: Json = serde_json::from_str(body).ok()?;
    if let Some(count) =
        body.get("count").and_then(Json::as_u64).filter(|count| (WALK..=100_000).contains(count))
    {
        body["count"] = json!(count % WALK);
    }
    Some((format!("/api/{path}"), body))
}

/// The answer of the explorer; for a search, what it found. Two more paths lead to what the page has beside its requests.
fn answered(explorer: &Explorer, path: &str, body: &Json) -> Option<Answered> {
    match path {
        "/api/alternatives" => {
            let few = body["steps"].as_array().is_none_or(|steps| steps.len() <= ALTERNATIVES);
            few.then(|| {
                let space = explorer.of(body)?;
                let found = space.alternatives(body, &JobProgress::silent())?;
                Ok(json!({ "places": found.places, "note": found.note }))
            })
        }
        "/api/export" => {
            let form = body["form"].as_str().unwrap_or("svg");
            Some(
                explorer
                    .of(body)
                    .and_then(|space| space.exported(body, "a run", form))
                    .map(|(text, ending)| json!({ "text": text, "ending": ending })),
            )
        }
        path => {
            let answer = explorer.answer(path, body)?;
            Some(match &answer {
                Ok(begun) if ["/api/until", "/api/graph"].contains(&path) => ended(explorer, &begun["job"]),
                _ => answer,
            })
        }
    }
}

/// What came of a search, once it is over.
fn ended(explorer: &Explorer, job: &Json) -> Answered {
    let path = format!("/api/job/{job}");
    loop {
        let seen = explorer.answer(&path, &Json::Null).expect("a request")?;
        match seen["status"].as_str() {
            Some("running") => std::thread::yield_now(),
            Some("done") => return Ok(seen["result"].clone()),
            _ => panic!("the search failed: {}", seen["error"]),
        }
    }
}
