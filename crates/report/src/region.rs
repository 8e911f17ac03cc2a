//! Where properties hold in a grid of parameters: one small map for each property, as text for a terminal
//! and as a picture. A map shows what was found cell by cell; a conjectured border is drawn over it and
//! never in place of it.

mod svg;
mod text;

/// Properties over a grid of one or two parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// What is shown: the protocol, and what is the same in every cell.
    pub title: String,
    /// The parameter that grows to the right.
    pub x: RegionAxis,
    /// The parameter that grows upwards; `None` if there is one parameter only.
    pub y: Option<RegionAxis>,
    /// One map for each property.
    pub panels: Vec<Panel>,
}

/// A parameter and its values, in steps of 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionAxis {
    /// Its name.
    pub name: String,
    /// Its first value.
    pub first: i64,
    /// How many values it has.
    pub count: usize,
}

/// The map of one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panel {
    /// The property.
    pub name: String,
    /// The cells, row by row from the first value of `y` on, each row along `x`.
    pub cells: Vec<RegionCell>,
    /// What is said below the map.
    pub caption: String,
    /// The borders of the region that is conjectured.
    pub borders: Vec<Border>,
}

/// The result of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionCell {
    /// There is no such configuration.
    Impossible,
    /// The property holds.
    Holds,
    /// It does not.
    Fails,
    /// The search ended too early to tell.
    Unknown,
}

/// The line a·x + b·y + c = 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Border {
    /// The factor of `x`.
    pub a: i64,
    /// The factor of `y`.
    pub b: i64,
    /// What is added.
    pub c: i64,
}

impl RegionAxis {
    /// The value at a place.
    pub fn value(&self, at: usize) -> i64 {
        self.first + at as i64
    }

    /// The places that get a label: the first, and the round values, not too close to each other.
    fn ticks(&self, least: usize) -> Vec<usize> {
        let last = self.value(self.count.saturating_sub(1));
        let step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
        let step = step.into_iter().find(|step| *step as usize >= least).unwrap_or(5000);
        let round = |at: &usize| self.value(*at) % step == 0;
        let mut ticks: Vec<usize> = (0..self.count).filter(round).collect();
        if ticks.first().is_none_or(|&first| first >= least) && self.count > 0 {
            ticks.insert(0, 0);
        }
        debug_assert!(ticks.iter().all(|&at| self.value(at) <= last));
        ticks
    }
}

impl Region {
    /// The rows of a map: as many as `y` has values, or one.
    fn height(&self) -> usize {
        self.y.as_ref().map_or(1, |y| y.count)
    }

    /// What is known of a cell; a cell that nobody has filled is impossible.
    fn cell(&self, panel: &Panel, x: usize, y: usize) -> RegionCell {
        panel.cells.get(y * self.x.count + x).copied().unwrap_or(RegionCell::Impossible)
    }
}

impl Panel {
    fn count(&self, what: RegionCell) -> usize {
        self.cells.iter().filter(|cell| **cell == what).count()
    }

    /// How many cells are of each kind, in words.
    fn tally(&self) -> String {
        let possible = self.cells.len() - self.count(RegionCell::Impossible);
        let mut text =
            format!("{} holds in {} of {possible} cells", self.name, self.count(RegionCell::Holds));
        if self.count(RegionCell::Unknown) > 0 {
            text.push_str(&format!(", {} not decided", self.count(RegionCell::Unknown)));
        }
        text
    }
}
