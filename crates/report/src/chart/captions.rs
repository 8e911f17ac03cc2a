//! What stands on the arrows of a text chart, and the arrows themselves. A label stands on its arrow
//! where there is room for it, and above it where there is not; it is never cut.

use super::text::Drawing;
use super::tracks::Tracks;
use super::{Arrow, Chart, Fate, Side};
use crate::style::Ink;
use crate::width::columns;

/// What an arrow says.
pub(super) struct Caption {
    /// On or above the arrow.
    pub(super) text: String,
    pub(super) place: Place,
    /// Whether the arrow would say more if there were room.
    pub(super) unsaid: bool,
}

/// Where a caption starts.
pub(super) enum Place {
    On(usize),
    Above(usize),
}

impl Caption {
    /// All that an arrow would say, for the room that it wishes.
    pub(super) fn long(chart: &Chart, tracks: &Tracks, i: usize) -> String {
        let short = Caption::short(chart, tracks, i);
        let in_flight = chart.arrows[i].fate == Fate::InFlight;
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
                Side::Left => drawing.start(arrow).saturating_sub(columns(&label) + 1),
                Side::Right => drawing.start(arrow) + 2,
            };
            return Caption { text: label, place: Place::On(at), unsaid: false };
        }
        let in_flight = arrow.fate == Fate::InFlight;
        let long = format!("{label}, {IN_FLIGHT}");
        let segments = drawing.segments(i);
        for text in [in_flight.then_some(long), Some(label.clone())].into_iter().flatten() {
            let width = columns(&text);
            if let Some(&(from, to)) = segments.iter().find(|(from, to)| to - from >= width + 2) {
                let place = Place::On(from + (to - from - width) / 2);
                return Caption { unsaid: in_flight && text == label, text, place };
            }
        }
        let (a, b) = (drawing.start(arrow), drawing.turn(i));
        let middle = (a + b) / 2;
        let last = drawing.width.saturating_sub(columns(&label));
        let at = middle.saturating_sub(columns(&label) / 2).min(last).max(drawing.gutter);
        Caption { text: label, place: Place::Above(at), unsaid: in_flight }
    }
}

/// A message is on its way for long if its end is so many lines below its start.
const FAR: usize = 3;

const IN_FLIGHT: &str = "still in flight";

fn label(arrow: &Arrow, tracked: bool) -> String {
    match (arrow.later_end(), arrow.number) {
        (Some(_), Some(number)) if !tracked => format!("{} #{number}", arrow.label),
        _ => arrow.label.clone(),
    }
}

/// What is said behind an arrow that ends soon after it started, at most and at least; nothing if it
/// goes on elsewhere.
fn ending(chart: &Chart, arrow: &Arrow, tracked: bool) -> Option<[String; 2]> {
    let to = &chart.lanes[arrow.to].name;
    let short = |word: &str| match arrow.from.abs_diff(arrow.to) {
        1 => word.to_string(),
        _ => format!("{word} ({to})"),
    };
    match arrow.fate {
        Fate::Ignored => Some([format!("ignored: channel to {to} full"), short("ignored")]),
        Fate::Overflow => Some([format!("error: channel to {to} full"), short("error")]),
        Fate::Lost(row) if row == arrow.start => Some([format!("lost on the way to {to}"), short("lost")]),
        _ if arrow.later_end().is_some() && !tracked => Some([String::new(), String::new()]),
        _ => None,
    }
}

impl Drawing<'_> {
    /// The column in which an arrow starts: at its sender, or close to it for a copy that the network made.
    fn start(&self, arrow: &Arrow) -> usize {
        let out = if arrow.copy { 2 } else { 0 };
        match arrow.leaves() {
            Side::Left => self.x[arrow.from].saturating_sub(out),
            Side::Right => self.x[arrow.from] + out,
        }
    }

    /// The column in which the line of an arrow ends in the row of its start.
    fn turn(&self, i: usize) -> usize {
        let arrow = &self.chart.arrows[i];
        let side = arrow.arrives();
        match (self.tracks.of(i), arrow.fate) {
            (Some(track), _) => self.track(arrow.to, side, track),
            (None, Fate::InFlight) if arrow.from == arrow.to => self.x[arrow.to] + 4,
            (None, Fate::InFlight) => self.free(arrow.start, arrow.to, side).0,
            (None, _) if side == Side::Left => self.x[arrow.to] - 1,
            (None, _) => self.x[arrow.to] + 1,
        }
    }

    /// The pieces of an arrow's line between lifelines and tracks, nearest to the sender first; each from
    /// its first column to the one behind its last.
    fn segments(&self, i: usize) -> Vec<(usize, usize)> {
        let arrow = &self.chart.arrows[i];
        let (start, turn) = (self.start(arrow), self.turn(i));
        let (low, high) = (start.min(turn) + 1, start.max(turn));
        let lifelines = self.chart.lanes.iter().zip(&self.x).filter(|(lane, _)| lane.alive(arrow.start));
        let tracks = self.tracks.in_use(arrow.start).map(|(lane, side, track)| self.track(lane, side, track));
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
        if arrow.leaves() == Side::Left {
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
            Place::On(column) => (line, column),
            Place::Above(column) => (line - 1, column),
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
        let end = match (self.tracks.of(i), arrow.fate) {
            (Some(_), _) if arrow.leaves() == Side::Right => glyphs.left_down,
            (Some(_), _) => glyphs.right_down,
            (None, Fate::InFlight | Fate::Swallowed(_)) => glyphs.open_head(arrow.leaves()),
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
        let (sign, tone) = match arrow.fate {
            Fate::Ignored => (self.glyphs.wall, Ink::Caution),
            Fate::Overflow => (self.glyphs.wall, Ink::Alarm),
            Fate::Lost(row) if row == arrow.start => (self.glyphs.lost, Ink::Alarm),
            _ => (self.glyphs.continued, ink),
        };
        let end = match arrow.leaves() {
            Side::Left => start.saturating_sub(length),
            Side::Right => start + length,
        };
        self.run(line, start, end, ink);
        self.canvas.put(line, end, sign, tone);
        self.beside(line, end, arrow.leaves(), words, tone);
    }

    /// Words behind a sign: the first that fit into the free columns there, or else the last.
    fn beside(&mut self, line: usize, sign: usize, side: Side, words: &[String; 2], ink: Ink) {
        let column = |text: &str| match side {
            Side::Left => sign.checked_sub(columns(text) + 1).filter(|column| *column > self.gutter),
            Side::Right => Some(sign + 2),
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
    fn turn_in(&mut self, arrow: &Arrow, end: usize, track: usize) {
        let (line, ink) = (self.main[end], Ink::Message(arrow.kind));
        let (side, glyphs) = (arrow.arrives(), self.glyphs);
        let column = self.track(arrow.to, side, track);
        if matches!(arrow.fate, Fate::Lost(_)) {
            self.canvas.put(line, column, glyphs.lost, Ink::Alarm);
            let words = [format!("{} lost", arrow.label), "lost".to_string()];
            return self.beside(line, column, side, &words, Ink::Alarm);
        }
        let head = match side {
            Side::Left => self.x[arrow.to] - 1,
            Side::Right => self.x[arrow.to] + 1,
        };
        self.run(line, column, head, ink);
        let corner = if side == Side::Left { glyphs.up_right } else { glyphs.up_left };
        self.canvas.put(line, column, corner, ink);
        let swallowed = matches!(arrow.fate, Fate::Swallowed(_));
        let to = side.opposite();
        let shape = if swallowed { glyphs.open_head(to) } else { glyphs.head(to) };
        self.canvas.put(line, head, shape, ink);
        if line - self.main[arrow.start] >= FAR {
            self.say_again(&arrow.label, line, column, side);
        }
    }

    /// The label of a message that has been on its way for long, before the last turn of its arrow, if
    /// there is room.
    fn say_again(&mut self, label: &str, line: usize, corner: usize, side: Side) {
        let width = columns(label);
        let first = match side {
            Side::Left => corner.checked_sub(width + 1),
            Side::Right => Some(corner + 2),
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
    fn reappear(&mut self, arrow: &Arrow, end: usize) {
        let (line, ink, glyphs) = (self.main[end], Ink::Message(arrow.kind), self.glyphs);
        let number = arrow.number.map_or(String::new(), |number| format!("#{number}"));
        let lost = matches!(arrow.fate, Fate::Lost(_));
        let x = self.x[arrow.to];
        let to = arrow.arrives().opposite();
        let (head, sign) = match (lost, arrow.fate) {
            (true, _) => (glyphs.lost, " lost"),
            (_, Fate::Swallowed(_)) => (glyphs.open_head(to), ""),
            _ => (glyphs.head(to), ""),
        };
        let text = match to {
            Side::Right => format!("{} {number}{sign} {}{head}", glyphs.continued, glyphs.line),
            Side::Left => format!("{head}{} {number}{sign} {}", glyphs.line, glyphs.continued),
        };
        let column = match to {
            Side::Right => x.saturating_sub(columns(&text)),
            Side::Left => x + 1,
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
