//! Maps as SVG: a square for each cell, in colours that those who confuse red and green tell apart, and
//! with a cross on each failure, so that no colour is needed at all.

use super::{Border, Panel, Region, RegionAxis, RegionCell};
use crate::drawing::{Pen, document, pixels};
use crate::width::{balanced, tame};

const MARGIN: usize = 20;
/// The most maps side by side.
const ABREAST: usize = 3;
/// Left of a map there is room for its labels, and below it for those and the caption.
const LEFT: usize = 46;
const BELOW: usize = 44;
const LEADING: usize = 17;
const APART: usize = 26;

/// Blue and vermilion of Okabe and Ito, which differ for every kind of eye; both stand out on light and on
/// dark paper.
const RULES: &str = "\
.holds{fill:#4da3d9}.fails{fill:#d55e00}.unknown{fill:#9a9a9a}\n\
path.cross{stroke:#ffffff;stroke-width:1.6;stroke-linecap:round}\n\
.doubt{fill:#ffffff;stroke:none;font-size:11px;font-weight:700}\n\
line.border{stroke:#111111;stroke-width:2.2;stroke-dasharray:7 4}\n\
line.glow{stroke:#ffffff;stroke-width:4.6}\n\
.title{font-size:16px;font-weight:600}\n";

impl Region {
    /// All maps in one drawing, with a legend.
    pub fn svg(&self) -> String {
        let sheet = Sheet::new(self);
        let mut pen = Pen::default();
        for (i, line) in sheet.title.iter().enumerate() {
            pen.text("title bare", (MARGIN, MARGIN + 14 + i * 21), line);
        }
        for (i, panel) in self.panels.iter().enumerate() {
            sheet.panel(&mut pen, panel, i);
        }
        let height = sheet.legend(&mut pen);
        document((sheet.width, height), (&tame(&self.title), &self.description()), RULES, pen)
    }

    fn description(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        for panel in &self.panels {
            words.push(format!("{}.", tame(&panel.tally())));
            if !panel.caption.is_empty() {
                words.push(format!("{}.", tame(&panel.caption)));
            }
        }
        words.join(" ")
    }
}

/// Where everything lies.
struct Sheet<'a> {
    region: &'a Region,
    /// The side of a cell.
    cell: usize,
    width: usize,
    title: Vec<String>,
    captions: Vec<Vec<String>>,
}

impl<'a> Sheet<'a> {
    fn new(region: &'a Region) -> Sheet<'a> {
        let side = region.x.count.max(region.height());
        let cell = (340 / side.max(1)).clamp(6, 26);
        let abreast = region.panels.len().clamp(1, ABREAST);
        let across = (region.x.count * cell).max(170);
        let width = 2 * MARGIN + abreast * (LEFT + across) + (abreast - 1) * APART + 10;
        let captions = region.panels.iter().map(|panel| {
            let words = tame(&panel.caption);
            if words.is_empty() { Vec::new() } else { balanced(&words, across, &pixels) }
        });
        let captions = captions.collect();
        // A title has larger letters than those that are measured.
        let title = balanced(&tame(&region.title), (width - 2 * MARGIN) * 3 / 4, &pixels);
        Sheet { region, cell, width, title, captions }
    }

    fn across(&self) -> usize {
        (self.region.x.count * self.cell).max(170)
    }

    fn tall(&self) -> usize {
        self.region.height() * self.cell
    }

    fn top(&self) -> usize {
        MARGIN + 21 * self.title.len() + 34
    }

    /// How much lower the next row of maps is.
    fn pitch(&self) -> usize {
        let lines = self.captions.iter().map(Vec::len).max().unwrap_or(0);
        self.tall() + BELOW + lines * LEADING + 44
    }

    /// The lower left corner of a map.
    fn origin(&self, panel: usize) -> (usize, usize) {
        let (column, row) = (panel % ABREAST, panel / ABREAST);
        let x = MARGIN + LEFT + column * (self.across() + LEFT + APART);
        (x, self.top() + row * self.pitch() + self.tall())
    }

    /// The upper left corner of a cell.
    fn corner(&self, panel: usize, (x, y): (usize, usize)) -> (usize, usize) {
        let (left, bottom) = self.origin(panel);
        (left + x * self.cell, bottom - (y + 1) * self.cell)
    }

    fn panel(&self, pen: &mut Pen, panel: &Panel, i: usize) {
        let (left, bottom) = self.origin(i);
        let name = format!("{}: {}", tame(&panel.name), self.share(panel));
        pen.text("name bare", (left, bottom - self.tall() - 12), &name);
        self.cells(pen, panel, i);
        let (right, top) = (left + self.region.x.count * self.cell, bottom - self.tall());
        pen.line("life", (left, bottom), (right, bottom));
        pen.line("life", (left, top), (left, bottom));
        self.labels(pen, i);
        for border in &panel.borders {
            self.border(pen, border, i);
        }
        for (line, words) in self.captions[i].iter().enumerate() {
            pen.text("bare", (left, bottom + BELOW + 12 + line * LEADING), words);
        }
    }

    fn share(&self, panel: &Panel) -> String {
        let possible = panel.cells.len() - panel.count(RegionCell::Impossible);
        format!("holds in {} of {possible}", panel.count(RegionCell::Holds))
    }

    /// All cells of a kind are one path, which keeps a large map small.
    fn cells(&self, pen: &mut Pen, panel: &Panel, i: usize) {
        let size = self.cell - 1;
        let places = (0..self.region.height()).flat_map(|y| (0..self.region.x.count).map(move |x| (x, y)));
        let of = |kind: RegionCell| {
            let here = places.clone().filter(move |&(x, y)| self.region.cell(panel, x, y) == kind);
            here.map(|place| self.corner(i, place)).collect::<Vec<_>>()
        };
        for (kind, class) in
            [(RegionCell::Holds, "holds"), (RegionCell::Fails, "fails"), (RegionCell::Unknown, "unknown")]
        {
            let squares: String =
                of(kind).iter().map(|(x, y)| format!("M{x} {y}h{size}v{size}h-{size}z")).collect();
            if !squares.is_empty() {
                pen.path(class, &squares);
            }
        }
        let crosses: String = of(RegionCell::Fails).into_iter().map(|(x, y)| cross(x, y, size)).collect();
        if !crosses.is_empty() && size >= 5 {
            pen.path("cross", &crosses);
        }
        for (x, y) in of(RegionCell::Unknown).into_iter().filter(|_| size >= 9) {
            pen.text("mid doubt", (x + size / 2, y + size / 2 + 4), "?");
        }
    }

    fn labels(&self, pen: &mut Pen, i: usize) {
        let (left, bottom) = self.origin(i);
        let half = self.cell / 2;
        let widest = |axis: &RegionAxis| pixels(&axis.value(axis.count.saturating_sub(1)).to_string()) + 6;
        for at in self.region.x.ticks(widest(&self.region.x).div_ceil(self.cell)) {
            let (x, _) = self.corner(i, (at, 0));
            pen.text("mid small faint bare", (x + half, bottom + 15), &self.region.x.value(at).to_string());
        }
        let middle = left + self.region.x.count * self.cell / 2;
        pen.text("mid bare", (middle, bottom + 34), &format!("{} →", tame(&self.region.x.name)));
        let Some(y) = &self.region.y else { return };
        for at in y.ticks(15usize.div_ceil(self.cell)) {
            let (_, top) = self.corner(i, (0, at));
            pen.text("end small faint bare", (left - 6, top + half + 4), &y.value(at).to_string());
        }
        pen.text("end bare", (left - 6, bottom - self.tall() - 12), &format!("{} ↑", tame(&y.name)));
    }

    /// The line of a border, from one edge of the map to another. A value lies in the middle of its cell.
    fn border(&self, pen: &mut Pen, border: &Border, i: usize) {
        let (left, bottom) = self.origin(i);
        let (wide, tall) = (self.region.x.count as f64, self.region.height() as f64);
        let (x0, y0) = (self.region.x.first as f64, self.region.y.as_ref().map_or(0, |y| y.first) as f64);
        // In cells from the lower left corner: x = x0 + u - 1/2.
        let (a, b) = (border.a as f64, border.b as f64);
        let c = border.c as f64 + a * (x0 - 0.5) + b * (y0 - 0.5);
        let Some(ends) = clipped((a, b, c), (wide, tall)) else { return };
        let place = |(u, v): (f64, f64)| {
            let (x, y) = ((u * self.cell as f64).round(), (v * self.cell as f64).round());
            (left + x as usize, bottom - y as usize)
        };
        let (from, to) = (place(ends.0), place(ends.1));
        pen.line("glow", from, to);
        pen.line("border", from, to);
    }

    /// Draws the legend, and says where the drawing ends.
    fn legend(&self, pen: &mut Pen) -> usize {
        let rows = self.region.panels.len().div_ceil(ABREAST).max(1);
        let mut y = self.top() + rows * self.pitch() - 24;
        let mut x = MARGIN;
        let has = |cell: RegionCell| self.region.panels.iter().any(|panel| panel.count(cell) > 0);
        let entries = [
            (has(RegionCell::Holds), Some(RegionCell::Holds), "holds"),
            (has(RegionCell::Fails), Some(RegionCell::Fails), "fails, shown by a run"),
            (has(RegionCell::Unknown), Some(RegionCell::Unknown), "not decided"),
            (has(RegionCell::Impossible), Some(RegionCell::Impossible), "blank: no such configuration"),
            (
                self.region.panels.iter().any(|panel| !panel.borders.is_empty()),
                None,
                "border that is conjectured",
            ),
        ];
        for (_, sign, words) in entries.into_iter().filter(|(used, ..)| *used) {
            let sign_width = if sign == Some(RegionCell::Impossible) { 0 } else { 34 };
            let width = sign_width + pixels(words) + 18;
            if x > MARGIN && x + width > self.width - MARGIN {
                (x, y) = (MARGIN, y + 22);
            }
            match sign {
                None => {
                    pen.line("glow", (x, y), (x + 26, y));
                    pen.line("border", (x, y), (x + 26, y));
                }
                Some(cell) => legend_cell(pen, cell, (x + 6, y - 8)),
            }
            pen.text("small bare", (x + sign_width, y + 4), words);
            x += width;
        }
        y + MARGIN
    }
}

fn legend_cell(pen: &mut Pen, cell: RegionCell, (x, y): (usize, usize)) {
    let class = match cell {
        RegionCell::Impossible => return,
        RegionCell::Holds => "holds",
        RegionCell::Fails => "fails",
        RegionCell::Unknown => "unknown",
    };
    pen.rect(class, (x, y), (16, 16), 0);
    match cell {
        RegionCell::Fails => pen.path("cross", &cross(x, y, 16)),
        RegionCell::Unknown => pen.text("mid doubt", (x + 8, y + 12), "?"),
        _ => {}
    }
}

/// The cross in a cell.
fn cross(x: usize, y: usize, size: usize) -> String {
    let inset = (size * 3).div_ceil(10);
    let side = size - 2 * inset;
    let (left, top) = (x + inset, y + inset);
    format!("M{left} {top}l{side} {side}M{left} {}l{side}-{side}", top + side)
}

/// The part of the line a·u + b·v + c = 0 inside of the rectangle from (0, 0) to a corner, if there is more
/// than a point of it.
fn clipped((a, b, c): (f64, f64, f64), (wide, tall): (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let mut ends: Vec<(f64, f64)> = Vec::new();
    let mut meet = |u: f64, v: f64| {
        let inside = (-1e-9..=wide + 1e-9).contains(&u) && (-1e-9..=tall + 1e-9).contains(&v);
        let near = |(p, q): &(f64, f64)| (p - u).abs() < 1e-6 && (q - v).abs() < 1e-6;
        if inside && !ends.iter().any(near) {
            ends.push((u.clamp(0.0, wide), v.clamp(0.0, tall)));
        }
    };
    if b != 0.0 {
        meet(0.0, -c / b);
        meet(wide, -(a * wide + c) / b);
    }
    if a != 0.0 {
        meet(-c / a, 0.0);
        meet(-(b * tall + c) / a, tall);
    }
    match ends.as_slice() {
        [first, second, ..] => Some((*first, *second)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_edges_of_the_map() {
        // 2u - v = 0 in a square of 4: from the lower left corner to the middle of the upper edge.
        assert_eq!(clipped((2.0, -1.0, 0.0), (4.0, 4.0)), Some(((0.0, 0.0), (2.0, 4.0))));
        assert_eq!(clipped((1.0, 0.0, -3.0), (4.0, 4.0)), Some(((3.0, 0.0), (3.0, 4.0))));
        assert_eq!(clipped((0.0, 1.0, 9.0), (4.0, 4.0)), None);
        assert_eq!(clipped((0.0, 0.0, 0.0), (4.0, 4.0)), None);
    }
}
