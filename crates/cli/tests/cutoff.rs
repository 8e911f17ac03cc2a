//! `cutoff`: the detector of Chandra and Toueg is in the class and what is found of two processes is found of
//! three; the ring is refused with what shows it; and what cannot be asked is refused with what to do.

mod binary;

use binary::{Said, watchkeeper};
use serde_json::Value;
use watchkeeper::{Channel, TimeModel};
use watchkeeper_core::Bound;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;

fn said(args: &str) -> Said {
    watchkeeper(&args.split_whitespace().collect::<Vec<_>>())
}

/// The rows of the direct searches: property, n, verdict.
fn searches(args: &str) -> (i32, Vec<(String, String, String)>) {
    let said = said(&format!("cutoff {args} --json - -q"));
    let json: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{args}: {}", said.err));
    let text = |row: &Value, name: &str| row[name].as_str().expect(name).to_string();
    let rows = json["rows"].as_array().expect("rows");
    let row = |row: &Value| (text(row, "property"), text(row, "n"), text(row, "verdict"));
    (said.code, rows.iter().map(row).collect())
}

fn row(property: &str, n: usize, verdict: &str) -> (String, String, String) {
    (property.to_string(), n.to_string(), verdict.to_string())
}

/// A beat each unit of time, and up to 1 on the way: a peer is silent for at most 2, and a timeout of 3 is enough.
#[test]
fn two_processes_are_enough_for_the_accuracy_of_chandra_toueg() {
    let expected = vec![row("accuracy", 2, "holds"), row("accuracy", 3, "holds")];
    assert_eq!(searches("chandra-toueg"), (0, expected));
    let said = said("cutoff chandra-toueg");
    for part in [
        "chandra-toueg is a symmetric point-to-point algorithm",
        "Checked by machine, with n = 2 and 3",
        "56 local states",
        "Proved on paper: Tran, Konnov and Widder 2022, theorem 4.2",
        "Confirmed by direct search",
        "enough for every n",
        "follows from n = 2",
        "Again\n  watchkeeper cutoff chandra-toueg",
    ] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

/// With messages that take exactly 1, each of the n processes has beaten at this moment or not, and each of the
/// n(n - 1) messages that are due has arrived or not.
#[test]
fn four_processes_are_searched_where_they_fit() {
    let said = said("cutoff chandra-toueg --delay 1 --param timeout=2 --up-to 4 --json - -q");
    assert_eq!(said.code, 0, "{}", said.err);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    let states =
        json["rows"].as_array().expect("rows").iter().map(|row| row["states"].as_str().expect("a number"));
    assert_eq!(states.collect::<Vec<_>>(), ["16", "512", "65536"]);
}

/// A timeout of 2 falls on the moment at which the message it waits for may arrive.
#[test]
fn what_fails_of_two_processes_fails_of_three() {
    let expected = vec![row("accuracy", 2, "violated"), row("accuracy", 3, "violated")];
    assert_eq!(searches("chandra-toueg --param timeout=2"), (12, expected));
    let first = ["--param timeout=2 --simultaneous deliveries-first", "--param timeout=2 --delay 0"];
    let expected = vec![row("accuracy", 2, "holds"), row("accuracy", 3, "holds")];
    assert_eq!(searches(&format!("chandra-toueg {}", first[0])), (0, expected));
}

#[test]
fn what_the_theorem_does_not_speak_of_is_searched_all_the_same() {
    let args = "chandra-toueg --property deadlock --channel drop:1 --param cap=3 --up-to 2";
    assert_eq!(searches(args), (0, vec![row("deadlock", 2, "holds")]));
    assert!(said(&format!("cutoff {args}")).out.contains("says nothing of it"));
}

/// The words of the command that a report ends with, after the name of the program, as a shell reads them.
fn again(report: &str) -> Vec<String> {
    let (_, line) = report.split_once("\nAgain\n  watchkeeper ").unwrap_or_else(|| panic!("{report}"));
    let mut words = Vec::new();
    for (k, part) in line.trim_end().split('\'').enumerate() {
        match k % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_string)),
            _ => words.push(part.to_string()),
        }
    }
    words
}

const SMALL: [&str; 6] =
    ["cutoff", "chandra-toueg", "--delay=1", "--param=timeout=2", "--channel=drop:1", "--up-to=2"];

fn claimed(claims: &str) -> Said {
    watchkeeper(&[&SMALL[..], &["--time", "ticks", "--ltl", claims]].concat())
}

#[test]
fn the_theorem_says_nothing_of_claims_about_more_than_a_pair_or_of_the_next_step() {
    for claim in ["G !suspects(p0,p1)", "F G !suspects(p1,p0)"] {
        let said = claimed(claim);
        assert!(said.out.contains("enough for every n"), "{claim}: {}{}", said.out, said.err);
    }
    for claim in [
        "GX !suspects(p0,p1)",
        "G ○ !suspects(p0,p1)",
        "all q: G (crashed(q) | !suspects(p0,p1))",
        "G (time-can-pass -> !suspects(p0,p1))",
    ] {
        let said = claimed(claim);
        assert!(said.out.contains("says nothing of it"), "{claim}: {}{}", said.out, said.err);
        assert!(!said.out.contains("enough for every n"), "{claim}: {}", said.out);
    }
}

/// All that was said is in the command, so that it says the same, and ends with itself.
#[test]
fn the_command_at_the_end_gives_the_answer_again() {
    let claims = "G !suspects(p0,p1); G F !crashed(p1)";
    let asked: [Vec<&str>; 4] = [
        [&SMALL[..], &["--time", "ticks", "--property", "deadlock,accuracy", "--ltl", claims]].concat(),
        SMALL.to_vec(),
        vec!["cutoff", "ring", "--param", "round=2", "--crashes", "1", "--up-to", "4"],
        vec!["cutoff", "chandra-toueg", "--param", "cap=1000000", "--max-states", "10"],
    ];
    for args in asked {
        let first = watchkeeper(&args);
        let command = again(&first.out);
        let second = watchkeeper(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((second.code, again(&second.out)), (first.code, command.clone()), "{args:?}");
        for word in args.iter().filter(|word| !word.starts_with("--")) {
            assert!(command.iter().any(|said| said == word), "{word} is missing: {command:?}");
        }
    }
}

#[test]
fn the_ring_is_refused_with_the_step_that_shows_its_order() {
    let said = said("cutoff ring");
    assert_eq!(said.code, 10, "{}", said.err);
    for part in
        ["ring is not a symmetric point-to-point algorithm", "with n = 3, p0, when it starts", "target: p2"]
    {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    assert!(!said.out.contains("Proved on paper"), "{}", said.out);
    for other in ["static", "binary", "ring-strong-accuracy --param max-delta=2"] {
        assert_eq!(
            watchkeeper(&format!("cutoff {other}").split_whitespace().collect::<Vec<_>>()).code,
            10,
            "{other}"
        );
    }
}

#[test]
fn a_protocol_with_too_many_local_states_is_not_known_to_be_in_the_class() {
    let said = said("cutoff chandra-toueg --param cap=1000000");
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
    assert!(said.out.contains("more than 50,000 local states"), "{}", said.out);
}

#[test]
fn what_cannot_be_asked_is_refused_with_what_to_do() {
    for (args, part) in [
        ("chandra-toueg --n 3", "--n: `cutoff` searches systems of 2 processes and more itself"),
        ("chandra-toueg --up-to 1", "--up-to: `1` is not a number of processes; write one from 2 to 8"),
        ("chandra-toueg --up-to many", "--up-to: `many` is not a number of processes"),
        ("chandra-toueg --crashable p1", "write --crashes K"),
        ("chandra-toueg --channel block:1", "choose drop:N or unbounded:N"),
        ("chandra-toueg --property acuracy", "there is no property `acuracy`"),
        ("chandra-toueg --time untimed", "add --time dense"),
        ("chandra-toueg --param cap=none", "give it a cap, such as --param cap=8"),
        ("chandra-toueg --param cap=2", "a cap of 2 is below the first timeout: choose 3 or more"),
        ("chandra-toueg --param growth=0", "timeouts that grow by 0 are fixed"),
        ("chandra-tueg", "did you mean `chandra-toueg`?"),
        ("", "which protocol?"),
    ] {
        let said = said(&format!("cutoff {args}"));
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{args}: {}", said.err);
        assert!(said.err.contains(part), "{args}: {}", said.err);
    }
}

/// A peer that beats every period is silent for at most period + hi - lo, and at first for hi. A timeout on that
/// very moment may come before the message, unless deliveries come first; and even then if messages take no time,
/// since the message is then sent at that moment too, after the timeout.
#[test]
fn a_timeout_is_long_enough_exactly_if_it_is_longer_than_a_silence_can_be() {
    let mut asked = 0;
    for (period, lo, hi) in [(1, 0, 0), (1, 0, 1), (1, 1, 1), (2, 0, 1), (2, 1, 2), (1, 0, 2), (3, 2, 2)] {
        let silence = (period + hi - lo).max(hi);
        for timeout in silence.max(1)..=silence + 1 {
            for (order, enough) in
                [("any", timeout > silence), ("deliveries-first", timeout > silence || hi > 0)]
            {
                let detector = ChandraToueg::new(2, period, timeout).and_then(|fresh| fresh.capped(timeout));
                let check = watchkeeper::check(detector.expect("a detector"))
                    .n(2)
                    .time(TimeModel::Ticks)
                    .delay(Bound::new(lo, hi).expect("a bound"))
                    .simultaneous(order.parse().expect("an order"))
                    .channel(Channel::Unbounded(6))
                    .property("accuracy");
                if enough {
                    check.assert_holds();
                } else {
                    check.assert_violated();
                }
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 7 * 2 * 2);
}
