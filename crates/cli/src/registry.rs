//! The protocols that a program knows by name. The type of each is forgotten, but for the one thing that the library does
//! not do with it: to run a node.

use crate::daemon::{self, Setup};
use std::sync::Arc;
use watchkeeper::erased::{ErasedProtocol, ProtocolOutline, TypedProtocol};
use watchkeeper::plan::CheckPlan;
use watchkeeper::{Described, ExitCode, Param, Problem, ProtocolForm, SHORT, SettingOrigin, Settings};

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
        let entry = |typed: TypedProtocol<P>| {
            let protocol = Arc::new(typed);
            let typed = Arc::clone(&protocol);
            let serve = move |plan: &CheckPlan, setup: Setup<'_>| {
                daemon::serve(typed.live(), typed.protocol(plan)?, setup)
            };
            ProtocolEntry { protocol, serve: Arc::new(serve) }
        };
        TypedProtocol::<P>::all().into_iter().map(entry).collect()
    }

    pub(crate) fn outline(&self) -> &ProtocolOutline {
        self.protocol.outline()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.outline().form.name
    }

    /// Whether it is told what a failure detector thinks, so that an oracle can stand below it.
    pub(crate) fn hears(&self) -> bool {
        self.protocol.plan(&Settings::default()).is_ok_and(|plan| plan.scenario.oracle.is_some())
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
                let short = if SHORT.contains(name) { format!("; also --{name}") } else { String::new() };
                out.push_str(&format!("    {name:wide$}  {about} [default: {default}{short}]\n"));
            }
        }
        out.push_str("  Properties (--property NAME,NAME):\n");
        let wide = width(&mut properties.iter().map(|(name, _)| name.len()));
        for (name, about) in properties {
            out.push_str(&format!("    {name:wide$}  {about}\n"));
        }
        out
    }
}

/// Protocols as a person reads about them. Neighbours that take the same parameters and have the same
/// properties say so once.
pub(crate) fn texts(entries: &[&ProtocolEntry]) -> String {
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
