//! An environment that only writes down what the detector asks of it.

use watchkeeper_core::{Bound, Effects, Input, Pack, Pid, Protocol, Suspicion, packed, unpacked};
use watchkeeper_protocols::chandra_toueg::{
    ChandraToueg, ChandraTouegMsg, ChandraTouegState, ChandraTouegTimer,
};

/// One thing that the detector asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    Send(Pid, ChandraTouegMsg),
    Arm(ChandraTouegTimer, Bound),
    Emit(Suspicion),
}

/// What it asked for, in order.
#[derive(Debug)]
pub struct Script(pub Vec<Effect>);

impl Effects<ChandraToueg> for Script {
    fn send(&mut self, to: Pid, msg: ChandraTouegMsg) {
        self.0.push(Effect::Send(to, msg));
    }

    fn reply(&mut self, _: Pid, _: ChandraTouegMsg) {
        panic!("the detector answers nothing");
    }

    fn arm(&mut self, timer: ChandraTouegTimer, bound: Bound) {
        self.0.push(Effect::Arm(timer, bound));
    }

    fn disarm(&mut self, _: ChandraTouegTimer) {
        panic!("what the detector waits for either comes or does not");
    }

    fn emit(&mut self, output: Suspicion) {
        self.0.push(Effect::Emit(output));
    }

    fn pick(&mut self, _: usize) -> usize {
        panic!("the detector leaves nothing to chance");
    }
}

/// An input that owns its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    Hear(Pid),
    Late(Pid),
    Beat,
}

/// The state after `init`, and its effects.
pub fn start(detector: &ChandraToueg, me: Pid) -> (ChandraTouegState, Vec<Effect>) {
    let mut script = Script(Vec::new());
    let state = detector.init(me, &mut script);
    (state, script.0)
}

/// The effects of one step.
pub fn step(detector: &ChandraToueg, me: Pid, state: &mut ChandraTouegState, event: Event) -> Vec<Effect> {
    let mut script = Script(Vec::new());
    let input = match event {
        Event::Hear(from) => Input::Receive { from, msg: &ChandraTouegMsg::Alive },
        Event::Late(peer) => Input::Fire(ChandraTouegTimer::Wait(peer)),
        Event::Beat => Input::Fire(ChandraTouegTimer::Beat),
    };
    detector.step(me, state, input, &mut script);
    script.0
}

/// All inputs from and about the first `n` processes.
pub fn events(n: usize) -> Vec<Event> {
    let about = |p: Pid| [Event::Hear(p), Event::Late(p)];
    Pid::all(n).flat_map(about).chain([Event::Beat]).collect()
}

/// A state with these contents, whether it can be reached or not.
pub fn state(suspects: &[usize], timeouts: &[u32]) -> ChandraTouegState {
    let suspects: watchkeeper_core::ProcSet = suspects.iter().map(|&i| p(i)).collect();
    let mut bytes = packed(&suspects);
    timeouts.to_vec().pack(&mut bytes);
    unpacked(&bytes).expect("a state is its suspects and its timeouts")
}

/// Of `n` processes, with a period of 2 and timeouts from [`TIMEOUT`] to [`CAP`] in steps of 2.
pub fn detector(n: usize) -> ChandraToueg {
    let detector = ChandraToueg::new(n, PERIOD, TIMEOUT).expect("a detector");
    detector.growing_by(2).and_then(|detector| detector.capped(CAP)).expect("a detector")
}

pub fn p(number: usize) -> Pid {
    Pid::at(number)
}

/// What waiting for a peer looks like.
pub fn wait(peer: usize, timeout: u32) -> Effect {
    Effect::Arm(ChandraTouegTimer::Wait(p(peer)), Bound::exactly(timeout))
}

/// What going on to beat looks like.
pub const NEXT_BEAT: Effect = Effect::Arm(ChandraTouegTimer::Beat, Bound::exactly(PERIOD));

pub const PERIOD: u32 = 2;
pub const TIMEOUT: u32 = 5;
pub const CAP: u32 = 8;
