//! What a running node has to know of a protocol whose processes propose values and decide on one of them. It says how
//! to ask and how to read the answer, never how the decision comes about.

use crate::params::Params;
use crate::problem::Problem;
use watchkeeper_core::Protocol;
use watchkeeper_protocols::consensus::Consensus;

/// How the processes of `P` propose and decide.
pub struct Deciding<P: Protocol> {
    /// The call that proposes a value.
    pub propose: fn(u64) -> P::Call,
    /// The value that a call proposes.
    pub proposes: fn(&P::Call) -> Option<u64>,
    /// The value that an announcement decides.
    pub decides: fn(&P::Output) -> Option<u64>,
    /// Only values below this can be decided.
    pub domain: fn(&Params) -> Result<Option<u64>, Problem>,
    /// How many of so many may crash while the others still decide.
    pub crashes: fn(usize) -> usize,
}

impl<C: Consensus> Deciding<C> {
    /// A protocol with this call to propose a value; values are below `domain` if the parameters have one. Of `n`
    /// processes so many may crash as `crashes` says, and the others still decide.
    pub const fn new(
        propose: fn(u64) -> C::Call,
        domain: fn(&Params) -> Result<Option<u64>, Problem>,
        crashes: fn(usize) -> usize,
    ) -> Deciding<C> {
        Deciding { propose, proposes: C::proposes, decides: C::decides, domain, crashes }
    }
}

impl<P: Protocol> Clone for Deciding<P> {
    fn clone(&self) -> Deciding<P> {
        *self
    }
}

impl<P: Protocol> Copy for Deciding<P> {}
