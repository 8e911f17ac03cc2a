//! What can happen next in a discrete state, and how it is told to a reader. What comes of it is in `step`, and when time
//! allows it in `edge`.

use crate::config::{DiscreteState, FlightMeaning, SymbolicFlight, SymbolicProcess};
use crate::model::Model;
use watchkeeper_automaton::MsgId;
use watchkeeper_core::Pid;
use watchkeeper_world::{Capacity, DeliveryOrder, WhenFull};

/// The most deadlines that may run at once: any set of them may expire at one moment.
pub(crate) const MOST_DEADLINES: usize = 12;

/// Something that can happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SymbolicTransition {
    Deliver { channel: usize, place: usize },
    Fire { process: usize, slot: usize },
    Call { entry: usize },
    Unblock { process: usize },
    Crash { process: usize },
    Recover { process: usize },
    Lose { channel: usize, place: usize },
    Duplicate { channel: usize, place: usize },
    Expire { deadlines: Vec<(usize, usize)> },
}

impl Model {
    /// Whether a process waits for room and has it, so that no time passes before it sends on.
    pub(crate) fn is_urgent(&self, config: &DiscreteState) -> bool {
        (0..config.processes.len()).any(|process| self.could_send_on(config, process))
    }

    fn could_send_on<V>(&self, config: &DiscreteState<V>, process: usize) -> bool {
        let SymbolicProcess::Up { outbox, .. } = &config.processes[process] else { return false };
        let me = Pid::at(process);
        let channel = outbox.first().and_then(|(to, msg)| self.routes.channel(me, *to, self.kind(*msg)));
        channel.is_some_and(|channel| !self.is_full(config, channel))
    }

    pub(crate) fn is_full<V>(&self, config: &DiscreteState<V>, channel: usize) -> bool {
        config.channels[channel].len() >= self.scenario.network.capacity.limit() as usize
    }

    /// Whether a message finds its channel full and is dropped.
    pub(crate) fn drops<V>(&self, config: &DiscreteState<V>, (from, to): (Pid, Pid), msg: MsgId) -> bool {
        let network = &self.scenario.network;
        matches!((network.capacity, network.when_full), (Capacity::Bounded(_), WhenFull::Drop))
            && self
                .routes
                .channel(from, to, self.kind(msg))
                .is_some_and(|channel| self.is_full(config, channel))
    }

    pub(crate) fn kind(&self, msg: MsgId) -> usize {
        self.automaton.messages().kind(msg.0)
    }

    /// Everything that can happen in a state at some moment.
    pub(crate) fn transitions(&self, config: &DiscreteState) -> Vec<SymbolicTransition> {
        let mut all = Vec::new();
        let is_up = |p: usize| matches!(config.processes[p], SymbolicProcess::Up { .. });
        let takes_input = |p: usize| matches!(&config.processes[p], SymbolicProcess::Up { outbox, .. } if outbox.is_empty());
        for (process, state) in config.processes.iter().enumerate() {
            if let SymbolicProcess::Up { timers, outbox, .. } = state {
                if outbox.is_empty() {
                    all.extend(timers.iter().map(|&(slot, ())| SymbolicTransition::Fire { process, slot }));
                } else if self.could_send_on(config, process) {
                    all.push(SymbolicTransition::Unblock { process });
                }
            }
        }
        for (channel, flights) in config.channels.iter().enumerate() {
            let (from, to, _) = self.routes.ends(channel);
            for place in 0..flights.len() {
                if self.arrives_next(flights, place) && (takes_input(to.index()) || !is_up(to.index())) {
                    all.push(SymbolicTransition::Deliver { channel, place });
                }
                let orphan = self.scenario.faults.crash_loses && !is_up(from.index());
                if orphan || config.losses < self.scenario.network.losses {
                    all.push(SymbolicTransition::Lose { channel, place });
                }
                if config.duplications < self.scenario.network.duplications && !self.is_full(config, channel)
                {
                    all.push(SymbolicTransition::Duplicate { channel, place });
                }
            }
        }
        for (entry, &(process, _, budget)) in self.calls.iter().enumerate() {
            if config.calls[entry] < budget && takes_input(process.index()) {
                all.push(SymbolicTransition::Call { entry });
            }
        }
        let faults = &self.scenario.faults;
        let down = (0..config.processes.len()).filter(|&p| !is_up(p)).count() + config.recoveries as usize;
        let may_crash = down < faults.crashed_at_start.len() + faults.crashes as usize;
        for process in 0..config.processes.len() {
            if is_up(process) && may_crash && faults.crashable.contains(Pid::at(process)) {
                all.push(SymbolicTransition::Crash { process });
            }
            if !is_up(process) && config.recoveries < faults.recoveries {
                all.push(SymbolicTransition::Recover { process });
            }
        }
        let running: Vec<(usize, usize)> = config
            .observers
            .iter()
            .enumerate()
            .flat_map(|(k, own)| own.running.iter().map(move |&(deadline, ())| (k, deadline)))
            .collect();
        // Deadlines that expire at one moment do so in one step.
        for subset in 1..1usize << running.len().min(MOST_DEADLINES) {
            let deadlines = (0..running.len()).filter(|i| subset >> i & 1 == 1).map(|i| running[i]).collect();
            all.push(SymbolicTransition::Expire { deadlines });
        }
        all
    }

    /// Whether the message at a place can be the next of its channel.
    fn arrives_next<V>(&self, flights: &[SymbolicFlight<V>], place: usize) -> bool {
        match self.scenario.network.order {
            DeliveryOrder::Fifo => place == 0,
            DeliveryOrder::AnyOrder if flights[place].meaning != FlightMeaning::Moment => true,
            DeliveryOrder::AnyOrder => {
                !flights[..place].iter().any(|before| before.msg == flights[place].msg)
            }
        }
    }

    /// What happens, for a reader.
    pub(crate) fn label(&self, config: &DiscreteState, transition: &SymbolicTransition) -> String {
        let message = |channel: &usize, place: &usize| {
            let (from, to, _) = self.routes.ends(*channel);
            (from, to, self.automaton.messages().label(config.channels[*channel][*place].msg.0))
        };
        match transition {
            SymbolicTransition::Deliver { channel, place } => {
                let (from, to, text) = message(channel, place);
                format!("{to} receives {text} from {from}")
            }
            SymbolicTransition::Fire { process, slot } => {
                format!("{}: {} fires", Pid::at(*process), self.automaton.facts().timer(*slot))
            }
            SymbolicTransition::Call { entry } => {
                let (process, call, _) = self.calls[*entry];
                format!("{process} is asked {}", self.automaton.calls().label(call.0))
            }
            SymbolicTransition::Unblock { process } => format!("{} sends on", Pid::at(*process)),
            SymbolicTransition::Crash { process } => format!("{} crashes", Pid::at(*process)),
            SymbolicTransition::Recover { process } => format!("{} recovers", Pid::at(*process)),
            SymbolicTransition::Lose { channel, place } => {
                let (from, to, text) = message(channel, place);
                format!("lose {text} from {from} to {to}")
            }
            SymbolicTransition::Duplicate { channel, place } => {
                let (from, to, text) = message(channel, place);
                format!("duplicate {text} from {from} to {to}")
            }
            SymbolicTransition::Expire { deadlines } => {
                let names: Vec<String> =
                    deadlines.iter().map(|(observer, _)| self.observers[*observer].name()).collect();
                format!("the deadline of {} expires", names.join(" and "))
            }
        }
    }
}
