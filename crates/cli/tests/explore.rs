//! `explore` by its HTTP interface, without a browser: what a page is told is what the terminal says, and a link or a file
//! opens the run that it names in any server.

mod binary;
// It is compiled and run as it is exported.
#[path = "exported/run.rs"]
mod exported;

use binary::{Room, program, watchkeeper};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// A server that ends with its owner.
struct Page {
    child: Child,
    host: String,
    token: String,
}

impl Page {
    fn new(args: &[&str]) -> Page {
        let mut command = program(&[&["explore"], args].concat());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("an output")).read_line(&mut line).expect("an address");
        let rest = line.strip_prefix("http://").unwrap_or_else(|| panic!("no address: {line}"));
        let (host, rest) = rest.split_once("/#token=").expect("a token");
        let token = rest.split('&').next().expect("a token").trim().to_string();
        Page { child, host: host.to_string(), token }
    }

    /// The status and the body of an answer.
    fn asked(&self, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.host).expect("a server");
        let (method, text) = body.map_or(("GET", String::new()), |body| ("POST", body.to_string()));
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nx-watchkeeper-token: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{text}",
            self.host,
            self.token,
            text.len()
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).expect("JSON"))
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.asked(path, Some(body));
        assert_eq!(status, 200, "{path} {body}: {answer}");
        answer
    }

    /// The result of a job.
    fn job(&self, path: &str, body: &Value) -> Value {
        let job = self.post(path, body)["job"].clone();
        loop {
            let (status, state) = self.asked(&format!("/api/job/{job}"), None);
            assert_eq!(status, 200, "{state}");
            match state["status"].as_str() {
                Some("running") => std::thread::yield_now(),
                Some("done") => return state["result"].clone(),
                _ => panic!("{path} {body}: {state}"),
            }
        }
    }

    fn open(&self, scenario: &Value) -> Value {
        self.post("/api/open", scenario)
    }

    /// The verdict of a check with a run, and that run in the space where it is.
    fn violation(&self, scenario: &Value) -> (Value, Value) {
        let found = self.job("/api/check", scenario)["verdicts"][0].clone();
        assert_eq!(found["verdict"], "violated", "{scenario}");
        let mut at = scenario.clone();
        (at["settings"], at["clients"]) = (found["settings"].clone(), found["clients"].clone());
        let space = self.open(&at)["space"].clone();
        let run = self.post("/api/resolve", &json!({ "space": space, "run": found["run"] }));
        assert_eq!(run["missing"], Value::Null, "{scenario}");
        let path =
            json!({ "space": space, "start": run["start"], "steps": run["steps"], "loop": found["loop"] });
        (found, path)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ring() -> Value {
    json!({ "protocol": "ring", "settings": { "n": "3", "crashes": "1", "channel": "block:1", "property": "deadlock" } })
}

/// The words of `check` for a scenario.
fn check_words(scenario: &Value) -> Vec<String> {
    let settings = scenario["settings"].as_object().expect("settings");
    let mut words = vec!["check".to_string(), scenario["protocol"].as_str().expect("a name").to_string()];
    for (name, text) in settings {
        let text = text.as_str().expect("a text");
        words.push(match ["cliques", "flaw"].contains(&name.as_str()) {
            true => format!("--param={name}={text}"),
            false => format!("--{name}={text}"),
        });
    }
    words
}

/// Violations of all kinds: of states, of observers, of claims about runs, in all models of time, with clients, families
/// and reductions.
fn violations() -> Vec<Value> {
    let one = |protocol: &str, settings: &[(&str, &str)]| {
        let settings: serde_json::Map<String, Value> =
            settings.iter().map(|(name, text)| (name.to_string(), json!(text))).collect();
        json!({ "protocol": protocol, "settings": settings })
    };
    vec![
        ring(),
        one("binary", &[("tmin", "5"), ("tmax", "10"), ("crashes", "0"), ("property", "R1")]),
        one(
            "binary",
            &[("tmin", "5"), ("tmax", "10"), ("crashes", "0"), ("property", "R1"), ("time", "ticks")],
        ),
        one(
            "ring",
            &[
                ("crashable", "p1"),
                ("channel", "drop:1"),
                ("property", "strong-completeness"),
                ("fairness", "steps"),
            ],
        ),
        one(
            "ring",
            &[
                ("crashes", "1"),
                ("channel", "drop:1"),
                ("fairness", "steps"),
                ("ltl", "crashed(p1) ~> suspects(p2,p1)"),
            ],
        ),
        one("ring", &[("crashes", "1"), ("channel", "drop:1"), ("property", "oscillation:1")]),
        one(
            "ring",
            &[
                ("n", "3"),
                ("crashes", "1"),
                ("channel", "block:1"),
                ("property", "deadlock"),
                ("symmetry", "true"),
            ],
        ),
        one(
            "ring",
            &[
                ("n", "3"),
                ("crashes", "1"),
                ("channel", "block:1"),
                ("property", "deadlock"),
                ("reduce", "order"),
            ],
        ),
        one(
            "ring",
            &[
                ("n", "3"),
                ("channel", "drop:1"),
                ("order", "fifo"),
                ("loss", "1"),
                ("duplicate", "1"),
                ("property", "strong-accuracy"),
                ("fairness", "steps"),
            ],
        ),
        one(
            "chandra-toueg",
            &[("n", "2"), ("time", "ticks"), ("delay", "0..3"), ("property", "strong-accuracy")],
        ),
        one("consensus-rotating", &[("flaw", "nacks-count"), ("property", "agreement")]),
        one(
            "consensus-rotating",
            &[("crashes", "1"), ("values", "binary"), ("flaw", "small-majority"), ("property", "agreement")],
        ),
        one("consensus-strong", &[("flaw", "deaf"), ("property", "termination")]),
        one(
            "membership",
            &[("n", "2"), ("cliques", "alone"), ("flaw", "outsiders"), ("property", "insiders")],
        ),
        one(
            "chandra-toueg",
            &[
                ("n", "2"),
                ("time", "ticks"),
                ("delay", "0..2"),
                ("synchrony", "unknown"),
                ("crashes", "0"),
                ("property", "strong-accuracy"),
            ],
        ),
    ]
}

#[test]
fn the_run_of_every_kind_of_verdict_is_found_again_drawn_and_opened_from_its_files() {
    let (page, room) = (Page::new(&["ring"]), Room::new("explore-verdicts"));
    for scenario in violations() {
        let (found, run) = page.violation(&scenario);
        let steps = run["steps"].as_array().expect("steps").len();
        assert_eq!(found["steps"], json!(steps), "{scenario}");
        let chart = page.post("/api/chart", &run);
        assert_eq!(chart["total"], json!(steps), "{scenario}");
        // The files that `check` writes open as the same run.
        let (verdict, itf) = (room.arg("verdict.json"), room.arg("run.itf.json"));
        let words = check_words(&scenario);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.extend(["--json", &verdict, "--out-itf", &itf, "--quiet"]);
        watchkeeper(&words);
        for path in [&verdict, &itf] {
            let text = std::fs::read_to_string(path).expect("a file");
            let files = json!({ "files": [{ "name": "file", "text": text }] });
            let read = page.post("/api/import", &files);
            assert_eq!(read["departs"], Value::Null, "{path} of {scenario}");
            assert_eq!(read["loop"], found["loop"], "{path} of {scenario}");
            let at = json!({ "protocol": read["protocol"], "settings": read["settings"], "clients": read["clients"] });
            let space = page.open(&at)["space"].clone();
            let again = page.post("/api/resolve", &json!({ "space": space, "run": read["run"] }));
            assert_eq!(again["missing"], Value::Null);
            assert_eq!(again["steps"].as_array().map(Vec::len), Some(steps), "{path} of {scenario}");
        }
    }
}

#[test]
fn the_chart_of_a_run_is_the_one_of_the_terminal() {
    let page = Page::new(&["ring"]);
    let (_, mut run) = page.violation(&ring());
    run["form"] = json!("text");
    let text = page.post("/api/export", &run)["text"].as_str().expect("a chart").to_string();
    let said = watchkeeper(&[
        "check",
        "ring",
        "--n",
        "3",
        "--crashes",
        "1",
        "--channel",
        "block:1",
        "--property",
        "deadlock",
    ]);
    let middle: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(middle.len() > 20);
    for line in middle {
        assert!(said.out.contains(line.trim_end()), "not in the terminal: {line}\n{}", said.out);
    }
}

#[test]
fn a_graph_has_the_states_that_a_search_counts() {
    let page = Page::new(&["binary"]);
    let settings = json!({ "tmin": "2", "tmax": "3", "crashes": "0", "time": "ticks", "property": "R1" });
    let space = page.open(&json!({ "protocol": "binary", "settings": settings }))["space"].clone();
    let graph = page.job("/api/graph", &json!({ "space": space }));
    let words = "check binary --tmin 2 --tmax 3 --crashes 0 --time ticks --property R1 --json - --quiet";
    let said = watchkeeper(&words.split(' ').collect::<Vec<_>>());
    let verdict: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(verdict["verdict"], "holds");
    let levels = graph["levels"].as_array().expect("levels");
    assert_eq!(levels.iter().filter_map(Value::as_u64).sum::<u64>(), graph["states"]);
    assert_eq!(graph["states"], verdict["distinct_states"]);
    let count = |list: &str| graph[list].as_array().map(|list| json!(list.len()));
    assert_eq!(count("nodes").as_ref(), Some(&verdict["distinct_states"]));
    assert_eq!(count("edges").as_ref(), Some(&verdict["transitions"]));
    // Of more states than are drawn the levels are told, and the same ones.
    let few = page.job("/api/graph", &json!({ "space": space, "most": 10 }));
    assert_eq!((&few["levels"], &few["nodes"]), (&graph["levels"], &json!([])));
}

#[test]
fn a_walk_until_a_formula_holds_is_as_short_as_a_counterexample_to_its_negation() {
    let page = Page::new(&["ring"]);
    let space = page.open(&ring())["space"].clone();
    let asked =
        |formula: &str| page.job("/api/until", &json!({ "space": space, "state": 0, "formula": formula }));
    let found = asked("suspects(p0,p1) & crashed(p1) & suspects(p2,p1)");
    let steps = found["steps"].as_array().expect("steps").len();
    assert_eq!(found["none"], Value::Null);
    let last = found["states"].as_array().and_then(|states| states.last()).expect("a state");
    let state = page.post("/api/state", &json!({ "space": space, "state": last }));
    for atom in ["suspects(p0,p1)", "crashed(p1)", "suspects(p2,p1)"] {
        assert!(state["atoms"].as_array().expect("atoms").contains(&json!(atom)), "{state}");
    }
    let said = watchkeeper(&[
        "check",
        "ring",
        "--n",
        "3",
        "--crashes",
        "1",
        "--channel",
        "block:1",
        "--fairness",
        "steps",
        "--ltl",
        "G !(suspects(p0,p1) & crashed(p1) & suspects(p2,p1))",
        "--json",
        "-",
        "--quiet",
    ]);
    let verdict: Value = serde_json::from_str(&said.out).expect("JSON");
    assert!(verdict["trace_steps"].as_u64().expect("a run") >= steps as u64);
    assert!(steps >= 3, "a crash and two suspicions: {steps}");
    let none = asked("crashed(p0) & crashed(p1)");
    assert!(none["none"].as_str().is_some_and(|none| none.contains("no state")), "{none}");
    let (status, wrong) =
        page.asked("/api/until", Some(&json!({ "space": space, "state": 0, "formula": "G crashed(p0)" })));
    assert_eq!((status, wrong["error"].as_str().is_some_and(|why| why.contains("one state"))), (400, true));
}

#[test]
fn alternatives_and_repairs_are_those_that_a_check_confirms() {
    let page = Page::new(&["ring"]);
    let (_, run) = page.violation(&ring());
    let mut asked = ring();
    for (name, value) in run.as_object().expect("a run") {
        asked[name] = value.clone();
    }
    let found = page.job("/api/alternatives", &asked);
    let places = found["places"].as_array().expect("places");
    assert_eq!(places.len(), 6);
    // In a ring whose channels block, one crash at the first moment does not save the others.
    let first = places[0]["alternatives"].as_array().expect("alternatives");
    assert!(first.iter().all(|one| one["verdict"] == "violated"), "{first:?}");
    // The last step closes the circle: from the state before it every other step still leaves the danger.
    let steps = |one: &Value| one["steps"].as_u64();
    let last = places[5]["alternatives"].as_array().expect("alternatives");
    assert!(!last.is_empty() && last.iter().all(|one| steps(one).is_some()), "{last:?}");
    let changes: Vec<&str> = found["settings"]
        .as_array()
        .expect("settings")
        .iter()
        .filter_map(|one| one["change"].as_str())
        .collect();
    assert!(changes.contains(&"channel = drop:1"), "{changes:?}");
    for change in changes {
        let (name, value) = change.split_once(" = ").expect("a setting");
        let mut repaired = ring();
        repaired["settings"][name] = json!(value);
        let words = check_words(&repaired);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--quiet"]).collect();
        assert_eq!(watchkeeper(&words).code, 0, "{change}");
    }
}

#[test]
fn of_a_run_that_goes_on_after_it_has_failed_the_rest_is_no_alternative() {
    let page = Page::new(&["ring"]);
    let claim = json!({ "protocol": "ring", "settings": {
        "n": "2", "channel": "drop:1", "fairness": "steps", "property": "strong-accuracy"
    } });
    let (found, run) = page.violation(&claim);
    let steps = run["steps"].as_array().expect("steps").len();
    let mut on = run["steps"].as_array().expect("steps").clone();
    on.extend([json!(0), json!(0)]);
    let asked = json!({
        "protocol": "ring", "settings": claim["settings"], "space": run["space"], "start": run["start"], "steps": on
    });
    let places = page.job("/api/alternatives", &asked)["places"].as_array().expect("places").clone();
    assert_eq!(places.len(), steps + 2, "{found}");
    let texts = |at: usize| -> Vec<String> {
        let list = places[at]["alternatives"].as_array().expect("alternatives");
        list.iter().map(|one| one["text"].as_str().expect("a text").to_string()).collect()
    };
    assert!(!texts(steps + 1).is_empty());
    assert!(texts(steps + 1).iter().all(|text| text == "it has failed before"), "{:?}", texts(steps + 1));
    assert!(texts(0).iter().all(|text| text != "it has failed before"), "{:?}", texts(0));
}

#[test]
fn a_link_means_the_same_in_another_server_and_a_damaged_one_says_which_step_is_missing() {
    let (one, other) = (Page::new(&["ring"]), Page::new(&["binary"]));
    for scenario in violations() {
        let open = one.open(&scenario);
        let walk =
            json!({ "space": open["space"], "state": open["initial"][0]["state"], "count": 40, "seed": 7 });
        let walked = one.post("/api/walk", &walk);
        let keys: Vec<&str> =
            walked["keys"].as_array().expect("keys").iter().filter_map(Value::as_str).collect();
        let link = format!("{}.{}", open["initial"][0]["key"].as_str().expect("a key"), keys.join("."));
        // Another server sees other states first, and so numbers them otherwise.
        let there = other.open(&scenario);
        let stray =
            json!({ "space": there["space"], "state": there["initial"][0]["state"], "count": 15, "seed": 3 });
        other.post("/api/walk", &stray);
        let found = other.post("/api/resolve", &json!({ "space": there["space"], "run": link }));
        assert_eq!(found["missing"], Value::Null, "{scenario}");
        assert_eq!(found["labels"], walked["labels"], "{scenario}");
        if keys.len() < 3 {
            continue;
        }
        let broken = link.replace(keys[2], "AAAAAAAA");
        let found = other.post("/api/resolve", &json!({ "space": there["space"], "run": broken }));
        let missing = &found["missing"];
        let at = missing["step"].as_u64().expect("a step") as usize;
        assert!((1..=3).contains(&at), "{missing}");
        assert_eq!(found["steps"].as_array().map(Vec::len), Some(at - 1));
        assert!(!missing["enabled"].as_array().expect("labels").is_empty());
    }
}

#[test]
fn an_export_is_a_folder_that_is_new_and_whole() {
    let room = Room::new("explore-export");
    let folder = room.arg("report");
    let args =
        ["explore", "ring", "--n", "3", "--crashes", "1", "--channel", "block:1", "--property", "deadlock"];
    let said = watchkeeper(&[&args[..], &["--export", &folder]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    for name in
        ["index.html", "chart.svg", "chart.mmd", "chart.txt", "run.itf.json", "run.rs", "verdict.json"]
    {
        assert!(
            std::fs::metadata(room.path("report").join(name)).is_ok_and(|file| file.len() > 100),
            "{name}"
        );
    }
    let test = std::fs::read_to_string(room.path("report").join("run.rs")).expect("a test");
    assert_eq!(test, include_str!("exported/run.rs"));
    let again = watchkeeper(&[&args[..], &["--export", &folder]].concat());
    assert_eq!(again.code, 150);
    assert!(again.err.contains("not empty"), "{}", again.err);
}
