//! Tests of the desk, with a session that answers from a list.

use super::*;
use watchkeeper_protocols::ring::Ring;

/// A cluster of three that is about to run.
pub(in crate::cluster) fn cluster(control: bool) -> LiveCluster {
    LiveCluster {
        entry: ProtocolEntry::of::<Ring>().remove(0),
        n: 3,
        dir: std::env::temp_dir().join("watchkeeper-there-is-no-such-cluster"),
        tick: Duration::from_millis(50),
        assumptions: json!({ "delay": { "ticks": 4, "seconds": 0.2 }, "lossless": true }),
        control,
        uncut: None,
    }
}

#[test]
fn a_desk_without_a_session_says_what_is_known_and_that_nothing_can_be_done_yet() {
    let desk = LiveDesk::new(cluster(true));
    assert!(!desk.wants_details(3));
    let view = desk.view();
    assert_eq!((view["protocol"].as_str(), view["n"].as_u64()), (Some("ring"), Some(3)));
    assert_eq!((&view["running"], &view["tick"]), (&json!(true), &json!(0.05)));
    assert_eq!((&view["nodes"], &view["cuts"], &view["news"]), (&json!([]), &json!([]), &json!([])));
    let chart = desk.chart(5.0);
    assert!(chart["svg"] == json!("") && chart["note"].is_string(), "{chart}");
    assert!(desk.wants_details(3) && !desk.wants_details(65), "somebody has looked");
    let refused = desk.act(&json!({ "act": "kill", "node": "p1" })).unwrap_err();
    assert!(refused.to_string().contains("have not started yet"), "{refused}");
}

#[test]
fn a_desk_for_looking_on_refuses_whatever_is_asked_for() {
    let desk = LiveDesk::new(cluster(false));
    desk.attend(|_| unreachable!("nothing is asked of the session"));
    assert!(!desk.control());
    for act in [json!({ "act": "kill", "node": "p1" }), json!({ "act": "nonsense" }), json!(null)] {
        assert_eq!(desk.act(&act), Err(LiveRefusal::ReadOnly), "{act}");
    }
}

#[test]
fn the_session_answers_and_when_it_has_ended_its_last_view_stays() {
    let desk = LiveDesk::new(cluster(true));
    let over = Arc::new(Mutex::new(false));
    let asked = Arc::clone(&over);
    desk.attend(move |request| {
        match request {
            LiveRequest::View(answer) => drop(answer.send(json!({ "running": true, "n": 3 }))),
            LiveRequest::Act(act, answer) => {
                let unknown = act.names().iter().any(|process| process.index() > 2);
                let refused = || LiveRefusal::NoSuchNode("there is no such node".to_string());
                drop(answer.send(if unknown { Err(refused()) } else { Ok(()) }));
            }
        }
        !*asked.lock().expect("no panic")
    });
    assert_eq!(desk.clone().view(), json!({ "running": true, "n": 3 }));
    assert_eq!(desk.act(&json!({ "act": "pause", "node": "p2" })), Ok(()));
    assert!(matches!(desk.act(&json!({ "act": "pause", "node": "p7" })), Err(LiveRefusal::NoSuchNode(_))));
    assert!(matches!(desk.act(&json!({ "act": "pause" })), Err(LiveRefusal::Unreadable(_))));
    *over.lock().expect("no panic") = true;
    assert_eq!(desk.view(), json!({ "running": false, "n": 3 }));
    assert_eq!(desk.act(&json!({ "act": "heal" })), Err(LiveRefusal::Over));
}

#[test]
fn a_desk_can_be_asked_from_any_thread() {
    fn shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    shared(&LiveDesk::new(cluster(true)));
}
