//! A toy protocol for clusters that grow: everybody tells everybody of whom it has heard, now and then.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Malformed, Member, Never, Pack, Perm, Pid, Protocol, Reader, Slot,
};

/// Members that tell each other of members.
#[derive(Clone, Copy, Debug)]
pub struct Chatter;

/// Everybody that the sender has heard of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Heard(pub Vec<Member>);

impl Pack for Heard {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<Heard, Malformed> {
        Vec::unpack(bytes).map(Heard)
    }

    fn rename(&self, perm: &Perm) -> Heard {
        Heard(self.0.rename(perm))
    }
}

impl Kind for Heard {
    const KINDS: &'static [&'static str] = &["heard"];

    fn kind(&self) -> usize {
        0
    }

    fn label(&self) -> String {
        format!("heard {:?}", self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum Round {
    Next,
}

impl Protocol for Chatter {
    type State = Heard;
    type Msg = Heard;
    type Timer = Round;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Heard {
        fx.arm(Round::Next, Bound::exactly(4));
        let mut known = vec![Member(Pid::at(0)), Member(me)];
        known.dedup();
        Heard(known)
    }

    fn step(&self, me: Pid, state: &mut Heard, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg } => {
                state.0.extend(msg.0.iter().copied().chain([Member(from)]));
                state.0.sort_unstable();
                state.0.dedup();
            }
            Input::Fire(Round::Next) => {
                for to in state.0.iter().filter(|to| to.0 != me) {
                    fx.send(to.0, state.clone());
                }
                fx.arm(Round::Next, Bound::exactly(4));
            }
            Input::Call(_) | Input::Notice(_) => {}
        }
    }
}
