//! The timer slots of the detector: one for its own beat and one for each peer that it waits for. A slot is
//! named after the peer, never after its place in some order, so that reports and charts say who was waited
//! for.

use watchkeeper_core::{Pid, Slot};

/// A timer slot of the detector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum ChandraTouegTimer {
    /// It is time to tell everyone that one is alive.
    #[slot("beat")]
    Beat,
    /// It is time that this peer had been heard.
    #[slot("wait")]
    Wait(Pid),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_has_its_place_and_its_name() {
        assert_eq!(ChandraTouegTimer::COUNT, 1 + Pid::COUNT);
        for index in 0..ChandraTouegTimer::COUNT {
            let slot = ChandraTouegTimer::from_index(index).expect("a slot");
            assert_eq!(slot.index(), index);
            match slot {
                ChandraTouegTimer::Beat => assert_eq!(slot.name(), "beat"),
                ChandraTouegTimer::Wait(peer) => assert_eq!(slot.name(), format!("wait {peer}")),
            }
        }
        assert_eq!(ChandraTouegTimer::from_index(ChandraTouegTimer::COUNT), None);
    }
}
