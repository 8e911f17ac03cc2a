//! Charts as SVG: one standalone file, drawn so that no label lies on a lifeline or on another label.
//! Messages take the same ways as in text charts: across at once, and down a dotted track beside their
//! destination while other things happen.

mod arrows;
mod legend;
mod marks;

use super::columns::{Columns, Measures};
use super::text::{TIME, step_numbers};
use super::tracks::Tracks;
use super::{Banner, Chart, ChartLoop, LifelineMarks, LifelineSide, MarkKind, MessageOutcome};
use crate::drawing::{Pen, document, pixels};
use crate::width::{balanced, tame};

/// Tracks on each side of a lifeline; beyond that a chart is beyond reading anyway.
const TRACKS: usize = 24;
/// From a lifeline to its first track, and from each to the next.
const TRACK: (usize, usize) = (20, 11);
/// Words beside a lifeline are broken into lines of this many pixels.
const WORDS: usize = 230;
/// From one line of words to the next.
const LEADING: usize = 16;
/// Above the line of a row there is room for a label, below it for the air before the next row.
const ABOVE: usize = 21;
const BELOW: usize = 13;
const MARGIN: usize = 16;
/// After so many pixels the names of the processes are said again.
const NAMES_EVERY: usize = 900;
/// The height of a box with a name in it, and how much it is wider than the name.
const NAME: (usize, usize) = (28, 24);
/// From the step numbers to words across the chart, without and with a way back to where a loop begins.
const INDENT: (usize, usize) = (10, 30);

impl Chart {
    /// The chart as an SVG document. The title is for readers who hear it, and for tabs.
    pub fn svg(&self, title: &str) -> String {
        let mut sheet = Sheet::new(self);
        sheet.lifelines();
        for arrow in 0..self.arrows.len() {
            sheet.arrow(arrow);
        }
        sheet.banners();
        sheet.repeated();
        sheet.all_marks();
        sheet.steps();
        sheet.names();
        let bottom = sheet.legend();
        sheet.document(title, bottom)
    }
}

/// A chart on its way to becoming a drawing.
struct Sheet<'a> {
    chart: &'a Chart,
    tracks: Tracks,
    x: Vec<usize>,
    y: Vec<usize>,
    /// Where the step numbers end.
    gutter: usize,
    /// Where words across the chart begin.
    left: usize,
    width: usize,
    /// Where the lifelines begin and end.
    top: usize,
    foot: usize,
    /// Where the names of the processes are said again.
    reminders: Vec<usize>,
    pen: Pen,
}

impl<'a> Sheet<'a> {
    fn new(chart: &'a Chart) -> Sheet<'a> {
        let tracks = Tracks::assign(chart, TRACKS);
        let caption = |i: usize| caption(chart, &tracks, i);
        let measures = Measures {
            text: &pixels,
            track: TRACK,
            label: 28,
            words: 30,
            line: WORDS,
            short: 90,
            gap: 70,
            caption: &caption,
        };
        let columns = Columns::wished(chart, &tracks, &measures);
        let numbers = chart.rows.iter().map(|row| pixels(&step_numbers(&row.steps))).max().unwrap_or(0);
        let gutter = MARGIN + numbers + times(chart).map_or(0, |time| time + 12);
        let left = gutter + if chart.repeated.is_some() { INDENT.1 } else { INDENT.0 };
        let first = left + 2 + columns.left.max(NAME.1);
        let x: Vec<usize> = columns.gaps.iter().fold(vec![first], |mut x, gap| {
            x.push(x[x.len() - 1] + gap);
            x
        });
        let right = x[x.len() - 1] + columns.right.max(NAME.1) + MARGIN;
        let top = MARGIN + NAME.0;
        let mut sheet = Sheet {
            chart,
            tracks,
            x,
            y: Vec::new(),
            gutter,
            left,
            width: right.max(left + 250),
            top,
            foot: top,
            reminders: Vec::new(),
            pen: Pen::default(),
        };
        sheet.stack();
        sheet
    }

    /// Gives each row its height, from the top down.
    fn stack(&mut self) {
        let mut y = self.top + 8;
        let mut named = self.top;
        for content in &self.chart.rows {
            if y > named + NAMES_EVERY {
                self.reminders.push(y + 8);
                named = y;
                y += LEADING;
            }
            let words = content.marks.iter().map(|marks| self.words(marks).len());
            let banner = content.banner.iter().map(|banner| self.banner_lines(banner).len());
            let lines = words.chain(banner).max().unwrap_or(1).max(1);
            self.y.push(y + ABOVE);
            y += ABOVE + (lines - 1) * LEADING + BELOW;
        }
        self.foot = y + 10;
    }

    fn words(&self, marks: &LifelineMarks) -> Vec<String> {
        balanced(&marks.text(), WORDS, &pixels)
    }

    fn banner_lines(&self, banner: &Banner) -> Vec<String> {
        let (Banner::Step(text) | Banner::Remark(text)) = banner;
        balanced(text, self.width - self.left - MARGIN - 14, &pixels)
    }

    /// Where a track lies.
    fn track(&self, lifeline: usize, side: LifelineSide, track: usize) -> usize {
        let out = TRACK.0 + TRACK.1 * track;
        match side {
            LifelineSide::Left => self.x[lifeline] - out,
            LifelineSide::Right => self.x[lifeline] + out,
        }
    }

    /// How far one has to go out from a lifeline to pass by the tracks in use in a row.
    fn reach(&self, lifeline: usize, side: LifelineSide, row: usize) -> usize {
        match self.tracks.extent(lifeline, side, row) {
            0 => 0,
            extent => TRACK.0 + TRACK.1 * (extent - 1),
        }
    }

    fn lifelines(&mut self) {
        for (i, lifeline) in self.chart.lifelines.iter().enumerate() {
            let x = self.x[i];
            if lifeline.crashed_before() {
                self.sign((x, self.top + 14), MarkKind::Crash, false);
            }
            for &(from, to) in &lifeline.up_spans {
                let first = from.map_or(self.top, |recovers| self.y[recovers]);
                let last = to.map_or(self.foot, |crash| self.y[crash]);
                self.pen.line("life", (x, first), (x, last));
            }
            for &(from, to) in &lifeline.blocked {
                let to = to.map_or(self.foot, |to| self.y[to]);
                self.pen.line("bar caution-on", (x, self.y[from]), (x, to));
                self.pen.line("life caution", (x, self.y[from]), (x, to));
            }
        }
    }

    fn banners(&mut self) {
        for (row, content) in self.chart.rows.iter().enumerate() {
            let Some(banner) = &content.banner else { continue };
            let lines = self.banner_lines(banner);
            let (left, y) = (self.left, self.y[row]);
            let height = lines.len() * LEADING + 8;
            let class = match banner {
                Banner::Remark(_) => {
                    self.pen.rect("band", (left, y - 14), (self.width - left - MARGIN, height), 5);
                    "bare strong"
                }
                Banner::Step(_) => "note",
            };
            for (i, text) in lines.iter().enumerate() {
                self.pen.text(class, (left + 12, y + 2 + i * LEADING), text);
            }
        }
    }

    /// The way from the end of a loop back to where it begins.
    fn repeated(&mut self) {
        let Some(ChartLoop { first, last }) = self.chart.repeated else { return };
        let (left, top, bottom) = (self.left - 2, self.y[first] - 2, self.y[last] - 2);
        self.pen.path("ink", &format!("M{left} {bottom}H{}V{top}H{}", left - 16, left - 4));
        self.head("ink", (left, top), LifelineSide::Right);
    }

    fn steps(&mut self) {
        let times = times(self.chart);
        if times.is_some() {
            self.pen.text("end small faint", (self.gutter, MARGIN + 18), TIME);
        }
        let end = self.gutter - times.map_or(0, |time| time + 12);
        for (row, content) in self.chart.rows.iter().enumerate() {
            if content.steps.is_empty() {
                continue;
            }
            let actions: Vec<&str> = content.steps.iter().map(|(_, action)| action.as_str()).collect();
            let y = self.y[row] + 4;
            let last = content.steps.last().map_or(0, |(number, _)| *number);
            let numbers = step_numbers(&content.steps);
            self.pen.numbered("end small faint step", (end, y), last, (&numbers, &actions.join("; ")));
            if let Some(at) = &content.at {
                self.pen.text("end strong", (self.gutter, y), at);
            }
        }
    }

    fn names(&mut self) {
        let tall = self.foot - self.top > 700;
        for (i, lifeline) in self.chart.lifelines.iter().enumerate() {
            let width = pixels(&lifeline.name) + NAME.1;
            let corner = self.x[i].saturating_sub(width / 2);
            let tops = [Some(MARGIN), (tall && lifeline.alive(usize::MAX)).then_some(self.foot)];
            for top in tops.into_iter().flatten() {
                self.pen.rect("box", (corner, top), (width, NAME.0), 5);
                self.pen.text("name mid bare", (self.x[i], top + 18), &lifeline.name);
            }
        }
        for (i, lifeline) in self.chart.lifelines.iter().enumerate() {
            let up = |y: usize| lifeline.is_up(|from| self.y[from] < y, |to| y < self.y[to]);
            for &y in self.reminders.iter().filter(|&&y| up(y)) {
                self.pen.text("mid faint", (self.x[i], y + 4), &lifeline.name);
            }
        }
        if tall {
            self.foot += NAME.0;
        }
    }

    fn document(self, title: &str, bottom: usize) -> String {
        let (width, height) = (self.width, bottom + MARGIN);
        let title = match tame(title) {
            empty if empty.is_empty() => "Message sequence chart".to_string(),
            title => title,
        };
        let description = self.description();
        document((width, height), (&title, &description), "", self.pen)
    }

    /// The chart in words: its processes, and its steps one by one.
    fn description(&self) -> String {
        let names: Vec<&str> = self.chart.lifelines.iter().map(|lifeline| lifeline.name.as_str()).collect();
        let mut steps = Vec::new();
        for row in &self.chart.rows {
            for (i, (number, action)) in row.steps.iter().enumerate() {
                let at = row.at.iter().filter(|_| i == 0).map(|at| format!(" At {at}:"));
                steps.push(format!("{number}.{} {action}.", at.collect::<String>()));
            }
        }
        if let Some(repeated) = self.chart.repeated {
            let again = self.chart.rows[repeated.first..].iter().find_map(|row| row.steps.first());
            steps.extend(again.map(|(number, _)| format!("And so on for ever, from {number} again.")));
        }
        format!("Processes: {}. Steps: {}", names.join(", "), steps.join(" "))
    }
}

/// How wide the times of steps are, if there are any.
fn times(chart: &Chart) -> Option<usize> {
    let widest = chart.rows.iter().filter_map(|row| row.at.as_deref()).map(pixels).max()?;
    Some(widest.max(pixels(TIME)))
}

/// All that an arrow says.
fn caption(chart: &Chart, tracks: &Tracks, i: usize) -> String {
    let arrow = &chart.arrows[i];
    let apart = arrow.later_end().is_some() && tracks.of(i).is_none();
    let to = &chart.lifelines[arrow.to].name;
    match (arrow.outcome, arrow.number) {
        (MessageOutcome::InFlight, _) => format!("{}, still in flight", arrow.label),
        (_, Some(number)) if apart => format!("{} #{number}", arrow.label),
        (MessageOutcome::Lost(row), _) if row == arrow.start && arrow.from.abs_diff(arrow.to) == 1 => {
            format!("{}, lost", arrow.label)
        }
        (MessageOutcome::Lost(row), _) if row == arrow.start => {
            format!("{}, lost on the way to {to}", arrow.label)
        }
        (MessageOutcome::Ignored, _) => format!("{}, ignored: channel to {to} full", arrow.label),
        (MessageOutcome::Overflow, _) => format!("{}, error: channel to {to} full", arrow.label),
        _ => arrow.label.clone(),
    }
}
