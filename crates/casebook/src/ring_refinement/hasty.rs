//! A mistake, planted: a ring whose processes suspect somebody whom they have not asked. It is here to be found
//! out, and shows that the comparison can tell.

use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::ring::{HeardMessage, RingMsg, RingPolicy};

use crate::published_ring::PROCESSES;

/// When a round ends without an answer, the process behind the target is suspected as well, though nobody has
/// asked it, until it is heard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Hasty;

impl RingPolicy for Hasty {
    type Memory = ProcSet;
    type Msg = RingMsg;

    fn memory(&self, _: usize, _: u32) -> ProcSet {
        ProcSet::EMPTY
    }

    fn message(&self, plain: RingMsg, _: &ProcSet) -> RingMsg {
        plain
    }

    fn plain(&self, msg: &RingMsg) -> RingMsg {
        *msg
    }

    fn suspects(&self, local: ProcSet, unasked: &ProcSet) -> ProcSet {
        local.union(*unasked)
    }

    fn suspecting(&self, target: Pid, local: ProcSet, unasked: &mut ProcSet) {
        // Once everybody else is suspected, the next one would be oneself.
        if local.len() + 1 < PROCESSES {
            unasked.insert(target.succ(PROCESSES));
        }
    }

    fn heard(&self, heard: HeardMessage<'_, RingMsg>, unasked: &mut ProcSet) {
        unasked.remove(heard.from);
    }
}
