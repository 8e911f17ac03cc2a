//! What a running node has to know of a protocol whose processes are members of a group and tell each other words. It
//! says how to ask and how to read what is announced, never how members agree.

use watchkeeper_core::{Pid, ProcSet, Protocol};
use watchkeeper_protocols::membership::{GroupCall, GroupOutput, GroupProtocol};

/// How the processes of `P` are asked to speak, and what they tell.
pub struct Grouping<P: Protocol> {
    /// A call of the group as one of the protocol.
    pub call: fn(GroupCall) -> P::Call,
    /// What an announcement says about the group.
    pub tells: fn(&P::Output) -> Option<&GroupOutput>,
    /// With whom a process begins.
    pub clique: fn(&P, Pid) -> ProcSet,
}

impl<G: GroupProtocol> Grouping<G> {
    /// A protocol that takes the calls of a group in this form.
    pub const fn new(call: fn(GroupCall) -> G::Call) -> Grouping<G> {
        Grouping { call, tells: G::tells, clique: G::clique }
    }
}

impl<P: Protocol> Clone for Grouping<P> {
    fn clone(&self) -> Grouping<P> {
        *self
    }
}

impl<P: Protocol> Copy for Grouping<P> {}
