//! Challenges: random bytes that a node gives to one peer for one handshake. Whoever repeats a challenge has seen the
//! greeting that it was in, so its own greeting is new. All of them come from the entropy that the node was started with.

use hkdf::Hkdf;
use sha2::Sha256;
use std::fmt;
use zeroize::Zeroizing;

/// A challenge; all zeros are none.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Challenge(pub(super) [u8; Challenge::LEN]);

impl Challenge {
    /// How many bytes it has.
    pub const LEN: usize = 16;

    /// No challenge.
    pub const NONE: Challenge = Challenge([0; Challenge::LEN]);
}

impl fmt::Debug for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Random bytes without end from 32 of them: HKDF with SHA-256 over a counter.
#[derive(Clone)]
pub(super) struct Drawer {
    entropy: Zeroizing<[u8; 32]>,
    drawn: u64,
}

impl Drawer {
    pub(super) fn new(entropy: [u8; 32]) -> Drawer {
        Drawer { entropy: Zeroizing::new(entropy), drawn: 0 }
    }

    /// Bytes that were never drawn before, for a challenge or a salt.
    pub(super) fn draw(&mut self) -> Challenge {
        self.drawn += 1;
        let derive = Hkdf::<Sha256>::new(Some(b"watchkeeper wire 3"), &self.entropy[..]);
        let mut drawn = Challenge::NONE;
        let done = derive.expand_multi_info(&[b"drawn:", &self.drawn.to_be_bytes()], &mut drawn.0);
        done.expect("a few bytes are within the limit of the derivation");
        drawn
    }
}

impl fmt::Debug for Drawer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawer").field("drawn", &self.drawn).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn nothing_is_drawn_twice_and_equal_entropy_draws_the_same() {
        let drawn = |byte: u8| {
            let mut drawer = Drawer::new([byte; 32]);
            (0..1000).map(|_| drawer.draw()).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        let all: HashSet<Challenge> = drawn(1).into_iter().chain(drawn(2)).chain([Challenge::NONE]).collect();
        assert_eq!(all.len(), 2001);
    }
}
