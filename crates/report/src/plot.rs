//! Plots of figures: bars for a distribution, points with their intervals for several measurements. Colour never tells
//! alone: every point and every line has its name beside it.

use crate::drawing::{Pen, document, pixels};
use crate::width::{balanced, tame};

const WIDTH: usize = 760;
const HEIGHT: usize = 360;
const LEFT: usize = 86;
const RIGHT: usize = 40;
const TOP: usize = 46;
const BELOW: usize = 58;
const LEADING: usize = 17;

const RULES: &str = "\
rect.bars{fill:#4da3d9}\n\
line.grid{stroke:#9aa4ae;stroke-opacity:0.35;stroke-width:1}\n\
line.limit{stroke:#d55e00;stroke-width:2.4}\n\
line.reach{stroke:#d55e00;stroke-width:1.6;stroke-dasharray:3 4}\n\
line.mark{stroke:#656d76;stroke-width:1.4;stroke-dasharray:6 4}\n\
line.error{stroke-width:1.6}\n\
.title{font-size:16px;font-weight:600}\n";

/// The most points whose names stand beside them; if there are more they have numbers, and a list below says whose.
const NAMED: usize = 6;

/// A plot over two axes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What the axes are, the second upwards.
    pub axes: [String; 2],
    /// Whether each step up is ten times as much.
    pub decades: bool,
    /// Bars side by side: from, to, and how high.
    pub bars: Vec<(f64, f64, f64)>,
    /// Points.
    pub points: Vec<PlotPoint>,
    /// Whether a line goes through the points, in their order.
    pub joined: bool,
    /// Lines across, by where they stand and what they are.
    pub lines: Vec<PlotLine>,
    /// What is to be said below it.
    pub notes: Vec<String>,
}

/// A point with its name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlotPoint {
    /// The name.
    pub name: String,
    /// Where it is.
    pub at: (f64, f64),
    /// From where to where it may lie, upwards.
    pub interval: Option<(f64, f64)>,
    /// Whether it lies at least so high, and nobody knows how much higher.
    pub open: bool,
    /// How far to the right it can come.
    pub limit: Option<f64>,
}

/// A line from below to above.
#[derive(Clone, PartialEq, Debug)]
pub struct PlotLine {
    /// Where it stands.
    pub at: f64,
    /// What it is.
    pub name: String,
    /// Whether it is a limit that nothing goes beyond.
    pub limit: bool,
}

impl Plot {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let title = balanced(&tame(&self.title), (WIDTH - 40) * 3 / 4, &pixels);
        let top = TOP + 21 * title.len();
        let frame = Frame::of(self, top);
        let mut pen = Pen::default();
        for (i, line) in title.iter().enumerate() {
            pen.text("title bare", (20, 30 + i * 21), line);
        }
        frame.axes(&mut pen, self);
        for &(from, to, high) in &self.bars {
            let (left, upper) = frame.place((from, high));
            let (right, lower) = frame.place((to, 0.0));
            pen.rect("bars", (left, upper), ((right - left).max(1), lower - upper), 0);
        }
        let mut names = Names::default();
        frame.lines(&mut pen, self, &mut names);
        frame.points(&mut pen, self, &mut names);
        let mut y = self.list(&mut pen, frame.bottom + BELOW);
        for note in &self.notes {
            for line in balanced(&tame(note), WIDTH - 40, &pixels) {
                pen.text("small bare faint", (20, y), &line);
                y += LEADING;
            }
        }
        let said: Vec<String> = self.points.iter().map(|point| tame(&point.name)).collect();
        let lines = self.lines.iter().map(|line| tame(&line.name));
        let said: Vec<String> =
            said.into_iter().chain(lines).chain(self.notes.iter().map(|note| tame(note))).collect();
        document((WIDTH, y + 10), (&tame(&self.title), &said.join(". ")), RULES, pen)
    }

    /// What stands beside a point.
    fn name_of(&self, point: usize) -> String {
        if self.points.len() > NAMED { (point + 1).to_string() } else { tame(&self.points[point].name) }
    }

    /// Lists whose the numbers are, in columns from `y` on; where what follows begins.
    fn list(&self, pen: &mut Pen, y: usize) -> usize {
        if self.points.len() <= NAMED {
            return y;
        }
        let entry = |i: usize| format!("{}  {}", i + 1, tame(&self.points[i].name));
        // Its letters are smaller than those that are measured.
        let widest = (0..self.points.len()).map(|i| pixels(&entry(i)) * 4 / 5).max().unwrap_or(0);
        let columns = ((WIDTH - 40) / (widest + 24)).clamp(1, 3);
        let rows = self.points.len().div_ceil(columns);
        for i in 0..self.points.len() {
            let place = (20 + i / rows * ((WIDTH - 40) / columns), y + i % rows * LEADING);
            pen.text("small bare", place, &entry(i));
        }
        y + rows * LEADING + 6
    }
}

/// Where the plane lies, and what its ends stand for.
struct Frame {
    top: usize,
    bottom: usize,
    x: Scale,
    y: Scale,
}

impl Frame {
    fn of(plot: &Plot, top: usize) -> Frame {
        let bars = plot.bars.iter().flat_map(|(from, to, _)| [*from, *to]);
        let points =
            plot.points.iter().flat_map(|point| [Some(point.at.0), point.limit].into_iter().flatten());
        let (left, right) = ends(&mut bars.chain(points).chain(plot.lines.iter().map(|line| line.at)));
        let heights = plot.bars.iter().map(|(.., high)| *high);
        let points = plot.points.iter().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.at.1, point.at.1));
            [point.at.1, low, high]
        });
        let (low, high) = ends(&mut heights.chain(points));
        // Points that lie far apart would leave most of them in a corner.
        let apart = plot.bars.is_empty() && left > 0.0 && right / left >= 20.0;
        let x = if apart { Scale::powers(left / 1.2, right * 1.2) } else { Scale::from_zero(right * 1.06) };
        let y = match (plot.decades, low.is_finite() && high > 0.0) {
            (true, false) => Scale::powers(0.1, 1.0),
            (true, true) => {
                let low = 10f64.powf(low.max(high * 1e-18).log10().floor());
                Scale::powers(low, 10f64.powf((high * 1.2).log10().ceil()).max(low * 10.0))
            }
            (false, _) => Scale::from_zero(high * 1.08),
        };
        Frame { top, bottom: top + HEIGHT, x, y }
    }

    fn place(&self, (x, y): (f64, f64)) -> (usize, usize) {
        let scaled = |share: f64, length: usize| (share * length as f64).round() as usize;
        let across = scaled(self.x.share(x), WIDTH - LEFT - RIGHT);
        (LEFT + across, self.bottom - scaled(self.y.share(y), self.bottom - self.top))
    }

    fn axes(&self, pen: &mut Pen, plot: &Plot) {
        let right = WIDTH - RIGHT;
        for value in self.x.marks(8) {
            let (x, _) = self.place((value, self.y.low));
            pen.line("grid", (x, self.top), (x, self.bottom));
            pen.text("mid small bare faint", (x, self.bottom + 17), &short(value));
        }
        for value in self.y.marks(6) {
            let (_, y) = self.place((self.x.low, value));
            pen.line("grid", (LEFT, y), (right, y));
            pen.text("end small bare faint", (LEFT - 8, y + 4), &short(value));
        }
        pen.line("life", (LEFT, self.bottom), (right, self.bottom));
        pen.line("life", (LEFT, self.top), (LEFT, self.bottom));
        pen.text("end bare", (right, self.bottom + 36), &tame(&plot.axes[0]));
        pen.text("bare", (20, self.top - 10), &tame(&plot.axes[1]));
    }

    fn lines(&self, pen: &mut Pen, plot: &Plot, names: &mut Names) {
        for line in &plot.lines {
            let (x, _) = self.place((line.at, self.y.low));
            pen.line(if line.limit { "limit" } else { "mark" }, (x, self.top), (x, self.bottom));
            names.put(pen, (x, self.top + 14), 0, &tame(&line.name));
        }
    }

    fn points(&self, pen: &mut Pen, plot: &Plot, names: &mut Names) {
        if plot.joined {
            let places = plot.points.iter().enumerate().map(|(i, point)| {
                let (x, y) = self.place(point.at);
                format!("{}{x} {y}", if i == 0 { 'M' } else { 'L' })
            });
            pen.path("life", &places.collect::<String>());
        }
        for point in &plot.points {
            names.keep_clear(self.place(point.at), RADIUS + 1);
        }
        for (i, point) in plot.points.iter().enumerate() {
            let kind = format!("k{}", i % 5);
            let (x, y) = self.place(point.at);
            if let Some((low, high)) = point.interval {
                let ((_, lower), (_, upper)) =
                    (self.place((point.at.0, low)), self.place((point.at.0, high)));
                pen.line(&format!("error {kind}"), (x, lower), (x, upper));
            }
            if let Some(limit) = point.limit {
                let (end, _) = self.place((limit, point.at.1));
                pen.line("reach", (x, y), (end, y));
                pen.line("limit", (end, y.saturating_sub(6)), (end, y + 6));
            }
            if point.open {
                pen.path(&format!("error {kind}"), &format!("M{x} {y}v-26m-5 8l5 -8l5 8"));
            }
            pen.circle(&format!("{kind}-fill {kind}"), (x, y), RADIUS);
        }
        for (i, point) in plot.points.iter().enumerate() {
            names.put(pen, self.place(point.at), RADIUS, &plot.name_of(i));
        }
    }
}

/// The radius of a point.
const RADIUS: usize = 5;

/// What lies along an axis.
struct Scale {
    low: f64,
    high: f64,
    /// Whether equal steps multiply.
    powers: bool,
}

impl Scale {
    fn from_zero(high: f64) -> Scale {
        Scale { low: 0.0, high: if high.is_finite() && high > 0.0 { high } else { 1.0 }, powers: false }
    }

    fn powers(low: f64, high: f64) -> Scale {
        Scale { low, high, powers: true }
    }

    /// Which part of the way to the end a value is.
    fn share(&self, value: f64) -> f64 {
        let share = match self.powers {
            true => (value.max(self.low) / self.low).log10() / (self.high / self.low).log10(),
            false => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }

    /// The values that are written at the axis, about so many.
    fn marks(&self, most: usize) -> Vec<f64> {
        if self.powers { decades((self.low, self.high)) } else { steps((self.low, self.high), most) }
    }
}

fn ends(values: &mut dyn Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// The names in the plane, none on another and none on a point.
#[derive(Default)]
struct Names(Vec<Taken>);

/// What is taken: from where to where, across and down.
type Taken = (usize, usize, usize, usize);

impl Names {
    fn keep_clear(&mut self, (x, y): (usize, usize), around: usize) {
        self.0.push((x.saturating_sub(around), x + around, y.saturating_sub(around), y + around));
    }

    /// Writes a name beside a place, as near as there is room; a line leads to one that is farther away.
    fn put(&mut self, pen: &mut Pen, (x, y): (usize, usize), radius: usize, name: &str) {
        let wide = pixels(name);
        let (mut chosen, mut far) = ((x, y), false);
        // Around the place, first beside it and then farther and farther away.
        'found: for ring in 0..8 {
            let (aside, step) = (radius + 4 + 7 * ring, 8 + 7 * ring);
            let right = x + aside;
            let left = x.saturating_sub(aside + wide);
            let above = y.saturating_sub(step);
            let rows = [above + 4, y + 4, y + step + 4];
            for candidate in [
                (right, rows[0]),
                (right, rows[1]),
                (right, rows[2]),
                (left, rows[1]),
                (left, rows[0]),
                (left, rows[2]),
                (x.saturating_sub(wide / 2), above.saturating_sub(4)),
                (x.saturating_sub(wide / 2), y + step + 12),
            ] {
                let taken = Names::taken(candidate, wide);
                let within = taken.0 >= LEFT && taken.1 + 4 <= WIDTH;
                if within && !self.0.iter().any(|other| clash(&taken, other)) {
                    (chosen, far) = (candidate, ring > 1);
                    break 'found;
                }
            }
        }
        let taken = Names::taken(chosen, wide);
        if far {
            let end = if chosen.0 >= x { chosen.0.saturating_sub(1) } else { chosen.0 + wide + 1 };
            pen.line("grid", (x, y), (end, chosen.1.saturating_sub(4)));
        }
        self.0.push(taken);
        pen.text("small", chosen, name);
    }

    /// What a name takes that is written from here on.
    fn taken((x, y): (usize, usize), wide: usize) -> Taken {
        (x, x + wide, y.saturating_sub(11), y + 3)
    }
}

fn clash(one: &Taken, other: &Taken) -> bool {
    one.0 < other.1 && other.0 < one.1 && one.2 < other.3 && other.2 < one.3
}

/// Round values between two ends, at most so many steps.
fn steps((low, high): (f64, f64), most: usize) -> Vec<f64> {
    let rough = (high - low) / most as f64;
    let power = 10f64.powf(rough.max(f64::MIN_POSITIVE).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(1.0);
    let first = (low / step).ceil() as i64;
    (first..)
        .map(|k| k as f64 * step)
        .take_while(|value| *value <= high * 1.000_001)
        .take(2 * most + 2)
        .collect()
}

/// The powers of ten between two ends, at most ten of them; if there are few, what lies between them as well.
fn decades((low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let digits: &[f64] =
        if last - first <= 3 && low.log10().fract() != 0.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let step = ((last - first) as usize / 10 + 1).max(1);
    let all = (first..=last)
        .step_by(step)
        .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
    all.filter(|value| (low * 0.999_999..=high * 1.000_001).contains(value)).collect()
}

/// A number on an axis.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        size if !(1e-4..1e6).contains(&size) => format!("{value:.0e}"),
        _ => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        assert_eq!(steps((0.0, 1.113), 8), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(decades((0.1, 1000.0)), [0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert!(steps((0.0, 1e-9), 8).len() < 12 && decades((1e-18, 1.0)).len() < 12);
        assert_eq!([0.25, 1e7, 0.0, 12.0].map(short), ["0.25", "1e7", "0", "12"]);
    }

    #[test]
    fn everything_has_its_name_in_the_drawing() {
        let plot = Plot {
            title: "detection of <nfd-s>".to_string(),
            axes: ["seconds".to_string(), "share".to_string()],
            bars: vec![(0.0, 0.5, 0.25), (0.5, 1.0, 0.75)],
            points: vec![PlotPoint {
                name: "a & b".to_string(),
                at: (0.5, 0.5),
                open: true,
                ..PlotPoint::default()
            }],
            lines: vec![PlotLine { at: 1.05, name: "bound 1.05 s".to_string(), limit: true }],
            ..Plot::default()
        };
        let svg = plot.svg();
        for part in
            ["detection of &lt;nfd-s&gt;", "a &amp; b", "bound 1.05 s", "class=\"bars\"", "class=\"limit\""]
        {
            assert!(svg.contains(part), "{part}");
        }
        assert!(Plot::default().svg().ends_with("</svg>\n"), "nothing to draw is no reason to fail");
    }
}
