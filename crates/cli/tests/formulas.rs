//! Formulas of the modal mu-calculus and queries about states, of protocols.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

const RING: [&str; 6] = ["check", "ring", "--n", "2", "--channel", "drop:1"];
const BLOCKED: [&str; 6] = ["check", "ring", "--crashes", "1", "--channel", "block:1"];

fn ask(scenario: &[&str], asked: &[&str]) -> (i32, Value) {
    let said = watchkeeper(&[scenario, asked, &["--json", "-", "--quiet"]].concat());
    let verdict =
        serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {}{}", said.out, said.err));
    (said.code, verdict)
}

#[test]
fn a_formula_and_a_query_and_a_property_agree() {
    for (scenario, code) in [(&RING[..], 0), (&BLOCKED[..], 12)] {
        for asked in [["--mcf", "[true*]<true>true"], ["--query", "A[] not deadlock"]] {
            let (found, verdict) = ask(scenario, &asked);
            assert_eq!(found, code, "{asked:?}: {verdict:#}");
            assert_eq!(verdict["verdict"], if code == 0 { "holds" } else { "violated" });
        }
    }
}

#[test]
fn a_violation_is_a_run_that_the_world_has_executed_again() {
    let (_, verdict) = ask(&BLOCKED, &["--query", "A[] not deadlock"]);
    // The shortest deadlock of this scenario.
    assert_eq!(verdict["trace_steps"], 6, "{verdict:#}");
    assert_eq!(verdict["finding"], "safety");
}

#[test]
fn the_evidence_is_a_part_of_the_space() {
    let room = Room::new("evidence");
    let file = room.arg("part.aut");
    let said = watchkeeper(&[&BLOCKED[..], &["--mcf", "<true*>[true]false", "--evidence", &file]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("A run that shows it"), "{}", said.out);
    let part = room.read("part.aut");
    let said = watchkeeper(
        &[
            &BLOCKED[..],
            &["--mcf", "<true*>exists p,q: Process. exists m: Message. <block_(p,q,m)>true", "-q"],
        ]
        .concat(),
    );
    assert_eq!(said.code, 0, "a word of the language is written with _ at the end: {}", said.err);
    assert!(part.starts_with("des (0,") && part.lines().count() > 6, "{part}");
}

#[test]
fn actions_have_data() {
    let formula = "[true*]forall p,q: Process. [suspect(p,q)]val(p != q)";
    assert_eq!(ask(&RING, &["--mcf", formula]).0, 0);
    let formula = "[true*]forall p,q: Process. [suspect(p,q)]val(p == q)";
    assert_eq!(ask(&RING, &["--mcf", formula]).0, 12);
    let (code, verdict) =
        ask(&RING, &["--mcf", "nu X. mu Y. <exists p,q: Process. suspect(p,q)>X || <true>Y"]);
    assert_eq!((code, &verdict["verdict"]), (0, &Value::from("holds")));
}

#[test]
fn what_is_no_formula_is_refused_where_it_is() {
    for (formula, place) in [
        ("[true*]<sned(p0,p1,beat)>true", "line 1, column 9"),
        ("mu X. !X", "line 1, column 8"),
        ("mu X. X", "line 1, column 7"),
        ("[true*]Y", "line 1, column 8"),
        ("[suspect(p0,1)]false", "line 1, column 2"),
        ("[true*]<true", "line 1, column 13"),
        ("delay", "line 1, column 1"),
    ] {
        let said = watchkeeper(&[&RING[..], &["--mcf", formula]].concat());
        assert_eq!(said.code, 150, "{formula}: {}", said.out);
        assert!(said.err.contains(place), "{formula}: {}", said.err);
    }
    let said = watchkeeper(&[&RING[..], &["--query", "A[] suspects(p0,p7)"]].concat());
    assert_eq!(said.code, 150, "{}", said.out);
}

#[test]
fn what_a_space_does_not_preserve_is_refused() {
    let dense = ["check", "binary", "--time", "dense", "--mcf", "[true*]<true>true"];
    let said = watchkeeper(&dense);
    assert_eq!(said.code, 150, "{}", said.out);
    assert!(said.err.contains("zones"), "{}", said.err);
    for flag in [["--symmetry", "--quiet"], ["--reduce", "order"], ["--property", "deadlock"]] {
        let said = watchkeeper(&[&RING[..], &["--mcf", "[true*]<true>true"], &flag].concat());
        assert_eq!(said.code, 150, "{flag:?}: {}", said.out);
    }
}

#[test]
fn a_limit_leaves_the_answer_open() {
    let (code, verdict) = ask(&RING, &["--mcf", "[true*]<true>true", "--max-states", "20"]);
    assert_eq!((code, &verdict["limit"]["kind"]), (153, &Value::from("states")));
}

#[test]
fn a_file_with_a_state_space_can_be_asked() {
    let room = Room::new("listed");
    let file = room.file("t.aut", "des (0,3,3)\n(0,\"a(1)\",1)\n(1,\"b(x)\",0)\n(1,\"tau\",2)\n");
    let (code, verdict) = ask(&["check", &file], &["--mcf", "[true*]<true>true"]);
    assert_eq!((code, &verdict["trace_steps"]), (12, &Value::from(2)));
    assert_eq!(ask(&["check", &file], &["--mcf", "<true*>exists n: Nat, w: Word. <a(n).b(w)>true"]).0, 0);
    let said = watchkeeper(&["check", &file, "--mcf", "<b(y)>true"]);
    assert_eq!(said.code, 150, "{}", said.out);
}

#[test]
fn a_specification_can_be_asked() {
    let room = Room::new("specification");
    let text = "act put, get: Nat; proc P(n: Nat) = put(n) . P(n) + (n < 2) -> get(n) . P(n + 1); init P(0);";
    let file = room.file("t.mcrl2", text);
    assert_eq!(ask(&["check", &file], &["--mcf", "[true*]forall n: Nat. [put(n)]val(n <= 2)"]).0, 0);
    assert_eq!(ask(&["check", &file], &["--mcf", "[true*]forall n: Nat. [get(n)]val(n < 1)"]).0, 12);
    assert_eq!(ask(&["check", &file], &["--mcf", "mu X. [!get(1)]X"]).0, 13);
}
