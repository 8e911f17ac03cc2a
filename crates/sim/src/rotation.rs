//! The keys of simulated nodes: one that the cluster begins with, one that it is rotated to, and one that was in use before
//! the run and is known to strangers.

use crate::nemesis::mixed;
use crate::plan::RotationStep;
use watchkeeper_node::{ClusterKey, KeyId, KeyRing};

/// The ids of the keys.
const OLD: KeyId = KeyId(1);
const NEW: KeyId = KeyId(2);

/// All keys of a run.
#[derive(Debug)]
pub(crate) struct SimulatedKeys {
    old: ClusterKey,
    new: ClusterKey,
    retired: ClusterKey,
}

impl SimulatedKeys {
    pub(crate) fn new(seed: u64) -> SimulatedKeys {
        let key = |salt: u64| {
            let mut bytes = [1; 32];
            for (place, chunk) in bytes.chunks_exact_mut(8).enumerate() {
                chunk.copy_from_slice(&(mixed(mixed(seed, salt), place as u64) | 1).to_le_bytes());
            }
            ClusterKey::from_bytes(bytes).expect("no key of ones and more is refused")
        };
        SimulatedKeys { old: key(0x01d), new: key(0x2e3), retired: key(0x4e7) }
    }

    /// The ring of a node that has taken this step last.
    pub(crate) fn ring(&self, step: Option<RotationStep>) -> KeyRing {
        let (old, new) = ((OLD, self.old.clone()), (NEW, self.new.clone()));
        let both = |first, (id, key)| KeyRing::new(first).with(id, key).expect("two keys with two ids");
        match step {
            None => KeyRing::new(old),
            Some(RotationStep::Add) => both(old, new),
            Some(RotationStep::Switch) => both(new, old),
            Some(RotationStep::Remove) => KeyRing::new(new),
        }
    }

    /// The ring of a stranger: a key that nobody has any more, under an id of its own or under one that is in use.
    pub(crate) fn leaked(&self, under_id_in_use: bool) -> KeyRing {
        KeyRing::new((if under_id_in_use { OLD } else { KeyId(0) }, self.retired.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_a_rotation_has_a_key_in_common_with_its_neighbours() {
        let keys = SimulatedKeys::new(7);
        let steps = [None, Some(RotationStep::Add), Some(RotationStep::Switch), Some(RotationStep::Remove)];
        for pair in steps.windows(2) {
            let (one, other) = (keys.ring(pair[0]), keys.ring(pair[1]));
            assert!(other.ids().any(|id| id == one.current()) || one.ids().any(|id| id == other.current()));
        }
        assert_eq!(keys.ring(None).current(), KeyId(1));
        assert_eq!(keys.ring(Some(RotationStep::Remove)).ids().collect::<Vec<_>>(), [KeyId(2)]);
    }
}
