//! What the page of `explore` asks: the program, scenarios to open, searches, files, exports. Everything about a state or
//! a run that is open is the explorer's.

use super::export::ExportedRun;
use super::imported::Imported;
use super::scenario::PageScenario;
use super::searches::{self, problem};
use super::server::Site;
use super::{alternatives, imported};
use crate::command_line::CommandLine;
use crate::program::Program;
use crate::registry::ProtocolEntry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use watchkeeper::Settings;
use watchkeeper::settings::ValueShape;
use watchkeeper_web::{Answered, Explorer, JobProgress, OpenedSpace, RequestHead, WebProblem};

/// How many files are remembered beside the first, which a page asks for whenever it is loaded.
const FILES: usize = 16;

/// How long searches have to end when the program does.
const FAREWELL: Duration = Duration::from_secs(2);

/// What the page shows first, as the command line said.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageStart {
    pub(crate) scenario: Option<PageScenario>,
    pub(crate) imported: Option<Imported>,
}

/// The site of `explore`.
pub(crate) struct ExplorerSite {
    program: Arc<Program>,
    explorer: Arc<Explorer>,
    start: PageStart,
    /// Runs from files, in the order in which they came.
    imports: Mutex<Vec<Value>>,
    /// The scenarios of the spaces that were opened, and the answers that opened them.
    opened: Mutex<BTreeMap<usize, (PageScenario, Value)>>,
}

impl ExplorerSite {
    /// A site that begins with this.
    pub(crate) fn new(program: Program, start: PageStart) -> ExplorerSite {
        let imports = start.imported.iter().map(|imported| imported.answer.clone()).collect();
        ExplorerSite {
            program: Arc::new(program),
            explorer: Arc::new(Explorer::default()),
            start,
            imports: Mutex::new(imports),
            opened: Mutex::default(),
        }
    }

    /// Ends all searches.
    pub(crate) fn end(&self) {
        self.explorer.jobs.end_all(FAREWELL);
    }

    /// What the program knows; `live` says whether a cluster runs behind the page, and whether the page may touch it.
    pub(crate) fn program(&self, live: Value) -> Value {
        let start = match (&self.start.imported, &self.start.scenario) {
            (Some(imported), _) => json!({
                "protocol": imported.answer["protocol"],
                "settings": imported.answer["settings"],
                "import": 0,
                "clients": imported.answer["clients"],
                "run": imported.answer["run"],
                "loop": imported.answer["loop"],
            }),
            (None, Some(scenario)) => json!({
                "protocol": scenario.protocol, "settings": scenario.json(), "clients": 0, "import": null,
                "run": null, "loop": null,
            }),
            (None, None) => Value::Null,
        };
        let settings = Settings::TABLE.iter().map(|row| {
            json!({
                "name": row.name,
                "help": row.help,
                "value": row.value_name,
                "heading": <&str>::from(row.heading),
                "switch": row.shape == ValueShape::Switch,
            })
        });
        json!({
            "name": self.program.name,
            "version": env!("CARGO_PKG_VERSION"),
            "alone": self.program.alone,
            "protocols": self.program.entries.iter().map(protocol).collect::<Vec<_>>(),
            "settings": settings.collect::<Vec<_>>(),
            "start": start,
            "live": live,
        })
    }

    /// Opens a scenario.
    fn open(&self, body: &Value) -> Answered {
        let scenario = PageScenario::of(body)?;
        let chosen =
            body.get("clients").and_then(Value::as_u64).and_then(|k| usize::try_from(k).ok()).unwrap_or(0);
        let open = opened(&self.program, &self.explorer, &scenario, chosen)?;
        let number =
            open["space"].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default();
        let mut all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|number, _| self.explorer.is_open(*number));
        all.insert(number, (scenario, open.clone()));
        Ok(open)
    }

    /// Begins a search about a scenario.
    fn search(
        &self,
        kind: &'static str,
        body: &Value,
        work: fn(&Program, &PageScenario, &JobProgress) -> Answered,
    ) -> Answered {
        let (scenario, program) = (PageScenario::of(body)?, Arc::clone(&self.program));
        self.explorer.jobs.begin(kind, move |progress| work(&program, &scenario, progress))
    }

    /// Begins a measurement by this command.
    fn measured(&self, kind: &'static str, words: Result<Vec<String>, WebProblem>) -> Answered {
        let words = words?;
        self.explorer.jobs.begin(kind, move |progress| searches::measured(&words, progress))
    }

    fn alternatives(&self, body: &Value) -> Answered {
        let (space, program) = (self.explorer.of(body)?, Arc::clone(&self.program));
        let (scenario, body) = (PageScenario::of(body)?, body.clone());
        let work = move |progress: &JobProgress| {
            alternatives::alternatives(&program, &scenario, &space, &body, progress)
        };
        self.explorer.jobs.begin("alternatives", work)
    }

    fn import(&self, body: &Value) -> Answered {
        let answer = imported::upload(&self.program, body)?.answer;
        let mut imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        imports.push(answer.clone());
        if let Some(old) = imports.len().checked_sub(FILES + 1).filter(|old| *old > 0) {
            imports[old] = Value::Null;
        }
        Ok(answer)
    }

    fn imported(&self, number: &str) -> Answered {
        let imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        let found = number
            .parse::<usize>()
            .ok()
            .and_then(|number| imports.get(number))
            .filter(|answer| !answer.is_null());
        found.cloned().ok_or_else(|| WebProblem::missing("there is no such file: open it again"))
    }

    fn export(&self, body: &Value) -> Answered {
        let space: Arc<OpenedSpace> = self.explorer.of(body)?;
        let number =
            body["space"].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX);
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
        let (scenario, open) =
            opened.ok_or_else(|| WebProblem::gone("open the space again by its address"))?;
        let about = self.program(Value::Null);
        ExportedRun { program: &self.program, about, scenario: &scenario, open: &open, space: &space }
            .answer(body)
    }

    /// The answer to a request; `None` if there is no such request here.
    pub(crate) fn answers(&self, head: &RequestHead, body: &Value) -> Option<Answered> {
        if let Some(number) = head.path.strip_prefix("/api/import/") {
            return Some(self.imported(number));
        }
        Some(match head.path.as_str() {
            "/api/open" => self.open(body),
            "/api/check" => self.search("check", body, searches::check),
            "/api/sweep" => {
                self.search("sweep", body, |_, scenario, progress| searches::sweep(scenario, progress))
            }
            "/api/classify" => self.search("classify", body, searches::classify),
            "/api/measure" => self.measured("measure", searches::measure(body)),
            "/api/compare" => self.measured("compare", searches::compare(body)),
            "/api/alternatives" => self.alternatives(body),
            "/api/import" => self.import(body),
            "/api/export" => self.export(body),
            path => return self.explorer.answer(path, body),
        })
    }
}

impl Site for ExplorerSite {
    fn answer(&self, head: &RequestHead, body: &Value) -> Answered {
        if head.path == "/api/program" {
            return Ok(self.program(Value::Null));
        }
        self.answers(head, body).unwrap_or_else(|| Err(WebProblem::missing("there is no such request")))
    }
}

fn protocol(entry: &ProtocolEntry) -> Value {
    let outline = entry.outline();
    let (least, most) = outline.form.sizes;
    json!({
        "name": entry.name(),
        "about": outline.form.about,
        "suspects": outline.suspects,
        "n": { "least": least, "most": most, "default": outline.form.processes },
        "params": outline.params.iter().map(|param| {
            json!({ "name": param.name, "about": param.about, "default": param.default })
        }).collect::<Vec<_>>(),
        "properties": outline.properties.iter().map(|(name, about)| {
            json!({ "name": name, "about": about })
        }).collect::<Vec<_>>(),
    })
}

/// Opens a scenario, for clients of this number, and gives what the page is told of it.
pub(crate) fn opened(
    program: &Program,
    explorer: &Explorer,
    scenario: &PageScenario,
    clients: usize,
) -> Answered {
    let planned = scenario.planned(program).map_err(problem)?;
    let mut spaces = planned.opened().map_err(problem)?;
    let names: Vec<String> = spaces.iter().map(|(clients, _)| clients.clone()).collect();
    if clients >= spaces.len() {
        return Err(WebProblem::missing(format!(
            "there are {} kinds of clients, counted from 0",
            spaces.len()
        )));
    }
    let (_, space) = spaces.swap_remove(clients);
    let shape = space.space().shape();
    let atoms: Vec<String> = shape.atoms.iter().map(|atom| atom.name.clone()).collect();
    let (assumptions, processes) = (shape.assumptions.clone(), space.processes().to_vec());
    let number = explorer.open(space);
    let asked: Vec<String> = planned.plan.asked.iter().map(ToString::to_string).collect();
    let words = scenario.words("explore");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(json!({
        "space": number,
        "title": format!("{}, {} processes", scenario.protocol, processes.len()),
        "command": CommandLine::new(&program.name, &words).to_string(),
        "check": planned.check(program),
        "processes": processes,
        "time": planned.time(),
        "asked": asked,
        "assumptions": assumptions,
        "atoms": atoms,
        "clients": names,
        "initial": explorer.initial(number)?,
    }))
}
