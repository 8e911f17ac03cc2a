//! Pictures of regions: drawings that stand alone, in which nothing is told by its colour alone.

use crate::golden;
use roxmltree::Document;
use watchkeeper_report::{Area, AreaMap, AreaPanel, AreaSide, HalfPlane};

fn plane(a: f64, b: f64, strict: bool) -> HalfPlane {
    HalfPlane { a, b, c: 0.0, strict }
}

/// The regions of R1 and R2 of the binary protocol, and a plane of which a part is undecided.
fn binary() -> AreaMap {
    let domain = [plane(-1.0, 1.0, false), plane(1.0, 0.0, true)];
    let area =
        |side, bounds: &[HalfPlane]| Area { side, bounds: domain.iter().chain(bounds).copied().collect() };
    let panel = |name: &str, caption: &str, areas| AreaPanel {
        name: name.to_string(),
        areas,
        caption: caption.to_string(),
    };
    let r1 = vec![
        area(AreaSide::Holds, &[plane(2.0, -1.0, true)]),
        area(AreaSide::Fails, &[plane(-2.0, 1.0, false)]),
    ];
    let r2 = vec![
        area(AreaSide::Holds, &[plane(-1.0, 1.0, true)]),
        area(AreaSide::Fails, &[plane(1.0, -1.0, false)]),
    ];
    let open = vec![
        area(AreaSide::Holds, &[plane(4.0, -1.0, false)]),
        area(AreaSide::Undecided, &[plane(-4.0, 1.0, true)]),
    ];
    AreaMap {
        title: "binary, for all tmin and tmax with tmin <= tmax & tmin > 0".to_string(),
        axes: ["tmin".to_string(), "tmax".to_string()],
        most: 10,
        panels: vec![
            panel("R1", "holds iff 2*tmin > tmax", r1),
            panel("R2", "holds iff tmin < tmax", r2),
            panel("R3", "holds if 4*tmin >= tmax", open),
        ],
    }
}

#[test]
fn areas_stand_alone() {
    let svg = binary().svg();
    golden::check("areas.svg", &svg);
    let document = Document::parse(&svg).unwrap_or_else(|why| panic!("{why}\n{svg}"));
    let count =
        |class: &str| document.descendants().filter(|node| node.attribute("class") == Some(class)).count();
    // Each area of a kind, and its entry in the legend.
    assert_eq!((count("holds"), count("fails"), count("undecided")), (4, 2, 2));
    assert_eq!((count("hatched"), count("dotted")), (count("fails"), count("undecided")));
    assert_eq!(count("border bad open"), 1, "R2 fails on a line");
    assert!(svg.contains("border where it holds") && svg.contains("border where it does not"));
    assert!(!svg.contains("href") && !svg.contains("script"));
}

#[test]
fn a_strict_border_is_dashed_and_another_is_not() {
    let only = |strict: bool| {
        let mut map = binary();
        map.panels.truncate(1);
        map.panels[0].areas = vec![Area { side: AreaSide::Holds, bounds: vec![plane(2.0, -1.0, strict)] }];
        map.svg()
    };
    assert!(only(true).contains("\"border open\"") && !only(true).contains("\"border\""));
    assert!(only(false).contains("\"border\"") && !only(false).contains("\"border open\""));
}

#[test]
fn empty_and_odd_areas_do_not_panic() {
    let mut map = binary();
    map.panels[0].areas.clear();
    map.panels[1].areas[0].bounds = vec![HalfPlane { a: 0.0, b: 0.0, c: -1.0, strict: false }];
    map.panels[2].areas[0].bounds = vec![HalfPlane { a: f64::MAX, b: f64::MIN, c: f64::NAN, strict: true }];
    map.most = 0;
    assert!(Document::parse(&map.svg()).is_ok());
    map.panels.clear();
    assert!(Document::parse(&map.svg()).is_ok());
}
