//! Tests of plans: what is read, what is refused, and that the command says the same again.

use super::*;
use crate::raw_settings::RawSettings;
use watchkeeper::plan::{ProtocolDefaults, TIME_LOCK, size};
use watchkeeper::search_options::DEEP;
use watchkeeper::{DeliveryOrder, Oracle, Problem, Scenario};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_world::{ANY_NUMBER, Capacity, Faults, OracleAccuracy, SuspicionMemory, Timing};

fn settings(pairs: &[(&'static str, &str)]) -> Result<Settings, Problem> {
    let mut texts = RawSettings::default();
    for (name, text) in pairs {
        texts.set(name, *text, SettingOrigin::Argument(format!("--{name}")));
    }
    texts.read()
}

fn plan(pairs: &[(&'static str, &str)]) -> Result<CheckPlan, Problem> {
    let settings = settings(pairs)?;
    let n = size(&settings.n, 3, (2, 64), "processes")?;
    CheckPlan::of(&settings, usual(n))
}

fn usual(n: usize) -> ProtocolDefaults {
    ProtocolDefaults { n, scenario: Scenario::new(n), asked: vec![PropertySpec::Deadlock] }
}

/// A protocol with one process more than `--n` says, whose every process may crash.
fn beating(pairs: &[(&'static str, &str)]) -> Result<CheckPlan, Problem> {
    let settings = settings(pairs)?;
    let n = size(&settings.n, 1, (1, 63), "participants")?;
    let mut scenario = Scenario::new(n + 1);
    scenario.faults = Faults { crashable: ProcSet::first(n + 1), crashes: n as u32 + 1, ..Faults::default() };
    scenario.network.losses = ANY_NUMBER;
    scenario.time = WorldTime::Dense(Timing::round_trip(4));
    CheckPlan::of(
        &settings,
        ProtocolDefaults { n, scenario, asked: vec![PropertySpec::Named("R1".to_string())] },
    )
}

fn line(pairs: &[(&'static str, &str)]) -> String {
    let mut line = CommandLine::new("w", &[]);
    plan_flags(&mut line, &plan(pairs).expect("a plan"));
    line.to_string()
}

#[test]
fn without_a_word_it_is_the_usual_system() {
    let plan = plan(&[]).expect("a plan");
    assert_eq!(plan.scenario, Scenario::new(3));
    assert_eq!(plan.asked, [PropertySpec::Deadlock]);
}

#[test]
fn what_a_protocol_should_have_is_asked_unless_something_else_is() {
    let in_order = vec![PropertySpec::Named("in-order".to_string())];
    let own = |settings: &Settings| {
        CheckPlan::of(settings, ProtocolDefaults { asked: in_order.clone(), ..usual(2) })
            .map(|plan| plan.asked)
    };
    assert_eq!(own(&Settings::default()), Ok(in_order.clone()));
    let settings = settings(&[("property", "deadlock")]).expect("settings");
    assert_eq!(own(&settings), Ok(vec![PropertySpec::Deadlock]));
}

#[test]
fn a_protocol_may_have_surroundings_of_its_own() {
    let plan = beating(&[]).expect("a plan");
    assert_eq!(
        (plan.scenario.n, plan.scenario.faults.crashes, plan.scenario.network.losses),
        (2, 2, ANY_NUMBER)
    );
    assert_eq!(plan.scenario.time, WorldTime::Dense(Timing::round_trip(4)));
    let other = [("n", "3"), ("crashes", "0"), ("loss", "2"), ("time", "ticks"), ("crashed-at-start", "p3")];
    let scenario = beating(&other).expect("a plan").scenario;
    assert_eq!((scenario.n, scenario.network.losses), (4, 2));
    assert_eq!(scenario.faults, Faults { crashed_at_start: ProcSet::only(Pid::at(3)), ..Faults::default() });
    assert_eq!(beating(&[("crashed-at-start", "p1")]).expect("a plan").scenario.faults.crashes, 1);
    let problem = beating(&[("n", "0")]).expect_err("nobody").to_string();
    assert_eq!(problem, "--n: 0 participants are not possible; choose from 1 to 63");
}

#[test]
fn surroundings_of_its_own_are_said_again_too() {
    let cases: [&[(&'static str, &str)]; 5] = [
        &[],
        &[("n", "2"), ("loss", "0"), ("crashes", "1"), ("crashable", "p1")],
        &[("time", "untimed"), ("order", "fifo"), ("loss", "any")],
        &[("delay", "1..3"), ("simultaneous", "deliveries-first"), ("crashes", "0")],
        &[("channel", "drop:2"), ("property", "R1:p1,R2")],
    ];
    for pairs in cases {
        let first = beating(pairs).expect("a plan");
        let mut line = CommandLine::new("w", &[]);
        plan_flags(&mut line, &first);
        let line = line.to_string();
        let again = beating(&pairs_of(&line)).expect("a plan");
        assert_eq!((again.scenario, again.asked), (first.scenario, first.asked), "{line}");
    }
}

/// The flags of a command line.
fn pairs_of(line: &str) -> Vec<(&'static str, &str)> {
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let pair = |pair: &[&str]| Settings::row(pair[0].trim_start_matches('-')).expect("a setting").name;
    words.chunks(2).map(|chunk| (pair(chunk), chunk[1])).collect()
}

#[test]
fn the_command_says_the_same_again() {
    let cases: [&[(&'static str, &str)]; 8] = [
        &[],
        &[("n", "4"), ("crashes", "2"), ("channel", "drop:2"), ("order", "fifo"), ("lanes", "kind")],
        &[("crashable", "p1, 2"), ("property", "deadlock,oscillation:2")],
        &[("channel", "report:1"), ("loss", "1"), ("duplicate", "3")],
        &[("channel", "unbounded"), ("property", "in-order,oscillation:1:p2:p0")],
        &[("crashed-at-start", "p2"), ("crashes", "1"), ("crashable", "p0")],
        &[("crashed-at-start", "p2"), ("crashes", "0"), ("recoveries", "any")],
        &[("crashed-at-start", "p2"), ("crashes", "0"), ("recoveries", "any"), ("crashable", "p2")],
    ];
    for pairs in cases {
        let first = line(pairs);
        let again = pairs_of(&first);
        assert_eq!(line(&again), first);
        let same = |a: CheckPlan, b: CheckPlan| a.scenario == b.scenario && a.asked == b.asked;
        assert!(same(plan(pairs).expect("a plan"), plan(&again).expect("a plan")), "{first}");
    }
}

#[test]
fn channels_that_report_are_asked_whether_they_did() {
    let asked = plan(&[("channel", "report:1")]).expect("a plan").asked;
    assert_eq!(asked, [PropertySpec::Deadlock, PropertySpec::Named("within-capacity".to_string())]);
}

#[test]
fn where_time_might_have_to_wait_it_is_asked_whether_it_can() {
    let asks = |pairs: &[(&'static str, &str)]| {
        let asked = plan(pairs).expect("a plan").asked;
        asked.contains(&PropertySpec::Named(TIME_LOCK.to_string()))
    };
    let timed = ("time", "ticks");
    assert!(!asks(&[]) && asks(&[timed, ("delay", "1")]), "channels block");
    assert!(asks(&[timed, ("delay", "1"), ("channel", "drop:1"), ("order", "fifo")]));
    assert!(!asks(&[timed, ("delay", "1"), ("channel", "drop:1")]));
    assert!(!asks(&[timed, ("delay", "1"), ("channel", "unbounded:8")]));
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
    // Whoever is down at the start and recovers leaves room for another.
    let again = [("crashed-at-start", "p1"), ("crashes", "0"), ("recoveries", "any")];
    let faults = plan(&again).expect("a plan").scenario.faults;
    assert_eq!((faults.crashes, faults.crashable), (0, ProcSet::first(3)));
    let counted = [("crashed-at-start", "p1"), ("crashes", "0"), ("recoveries", "2")];
    assert_eq!(plan(&counted).expect("a plan").scenario.faults.crashable, ProcSet::EMPTY);
}

#[test]
fn recoveries_are_counted_or_not() {
    let with = |pairs: &[(&'static str, &str)]| plan(pairs).map(|plan| plan.scenario.faults.recoveries);
    assert_eq!(with(&[]).expect("a plan"), 0);
    assert_eq!(with(&[("recoveries", "2"), ("crashes", "1")]).expect("a plan"), 2);
    assert_eq!(with(&[("recoveries", "any"), ("crashes", "1")]).expect("a plan"), ANY_NUMBER);
    let told = |pairs: &[(&'static str, &str)]| {
        let mut line = CommandLine::new("w", &[]);
        plan_flags(&mut line, &plan(pairs).expect("a plan"));
        line.to_string()
    };
    assert!(!told(&[]).contains("recoveries"));
    assert!(
        told(&[("crashes", "2"), ("recoveries", "1")]).contains(" --crashes 2 --recoveries 1 --channel ")
    );
    assert!(told(&[("crashes", "1"), ("recoveries", "any")]).contains(" --recoveries any "));
    let osc = [("crashes", "1"), ("recoveries", "1"), ("property", "oscillation:1")];
    assert_eq!(
        with(&osc).expect_err("it recovers").to_string(),
        "--recoveries: oscillation is about a process that stays crashed; leave one of the two out"
    );
}

#[test]
fn unbounded_channels_have_a_cap_and_orders_are_read() {
    let network = plan(&[("channel", "unbounded"), ("order", "fifo")]).expect("a plan").scenario.network;
    assert_eq!(network.capacity, Capacity::Unbounded { cap: 8 });
    assert_eq!(network.order, DeliveryOrder::Fifo);
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
        ("recoveries", "often"),
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

fn options(pairs: &[(&'static str, &str)]) -> Result<SearchOptions, Problem> {
    SearchOptions::of(&settings(pairs)?)
}

#[test]
fn searches_are_read() {
    let strategy = |text| options(&[("search", text)]).map(|options| options.search.strategy);
    assert_eq!(strategy("breadth"), Ok(Strategy::Breadth { max_depth: None }));
    assert_eq!(strategy("beam:10_000"), Ok(Strategy::Beam { width: 10_000, max_depth: DEEP }));
    assert_eq!(strategy("walks:5"), Ok(Strategy::Walks { count: 5, max_depth: DEEP }));
    for wrong in ["", "depth", "beam", "beam:0", "walks:many", "breadth:3"] {
        assert!(strategy(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_command_has_the_limits_that_were_written_down_and_no_others() {
    let line = |pairs| {
        let mut line = CommandLine::new("w", &[]);
        search_flags(&mut line, &options(pairs).expect("options"));
        line.to_string()
    };
    assert_eq!(line(&[("workers", "7")]), "w");
    assert_eq!(
        line(&[("search", "walks:9"), ("max-memory", "2048MiB"), ("timeout", "120s")]),
        "w --search walks:9 --seed 1 --max-depth 1000 --max-memory 2GiB --timeout 2min"
    );
    assert_eq!(line(&[("symmetry", "true"), ("max-depth", "9")]), "w --max-depth 9 --symmetry");
    assert_eq!(line(&[("symmetry", "false")]), "w --symmetry=false");
    assert_eq!(line(&[("reduce", "order")]), "w --reduce order");
    assert!(options(&[("reduce", "some")]).unwrap_err().to_string().contains("`some` is not a reduction"));
}

const USUAL: Oracle = Oracle { accuracy: OracleAccuracy::Weak, memory: SuspicionMemory::Momentary };

/// The oracle of a protocol that usually has this one.
fn read(text: &str) -> Result<Option<Oracle>, Problem> {
    let mut usual = usual(3);
    usual.scenario.oracle = Some(USUAL);
    CheckPlan::of(&settings(&[("oracle", text)])?, usual).map(|plan| plan.scenario.oracle)
}

#[test]
fn suspicions_last_as_usual_unless_somebody_says_how_long() {
    let memory = |text| read(text).expect("an oracle").map(|oracle| oracle.memory);
    assert_eq!(memory("none"), Some(SuspicionMemory::Momentary));
    assert_eq!(memory("none:lasting"), Some(SuspicionMemory::Lasting));
    assert_eq!(memory("<>S:momentary"), Some(SuspicionMemory::Momentary));
    assert_eq!(memory("P"), Some(SuspicionMemory::Momentary));
    assert_eq!(memory("P:mistakes=1"), Some(SuspicionMemory::Momentary));
    assert_eq!(memory("P:mistakes=1:lasting"), Some(SuspicionMemory::Lasting));
    assert!(read("Q").is_err());
}

#[test]
fn the_command_names_the_same_oracle_again() {
    for text in ["S:lasting", "<>S:momentary", "none", "<>P:lasting", "P:mistakes=2:lasting"] {
        let mut usual = usual(3);
        usual.scenario.oracle = Some(USUAL);
        let settings = settings(&[("oracle", text)]).expect("settings");
        let mut line = CommandLine::new("w", &[]);
        plan_flags(&mut line, &CheckPlan::of(&settings, usual).expect("a plan"));
        let word = if text.contains('<') { format!("'{text}'") } else { text.to_string() };
        assert!(line.to_string().contains(&format!(" --oracle {word} ")), "{line}");
    }
}

#[test]
fn nobody_listens_below_a_protocol_without_one() {
    let problem = plan(&[("oracle", "S")]).unwrap_err().to_string();
    assert!(problem.starts_with("--oracle: this protocol is not told"), "{problem}");
    assert_eq!(plan(&[]).expect("a plan").scenario.oracle, None);
}
