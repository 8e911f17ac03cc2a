//! A picture of a small labelled transition system: states in rows by their distance from the initial one, steps as arrows with
//! their labels. A step that nobody can see is a dotted arrow, and a state without steps has a second ring.

use crate::drawing::{Pen, document, pixels};
use crate::width::tame;
use std::collections::BTreeMap;

/// The most states that a picture can show and still be read.
pub const MOST_DRAWN_STATES: usize = 80;

const RADIUS: usize = 15;
const ROW: usize = 104;
const TOP: usize = 84;
const SIDE: usize = 60;
/// The most letters of a label; the rest stands in a description that opens when a pointer rests on it.
const LETTERS: usize = 44;

const RULES: &str = "\
path.head{stroke-width:1;stroke-linejoin:round}\n\
path.tau{stroke-dasharray:2.5 3.5}\n\
.title{font-size:16px;font-weight:600}\n";

/// A labelled transition system that is to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemPicture {
    /// What it shows.
    pub title: String,
    /// The number of states.
    pub states: usize,
    /// The initial state.
    pub initial: u32,
    /// The steps: from, label, to; none where it cannot be seen.
    pub edges: Vec<(u32, Option<String>, u32)>,
}

/// A point of the picture.
type Point = (f64, f64);

impl SystemPicture {
    /// The picture as an SVG document.
    pub fn svg(&self) -> String {
        let rows = self.rows();
        // Steps between the same states share an arrow.
        let mut arrows: BTreeMap<(u32, u32), Vec<&Option<String>>> = BTreeMap::new();
        self.edges.iter().for_each(|(from, label, to)| arrows.entry((*from, *to)).or_default().push(label));
        let labels: BTreeMap<(u32, u32), Vec<String>> =
            arrows.iter().map(|(&pair, labels)| (pair, shown(labels))).collect();
        let widest = labels.values().flatten().map(|line| pixels(line)).max().unwrap_or(0);
        let gap = (widest + 2 * RADIUS + 16).clamp(84, 320);
        let most = rows.iter().map(Vec::len).max().unwrap_or(1);
        let title = tame(&self.title);
        let width = (2 * SIDE + (most - 1) * gap + widest).max(pixels(&title) * 3 / 2 + 2 * SIDE);
        let mut places: Vec<Point> = vec![(0.0, 0.0); self.states];
        for (depth, row) in rows.iter().enumerate() {
            let left = (width - (row.len() - 1) * gap) as f64 / 2.0;
            for (at, &state) in row.iter().enumerate() {
                places[state as usize] = (left + (at * gap) as f64, (TOP + depth * ROW) as f64);
            }
        }
        let mut pen = Pen::default();
        pen.text("title", (20, 32), &title);
        let mut taken = TakenPlaces::of_states(&places);
        // Loops first, whose labels have one place alone.
        let (loops, others): (Vec<_>, Vec<_>) = labels.iter().partition(|((from, to), _)| from == to);
        let mut upwards: BTreeMap<u32, usize> = BTreeMap::new();
        let mut texts: Vec<(Point, &[String], bool)> = Vec::new();
        for (&(from, to), lines) in loops.into_iter().chain(others) {
            let silent = arrows[&(from, to)].iter().all(|label| label.is_none());
            let both = from != to && arrows.contains_key(&(to, from));
            let (begin, end) = (places[from as usize], places[to as usize]);
            // Of several arrows upwards to one state each bends further than the one before it.
            let further = if end.1 < begin.1 { upwards.entry(to).or_default() } else { &mut 0 };
            let points = arrow(&mut pen, (begin, end), silent, both, *further);
            *further += 1;
            let middle = from != to;
            texts.push((taken.place(&points, lines, middle), lines, middle));
        }
        for (place, lines, middle) in texts {
            label(&mut pen, if middle { "small mid" } else { "small" }, place, lines);
        }
        let (x, y) = places.get(self.initial as usize).copied().unwrap_or_default();
        straight(&mut pen, "ink", (x, y - 44.0), (x, y - RADIUS as f64));
        let ends: Vec<bool> = (0..self.states as u32)
            .map(|state| !self.edges.iter().any(|(from, ..)| *from == state))
            .collect();
        for (state, &(x, y)) in places.iter().enumerate() {
            let (x, y) = (x as usize, y as usize);
            pen.circle("box", (x, y), RADIUS);
            if ends[state] {
                pen.circle("box", (x, y), RADIUS - 3);
            }
            pen.text("mid small bare", (x, y + 4), &state.to_string());
        }
        let height = TOP + (rows.len() - 1) * ROW + 70;
        let description = format!(
            "A labelled transition system with {} states and {} steps.",
            self.states,
            self.edges.len()
        );
        document((width, height), (&title, &description), RULES, pen)
    }

    /// The states by their distance from the initial one; in each row those stand together that have been reached from
    /// neighbours.
    fn rows(&self) -> Vec<Vec<u32>> {
        let mut depth = vec![usize::MAX; self.states];
        let mut rows = vec![vec![self.initial]];
        depth[self.initial as usize] = 0;
        loop {
            let last = rows.len() - 1;
            let mut next: Vec<u32> = Vec::new();
            for &state in &rows[last] {
                for (_, _, to) in self.edges.iter().filter(|(from, ..)| *from == state) {
                    if depth[*to as usize] == usize::MAX {
                        depth[*to as usize] = last + 1;
                        next.push(*to);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            rows.push(next);
        }
        let left: Vec<u32> =
            (0..self.states as u32).filter(|&state| depth[state as usize] == usize::MAX).collect();
        rows.extend(Some(left).filter(|left| !left.is_empty()));
        rows
    }
}

/// The labels of an arrow, one to a line.
fn shown(labels: &[&Option<String>]) -> Vec<String> {
    let line = |label: &&Option<String>| match label {
        None => "\u{3c4}".to_string(),
        Some(text) => {
            let text = tame(text);
            let short: String = text.chars().take(LETTERS).collect();
            if short.len() < text.len() { short + "\u{2026}" } else { short }
        }
    };
    let mut lines: Vec<String> = labels.iter().map(line).collect();
    if lines.len() > 3 {
        let more = lines.len() - 2;
        lines.truncate(2);
        lines.push(format!("and {more} more"));
    }
    lines
}

/// Draws an arrow, and says where its label may stand: the best place first.
fn arrow(pen: &mut Pen, (from, to): (Point, Point), silent: bool, both: bool, further: usize) -> Vec<Point> {
    let class = if silent { "ink tau" } else { "ink" };
    let r = RADIUS as f64;
    if from == to {
        let (x, y) = (from.0 + r * 0.9, from.1 - r * 0.4);
        let end = (from.0 + r * 0.9, from.1 + r * 0.4);
        pen.path(
            class,
            &format!(
                "M{x:.0} {y:.0}C{:.0} {:.0} {:.0} {:.0} {:.0} {:.0}",
                x + 26.0,
                y - 16.0,
                x + 26.0,
                end.1 + 16.0,
                end.0,
                end.1
            ),
        );
        head(pen, (end.0 + 8.0, end.1 + 7.0), end);
        return vec![(x + 26.0, from.1 + 4.0)];
    }
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    // Arrows upwards, along a row, over several rows, and such as have a counterpart bend out of the way.
    let bend = if dy <= 0.0 || dy > ROW as f64 * 1.5 || both {
        (length * 0.18).clamp(24.0, 90.0) + 30.0 * further as f64
    } else {
        0.0
    };
    let middle = ((from.0 + to.0) / 2.0 - dy / length * bend, (from.1 + to.1) / 2.0 + dx / length * bend);
    let towards = |a: Point, b: Point| {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy).max(1.0);
        (a.0 + dx / length * r, a.1 + dy / length * r)
    };
    // The control point of a curve is as far again from the line as the curve.
    let control = (2.0 * middle.0 - (from.0 + to.0) / 2.0, 2.0 * middle.1 - (from.1 + to.1) / 2.0);
    let (begin, end) = (towards(from, control), towards(to, control));
    pen.path(
        class,
        &format!(
            "M{:.0} {:.0}Q{:.0} {:.0} {:.0} {:.0}",
            begin.0, begin.1, control.0, control.1, end.0, end.1
        ),
    );
    head(pen, control, end);
    let along = |t: f64| {
        let (a, b, c) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
        (a * begin.0 + b * control.0 + c * end.0, a * begin.1 + b * control.1 + c * end.1 + 4.0)
    };
    [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82].map(along).to_vec()
}

/// The places of a picture that something is drawn at, so that labels do not lie upon each other.
struct TakenPlaces(Vec<(Point, Point)>);

impl TakenPlaces {
    fn of_states(places: &[Point]) -> TakenPlaces {
        let r = RADIUS as f64;
        TakenPlaces(places.iter().map(|&(x, y)| ((x - r, y - r), (x + r, y + r))).collect())
    }

    /// The first of some points at which a label lies upon nothing, or the one at which it hides least.
    fn place(&mut self, points: &[Point], lines: &[String], middle: bool) -> Point {
        let width = lines.iter().map(|line| pixels(line)).max().unwrap_or(0) as f64;
        let shape = |(x, y): Point| {
            let left = if middle { x - width / 2.0 } else { x };
            ((left, y - 11.0), (left + width, y + 13.0 * (lines.len() as f64 - 1.0) + 3.0))
        };
        let hidden = |point: Point| -> f64 {
            let (low, high) = shape(point);
            let overlap = |a: f64, b: f64, c: f64, d: f64| (b.min(d) - a.max(c)).max(0.0);
            let with = |(from, to): &(Point, Point)| {
                overlap(low.0, high.0, from.0, to.0) * overlap(low.1, high.1, from.1, to.1)
            };
            self.0.iter().map(with).sum()
        };
        let place = points.iter().copied().min_by(|&a, &b| hidden(a).total_cmp(&hidden(b)));
        let place = place.unwrap_or_default();
        self.0.push(shape(place));
        place
    }
}

fn straight(pen: &mut Pen, class: &str, from: Point, to: Point) {
    pen.path(class, &format!("M{:.0} {:.0}L{:.0} {:.0}", from.0, from.1, to.0, to.1));
    head(pen, from, to);
}

/// The head of an arrow that comes from somewhere.
fn head(pen: &mut Pen, from: Point, to: Point) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let side = |s: f64| (to.0 - 8.0 * ux + s * 3.5 * uy, to.1 - 8.0 * uy - s * 3.5 * ux);
    let (a, b) = (side(1.0), side(-1.0));
    pen.path(
        "ink ink-fill head",
        &format!("M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z", to.0, to.1, a.0, a.1, b.0, b.1),
    );
}

fn label(pen: &mut Pen, class: &str, (x, y): Point, lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        pen.text(class, (x.max(0.0) as usize, (y.max(0.0) as usize) + 13 * at), line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_and_label_is_drawn() {
        let step = |from, label: Option<&str>, to| (from, label.map(str::to_string), to);
        let edges = vec![
            step(0, Some("send(p0,p1)"), 1),
            step(1, None, 0),
            step(1, Some("a<b"), 1),
            step(1, Some("crash"), 2),
        ];
        let picture = SystemPicture { title: "a ring".into(), states: 3, initial: 0, edges };
        let svg = picture.svg();
        for part in ["send(p0,p1)", "\u{3c4}", "a&lt;b", "crash", "3 states and 4 steps", "ink tau"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        // One ring for each state, and a second one for the state without steps.
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(picture.rows(), [vec![0], vec![1], vec![2]]);
    }
}
