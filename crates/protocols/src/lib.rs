//! Protocols as pure state machines, one algorithm to a module, each with its paper. No protocol knows whether it is
//! checked, simulated or run, and none may find out.
//!
//! # A failure detector, step by step
//! The environment is the caller: it hands in a timer that fires or a message that arrives, and takes the effects.
//!
//! ```
//! use watchkeeper_core::{Bound, Effects, Input, Pid, Protocol, Suspicion};
//! use watchkeeper_protocols::chandra_toueg::{ChandraToueg, ChandraTouegMsg, ChandraTouegTimer};
//!
//! /// An environment that only notes the announcements.
//! struct Announced(Vec<Suspicion>);
//!
//! impl Effects<ChandraToueg> for Announced {
//!     fn send(&mut self, _: Pid, _: ChandraTouegMsg) {}
//!     fn arm(&mut self, _: ChandraTouegTimer, _: Bound) {}
//!     fn disarm(&mut self, _: ChandraTouegTimer) {}
//!     fn emit(&mut self, output: Suspicion) {
//!         self.0.push(output);
//!     }
//!     fn pick(&mut self, _: usize) -> usize {
//!         0
//!     }
//! }
//!
//! // Three processes; a beat every 2 units of time; a first timeout of 5.
//! let detector = ChandraToueg::new(3, 2, 5)?;
//! let (p0, p1) = (Pid::at(0), Pid::at(1));
//! let mut announced = Announced(Vec::new());
//! let mut state = detector.init(p0, &mut announced);
//! detector.step(p0, &mut state, Input::Fire(ChandraTouegTimer::Wait(p1)), &mut announced);
//! detector.step(p0, &mut state, Input::Receive { from: p1, msg: &ChandraTouegMsg::Alive }, &mut announced);
//! assert_eq!(announced.0, [Suspicion::Suspect(p1), Suspicion::Trust(p1)]);
//! assert_eq!(detector.timeout(p1, &state), 6, "p0 now waits longer for p1");
//! # Ok::<(), watchkeeper_protocols::chandra_toueg::ChandraTouegError>(())
//! ```

pub mod chandra_toueg;
pub mod consensus;
pub mod detection;
pub mod handshake;
pub mod heartbeat;
pub mod kubernetes;
pub mod lifeguard;
pub mod membership;
pub mod nfd_e;
pub mod nfd_s;
pub mod phi;
pub mod ring;
pub mod stack;
pub mod swim;
