//! The detectors that count time, by name: what `docs/detectors.md` says of them is what the commands find.

mod binary;

use binary::watchkeeper;

/// The first line of what a command says, without the time that it took.
fn first(args: &str) -> String {
    let said = watchkeeper(&args.split_whitespace().collect::<Vec<_>>());
    said.out.lines().next().unwrap_or_else(|| panic!("{args}: {}", said.err)).to_string()
}

/// The bound that a command proves, and whether accuracy holds too.
fn bound(args: &str) -> (u32, bool) {
    let said = watchkeeper(&args.split_whitespace().collect::<Vec<_>>());
    let proved = said.out.lines().find_map(|line| line.strip_prefix("detection within "));
    let proved = proved.and_then(|rest| rest.split(' ').next()).and_then(|units| units.parse().ok());
    let accurate = said.out.lines().any(|line| line.starts_with("accuracy holds too"));
    (proved.unwrap_or_else(|| panic!("{args}: {}{}", said.out, said.err)), accurate)
}

/// A heartbeat that arrives at its freshness point is in time if it comes first.
#[test]
fn nfd_s_is_accurate_if_and_only_if_delta_is_above_the_delay() {
    let check = |rest: &str| first(&format!("check nfd-s --param numbers=4 --property accuracy {rest}"));
    assert_eq!(check("--n 2"), "HOLDS: accuracy, in all 108 zones");
    assert_eq!(check("--n 3"), "HOLDS: accuracy, in all 1,244 zones");
    assert_eq!(check("--n 2 --time ticks"), "HOLDS: accuracy, in all 176 states");
    let late = "VIOLATED: accuracy after 1 step, at time 1 (no shorter run exists)";
    assert_eq!(check("--n 2 --simultaneous any"), late);
    assert_eq!(check("--n 2 --delay 0..2"), late);
    assert_eq!(
        check("--n 2 --loss 1"),
        "VIOLATED: accuracy after 3 steps, at time 1 (no shorter run exists)"
    );
    assert_eq!(
        first(
            "regions nfd-s --n 2 --param eta --param delta --param delay --param numbers=4 --property accuracy"
        ),
        "HOLDS IFF delta > delay: nfd-s accuracy, for all eta and delta and delay with delay >= 0 and delta >= 0 and \
         eta > delta"
    );
}

/// One lost heartbeat is one mistake.
#[test]
fn nfd_s_makes_one_mistake_for_each_loss() {
    let check = |mistakes: u32| {
        first(&format!("check nfd-s --n 2 --param numbers=4 --loss 1 --property mistakes:{mistakes}"))
    };
    assert_eq!(check(1), "HOLDS: mistakes:1, in all 364 zones");
    assert!(check(0).starts_with("VIOLATED: mistakes:0 "), "{}", check(0));
}

/// However long messages take, and however far delta is below that.
#[test]
fn nfd_s_detects_a_crash_within_eta_and_delta() {
    for (eta, delta) in [(2, 1), (4, 3), (20, 10)] {
        let args = format!("bound nfd-s --n 2 --param numbers=4 --param eta={eta} --param delta={delta}");
        assert_eq!(bound(&args), (eta + delta, true));
    }
    let late = "bound nfd-s --n 2 --param numbers=8 --param eta=3 --param delta=2 --delay 0..7 --channel unbounded:8";
    assert_eq!(bound(late), (5, false));
    assert_eq!(
        first(
            "regions nfd-s --n 2 --param bound --param eta --param delta=2 --delay 0..1 --param numbers=4 --property detection --crashes 1"
        ),
        "HOLDS IFF bound >= eta + 2: nfd-s detection, for all bound and eta with eta > 2 and bound >= 0"
    );
}

#[test]
fn nfd_s_is_a_perfect_detector_of_the_class_for_which_two_processes_are_enough() {
    let said = watchkeeper(&["classify", "nfd-s", "--n", "2", "--param", "numbers=4", "--time", "ticks"]);
    assert!(said.out.starts_with("nfd-s: class P\n"), "{}", said.out);
    let said = watchkeeper(&["cutoff", "nfd-s", "--param", "numbers=4"]);
    assert!(said.out.contains("nfd-s is a symmetric point-to-point algorithm"), "{}", said.out);
    assert!(said.out.contains("\n  528 local states: "), "{}", said.out);
}

/// The estimate of the arrival adds the delay to the bound, and counting in grains adds a grain to both sides.
#[test]
fn nfd_e_needs_an_alpha_above_the_jitter_and_a_grain() {
    let args = |alpha: u32| {
        format!(
            "nfd-e --n 2 --param eta=3 --param alpha={alpha} --param window=2 --param numbers=8 --delay 0..1 --time ticks"
        )
    };
    let check = |alpha| first(&format!("check {} --property accuracy", args(alpha)));
    assert_eq!(check(1), "VIOLATED: accuracy after 15 steps, at time 4 (no shorter run exists)");
    assert_eq!(check(2), "HOLDS: accuracy, in all 53,497 states");
    assert_eq!(bound(&format!("bound {}", args(1))), (6, false));
    assert_eq!(bound(&format!("bound {}", args(2))), (7, true));
}

/// A process that starts again counts from 0, which may lie ahead of what was heard of it. So the bound after a restart is a
/// greater one, and it is below D + 2 (eta + alpha), which is 11.
#[test]
fn nfd_e_detects_the_crash_of_a_process_that_has_started_again() {
    let check = |within: u32| {
        first(&format!(
            "check nfd-e --n 2 --param eta=3 --param alpha=2 --param window=2 --param numbers=8 --delay 0..1 --time ticks \
             --crashes 2 --recoveries 1 --property detection:{within}"
        ))
    };
    assert_eq!(check(8), "VIOLATED: detection:8 after 93 steps, at time 26 (no shorter run exists)");
    assert_eq!(check(9), "HOLDS: detection:9, in all 2,244,852 states");
}

/// A heartbeat every 2, delays of 0 to 1, a phi of 1, and a memory of two intervals: without a pause that is acceptable, the
/// detector goes on making mistakes for ever.
#[test]
fn phi_is_no_eventually_perfect_detector() {
    let small = "--n 2 --param period=2 --param window=2 --param threshold=1 --delay 0..1";
    for (form, class, within, accurate) in [
        ("phi", "none", 6, false),
        ("phi-akka", "P", 12, true),
        ("phi-cassandra", "none", 10, false),
        ("phi-chitchat", "P", 11, true),
    ] {
        assert_eq!(first(&format!("classify {form} {small} --time ticks")), format!("{form}: class {class}"));
        assert_eq!(bound(&format!("bound {form} {small}")), (within, accurate), "{form}");
    }
    let accuracy =
        |form: &str, time: &str| first(&format!("check {form} {small} --property accuracy --time {time}"));
    assert_eq!(accuracy("phi-akka", "dense"), "HOLDS: accuracy, in all 28,704 zones");
    assert_eq!(accuracy("phi-akka", "ticks"), "HOLDS: accuracy, in all 50,440 states");
    assert_eq!(
        accuracy("phi", "dense"),
        "VIOLATED: accuracy after 15 steps, at time 5 (no shorter run exists)"
    );
}

/// Seconds: 40 s of hanging and 10 s between renewals are 50 s after the look that saw the last renewal, and messages of up to
/// 1 s are there before the next look.
#[test]
fn kubernetes_flaps_unless_the_grace_period_is_above_50_seconds() {
    let check = |grace: u32| {
        first(&format!(
            "check kubernetes --param hangs=1 --param grace={grace} --crashes 0 --property accuracy"
        ))
    };
    for (grace, steps) in [(40, 16), (50, 20)] {
        let expected =
            format!("VIOLATED: accuracy after {steps} steps, at time {grace} (no shorter run exists)");
        assert_eq!(check(grace), expected);
    }
    assert_eq!(check(51), "HOLDS: accuracy, in all 445 zones");
    assert_eq!(check(55), "HOLDS: accuracy, in all 445 zones");
    let flaps = |mistakes: u32| {
        first(&format!(
            "check kubernetes --param hangs=2 --param grace=40 --crashes 0 --property mistakes:{mistakes}"
        ))
    };
    assert_eq!(flaps(1), "VIOLATED: mistakes:1 after 38 steps, at time 85 (no shorter run exists)");
    assert_eq!(flaps(2), "HOLDS: mistakes:2, in all 1,308 zones");
    let region = |delay: u32| {
        first(&format!(
            "regions kubernetes --param grace --param delay --param hangs=1 --property accuracy --crashes 0 \
             --where delay<={delay} --where grace<=60"
        ))
    };
    assert_eq!(
        region(1),
        "HOLDS IFF grace > 50: kubernetes accuracy, for all grace and delay with grace <= 60 and delay <= 1 \
         and delay >= 0 and grace >= 0"
    );
    assert_eq!(
        region(5),
        "HOLDS IFF grace > 50 and 2*delay < 5 or grace > 55 and delay < 5: kubernetes accuracy, for all grace and delay \
         with grace <= 60 and delay <= 5 and delay >= 0 and grace >= 0"
    );
}

/// Two messages, a look, the grace period as a number of looks, and for the eviction one more look and the toleration.
#[test]
fn kubernetes_evicts_after_362_seconds_at_the_latest() {
    for (grace, unready, evicted) in [(40, 47, 352), (41, 52, 357), (50, 57, 362)] {
        assert_eq!(bound(&format!("bound kubernetes --param grace={grace}")), (unready, true));
        assert_eq!(bound(&format!("bound kubernetes-eviction --param grace={grace}")), (evicted, true));
    }
    assert_eq!(
        first(
            "regions kubernetes --param grace --param bound --delay 0..1 --property detection --crashes 1 --crashable p2 \
             --where grace<=50 --where grace>=40"
        ),
        "HOLDS IFF bound >= 57 or grace = 40 and bound >= 47 or grace <= 45 and bound >= 52: kubernetes detection, for all \
         grace and bound with grace <= 50 and bound >= 0 and grace >= 40"
    );
}

/// With none left that is ready, the controller takes it that the fault is its own.
#[test]
fn kubernetes_evicts_nothing_while_no_node_is_ready() {
    let check = |rest: &str| first(&format!("check kubernetes-eviction {rest}"));
    let never = check("--crashes 2 --property detection:400");
    assert!(never.starts_with("VIOLATED: detection:400 "), "{never}");
    let said = watchkeeper(&["check", "kubernetes-eviction", "--n", "1"]);
    assert!(said.code == 150 && said.err.contains("--n: 1 nodes are not possible"), "{}", said.err);
}

/// As the refusal of so long a delta says.
#[test]
fn more_numbers_allow_a_longer_delta_of_nfd_s() {
    let check = |numbers: u32| {
        watchkeeper(
            &format!(
                "check nfd-s --n 2 --param eta=1 --param delta=200 --param numbers={numbers} --property accuracy \
                 --max-states 1000"
            )
            .split_whitespace()
            .collect::<Vec<_>>(),
        )
    };
    assert_eq!(check(256).code, 150);
    let said = check(1024).out;
    assert!(said.starts_with("UNKNOWN: accuracy; the limit of 1,000 states was reached"), "{said}");
}

#[test]
fn parameters_that_cannot_be_are_refused_by_name() {
    for (args, why) in [
        (
            "nfd-s --param numbers=5",
            "5 numbers of heartbeats are not possible: choose an even number from 4 to 65536",
        ),
        (
            "nfd-s --param delta=300",
            "with so few numbers a delta of 300 is too long: choose less than 254, or more numbers",
        ),
        ("nfd-e --param grain=21", "intervals are counted in grains from 1 to eta, which is 20"),
        ("phi --param threshold=0.1", "a threshold is from 0.5 to 100"),
        (
            "phi --param threshold=high",
            "write a number with at most three digits behind the point, such as 8 or 1.5",
        ),
        ("phi-akka --param window=0", "a window of 0 intervals is not possible: choose from 1 to 4096"),
        ("kubernetes --param poll=0", "a poll every 0 is without end at one moment: choose 1 or more"),
    ] {
        let args: Vec<&str> = ["check"].into_iter().chain(args.split_whitespace()).collect();
        let said = watchkeeper(&args);
        assert!(said.code == 150 && said.err.contains(why), "{args:?}: {}", said.err);
    }
}
