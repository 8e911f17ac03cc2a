//! Bytes from anywhere as states and messages: whatever can be unpacked can be stepped.

use crate::script::Player;
use proptest::prelude::*;
use watchkeeper_core::{Never, Pack, Pid, Promises, unpacked};
use watchkeeper_protocols::consensus::{ConsensusCall, ConsensusOutput, Rotating, Strong};

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    // Small bytes are valid more often.
    prop::collection::vec(prop_oneof![4 => 0u8..6, 1 => any::<u8>()], 0..40)
}

fn prod<P>(protocol: P, state: &[u8], messages: &[(usize, Vec<u8>)])
where
    P: Promises<Timer = Never, Call = ConsensusCall, Output = ConsensusOutput> + Clone,
    P::State: Pack,
{
    for me in 0..3 {
        let mut player = Player::new(protocol.clone(), me);
        if let Ok(state) = unpacked(state) {
            player.state = state;
        } else {
            player.propose(1);
        }
        for (from, bytes) in messages {
            if let Ok(msg) = unpacked::<P::Msg>(bytes) {
                player.hear(*from, msg);
            }
            player.suspect(*from);
            player.propose(2);
            player.trust(*from);
            let _ = player.protocol.beyond(&player.state);
        }
        player.suspect(Pid::at((me + 1) % 3).index());
        player.suspect(Pid::at((me + 2) % 3).index());
    }
}

proptest! {
    #[test]
    fn nothing_panics(state in bytes(), messages in prop::collection::vec((0usize..5, bytes()), 0..8)) {
        prod(Rotating::new(3).expect("three"), &state, &messages);
        prod(Strong::new(3).expect("three"), &state, &messages);
    }
}
