//! Labels of steps that the published models of the ring have in common: what a message is called, and the sorts of what is
//! said of it. What a step does is for the models to say.

use crate::published_ring::{Message, PROCESSES};
use watchkeeper_core::{Pid, identifier};
use watchkeeper_space::{DataAction, Vocabulary};

/// A step of a model of the ring as the actions of its label; a step that is inside of a process is an action too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RingDeed {
    /// A process does this, and no more is to be said.
    Alone(&'static str, Pid),
    /// A process does this, and it concerns another.
    About(&'static str, Pid, Pid),
    /// A message: who does what, who is the other end, and what it is.
    Of(&'static str, Pid, Pid, Message),
    /// No process does this.
    Everywhere(&'static str),
}

impl RingDeed {
    /// The action.
    pub(crate) fn action(self) -> DataAction {
        match self {
            RingDeed::Alone(name, me) => DataAction::new(identifier(name), [me.to_string()]),
            RingDeed::About(name, me, other) => DataAction::new(name, [me.to_string(), other.to_string()]),
            RingDeed::Of(name, me, other, message) => {
                DataAction::new(name, [me.to_string(), other.to_string(), identifier(message.name())])
            }
            RingDeed::Everywhere(name) => DataAction::new(name, [""; 0]),
        }
    }

    /// Its name, and the sorts of its arguments.
    fn signature(self) -> (String, Vec<String>) {
        let sorts: &[&str] = match self {
            RingDeed::Alone(..) => &["Process"],
            RingDeed::About(..) => &["Process", "Process"],
            RingDeed::Of(..) => &["Process", "Process", "Message"],
            RingDeed::Everywhere(_) => &[],
        };
        (self.action().name, sorts.iter().map(ToString::to_string).collect())
    }
}

/// The sorts of the ring, and the actions of these deeds.
pub(crate) fn ring_vocabulary(deeds: impl IntoIterator<Item = RingDeed>) -> Vocabulary {
    let alternatives = |all: Vec<String>| format!("struct {}", all.join(" | "));
    let processes = alternatives(Pid::all(PROCESSES).map(|p| p.to_string()).collect());
    let messages = alternatives(Message::ALL.map(|message| identifier(message.name())).to_vec());
    let mut actions: Vec<(String, Vec<String>)> = deeds.into_iter().map(RingDeed::signature).collect();
    actions.sort();
    actions.dedup();
    Vocabulary { sorts: vec![("Process".to_string(), processes), ("Message".to_string(), messages)], actions }
}
