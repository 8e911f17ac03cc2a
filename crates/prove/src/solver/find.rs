//! The solvers on this machine: where to look for them, whether a program is the solver that its name says, and
//! which package to install. The search changes nothing; installing is left to the user and to
//! `scripts/solvers.sh`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fmt, io};

use super::{Backend, process};

/// A solver that was found and told its version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solver {
    /// Which one.
    pub backend: Backend,
    /// The program.
    pub path: PathBuf,
    /// Its version, such as `4.8.12`.
    pub version: String,
    /// Whether it keeps its time limit, as far as is known.
    pub conduct: TimeLimitRecord,
}

/// Whether a solver has kept its time limit so far. All copies of a solver share what is found out about it.
#[derive(Clone, Debug, Default)]
pub struct TimeLimitRecord(Arc<AtomicBool>);

impl TimeLimitRecord {
    /// Whether it was stopped because it went on after its limit.
    pub fn overran(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn note_overrun(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What a solver did does not make it another one.
impl PartialEq for TimeLimitRecord {
    fn eq(&self, _: &TimeLimitRecord) -> bool {
        true
    }
}

impl Eq for TimeLimitRecord {}

impl Solver {
    /// Looks for a solver: where its environment variable says, or else on the `PATH`, or else in `~/.local/bin`.
    pub fn find(backend: Backend) -> Result<Solver, MissingSolver> {
        SolverLocations::of_environment(backend).find(backend)
    }

    /// The solver at a path, if it says that it is this one.
    pub fn at(backend: Backend, path: &Path) -> Result<Solver, MissingSolver> {
        let missing = |why: String| MissingSolver::Silent { backend, path: path.to_path_buf(), why };
        let words = process::words(path, &["--version"], TIME_FOR_VERSION);
        let words = words.map_err(|error: io::Error| missing(error.to_string()))?;
        let line = words.lines().next().unwrap_or_default().trim();
        let version = || line.split_once("version ")?.1.split_whitespace().next();
        match version() {
            Some(version) if line.to_lowercase().contains(backend.name()) => {
                let (path, version) = (path.to_path_buf(), version.to_string());
                Ok(Solver { backend, path, version, conduct: TimeLimitRecord::default() })
            }
            _ => Err(missing(format!("it answered {line:?}"))),
        }
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.backend, self.version)
    }
}

/// A program that does not tell its version in this time is not waited for.
const TIME_FOR_VERSION: Duration = Duration::from_secs(10);

/// All solvers on this machine, at most one of each kind. [`Solver::find`] says why one is not among them.
pub fn found() -> Vec<Solver> {
    Backend::ALL.into_iter().filter_map(|backend| Solver::find(backend).ok()).collect()
}

/// The solvers that tests have to ask, for the tests of every room: all that are known, or those that the environment
/// variable `WATCHKEEPER_SOLVERS` names (`z3`, `cvc5`, both with a comma, or `none`).
///
/// # Panics
///
/// If one of them is not installed: a test that asks no solver must not pass by accident.
pub fn for_tests() -> Vec<Solver> {
    let wanted = env::var("WATCHKEEPER_SOLVERS").ok().filter(|names| !names.is_empty());
    let wanted = wanted.unwrap_or_else(|| "z3,cvc5".to_string());
    let found = wanted_by_tests(&wanted)
        .and_then(|wanted| wanted.into_iter().map(|backend| Solver::find(backend).map_err(remedy)).collect());
    found.unwrap_or_else(|why: String| panic!("{why}"))
}

pub(super) fn wanted_by_tests(names: &str) -> Result<Vec<Backend>, String> {
    let names = names.split(',').map(str::trim).filter(|name| *name != "none");
    names.map(|name| name.parse().map_err(|error| format!("WATCHKEEPER_SOLVERS: {error}, or none"))).collect()
}

fn remedy(missing: MissingSolver) -> String {
    format!("{missing}\nRun scripts/solvers.sh, or set WATCHKEEPER_SOLVERS=none to test without solvers.")
}

/// Where a solver is looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct SolverLocations {
    /// What the environment variable of the solver says.
    pub told: Option<OsString>,
    /// The `PATH`.
    pub path: Option<OsString>,
    /// The directory of the user.
    pub home: Option<OsString>,
}

impl SolverLocations {
    fn of_environment(backend: Backend) -> SolverLocations {
        let set = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty());
        SolverLocations { told: set(backend.variable()), path: set("PATH"), home: set("HOME") }
    }

    pub(super) fn find(&self, backend: Backend) -> Result<Solver, MissingSolver> {
        if let Some(told) = &self.told {
            // A bare name is a file here: it must not be looked up on the PATH.
            let path = std::path::absolute(told).unwrap_or_else(|_| PathBuf::from(told));
            return if path.is_file() {
                Solver::at(backend, &path)
            } else {
                Err(MissingSolver::NoFile { backend, path })
            };
        }
        let mut directories: Vec<PathBuf> = Vec::new();
        directories.extend(self.path.iter().flat_map(|path| env::split_paths(path).collect::<Vec<_>>()));
        directories.extend(self.home.iter().map(|home| Path::new(home).join(".local/bin")));
        let name = format!("{}{}", backend.name(), env::consts::EXE_SUFFIX);
        let mut missing = MissingSolver::Nowhere { backend };
        for directory in directories.iter().filter(|directory| directory.is_absolute()) {
            let path = directory.join(&name);
            if !path.is_file() {
                continue;
            }
            match Solver::at(backend, &path) {
                Ok(solver) => return Ok(solver),
                // The first that is broken is the one to tell of, if none is sound.
                Err(broken) if matches!(missing, MissingSolver::Nowhere { .. }) => missing = broken,
                Err(_) => {}
            }
        }
        Err(missing)
    }
}

/// Why there is no such solver.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MissingSolver {
    /// It is nowhere to be found.
    #[error("{backend} is not installed: {}, or set {} to the path of the program", .backend.installation(), .backend.variable())]
    Nowhere {
        /// Which one.
        backend: Backend,
    },
    /// Its environment variable names what is no file.
    #[error("{} is set to {}, where no file is: correct it, or unset it to search the PATH", .backend.variable(), .path.display())]
    NoFile {
        /// Which one.
        backend: Backend,
        /// What the variable names.
        path: PathBuf,
    },
    /// A file is there, and does not tell its version as this solver does.
    #[error("{} does not tell the version of {backend} ({why}): set {} to a program that does, or install the package {}", 
         .path.display(), .backend.variable(), .backend.package().debian)]
    Silent {
        /// Which one.
        backend: Backend,
        /// The file.
        path: PathBuf,
        /// What it did instead.
        why: String,
    },
}

impl MissingSolver {
    /// The solver that is missing.
    pub fn backend(&self) -> Backend {
        match self {
            MissingSolver::Nowhere { backend }
            | MissingSolver::NoFile { backend, .. }
            | MissingSolver::Silent { backend, .. } => *backend,
        }
    }
}
