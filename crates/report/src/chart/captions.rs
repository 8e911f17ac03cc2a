//! What stands on the arrows of a text chart, and the arrows themselves. A label stands on its arrow
//! where there is room for it, and above it where there is not; it is never cut.

use super::text::Drawing;
use super::tracks::Tracks;
use super::{Chart, LifelineSide, MessageArrow, MessageOutcome};
use crate::style::Ink;
use crate::width::columns;

/// What an arrow says.
pub(super) struct Caption {
    /// On or above the arrow.
    pub(super) text: String,
    pub(super) place: CaptionPlace,
    /// Whether the arrow would say more if there were room.
    pub(super) unsaid: bool,
}

/// Where a caption starts.
pub(super) enum CaptionPlace {
    On(usize),
    Above(usize),
}

impl Caption {
    /// All that an arrow would say, for the room that it wishes.
    pub(super) fn long(chart: &Chart, tracks: &Tracks, i: usize) -> String {
        let short = Caption::short(chart, tracks, i);
        let in_flight = chart.arrows[i].outcome == MessageOutcome::InFlight;
        if in_flight { format!("{short}, {IN_FLIGHT}-") } else { short }
    }

    /// What it says in any case.
    pub(super) fn short(chart: &Chart, tracks: &Tracks, i: usize) -> String {
        let arrow = &chart.arrows[i];
        let label = label(arrow, tracks.of(i).is_some());
        match ending(chart, arrow, tracks.of(i).is_some()) {
            Some([most, _]) => format!("{label}--- {most}"),
            None => label,
        }
    }

    /// Finds the place of an arrow's caption.
    pub(super) fn place(drawing: &Drawing<'_>, i: usize) -> Caption {
        let arrow = &drawing.chart.arrows[i];
        let tracked = drawing.tracks.of(i).is_some();
        let label = label(arrow, tracked);
        if ending(drawing.chart, arrow, tracked).is_some() {
            let at = match arrow.leaves() {
                LifelineSide::Left => drawing.start(arrow).saturating_sub(columns(&label) + 1),
                LifelineSide::Right => drawing.start(arrow) + 2,
            };
            return Caption { text: label, place: CaptionPlace::On(at), unsaid: false };
        }
        let in_flight = arrow.outcome == MessageOutcome::InFlight;
        let long = format!("{label}, {IN_FLIGHT}");
        let segments = drawing.segments(i);
        for text in [in_flight.then_some(long), Some(label.clone())].into_iter().flatten() {
            let width = columns(&text);
            if let Some(&(from, to)) = segments.iter().find(|(from, to)| to - from >= width + 2) {
                let place = CaptionPlace::On(from + (to - from - width) / 2);
                return Caption { unsaid: in_flight && text == label, text, place };
            }
        }
        let (a, b) = (drawing.start(arrow), drawing.turn(i));
        let middle = (a + b) / 2;
        let last = drawing.width.saturating_sub(columns(&label));
        let at = middle.saturating_sub(columns(&label) / 2).min(last).max(drawing.gutter);
        Caption { text: label, place: CaptionPlace::Above(at), unsaid: in_flight }
    }
}

/// A message is on its way for long if its end is so many lines below its start.
const FAR: usize = 3;

const IN_FLIGHT: &str = "still in flight";

fn label(arrow: &MessageArrow, tracked: bool) -> String {
    match (arrow.later_end(), arrow.number) {
        (Some(_), Some(number)) if !tracked => format!("{} #{number}", arrow.label),
        _ => arrow.label.clone(),
    }
}

/// What is said behind an arrow that ends soon after it started, at most and at least; nothing if it
/// goes on elsewhere.
fn ending(chart: &Chart, arrow: &MessageArrow, tracked: bool) -> Option<[String; 2]> {
    let to = &chart.lifelines[arrow.to].name;
    let short = |word: &str| match arrow.from.abs_diff(arrow.to) {
        1 => word.to_string(),
        _ => format!("{word} ({to})"),
    };
    match arrow.outcome {
        MessageOutcome::Ignored => Some([format!("ignored: channel to {to} full"), short("ignored")]),
        MessageOutcome::Overflow => Some([format!("error: channel to {to} full"), short("error")]),
        MessageOutcome::Lost(row) if row == arrow.start => {
            Some([format!("lost on the way to {to}"), short("lost")])
        }
        _ if arrow.later_end().is_some() && !tracked => Some([String::new(), String::new()]),
        _ => None,
    }
}

impl Drawing<'_> {
    /// The column in which an arrow starts: at its sender, or close to it for a copy that the network made.
    fn start(&self, arrow: &MessageArrow) -> usize {
        let out = if arrow.copy { 2 } else { 0 };
        match arrow.leaves() {
            LifelineSide::Left => self.x[arrow.from].saturating_sub(out),
            LifelineSide::Right => self.x[arrow.from] + out,
        }
    }

    /// The column in which the line of an arrow ends in the row of its start.
    fn turn(&self, i: usize) -> usize {
        let arrow = &self.chart.arrows[i];
        let side = arrow.arrives();
        match (self.tracks.of(i), arrow.outcome) {
            (Some(track), _) => self.track(arrow.to, side, track),
            (None, MessageOutcome::InFlight) if arrow.from == arrow.to => self.x[arrow.to] + 4,
            (None, MessageOutcome::InFlight) => self.free(arrow.start, arrow.to, side).0,
            (None, _) if side == LifelineSide::Left => self.x[arrow.to] - 1,
            (None, _) => self.x[arrow.to] + 1,
        }
    }

    /// The pieces of an arrow's line between lifelines and tracks, nearest to the sender first; each from
    /// its first column to the one behind its last.
    fn segments(&self, i: usize) -> Vec<(usize, usize)> {
        let arrow = &self.chart.arrows[i];
        let (start, turn) = (self.start(arrow), self.turn(i));
        let (low, high) = (start.min(turn) + 1, start.max(turn));
        let lifelines =
            self.chart.lifelines.iter().zip(&self.x).filter(|(lifeline, _)| lifeline.alive(arrow.start));
        let tracks =
            self.tracks.in_use(arrow.start).map(|(lifeline, side, track)| self.track(lifeline, side, track));
        let mut cuts: Vec<usize> = lifelines.map(|(_, &x)| x).chain(tracks).collect();
        cuts.retain(|&cut| low <= cut && cut < high);
        cuts.push(high);
        cuts.sort_unstable();
        let mut segments = Vec::new();
        let mut from = low;
        for cut in cuts {
            if cut > from {
                segments.push((from, cut));
            }
            from = cut + 1;
        }
        if arrow.leaves() == LifelineSide::Left {
            segments.reverse();
        }
        segments
    }

    /// Draws an arrow with all that stands on it.
    pub(super) fn arrow(&mut self, i: usize) {
        let arrow = self.chart.arrows[i].clone();
        let (line, ink) = (self.main[arrow.start], Ink::Message(arrow.kind));
        let tracked = self.tracks.of(i).is_some();
        let ending = ending(self.chart, &arrow, tracked);
        match &ending {
            Some(words) => self.cut_short(i, words),
            None => self.across(i),
        }
        let start = self.start(&arrow);
        let blocked = self.canvas.at(line, start) == self.glyphs.blocked;
        match (arrow.copy, blocked) {
            (true, _) => self.canvas.put(line, start, self.glyphs.copied, ink),
            (false, false) => self.canvas.put(line, start, self.glyphs.departs(arrow.leaves()), Ink::Faint),
            (false, true) => {}
        }
        if let Some(end) = arrow.later_end() {
            match self.tracks.of(i) {
                Some(track) => self.turn_in(&arrow, end, track),
                None => self.reappear(&arrow, end),
            }
        }
        let caption = &self.captions[i];
        let (line, column) = match caption.place {
            CaptionPlace::On(column) => (line, column),
            CaptionPlace::Above(column) => (line - 1, column),
        };
        self.canvas.write(line, column, &caption.text, ink);
    }

    /// The line of an arrow from its sender to where it turns or ends.
    fn across(&mut self, i: usize) {
        let arrow = self.chart.arrows[i].clone();
        let (line, ink) = (self.main[arrow.start], Ink::Message(arrow.kind));
        let (start, turn) = (self.start(&arrow), self.turn(i));
        self.run(line, start, turn, ink);
        let glyphs = self.glyphs;
        let end = match (self.tracks.of(i), arrow.outcome) {
            (Some(_), _) if arrow.leaves() == LifelineSide::Right => glyphs.left_down,
            (Some(_), _) => glyphs.right_down,
            (None, MessageOutcome::InFlight | MessageOutcome::Swallowed(_)) => {
                glyphs.open_head(arrow.leaves())
            }
            (None, _) => glyphs.head(arrow.leaves()),
        };
        self.canvas.put(line, turn, end, ink);
    }

    /// An arrow that ends soon after its label.
    fn cut_short(&mut self, i: usize, words: &[String; 2]) {
        let arrow = self.chart.arrows[i].clone();
        let (line, ink) = (self.main[arrow.start], Ink::Message(arrow.kind));
        let length = columns(&self.captions[i].text) + 3;
        let start = self.start(&arrow);
        let (sign, tone) = match arrow.outcome {
            MessageOutcome::Ignored => (self.glyphs.wall, Ink::Caution),
            MessageOutcome::Overflow => (self.glyphs.wall, Ink::Alarm),
            MessageOutcome::Lost(row) if row == arrow.start => (self.glyphs.lost, Ink::Alarm),
            _ => (self.glyphs.continued, ink),
        };
        let end = match arrow.leaves() {
            LifelineSide::Left => start.saturating_sub(length),
            LifelineSide::Right => start + length,
        };
        self.run(line, start, end, ink);
        self.canvas.put(line, end, sign, tone);
        self.beside(line, end, arrow.leaves(), words, tone);
    }

    /// Words behind a sign: the first that fit into the free columns there, or else the last.
    fn beside(&mut self, line: usize, sign: usize, side: LifelineSide, words: &[String; 2], ink: Ink) {
        let column = |text: &str| match side {
            LifelineSide::Left => sign.checked_sub(columns(text) + 1).filter(|column| *column > self.gutter),
            LifelineSide::Right => Some(sign + 2),
        };
        let fits = |text: &String| {
            let free = |column: usize| column.abs_diff(sign) < 1 || self.canvas.at(line, column) == ' ';
            column(text).is_some_and(|from| {
                from + columns(text) <= self.width.max(sign + 1) && (from..=from + columns(text)).all(free)
            })
        };
        let text = words.iter().find(|text| fits(text)).unwrap_or(&words[1]).clone();
        let at = column(&text).unwrap_or(self.gutter);
        self.canvas.write(line, at, &text, ink);
    }

    /// From its track an arrow turns to its destination, or ends on it.
    fn turn_in(&mut self, arrow: &MessageArrow, end: usize, track: usize) {
        let (line, ink) = (self.main[end], Ink::Message(arrow.kind));
        let (side, glyphs) = (arrow.arrives(), self.glyphs);
        let column = self.track(arrow.to, side, track);
        if matches!(arrow.outcome, MessageOutcome::Lost(_)) {
            self.canvas.put(line, column, glyphs.lost, Ink::Alarm);
            let words = [format!("{} lost", arrow.label), "lost".to_string()];
            return self.beside(line, column, side, &words, Ink::Alarm);
        }
        let head = match side {
            LifelineSide::Left => self.x[arrow.to] - 1,
            LifelineSide::Right => self.x[arrow.to] + 1,
        };
        self.run(line, column, head, ink);
        let corner = if side == LifelineSide::Left { glyphs.up_right } else { glyphs.up_left };
        self.canvas.put(line, column, corner, ink);
        let swallowed = matches!(arrow.outcome, MessageOutcome::Swallowed(_));
        let to = side.opposite();
        let shape = if swallowed { glyphs.open_head(to) } else { glyphs.head(to) };
        self.canvas.put(line, head, shape, ink);
        if line - self.main[arrow.start] >= FAR {
            self.say_again(&arrow.label, line, column, side);
        }
    }

    /// The label of a message that has been on its way for long, before the last turn of its arrow, if
    /// there is room.
    fn say_again(&mut self, label: &str, line: usize, corner: usize, side: LifelineSide) {
        let width = columns(label);
        let first = match side {
            LifelineSide::Left => corner.checked_sub(width + 1),
            LifelineSide::Right => Some(corner + 2),
        };
        let Some(first) = first.filter(|first| *first > self.gutter) else { return };
        if (first - 1..=first + width)
            .filter(|&column| column != corner)
            .all(|column| self.canvas.at(line, column) == ' ')
        {
            self.canvas.write(line, first, label, Ink::Faint);
        }
    }

    /// The end of an arrow that found no track: its number and its head.
    fn reappear(&mut self, arrow: &MessageArrow, end: usize) {
        let (line, ink, glyphs) = (self.main[end], Ink::Message(arrow.kind), self.glyphs);
        let number = arrow.number.map_or(String::new(), |number| format!("#{number}"));
        let lost = matches!(arrow.outcome, MessageOutcome::Lost(_));
        let x = self.x[arrow.to];
        let to = arrow.arrives().opposite();
        let (head, sign) = match (lost, arrow.outcome) {
            (true, _) => (glyphs.lost, " lost"),
            (_, MessageOutcome::Swallowed(_)) => (glyphs.open_head(to), ""),
            _ => (glyphs.head(to), ""),
        };
        let text = match to {
            LifelineSide::Right => format!("{} {number}{sign} {}{head}", glyphs.continued, glyphs.line),
            LifelineSide::Left => format!("{head}{} {number}{sign} {}", glyphs.line, glyphs.continued),
        };
        let column = match to {
            LifelineSide::Right => x.saturating_sub(columns(&text)),
            LifelineSide::Left => x + 1,
        };
        self.canvas.write(line, column, &text, ink);
    }

    /// A line between two columns, both left out. Lifelines stay in front of it, tracks are crossed.
    fn run(&mut self, line: usize, a: usize, b: usize, ink: Ink) {
        for column in a.min(b) + 1..a.max(b) {
            let there = self.canvas.at(line, column);
            if there == self.glyphs.waiting {
                self.canvas.put(line, column, self.glyphs.crossing, ink);
            } else if there != self.glyphs.lifeline && there != self.glyphs.blocked {
                self.canvas.put(line, column, self.glyphs.line, ink);
            }
        }
    }
}
