//! A stranger on the network: sees datagrams, and sends what it has seen, what it made of it, what it made up, and what it
//! sealed with a key that nobody has any more.

use crate::nemesis::mixed;
use crate::plan::FloodKind;
use crate::process::{Parcel, ParcelLoad};
use crate::rotation::SimulatedKeys;
use crate::whole_node::{address, strange_address};
use fastrand::Rng;
use std::collections::VecDeque;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_node::wire::{ClusterId, Sessions, Stamp};

/// How many datagrams to each process the stranger remembers.
const REMEMBERED: usize = 64;

/// A stranger.
#[derive(Debug)]
pub(crate) struct Stranger {
    /// The datagrams to each process, each with its message.
    seen: Vec<VecDeque<(Option<usize>, Vec<u8>)>>,
    listens: bool,
}

impl Stranger {
    pub(crate) fn new(processes: usize, listens: bool) -> Stranger {
        Stranger { seen: vec![VecDeque::new(); processes], listens }
    }

    /// Sees a datagram on its way.
    pub(crate) fn sees(&mut self, to: Pid, message: Option<usize>, bytes: &[u8]) {
        if !self.listens {
            return;
        }
        let seen = &mut self.seen[to.index()];
        if seen.len() == REMEMBERED {
            seen.pop_front();
        }
        seen.push_back((message, bytes.to_vec()));
    }

    /// The next datagram of a flood; `seed` decides all about it.
    pub(crate) fn datagram(
        &self,
        to: Pid,
        kind: FloodKind,
        from: Option<Pid>,
        keys: &SimulatedKeys,
        seed: u64,
    ) -> Parcel {
        let mut random = Rng::with_seed(seed);
        let seen = &self.seen[to.index()];
        let remembered = (!seen.is_empty()).then(|| seen[random.usize(..seen.len())].clone());
        let pretended = from.unwrap_or(Pid::at(usize::from(to == Pid::at(0))));
        let (message, bytes) = match (kind, remembered) {
            (FloodKind::Replay, Some(replayed)) => replayed,
            (FloodKind::Mutant, Some((_, mut bytes))) => {
                // Each place is changed once: two changes could undo each other, and the copy would be the real one.
                let (first, length) = (random.usize(..bytes.len()), bytes.len());
                for step in 0..random.usize(1..4).min(length) {
                    bytes[(first + 7 * step) % length] ^= random.u8(1..);
                }
                (None, bytes)
            }
            (FloodKind::Leaked, _) => (None, leaked(to, pretended, keys, &mut random)),
            _ => (None, (0..random.usize(..200)).map(|_| random.u8(..)).collect()),
        };
        let address = from.map_or_else(strange_address, address);
        let load = ParcelLoad::Datagram { address, bytes, hostile: true };
        Parcel { from: pretended, to, message, arrived: 0, load }
    }
}

/// A greeting sealed with a key that leaked and is not in use any more.
fn leaked(to: Pid, pretended: Pid, keys: &SimulatedKeys, random: &mut Rng) -> Vec<u8> {
    let ring = keys.leaked(random.bool());
    let mut entropy = [0; 32];
    random.fill(&mut entropy);
    let cluster = ClusterId::of_name(crate::simulation::CLUSTER);
    let incarnation = mixed(random.u64(..), 1) >> 2;
    let mut sessions = Sessions::new(cluster, &ring, pretended, incarnation, ProcSet::only(to), entropy);
    let asks = sessions.greetings_to(to).into_iter().flatten().next();
    let greeting = asks.and_then(|(key, hello)| sessions.greeting(to, key, &Stamp::default(), &hello));
    greeting.map_or(Vec::new(), |greeting| greeting.to_vec())
}
