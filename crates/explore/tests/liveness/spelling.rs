//! How a space and constraints of fairness are written in a text file, and how one that was drawn at random is
//! written so that it can be put there.

use crate::table::{Line, State, TIME, Table};
use std::fmt::Write;
use watchkeeper_logic::{ActionSelection, Fairness, FairnessStrength, FairnessUnit};
use watchkeeper_space::{ActionLabel, Pid};

/// The atoms of spaces that are read from text.
pub const ATOMS: &str = "pqrs";

/// Reads one line of a space: a chain of steps `0 -name@1<2#3-> 1`, where the process, its peer and the number
/// of the thing may be left out, or words about a state: `0 p q`, `0 start`, `0 locked`, `0 idles`, `0 cut`.
/// Faults have names that begin with `!`, what is owed begins with `$`; `time passes` and `faults are progress`
/// are about the whole.
pub fn read_line(table: &mut Table, line: &str) {
    match line {
        "time passes" => {
            table.class(TIME);
            return;
        }
        "faults are progress" => {
            table.shape.faults_are_progress = true;
            return;
        }
        _ => {}
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let (first, mut rest) = words.split_first().expect("a line has words");
    let mut from = number(first);
    table.state(from);
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        if let Some(action) = word.strip_prefix('-').and_then(|word| word.strip_suffix("->")) {
            let to = number(rest.first().expect("a step leads somewhere"));
            let (name, label) = action_of(action);
            table.step(from, name, label, to);
            (from, rest) = (to, &rest[1..]);
            continue;
        }
        let state = table.state(from);
        match *word {
            "start" => state.start = true,
            "locked" => state.locked = true,
            "idles" => state.idles = true,
            "cut" => state.cut = true,
            atom => state.atoms |= 1 << ATOMS.find(atom).expect("an atom"),
        }
    }
}

/// Reads constraints, with semicolons between them: `weak a,b each process; strong c@1; always *`.
pub fn read_fairness(table: &mut Table, text: &str) -> Vec<Fairness> {
    let read = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let strength = match words[0] {
            "weak" => FairnessStrength::Weak,
            "strong" => FairnessStrength::Strong,
            "always" => FairnessStrength::Always,
            other => panic!("no strength is called {other}"),
        };
        let (names, label) = action_of(words[1]);
        let names = names.split(',').filter(|name| *name != "*");
        let classes = names.map(|name| table.class(name)).collect();
        let each = match words.get(3).copied() {
            None => FairnessUnit::Together,
            Some("process") => FairnessUnit::Process,
            Some("kind") => FairnessUnit::Kind,
            Some("thing") => FairnessUnit::Thing,
            Some(other) => panic!("nothing is fair to each {other}"),
        };
        let of = ActionSelection { classes, process: label.process, peer: label.peer };
        Fairness { name: text.into(), strength, of, each }
    };
    text.split(';').map(str::trim).filter(|text| !text.is_empty()).map(read).collect()
}

fn action_of(text: &str) -> (&str, ActionLabel) {
    let (text, which) = text.split_once('#').unwrap_or((text, "0"));
    let (text, peer) = text.split_once('<').map_or((text, None), |(text, peer)| (text, Some(peer)));
    let (text, process) = text.split_once('@').map_or((text, None), |(text, pid)| (text, Some(pid)));
    let pid = |text: &str| Pid::at(number(text));
    (text, ActionLabel { process: process.map(pid), peer: peer.map(pid), which: number(which) as u64 })
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

/// The space as text that [`read_line`] reads.
pub fn write_space(table: &Table) -> String {
    let mut text = String::new();
    if table.shape.time.is_some() {
        text += "time passes\n";
    }
    if table.shape.faults_are_progress {
        text += "faults are progress\n";
    }
    for (number, state) in table.states.iter().enumerate() {
        let &State { start, atoms, locked, idles, cut } = state;
        let letters = ATOMS.chars().enumerate().filter(|(i, _)| atoms >> i & 1 != 0);
        let words = [(start, "start"), (locked, "locked"), (idles, "idles"), (cut, "cut")];
        let words = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word.to_string());
        let all: Vec<String> = letters.map(|(_, letter)| letter.to_string()).chain(words).collect();
        if !all.is_empty() {
            writeln!(text, "{number} {}", all.join(" ")).expect("a string takes everything");
        }
    }
    for Line { from, to, class, label } in &table.steps {
        let name = &table.shape.classes[usize::from(*class)].name;
        let which = if label.which == 0 { String::new() } else { format!("#{}", label.which) };
        let at = ends(label.process, label.peer);
        writeln!(text, "{from} -{name}{at}{which}-> {to}").expect("a string takes everything");
    }
    text
}

/// The constraint as text that [`read_fairness`] reads.
pub fn write_fairness(table: &Table, fairness: &Fairness) -> String {
    let name = |&class: &u8| table.shape.classes[usize::from(class)].name.as_str();
    let names: Vec<&str> = fairness.of.classes.iter().map(name).collect();
    let names = if names.is_empty() { "*".to_string() } else { names.join(",") };
    let strength = format!("{:?}", fairness.strength).to_lowercase();
    let each = match fairness.each {
        FairnessUnit::Together => String::new(),
        other => format!(" each {}", format!("{other:?}").to_lowercase()),
    };
    format!("{strength} {names}{}{each}", ends(fairness.of.process, fairness.of.peer))
}

fn ends(process: Option<Pid>, peer: Option<Pid>) -> String {
    let end =
        |sign: char, pid: Option<Pid>| pid.map_or(String::new(), |pid| format!("{sign}{}", pid.index()));
    end('@', process) + &end('<', peer)
}
