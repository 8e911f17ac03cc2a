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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SymbolicFlight;
    use crate::{Linear, TypedModel, durations};
    use watchkeeper_automaton::MsgId;
    use watchkeeper_core::packed;
    use watchkeeper_protocols::heartbeat::HeartbeatMsg::{self, Beat, Leave};
    use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatVariant};
    use watchkeeper_world::{DeliveryOrder, Faults, Network, Scenario, Timing, WorldTime};

    /// A model that has met these messages in this order.
    fn model(order: DeliveryOrder, met: [HeartbeatMsg; 2]) -> Model {
        let parameters = vec!["tmin".to_string()];
        let (tmin, domain) = (Linear::parameter("tmin"), durations(&parameters).expect("a domain"));
        let heartbeat = Heartbeat::new(HeartbeatVariant::Dynamic, tmin, tmin, 1).expect("a protocol");
        let scenario = Scenario {
            n: 2,
            network: Network { order, ..Network::default() },
            faults: Faults::default(),
            time: WorldTime::Dense(Timing::round_trip(tmin)),
            oracle: None,
        };
        let model = TypedModel::new(heartbeat, scenario, parameters, domain).expect("a model").into_model();
        for msg in &met {
            number(&model, msg);
        }
        model
    }

    fn number(model: &Model, msg: &HeartbeatMsg) -> MsgId {
        MsgId(model.automaton.messages().read(&packed(msg)).expect("a message"))
    }

    /// The key of a state with these messages on their way, sent in this order.
    fn key(model: &Model, sent: [HeartbeatMsg; 3]) -> StateKey {
        let flight =
            |msg| SymbolicFlight { msg: number(model, &msg), meaning: FlightMeaning::Moment, variable: () };
        let mut channels = vec![Vec::new(); model.routes.len()];
        channels[0] = sent.map(flight).to_vec();
        let mut config = DiscreteState {
            processes: vec![SymbolicProcess::Crashed; 2],
            channels,
            losses: 0,
            duplications: 0,
            recoveries: 0,
            calls: Vec::new(),
            observers: Vec::new(),
        };
        config.settle(model.any_order());
        StateKey::of(model, &config)
    }

    #[test]
    fn messages_without_order_have_one_key_whatever_their_numbers_are() {
        let any = |met| model(DeliveryOrder::AnyOrder, met);
        let (one, other) = (any([Beat, Leave]), any([Leave, Beat]));
        let (here, there) = (key(&one, [Beat, Leave, Beat]), key(&other, [Beat, Leave, Beat]));
        assert_eq!(here.bytes, there.bytes);
        // Beat, Beat, Leave in one run, and Leave, Beat, Beat in the other; equal messages stay in their order.
        assert_eq!((&here.order[..], &there.order[..]), (&[0, 1, 2][..], &[1, 2, 0][..]));
        assert_eq!(key(&one, [Leave, Beat, Beat]).bytes, here.bytes);
        assert_ne!(key(&one, [Leave, Leave, Beat]).bytes, here.bytes);
    }

    #[test]
    fn messages_in_order_keep_it() {
        let model = model(DeliveryOrder::Fifo, [Leave, Beat]);
        let keys = [[Beat, Leave, Beat], [Leave, Beat, Beat]].map(|sent| key(&model, sent));
        assert_ne!(keys[0].bytes, keys[1].bytes);
        assert!(keys.iter().all(|key| key.order == [0, 1, 2]));
    }
}
