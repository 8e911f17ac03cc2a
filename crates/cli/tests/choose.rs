//! `choose`: parameters for a target, confirmed by the other commands; what cannot be is refused with the reason.

mod binary;

use binary::watchkeeper;
use serde_json::Value;

/// The answer to a target of nfd-s on a network that loses a hundredth.
fn chosen(flags: &[&str]) -> (i32, Value) {
    let network = ["choose", "nfd-s", "--n", "2", "--delay", "exp:20ms", "--loss", "1%", "--json", "-"];
    let said = watchkeeper(&[&network, flags].concat());
    (said.code, serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {}", said.err)))
}

#[test]
fn what_is_chosen_meets_the_target_and_the_next_longer_period_does_not() {
    let (code, answer) = chosen(&["--detect", "1s", "--mistakes", "1/day", "--steps", "10"]);
    assert_eq!((code, &answer["ending"]), (0, &Value::from("chosen")), "{answer:#}");
    let number = |pointer: &str| answer.pointer(pointer).and_then(Value::as_f64).expect("a number");
    // By the formula of Chen, Toueg and Aguilera a mistake recurs every 4,022 s with 400 ms, and every 181,776 s with 300 ms.
    assert_eq!(answer["params"]["eta"], "300ms", "{answer:#}");
    assert_eq!(answer["params"]["delta"], "700ms");
    assert!(
        number("/mistake_recurrence/low") <= 181_776.0 && number("/mistake_recurrence/high") >= 181_775.0
    );
    assert!(number("/mistake_recurrence/low") >= 86_400.0 && number("/bound") == 1.0, "{answer:#}");
    let tried = answer["tried"].as_array().expect("a list");
    assert!(tried[..tried.len() - 1].iter().all(|row| row["met"] == false) && tried.len() > 1, "{answer:#}");
    assert!(answer["confirm"].as_array().is_some_and(|commands| commands.len() == 2));
}

#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    let said = watchkeeper(&[
        "choose",
        "nfd-s",
        "--n",
        "2",
        "--detect",
        "10ms",
        "--mistakes",
        "1/day",
        "--delay",
        "constant:20ms",
    ]);
    assert_eq!(said.code, 12, "{}", said.err);
    assert!(
        said.out.contains("No failure detector can: every message takes longer than 10ms"),
        "{}",
        said.out
    );
    let (code, answer) =
        chosen(&["--detect", "1s", "--mistakes", "1/day", "--steps", "10", "--range", "eta=500ms..1s"]);
    assert_eq!((code, &answer["ending"]), (12, &Value::from("too-many-mistakes")), "{answer:#}");
    let (code, answer) =
        chosen(&["--detect", "1s", "--mistakes", "1/day", "--steps", "10", "--range", "delta=1s..2s"]);
    assert_eq!((code, &answer["ending"]), (12, &Value::from("too-slow")), "{answer:#}");
}

/// Where messages take longer than crashes may, a detector that finds them suspects everybody always: no mistake begins.
#[test]
fn a_detector_that_is_always_wrong_is_not_chosen() {
    let flags = "choose nfd-s --n 2 --detect 50ms --mistakes 1/h --param numbers=8 --delay lognormal:100ms,0.1 --steps 5 --json -";
    let said = watchkeeper(&flags.split(' ').collect::<Vec<_>>());
    let answer: Value = serde_json::from_str(&said.out).expect("a document");
    assert_eq!((said.code, &answer["ending"]), (12, &Value::from("too-many-mistakes")), "{answer:#}");
    let wrong = |row: &Value| row.pointer("/query_accuracy/mean").and_then(Value::as_f64) < Some(0.5);
    assert!(answer["tried"].as_array().is_some_and(|rows| rows.iter().any(wrong)), "{answer:#}");
}

#[test]
fn parameters_that_a_protocol_refuses_are_not_called_too_slow() {
    let target = ["--n", "2", "--detect", "5s", "--mistakes", "1/day", "--delay", "exp:20ms", "--steps", "5"];
    let asked = |name, flags: &[&str]| watchkeeper(&[&["choose", name], &target[..], flags].concat());
    let said = asked("phi", &["--range", "threshold=200..300"]);
    assert!(said.code == 150 && said.err.contains("a threshold is from 0.5 to 100"), "{}", said.err);
    // A timeout in the middle of the range is longer than the cap, shorter ones are not.
    let said = asked("chandra-toueg", &["--param", "cap=2s", "--timeout", "1s"]);
    assert!(said.code != 150, "{}", said.err);
}

#[test]
fn a_target_that_is_none_is_told_with_what_would_be_one() {
    for (flags, why) in [
        (&["--detect", "0s", "--mistakes", "1/day"][..], "--detect: no crash is found in no time"),
        (&["--detect", "5s", "--mistakes", "0/day"], "--mistakes: no detector makes no mistake"),
        (
            &["--detect", "5s", "--mistakes", "often"],
            "`often` is not a rate of mistakes; write a number per span",
        ),
        (&["--detect", "5s"], "`choose` needs a target: give --mistakes"),
        (&["--mistakes", "1/day"], "`choose` needs a target: give --detect"),
        (&["--detect", "5s", "--mistakes", "1/day", "--range", "n=1..2"], "eta and delta are"),
        (&["--detect", "5s", "--mistakes", "1/day", "--param", "eta=1s"], "`choose` chooses eta"),
        (&["--detect", "5s", "--mistakes", "1/day", "--loss", "101%"], "not between 0% and 100%"),
        (&["--detect", "5s", "--mistakes", "1/day", "--delay", "exp:-3ms"], "negative"),
    ] {
        let said = watchkeeper(&[&["choose", "nfd-s"], flags].concat());
        assert!(said.code == 150 && said.err.contains(why), "{flags:?}: {} {}", said.code, said.err);
    }
    let said = watchkeeper(&["choose", "ring", "--detect", "5s", "--mistakes", "1/day"]);
    assert!(said.code == 150 && said.err.contains("those that do: "), "{}", said.err);
}
