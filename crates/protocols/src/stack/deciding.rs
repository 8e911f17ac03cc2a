//! A consensus protocol is one also in a mailbox, on reliable links and on a detector, so that the
//! requirements can be observed there as well.

use super::{Layer, Mailbox, Reliable, Stack};
use crate::consensus::Consensus;
use watchkeeper_core::Protocol;

impl<C: Consensus> Consensus for Mailbox<C> {
    fn proposes(call: &Self::Call) -> Option<u64> {
        C::proposes(call)
    }

    fn decides(output: &Self::Output) -> Option<u64> {
        C::decides(output)
    }

    fn decision(&self, state: &Self::State) -> Option<u64> {
        self.protocol().decision(state.inner())
    }
}

impl<C: Consensus> Consensus for Reliable<C> {
    fn proposes(call: &Self::Call) -> Option<u64> {
        C::proposes(call)
    }

    fn decides(output: &Self::Output) -> Option<u64> {
        C::decides(output)
    }

    fn decision(&self, state: &Self::State) -> Option<u64> {
        self.protocol().decision(state.inner())
    }
}

impl<C: Consensus, D: Protocol> Consensus for Stack<C, D> {
    fn proposes(call: &Self::Call) -> Option<u64> {
        match call {
            Layer::Above(call) => C::proposes(call),
            Layer::Below(_) => None,
        }
    }

    fn decides(output: &Self::Output) -> Option<u64> {
        match output {
            Layer::Above(output) => C::decides(output),
            Layer::Below(_) => None,
        }
    }

    fn decision(&self, state: &Self::State) -> Option<u64> {
        self.above().decision(state.above())
    }
}
