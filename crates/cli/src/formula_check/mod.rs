//! `--mcf` and `--query`: a formula of the modal mu-calculus, or a question about states in short, of whatever space `check` is
//! given. The whole space with all interleavings is asked, as far as the formula needs it.

mod listed;

use crate::again;
use crate::arguments::CheckArgs;
use crate::clock::{Clock, Showing};
use crate::command_line::CommandLine;
use crate::commands::specification::{self, SpecificationFile};
use crate::inputs;
use crate::job::Job;
use crate::outputs::{OutputTarget, unwritten};
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::registry::ProtocolEntry;
use clap::Args;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, SettingOrigin, SourceLocation};
use watchkeeper_explore::{ExploreError, Progress, ProgressCallback};
use watchkeeper_logic::{AtomNames, ExitCode, Limit};
use watchkeeper_lts::read_aut;
use watchkeeper_modal::{
    FormulaNames, FormulaTextError, GameProgress, LanguageData, ModalFormula, ModalSearch, NoData,
    NormalFormula, QueryError, SpaceAnswer, SpaceCheckError, check_space, query, read_formula,
};
use watchkeeper_space::{Graph, Space};

use listed::ListedSpace;

/// The largest formula that is read from a file.
const LARGEST: u64 = 1 << 20;

/// The settings that a formula cannot be asked with, and why.
const REFUSED: [(&str, &str); 9] = [
    ("property", "a formula is asked alone"),
    ("ltl", "a formula is asked alone"),
    ("fairness", "a formula says itself which runs count; write the fairness into it"),
    (
        "symmetry",
        "renamed processes do not have the same actions, so a formula needs every state; leave it out",
    ),
    ("reduce", "a formula may tell apart what a reduction takes as one; leave it out"),
    ("interleaving", "a formula needs every interleaving; leave it out"),
    ("search", "a formula is answered from a graph that is explored breadth-first; leave it out"),
    ("max-depth", "a formula is answered from a graph of any depth; use --max-states or --timeout"),
    ("store", "the graph of a formula is kept in memory; leave it out"),
];

/// The formula that is asked.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FormulaArgs {
    /// A formula of the modal mu-calculus in the language of mCRL2, such as '[true*]<true>true', or a file with one
    #[arg(long, value_name = "FORMULA|FILE", help_heading = "Properties", conflicts_with = "query")]
    pub(crate) mcf: Option<String>,

    /// A question about states: 'A[] p', 'E<> p', 'A<> p', 'E[] p' or 'p --> q', with propositions p and q as in --ltl
    #[arg(long, value_name = "QUERY", help_heading = "Properties")]
    pub(crate) query: Option<String>,

    /// Write the part of the space that proves the answer to --mcf or --query, in the Aldebaran format
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    pub(crate) evidence: Option<PathBuf>,
}

/// A formula as it was given.
enum AskedFormula {
    /// The text, and the file that it is from.
    Mcf(String, Option<PathBuf>),
    Query(String),
}

impl FormulaArgs {
    /// Whether a formula is asked.
    pub(crate) fn is_asked(&self) -> bool {
        self.mcf.is_some() || self.query.is_some() || self.evidence.is_some()
    }

    fn asked(&self) -> Result<AskedFormula, Problem> {
        match (&self.mcf, &self.query) {
            (Some(given), _) => {
                let path = Path::new(given);
                if !given.ends_with(".mcf") && !path.is_file() {
                    return Ok(AskedFormula::Mcf(given.clone(), None));
                }
                let text = inputs::text(path, LARGEST).map_err(|why| match why.kind() {
                    std::io::ErrorKind::Interrupted => inputs::interrupted(path),
                    _ => Problem::Usage(format!("cannot read the formula {given}: {why}")),
                })?;
                Ok(AskedFormula::Mcf(text, Some(path.to_path_buf())))
            }
            (None, Some(given)) => Ok(AskedFormula::Query(given.clone())),
            (None, None) => {
                let why = "--evidence writes what proves the answer to a formula; add --mcf or --query";
                Err(Problem::Usage(why.to_string()))
            }
        }
    }

    /// Adds the flags that ask the same again.
    fn add_to(&self, line: &mut CommandLine) {
        line.maybe("mcf", self.mcf.as_ref());
        line.maybe("query", self.query.as_ref());
    }
}

/// Asks a formula of a protocol.
pub(crate) fn of_protocol(
    program: &Program,
    args: &CheckArgs,
    (entry, settings): (&ProtocolEntry, RawSettings),
) -> Result<ExitCode, Problem> {
    refuse(args, &settings)?;
    let settings = settings.read()?;
    let options = SearchOptions::of(&settings)?;
    let mut plan = entry.protocol.plan(&settings)?;
    plan.asked.clear();
    let mut line = CommandLine::new(&program.name, &["check", entry.name()]);
    again::add_to(&mut line, entry.outline(), &plan, &options);
    let explored = entry.protocol.explored(&plan)?;
    let spaces = explored.into_iter().map(|explored| (explored.clients, explored.space)).collect();
    Asking { args, options, processes: plan.scenario.n, names: None }.ask(spaces, line, &|| None)
}

/// Asks a formula of a specification in the language of mCRL2. It knows the sorts and functions of the specification.
pub(crate) fn of_specification(
    program: &Program,
    args: &CheckArgs,
    path: &Path,
    settings: RawSettings,
) -> Result<ExitCode, Problem> {
    refuse(args, &settings)?;
    let options = SearchOptions::of(&settings.read()?)?;
    let specification = SpecificationFile::read(path)?;
    let space = specification.space()?;
    let failure = space.failure();
    let failed = || failure.error().map(|error| specification.problem(error));
    let mut line = CommandLine::new(&program.name, &["check", &path.display().to_string()]);
    again::search_flags(&mut line, &options);
    let names = Some(specification.names()?);
    Asking { args, options, processes: 0, names }.ask(vec![(String::new(), Box::new(space))], line, &failed)
}

/// The ending of the names of labelled transition systems in the Aldebaran format.
const LISTED: &str = ".aut";

/// Asks a formula of a labelled transition system in a file, if the first argument names one. Its sorts and actions are those
/// of its labels.
pub(crate) fn of_listed(
    program: &Program,
    args: &CheckArgs,
    environment: &RawSettings,
) -> Result<Option<ExitCode>, Problem> {
    let Some(name) = args.scenario.scenario.as_ref().filter(|name| name.ends_with(LISTED)) else {
        return Ok(None);
    };
    let given = args.search.settings().over(args.scenario.model_settings()?);
    specification::refuse_foreign(&given, Path::new(name), "a state space")?;
    let settings = given.over(environment.clone());
    refuse(args, &settings)?;
    let options = SearchOptions::of(&settings.read()?)?;
    let unreadable = |why: String| Problem::Usage(format!("cannot read the state space {name}: {why}"));
    let file = inputs::ordinary_file(Path::new(name)).map_err(|why| unreadable(why.to_string()))?;
    let system = read_aut(&mut BufReader::new(file)).map_err(|why| unreadable(why.to_string()))?;
    let steps = system.all().map(|(from, edge)| (from, edge.label, edge.to));
    let space = ListedSpace::new(system.states(), system.initial(), system.labels().iter(), steps);
    let mut line = CommandLine::new(&program.name, &["check", name]);
    again::search_flags(&mut line, &options);
    let asking = Asking { args, options, processes: 0, names: None };
    asking.ask(vec![(String::new(), Box::new(space))], line, &|| None).map(Some)
}

/// What is asked of spaces.
pub(crate) struct Asking<'a> {
    pub(crate) args: &'a CheckArgs,
    pub(crate) options: SearchOptions,
    /// The number of processes that `all` and `some` speak of in a query.
    pub(crate) processes: usize,
    /// The sorts, functions and actions of formulas, if the space does not know them all.
    pub(crate) names: Option<FormulaNames>,
}

impl Asking<'_> {
    /// Asks all of these spaces, each with what clients ask in it. `failed` finds what went wrong in a search.
    pub(crate) fn ask(
        &self,
        spaces: Vec<(String, Box<dyn Space>)>,
        mut line: CommandLine,
        failed: &dyn Fn() -> Option<Problem>,
    ) -> Result<ExitCode, Problem> {
        let asked = self.args.formula.asked()?;
        self.args.formula.add_to(&mut line);
        let line = line.to_string();
        let job = Job::new(self.options.clone(), &self.args.output)?;
        let target = self.args.formula.evidence.as_deref().map(OutputTarget::new);
        target.as_ref().map_or(Ok(()), OutputTarget::probe)?;
        let clock = Clock::start(self.options.timeout, Showing::fitting(self.args.output.quiet));
        let several = spaces.len() > 1;
        let mut answer: Option<SpaceAnswer> = None;
        for (name, space) in spaces {
            let found = self.one(&asked, &*space, &clock);
            let found = failed().map_or(found, Err);
            let mut found = found.inspect_err(|_| clock.finish())?;
            if several {
                found.verdict.assumptions.push(format!("this is the answer for {name}"));
            }
            let held = found.verdict.holds();
            answer = Some(match answer {
                None => found,
                Some(before) => {
                    let verdict = before.verdict.and(found.verdict.clone());
                    SpaceAnswer { verdict, ..found }
                }
            });
            if !held {
                break;
            }
        }
        clock.finish();
        let answer = answer.ok_or_else(|| Problem::Usage("no client asks anything".to_string()))?;
        let witness = answer.run.filter(|run| answer.verdict.holds() && !run.steps.is_empty());
        let told = job.and_witness(witness).tell(answer.verdict, clock.seconds(), &line);
        match (&target, &answer.evidence) {
            (Some(target), Some(part)) => {
                let written = target.write(&aldebaran(part));
                written.map_err(|why| unwritten(&[format!("{target}: {why}")])).and(told)
            }
            _ => told,
        }
    }

    fn one(&self, asked: &AskedFormula, space: &dyn Space, clock: &Clock) -> Result<SpaceAnswer, Problem> {
        match asked {
            AskedFormula::Query(text) => {
                let names = (space.shape(), self.processes);
                let formula = read_query(text, &names)?;
                let normal = NormalFormula::new(&formula, &NoData).map_err(|why| about("--query", &why))?;
                let search = self.search(&normal, &NoData, text);
                self.check(space, &search, clock)
            }
            AskedFormula::Mcf(text, path) => {
                let refused = |why: &FormulaTextError| misread(why, text, path.as_deref());
                let names = match &self.names {
                    Some(names) => names.clone(),
                    None => {
                        let vocabulary = space.data_labels().map(|labels| labels.vocabulary());
                        FormulaNames::of_vocabulary(&vocabulary.unwrap_or_default())
                            .map_err(|why| refused(&why))?
                    }
                };
                let typed = read_formula(text, names).map_err(|why| refused(&why))?;
                let data = LanguageData::new(&typed).map_err(|why| refused(&why.into()))?;
                let normal = NormalFormula::new(&typed.formula, &data).map_err(|why| refused(&why.into()))?;
                let shown = shown(text);
                let search = self.search(&normal, &data, &shown);
                self.check(space, &search, clock)
            }
        }
    }

    fn search<'s>(
        &self,
        formula: &'s NormalFormula,
        data: &'s dyn watchkeeper_modal::FormulaData,
        text: &'s str,
    ) -> ModalSearch<'s> {
        let (max_states, max_bytes) = (self.options.search.max_states, self.options.search.max_bytes);
        ModalSearch { formula, data, text, max_states, max_bytes }
    }

    fn check(
        &self,
        space: &dyn Space,
        search: &ModalSearch<'_>,
        clock: &Clock,
    ) -> Result<SpaceAnswer, Problem> {
        let mut watch = |progress: &GameProgress| -> ControlFlow<Limit> {
            clock.on_progress(&Progress {
                distinct_states: progress.states as u64,
                transitions: progress.transitions as u64,
                depth: 0,
                queue: (progress.nodes - progress.expanded) as u64,
                bytes: progress.bytes as u64,
            })
        };
        check_space(space, search, &mut watch).map_err(|error| match error {
            SpaceCheckError::Replay(mismatch) => Problem::Explore(ExploreError::Replay(mismatch)),
            error if error.is_internal() => Problem::Internal(error.to_string()),
            error => about(if self.args.formula.mcf.is_some() { "--mcf" } else { "--query" }, &error),
        })
    }
}

/// Refuses what a formula cannot be asked with.
pub(crate) fn refuse(args: &CheckArgs, settings: &RawSettings) -> Result<(), Problem> {
    args.checkpoint.refuse("a search for the answer to a formula")?;
    args.fleet.refuse("a search for the answer to a formula")?;
    for (name, why) in REFUSED {
        if let Some(given) =
            settings.given(name).filter(|given| given.value != "false" && given.value != "none")
        {
            return Err(given.refused(why));
        }
    }
    Ok(())
}

fn read_query(text: &str, names: &impl AtomNames) -> Result<ModalFormula, Problem> {
    match query(text, names) {
        Ok((_, formula)) => Ok(formula),
        Err(QueryError::Syntax(error)) => Err(about("--query", &format!("\n{}", error.render(text)))),
        Err(error) => Err(about("--query", &error)),
    }
}

fn about(flag: &str, why: &dyn std::fmt::Display) -> Problem {
    SettingOrigin::Argument(flag.to_string()).refused(why)
}

/// What is wrong with the text of a formula, with the line that it is in.
fn misread(why: &FormulaTextError, text: &str, path: Option<&Path>) -> Problem {
    let message = why.to_string();
    let Some(place) = why.place() else { return about("--mcf", &message) };
    let begin =
        text.split_inclusive('\n').take(place.line.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let within: usize =
        text[begin..].chars().take(place.column.saturating_sub(1) as usize).map(char::len_utf8).sum();
    let begin = begin + within;
    let length = text[begin..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '\'')).count();
    let path = path.unwrap_or(Path::new("--mcf"));
    let location = SourceLocation::new(path, text, begin..begin + length.max(1));
    let message = message.strip_prefix(&format!("{place}: ")).unwrap_or(&message).to_string();
    SettingOrigin::File(Box::new(location)).refused(message)
}

/// A part of a space in the Aldebaran format. Its first states are the initial ones; a fresh state leads to several.
fn aldebaran(part: &Graph) -> String {
    let fresh = part.initial.len() != 1;
    let begins: Vec<(usize, &str, usize)> =
        part.initial.iter().filter(|_| fresh).map(|&state| (part.states.len(), "init", state)).collect();
    let edges = part.edges.iter().map(|(from, label, to)| (*from, label.as_str(), *to));
    let lines: Vec<String> = begins
        .into_iter()
        .chain(edges)
        .map(|(from, label, to)| format!("({from},\"{label}\",{to})\n"))
        .collect();
    let first = if fresh { part.states.len() } else { part.initial[0] };
    let states = part.states.len() + usize::from(fresh);
    format!("des ({first},{},{states})\n{}", lines.len(), lines.concat())
}

/// A formula without comments, on one line.
fn shown(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('%').next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_shown_without_comments_and_line_breaks() {
        assert_eq!(shown("% No deadlock.\n[true*]\n  <true>true % here\n"), "[true*] <true>true");
    }
}
