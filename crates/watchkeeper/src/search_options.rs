//! How a search is done and how far it may go.

use crate::machine::{self, Allowance};
use crate::problem::Problem;
use crate::quantities::{MemoryLimit, TimeSpan, Workers};
use crate::settings::{SearchMethod, Settings};
use std::ops::ControlFlow;
use std::time::Instant;
use watchkeeper_explore::{
    Progress, ProgressCallback, Reduction, Search, Store, Strategy, SymmetryReduction,
};
use watchkeeper_logic::Limit;

/// The depth of a search that has no end of its own and was given none.
pub const DEEP: u64 = 1000;

/// A search and its limits, ready to be used.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchOptions {
    /// The search.
    pub search: Search,
    /// The longest that it may take.
    pub timeout: Option<TimeSpan>,
    /// Whether to make a symmetry reduction, if somebody says; [`Search::symmetry`] is then the same.
    pub symmetry: Option<bool>,
    /// The memory limit that the user wrote down, as against the one the machine suggests.
    pub memory: MemoryLimit,
    /// What the memory limit comes from, where that is not the user.
    pub allowance: Option<Allowance>,
    /// The settings that they were made of.
    pub settings: Settings,
}

impl SearchOptions {
    /// What the settings ask for.
    pub fn of(settings: &Settings) -> Result<SearchOptions, Problem> {
        let max_depth = settings.max_depth.as_ref().map(|given| given.value);
        let strategy = match settings.search.as_ref().map_or(SearchMethod::Breadth, |given| given.value) {
            SearchMethod::Breadth => Strategy::Breadth { max_depth },
            SearchMethod::Beam(width) => Strategy::Beam { width, max_depth: max_depth.unwrap_or(DEEP) },
            SearchMethod::Walks(count) => Strategy::Walks { count, max_depth: max_depth.unwrap_or(DEEP) },
        };
        let memory = settings.max_memory.as_ref().map_or(MemoryLimit::Auto, |given| given.value);
        // What somebody names cannot be more than the system will give.
        let allowance = match memory {
            MemoryLimit::Auto => machine::allowance(),
            MemoryLimit::Bytes(bytes) => machine::imposed().filter(|imposed| imposed.bytes < bytes),
        };
        let max_bytes = match (memory, allowance) {
            (_, Some(allowance)) => Some(allowance.bytes),
            (MemoryLimit::Bytes(bytes), None) => Some(bytes),
            (MemoryLimit::Auto, None) => None,
        };
        if let Some(given) = settings.max_states.as_ref().filter(|given| given.value == 0) {
            let why = "a limit of 0 leaves nothing to search; give at least 1, or leave it out";
            return Err(given.refused(why));
        }
        let max_disk = settings.max_disk.as_ref().map(|given| given.value.0);
        let store = settings.store.as_ref().map_or(Store::Memory, |given| given.value.store(max_disk));
        if let (Some(given), Store::Memory) = (&settings.max_disk, &store) {
            return Err(given.refused("it limits a store on disk; add --store auto or --store disk:DIR"));
        }
        let symmetry = settings.symmetry.as_ref().map(|given| given.value);
        let search = Search {
            strategy,
            workers: settings.workers.as_ref().map_or(Workers::Auto, |given| given.value).count(),
            symmetry: symmetry.unwrap_or(false).into(),
            max_states: settings.max_states.as_ref().map(|given| given.value),
            max_bytes,
            store,
            seed: settings.seed.as_ref().map_or(1, |given| given.value),
            reduction: settings.reduce.as_ref().map_or(Reduction::None, |given| given.value),
            ..Search::default()
        };
        let timeout = settings.timeout.as_ref().map(|given| given.value);
        Ok(SearchOptions { search, timeout, symmetry, memory, allowance, settings: settings.clone() })
    }

    /// The options of one of several searches side by side: each by itself, with its share of the memory and the disk.
    pub fn share(&self, searches: usize) -> SearchOptions {
        let part = |bytes: Option<u64>| bytes.map(|bytes| bytes / searches.max(1) as u64);
        let mut store = self.search.store.clone();
        if let Store::Disk(disk) | Store::Auto(disk) = &mut store {
            (disk.shared, disk.max_bytes) = (true, part(disk.max_bytes));
        }
        let max_bytes = part(self.search.max_bytes);
        SearchOptions {
            search: Search { workers: 1, max_bytes, store, ..self.search.clone() },
            ..self.clone()
        }
    }

    /// The search for the answer to a question. Where nobody says, `automatic` makes a symmetry reduction where one is
    /// possible, which the engine finds out.
    pub fn search_of(&self, automatic: bool) -> Search {
        let unasked = if automatic { SymmetryReduction::WherePossible } else { SymmetryReduction::Off };
        Search { symmetry: self.symmetry.map_or(unasked, SymmetryReduction::from), ..self.search.clone() }
    }
}

/// Ends a search whose time is up.
pub struct Deadline {
    start: Instant,
    timeout: Option<TimeSpan>,
}

impl Deadline {
    /// A search that begins now and may take so long.
    pub fn new(timeout: Option<TimeSpan>) -> Deadline {
        Deadline { start: Instant::now(), timeout }
    }

    /// The seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// That the time is up, with the time as it was written.
    pub fn passed(&self) -> Option<Limit> {
        let timeout = self.timeout.filter(|timeout| self.start.elapsed() >= timeout.0)?;
        Some(Limit::Time(timeout.to_string()))
    }
}

impl ProgressCallback for Deadline {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        self.passed().map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}
