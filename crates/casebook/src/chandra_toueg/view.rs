//! A state as variables and values, under the names of the paper.

use super::action::SubRound;
use super::{ChandraTouegCase, Encoding};
use watchkeeper_core::{Value, View};

/// The values of the variables.
pub(super) struct PaperVariables {
    pub(super) sub_round: SubRound,
    pub(super) s_timer: u32,
    pub(super) r_timer: u32,
    pub(super) task: SubRound,
    /// The ages of the messages under way, in order.
    pub(super) ages: Vec<u32>,
    pub(super) waited: u32,
    pub(super) timeout: u32,
    pub(super) suspected: bool,
    pub(super) crashed: bool,
    pub(super) since_crash: i64,
}

/// The variables that the model of this case has.
pub(super) fn view(case: &ChandraTouegCase, variables: &PaperVariables) -> View {
    let number = |n: u32| Value::Int(n.into());
    let buffer = match case.encoding {
        Encoding::Predicate => ("existsMsgOfAge", Value::set(variables.ages.iter().map(|&age| number(age)))),
        Encoding::Counter => ("buf", Value::Int(variables.ages.iter().map(|age| 1i64 << age).sum())),
    };
    let mut view = vec![
        ("ePC", Value::str(variables.sub_round.to_string())),
        ("sTimer", number(variables.s_timer)),
        ("rTimer", number(variables.r_timer)),
        ("rPC", Value::str(variables.task.to_string())),
        buffer,
        ("waitingTime", number(variables.waited)),
        ("timeout", number(variables.timeout)),
        ("suspected", Value::Bool(variables.suspected)),
    ];
    if case.crash() {
        view.push(("sPC", Value::str(if variables.crashed { "SCrash" } else { "SSnd" })));
    }
    if case.ghost() {
        view.push(("hLFSC", Value::Int(variables.since_crash)));
    }
    view.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}
