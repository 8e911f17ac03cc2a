//! Tests of the view of a cluster, from statuses that were said once.

use super::*;
use crate::cluster::live::desk::tests::cluster;

/// What p0 of three nodes says, of which p2 is suspected.
fn status() -> Value {
    json!({
        "incarnation": "7", "phase": "running", "uptime": 12.5, "worst_late": 0.001, "stalled": 0.25,
        "state": "round 3", "decision": null, "view": null,
        "peers": [
            { "peer": "p1", "name": null, "address": "127.0.0.1:7301", "suspected": null, "evidence": null,
              "heard": { "kind": "I-AM-ALIVE", "ago": 0.25 }, "probed": { "kind": "ARE-YOU-ALIVE", "ago": 0.5 },
              "round_trip": { "last": 0.002, "least": 0.001, "most": 0.004 }, "worst_delay": 0.003, "lost": 2 },
            { "peer": "p2", "suspected": 1.5,
              "evidence": { "cause": "timer Round", "late": 0.001, "heard": { "kind": "I-AM-ALIVE", "ago": 0.999 },
                            "probed": null, "round_trip": null, "left": false },
              "heard": { "kind": "I-AM-ALIVE", "ago": 2.499 }, "probed": null, "round_trip": null,
              "worst_delay": null, "lost": 0 },
        ],
        "timers": [{ "timer": "Round", "due_in": 0.3 }], "timeouts": [{ "timer": "Round", "lasts": 0.5 }],
        "breaches": [{ "ago": 1.25, "assumption": "speed", "what": "this node was late" }],
    })
}

fn row<'a>(process: usize, state: &'a ChildState, view: Option<&'a NodeView>) -> ClusterRow<'a> {
    let last = view.map(|_| ("p0 suspects p2", Duration::from_secs(1)));
    ClusterRow { process: Pid::at(process), state, since: Duration::from_secs(3), view, last }
}

fn shown(state: &ChildState, status: Option<&Value>, cuts: Vec<(Pid, Pid)>) -> Value {
    let (cluster, view) = (cluster(true), status.map(|status| NodeView::of(status).expect("a status")));
    let in_force = BTreeMap::from([(Pid::at(2), json!([{ "timer": "Round", "lasts": 0.5 }]))]);
    let news = VecDeque::from([(Duration::from_millis(3250), "p2 is killed".to_string())]);
    let age = Duration::from_millis(50);
    let node = LiveNode { row: row(0, state, view.as_ref()), age, in_force: &in_force };
    let dropped = cuts.iter().map(|(a, b)| (*a, *b, 9)).collect();
    let uptime = Duration::from_secs(13);
    LiveView { cluster: &cluster, uptime, nodes: vec![node], cuts, dropped, news: &news }.json()
}

#[test]
fn every_key_of_a_node_is_there_with_what_it_said() {
    let cuts = vec![(Pid::at(0), Pid::at(2))];
    let view = shown(&ChildState::Up, Some(&status()), cuts);
    let top = view.as_object().expect("an object");
    for key in
        ["protocol", "n", "running", "control", "tick", "uptime", "assumptions", "nodes", "cuts", "partition"]
    {
        assert!(top.contains_key(key), "{key}");
    }
    assert_eq!(view["cuts"], json!([["p0", "p2"]]));
    assert_eq!(view["dropped"], json!([{ "from": "p0", "to": "p2", "count": 9 }]));
    assert_eq!(view["news"], json!([{ "at": 3.25, "what": "p2 is killed" }]));
    assert_eq!((&view["partition"], &view["uncut"]), (&json!(true), &Value::Null));
    let node = &view["nodes"][0];
    assert_eq!(
        (&node["name"], &node["state"], &node["why"]),
        (&json!("p0"), &json!("running"), &Value::Null)
    );
    assert_eq!(
        (&node["uptime"], &node["worst_late"], &node["stalled"]),
        (&json!(12.5), &json!(0.001), &json!(0.25))
    );
    assert_eq!(node["timers"], json!([{ "timer": "Round", "due_in": 0.3 }]));
    assert_eq!(node["breaches"], json!([{ "ago": 1.25, "what": "this node was late" }]));
    assert_eq!(node["last"], json!({ "what": "p0 suspects p2", "ago": 1.0 }));
    assert_eq!((&node["state_text"], &node["age"]), (&json!("round 3"), &json!(0.05)));
    let p1 = &node["peers"][0];
    assert_eq!(
        *p1,
        json!({
            "peer": "p1", "suspected": null, "evidence": null, "heard": { "kind": "I-AM-ALIVE", "ago": 0.25 },
            "probed": { "kind": "ARE-YOU-ALIVE", "ago": 0.5 },
            "round_trip": { "last": 0.002, "least": 0.001, "most": 0.004 },
            "worst_delay": 0.003, "lost": 2, "left": null, "cut": false,
        })
    );
    assert_eq!((&node["peers"][1]["cut"], &node["peers"][1]["suspected"]), (&json!(true), &json!(1.5)));
}

#[test]
fn a_suspicion_comes_with_what_it_rests_on() {
    let view = shown(&ChildState::Up, Some(&status()), Vec::new());
    let suspects = view["nodes"][0]["suspects"].as_array().expect("a list");
    assert_eq!(suspects.len(), 1);
    assert_eq!((&suspects[0]["peer"], &suspects[0]["since"]), (&json!("p2"), &json!(1.5)));
    let evidence = &suspects[0]["evidence"];
    assert_eq!(evidence["heard"], json!({ "kind": "I-AM-ALIVE", "ago": 0.999 }));
    assert_eq!(evidence["timeouts"], json!([{ "timer": "Round", "lasts": 0.5 }]));
    assert_eq!(
        evidence["text"].as_str(),
        Some("timer Round made it suspect; last heard I-AM-ALIVE 999 ms before; timeouts: Round of 500 ms")
    );
    let mut brief = status();
    brief["peers"] = json!([{ "peer": "p2", "name": null, "suspected": 1.5 }]);
    let view = shown(&ChildState::Up, Some(&brief), Vec::new());
    assert_eq!(view["nodes"][0]["suspects"], json!([{ "peer": "p2", "since": 1.5, "evidence": null }]));
}

#[test]
fn a_node_that_does_not_run_has_no_opinion_and_one_that_is_paused_keeps_its_last() {
    for (state, name) in [
        (ChildState::Killed, "killed"),
        (ChildState::Left(true), "left"),
        (ChildState::Failed("it ended with exit code 150".to_string()), "failed"),
    ] {
        let node = &shown(&state, Some(&status()), Vec::new())["nodes"][0];
        assert_eq!(
            (&node["state"], &node["suspects"], &node["peers"]),
            (&json!(name), &json!([]), &json!([]))
        );
        assert_eq!(
            (&node["uptime"], &node["timers"], &node["state_text"]),
            (&json!(0.0), &json!([]), &json!(""))
        );
        let why = (name == "failed").then_some("it ended with exit code 150");
        assert_eq!(node["why"].as_str(), why);
    }
    let paused = &shown(&ChildState::Paused, Some(&status()), Vec::new())["nodes"][0];
    assert_eq!((&paused["state"], &paused["suspects"][0]["peer"]), (&json!("paused"), &json!("p2")));
    let starting = &shown(&ChildState::Up, None, Vec::new())["nodes"][0];
    assert_eq!((&starting["state"], &starting["last"]), (&json!("starting"), &Value::Null));
}
