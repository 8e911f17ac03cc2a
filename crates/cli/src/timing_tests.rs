//! Tests of times: what is read, what is refused, and that the command says the same again.

use super::*;
use crate::problem::Origin;
use crate::settings::SETTINGS;

fn settings(pairs: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (name, text) in pairs {
        let known = SETTINGS.iter().find(|setting| setting.name == *name).expect("a setting");
        settings.set(known.name, *text, Origin::Argument(format!("--{name}")));
    }
    settings
}

fn read(pairs: &[(&str, &str)], usual: Time) -> Result<Time, Problem> {
    time(&settings(pairs), usual)
}

fn beats() -> Time {
    Time::Dense(Timing::round_trip(4))
}

#[test]
fn intervals_are_read_and_written() {
    for (text, written) in [("1..3", "1..3"), ("1,3", "1..3"), ("2", "2"), ("2..2", "2"), (" 1 .. ", "1..")] {
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
    assert_eq!(read(&[], Time::Untimed), Ok(Time::Untimed));
    assert_eq!(read(&[], beats()), Ok(beats()));
    assert_eq!(read(&[("time", "ticks")], beats()), Ok(Time::Ticks(Timing::round_trip(4))));
    assert_eq!(read(&[("time", "untimed")], beats()), Ok(Time::Untimed));
}

#[test]
fn every_option_of_time_is_heard() {
    let two = Bound::new(1, 2).expect("a bound");
    let said =
        [("time", "ticks"), ("delay", "1..2"), ("processing", "1"), ("simultaneous", "deliveries-first")];
    let expected = Timing { processing: Bound::exactly(1), ..Timing::per_message(two).deliveries_first() };
    assert_eq!(read(&said, Time::Untimed), Ok(Time::Ticks(expected)));
    assert_eq!(read(&[("round-trip", "9")], beats()), Ok(Time::Dense(Timing::round_trip(9))));
    assert_eq!(read(&[("delay", "0..")], beats()), Ok(Time::Dense(Timing::per_message(Bound::at_least(0)))));
}

#[test]
fn what_makes_no_sense_is_refused_by_the_name_of_its_flag() {
    type Case<'a> = (&'a [(&'a str, &'a str)], Time, &'a str, &'a str);
    let cases: [Case<'_>; 9] = [
        (&[("delay", "2")], Time::Untimed, "--delay: ", "--time ticks"),
        (&[("round-trip", "2")], Time::Untimed, "--round-trip: ", "untimed"),
        (&[("simultaneous", "any"), ("time", "untimed")], beats(), "--simultaneous: ", "untimed"),
        (&[("time", "dense")], Time::Untimed, "--time: ", "--delay LO..HI"),
        (&[("time", "real")], Time::Untimed, "--time: ", "untimed, ticks or dense"),
        (&[("time", "dense"), ("delay", "3..1")], Time::Untimed, "--delay: ", "3 is above 1"),
        (
            &[("time", "dense"), ("delay", "1"), ("processing", "2,1")],
            Time::Untimed,
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

#[test]
fn the_command_says_the_same_again() {
    let cases: [(&[(&str, &str)], Time); 6] = [
        (&[], Time::Untimed),
        (&[], beats()),
        (&[("time", "untimed")], beats()),
        (&[("time", "ticks"), ("delay", "1.."), ("processing", "0..2")], Time::Untimed),
        (&[("simultaneous", "deliveries-first")], beats()),
        (
            &[("simultaneous", "any"), ("round-trip", "3")],
            Time::Ticks(Timing::round_trip(1).deliveries_first()),
        ),
    ];
    for (pairs, usual) in cases {
        let first = read(pairs, usual).expect("a time");
        let mut line = CommandLine::new("w", &[]);
        add_to(&mut line, first, usual);
        let line = line.to_string();
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let again: Vec<(&str, &str)> =
            words.chunks(2).map(|pair| (pair[0].trim_start_matches('-'), pair[1])).collect();
        assert_eq!(read(&again, usual), Ok(first), "{line}");
    }
}
