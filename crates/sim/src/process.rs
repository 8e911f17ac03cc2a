//! One incarnation of a process as the simulation drives it, whether it is the protocol alone or a whole node: datagrams
//! and calls go in, then the time; lines of a recording and datagrams come out. It knows no other process.

use std::net::SocketAddr;
use watchkeeper_core::{Pid, RecordedStep, Stall};
use watchkeeper_node::{Breach, KeyRing, SystemClocks};

/// An incarnation that runs. Times are readings of its own clock.
///
/// # Order of calls
/// [`take_in`](SimulatedProcess::take_in) for everything that has arrived, then
/// [`timeout`](SimulatedProcess::timeout) until nothing more is due; [`drain`](SimulatedProcess::drain) after each.
/// Again when something arrives, or when [`next_timeout`](SimulatedProcess::next_timeout) has come.
pub(crate) trait SimulatedProcess {
    /// The number of the incarnation.
    fn incarnation(&self) -> u64;

    /// Something has arrived.
    fn take_in(&mut self, now: u64, parcel: &mut Parcel);

    /// It is so late, and other clocks show this; everything that has arrived was handed over.
    fn timeout(&mut self, now: u64, clock: SystemClocks);

    /// When it wants to be woken; `None` if it has ended.
    fn next_timeout(&self) -> Option<u64>;

    /// A client asks.
    fn call(&mut self, now: u64, call: &[u8]);

    /// It has these keys from now on.
    fn rotate(&mut self, _now: u64, _keys: &KeyRing) {}

    /// Its recording cannot be written any more.
    fn lose_disk(&mut self, _now: u64) {}

    /// What has come of all this since the last time.
    fn drain(&mut self, drained: &mut Drained);
}

/// Something on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parcel {
    pub(crate) from: Pid,
    pub(crate) to: Pid,
    /// The place of its message among all that were sent; none if it carries none, or nobody has sent it.
    pub(crate) message: Option<usize>,
    /// When it arrived; 0 while it is on its way.
    pub(crate) arrived: u64,
    pub(crate) load: ParcelLoad,
}

/// What is on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ParcelLoad {
    /// A message of a protocol alone.
    Message {
        /// The incarnation of its sender.
        incarnation: u64,
        /// The incarnation of its destination.
        to_incarnation: u64,
        number: u64,
        msg: Vec<u8>,
    },
    /// A datagram.
    Datagram {
        /// The address that it comes from.
        address: SocketAddr,
        bytes: Vec<u8>,
        /// Whether a stranger sent it.
        hostile: bool,
    },
}

/// What comes out of an incarnation, in order.
#[derive(Debug, Default)]
pub(crate) struct Drained {
    pub(crate) lines: Vec<DrainedLine>,
    pub(crate) sends: Vec<DrainedSend>,
    pub(crate) breaches: Vec<Breach>,
}

/// A line of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DrainedLine {
    Begin { incarnation: u64 },
    Step(RecordedStep),
    Stall(Stall),
    End(u64),
}

/// Something to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DrainedSend {
    pub(crate) to: Pid,
    /// Its number among the messages of its incarnation to this destination; none if it carries no message.
    pub(crate) number: Option<u64>,
    pub(crate) bytes: Vec<u8>,
}
