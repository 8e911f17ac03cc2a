//! The program `watchkeeper`: the built-in protocols and the casebook.

use watchkeeper::protocols::ring::{StrongAccuracy, StrongCompleteness, WeakAccuracy};
use watchkeeper::{
    ChandraToueg, ConsensusLive, Heartbeat, Membership, MembershipLive, Program, Ring, Rotating, RotatingOn,
    Strong,
};

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
