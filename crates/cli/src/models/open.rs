//! From a word to a labelled transition system: the model is opened, explored with its limits, and its labels are seen as the flags
//! say.

use super::{CASEBOOK, ModelArgs, ViewArgs};
use crate::clock::Clock;
use crate::command_line::words;
use crate::commands::casebook::{self, CasebookArgs};
use crate::commands::check::named;
use crate::commands::specification::SpecificationFile;
use crate::inputs;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use std::io::BufReader;
use std::path::Path;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, SettingOrigin, Settings};
use watchkeeper_core::Pid;
use watchkeeper_explore::StateList;
use watchkeeper_logic::Limit;
use watchkeeper_lts::{ExplorationError, LabelView, Lts, explore, read_aut, replay};
use watchkeeper_mcrl2::process::ProcessSpace;
use watchkeeper_space::{Event, Space, Step, Trace};

/// What a word names, before anything is explored.
enum ModelSource {
    Space(Box<dyn Space>),
    Specification(SpecificationFile, Box<ProcessSpace>),
    System(Lts),
}

/// How a file is opened whose name has an ending. A kind of file more is a line more.
type OpenFile = fn(&Path) -> Result<ModelSource, Problem>;

const FILES: [(&str, OpenFile); 3] = [("aut", aut), ("lts", lts), ("mcrl2", mcrl2)];

/// The settings that say nothing about a space as a whole: what is asked of it, and how a search leaves states out.
const FOREIGN: [&str; 11] = [
    "property",
    "ltl",
    "fairness",
    "interleaving",
    "search",
    "seed",
    "max-depth",
    "symmetry",
    "reduce",
    "store",
    "max-disk",
];

/// A model with its system.
pub(crate) struct OpenedModel {
    /// What it is called.
    pub(crate) name: String,
    /// The system, its labels as they are seen.
    pub(crate) system: Lts,
    /// What the model rests on.
    pub(crate) assumptions: Vec<String>,
    /// A cap of the model that cut steps away, if one did.
    pub(crate) cut: Option<Limit>,
    /// Whether each state is a zone.
    pub(crate) dense: bool,
    explored: Option<Explored>,
}

/// The space that was explored, to run it again.
struct Explored {
    space: Box<dyn Space>,
    states: StateList,
    only: Option<Pid>,
    view: LabelView,
}

impl OpenedModel {
    /// The run along some states, each after the label that leads to it, as its model runs it; a file tells its labels alone.
    pub(crate) fn run(&self, way: &[(u32, String)]) -> Result<Trace, Problem> {
        let Some(Explored { space, states, only, view }) = &self.explored else {
            let steps = way.iter().skip(1).map(|(_, label)| Step {
                action: label.clone(),
                at: None,
                events: vec![Event::Remark { text: label.clone() }],
                after: Vec::new(),
            });
            return Ok(Trace { steps: steps.collect(), ..Trace::default() });
        };
        let run = replay((&**space, states), (*only, view), way);
        run.map_err(|mismatch| Problem::Explore(mismatch.into()))
    }
}

/// Opens what the arguments name and explores it; or says which limit it is larger than.
pub(crate) fn open(
    program: &Program,
    args: &ModelArgs,
    also: &ViewArgs,
    clock: &Clock,
) -> Result<Result<OpenedModel, Limit>, Problem> {
    let (view, only) = (args.view.labels(also)?, args.view.process()?.or(also.process()?));
    let name = args.name(program);
    let options = search_options(args)?;
    let source = source(program, args)?;
    if only.is_some() && !matches!(source, ModelSource::Space(_)) {
        let why = format!("--only: {name} does not say whose steps are whose; hide actions by their names");
        return Err(Problem::Usage(why));
    }
    // What goes wrong in the data of a specification while its states are explored.
    let mut failed: Box<dyn Fn() -> Option<Problem>> = Box::new(|| None);
    let space: Box<dyn Space> = match source {
        ModelSource::System(system) => {
            let opened = OpenedModel {
                name,
                system,
                assumptions: Vec::new(),
                cut: None,
                dense: false,
                explored: None,
            };
            return seen(opened, &view).map(Ok);
        }
        ModelSource::Space(space) => space,
        ModelSource::Specification(file, space) => {
            let failure = space.failure();
            failed = Box::new(move || failure.error().map(|error| file.problem(error)));
            space
        }
    };
    let explored = explore(&*space, only, &options.search, clock);
    clock.finish();
    if let Some(problem) = failed() {
        return Err(problem);
    }
    let (system, states) = match explored.map_err(unexplored)? {
        Ok(explored) => explored,
        Err(limit) => return Ok(Err(limit)),
    };
    let opened = OpenedModel {
        name,
        system,
        assumptions: space.shape().assumptions.clone(),
        cut: states.cut.clone(),
        dense: space.shape().zone.is_some(),
        explored: Some(Explored { space, states, only, view: view.clone() }),
    };
    seen(opened, &view).map(Ok)
}

/// The model with its labels as they are to be seen.
fn seen(opened: OpenedModel, view: &LabelView) -> Result<OpenedModel, Problem> {
    if view.is_plain() {
        return Ok(opened);
    }
    let seen = view.apply(opened.system.labels());
    let (labels, numbers) = seen.map_err(|unknown| Problem::Usage(format!("{}: {unknown}", opened.name)))?;
    Ok(OpenedModel { system: opened.system.relabelled(labels, &numbers), ..opened })
}

/// The limits of the exploration.
pub(crate) fn search_options(args: &ModelArgs) -> Result<SearchOptions, Problem> {
    let environment = RawSettings::environment(|name| std::env::var(name).ok());
    let mut settings = args.search.settings().over(environment);
    FOREIGN.iter().for_each(|name| settings.forget(name));
    SearchOptions::of(&settings.read()?)
}

fn source(program: &Program, args: &ModelArgs) -> Result<ModelSource, Problem> {
    let flags = args.search.settings().over(args.scenario.model_settings()?);
    if let Some(given) = FOREIGN.iter().find_map(|name| flags.given(name)) {
        let why =
            "a space is explored as a whole, and nothing is asked of it; leave this out, or use `check`";
        return Err(given.refused(why));
    }
    let name = args.scenario.scenario.as_deref().unwrap_or_default();
    if name.split_whitespace().next() == Some(CASEBOOK) && program.casebook {
        refuse_scenario(args, "a model of the casebook has its flags in the quotation marks")?;
        let parts = words(name).unwrap_or_default();
        let line = [std::slice::from_ref(&program.name), &*parts].concat();
        let case: CasebookArgs = program.args_of(CASEBOOK, &line)?;
        return casebook::space(&case).map(ModelSource::Space);
    }
    let path = Path::new(name);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if let Some((_, open)) = FILES.iter().find(|(known, _)| ending == *known) {
        refuse_scenario(args, "a file with a space says everything about it")?;
        return open(path);
    }
    protocol(program, args).map(ModelSource::Space)
}

/// Refuses flags of a scenario where they would be forgotten.
fn refuse_scenario(args: &ModelArgs, why: &str) -> Result<(), Problem> {
    let flags = args.scenario.model_settings()?;
    let given = Settings::TABLE.iter().find_map(|row| flags.given(row.name));
    match given.or(flags.params.values().next()) {
        None => Ok(()),
        Some(given) => Err(given.refused(format!("{why}; leave this out"))),
    }
}

fn protocol(program: &Program, args: &ModelArgs) -> Result<Box<dyn Space>, Problem> {
    let (entry, mut given) = named(program, &args.scenario, &args.search, "space")?;
    FOREIGN.iter().for_each(|name| given.forget(name));
    // Something has to be asked of a plan; a deadlock needs no observer, which would make the space larger.
    given.set("property", "deadlock", SettingOrigin::Argument(String::new()));
    let plan = entry.protocol.plan(&given.read()?)?;
    let mut spaces = entry.protocol.explored(&plan)?;
    if spaces.len() > 1 {
        let asked: Vec<String> = spaces.into_iter().map(|space| space.clients).collect();
        return Err(Problem::Usage(format!(
            "clients may ask different things here, and each makes a space of its own; choose one with --values: {}",
            asked.join("; ")
        )));
    }
    let only = spaces.pop().ok_or_else(|| Problem::Usage("no client asks anything".to_string()))?;
    Ok(only.space)
}

fn aut(path: &Path) -> Result<ModelSource, Problem> {
    let unread = |why: String| Problem::Usage(format!("{}: {why}", path.display()));
    let file = inputs::ordinary_file(path).map_err(|why| unread(why.to_string()))?;
    let system =
        read_aut(&mut BufReader::with_capacity(1 << 16, file)).map_err(|why| unread(why.to_string()))?;
    Ok(ModelSource::System(system))
}

fn mcrl2(path: &Path) -> Result<ModelSource, Problem> {
    let file = SpecificationFile::read(path)?;
    let space = Box::new(file.space()?);
    Ok(ModelSource::Specification(file, space))
}

/// The binary format of the mCRL2 tools is not read.
fn lts(path: &Path) -> Result<ModelSource, Problem> {
    Err(no_lts(path))
}

/// Why there is no such file here.
pub(crate) fn no_lts(path: &Path) -> Problem {
    let name = path.display();
    let aut = path.with_extension("aut");
    Problem::Usage(format!(
        "{name}: the binary .lts format of the mCRL2 tools is not read or written here, because its labels are terms in a \
         format that is described by their source alone; their tool converts it: ltsconvert {name} {}",
        aut.display()
    ))
}

fn unexplored(error: ExplorationError) -> Problem {
    match error {
        ExplorationError::Explore(error) => Problem::Explore(error),
        other => Problem::Usage(format!("--only: {other}")),
    }
}
