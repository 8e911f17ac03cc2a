//! What dense time costs this project, and the same questions in ticks beside it. No peer takes part: only the
//! verdicts and the counts of the project's own searches are held against each other.

mod cases;
mod search;
mod table;

use crate::failure::Failure;
use crate::peers::watchkeeper;
use cases::{Case, Time};
use search::Search;
use std::path::Path;

/// A case with its searches.
pub struct Entry {
    case: Case,
    one: Search,
    two: Search,
    ticks: Search,
}

impl Entry {
    fn new(case: Case) -> Entry {
        let one = Search::new(&case, Time::Dense, 1);
        let two = Search::new(&case, Time::Dense, 2);
        let ticks = Search::new(&case, Time::Ticks, 1);
        Entry { case, one, two, ticks }
    }
}

/// All cases, measured.
pub struct Zones {
    /// The version of the program.
    version: String,
    /// How often each search was run.
    rounds: usize,
    entries: Vec<Entry>,
}

impl Zones {
    /// Runs every search `rounds` times, all cases in turn.
    pub fn measure(
        program: &Path,
        scratch: &Path,
        rounds: usize,
        mut progress: impl FnMut(&str),
    ) -> Result<Zones, Failure> {
        let mut entries: Vec<_> = cases::all().into_iter().map(Entry::new).collect();
        for round in 1..=rounds {
            for Entry { case, one, two, ticks } in &mut entries {
                for search in [&mut *one, &mut *two, &mut *ticks] {
                    let (time, workers) = (search.time, search.workers);
                    let Some(run) = search.run(program, scratch)? else { continue };
                    progress(&format!(
                        "zones, run {round} of {rounds}: {}, {}, workers {workers}: {} {}, {:.2} CPU seconds",
                        case.name(),
                        time.name(),
                        run.states,
                        time.unit(),
                        run.cpu
                    ));
                }
                search::agree(&[one, two])?;
            }
        }
        Ok(Zones { version: watchkeeper::version(program), rounds, entries })
    }
}
