//! The known solvers, and everything in which they differ: their names, their packages, their arguments and their
//! first commands. No other file in this module asks which solver it has.

use std::time::Duration;

use super::SolverOptions;
use strum::{Display, EnumString, IntoStaticStr};

/// A solver that is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownBackend, parse_err_fn = UnknownBackend::of)]
pub enum Backend {
    /// Z3 of Microsoft Research.
    Z3,
    /// cvc5 of Stanford and Iowa.
    Cvc5,
}

/// What to install to have a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolverPackage {
    /// The name of the Debian package.
    pub debian: &'static str,
    /// The name of the Python package that brings the program, if one does.
    pub pypi: Option<&'static str>,
}

impl Backend {
    /// All of them.
    pub const ALL: [Backend; 2] = [Backend::Z3, Backend::Cvc5];

    /// The name, which is also that of the program.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What to install.
    pub fn package(self) -> SolverPackage {
        match self {
            Backend::Z3 => SolverPackage { debian: "z3", pypi: Some("z3-solver") },
            Backend::Cvc5 => SolverPackage { debian: "cvc5", pypi: None },
        }
    }

    /// The command that installs it, or several.
    pub(super) fn installation(self) -> String {
        let SolverPackage { debian, pypi } = self.package();
        let pypi = pypi.map(|name| format!(" (or `pip install {name}`)"));
        format!("`apt install {debian}`{}", pypi.unwrap_or_default())
    }

    /// The environment variable that says where the program is.
    pub fn variable(self) -> &'static str {
        match self {
            Backend::Z3 => "WATCHKEEPER_Z3",
            Backend::Cvc5 => "WATCHKEEPER_CVC5",
        }
    }

    /// The arguments that make the program read commands from its input.
    pub(super) fn arguments(self, limit: Duration, seed: u32) -> Vec<String> {
        // Zero would mean no limit to either, and the largest number does to Z3.
        let limit = limit.as_millis().clamp(1, u128::from(u32::MAX - 1));
        let mut arguments: Vec<String> = match self {
            Backend::Z3 => ["-in", "-smt2", "-nw"].map(String::from).into(),
            Backend::Cvc5 => ["--lang=smt2", "--incremental", "--quiet"].map(String::from).into(),
        };
        arguments.push(match self {
            Backend::Z3 => format!("-t:{limit}"),
            Backend::Cvc5 => format!("--tlimit-per={limit}"),
        });
        let seeds: &[&str] = match self {
            _ if seed == 0 => &[],
            Backend::Z3 => &["smt.random_seed", "sat.random_seed", "fp.spacer.random_seed"],
            Backend::Cvc5 => &["--seed", "--sat-random-seed"],
        };
        arguments.extend(seeds.iter().map(|option| format!("{option}={seed}")));
        arguments
    }

    /// What the solver is told before anything else.
    pub(super) fn opening(self, options: &SolverOptions) -> String {
        let mut opening = String::from("(set-option :produce-models true)\n");
        if options.cores {
            opening.push_str("(set-option :produce-unsat-cores true)\n");
        }
        for (option, value) in &options.settings {
            opening.push_str(&format!("(set-option :{option} {value})\n"));
        }
        // Without a logic Z3 chooses its tactics by the question; cvc5 wants to hear that it may choose.
        let logic = options.logic.as_deref().or((self == Backend::Cvc5).then_some("ALL"));
        if let Some(logic) = logic {
            opening.push_str(&format!("(set-logic {logic})\n"));
        }
        opening
    }
}

/// A name that no known solver has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no solver is called {0:?}: write z3 or cvc5")]
pub struct UnknownBackend(pub String);

impl UnknownBackend {
    fn of(name: &str) -> UnknownBackend {
        UnknownBackend(name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse(), Ok(backend));
        }
        let error = "yices".parse::<Backend>().unwrap_err();
        assert_eq!(error.to_string(), "no solver is called \"yices\": write z3 or cvc5");
    }

    #[test]
    fn no_limit_turns_into_none_at_all() {
        let limited = |backend: Backend, limit| backend.arguments(limit, 0).pop().unwrap();
        assert_eq!(limited(Backend::Z3, Duration::ZERO), "-t:1");
        assert_eq!(limited(Backend::Z3, Duration::MAX), "-t:4294967294");
        assert_eq!(limited(Backend::Cvc5, Duration::ZERO), "--tlimit-per=1");
        assert_eq!(limited(Backend::Cvc5, Duration::MAX), "--tlimit-per=4294967294");
    }

    #[test]
    fn a_seed_reaches_every_engine() {
        assert_eq!(
            Backend::Z3.arguments(Duration::from_secs(1), 7)[3..],
            ["-t:1000", "smt.random_seed=7", "sat.random_seed=7", "fp.spacer.random_seed=7"]
        );
        let cvc5 = Backend::Cvc5.arguments(Duration::from_secs(1), 7);
        assert_eq!(cvc5[3..], ["--tlimit-per=1000", "--seed=7", "--sat-random-seed=7"]);
    }
}
