//! Sequence charts: one abstract chart of a trace, and three renderers that draw it. A chart has a
//! lifeline for each process and rows from top to bottom; it knows the order of things, and nothing of
//! columns, pixels or colours.

mod canvas;
mod captions;
mod columns;
mod glyphs;
mod layout;
mod mermaid;
mod svg;
mod text;
mod tracks;

/// A trace, laid out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chart {
    /// The lifelines, left to right.
    pub lifelines: Vec<Lifeline>,
    /// The rows, first to last.
    pub rows: Vec<ChartRow>,
    /// The messages, in the order in which they were sent.
    pub arrows: Vec<MessageArrow>,
    /// The rows that are repeated for ever, if the run has no end and something goes on happening.
    pub repeated: Option<ChartLoop>,
}

/// The loop of a run without end. Both its rows are banners.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChartLoop {
    /// The row that says that the loop begins.
    pub first: usize,
    /// The row that says that it begins again.
    pub last: usize,
}

/// The lifeline of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lifeline {
    /// Its name.
    pub name: String,
    /// The spans in which it is up: from the row in which it recovers, or from the beginning, to the row in which
    /// it crashes, or to the end. Whoever has crashed before the first row, because the trace says so, or
    /// because it swallows messages and is never seen to crash, has none that is from the beginning.
    pub up_spans: Vec<(Option<usize>, Option<usize>)>,
    /// The spans in which it waits for room in a channel: from a row to a row, or to the end.
    pub blocked: Vec<(usize, Option<usize>)>,
}

/// One row of a chart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChartRow {
    /// The steps that begin in this row, counted from 1: their numbers, and the actions as people read
    /// them. Two if a message is received as soon as it is sent.
    pub steps: Vec<(usize, String)>,
    /// The time of these steps, where it is known and has changed.
    pub at: Option<String>,
    /// Words across the whole chart; such a row has nothing else.
    pub banner: Option<Banner>,
    /// What happens at lifelines, at most once for each.
    pub marks: Vec<LifelineMarks>,
}

/// Words across the whole chart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Banner {
    /// The action of a step in which nothing else can be drawn.
    Step(String),
    /// A remark on the whole system.
    Remark(String),
}

/// The events at one lifeline in one row, and the side of their words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LifelineMarks {
    /// The lifeline.
    pub lifeline: usize,
    /// Where the words go: away from the arrow, if the row has one here.
    pub side: LifelineSide,
    /// What happens, in order.
    pub marks: Vec<LifelineMark>,
}

/// A side of a lifeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LifelineSide {
    /// Towards lower process ids.
    Left,
    /// Towards higher process ids.
    Right,
}

/// Something that happens at a lifeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LifelineMark {
    /// What it is.
    pub kind: MarkKind,
    /// What it says.
    pub text: String,
}

/// What a mark is; the later one in this order gives a row of several its look.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MarkKind {
    /// A remark.
    Note,
    /// A message came to a process that has crashed.
    Swallowed,
    /// A client asked something.
    Call,
    /// An announcement.
    Announced,
    /// A timer fired.
    Timeout,
    /// An announcement that something is right again.
    Relief,
    /// An announcement that something is wrong.
    Alarm,
    /// The process waits for room in a channel.
    Blocked,
    /// The process starts again after a crash.
    Recover,
    /// The process stops.
    Crash,
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageArrow {
    /// The lifeline of its sender.
    pub from: usize,
    /// The lifeline of its destination.
    pub to: usize,
    /// What it says.
    pub label: String,
    /// Its number in the trace, if it was on its way at all.
    pub number: Option<u32>,
    /// The place of its kind among the kinds of messages, for colours.
    pub kind: usize,
    /// The row in which it is sent.
    pub start: usize,
    /// Whether the network made it out of another message.
    pub copy: bool,
    /// Its outcome.
    pub outcome: MessageOutcome,
}

/// The outcome of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageOutcome {
    /// It is received in this row.
    Received(usize),
    /// It comes to a crashed process in this row.
    Swallowed(usize),
    /// It is lost in this row.
    Lost(usize),
    /// It is on its way when the trace ends.
    InFlight,
    /// It finds its channel full and is ignored.
    Ignored,
    /// It finds its channel full, which is an error.
    Overflow,
}

impl MessageArrow {
    /// The row in which its outcome is settled, if that is later than its start.
    pub fn later_end(&self) -> Option<usize> {
        match self.outcome {
            MessageOutcome::Received(row) | MessageOutcome::Swallowed(row) | MessageOutcome::Lost(row)
                if row > self.start =>
            {
                Some(row)
            }
            _ => None,
        }
    }

    /// The side of its destination on which it arrives. A message to oneself goes out and comes back on
    /// the right.
    pub fn arrives(&self) -> LifelineSide {
        if self.from < self.to { LifelineSide::Left } else { LifelineSide::Right }
    }

    /// The side of its sender on which it leaves.
    pub fn leaves(&self) -> LifelineSide {
        if self.to < self.from { LifelineSide::Left } else { LifelineSide::Right }
    }
}

impl LifelineSide {
    /// The other side.
    #[must_use]
    pub fn opposite(self) -> LifelineSide {
        match self {
            LifelineSide::Left => LifelineSide::Right,
            LifelineSide::Right => LifelineSide::Left,
        }
    }
}

impl LifelineMarks {
    /// The kind that gives these marks their look.
    pub fn kind(&self) -> MarkKind {
        self.marks.iter().map(|mark| mark.kind).max().unwrap_or(MarkKind::Note)
    }

    /// All that they say.
    pub fn text(&self) -> String {
        let words: Vec<&str> = self.marks.iter().map(|mark| mark.text.as_str()).collect();
        words.join(", ")
    }
}

impl Lifeline {
    /// The lifeline of a process that is up from the beginning to the end.
    pub fn new(name: String) -> Lifeline {
        Lifeline { name, up_spans: vec![(None, None)], blocked: Vec::new() }
    }

    /// Whether the process has crashed before the first row.
    pub fn crashed_before(&self) -> bool {
        self.up_spans.first().is_none_or(|(from, _)| from.is_some())
    }

    /// Whether the lifeline is there in a row, those in which it begins and ends included.
    pub(crate) fn alive(&self, row: usize) -> bool {
        self.is_up(|from| from <= row, |to| row <= to)
    }

    /// Whether some life has begun and has not ended, as the caller judges the rows in which it does.
    pub(crate) fn is_up(&self, begun: impl Fn(usize) -> bool, lasts: impl Fn(usize) -> bool) -> bool {
        self.up_spans.iter().any(|&(from, to)| from.is_none_or(&begun) && to.is_none_or(&lasts))
    }
}
