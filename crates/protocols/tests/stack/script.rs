//! One process with a scripted environment.

pub use crate::effects::{Effect, EffectsOf, p, start, step};

use watchkeeper_core::{Input, Pid, Protocol};

/// The effects of a message.
pub fn hear<P: Protocol>(
    protocol: &P,
    me: Pid,
    state: &mut P::State,
    from: Pid,
    msg: P::Msg,
) -> EffectsOf<P> {
    step(protocol, me, state, Input::Receive { from, msg: &msg })
}
