//! Models by name: whatever a word of the command line can name that has a state space. A word is a protocol, a scenario file, a
//! file with a space, or a model of the casebook; in quotation marks it has flags of its own, those of the command `space`.

mod open;
mod view;

pub(crate) use open::{OpenedModel, no_lts, open, search_options};
pub(crate) use view::ViewArgs;

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::command_line::words;
use crate::commands::space::SpaceArgs;
use crate::program::Program;
use clap::Args;
use watchkeeper::{Problem, SettingOrigin};

/// The word that begins a model of the casebook.
pub(crate) const CASEBOOK: &str = "casebook";

/// A model, with what is seen of its labels, and how far it is explored.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ModelArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

impl ModelArgs {
    /// The model that a word names, with the flags that stand in it.
    pub(crate) fn of_word(program: &Program, word: &str) -> Result<ModelArgs, Problem> {
        let origin = || SettingOrigin::Argument(format!("`{word}`"));
        let parts = words(word).ok_or_else(|| origin().refused("a quotation mark in it does not end"))?;
        if parts.is_empty() {
            return Err(origin().refused("this names no model; name a protocol or a file"));
        }
        if parts[0] == CASEBOOK {
            return Ok(ModelArgs { scenario: ScenarioArgs::named(word), ..ModelArgs::default() });
        }
        let line = [&[program.name.clone(), "space".to_string()], &*parts].concat();
        let args: SpaceArgs =
            program.args_of("space", &line).map_err(|problem| origin().refused(problem.to_string()))?;
        args.refuse_outputs().map_err(|flag| {
            origin()
                .refused(format!("{flag} says what becomes of a space; leave it out of the quotation marks"))
        })?;
        Ok(args.model)
    }

    /// What the model is called.
    pub(crate) fn name(&self, program: &Program) -> String {
        let alone = program.entries.first().map_or("", |entry| entry.name());
        self.scenario.scenario.clone().unwrap_or_else(|| alone.to_string())
    }
}
