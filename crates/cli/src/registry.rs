//! The protocols that a program knows by name. The type of each is forgotten, but for the one thing that the library does
//! not do with it: to run a node.

use crate::daemon::{self, Setup};
use crate::help::broken;
use crate::program::Program;
use clap::Command;
use std::sync::Arc;
use watchkeeper::erased::{ErasedProtocol, NamedProtocol, ProtocolOutline};
use watchkeeper::plan::CheckPlan;
use watchkeeper::{Described, ExitCode, PARAM_FLAGS, Param, Problem, ProtocolForm, SettingOrigin, Settings};

/// The width of the lines that describe protocols.
const WIDTH: usize = 98;

/// A protocol that is known by name.
#[derive(Clone)]
pub(crate) struct ProtocolEntry {
    pub(crate) protocol: Arc<dyn ErasedProtocol>,
    serve: Arc<Serve>,
}

/// Runs a node of a plan.
type Serve = dyn Fn(&CheckPlan, Setup<'_>) -> Result<ExitCode, Problem> + Send + Sync;

impl ProtocolEntry {
    /// The entries of a protocol: one for each of its names.
    pub(crate) fn of<P: Described>() -> Vec<ProtocolEntry> {
        let entry = |typed: NamedProtocol<P>| {
            let protocol = Arc::new(typed);
            let typed = Arc::clone(&protocol);
            let serve = move |plan: &CheckPlan, setup: Setup<'_>| {
                daemon::serve(typed.live(), typed.protocol(plan)?, setup)
            };
            ProtocolEntry { protocol, serve: Arc::new(serve) }
        };
        NamedProtocol::<P>::all().into_iter().map(entry).collect()
    }

    pub(crate) fn outline(&self) -> &ProtocolOutline {
        self.protocol.outline()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.outline().form.name
    }

    /// Whether it has this parameter.
    pub(crate) fn has_param(&self, name: &str) -> bool {
        self.outline().params.iter().any(|param| param.name == name)
    }

    /// The command with the flags that this protocol has and others do not.
    pub(crate) fn show_flags(&self, command: Command) -> Command {
        let rows = Settings::TABLE.iter().filter(|row| row.only.is_some_and(|only| only(self.outline())));
        let command = rows.fold(command, |command, row| command.mut_arg(row.name, |arg| arg.hide(false)));
        let own = PARAM_FLAGS
            .iter()
            .filter_map(|flag| self.outline().params.iter().find(|param| param.name == flag.name));
        let heading = format!("Parameters of {}", self.name());
        let command = command.mut_arg("param", |arg| arg.help_heading(heading.clone()));
        own.fold(command, |command, Param { name, about, default }| {
            let help = format!("{about} [default: {default}]");
            command.mut_arg(name, |arg| arg.hide(false).help(help).help_heading(heading.clone()))
        })
    }

    /// Runs a node of it until it is told to end.
    pub(crate) fn serve(&self, plan: &CheckPlan, setup: Setup<'_>) -> Result<ExitCode, Problem> {
        (self.serve)(plan, setup)
    }

    /// Its name, what it is, and how many processes it may have.
    fn heading(&self) -> String {
        let ProtocolOutline { form: ProtocolForm { name, about, processes, sizes, .. }, counted, .. } =
            *self.outline();
        let numbers = match sizes {
            (least, most) if least == most => format!("--n {most}"),
            (least, most) => format!("--n from {least} to {most} [default: {processes}]"),
        };
        format!("{name}\n    {about}\n  {}: {numbers}\n", capital(counted))
    }

    /// Its parameters and properties.
    fn details(&self) -> String {
        let ProtocolOutline { params, properties, .. } = self.outline();
        let mut out = String::new();
        let width = |rows: &mut dyn Iterator<Item = usize>| rows.max().unwrap_or(0);
        if !params.is_empty() {
            out.push_str("  Parameters (--param NAME=VALUE):\n");
            let wide = width(&mut params.iter().map(|param| param.name.len()));
            for Param { name, about, default } in params {
                let flag = PARAM_FLAGS.iter().any(|flag| flag.name == *name);
                let short = if flag { format!("; also --{name}") } else { String::new() };
                let about = format!("{about} [default: {default}{short}]");
                out.push_str(&format!("    {name:wide$}  {}\n", broken(&about, wide + 6, WIDTH)));
            }
        }
        out.push_str("  Properties (--property NAME,NAME):\n");
        let wide = width(&mut properties.iter().map(|(name, _)| name.len()));
        for (name, about) in properties {
            out.push_str(&format!("    {name:wide$}  {}\n", broken(about, wide + 6, WIDTH)));
        }
        out
    }
}

/// The names of protocols, each with its first line.
pub(crate) fn listed(entries: &[ProtocolEntry]) -> String {
    let wide = entries.iter().map(|entry| entry.name().len()).max().unwrap_or(0);
    let line = |entry: &ProtocolEntry| {
        format!("  {:wide$}  {}\n", entry.name(), broken(entry.outline().form.about, wide + 4, WIDTH))
    };
    entries.iter().map(line).collect()
}

/// Protocols as a person reads about them. Neighbours that take the same parameters and have the same
/// properties say so once.
pub(crate) fn details(entries: &[&ProtocolEntry]) -> String {
    let same = |a: &&ProtocolEntry, b: &&ProtocolEntry| a.details() == b.details();
    let group = |group: &[&ProtocolEntry]| {
        let headings: String = group.iter().map(|entry| entry.heading()).collect();
        format!("{headings}{}", group[0].details())
    };
    entries.chunk_by(same).map(group).collect::<Vec<_>>().join("\n")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The entry that an argument of a command names; where a program is about one protocol, it can be left out.
pub(crate) fn named<'a>(
    program: &'a Program,
    name: Option<&str>,
    command: &str,
) -> Result<&'a ProtocolEntry, Problem> {
    match (name, program.entries.as_slice()) {
        (Some(name), entries) => find(entries, name, &SettingOrigin::Argument(String::new())),
        (None, [only]) if program.alone => Ok(only),
        (None, entries) => {
            let detectors = entries.iter().filter(|entry| entry.outline().suspects);
            let names: Vec<&str> = detectors.map(ProtocolEntry::name).collect();
            let (first, known) = (names.first().unwrap_or(&""), names.join(", "));
            let example = format!("{} {command} {first}", program.name);
            Err(Problem::Usage(format!("which protocol? Name one of: {known}\n  Try: {example}")))
        }
    }
}

/// The entry of this name.
pub(crate) fn find<'a>(
    entries: &'a [ProtocolEntry],
    name: &str,
    origin: &SettingOrigin,
) -> Result<&'a ProtocolEntry, Problem> {
    entries.iter().find(|entry| entry.name() == name).ok_or_else(|| Problem::Unknown {
        origin: origin.clone(),
        what: "protocol",
        name: name.to_string(),
        known: entries.iter().map(|entry| entry.name().to_string()).collect(),
    })
}
