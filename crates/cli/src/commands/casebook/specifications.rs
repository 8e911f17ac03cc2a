//! The case `specs`: the documents' own specifications and formulas, listed, or one of them written out, so that whoever has the
//! program has the texts. Nothing is searched here.

use crate::outputs;
use crate::program::Program;
use clap::Args;
use watchkeeper::Problem;
use watchkeeper_casebook::specifications::{SPECIFICATIONS, text};
use watchkeeper_logic::ExitCode;

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct SpecsArgs {
    /// A specification or a formula of the list, to be written to standard output
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

impl SpecsArgs {
    /// Writes the list, or one text.
    pub(super) fn run(&self, program: &Program) -> Result<ExitCode, Problem> {
        let Some(name) = &self.name else {
            outputs::print(&list(program))?;
            return Ok(ExitCode::HOLDS);
        };
        let found = text(name).ok_or_else(|| {
            let program = &program.name;
            Problem::Usage(format!(
                "there is no specification or formula {name:?}\n  `{program} casebook specs` lists them."
            ))
        })?;
        outputs::print(found)?;
        Ok(ExitCode::HOLDS)
    }
}

/// The specifications, each with its formulas.
fn list(program: &Program) -> String {
    let name = &program.name;
    let mut lines = String::new();
    for specification in SPECIFICATIONS {
        lines += &format!("{}\n    {}\n", specification.name, specification.about);
        for formula in specification.formulas {
            lines += &format!("    {}\n", formula.name);
        }
    }
    lines
        + &format!(
            "\nTry: {name} casebook specs heartbeat-binary > heartbeat-binary.mcrl2\n     \
             {name} casebook specs heartbeat-binary-r1.mcf > r1.mcf\n     \
             {name} check heartbeat-binary.mcrl2 --mcf r1.mcf\n"
        )
}
