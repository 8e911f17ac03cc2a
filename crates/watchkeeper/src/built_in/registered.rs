//! All built-in protocols as values. The unit tests of this crate do without this module, so that the protocols are not
//! compiled once more for them.

use super::{ConsensusLive, MembershipLive, RotatingOn};
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
