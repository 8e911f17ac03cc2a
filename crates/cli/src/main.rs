//! The program `watchkeeper`: the built-in protocols and the casebook.

use watchkeeper::built_in::{ConsensusLive, MembershipLive, RotatingOn};
use watchkeeper_cli::Program;
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

fn main() -> std::process::ExitCode {
    Program::new()
        .protocol::<Ring>()
        .protocol::<Ring<WeakAccuracy>>()
        .protocol::<Ring<StrongAccuracy>>()
        .protocol::<Ring<StrongCompleteness>>()
        .protocol::<ChandraToueg>()
        .protocol::<NfdS>()
        .protocol::<NfdE>()
        .protocol::<Phi>()
        .protocol::<Kubernetes>()
        .protocol::<Heartbeat>()
        .protocol::<Strong>()
        .protocol::<Rotating>()
        .protocol::<RotatingOn<Ring<StrongCompleteness>>>()
        .protocol::<RotatingOn<ChandraToueg>>()
        .protocol::<ConsensusLive>()
        .protocol::<Membership>()
        .protocol::<MembershipLive>()
        .protocol::<Handshake>()
        .protocol::<Swim>()
        .protocol::<Swim<Lifeguard>>()
        .casebook()
        .main()
}
