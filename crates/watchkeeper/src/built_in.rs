//! What the built-in protocols say of themselves, in the way of every user's protocol.

pub mod chandra_toueg;
mod consensus;
mod handshake;
pub mod heartbeat;
pub mod kubernetes;
mod membership;
pub mod nfd_e;
pub mod nfd_s;
pub mod phi;
pub mod ring;
mod swim;

pub use consensus::{Below, ConsensusLive, RotatingOn};
pub use membership::MembershipLive;
pub use ring::DescribedPolicy;
pub use swim::DescribedSwim;

use crate::Described;
use crate::erased::{ErasedProtocol, NamedProtocol};
use std::sync::Arc;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{Rotating, Strong};
use watchkeeper_protocols::handshake::Handshake;
use watchkeeper_protocols::heartbeat::Heartbeat;
use watchkeeper_protocols::kubernetes::Kubernetes;
use watchkeeper_protocols::lifeguard::Lifeguard;
use watchkeeper_protocols::membership::Membership;
use watchkeeper_protocols::nfd_e::NfdE;
use watchkeeper_protocols::nfd_s::NfdS;
use watchkeeper_protocols::phi::Phi;
use watchkeeper_protocols::ring::{Ring, StrongAccuracy, StrongCompleteness, WeakAccuracy};
use watchkeeper_protocols::swim::Swim;

/// All built-in protocols, under all their names. Because of this function what a search calls of them is compiled in
/// this crate, for speed, and not once more in each program that knows them.
pub fn all() -> Vec<Arc<dyn ErasedProtocol>> {
    let families = [
        forms::<Ring>(),
        forms::<Ring<WeakAccuracy>>(),
        forms::<Ring<StrongAccuracy>>(),
        forms::<Ring<StrongCompleteness>>(),
        forms::<ChandraToueg>(),
        forms::<NfdS>(),
        forms::<NfdE>(),
        forms::<Phi>(),
        forms::<Kubernetes>(),
        forms::<Heartbeat>(),
        forms::<Strong>(),
        forms::<Rotating>(),
        forms::<RotatingOn<Ring<StrongCompleteness>>>(),
        forms::<RotatingOn<ChandraToueg>>(),
        forms::<ConsensusLive>(),
        forms::<Membership>(),
        forms::<MembershipLive>(),
        forms::<Handshake>(),
        forms::<Swim>(),
        forms::<Swim<Lifeguard>>(),
    ];
    families.into_iter().flatten().collect()
}

fn forms<P: Described>() -> Vec<Arc<dyn ErasedProtocol>> {
    NamedProtocol::<P>::all().into_iter().map(|typed| Arc::new(typed) as Arc<dyn ErasedProtocol>).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_protocol_has_a_name_of_its_own_and_something_to_ask() {
        let all = all();
        let names: BTreeSet<&str> = all.iter().map(|protocol| protocol.outline().form.name).collect();
        assert_eq!((names.len(), all.len()), (all.len(), 30));
        for protocol in &all {
            assert!(!protocol.outline().properties.is_empty(), "{}", protocol.outline().form.name);
        }
    }
}
