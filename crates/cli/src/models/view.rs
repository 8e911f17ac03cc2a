//! Which labels of a space are seen: the flags, and what they say.

use crate::command_line::CommandLine;
use clap::Args;
use watchkeeper::quantities::ProcessName;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_core::Pid;
use watchkeeper_lts::{LabelView, split_outside};

const LABELS: &str = "Labels";

/// What is seen of the labels of a space.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ViewArgs {
    /// Make the steps of every process but this one internal
    #[arg(long, value_name = "PROCESS", help_heading = LABELS)]
    pub(crate) only: Option<String>,

    /// Make these actions internal: names such as send, or single actions such as 'send(p0,p1)'; with commas between them
    #[arg(long, value_name = "ACTIONS", help_heading = LABELS)]
    pub(crate) hide: Vec<String>,

    /// Make all actions internal but these
    #[arg(long, value_name = "ACTIONS", help_heading = LABELS)]
    pub(crate) show: Vec<String>,

    /// Give actions other names, before any is hidden; a name keeps its arguments, a single action is replaced
    #[arg(long, value_name = "OLD=NEW,...", help_heading = LABELS)]
    pub(crate) rename: Vec<String>,
}

impl ViewArgs {
    /// The process that is looked at alone.
    pub(crate) fn process(&self) -> Result<Option<Pid>, Problem> {
        let Some(text) = &self.only else { return Ok(None) };
        let origin = || SettingOrigin::Argument(format!("--only {text}"));
        let process = text.parse::<ProcessName>().map_err(|why| origin().refused(why));
        process.map(|ProcessName(process)| Some(process))
    }

    /// Adds these flags to a command line.
    pub(crate) fn add_to(&self, line: &mut CommandLine) {
        line.maybe("only", self.only.as_ref());
        for (name, list) in [("hide", &self.hide), ("show", &self.show), ("rename", &self.rename)] {
            list.iter().for_each(|text| line.flag(name, text));
        }
    }

    /// What is seen of labels, with what another view says too.
    pub(crate) fn labels(&self, also: &ViewArgs) -> Result<LabelView, Problem> {
        let list = |own: &[String], other: &[String]| -> Vec<String> {
            let parts = own.iter().chain(other).flat_map(|text| split_outside(text, ','));
            parts.filter(|part| !part.is_empty()).map(str::to_string).collect()
        };
        let mut rename = Vec::new();
        for pair in list(&self.rename, &also.rename) {
            let origin = || SettingOrigin::Argument(format!("--rename {pair}"));
            let parts = pair.split_once('=').map(|(old, new)| (old.trim(), new.trim()));
            let Some((old, new)) = parts.filter(|(old, new)| !old.is_empty() && !new.is_empty()) else {
                return Err(origin().refused("expected OLD=NEW, such as suspect=alarm"));
            };
            rename.push((old.to_string(), new.to_string()));
        }
        Ok(LabelView { hide: list(&self.hide, &also.hide), show: list(&self.show, &also.show), rename })
    }
}
