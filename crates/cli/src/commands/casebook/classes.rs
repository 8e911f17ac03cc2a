//! The case `classes`: every failure detector of the program in asynchrony, in partial synchrony of both forms and
//! in synchrony, with the strongest classes of Chandra and Toueg that it belongs to.

use super::{CaseRun, said};
use crate::clock::Clock;
use crate::commands::classify::classified;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use clap::Args;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;
use watchkeeper_report::{TextTable, thousands};

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct ClassesArgs {
    /// Only this detector, or these, separated by commas
    #[arg(long, value_name = "NAMES")]
    protocol: Option<String>,
}

impl ClassesArgs {
    /// Prints the table.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let clock = case.clock()?;
        let only = said("protocol", &self.protocol);
        let table = table(case.program, only.as_ref(), &case.job.options, &clock)?;
        case.line.maybe("protocol", self.protocol.as_ref());
        let open = table.rows.iter().flatten().any(|cell| cell == "unknown" || cell.starts_with("at least"));
        case.leave(&table, &clock)?;
        Ok(if open { ExitCode::UNKNOWN } else { ExitCode::HOLDS })
    }
}

/// What is around a detector, in one column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum World {
    Asynchrony,
    /// Bounds that hold from the start, and that nobody knows.
    Unknown,
    /// Bounds that hold in the end.
    Eventual,
    Synchrony,
}

type Settled = &'static [(&'static str, &'static str)];

impl World {
    const ALL: [World; 4] = [World::Asynchrony, World::Unknown, World::Eventual, World::Synchrony];

    fn name(self) -> &'static str {
        match self {
            World::Asynchrony => "asynchrony",
            World::Unknown => "bounds unknown",
            World::Eventual => "bounds in the end",
            World::Synchrony => "synchrony",
        }
    }

    /// The settings of all detectors.
    fn settings(self) -> Settled {
        match self {
            World::Asynchrony => &[("time", "untimed"), ("fairness", "steps")],
            World::Unknown => &[("time", "ticks"), ("synchrony", "unknown"), ("delay", "0..2")],
            World::Eventual => &[("time", "ticks"), ("synchrony", "eventual"), ("delay", "0..1")],
            World::Synchrony => &[("time", "ticks"), ("delay", "0..1")],
        }
    }
}

/// A kind of detector: what it needs around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Ring,
    ChandraToueg,
    Heartbeat,
}

impl Family {
    /// What is the same for all of the family in a world. In asynchrony and before a network has stabilised messages
    /// pile up, so channels have a limit there; and p1 has crashed from the start where the network has yet to
    /// stabilise, since states are too many otherwise.
    fn settings(self, world: World) -> Settled {
        match (self, world) {
            (Family::Ring, World::Asynchrony) => &[("channel", "drop:1"), ("crashable", "p1")],
            (Family::Ring, World::Eventual) => {
                &[("channel", "drop:1"), ("lanes", "per-kind"), ("crashes", "0"), ("crashed-at-start", "p1")]
            }
            (Family::Ring, _) => &[("channel", "unbounded:4"), ("crashes", "1")],
            (Family::ChandraToueg, World::Eventual) => &[("crashes", "0"), ("crashed-at-start", "p1")],
            (Family::ChandraToueg, World::Unknown) => &[("n", "2"), ("crashes", "1"), ("channel", "drop:3")],
            (Family::ChandraToueg, _) => &[("crashes", "1")],
            (Family::Heartbeat, World::Synchrony | World::Unknown) => &[("crashes", "1"), ("loss", "0")],
            (Family::Heartbeat, _) => &[("crashes", "1"), ("loss", "0"), ("channel", "drop:1")],
        }
    }
}

/// A detector, in one row of the table.
struct Detector {
    /// Its name in the table.
    title: &'static str,
    /// Its name on the command line.
    name: &'static str,
    family: Family,
    params: Settled,
    /// Its parameters where bounds are unknown, if they are others.
    unknown: Option<Settled>,
    /// Its parameters in asynchrony, if they are others: how long a timeout is does not matter there.
    untimed: Option<Settled>,
}

const fn detector(name: &'static str, family: Family, params: Settled) -> Detector {
    Detector { title: name, name, family, params, unknown: None, untimed: None }
}

const fn growing(detector: Detector) -> Detector {
    Detector { unknown: Some(GROWING_LONG), untimed: Some(GROWING_ONCE), ..detector }
}

const fn growing_for_all(title: &'static str, name: &'static str) -> Detector {
    Detector {
        title,
        unknown: Some(&[("round", "4"), ("timeouts", "all"), ("max-delta", "6")]),
        untimed: Some(&[("round", "1"), ("timeouts", "all"), ("max-delta", "2")]),
        ..detector(name, Family::Ring, &[("round", "2"), ("timeouts", "all"), ("max-delta", "4")])
    }
}

const GROWING_ONCE: Settled = &[("round", "1"), ("max-delta", "2")];
const GROWING: Settled = &[("round", "2"), ("max-delta", "4")];
const GROWING_LONG: Settled = &[("round", "4"), ("max-delta", "6")];
const SHORT: Settled = &[("tmin", "2"), ("tmax", "4"), ("corrected", "true")];

static DETECTORS: [Detector; 14] = [
    detector("ring", Family::Ring, &[("round", "3")]),
    growing(detector("ring-weak-accuracy", Family::Ring, GROWING)),
    growing(detector("ring-strong-accuracy", Family::Ring, GROWING)),
    detector("ring-strong-completeness", Family::Ring, &[("round", "3")]),
    growing_for_all("ring-strong-completeness, timeouts=all", "ring-strong-completeness"),
    detector("ring-asking-again", Family::Ring, &[("round", "3")]),
    growing_for_all("ring-asking-again, timeouts=all", "ring-asking-again"),
    Detector {
        unknown: Some(&[("timeout", "1"), ("cap", "6")]),
        ..detector("chandra-toueg", Family::ChandraToueg, &[])
    },
    detector("binary", Family::Heartbeat, SHORT),
    detector("revised", Family::Heartbeat, SHORT),
    detector("two-phase", Family::Heartbeat, SHORT),
    detector("static", Family::Heartbeat, SHORT),
    detector("expanding", Family::Heartbeat, SHORT),
    detector("dynamic", Family::Heartbeat, SHORT),
];

/// The most states of a cell. Where a class needs accuracy and none is met, that is found long before.
const MOST: u64 = 3_000_000;

/// The detectors that are named, or all.
fn chosen(only: Option<&RawValue>) -> Result<Vec<&'static Detector>, Problem> {
    let Some(given) = only else { return Ok(DETECTORS.iter().collect()) };
    // Detectors of one name stand side by side.
    let mut known: Vec<String> = DETECTORS.iter().map(|detector| detector.name.to_string()).collect();
    known.dedup();
    let names: Vec<&str> = given.value.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(given.refused(format!("no detector is named; choose from {}", known.join(", "))));
    }
    if let Some(name) = names.iter().find(|name| !known.iter().any(|one| one == *name)) {
        let (origin, name) = (given.origin.clone(), name.to_string());
        return Err(Problem::Unknown { origin, what: "detector", name, known });
    }
    Ok(DETECTORS.iter().filter(|detector| names.contains(&detector.name)).collect())
}

/// The table, worked out; `only` names detectors, separated by commas.
fn table(
    program: &Program,
    only: Option<&RawValue>,
    options: &SearchOptions,
    clock: &Clock,
) -> Result<TextTable, Problem> {
    let header: Vec<&str> = ["detector"].into_iter().chain(World::ALL.map(World::name)).collect();
    let mut table = TextTable::new("Classes of failure detectors, after Chandra and Toueg (1996)", &header);
    let chosen = chosen(only)?;
    let mut options = options.clone();
    options.search.max_states.get_or_insert(MOST);
    for detector in chosen {
        let Some(entry) = program.entries.iter().find(|entry| entry.name() == detector.name) else {
            continue;
        };
        let mut row = vec![detector.title.to_string()];
        for world in World::ALL {
            let (found, run) =
                classified(program, entry, &settings(detector, world).read()?, &options, clock)?;
            let states = found.traits.first().map_or(0, |(_, verdict)| verdict.stats.distinct_states);
            row.push(found.names());
            let timeout = found.patience.map_or(String::new(), |patience| {
                format!("; suspicion of correct processes: {}", patience.sentence())
            });
            table.notes.push(format!(
                "{} in {}: {} states{timeout}: {}",
                detector.title,
                world.name(),
                thousands(states),
                run.command
            ));
            let warn = |warning| format!("{} in {}: warning: {warning}", detector.title, world.name());
            table.notes.extend(found.warnings().into_iter().map(warn));
        }
        table.rows.push(row);
    }
    Ok(table)
}

fn settings(detector: &Detector, world: World) -> RawSettings {
    let mut settings = RawSettings::default();
    for (name, text) in detector.family.settings(world).iter().chain(world.settings()) {
        settings.set(name, *text, SettingOrigin::Call(name));
    }
    let other = match world {
        World::Asynchrony => detector.untimed,
        World::Unknown => detector.unknown,
        World::Eventual | World::Synchrony => None,
    };
    let params = other.unwrap_or(detector.params);
    for (name, text) in params {
        let given = RawValue { value: text.to_string(), origin: SettingOrigin::Call(name) };
        settings.params.insert(name.to_string(), given);
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Result<Vec<&'static str>, Problem> {
        let given = RawValue {
            value: text.to_string(),
            origin: SettingOrigin::Argument(format!("--protocol {text}")),
        };
        Ok(chosen(Some(&given))?.iter().map(|detector| detector.title).collect())
    }

    #[test]
    fn several_detectors_are_named_with_commas() {
        assert_eq!(titles("binary, ring").expect("two detectors"), ["ring", "binary"]);
        let gossip = ["ring-strong-completeness", "ring-strong-completeness, timeouts=all"];
        assert_eq!(titles("ring-strong-completeness").expect("a detector with two rows"), gossip);
        assert!(matches!(titles(" , "), Err(Problem::Value { .. })));
    }

    #[test]
    fn who_is_unknown_is_told_every_name_once() {
        let Err(Problem::Unknown { name, known, .. }) = titles("ring,rong") else {
            panic!("a detector `rong`")
        };
        assert_eq!(name, "rong");
        assert_eq!(known.len(), 12);
        assert_eq!(known.iter().filter(|one| *one == "ring-strong-completeness").count(), 1);
    }
}
