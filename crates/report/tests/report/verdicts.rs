//! Verdicts, for people and for machines.

use crate::{figures, golden};
use serde_json::Value as Json;
use watchkeeper_logic::{
    Coverage, Ledger, Limit, Outcome, RandomWalks, StateUnit, Stats, Verdict, Violation, ViolationKind,
};
use watchkeeper_report::{RunFacts, Style, headline, render_verdict, verdict_json};
use watchkeeper_space::Role;

fn run() -> RunFacts {
    RunFacts {
        command: "watchkeeper check ring --n 3 --crashes 1 --channel block:1".to_string(),
        seconds: 1.25,
        peak_bytes: 40 << 20,
    }
}

/// That it holds, with the evidence of a search of 157,464 states.
fn holds() -> Outcome {
    let mut ledger = Ledger::open();
    ledger.stores(157_464);
    ledger.expands(157_464, 1_024_000, 1_024_000);
    Outcome::Holds(ledger.close().expect("it balances"))
}

fn verdict(outcome: Outcome) -> Verdict {
    let class = |name: &str, role, count| Coverage { name: name.to_string(), role, count };
    Verdict {
        outcome,
        property: "no deadlock".to_string(),
        assumptions: vec![
            "time: none, messages and timeouts happen in any order".to_string(),
            "network: each ordered pair of processes and each kind of message has a channel of its own, of \
             capacity 1, in any order; a sender that finds it full waits"
                .to_string(),
            "store: exact".to_string(),
        ],
        warnings: Vec::new(),
        coverage: vec![
            class("deliver ARE-YOU-ALIVE", Role::Message, 1_234_567),
            class("deliver I-AM-ALIVE", Role::Message, 987_654),
            class("fire Reply", Role::Timer, 55_555),
            class("crash", Role::Fault, 0),
            class("unblock", Role::Other, 0),
        ],
        stats: Stats {
            distinct_states: 157_464,
            transitions: 1_024_000,
            level_sizes: vec![1, 4, 12, 30],
            level_kept: Vec::new(),
            peak_bytes: 12 << 20,
            bytes_per_state: 16.25,
            disk_bytes: 0,
            disk_written: 0,
            workers: 2,
            unit: StateUnit::States,
            renamings: 0,
            partial: None,
            walks: None,
        },
    }
}

fn violated(finding: ViolationKind, what: &str, shortest: bool) -> Verdict {
    let trace = figures::figure_6_13();
    let mut verdict =
        verdict(Outcome::Violated(Box::new(Violation { finding, what: what.to_string(), trace, shortest })));
    verdict.coverage[3].count = 1;
    verdict
}

#[test]
fn the_first_line_is_the_answer() {
    assert_eq!(headline(&verdict(holds())), "HOLDS: no deadlock, in all 157,464 states");
    let deadlock = violated(ViolationKind::Deadlock, "no deadlock", true);
    assert_eq!(headline(&deadlock), "VIOLATED: deadlock after 14 steps (no shorter run exists)");
    let safety = violated(ViolationKind::Safety, "oscillation:1", false);
    assert_eq!(headline(&safety), "VIOLATED: oscillation:1 after 14 steps (a shorter run may exist)");
    let unknown = verdict(Outcome::Unknown(Limit::Memory(8 << 30)));
    let expected = "UNKNOWN: no deadlock; the memory limit of 8.00 GiB leaves no room to go on, \
                    after 157,464 states without a violation";
    assert_eq!(headline(&unknown), expected);
}

#[test]
fn zones_are_called_zones_and_a_violation_has_its_time() {
    let mut whole = verdict(holds());
    whole.stats.unit = StateUnit::Zones;
    assert_eq!(headline(&whole), "HOLDS: no deadlock, in all 157,464 zones");
    let text = render_verdict(&whole, &run(), &Style::default());
    for part in ["157,464 distinct zones", " zones/s", "16.2 bytes per zone"] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    let json: Json = serde_json::from_str(&verdict_json(&whole, &run())).expect("JSON");
    assert_eq!(json["unit"], "zones");
    let mut late = violated(ViolationKind::Timelock, "no time-lock", true);
    if let Outcome::Violated(violation) = &mut late.outcome {
        violation.trace.steps[13].at = Some("20.5".to_string());
    }
    let expected = "VIOLATED: time-lock after 14 steps, at time 20.5 (no shorter run exists)";
    assert_eq!(headline(&late), expected);
    let json: Json = serde_json::from_str(&verdict_json(&late, &run())).expect("JSON");
    assert_eq!((&json["finding"], &json["exit_code"]), (&Json::from("time-lock"), &Json::from(11)));
}

#[test]
fn a_run_without_end_is_told_by_its_stem_and_its_loop() {
    let told = |steps: usize, loops_to: usize| {
        let mut verdict = violated(ViolationKind::Liveness, "completeness", false);
        if let Outcome::Violated(violation) = &mut verdict.outcome {
            violation.trace.steps.truncate(steps);
            violation.trace.loops_to = Some(loops_to);
        }
        verdict
    };
    let may = " (a shorter run may exist)";
    for (steps, loops_to, expected) in [
        (14, 9, format!("a run of 9 steps and then a loop of 5 for ever{may}")),
        (14, 13, format!("a run of 13 steps and then a loop of 1 for ever{may}")),
        (3, 0, format!("a run that is a loop of 3 steps for ever{may}")),
        (1, 1, format!("a run of 1 step, after which nothing happens any more{may}")),
        (0, 0, "a run in which nothing ever happens".to_string()),
    ] {
        let verdict = told(steps, loops_to);
        assert_eq!(headline(&verdict), format!("VIOLATED: completeness: {expected}"));
        let json: Json = serde_json::from_str(&verdict_json(&verdict, &run())).expect("JSON");
        let figures = ["stem_steps", "loop_steps", "exit_code"].map(|key| json[key].as_u64());
        assert_eq!(figures, [Some(loops_to as u64), Some((steps - loops_to) as u64), Some(13)]);
        assert_eq!(json["finding"], "liveness");
        assert_eq!(json["trace"]["loops_to"], loops_to);
    }
    let (finding, what, shortest) = (ViolationKind::Liveness, "completeness".to_string(), false);
    let violation = Violation { finding, what, trace: figures::lasso(), shortest };
    let lasso = verdict(Outcome::Violated(Box::new(violation)));
    golden::check("verdict-lasso.txt", &render_verdict(&lasso, &run(), &Style::default()));
}

#[test]
fn a_violation_in_the_initial_state_needs_no_steps() {
    let mut verdict = violated(ViolationKind::Safety, "quiet", true);
    if let Outcome::Violated(violation) = &mut verdict.outcome {
        violation.trace.steps.clear();
    }
    assert_eq!(headline(&verdict), "VIOLATED: quiet in the initial state");
    assert!(render_verdict(&verdict, &run(), &Style::default()).contains("p0"));
}

#[test]
fn for_people() {
    let style = Style::default();
    golden::check("verdict-holds.txt", &render_verdict(&verdict(holds()), &run(), &style));
    let deadlock = violated(ViolationKind::Deadlock, "no deadlock", true);
    golden::check("verdict-violated.txt", &render_verdict(&deadlock, &run(), &style));
    let beam = "a beam of 10 states at each depth".to_string();
    let mut unknown = verdict(Outcome::Unknown(Limit::Incomplete(beam)));
    unknown.stats.level_kept = vec![1, 4, 10, 10];
    golden::check("verdict-unknown.txt", &render_verdict(&unknown, &run(), &style));
}

/// Random walks store no states, so they say how many runs and steps there were instead of "0 states".
#[test]
fn random_walks_count_runs_and_steps() {
    let walks = "a search by 300 random walks of at most 40 steps".to_string();
    let mut unknown = verdict(Outcome::Unknown(Limit::Incomplete(walks)));
    unknown.stats = Stats {
        transitions: 12_000,
        walks: Some(RandomWalks { runs: 300, visits: 12_300 }),
        workers: 2,
        ..Stats::default()
    };
    let said = headline(&unknown);
    assert!(said.ends_with(
        "; a search by 300 random walks of at most 40 steps sees only a part of the states, after 300 runs with \
         12,000 steps without a violation"
    ));
    let text = render_verdict(&unknown, &run(), &Style::default());
    assert!(
        text.contains("300 runs, 12,000 steps, 12,300 states checked, repeated visits included"),
        "{text}"
    );
    assert!(!text.contains("after 0 ") && !text.contains("distinct"), "{text}");
    let json: Json = serde_json::from_str(&verdict_json(&unknown, &run())).expect("JSON");
    assert_eq!(json["walks"]["runs"], 300);
    assert_eq!(json["walks"]["steps"], 12_000);
    assert_eq!(json["walks"]["states_checked"], 12_300);
}

#[test]
fn every_limit_says_what_to_do_next() {
    let limits = [
        Limit::States(1),
        Limit::Memory(1),
        Limit::OutOfMemory(1),
        Limit::Time("10 s".to_string()),
        Limit::Depth(5),
        Limit::Incomplete("random walks".to_string()),
        Limit::Cap("channel p0 to p1".to_string()),
        Limit::Interrupted,
    ];
    for limit in limits {
        let text = render_verdict(&verdict(Outcome::Unknown(limit.clone())), &run(), &Style::default());
        let second = text.lines().nth(1).unwrap_or_default();
        assert!(second.starts_with("  next: "), "{limit:?}: {text}");
    }
}

#[test]
fn colours_do_not_change_the_words() {
    let plain = Style::default();
    let colored = Style { color: true, ..plain };
    let deadlock = violated(ViolationKind::Deadlock, "no deadlock", true);
    let text = render_verdict(&deadlock, &run(), &colored);
    assert!(text.starts_with("\x1b[1;31mVIOLATED\x1b[0m: deadlock"), "{text}");
    let mut bare = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\x1b') {
        bare.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').map_or(rest.len(), |end| end + 1)..];
    }
    bare.push_str(rest);
    assert_eq!(bare, render_verdict(&deadlock, &run(), &plain));
}

/// The golden files outlive a release.
fn unversioned(json: &str) -> String {
    json.replacen(env!("CARGO_PKG_VERSION"), "VERSION", 1)
}

#[test]
fn for_machines() {
    let deadlock = verdict_json(&violated(ViolationKind::Deadlock, "no deadlock", true), &run());
    golden::check("verdict-violated.json", &unversioned(&deadlock));
    let json: Json = serde_json::from_str(&deadlock).expect("JSON");
    assert_eq!(json["verdict"], "violated");
    assert_eq!(json["finding"], "deadlock");
    assert_eq!(json["exit_code"], 11);
    assert_eq!(json["trace_steps"], 14);
    assert_eq!(json["trace"]["steps"].as_array().map(Vec::len), Some(14));
    assert_eq!(json["levels"], 4);
    assert_eq!(json["coverage"]["deliver ARE-YOU-ALIVE"], 1_234_567);
    assert_eq!(json["trace"]["steps"][7]["events"][2]["tone"], "relief");

    let holds = verdict_json(&verdict(holds()), &run());
    golden::check("verdict-holds.json", &unversioned(&holds));
    let json: Json = serde_json::from_str(&holds).expect("JSON");
    assert_eq!(json["verdict"], "holds");
    assert!(json["trace"].is_null() && json["trace_steps"].is_null() && json["limit"].is_null());
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(1), "the crash that never happened");

    let mut unknown = verdict(Outcome::Unknown(Limit::States(1000)));
    unknown.stats.level_kept = vec![1, 4, 10, 10];
    let unknown = verdict_json(&unknown, &run());
    let json: Json = serde_json::from_str(&unknown).expect("JSON");
    assert_eq!(json["level_kept"], serde_json::json!([1, 4, 10, 10]));
    assert_eq!(json["limit"], serde_json::json!({ "kind": "states", "value": 1000 }));
    assert_eq!(json["exit_code"], 153);
}

#[test]
fn the_keys_are_the_same_for_every_verdict() {
    let keys = |verdict: &Verdict| -> Vec<String> {
        let json: Json = serde_json::from_str(&verdict_json(verdict, &run())).expect("JSON");
        json.as_object().expect("an object").keys().cloned().collect()
    };
    let holds = keys(&verdict(holds()));
    assert_eq!(holds, keys(&violated(ViolationKind::Safety, "x", false)));
    assert_eq!(holds, keys(&verdict(Outcome::Unknown(Limit::Interrupted))));
    assert_eq!(holds[..4], ["tool", "version", "verdict", "property"]);
}
