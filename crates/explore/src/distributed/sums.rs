//! What all workers tell each other at the end of a round, and what it comes to: the same everywhere, because everybody
//! adds the same numbers in the same order.

use super::message::{MessageKind, MessageReader, MessageWriter, put_report, take_report};
use super::{Exchange, Travelling, refused};
use crate::dictionary::BadParts;
use crate::level_report::LevelReport;
use crate::{ExploreError, level_report};
use watchkeeper_logic::{Limit, Question};
use watchkeeper_space::Parts;

/// Why a worker does not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Halted {
    /// A limit.
    Limit(Limit),
    /// Keys are too narrow.
    TooWide,
    /// What arrived makes no sense.
    Failed(String),
    /// A checkpoint is damaged.
    Checkpoint(String),
}

/// What one worker has come to, or all together.
pub(super) struct Sums {
    pub report: LevelReport,
    pub halted: Option<Halted>,
    /// States stored.
    pub stored: u64,
    /// Whether a table could not grow, so that it cannot be read any more.
    pub broken: bool,
    pub peak_bytes: u64,
    pub table_bytes: u64,
    /// Whether it is time for a checkpoint.
    pub due: bool,
    /// Whether there can be no more of them, because the model has broken its promise of symmetry.
    pub unsound: bool,
    /// Why there can be no more of them, if a disk is to blame.
    pub complaint: Option<String>,
}

impl Sums {
    /// Of a worker that has stored nothing.
    pub fn nothing(report: LevelReport, halted: Option<Halted>) -> Sums {
        Sums {
            report,
            halted,
            stored: 0,
            broken: false,
            peak_bytes: 0,
            table_bytes: 0,
            due: false,
            unsound: false,
            complaint: None,
        }
    }

    /// Of nobody.
    fn none(travelling: Travelling<'_>, question: &Question) -> Sums {
        Sums::nothing(level_report::LevelReport::new(travelling.space, question), None)
    }

    fn join(self, other: Sums) -> Sums {
        let halted = match (self.halted, other.halted) {
            // Who fails, or needs wider keys, cannot be outvoted by somebody else's limit.
            (Some(Halted::Limit(_)), Some(more)) if !matches!(more, Halted::Limit(_)) => Some(more),
            (Some(Halted::TooWide), Some(more @ (Halted::Failed(_) | Halted::Checkpoint(_)))) => Some(more),
            (mine, theirs) => mine.or(theirs),
        };
        Sums {
            report: self.report.join(other.report),
            halted,
            stored: self.stored + other.stored,
            broken: self.broken || other.broken,
            peak_bytes: self.peak_bytes + other.peak_bytes,
            table_bytes: self.table_bytes + other.table_bytes,
            due: self.due || other.due,
            unsound: self.unsound || other.unsound,
            complaint: self.complaint.or(other.complaint),
        }
    }

    fn put(&self, parts: &dyn Parts) -> Vec<u8> {
        let mut out = MessageWriter::new(MessageKind::Totals);
        let [broken, due, unsound] = [self.broken, self.due, self.unsound].map(u64::from);
        out.numbers(&[self.stored, broken, self.peak_bytes, self.table_bytes, due, unsound]);
        out.bytes(self.complaint.as_deref().unwrap_or_default().as_bytes());
        let (kind, number, text) = match &self.halted {
            None => (0, 0, ""),
            Some(Halted::TooWide) => (1, 0, ""),
            Some(Halted::Failed(why)) => (2, 0, why.as_str()),
            Some(Halted::Checkpoint(why)) => (13, 0, why.as_str()),
            Some(Halted::Limit(limit)) => match limit {
                Limit::States(most) => (3, *most, ""),
                Limit::Memory(most) => (4, *most, ""),
                Limit::OutOfMemory(held) => (5, *held, ""),
                Limit::Time(text) => (6, 0, text.as_str()),
                Limit::Depth(most) => (7, *most, ""),
                Limit::Incomplete(text) => (8, 0, text.as_str()),
                Limit::Cap(text) => (9, 0, text.as_str()),
                Limit::Interrupted => (10, 0, ""),
                Limit::DiskFull(text) => (11, 0, text.as_str()),
                Limit::DiskFailed(text) => (12, 0, text.as_str()),
            },
        };
        out.numbers(&[kind, number]);
        out.bytes(text.as_bytes());
        put_report(&self.report, parts, &mut out);
        out.0
    }

    fn take(self, parts: &dyn Parts, slots: usize, bytes: &[u8]) -> Result<Sums, BadParts> {
        let mut from = reader(bytes).ok_or(BadParts::Damaged)?;
        let pair = |numbers: Option<Vec<u64>>, len: usize| {
            numbers.filter(|numbers| numbers.len() == len).ok_or(BadParts::Damaged)
        };
        let sums = pair(from.numbers(), 6)?;
        let complaint = from.text().ok_or(BadParts::Damaged)?;
        let halted = pair(from.numbers(), 2)?;
        let text = from.text().ok_or(BadParts::Damaged)?;
        let limit = |limit| Some(Halted::Limit(limit));
        let halted = match halted[0] {
            0 => None,
            1 => Some(Halted::TooWide),
            2 => Some(Halted::Failed(text)),
            3 => limit(Limit::States(halted[1])),
            4 => limit(Limit::Memory(halted[1])),
            5 => limit(Limit::OutOfMemory(halted[1])),
            6 => limit(Limit::Time(text)),
            7 => limit(Limit::Depth(halted[1])),
            8 => limit(Limit::Incomplete(text)),
            9 => limit(Limit::Cap(text)),
            10 => limit(Limit::Interrupted),
            11 => limit(Limit::DiskFull(text)),
            12 => limit(Limit::DiskFailed(text)),
            13 => Some(Halted::Checkpoint(text)),
            _ => return Err(BadParts::Damaged),
        };
        let report = take_report(self.report, parts, slots, &mut from)?;
        let (stored, broken, peak_bytes, table_bytes) = (sums[0], sums[1] != 0, sums[2], sums[3]);
        let (due, unsound) = (sums[4] != 0, sums[5] != 0);
        let complaint = Some(complaint).filter(|complaint| !complaint.is_empty());
        Ok(Sums { report, halted, stored, broken, peak_bytes, table_bytes, due, unsound, complaint })
    }
}

/// Reads what was told at the end of a round.
pub(super) fn reader(bytes: &[u8]) -> Option<MessageReader<'_>> {
    MessageKind::of(bytes)
        .filter(|(kind, _)| *kind == MessageKind::Totals)
        .map(|(_, rest)| MessageReader(rest))
}

/// Tells everybody the same bytes and gets theirs, in the order of the workers.
pub(super) fn share(exchange: &mut dyn Exchange, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let (me, workers) = (exchange.index(), exchange.workers());
    for to in (0..workers).filter(|&to| to != me) {
        exchange.send(to, bytes.clone());
    }
    let mut all = vec![Vec::new(); workers];
    exchange.finish_round(&mut |from, bytes| {
        if let Some(place) = all.get_mut(from) {
            *place = bytes;
        }
    });
    all[me] = bytes;
    all
}

/// The sums of all workers.
pub(super) fn together(
    exchange: &mut dyn Exchange,
    travelling: Travelling<'_>,
    (question, parts): (&Question, &dyn Parts),
    mine: Sums,
) -> Result<Sums, ExploreError> {
    let (me, slots) = (exchange.index(), travelling.space.shape().slots.len());
    let mut all = Sums::none(travelling, question);
    let told = share(exchange, mine.put(parts));
    let mut mine = Some(mine);
    for (number, bytes) in told.iter().enumerate() {
        let sums = match mine.take_if(|_| number == me) {
            Some(mine) => mine,
            None => Sums::none(travelling, question).take(parts, slots, bytes).map_err(|why| {
                refused(format!("worker {number} told something that makes no sense here: {why}"))
            })?,
        };
        all = all.join(sums);
    }
    Ok(all)
}

/// The first complaint of a worker, if any has one: so all go on, or none does.
pub(crate) fn agreed(exchange: &mut dyn Exchange, complaint: Option<String>) -> Option<String> {
    let mut out = MessageWriter::new(MessageKind::Totals);
    out.number(u64::from(complaint.is_some()));
    out.bytes(complaint.unwrap_or_default().as_bytes());
    share(exchange, out.0).iter().find_map(|bytes| {
        let mut from = reader(bytes)?;
        (from.number()? == 1).then(|| from.text()).flatten()
    })
}
