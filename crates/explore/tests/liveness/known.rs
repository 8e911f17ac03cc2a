//! Spaces with known answers, from `known.txt`.

use crate::engines::{Answer, agree, check_agrees};
use crate::formulas::read;
use crate::spelling::{ATOMS, read_fairness, read_line};
use crate::table::Table;
use watchkeeper_logic::Fairness;

/// What the file says so far of the space that is being read.
struct Reading {
    space: String,
    table: Table,
    fairness: Vec<Fairness>,
}

#[test]
fn the_answers_are_those_that_are_known() {
    let (mut spaces, mut answers, mut wrong) = (0, [0; 3], Vec::new());
    let nothing = || Reading { space: String::new(), table: Table::new(ATOMS), fairness: Vec::new() };
    let mut reading = nothing();
    for (i, line) in include_str!("known.txt").lines().enumerate() {
        let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
        let expected = match word {
            "" if !rest.is_empty() && !rest.starts_with('#') => {
                read_line(&mut reading.table, rest);
                continue;
            }
            "" | "#" => continue,
            "space" => {
                spaces += 1;
                reading = Reading { space: rest.into(), ..nothing() };
                continue;
            }
            "fair" => {
                if !reading.table.states.iter().any(|state| state.start) {
                    reading.table.state(0).start = true;
                }
                reading.fairness = read_fairness(&mut reading.table, rest);
                continue;
            }
            "holds" => Answer::Holds,
            "violated" => Answer::Violated,
            "unknown" => Answer::Unknown,
            other => panic!("line {}: what is `{other}`?", i + 1),
        };
        answers[expected as usize] += 1;
        let (claim, fair) = (read(rest), &reading.fairness);
        let told = agree(&reading.table, &claim, fair, expected, true);
        if let Err(why) = told.and_then(|()| check_agrees(&reading.table, &claim, fair, expected)) {
            wrong.push(format!("known.txt, line {}, {}: {rest}: {why}", i + 1, reading.space));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(spaces >= 40 && answers[0] >= 100 && answers[1] >= 100, "{spaces} spaces, {answers:?} answers");
}
