//! How bytes are read as a script. Every sequence of bytes is one: what is missing at the end reads as zeros.

use watchkeeper_core::{MAX_PROCESSES, Pid};
use watchkeeper_runtime::wire::{DatagramHeader, DatagramKind};

/// Bytes that are being read as a script.
pub(crate) struct AttackScript<'a> {
    rest: &'a [u8],
}

impl<'a> AttackScript<'a> {
    pub(crate) fn new(input: &'a [u8]) -> AttackScript<'a> {
        AttackScript { rest: input }
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Mostly a small number, now and then one of any size or one close to the largest.
    pub(crate) fn number(&mut self) -> u64 {
        match self.byte().unwrap_or(0) {
            small @ 0..240 => u64::from(small),
            240..248 => u64::from(self.byte().unwrap_or(0)) << 8 | u64::from(self.byte().unwrap_or(0)),
            248..254 => (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte().unwrap_or(0))),
            _ => u64::MAX - u64::from(self.byte().unwrap_or(0)),
        }
    }

    /// Some bytes, with their length before them.
    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let len = match self.byte().unwrap_or(0) {
            short @ 0..250 => usize::from(short),
            long => usize::from(long - 250) << 8 | usize::from(self.byte().unwrap_or(0)),
        };
        let (bytes, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.rest = rest;
        bytes
    }

    /// A header to `receiver`, which is in this incarnation, with anything in it. Lives are mostly those that matter, or few
    /// datagrams would be admitted.
    pub(crate) fn header(&mut self, receiver: Pid, own: u64) -> DatagramHeader {
        let what = self.byte().unwrap_or(0);
        let sender = match what >> 2 {
            near @ 0..56 => usize::from(near % 6),
            far => usize::from(far) % MAX_PROCESSES,
        };
        let incarnation = match self.number() {
            near @ 0..240 => 100 + near / 40,
            any => any,
        };
        let peer_incarnation = match self.number() {
            0..160 => own,
            160..200 => 0,
            past @ 200..230 => own.saturating_sub(past - 199),
            future @ 230..240 => own.saturating_add(future - 229),
            any => any,
        };
        let (kind, sender) =
            (DatagramKind::ALL[usize::from(what) % DatagramKind::ALL.len()], Pid::at(sender));
        DatagramHeader { kind, sender, receiver, incarnation, peer_incarnation, number: self.number() }
    }
}
