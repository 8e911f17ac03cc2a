//! Areas as SVG, in the colours of the maps of a sweep. What fails is hatched and what is undecided is dotted, so that no
//! colour is needed; a border is solid where the property holds on it, and else dashed.

use super::{Area, AreaBorder, AreaMap, AreaPanel, AreaSide, Corners, Point};
use crate::drawing::{Pen, document, pixels};
use crate::width::{balanced, tame};

const MARGIN: usize = 20;
/// The most planes side by side.
const ABREAST: usize = 3;
/// The side of a plane.
const SIDE: usize = 320;
/// The least room left of a plane, for its labels.
const LEFT: usize = 46;
const BELOW: usize = 44;
const LEADING: usize = 17;
const APART: usize = 34;

const RULES: &str = "\
path.holds{fill:#4da3d9}path.fails{fill:#d55e00}path.undecided{fill:#9a9a9a}\n\
path.hatched{fill:url(#hatch)}path.dotted{fill:url(#dots)}\n\
line.border{stroke:#111111;stroke-width:2.4}line.glow{stroke:#ffffff;stroke-width:5}\n\
line.open{stroke-dasharray:7 5}line.bad{stroke:#d55e00;stroke-width:4}\n\
line.doubtful{stroke:#9a9a9a;stroke-width:4}\n\
.word{fill:#111111;stroke:none;font-weight:600}\n\
.title{font-size:16px;font-weight:600}\n";

const PATTERNS: &str = "<defs>\
<pattern id=\"hatch\" width=\"9\" height=\"9\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
<rect width=\"2\" height=\"9\" fill=\"#ffffff\" fill-opacity=\"0.55\"/></pattern>\
<pattern id=\"dots\" width=\"9\" height=\"9\" patternUnits=\"userSpaceOnUse\">\
<circle cx=\"4\" cy=\"4\" r=\"1.6\" fill=\"#ffffff\"/></pattern></defs>";

impl AreaMap {
    /// All planes in one drawing, with a legend.
    pub fn svg(&self) -> String {
        let abreast = self.panels.len().clamp(1, ABREAST);
        let left = LEFT.max(pixels(&upwards(&self.axes[1])));
        let width = 2 * MARGIN + abreast * (left + SIDE) + (abreast - 1) * APART + 14;
        let title = balanced(&tame(&self.title), (width - 2 * MARGIN) * 3 / 4, &pixels);
        let lines = |text: &str| {
            let text = tame(text);
            if text.is_empty() { Vec::new() } else { balanced(&text, SIDE, &pixels) }
        };
        let captions = self.panels.iter().map(|panel| lines(&panel.caption)).collect();
        let sheet = AreaSheet { map: self, left, width, title, captions };
        let mut pen = Pen::default();
        pen.raw(PATTERNS);
        for (i, line) in sheet.title.iter().enumerate() {
            pen.text("title bare", (MARGIN, MARGIN + 14 + i * 21), line);
        }
        for (i, panel) in self.panels.iter().enumerate() {
            sheet.panel(&mut pen, panel, i);
        }
        let height = sheet.legend(&mut pen);
        let said: Vec<String> = self
            .panels
            .iter()
            .map(|panel| format!("{}: {}.", tame(&panel.name), tame(&panel.caption)))
            .collect();
        document((sheet.width, height), (&tame(&self.title), &said.join(" ")), RULES, pen)
    }
}

/// Where everything lies.
struct AreaSheet<'a> {
    map: &'a AreaMap,
    /// The room left of a plane.
    left: usize,
    width: usize,
    title: Vec<String>,
    captions: Vec<Vec<String>>,
}

impl AreaSheet<'_> {
    fn most(&self) -> f64 {
        f64::from(self.map.most.max(1))
    }

    fn top(&self) -> usize {
        MARGIN + 21 * self.title.len() + 34
    }

    /// How much lower the next row of planes is.
    fn pitch(&self) -> usize {
        let lines = self.captions.iter().map(Vec::len).max().unwrap_or(0);
        SIDE + BELOW + lines * LEADING + 44
    }

    /// The lower left corner of a plane.
    fn origin(&self, panel: usize) -> (usize, usize) {
        let (column, row) = (panel % ABREAST, panel / ABREAST);
        (MARGIN + self.left + column * (SIDE + self.left + APART), self.top() + row * self.pitch() + SIDE)
    }

    fn place(&self, (left, bottom): (usize, usize), (x, y): Point) -> (usize, usize) {
        let scaled =
            |value: f64| (value / self.most() * SIDE as f64).round().clamp(0.0, SIDE as f64) as usize;
        (left + scaled(x), bottom - scaled(y))
    }

    fn panel(&self, pen: &mut Pen, panel: &AreaPanel, i: usize) {
        let origin = self.origin(i);
        let (left, bottom) = origin;
        pen.text("name bare", (left, bottom - SIDE - 12), &tame(&panel.name));
        let drawn: Vec<(&Area, Corners)> =
            panel.areas.iter().map(|area| (area, area.corners(self.most()))).collect();
        for (area, corners) in drawn.iter().filter(|(_, corners)| corners.len() > 2) {
            self.fill(pen, origin, area.side, corners);
        }
        pen.line("life", origin, (left + SIDE, bottom));
        pen.line("life", (left, bottom - SIDE), origin);
        let borders = panel.borders(self.most());
        for border in &borders {
            self.border(pen, origin, border);
        }
        for (area, corners) in drawn.iter().filter(|(_, corners)| corners.len() > 2) {
            self.word(pen, origin, area, corners);
        }
        self.labels(pen, origin);
        for (line, words) in self.captions[i].iter().enumerate() {
            pen.text("bare", (left, bottom + BELOW + 12 + line * LEADING), words);
        }
    }

    fn fill(&self, pen: &mut Pen, origin: (usize, usize), side: AreaSide, corners: &Corners) {
        let mut outline = String::new();
        for (at, &(point, _)) in corners.iter().enumerate() {
            let (x, y) = self.place(origin, point);
            outline.push_str(&format!("{}{x} {y}", if at == 0 { 'M' } else { 'L' }));
        }
        outline.push('z');
        painted(pen, side, &outline);
    }

    /// The word of a piece in its middle, where there is room for it.
    fn word(&self, pen: &mut Pen, origin: (usize, usize), area: &Area, corners: &Corners) {
        let n = corners.len() as f64;
        let sum = corners.iter().fold((0.0, 0.0), |sum, ((x, y), _)| (sum.0 + x, sum.1 + y));
        let (x, y) = (sum.0 / n, sum.1 / n);
        let scale = self.most() / SIDE as f64;
        let half = scale * (pixels(words(area.side)) / 2 + 4) as f64;
        let ends = [x - half, x + half].map(|end| [y - 8.0 * scale, y + 8.0 * scale].map(|at| (end, at)));
        if ends.as_flattened().iter().all(|end| area.contains(*end, self.most())) {
            let (x, y) = self.place(origin, (x, y));
            pen.text("mid word", (x, y + 4), words(area.side));
        }
    }

    fn border(&self, pen: &mut Pen, origin: (usize, usize), border: &AreaBorder) {
        let (from, to) = (self.place(origin, border.from), self.place(origin, border.to));
        pen.line("glow", from, to);
        pen.line(border_class(border.on, border.alone), from, to);
    }

    fn labels(&self, pen: &mut Pen, (left, bottom): (usize, usize)) {
        let steps = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u32.pow(power)));
        let step = steps.into_iter().find(|step| self.map.most / step <= 8).unwrap_or(self.map.most.max(1));
        for value in (0..=self.map.most).step_by(step as usize) {
            let (x, y) = self.place((left, bottom), (f64::from(value), f64::from(value)));
            pen.line("life", (x, bottom), (x, bottom + 4));
            pen.line("life", (left - 4, y), (left, y));
            pen.text("mid small faint bare", (x, bottom + 17), &value.to_string());
            pen.text("end small faint bare", (left - 7, y + 4), &value.to_string());
        }
        let [across, up] = &self.map.axes;
        pen.text("mid bare", (left + SIDE / 2, bottom + 36), &format!("{} →", tame(across)));
        pen.text("end bare", (left - 7, bottom - SIDE - 12), &upwards(up));
    }

    /// Draws the legend, and says where the drawing ends.
    fn legend(&self, pen: &mut Pen) -> usize {
        let rows = self.map.panels.len().div_ceil(ABREAST).max(1);
        let mut y = self.top() + rows * self.pitch() - 24;
        let mut x = MARGIN;
        let sides = [AreaSide::Holds, AreaSide::Fails, AreaSide::Undecided];
        let has =
            |side: AreaSide| self.map.panels.iter().flat_map(|panel| &panel.areas).any(|a| a.side == side);
        let borders: Vec<AreaBorder> =
            self.map.panels.iter().flat_map(|panel| panel.borders(self.most())).collect();
        let on = |holds: bool| borders.iter().any(|border| (border.on == Some(AreaSide::Holds)) == holds);
        let areas = sides.into_iter().filter(|side| has(*side)).map(|side| (Err(side), words(side)));
        let lines = [(true, "border where it holds"), (false, "border where it does not")];
        let lines = lines.into_iter().filter(|(holds, _)| on(*holds)).map(|(holds, said)| (Ok(holds), said));
        for (sign, said) in areas.chain(lines) {
            let width = 34 + pixels(said) + 18;
            if x > MARGIN && x + width > self.width - MARGIN {
                (x, y) = (MARGIN, y + 22);
            }
            match sign {
                Ok(holds) => {
                    pen.line("glow", (x, y), (x + 26, y));
                    pen.line(if holds { "border" } else { "border open" }, (x, y), (x + 26, y));
                }
                Err(side) => painted(pen, side, &format!("M{} {}h20v16h-20z", x + 4, y - 8)),
            }
            pen.text("small bare", (x + 34, y + 4), said);
            x += width;
        }
        y + MARGIN
    }
}

/// The name of the parameter that grows upwards.
fn upwards(name: &str) -> String {
    format!("{} ↑", tame(name))
}

fn words(side: AreaSide) -> &'static str {
    match side {
        AreaSide::Holds => "holds",
        AreaSide::Fails => "fails",
        AreaSide::Undecided => "undecided",
    }
}

/// A line that is a piece of its own has the colour of its side.
fn border_class(on: Option<AreaSide>, alone: bool) -> &'static str {
    match (on, alone) {
        (Some(AreaSide::Holds), _) => "border",
        (Some(AreaSide::Fails), true) => "border bad open",
        (Some(AreaSide::Undecided), true) => "border doubtful open",
        _ => "border open",
    }
}

fn painted(pen: &mut Pen, side: AreaSide, outline: &str) {
    match side {
        AreaSide::Holds => pen.path("holds", outline),
        AreaSide::Fails => {
            pen.path("fails", outline);
            pen.path("hatched", outline);
        }
        AreaSide::Undecided => {
            pen.path("undecided", outline);
            pen.path("dotted", outline);
        }
    }
}
