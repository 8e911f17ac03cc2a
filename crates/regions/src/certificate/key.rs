//! The name of a discrete state, the same in every run. The numbers of states and messages are those of one run, and so is
//! the order of messages in a channel without order; a key has their bytes instead, and its own order of the variables.

use crate::config::{DiscreteState, FlightMeaning, SymbolicProcess, VariableRole};
use crate::model::Model;
use watchkeeper_core::{Pack, Pid};

/// The bytes of a discrete state, and the order of its variables in them.
pub(crate) struct StateKey {
    pub(crate) bytes: Vec<u8>,
    /// For each variable in the order of the key, its number in the discrete state.
    pub(crate) order: Vec<usize>,
}

impl StateKey {
    pub(crate) fn of(model: &Model, config: &DiscreteState) -> StateKey {
        let (states, messages) = (model.automaton.states(), model.automaton.messages());
        let mut bytes = Vec::new();
        let out = &mut bytes;
        number(config.processes.len(), out);
        for process in &config.processes {
            match process {
                SymbolicProcess::Crashed => number(0, out),
                SymbolicProcess::Up { state, timers, outbox } => {
                    number(1, out);
                    states.packed(state.0).to_vec().pack(out);
                    number(timers.len(), out);
                    timers.iter().for_each(|(slot, ())| number(*slot, out));
                    number(outbox.len(), out);
                    for (to, msg) in outbox {
                        number(Pid::index(*to), out);
                        messages.packed(msg.0).to_vec().pack(out);
                    }
                }
            }
        }
        number(config.channels.len(), out);
        let mut places = Vec::new();
        for (channel, flights) in config.channels.iter().enumerate() {
            let mut order: Vec<usize> = (0..flights.len()).collect();
            if model.any_order() {
                // Messages that are alike stay in the order in which they were sent.
                order.sort_by_key(|&at| (messages.packed(flights[at].msg.0), flights[at].meaning));
            }
            number(flights.len(), out);
            for at in order {
                messages.packed(flights[at].msg.0).to_vec().pack(out);
                number(meaning(flights[at].meaning), out);
                places.push((channel, at));
            }
        }
        for count in [config.losses, config.duplications, config.recoveries] {
            count.pack(out);
        }
        number(config.calls.len(), out);
        config.calls.iter().for_each(|count| count.pack(out));
        number(config.observers.len(), out);
        for own in &config.observers {
            own.state.pack(out);
            number(own.running.len(), out);
            own.running.iter().for_each(|(deadline, ())| number(*deadline, out));
        }
        StateKey { bytes, order: order(config, &places) }
    }
}

/// The variables of a discrete state, its messages at these places in this order.
fn order(config: &DiscreteState, places: &[(usize, usize)]) -> Vec<usize> {
    let variables = config.variables();
    let of_message = |wanted: &(usize, usize)| {
        let is_it = |(role, ()): &(VariableRole, ())| matches!(role, VariableRole::Message { channel, place, .. } if (*channel, *place) == *wanted);
        variables.iter().position(is_it)
    };
    let mut messages = places.iter().filter_map(of_message);
    let own = |(number, (role, ())): (usize, &(VariableRole, ()))| match role {
        VariableRole::Message { .. } => messages.next().unwrap_or(number),
        VariableRole::Timer { .. } | VariableRole::Deadline { .. } => number,
    };
    variables.iter().enumerate().map(own).collect()
}

fn meaning(meaning: FlightMeaning) -> usize {
    match meaning {
        FlightMeaning::Moment => 0,
        FlightMeaning::Latest => 1,
        FlightMeaning::Window => 2,
    }
}

fn number(number: usize, out: &mut Vec<u8>) {
    (number as u64).pack(out);
}
