//! Charts as text, for terminals and test output. Time runs downwards, one row after the other; a
//! message that is received as the next thing is a straight arrow, any other goes across, waits on a
//! dotted track beside its destination, and turns in where it is received.

use super::canvas::Canvas;
use super::captions::{Caption, CaptionPlace};
use super::columns::{Columns, Measures};
use super::glyphs::{ASCII, Glyphs, UNICODE};
use super::tracks::Tracks;
use super::{Banner, Chart, ChartLoop, LifelineMarks, LifelineSide, MarkKind, MessageOutcome};
use crate::style::{Ink, Style};
use crate::width::{balanced, columns};

/// After so many lines the names of the processes are said again.
const NAMES_EVERY: usize = 40;
/// What stands above the times of steps.
pub(super) const TIME: &str = "time";
/// Words beside a lifeline are broken into lines of about this many columns.
const WORDS: usize = 30;
/// Words are never broken into lines shorter than this; they rather run over the next lifeline.
const SHORT: usize = 14;

impl Chart {
    /// The chart as text, with a line break at the end.
    pub fn text(&self, style: &Style) -> String {
        let mut drawing = Drawing::new(self, style);
        drawing.lifelines();
        drawing.waiting();
        drawing.banners();
        drawing.repeated();
        for arrow in 0..self.arrows.len() {
            drawing.arrow(arrow);
        }
        drawing.marks();
        drawing.steps();
        drawing.names();
        let legend = drawing.legend();
        let mut out = drawing.canvas.render(style);
        if !legend.is_empty() {
            out.push_str(&format!("\n{}\n", style.paint(Ink::Faint, &legend)));
        }
        out
    }
}

/// A chart on its way to becoming text.
pub(super) struct Drawing<'a> {
    pub(super) chart: &'a Chart,
    pub(super) glyphs: &'static Glyphs,
    pub(super) tracks: Tracks,
    /// The columns of the lifelines.
    pub(super) x: Vec<usize>,
    /// The columns for the numbers and times of steps.
    pub(super) gutter: usize,
    /// The columns of the whole chart.
    pub(super) width: usize,
    /// The line of each row on which its arrow and the first line of its words stand.
    pub(super) main: Vec<usize>,
    /// What stands on the arrows, and where.
    pub(super) captions: Vec<Caption>,
    pub(super) canvas: Canvas,
    /// Where the names of the processes stand.
    headers: Vec<usize>,
    end: usize,
}

impl<'a> Drawing<'a> {
    fn new(chart: &'a Chart, style: &Style) -> Drawing<'a> {
        let glyphs = if style.unicode { &UNICODE } else { &ASCII };
        let most = match chart.lifelines.len() {
            0..=3 => 6,
            4 => 4,
            5 | 6 => 2,
            _ => 1,
        };
        let tracks = Tracks::assign(chart, most);
        let long = |arrow| Caption::long(chart, &tracks, arrow);
        let short = |arrow| Caption::short(chart, &tracks, arrow);
        let mut measures = Measures {
            text: &columns,
            track: (3, 2),
            label: 4,
            words: 2,
            line: WORDS,
            short: SHORT,
            gap: 8,
            caption: &long,
        };
        let gutter = gutter(chart);
        let room = style.width.saturating_sub(gutter + chart.lifelines.len());
        let mut fitting = Columns::wished(chart, &tracks, &measures);
        if fitting.total() > room {
            measures.caption = &short;
            let least = Columns::least(chart, &tracks, &measures);
            fitting = Columns::wished(chart, &tracks, &measures).within(room, &least);
        }
        let mut x = vec![gutter + fitting.left];
        for gap in &fitting.gaps {
            x.push(x[x.len() - 1] + 1 + gap);
        }
        let width = gutter + chart.lifelines.len() + fitting.total();
        let mut drawing = Drawing {
            chart,
            glyphs,
            tracks,
            x,
            gutter,
            width: width.max(gutter + 20),
            main: Vec::new(),
            captions: Vec::new(),
            canvas: Canvas::default(),
            headers: vec![0],
            end: 0,
        };
        drawing.captions = (0..chart.arrows.len()).map(|arrow| Caption::place(&drawing, arrow)).collect();
        drawing.stack();
        drawing
    }

    /// Gives each row its lines, from the top down.
    fn stack(&mut self) {
        let mut line = 2;
        for (row, content) in self.chart.rows.iter().enumerate() {
            if line >= self.headers[self.headers.len() - 1] + NAMES_EVERY {
                self.headers.push(line);
                line += 1;
            }
            let above = |i: &Caption| matches!(i.place, CaptionPlace::Above(_));
            let starts = |(i, _): &(usize, &Caption)| self.chart.arrows[*i].start == row;
            let lifted = self.captions.iter().enumerate().filter(starts).any(|(_, caption)| above(caption));
            line += usize::from(lifted);
            self.main.push(line);
            let words = content.marks.iter().map(|marks| self.words(row, marks).1.len());
            let banner = content.banner.iter().map(|banner| self.banner_lines(banner).len());
            line += words.chain(banner).max().unwrap_or(1).max(1);
        }
        self.end = line;
        if line > NAMES_EVERY {
            self.headers.push(line + 1);
        }
    }

    /// The column of a track.
    pub(super) fn track(&self, lifeline: usize, side: LifelineSide, track: usize) -> usize {
        match side {
            LifelineSide::Left => self.x[lifeline].saturating_sub(3 + 2 * track),
            LifelineSide::Right => self.x[lifeline] + 3 + 2 * track,
        }
    }

    /// The free columns beside a lifeline in a row: from the first behind the tracks in use to the last
    /// before the next lifeline and its tracks, counted away from the lifeline.
    pub(super) fn free(&self, row: usize, lifeline: usize, side: LifelineSide) -> (usize, usize) {
        let reach = |lifeline, side| match self.tracks.extent(lifeline, side, row) {
            0 => 0,
            extent => 3 + 2 * (extent - 1),
        };
        let out = 2 + reach(lifeline, side);
        match side {
            LifelineSide::Left => {
                let start = self.x[lifeline].saturating_sub(out);
                let previous = lifeline.checked_sub(1);
                let limit =
                    previous.map_or(self.gutter, |next| self.x[next] + 2 + reach(next, LifelineSide::Right));
                (start, limit.min(start))
            }
            LifelineSide::Right => {
                let start = self.x[lifeline] + out;
                let next = Some(lifeline + 1).filter(|&next| next < self.x.len());
                let limit =
                    next.map_or(self.width, |next| self.x[next] - 1 - reach(next, LifelineSide::Left));
                (start, limit.max(start + 1) - 1)
            }
        }
    }

    /// Words beside a lifeline: the column next to the lifeline, and the lines.
    fn words(&self, row: usize, marks: &LifelineMarks) -> (usize, Vec<String>) {
        let (start, limit) = self.free(row, marks.lifeline, marks.side);
        let room = start.abs_diff(limit) + 1;
        (start, balanced(&marks.text(), room.max(SHORT), &columns))
    }

    fn banner_lines(&self, banner: &Banner) -> Vec<String> {
        let (Banner::Step(text) | Banner::Remark(text)) = banner;
        balanced(text, (self.width - self.gutter).saturating_sub(6).max(SHORT), &columns)
    }

    fn lifelines(&mut self) {
        for (i, lifeline) in self.chart.lifelines.iter().enumerate() {
            if lifeline.crashed_before() {
                self.canvas.put(1, self.x[i], self.glyphs.mark(MarkKind::Crash), ink(MarkKind::Crash));
            }
            for &(from, to) in &lifeline.up_spans {
                let first = from.map_or(1, |recovers| self.main[recovers]);
                for line in first..to.map_or(self.end, |crash| self.main[crash]) {
                    self.canvas.put(line, self.x[i], self.glyphs.lifeline, Ink::Faint);
                }
            }
            for &(from, to) in &lifeline.blocked {
                let to = to.map_or(self.end, |to| self.main[to]);
                for line in self.main[from]..to {
                    self.canvas.put(line, self.x[i], self.glyphs.blocked, Ink::Caution);
                }
            }
        }
    }

    /// The tracks of messages that are on their way.
    fn waiting(&mut self) {
        for (i, arrow) in self.chart.arrows.iter().enumerate() {
            let (Some(track), Some(end)) = (self.tracks.of(i), arrow.later_end()) else { continue };
            let column = self.track(arrow.to, arrow.arrives(), track);
            for line in self.main[arrow.start]..self.main[end] {
                self.canvas.put(line, column, self.glyphs.waiting, Ink::Message(arrow.kind));
            }
        }
    }

    fn banners(&mut self) {
        for (row, content) in self.chart.rows.iter().enumerate() {
            let Some(banner) = &content.banner else { continue };
            for (i, text) in self.banner_lines(banner).iter().enumerate() {
                let line = self.main[row] + i;
                match banner {
                    Banner::Step(_) => {
                        self.canvas.write(line, self.gutter + 1, &format!(" {text} "), Ink::Plain)
                    }
                    Banner::Remark(_) => {
                        for column in self.gutter..self.width {
                            self.canvas.put(line, column, self.glyphs.rule, Ink::Faint);
                        }
                        self.canvas.write(line, self.gutter + 2, &format!(" {text} "), Ink::Strong);
                    }
                }
            }
        }
    }

    /// A bracket around what is repeated for ever.
    fn repeated(&mut self) {
        let Some(ChartLoop { first, last }) = self.chart.repeated else { return };
        let (column, first, last) = (self.gutter - 1, self.main[first], self.main[last]);
        for line in first + 1..last {
            self.canvas.put(line, column, self.glyphs.repeated, Ink::Strong);
        }
        self.canvas.put(first, column, self.glyphs.right_down, Ink::Strong);
        self.canvas.put(last, column, self.glyphs.up_right, Ink::Strong);
    }

    fn marks(&mut self) {
        for (row, content) in self.chart.rows.iter().enumerate() {
            for marks in &content.marks {
                let ink = ink(marks.kind());
                if marks.kind() != MarkKind::Note {
                    self.canvas.put(
                        self.main[row],
                        self.x[marks.lifeline],
                        self.glyphs.mark(marks.kind()),
                        ink,
                    );
                }
                let (start, lines) = self.words(row, marks);
                for (i, text) in lines.iter().enumerate() {
                    let column = match marks.side {
                        LifelineSide::Left => (start + 1).saturating_sub(columns(text)),
                        LifelineSide::Right => start,
                    };
                    self.canvas.write(self.main[row] + i, column, text, ink);
                }
            }
        }
    }

    fn steps(&mut self) {
        let (numbers, _) = gutters(self.chart);
        for (row, content) in self.chart.rows.iter().enumerate() {
            let number = step_numbers(&content.steps);
            let column = numbers - columns(&number);
            self.canvas.write(self.main[row], column, &number, Ink::Faint);
            if let Some(at) = &content.at {
                self.canvas.write(self.main[row], numbers + 2, at, Ink::Faint);
            }
        }
    }

    fn names(&mut self) {
        let (numbers, times) = gutters(self.chart);
        for &line in &self.headers {
            if times > 0 {
                self.canvas.write(line, numbers + 2, TIME, Ink::Faint);
            }
            for (i, lifeline) in self.chart.lifelines.iter().enumerate() {
                let column = self.x[i].saturating_sub(columns(&lifeline.name) / 2);
                self.canvas.write(line, column, &lifeline.name, Ink::Strong);
            }
        }
    }

    /// What those signs mean that have no words beside them.
    fn legend(&self) -> String {
        let mut signs = Vec::new();
        if self.captions.iter().any(|caption| caption.unsaid) {
            signs.push(format!("{} still in flight at the end", self.glyphs.open_right));
        }
        let full = |outcome| matches!(outcome, MessageOutcome::Ignored | MessageOutcome::Overflow);
        if self.chart.arrows.iter().any(|arrow| full(arrow.outcome)) {
            signs.push(format!("{} channel full", self.glyphs.wall));
        }
        let apart = |i: &usize| self.chart.arrows[*i].later_end().is_some() && self.tracks.of(*i).is_none();
        if (0..self.chart.arrows.len()).any(|i| apart(&i)) {
            signs.push(format!("{} #n goes on at {} #n", self.glyphs.continued, self.glyphs.continued));
        }
        signs.join("   ")
    }
}

pub(super) fn ink(kind: MarkKind) -> Ink {
    match kind {
        MarkKind::Note | MarkKind::Announced | MarkKind::Call => Ink::Plain,
        MarkKind::Swallowed => Ink::Faint,
        MarkKind::Timeout | MarkKind::Blocked => Ink::Caution,
        MarkKind::Relief | MarkKind::Recover => Ink::Relief,
        MarkKind::Alarm | MarkKind::Crash => Ink::Alarm,
    }
}

/// The numbers of the steps that begin in a row.
pub(super) fn step_numbers(steps: &[(usize, String)]) -> String {
    let numbers: Vec<String> = steps.iter().map(|(number, _)| number.to_string()).collect();
    numbers.join(",")
}

/// The columns of the step numbers and of the times.
fn gutters(chart: &Chart) -> (usize, usize) {
    let numbers = chart.rows.iter().map(|row| columns(&step_numbers(&row.steps))).max().unwrap_or(0);
    let times = chart.rows.iter().filter_map(|row| row.at.as_deref()).map(columns).max();
    (numbers.max(2), times.map_or(0, |widest| widest.max(columns(TIME))))
}

fn gutter(chart: &Chart) -> usize {
    match gutters(chart) {
        (numbers, 0) => numbers + 2,
        (numbers, times) => numbers + times + 4,
    }
}
