//! The solvers that a command asks: those that are installed, or those that were named. Where there is none, it is
//! said what to install.

use crate::raw_settings::RawValue;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_prove::solver::{Backend, MissingSolver, Solver};

/// The solvers, and what should be said about them.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The first looks for invariants; all of them judge.
    pub(crate) solvers: Vec<Solver>,
    /// Why one that was not named is not among them.
    pub(crate) missing: Vec<MissingSolver>,
}

impl Chosen {
    /// The solvers that `--solver` names: `z3`, `cvc5`, several apart by commas, or all that are found.
    pub(crate) fn of(text: &Option<String>) -> Result<Chosen, Problem> {
        let text = text.as_deref().unwrap_or("all");
        if text == "all" {
            let (mut solvers, mut missing) = (Vec::new(), Vec::new());
            for backend in Backend::ALL {
                match Solver::find(backend) {
                    Ok(solver) => solvers.push(solver),
                    Err(why) => missing.push(why),
                }
            }
            return if solvers.is_empty() {
                Err(no_solver(&missing))
            } else {
                Ok(Chosen { solvers, missing })
            };
        }
        let given =
            RawValue { value: text.to_string(), origin: SettingOrigin::Argument("--solver".to_string()) };
        let mut backends: Vec<Backend> = Vec::new();
        for name in text.split(',').map(str::trim) {
            let backend = name.parse().map_err(|_| {
                given.refused(format!("`{name}` is not a solver that is known; write z3, cvc5 or all"))
            })?;
            if !backends.contains(&backend) {
                backends.push(backend);
            }
        }
        let found: Result<Vec<Solver>, MissingSolver> = backends.into_iter().map(Solver::find).collect();
        match found {
            Ok(solvers) => Ok(Chosen { solvers, missing: Vec::new() }),
            Err(why) => Err(no_solver(&[why])),
        }
    }
}

fn no_solver(missing: &[MissingSolver]) -> Problem {
    let missing: String = missing.iter().map(|why| format!("\n  {why}")).collect();
    Problem::Undecided(format!(
        "a proof needs an SMT solver, and there is none{missing}\n  Nothing was proven. Every other command works \
         without one, and so does --at."
    ))
}
