//! A membership protocol is one also on reliable links and on a detector, so that the requirements can be
//! observed there as well. What is sent again says the same again, and observers count it once.

use super::{Layer, Reliable, ReliableMsg, Stack};
use crate::membership::{GroupMsg, GroupOutput, GroupProtocol, MemberStatus};
use watchkeeper_core::{Pid, ProcSet, Protocol};

impl<G: GroupProtocol> GroupProtocol for Reliable<G> {
    fn tells(output: &Self::Output) -> Option<&GroupOutput> {
        G::tells(output)
    }

    fn carries(msg: &Self::Msg) -> Option<&GroupMsg> {
        match msg {
            ReliableMsg::Data { msg, .. } => G::carries(msg),
            ReliableMsg::Received { .. } => None,
        }
    }

    fn standing(&self, state: &Self::State) -> MemberStatus {
        self.protocol().standing(state.inner())
    }

    fn clique(&self, of: Pid) -> ProcSet {
        self.protocol().clique(of)
    }
}

impl<G: GroupProtocol, D: Protocol> GroupProtocol for Stack<G, D> {
    fn tells(output: &Self::Output) -> Option<&GroupOutput> {
        match output {
            Layer::Above(output) => G::tells(output),
            Layer::Below(_) => None,
        }
    }

    fn carries(msg: &Self::Msg) -> Option<&GroupMsg> {
        match msg {
            Layer::Above(msg) => G::carries(msg),
            Layer::Below(_) => None,
        }
    }

    fn standing(&self, state: &Self::State) -> MemberStatus {
        self.above().standing(state.above())
    }

    fn clique(&self, of: Pid) -> ProcSet {
        self.above().clique(of)
    }
}
