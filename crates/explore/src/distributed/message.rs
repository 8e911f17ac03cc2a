//! The bytes that workers send each other, and how they are read again. They come from the same program on another
//! machine, over a line that was authenticated, so bytes that do not fit are told as an error and nothing more.

use crate::dictionary::{BadParts, PartsReader, PartsWriter};
use crate::level_report::LevelReport;
use crate::state_checker::BadState;
use watchkeeper_logic::ViolationKind;
use watchkeeper_space::{Id, Parts};

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MessageKind {
    /// States for their owner.
    States,
    /// Somebody stops: nobody goes on expanding.
    Halt,
    /// What a worker has done, or found, at the end of a round.
    Totals,
}

impl MessageKind {
    /// The kind of a message, and the rest of it.
    pub fn of(bytes: &[u8]) -> Option<(MessageKind, &[u8])> {
        let (&kind, rest) = bytes.split_first()?;
        let kinds = [MessageKind::States, MessageKind::Halt, MessageKind::Totals];
        kinds.into_iter().find(|known| *known as u8 == kind).map(|known| (known, rest))
    }
}

/// Numbers and bytes one after the other.
pub(super) struct MessageWriter(pub Vec<u8>);

impl MessageWriter {
    /// An empty message.
    pub fn new(kind: MessageKind) -> MessageWriter {
        MessageWriter(vec![kind as u8])
    }

    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub fn numbers(&mut self, numbers: &[u64]) {
        self.number(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.number(number));
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A row with all that another worker needs to know it.
    pub fn row(&mut self, parts: &dyn Parts, row: &[Id]) {
        let mut told = Vec::new();
        PartsWriter::new().describe(parts, row, &mut told);
        self.bytes(&told);
        row.iter().for_each(|&id| self.number(id.into()));
    }
}

/// Reads what a [`MessageWriter`] wrote.
pub(super) struct MessageReader<'m>(pub &'m [u8]);

impl<'m> MessageReader<'m> {
    fn take(&mut self, len: usize) -> Option<&'m [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub fn numbers(&mut self) -> Option<Vec<u64>> {
        let len = self.number()?;
        (0..len).map(|_| self.number()).collect()
    }

    pub fn bytes(&mut self) -> Option<&'m [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        self.take(len)
    }

    pub fn text(&mut self) -> Option<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// A row in ids of this worker.
    pub fn row(&mut self, parts: &dyn Parts, slots: usize) -> Result<Vec<Id>, BadParts> {
        let mut reader = PartsReader::new();
        reader.learn(parts, self.bytes().ok_or(BadParts::Damaged)?)?;
        let id = |number: Option<u64>| number.and_then(|number| Id::try_from(number).ok());
        let row: Option<Vec<Id>> = (0..slots).map(|_| id(self.number())).collect();
        let mut row = row.ok_or(BadParts::Damaged)?;
        reader.translate(parts, &mut row)?;
        Ok(row)
    }
}

/// The kinds of violations as numbers.
const KINDS: [ViolationKind; 4] =
    [ViolationKind::Safety, ViolationKind::Deadlock, ViolationKind::Timelock, ViolationKind::Liveness];

/// Writes a report.
pub(super) fn put_report(report: &LevelReport, parts: &dyn Parts, out: &mut MessageWriter) {
    out.numbers(&report.spoke);
    out.numbers(&report.counts[..]);
    out.numbers(&report.cuts);
    out.numbers(&[report.steps, report.expanded, report.settled]);
    match &report.violation {
        None => out.number(0),
        Some(bad) => {
            out.number(1);
            out.number(KINDS.iter().position(|kind| *kind == bad.finding).unwrap_or_default() as u64);
            out.number(bad.invariant as u64);
            out.bytes(&bad.bytes);
            out.row(parts, &bad.row);
        }
    }
}

/// Reads a report into one that has nothing yet.
pub(super) fn take_report(
    mut report: LevelReport,
    parts: &dyn Parts,
    slots: usize,
    from: &mut MessageReader<'_>,
) -> Result<LevelReport, BadParts> {
    let damaged = || BadParts::Damaged;
    let fill = |sums: &mut [u64], from: &mut MessageReader<'_>| {
        let numbers = from.numbers().filter(|numbers| numbers.len() == sums.len());
        numbers.map(|numbers| sums.copy_from_slice(&numbers)).ok_or_else(damaged)
    };
    fill(&mut report.spoke, from)?;
    fill(&mut report.counts[..], from)?;
    fill(&mut report.cuts, from)?;
    let mut sums = [0; 3];
    fill(&mut sums, from)?;
    [report.steps, report.expanded, report.settled] = sums;
    if from.number().ok_or_else(damaged)? == 1 {
        let kind = from.number().and_then(|kind| KINDS.get(kind as usize).copied());
        let finding = kind.ok_or_else(damaged)?;
        let invariant = from.number().ok_or_else(damaged)? as usize;
        let bytes = from.bytes().ok_or_else(damaged)?.to_vec();
        let row = from.row(parts, slots)?;
        report.violation = Some(BadState { finding, invariant, bytes, row });
    }
    Ok(report)
}
