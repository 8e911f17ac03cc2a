//! Maps of parameters: as text against golden files, and as drawings that stand alone.

use crate::golden;
use roxmltree::Document;
use watchkeeper_report::{Border, Panel, Region, RegionAxis, RegionCell, Style};

fn axis(name: &str, first: i64, count: usize) -> RegionAxis {
    RegionAxis { name: name.to_string(), first, count }
}

/// All pairs up to `n`, where `y` is at least `x`.
fn pairs(n: i64, holds: impl Fn(i64, i64) -> Option<bool>) -> Vec<RegionCell> {
    let cell = |x: i64, y: i64| match holds(x, y) {
        _ if x > y => RegionCell::Impossible,
        Some(true) => RegionCell::Holds,
        Some(false) => RegionCell::Fails,
        None => RegionCell::Unknown,
    };
    (1..=n).flat_map(|y| (1..=n).map(move |x| (x, y))).map(|(x, y)| cell(x, y)).collect()
}

fn binary(n: i64) -> Region {
    let caption = |name: &str, border: &str| {
        format!("conjecture, from {} cells: {name} holds exactly where {border}", n * (n + 1) / 2)
    };
    let panels = vec![
        Panel {
            name: "R1".to_string(),
            cells: pairs(n, |x, y| Some(2 * x > y)),
            caption: caption("R1", "2*tmin > tmax"),
            borders: vec![Border { a: 2, b: -1, c: 0 }],
        },
        Panel {
            name: "R2".to_string(),
            cells: pairs(n, |x, y| (x * y != 12).then_some(x < y)),
            caption: caption("R2", "tmin < tmax"),
            borders: vec![Border { a: 1, b: -1, c: 0 }],
        },
        Panel {
            name: "R3".to_string(),
            cells: pairs(n, |_, _| Some(true)),
            caption: String::new(),
            borders: Vec::new(),
        },
    ];
    let (x, y) = (axis("tmin", 1, n as usize), Some(axis("tmax", 1, n as usize)));
    Region { title: "binary, dense time: where R1, R2 and R3 hold".to_string(), x, y, panels }
}

fn line() -> Region {
    let cells = (0..12).map(|i| if i < 4 { RegionCell::Fails } else { RegionCell::Holds }).collect();
    let panel = Panel {
        name: "in-order".to_string(),
        cells,
        caption: "conjecture, from 12 cells: in-order holds exactly where stamps >= 5".to_string(),
        borders: vec![Border { a: 1, b: 0, c: -5 }],
    };
    Region { title: "stop-and-wait".to_string(), x: axis("stamps", 1, 12), y: None, panels: vec![panel] }
}

#[test]
fn maps_as_text() {
    golden::check("region.txt", &binary(24).text(&Style::default()));
    golden::check("region-line.txt", &line().text(&Style { unicode: false, ..Style::default() }));
    let narrow = binary(24).text(&Style { width: 20, ..Style::default() });
    assert!(narrow.contains("24 columns are too many to be shown here"), "{narrow}");
    let tight = binary(24).text(&Style { width: 40, ..Style::default() });
    assert!(tight.lines().all(|line| line.chars().count() <= 80), "{tight}");
}

#[test]
fn every_cell_has_its_letter() {
    let text = binary(10).text(&Style::default());
    let count = |letter| {
        text.lines().filter(|line| line.contains('│')).flat_map(str::chars).filter(|c| *c == letter).count()
    };
    assert_eq!((count('T'), count('F'), count('?')), (30 + 43 + 55, 25 + 10, 2));
}

#[test]
fn maps_as_drawings_stand_alone() {
    for (name, region) in [("region", binary(24)), ("region-line", line())] {
        let svg = region.svg();
        golden::check(&format!("{name}.svg"), &svg);
        let document = Document::parse(&svg).unwrap_or_else(|why| panic!("{name}: {why}\n{svg}"));
        let with = |class: &'static str| {
            document.descendants().filter(move |node| node.attribute("class") == Some(class))
        };
        let squares = |class| -> usize {
            with(class).filter_map(|node| node.attribute("d")).map(|d| d.matches('M').count()).sum()
        };
        let cells = |what: RegionCell| {
            region.panels.iter().flat_map(|panel| &panel.cells).filter(|cell| **cell == what).count()
        };
        assert_eq!(squares("holds"), cells(RegionCell::Holds), "{name}");
        assert_eq!(squares("fails"), cells(RegionCell::Fails), "{name}");
        assert_eq!(squares("unknown"), cells(RegionCell::Unknown), "{name}");
        // Two strokes for each failure, and those in the legend.
        assert_eq!(squares("cross"), 2 * (cells(RegionCell::Fails) + 1), "{name}");
        assert!(with("border").count() >= 2, "{name}: the border and its entry in the legend");
        assert!(!svg.contains("href") && !svg.contains("script"));
    }
}

#[test]
fn large_and_empty_maps_do_not_panic() {
    let empty = Region { title: String::new(), x: axis("x", 1, 0), y: None, panels: Vec::new() };
    empty.text(&Style::default());
    empty.svg();
    binary(200).text(&Style::default());
    assert!(Document::parse(&binary(200).svg()).is_ok());
}
