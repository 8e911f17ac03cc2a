//! One incarnation of a process as the simulation drives it, whether it is the protocol alone or a whole node: datagrams
//! and calls go in, then the time; lines of a recording and datagrams come out. It knows no other process.

use watchkeeper_core::{Pid, RecordedStep, Stall};

/// An incarnation that runs. Times are readings of its own clock.
///
/// # Order of calls
/// [`take_in`](SimulatedProcess::take_in) for everything that has arrived, then
/// [`timeout`](SimulatedProcess::timeout), then [`drain`](SimulatedProcess::drain); again when something arrives, or
/// when [`next_timeout`](SimulatedProcess::next_timeout) has come.
pub(crate) trait SimulatedProcess {
    /// Something has arrived.
    fn take_in(&mut self, now: u64, parcel: &mut Parcel);

    /// It is so late; everything that has arrived was handed over.
    fn timeout(&mut self, now: u64);

    /// When it wants to be woken.
    fn next_timeout(&self) -> Option<u64>;

    /// A client asks.
    fn call(&mut self, now: u64, call: &[u8]);

    /// What has come of all this since the last time.
    fn drain(&mut self, drained: &mut Drained);
}

/// Something on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parcel {
    pub(crate) from: Pid,
    pub(crate) to: Pid,
    /// Its place among all that was sent; none if a stranger sent it.
    pub(crate) message: Option<usize>,
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
}

/// What comes out of an incarnation, in order.
#[derive(Debug, Default)]
pub(crate) struct Drained {
    pub(crate) lines: Vec<DrainedLine>,
    pub(crate) sends: Vec<DrainedSend>,
}

/// A line of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DrainedLine {
    Step(RecordedStep),
    Stall(Stall),
}

/// Something to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DrainedSend {
    pub(crate) to: Pid,
    /// Its number among the messages of its incarnation to this destination; none if it carries no message.
    pub(crate) number: Option<u64>,
    pub(crate) bytes: Vec<u8>,
}
