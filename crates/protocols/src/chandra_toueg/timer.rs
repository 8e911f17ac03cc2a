//! The timer slots of the detector: one for its own beat and one for each peer that it waits for. A slot is
//! named after the peer, never after its place in some order, so that reports and charts say who was waited
//! for.

use watchkeeper_core::{Pid, Slot};

/// The most processes that there can be timer slots for. An environment keeps 64 slots; one is the beat's, and
/// three are left for what stands on the detector: links that send again, and the timers of membership.
pub const MOST: usize = 60;

/// A timer slot of the detector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChandraTouegTimer {
    /// It is time to tell everyone that one is alive.
    Beat,
    /// It is time that this peer had been heard.
    Wait(Pid),
}

/// The names of all slots, in the order of their places.
const NAMES: [&str; MOST + 1] = [
    "beat", "wait p0", "wait p1", "wait p2", "wait p3", "wait p4", "wait p5", "wait p6", "wait p7",
    "wait p8", "wait p9", "wait p10", "wait p11", "wait p12", "wait p13", "wait p14", "wait p15", "wait p16",
    "wait p17", "wait p18", "wait p19", "wait p20", "wait p21", "wait p22", "wait p23", "wait p24",
    "wait p25", "wait p26", "wait p27", "wait p28", "wait p29", "wait p30", "wait p31", "wait p32",
    "wait p33", "wait p34", "wait p35", "wait p36", "wait p37", "wait p38", "wait p39", "wait p40",
    "wait p41", "wait p42", "wait p43", "wait p44", "wait p45", "wait p46", "wait p47", "wait p48",
    "wait p49", "wait p50", "wait p51", "wait p52", "wait p53", "wait p54", "wait p55", "wait p56",
    "wait p57", "wait p58", "wait p59",
];

impl Slot for ChandraTouegTimer {
    const NAMES: &'static [&'static str] = &NAMES;

    fn index(self) -> usize {
        match self {
            ChandraTouegTimer::Beat => 0,
            // The detector waits for nobody beyond the last; the place of a stranger is nobody's.
            ChandraTouegTimer::Wait(peer) => 1 + peer.index(),
        }
    }

    fn from_index(index: usize) -> Option<ChandraTouegTimer> {
        match index.checked_sub(1) {
            None => Some(ChandraTouegTimer::Beat),
            Some(peer) if peer < MOST => Pid::new(peer).map(ChandraTouegTimer::Wait),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_has_its_place_and_its_name() {
        assert_eq!(ChandraTouegTimer::NAMES.len(), MOST + 1);
        for (index, name) in ChandraTouegTimer::NAMES.iter().enumerate() {
            let slot = ChandraTouegTimer::from_index(index).expect(name);
            assert_eq!(slot.index(), index);
            match slot {
                ChandraTouegTimer::Beat => assert_eq!(*name, "beat"),
                ChandraTouegTimer::Wait(peer) => assert_eq!(*name, format!("wait {peer}")),
            }
        }
        assert_eq!(ChandraTouegTimer::from_index(MOST + 1), None);
    }
}
