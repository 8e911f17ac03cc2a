//! An environment that notes how long the timers are for which a protocol asks.

use crate::exact::Exact;
use watchkeeper_core::{Bound, Effects, Pid, Protocol};

/// The timers of a protocol `P`, with their lengths, in the order in which it armed them.
pub struct Armed<P: Protocol<Exact>>(pub Vec<(P::Timer, Exact)>);

impl<P: Protocol<Exact>> Effects<P, Exact> for Armed<P> {
    fn send(&mut self, _: Pid, _: P::Msg) {}

    fn arm(&mut self, timer: P::Timer, bound: Bound<Exact>) {
        assert_eq!(Some(bound.lo()), bound.hi(), "all timers here are exact");
        self.0.push((timer, bound.lo()));
    }

    fn disarm(&mut self, _: P::Timer) {}

    fn emit(&mut self, _: P::Output) {}

    fn pick(&mut self, _: usize) -> usize {
        panic!("detectors leave nothing to chance");
    }
}
