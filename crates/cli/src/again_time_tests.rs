//! Tests of the settings about time: what is read, what is refused, and that the command says the same again.

use super::*;
use crate::raw_settings::RawSettings;
use watchkeeper::plan::ProtocolDefaults;
use watchkeeper::settings::{Interval, SettingValue};
use watchkeeper::{Interleaving, Problem, Scenario};
use watchkeeper_core::Bound;
use watchkeeper_world::{BeforeStable, Synchrony, Timing};

fn plan(pairs: &[(&str, &str)], usual: WorldTime) -> Result<CheckPlan, Problem> {
    let mut texts = RawSettings::default();
    for (name, text) in pairs {
        let known = Settings::row(name).expect("a setting");
        texts.set(known.name, *text, SettingOrigin::Argument(format!("--{name}")));
    }
    let scenario = Scenario { time: usual, ..Scenario::new(3) };
    CheckPlan::of(&texts.read()?, ProtocolDefaults { n: 3, scenario, asked: vec![PropertySpec::Deadlock] })
}

fn read(pairs: &[(&str, &str)], usual: WorldTime) -> Result<WorldTime, Problem> {
    plan(pairs, usual).map(|plan| plan.scenario.time)
}

fn beats() -> WorldTime {
    WorldTime::Dense(Timing::round_trip(4))
}

#[test]
fn intervals_are_read_and_written() {
    for (text, written) in
        [("1..3", "1..3"), ("1,3", "1..3"), ("2", "2"), ("2..2", "2"), (" 1 .. ", "1.."), ("0..inf", "0..")]
    {
        let read: Interval = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(read.to_string(), written);
        assert_eq!(written.parse(), Ok(read));
    }
    for wrong in ["", "..", "..3", "1,", "3..1", "3,1", "-1..2", "1.5", "a..b", "1..2..3", "5000000000"] {
        assert!(wrong.parse::<Interval>().is_err(), "{wrong}");
    }
    assert!("3..1".parse::<Interval>().unwrap_err().contains("3 is above 1"));
}

#[test]
fn without_a_word_time_is_what_the_protocol_says() {
    assert_eq!(read(&[], WorldTime::Untimed), Ok(WorldTime::Untimed));
    assert_eq!(read(&[], beats()), Ok(beats()));
    assert_eq!(read(&[("time", "ticks")], beats()), Ok(WorldTime::Ticks(Timing::round_trip(4))));
    assert_eq!(read(&[("time", "untimed")], beats()), Ok(WorldTime::Untimed));
}

#[test]
fn every_option_of_time_is_heard() {
    let two = Bound::new(1, 2).expect("a bound");
    let said =
        [("time", "ticks"), ("delay", "1..2"), ("processing", "1"), ("simultaneous", "deliveries-first")];
    let expected = Timing { processing: Bound::exactly(1), ..Timing::per_message(two).deliveries_first() };
    assert_eq!(read(&said, WorldTime::Untimed), Ok(WorldTime::Ticks(expected)));
    assert_eq!(read(&[("round-trip", "9")], beats()), Ok(WorldTime::Dense(Timing::round_trip(9))));
    assert_eq!(
        read(&[("delay", "0..")], beats()),
        Ok(WorldTime::Dense(Timing::per_message(Bound::at_least(0))))
    );
}

#[test]
fn what_makes_no_sense_is_refused_by_the_name_of_its_flag() {
    type Case<'a> = (&'a [(&'a str, &'a str)], WorldTime, &'a str, &'a str);
    let cases: [Case<'_>; 9] = [
        (&[("delay", "2")], WorldTime::Untimed, "--delay: ", "--time ticks"),
        (&[("round-trip", "2")], WorldTime::Untimed, "--round-trip: ", "untimed"),
        (&[("simultaneous", "any"), ("time", "untimed")], beats(), "--simultaneous: ", "untimed"),
        (&[("time", "dense")], WorldTime::Untimed, "--time: ", "--delay LO..HI"),
        (&[("time", "real")], WorldTime::Untimed, "--time: ", "untimed, ticks or dense"),
        (&[("time", "dense"), ("delay", "3..1")], WorldTime::Untimed, "--delay: ", "3 is above 1"),
        (
            &[("time", "dense"), ("delay", "1"), ("processing", "2,1")],
            WorldTime::Untimed,
            "--processing: ",
            "above",
        ),
        (&[("delay", "1"), ("round-trip", "1")], beats(), "--round-trip: ", "leave out"),
        (&[("simultaneous", "timeouts-first")], beats(), "--simultaneous: ", "deliveries-first"),
    ];
    for (pairs, usual, flag, part) in cases {
        let problem = read(pairs, usual).expect_err(flag).to_string();
        assert!(problem.starts_with(flag) && problem.contains(part), "{pairs:?}: {problem}");
    }
}

/// Before and after, slow processes, and bounds that only the adversary knows.
#[test]
fn partial_synchrony_is_heard() {
    let normal = Timing::per_message(Bound::within(2));
    let late = |delay, losses| {
        let synchrony = Synchrony::Eventual(BeforeStable { delay, losses });
        Ok(WorldTime::Ticks(Timing { synchrony, ..normal }))
    };
    let ticks = |more: &[(&'static str, &'static str)]| {
        let pairs = [&[("time", "ticks"), ("delay", "0..2")], more].concat();
        (read(&pairs, WorldTime::Untimed), plan(&pairs, WorldTime::Untimed).map(|plan| plan.unknown))
    };
    assert_eq!(ticks(&[("synchrony", "eventual")]), (late(Bound::at_least(0), false), Ok(false)));
    let said = [("synchrony", "eventual"), ("before-delay", "0..20"), ("before-loss", "true")];
    assert_eq!(ticks(&said).0, late(Bound::within(20), true));
    let slow = Ok(WorldTime::Ticks(Timing { speed: 3, ..normal }));
    assert_eq!(ticks(&[("speed", "3")]), (slow.clone(), Ok(false)));
    assert_eq!(ticks(&[("speed", "3"), ("synchrony", "unknown")]), (slow, Ok(true)));
    assert_eq!(ticks(&[("synchrony", "always")]), (Ok(WorldTime::Ticks(normal)), Ok(false)));
    // What a protocol usually has can be changed, and switched off.
    let usual = late(Bound::within(20), true).expect("a time");
    assert_eq!(read(&[], usual), Ok(usual));
    assert_eq!(read(&[("before-loss", "false")], usual), late(Bound::within(20), false));
    assert_eq!(read(&[("synchrony", "always")], usual), Ok(WorldTime::Ticks(normal)));
}

#[test]
fn partial_synchrony_that_makes_no_sense_is_refused() {
    type Case<'a> = (&'a [(&'a str, &'a str)], WorldTime, &'a str, &'a str);
    let ticks = WorldTime::Ticks(Timing::per_message(Bound::within(2)));
    let cases: [Case<'_>; 10] = [
        (&[("speed", "2")], WorldTime::Untimed, "--speed: ", "untimed"),
        (&[("synchrony", "eventual")], WorldTime::Untimed, "--synchrony: ", "untimed"),
        (&[("speed", "0")], ticks, "--speed: ", "from 1 on"),
        (&[("speed", "fast")], ticks, "--speed: ", "from 1 on"),
        (&[("synchrony", "never")], ticks, "--synchrony: ", "always, eventual"),
        (&[("before-delay", "0..9")], ticks, "--before-delay: ", "--synchrony eventual"),
        (
            &[("before-loss", "true"), ("synchrony", "unknown")],
            ticks,
            "--before-loss: ",
            "--synchrony eventual",
        ),
        (&[("synchrony", "eventual"), ("time", "dense")], ticks, "--synchrony: ", "--time ticks"),
        (&[("synchrony", "eventual"), ("time", "ticks")], beats(), "--synchrony: ", "--delay LO..HI"),
        (&[("synchrony", "unknown"), ("delay", "1..")], ticks, "--synchrony: ", "has no end"),
    ];
    for (pairs, usual, flag, part) in cases {
        let problem = read(pairs, usual).expect_err(flag).to_string();
        assert!(problem.starts_with(flag) && problem.contains(part), "{pairs:?}: {problem}");
    }
}

#[test]
fn the_command_says_the_same_again() {
    let late = Timing {
        synchrony: Synchrony::Eventual(BeforeStable { losses: true, ..BeforeStable::default() }),
        speed: 2,
        ..Timing::per_message(Bound::within(2))
    };
    let late = WorldTime::Ticks(late);
    let cases: [(&[(&str, &str)], WorldTime); 12] = [
        (&[], late),
        (&[("before-loss", "false"), ("speed", "1")], late),
        (&[("before-delay", "1..7")], late),
        (&[("synchrony", "always")], late),
        (
            &[("time", "ticks"), ("delay", "2"), ("synchrony", "eventual"), ("before-loss", "true")],
            WorldTime::Untimed,
        ),
        (&[("time", "dense"), ("delay", "2"), ("speed", "4")], WorldTime::Untimed),
        (&[], WorldTime::Untimed),
        (&[], beats()),
        (&[("time", "untimed")], beats()),
        (&[("time", "ticks"), ("delay", "1.."), ("processing", "0..2")], WorldTime::Untimed),
        (&[("simultaneous", "deliveries-first")], beats()),
        (
            &[("simultaneous", "any"), ("round-trip", "3")],
            WorldTime::Ticks(Timing::round_trip(1).deliveries_first()),
        ),
    ];
    for (pairs, usual) in cases {
        let said = plan(pairs, usual).expect("a plan");
        let (first, mut line) = (said.scenario.time, CommandLine::new("w", &[]));
        plan_flags(&mut line, &said);
        let line = line.to_string();
        let flags = line.split(" --").skip(1);
        let again: Vec<(&str, &str)> = flags
            .map(|flag| flag.split_once(' ').or_else(|| flag.split_once('=')).unwrap_or((flag, "true")))
            .collect();
        assert_eq!(read(&again, usual), Ok(first), "{line}");
    }
}

#[test]
fn orders_of_steps_have_two_words() {
    let said = |text: &str| {
        let origin = SettingOrigin::Call("test");
        Interleaving::read(&Sourced { value: text.to_string(), origin })
    };
    assert_eq!((said("stages"), said("all")), (Ok(Interleaving::Stages), Ok(Interleaving::All)));
    assert!(said("some").unwrap_err().to_string().contains("stages or all"));
}
