//! `check` of a process specification in the language of mCRL2. Without a question its whole labelled space is counted, as the
//! tools of that language do it; the only property that is asked by name is `deadlock`.

use crate::again;
use crate::arguments::{CheckArgs, of_search};
use crate::checkpoint::unlimited;
use crate::command_line::CommandLine;
use crate::formula_check;
use crate::inputs;
use crate::job::Job;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use std::path::Path;
use watchkeeper::plan::ReportOptions;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, PropertySpec, Query, SettingOrigin, Settings, SourceLocation};
use watchkeeper_logic::{ExitCode, Question};
use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::process::{ProcessError, ProcessSpace};
use watchkeeper_mcrl2::syntax::{Span, parse_specification};
use watchkeeper_modal::FormulaNames;

/// The ending of the names of specifications.
pub(crate) const ENDING: &str = ".mcrl2";

/// The largest specification that is read.
const LARGEST: u64 = 1 << 24;

/// Checks the specification in a file.
pub(crate) fn check(
    program: &Program,
    args: &CheckArgs,
    path: &Path,
    environment: RawSettings,
) -> Result<ExitCode, Problem> {
    let settings = args.search.settings().over(args.scenario.model_settings()?);
    refuse_foreign(&settings, path, "a specification")?;
    let settings = settings.over(environment);
    if args.formula.is_asked() {
        return formula_check::of_specification(program, args, path, settings);
    }
    let settings = settings.read()?;
    let options = SearchOptions::of(&settings)?;
    let question = question(&settings)?;
    args.fleet.refuse("a search of a specification")?;
    let specification = SpecificationFile::read(path)?;
    let space = specification.space()?;
    let failure = space.failure();
    let mut line = CommandLine::new(&program.name, &["check", &path.display().to_string()]);
    if question.deadlock {
        line.flag("property", PropertySpec::Deadlock);
    }
    let command = |options: &SearchOptions| {
        let mut line = line.clone();
        again::search_flags(&mut line, options);
        line.to_string()
    };
    let mut job = Job::new(options, &args.output)?;
    job.leave_checkpoints(args.checkpoint.begin(program, &command(&unlimited(&job.options)), &args.fleet)?);
    let failed = move || failure.error().map(|error| specification.problem(error));
    let query = Query::new(Box::new(space), question).unless(failed);
    let again = command(&job.options);
    job.ask_all(vec![query], &ReportOptions::default(), &again)
}

/// A file with a specification.
pub(crate) struct SpecificationFile {
    path: std::path::PathBuf,
    text: String,
}

impl SpecificationFile {
    /// Reads it.
    pub(crate) fn read(path: &Path) -> Result<SpecificationFile, Problem> {
        let unreadable = |why: std::io::Error| match why.kind() {
            std::io::ErrorKind::Interrupted => inputs::interrupted(path),
            _ => Problem::Usage(format!("cannot read the specification {}: {why}", path.display())),
        };
        let text = inputs::text(path, LARGEST).map_err(unreadable)?;
        Ok(SpecificationFile { path: path.to_path_buf(), text })
    }

    /// The space of the specification.
    pub(crate) fn space(&self) -> Result<ProcessSpace, Problem> {
        let parsed = parse_specification(&self.text);
        let parsed = parsed.map_err(|error| self.refused(error.span(), &error.to_string()))?;
        ProcessSpace::new(&parsed).map_err(|error| self.problem(&error))
    }

    /// The names that a formula about it can use.
    pub(crate) fn names(&self) -> Result<FormulaNames, Problem> {
        let refused = |error: LanguageError| self.refused(error.span(), &error.to_string());
        let parsed = parse_specification(&self.text).map_err(refused)?;
        FormulaNames::of_specification(&parsed).map_err(refused)
    }

    /// An error, with the line that it is in.
    pub(crate) fn problem(&self, error: &ProcessError) -> Problem {
        self.refused(error.span(), &error.to_string())
    }

    fn refused(&self, span: Span, message: &str) -> Problem {
        let place = SourceLocation::new(&self.path, &self.text, span.start as usize..span.end as usize);
        let why = message.strip_prefix(&format!("{span}: ")).unwrap_or(message);
        SettingOrigin::File(Box::new(place)).refused(why)
    }
}

/// Settings of protocols and their networks mean nothing for a specification, nor for a state space in a file.
pub(crate) fn refuse_foreign(settings: &RawSettings, path: &Path, what: &str) -> Result<(), Problem> {
    let foreign = Settings::TABLE.iter().filter(|row| !of_search(row) && row.name != "property");
    let given = foreign.filter_map(|row| settings.given(row.name)).chain(settings.params.values()).next();
    match given {
        None => Ok(()),
        Some(given) => Err(given.refused(format!(
            "this is about protocols, and {} is {what}, which says everything about itself; leave this out",
            path.display()
        ))),
    }
}

fn question(settings: &Settings) -> Result<Question, Problem> {
    let Some(given) = &settings.property else { return Ok(Question::default()) };
    let mut question = Question::default();
    for property in &given.value {
        match property {
            PropertySpec::Deadlock => question.deadlock = true,
            other => {
                let known = vec!["deadlock".to_string()];
                let (origin, name) = (given.origin.clone(), other.to_string());
                return Err(Problem::Unknown { origin, what: "property", name, known });
            }
        }
    }
    Ok(question)
}
