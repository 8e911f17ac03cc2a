//! Where a property holds, as areas of a plane: convex pieces that are given by half-planes, and where their borders
//! belong. Everything here is about a picture; what is exact is the formula beside it.

mod svg;

/// Areas over two parameters: one plane for each property or slice.
#[derive(Clone, PartialEq, Debug)]
pub struct AreaMap {
    /// What is shown.
    pub title: String,
    /// The parameters that grow to the right and upwards.
    pub axes: [String; 2],
    /// Both parameters are shown from 0 up to this.
    pub most: u32,
    /// The planes.
    pub panels: Vec<AreaPanel>,
}

/// One plane.
#[derive(Clone, PartialEq, Debug)]
pub struct AreaPanel {
    /// What is said above it.
    pub name: String,
    /// Its pieces, which share no point.
    pub areas: Vec<Area>,
    /// What is said below it.
    pub caption: String,
}

/// A convex piece.
#[derive(Clone, PartialEq, Debug)]
pub struct Area {
    /// What is known of it.
    pub side: AreaSide,
    /// It is what these have in common.
    pub bounds: Vec<HalfPlane>,
}

/// What is known of the points of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AreaSide {
    /// The property holds.
    Holds,
    /// It fails.
    Fails,
    /// The search ended too early to tell.
    Undecided,
}

/// The points with a·x + b·y + c above 0 if it is strict, else at least 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HalfPlane {
    /// The factor of x.
    pub a: f64,
    /// The factor of y.
    pub b: f64,
    /// What is added.
    pub c: f64,
    /// Whether the border is excluded.
    pub strict: bool,
}

/// How far a point may be from a border, in widths of the map, and still be on it.
const NEAR: f64 = 1e-9;
/// How far beside a border it is looked what is there.
const BESIDE: f64 = 1e-4;

type Point = (f64, f64);

/// A convex polygon: its corners in their order, each with whether the edge that begins there is a border of the area
/// and not of the map.
type Corners = Vec<(Point, bool)>;

impl HalfPlane {
    /// The distance of a point from the border, positive on the side that belongs to it.
    fn distance(&self, (x, y): Point) -> f64 {
        (self.a * x + self.b * y + self.c) / self.a.hypot(self.b).max(f64::MIN_POSITIVE)
    }
}

impl Area {
    fn contains(&self, point: Point, most: f64) -> bool {
        self.bounds.iter().all(|bound| {
            let distance = bound.distance(point);
            if distance.abs() <= most * NEAR { !bound.strict } else { distance > 0.0 }
        })
    }

    /// The polygon of the area in the square from 0 to `most`; a line has two corners.
    fn corners(&self, most: f64) -> Corners {
        let square = [(0.0, 0.0), (most, 0.0), (most, most), (0.0, most)];
        let mut corners: Corners = square.into_iter().map(|point| (point, false)).collect();
        for bound in &self.bounds {
            corners = cut(&corners, bound, most * NEAR);
        }
        let mut kept: Corners = Vec::new();
        for (at, &(point, border)) in corners.iter().enumerate() {
            let next = corners[(at + 1) % corners.len()].0;
            if (next.0 - point.0).hypot(next.1 - point.1) > most * 1e-6 {
                kept.push((point, border));
            }
        }
        kept
    }
}

/// The part of a convex polygon in a half-plane.
fn cut(corners: &[(Point, bool)], bound: &HalfPlane, near: f64) -> Corners {
    let mut left: Corners = Vec::new();
    for (at, &(point, border)) in corners.iter().enumerate() {
        let next = corners[(at + 1) % corners.len()].0;
        let (here, there) = (bound.distance(point), bound.distance(next));
        let meeting = || {
            let share = here / (here - there);
            (point.0 + share * (next.0 - point.0), point.1 + share * (next.1 - point.1))
        };
        match (here >= -near, there >= -near) {
            // An edge on the border itself is one of the area's.
            (true, true) => left.push((point, border || here.abs().max(there.abs()) <= near)),
            (true, false) if here <= near => left.push((point, true)),
            (true, false) => left.extend([(point, border), (meeting(), true)]),
            (false, true) if there > near => left.push((meeting(), border)),
            (false, _) => {}
        }
    }
    left
}

/// A border between areas, or between one and the outside.
#[derive(Clone, Copy, PartialEq, Debug)]
struct AreaBorder {
    from: Point,
    to: Point,
    /// The areas that its own points belong to, if they belong to any.
    on: Option<AreaSide>,
    /// Whether the piece that it bounds is nothing else but this line.
    alone: bool,
}

impl AreaPanel {
    fn side(&self, point: Point, most: f64) -> Option<AreaSide> {
        self.areas.iter().find(|area| area.contains(point, most)).map(|area| area.side)
    }

    /// The borders that divide what differs, each with what is known of its own points.
    fn borders(&self, most: f64) -> Vec<AreaBorder> {
        let mut found = Vec::new();
        for area in &self.areas {
            let corners = area.corners(most);
            for (at, &(from, border)) in corners.iter().enumerate() {
                let to = corners[(at + 1) % corners.len()].0;
                let (dx, dy) = (to.0 - from.0, to.1 - from.1);
                let length = dx.hypot(dy);
                let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
                let beside = |sign: f64| {
                    let step = sign * most * BESIDE / length;
                    self.side((middle.0 - dy * step, middle.1 + dx * step), most)
                };
                let on = self.side(middle, most);
                let alone = corners.len() == 2;
                let divides = beside(1.0) != on || beside(-1.0) != on;
                let inside = (0.0..=most).contains(&middle.0) && (0.0..=most).contains(&middle.1);
                if border && inside && divides && !(alone && at == 1) {
                    found.push(AreaBorder { from, to, on, alone });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(a: f64, b: f64, c: f64, strict: bool) -> HalfPlane {
        HalfPlane { a, b, c, strict }
    }

    fn points(area: &Area) -> Vec<Point> {
        area.corners(4.0).into_iter().map(|(point, _)| point).collect()
    }

    #[test]
    fn an_area_is_cut_out_of_the_map() {
        let all = Area { side: AreaSide::Holds, bounds: Vec::new() };
        assert_eq!(points(&all).len(), 4);
        // y <= 2x and x <= y: a triangle to the upper right.
        let bounds = vec![plane(2.0, -1.0, 0.0, false), plane(-1.0, 1.0, 0.0, false)];
        let wedge = Area { side: AreaSide::Holds, bounds: bounds.clone() };
        assert_eq!(points(&wedge), [(0.0, 0.0), (4.0, 4.0), (2.0, 4.0)]);
        let borders: Vec<bool> = wedge.corners(4.0).into_iter().map(|(_, border)| border).collect();
        assert_eq!(borders, [true, false, true]);
        let beyond = Area { side: AreaSide::Holds, bounds: vec![plane(1.0, 0.0, -5.0, false)] };
        assert!(points(&beyond).is_empty());
        // x = y is a line.
        let line = Area {
            side: AreaSide::Fails,
            bounds: vec![plane(1.0, -1.0, 0.0, false), plane(-1.0, 1.0, 0.0, false)],
        };
        assert_eq!(points(&line).len(), 2);
    }

    #[test]
    fn a_border_belongs_to_the_side_that_includes_it() {
        let panel = |strict: bool| {
            let low = vec![plane(2.0, -1.0, 0.0, strict)];
            let high = vec![plane(-2.0, 1.0, 0.0, !strict)];
            let areas = [(AreaSide::Holds, low), (AreaSide::Fails, high)];
            let areas = areas.map(|(side, bounds)| Area { side, bounds }).to_vec();
            AreaPanel { name: String::new(), areas, caption: String::new() }
        };
        let on = |strict| panel(strict).borders(4.0).iter().map(|border| border.on).collect::<Vec<_>>();
        assert_eq!(on(true), [Some(AreaSide::Fails); 2]);
        assert_eq!(on(false), [Some(AreaSide::Holds); 2]);
    }

    #[test]
    fn pieces_of_one_side_have_no_border_between_them() {
        let half = |a: f64, c: f64, strict: bool| Area {
            side: AreaSide::Holds,
            bounds: vec![plane(a, 0.0, c, strict)],
        };
        let areas = vec![half(1.0, -2.0, true), half(-1.0, 2.0, false)];
        let mut panel = AreaPanel { name: String::new(), areas, caption: String::new() };
        assert!(panel.borders(4.0).is_empty());
        panel.areas[1].bounds[0].strict = true;
        assert_eq!(panel.borders(4.0).iter().map(|border| border.on).collect::<Vec<_>>(), [None; 2]);
    }
}
