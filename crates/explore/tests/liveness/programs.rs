//! Programs of the textbooks, with the fairness under which they do what they are for.

use crate::engines::{Answer, agree, check_agrees};
use crate::formulas::read;
use crate::spelling::{ATOMS, read_fairness};
use crate::table::Table;
use Answer::{Holds, Violated};

fn ask(mut table: Table, states: usize, cases: &[(&str, &str, Answer)]) {
    assert_eq!(table.reachable().len(), states);
    for &(fairness, claim, expected) in cases {
        let fair = read_fairness(&mut table, fairness);
        let (read, told) = (read(claim), agree(&table, &read(claim), &fair, expected, true));
        if let Err(why) = told.and_then(|()| check_agrees(&table, &read, &fair, expected)) {
            panic!("{claim} if {fairness}: {why}");
        }
    }
}

fn letters<const N: usize>(all: [(bool, char); N]) -> String {
    all.into_iter().filter(|(is, _)| *is).map(|(_, letter)| letter).collect()
}

/// One process of Peterson's algorithm: away, has raised its flag, waits, or is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    Away,
    Raised,
    Waits,
    Inside,
}

#[test]
fn peterson_lets_everyone_in_under_weak_fairness() {
    let moves = |&(at, turn): &([At; 2], usize)| {
        let mut moves = Vec::new();
        for me in 0..2 {
            let other = 1 - me;
            let free = at[other] == At::Away || turn == me;
            if at[me] == At::Away {
                moves.push(("think", me, (at, turn)));
            }
            let (class, now, turn) = match at[me] {
                At::Away => ("want", At::Raised, turn),
                At::Raised => ("step", At::Waits, other),
                At::Waits if free => ("step", At::Inside, turn),
                At::Waits => continue,
                At::Inside => ("step", At::Away, turn),
            };
            let mut after = at;
            after[me] = now;
            moves.push((class, me, (after, turn)));
        }
        moves
    };
    let told = |(at, _): &([At; 2], usize)| {
        letters([(at[0] == At::Waits, 'p'), (at[0] == At::Inside, 'q'), (at[1] == At::Inside, 'r')])
    };
    let table = Table::program(ATOMS, ([At::Away; 2], 0), moves, told);
    let cases = [
        ("", "G !(q & r)", Holds),
        ("", "p ~> q", Violated),
        ("weak step each process", "p ~> q", Holds),
        ("weak step@0", "p ~> q", Holds),
        ("weak step@1", "p ~> q", Violated),
        ("weak * each process", "p ~> q", Holds),
        ("weak * each process", "G F q", Violated),
        ("weak want each process; weak step each process", "G F q & G F r", Holds),
        ("strong want@0", "G F q", Violated),
        ("strong want each kind", "G F q", Holds),
        ("weak step each process", "G (p -> (!r W (q | r & (r W (!r W q)))))", Holds),
        ("weak step each process", "G (p -> (!r W q))", Violated),
    ];
    ask(table, 20, &cases);
}

#[test]
fn a_semaphore_starves_a_process_unless_fairness_is_strong() {
    // 0 is away, 1 waits, 2 is in.
    let moves = |at: &[u8; 2]| {
        let mut moves = Vec::new();
        for me in 0..2 {
            let class = match at[me] {
                0 => "want",
                1 if at[1 - me] == 2 => continue,
                1 => "enter",
                _ => "leave",
            };
            let mut after = *at;
            after[me] = (at[me] + 1) % 3;
            moves.push((class, me, after));
        }
        moves
    };
    let told = |at: &[u8; 2]| letters([(at[0] == 1, 'p'), (at[0] == 2, 'q'), (at[1] == 2, 'r')]);
    let table = Table::program(ATOMS, [0; 2], moves, told);
    let weak = "weak leave each process; weak enter each process";
    let strong = "weak leave each process; strong enter each process";
    let cases = [
        ("", "G !(q & r)", Holds),
        (weak, "p ~> q", Violated),
        (strong, "p ~> q", Holds),
        ("weak leave each process; strong enter", "p ~> q", Violated),
        ("weak leave@1; strong enter@0", "p ~> q", Holds),
        // Nobody stays inside for ever while that is all that can happen.
        ("strong enter@0", "p ~> q", Holds),
        (strong, "G F q", Violated),
        (
            "weak want each process; weak leave each process; strong enter each process",
            "G F q & G F r",
            Holds,
        ),
        ("weak * each process", "p ~> q", Violated),
        ("strong * each process", "p ~> q", Holds),
    ];
    ask(table, 8, &cases);
}

#[test]
fn the_alternating_bit_needs_channels_that_deliver_some_of_what_they_are_given() {
    // The bits of sender and receiver, and what is on its way in either direction.
    type State = (bool, bool, Option<bool>, Option<bool>);
    let moves = |&(sends, awaits, data, ack): &State| {
        let mut moves: Vec<(&'static str, usize, State)> = Vec::new();
        match data {
            None => moves.push(("send", 0, (sends, awaits, Some(sends), ack))),
            Some(bit) => {
                let awaits_next = if bit == awaits { !awaits } else { awaits };
                if ack.is_none() {
                    moves.push(("deliver", 1, (sends, awaits_next, None, Some(bit))));
                }
                moves.push(("!lose", 1, (sends, awaits, None, ack)));
            }
        }
        if let Some(bit) = ack {
            let next = if bit == sends { !sends } else { sends };
            moves.push(("deliver", 0, (next, awaits, data, None)));
            moves.push(("!lose", 0, (sends, awaits, data, None)));
        }
        moves
    };
    let told = |&(sends, awaits, ..): &State| letters([(sends, 'p'), (awaits, 'q')]);
    let table = Table::program(ATOMS, (false, false, None, None), moves, told);
    let fair = "weak send; strong deliver each process";
    let cases = [
        ("", "G F q", Violated),
        ("weak * each process", "G F q", Violated),
        ("weak send; weak deliver each process", "G F q", Violated),
        ("weak send; strong deliver", "G F q", Violated),
        (fair, "G F q & G F !q", Holds),
        (fair, "G F p & G F !p", Holds),
        ("", "p R q | G !p", Violated),
        ("", "!p W q", Holds),
        ("", "G (q -> (q W p))", Holds),
    ];
    ask(table, 18, &cases);
}

#[test]
fn philosophers_who_all_take_the_left_fork_first_end_in_a_rest() {
    // How many forks each of three holds; the left one of `i` is fork `i`.
    let greedy = philosophers(false);
    let fair = "strong * each process";
    ask(greedy, 14, &[(fair, "p ~> q", Violated), (fair, "F q", Violated), (fair, "G F q | F G p", Holds)]);
    let polite = philosophers(true);
    ask(
        polite,
        12,
        &[(fair, "G F q", Holds), ("weak * each process", "G F q", Violated), ("", "F q", Violated)],
    );
}

/// Three philosophers; the last one takes the right fork first, if it is `polite`. `p`: the first one has a
/// fork; `q`: it eats.
fn philosophers(polite: bool) -> Table {
    let order = move |i: usize| if polite && i == 2 { [(i + 1) % 3, i] } else { [i, (i + 1) % 3] };
    let moves = move |has: &[usize; 3]| {
        let taken = |fork: usize| (0..3).any(|i| order(i)[..has[i]].contains(&fork));
        let mut moves = Vec::new();
        for me in 0..3 {
            let mut after = *has;
            after[me] = match has[me] {
                2 => 0,
                held if taken(order(me)[held]) => continue,
                held => held + 1,
            };
            moves.push((if has[me] == 2 { "leave" } else { "take" }, me, after));
        }
        moves
    };
    Table::program(ATOMS, [0; 3], moves, |has| letters([(has[0] == 1, 'p'), (has[0] == 2, 'q')]))
}
