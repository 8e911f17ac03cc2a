//! SVG as geometry: well-formed, nothing outside of the page, and no text on another or on a lifeline.

use crate::figures;
use roxmltree::{Document, Node};
use watchkeeper_report::Chart;

/// A box around a text, measured with letters of an average width.
#[derive(Clone, Debug)]
struct Box {
    #[allow(dead_code, reason = "shown when a test fails")]
    text: String,
    class: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Box {
    fn overlaps(&self, other: &Box) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is(&self, class: &str) -> bool {
        self.class.split(' ').any(|own| own == class)
    }
}

fn number(node: &Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} of {node:?}"))
}

fn texts(document: &Document<'_>) -> Vec<Box> {
    let of = |node: Node<'_, '_>| {
        let class = node.attribute("class").unwrap_or_default().to_string();
        let text = node.text().unwrap_or_default().to_string();
        let size = if class.split(' ').any(|class| class == "small") { 11.0 } else { 13.0 };
        let width = text.chars().count() as f64 * size * 0.56;
        let (x, y) = (number(&node, "x"), number(&node, "y"));
        let left = match class.split(' ').find(|class| ["end", "mid"].contains(class)) {
            Some("end") => x - width,
            Some(_) => x - width / 2.0,
            None => x,
        };
        Box { text, class, left, right: left + width, top: y - size * 0.75, bottom: y + size * 0.2 }
    };
    document.descendants().filter(|node| node.has_tag_name("text")).map(of).collect()
}

#[test]
fn drawings_are_well_formed_and_stand_alone() {
    for (name, trace) in figures::all() {
        let svg = Chart::of(&trace).svg(&name);
        let document = Document::parse(&svg).unwrap_or_else(|why| panic!("{name}: {why}\n{svg}"));
        let root = document.root_element();
        assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        let tags: Vec<&str> =
            root.children().filter(Node::is_element).map(|node| node.tag_name().name()).collect();
        assert_eq!(tags[..3], ["title", "desc", "style"], "{name}");
        assert!(!tags.contains(&"script") && !svg.contains("href"), "{name}");
        let desc = root.children().find(|node| node.has_tag_name("desc")).and_then(|node| node.text());
        for step in trace.steps.iter().filter(|step| !step.action.ends_with(" passes")) {
            assert!(desc.is_some_and(|desc| desc.contains(step.action.trim())), "{name}: {}", step.action);
        }
    }
}

#[test]
fn no_text_lies_on_another_or_outside_of_the_page() {
    for (name, trace) in figures::all() {
        let svg = Chart::of(&trace).svg(&name);
        let document = Document::parse(&svg).expect("well-formed");
        let (width, height) =
            (number(&document.root_element(), "width"), number(&document.root_element(), "height"));
        let texts = texts(&document);
        for (i, text) in texts.iter().enumerate() {
            let inside = text.left >= 0.0 && text.right <= width && text.top >= 0.0 && text.bottom <= height;
            assert!(inside, "{name}: {text:?} is not within {width} x {height}");
            if let Some(other) = texts[..i].iter().find(|other| other.overlaps(text)) {
                panic!("{name}: {text:?} lies on {other:?}");
            }
        }
    }
}

#[test]
fn no_label_lies_on_a_lifeline() {
    for (name, trace) in figures::all() {
        let chart = Chart::of(&trace);
        let svg = chart.svg(&name);
        let document = Document::parse(&svg).expect("well-formed");
        let lifelines: Vec<Box> = document
            .descendants()
            .filter(|node| {
                node.attribute("class") == Some("life") && node.attribute("x1") == node.attribute("x2")
            })
            .map(|node| Box {
                text: String::new(),
                class: String::new(),
                left: number(&node, "x1"),
                right: number(&node, "x1") + 0.1,
                top: number(&node, "y1"),
                bottom: number(&node, "y2"),
            })
            .collect();
        let drawn: usize = chart.lifelines.iter().map(|lifeline| lifeline.up_spans.len()).sum();
        assert_eq!(lifelines.len(), drawn, "{name}");
        // Names and words across the whole chart are meant to lie on them.
        let meant = |text: &Box| {
            ["name", "mid faint", "strong", "note"].iter().any(|class| text.class.contains(class))
        };
        for text in texts(&document).iter().filter(|text| !meant(text) || text.is("k0")) {
            assert!(!lifelines.iter().any(|line| line.overlaps(text)), "{name}: {text:?} lies on a lifeline");
        }
    }
}
