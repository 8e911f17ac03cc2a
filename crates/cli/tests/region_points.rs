//! Regions held against checks at points beside their facets, and drawn.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

/// What `regions` writes as JSON with so many points on each side of every facet.
fn compared(args: &[&str], points: &str) -> Value {
    let said = watchkeeper(&[&["regions"], args, &["--points", points, "--json", "-", "-q"]].concat());
    assert_eq!(said.code, 0, "{args:?}: {}{}", said.out, said.err);
    serde_json::from_str(&said.out).expect("JSON")
}

#[test]
fn regions_and_checks_agree_beside_every_facet() {
    let heartbeat = ["--param", "tmin", "--param", "tmax", "--property"];
    let detector =
        ["chandra-toueg", "--n", "2", "--param", "period", "--param", "timeout", "--param", "delay"];
    let ring = ["ring", "--param", "round", "--param", "delay", "--channel", "unbounded:4"];
    let accuracy = ["--property", "accuracy"];
    let mut asked: Vec<Vec<&str>> = vec![
        [&detector[..], &["--where", "delay <= 2*period"], &accuracy].concat(),
        [&ring[..], &accuracy].concat(),
    ];
    for variant in ["binary", "revised", "two-phase", "expanding", "dynamic"] {
        asked.extend(["R1", "R2", "R3"].map(|property| [&[variant], &heartbeat[..], &[property]].concat()));
    }
    for args in asked {
        let json = compared(&args, "20");
        let points = &json["points"];
        let counts = ["facets", "compared", "undecided"].map(|key| points[key].as_u64());
        assert_eq!(counts, [Some(1), Some(40), Some(0)], "{args:?}: {points}");
        assert!(points["disagreement"].is_null(), "{args:?}: {points}");
    }
}

/// Beside these facets waits are halved twice, so that most points round, and a multiple of them decides.
#[test]
fn where_halves_are_rounded_a_multiple_of_the_point_decides() {
    let bound = ["binary", "--corrected", "--param", "tmin", "--param", "tmax", "--param", "bound"];
    let given = ["--where", "tmax <= 4*tmin", "--crashes", "1", "--property", "detection"];
    let points = compared(&[&bound[..], &given].concat(), "10")["points"].clone();
    assert!(points["compared"].as_u64() > Some(0) && points["disagreement"].is_null(), "{points}");
    assert!(points["scaled"].as_u64() > Some(0), "{points}");
}

#[test]
fn regions_are_drawn_for_two_parameters_and_refused_for_one() {
    let room = Room::new("region-picture");
    let file = room.arg("r1.svg");
    let drawn = ["--param", "tmin", "--param", "tmax", "--property", "R1", "--svg", &file, "-q"];
    assert_eq!(watchkeeper(&[&["regions", "binary"], &drawn[..]].concat()).code, 0);
    let svg = room.read("r1.svg");
    assert!(svg.contains("HOLDS IFF 2*tmin &gt; tmax") && svg.contains("\"hatched\""), "{svg}");
    let refused = watchkeeper(&["regions", "binary", "--param", "tmax", "--property", "R1", "--svg", &file]);
    assert_eq!(refused.code, 150, "{}", refused.err);
    assert!(refused.err.contains("name one more with --param NAME"), "{}", refused.err);
}
