//! The program `watchkeeper`: the built-in protocols and the casebook.

use watchkeeper::built_in::{ConsensusLive, MembershipLive, RotatingOn};
use watchkeeper_cli::Program;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{Rotating, Strong};
use watchkeeper_protocols::heartbeat::Heartbeat;
use watchkeeper_protocols::membership::Membership;
use watchkeeper_protocols::ring::{Ring, StrongAccuracy, StrongCompleteness, WeakAccuracy};

fn main() -> std::process::ExitCode {
    Program::new()
        .subject::<Ring>()
        .subject::<Ring<WeakAccuracy>>()
        .subject::<Ring<StrongAccuracy>>()
        .subject::<Ring<StrongCompleteness>>()
        .subject::<ChandraToueg>()
        .subject::<Heartbeat>()
        .subject::<Strong>()
        .subject::<Rotating>()
        .subject::<RotatingOn<Ring<StrongCompleteness>>>()
        .subject::<RotatingOn<ChandraToueg>>()
        .subject::<ConsensusLive>()
        .subject::<Membership>()
        .subject::<MembershipLive>()
        .casebook()
        .main()
}
