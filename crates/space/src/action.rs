//! The action of a step, small enough to be passed by value millions of times a second.

use watchkeeper_core::Pid;

/// The index of a class in [`Shape::classes`](crate::Shape::classes).
pub type ClassId = u8;

/// One step's action: its class, by which coverage is counted, and a code that only its space can read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action(u64);

impl Action {
    /// An action of a class. The code may use 56 bits.
    pub const fn new(class: ClassId, code: u64) -> Action {
        debug_assert!(code < 1 << 56);
        Action(code << 8 | class as u64)
    }

    /// Its class.
    pub const fn class(self) -> ClassId {
        self.0 as u8
    }

    /// Its code.
    pub const fn code(self) -> u64 {
        self.0 >> 8
    }
}

/// The label of an action, by which fairness constraints select it: the process that takes the step, its peer, and the
/// message or timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ActionLabel {
    /// The process that takes the step: the receiver of a message, the owner of a timer.
    pub process: Option<Pid>,
    /// The other end: the sender of a message.
    pub peer: Option<Pid>,
    /// The number of the message or timer, within its class and between these processes: the same number for the same
    /// one in every state that offers it.
    pub which: u64,
}

/// A class of actions that a report counts: a kind of message delivered, a timer, a kind of fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionClass {
    /// Its name in reports, for example `deliver I-AM-ALIVE`, `fire Round`, `crash`.
    pub name: String,
    /// Its meaning to the reader of a verdict.
    pub role: Role,
}

/// The meaning of a class of actions to the reader of a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A fault that was declared; if it never happens, the verdict warns.
    Fault,
    /// A timer that the protocol has; if it never fires, the verdict warns.
    Timer,
    /// A kind of message that the protocol has; if none is ever delivered, the verdict warns.
    Message,
    /// Anything else.
    Other,
}
