//! Tests of plans: what is read, what is refused, and that the command says the same again.

use super::*;
use crate::problem::Origin;
use watchkeeper_world::{Capacity, Order};

fn plan(pairs: &[(&'static str, &str)]) -> Result<Plan, Problem> {
    let mut settings = Settings::default();
    for (name, text) in pairs {
        settings.set(name, *text, Origin::Argument(format!("--{name}")));
    }
    Plan::of(&settings, 3, &[])
}

fn line(pairs: &[(&'static str, &str)]) -> String {
    let mut line = CommandLine::new("w", &[]);
    plan(pairs).expect("a plan").add_to(&mut line);
    line.to_string()
}

#[test]
fn without_a_word_it_is_the_usual_system() {
    let plan = plan(&[]).expect("a plan");
    assert_eq!(plan.scenario, Scenario::new(3));
    assert_eq!(plan.asked, [Asked::Deadlock]);
}

#[test]
fn what_a_protocol_should_have_is_asked_unless_something_else_is() {
    let own = |settings: &Settings| Plan::of(settings, 2, &["in-order"]).map(|plan| plan.asked);
    assert_eq!(own(&Settings::default()), Ok(vec![Asked::Deadlock, Asked::Named("in-order".to_string())]));
    let mut settings = Settings::default();
    settings.set("property", "deadlock", Origin::Call("property"));
    assert_eq!(own(&settings), Ok(vec![Asked::Deadlock]));
}

#[test]
fn the_command_says_the_same_again() {
    let cases: [&[(&'static str, &str)]; 6] = [
        &[],
        &[("n", "4"), ("crashes", "2"), ("channel", "drop:2"), ("order", "fifo"), ("lanes", "kind")],
        &[("crashable", "p1, 2"), ("property", "deadlock,oscillation:2")],
        &[("channel", "report:1"), ("loss", "1"), ("duplicate", "3")],
        &[("channel", "unbounded"), ("property", "in-order,oscillation:1:p2:p0")],
        &[("crashed-at-start", "p2"), ("crashes", "1"), ("crashable", "p0")],
    ];
    for pairs in cases {
        let first = line(pairs);
        let words: Vec<&str> = first.split(' ').skip(1).collect();
        let again: Vec<(&'static str, &str)> = words
            .chunks(2)
            .map(|pair| {
                let name = pair[0].trim_start_matches('-');
                let known = crate::settings::SETTINGS.iter().find(|setting| setting.name == name);
                (known.expect("a setting").name, pair[1])
            })
            .collect();
        assert_eq!(line(&again), first);
        let same = |a: Plan, b: Plan| a.scenario == b.scenario && a.asked == b.asked;
        assert!(same(plan(pairs).expect("a plan"), plan(&again).expect("a plan")), "{first}");
    }
}

#[test]
fn channels_that_report_are_asked_whether_they_did() {
    let asked = plan(&[("channel", "report:1")]).expect("a plan").asked;
    assert_eq!(asked, [Asked::Deadlock, Asked::Named("within-capacity".to_string())]);
}

#[test]
fn naming_who_may_crash_lets_them_crash() {
    let faults = plan(&[("crashable", "p1,p2")]).expect("a plan").scenario.faults;
    assert_eq!((faults.crashes, faults.crashable.to_string().as_str()), (2, "{p1,p2}"));
    let faults = plan(&[("crashes", "1")]).expect("a plan").scenario.faults;
    assert_eq!(faults.crashable, ProcSet::first(3));
    assert_eq!(
        plan(&[("crashable", "p1"), ("crashes", "0")]).expect("a plan").scenario.faults,
        Faults::default()
    );
}

#[test]
fn unbounded_channels_have_a_cap_and_orders_are_read() {
    let network = plan(&[("channel", "unbounded"), ("order", "fifo")]).expect("a plan").scenario.network;
    assert_eq!(network.capacity, Capacity::Unbounded { cap: CAP });
    assert_eq!(network.order, Order::Fifo);
}

#[test]
fn what_cannot_be_is_refused_by_the_name_of_its_flag() {
    let cases = [
        ("n", "0"),
        ("n", "1"),
        ("n", "65"),
        ("n", "three"),
        ("n", "99999999999999999999"),
        ("crashes", "-1"),
        ("crashes", "5000000000"),
        ("crashable", "p1,q2"),
        ("crashable", "p64"),
        ("channel", "blok:1"),
        ("channel", "block:0"),
        ("order", "lifo"),
        ("lanes", "two"),
        ("loss", "some"),
        ("property", ","),
        ("property", "oscillation"),
        ("property", "oscillation:0"),
        ("property", "oscillation:1:p0:p0"),
        ("property", "oscillation:1:p0:p1:p2"),
    ];
    for (name, text) in cases {
        let problem = plan(&[(name, text)]).expect_err(text).to_string();
        assert!(problem.starts_with(&format!("--{name}: ")), "{problem}");
    }
}
