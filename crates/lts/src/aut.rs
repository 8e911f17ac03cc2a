//! The Aldebaran format, which CADP, the mCRL2 toolset and LTSmin read and write: a line for each transition. It is read and
//! written as a stream; a reader refuses what it does not understand and names the line.

use crate::labels::LabelTable;
use crate::lts::{Lts, LtsEdge};
use std::io::{self, BufRead, Write};
use thiserror::Error;

/// A file that is no labelled transition system in the Aldebaran format.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AutError {
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line}: {why}")]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
}

/// The header and the form of a line, for a reader who has neither.
const HEADER: &str = "expected `des (INITIAL, TRANSITIONS, STATES)`, such as `des (0, 2, 3)`";
const LINE: &str = "expected `(FROM, \"LABEL\", TO)`, such as `(0, \"send(p0,p1)\", 1)`";

/// Writes a system.
pub fn write_aut(lts: &Lts, out: &mut dyn Write) -> io::Result<()> {
    let labels: Vec<String> = lts.labels().iter().map(quotable).collect();
    writeln!(out, "des ({}, {}, {})", lts.initial(), lts.transitions(), lts.states())?;
    for (from, LtsEdge { label, to }) in lts.all() {
        writeln!(out, "({from}, \"{}\", {to})", labels[label as usize])?;
    }
    Ok(())
}

/// The readers of this format know no escapes: a quotation mark would end the label.
fn quotable(label: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    label.chars().map(plain).collect()
}

/// Reads a system.
pub fn read_aut(input: &mut dyn BufRead) -> Result<Lts, AutError> {
    let mut text = String::new();
    let mut line = 0;
    let mut next = |text: &mut String| -> Result<(bool, u64), AutError> {
        loop {
            text.clear();
            line += 1;
            if input.read_line(text)? == 0 {
                return Ok((false, line));
            }
            if !text.trim().is_empty() {
                return Ok((true, line));
            }
        }
    };
    let (_, at) = next(&mut text)?;
    let wrong = |line: u64, why: String| AutError::Line { line, why };
    let (initial, said, states) = header(text.trim()).ok_or_else(|| wrong(at, HEADER.to_string()))?;
    if initial >= states || states > u64::from(u32::MAX) {
        let why = format!(
            "the initial state {initial} must be below the number of states, {states}, which may be 4294967295 at most"
        );
        return Err(wrong(at, why));
    }
    let mut labels = LabelTable::new();
    // A header may promise any number; memory is taken for what is really there.
    let mut transitions: Vec<(u32, LtsEdge)> = Vec::with_capacity(said.min(1 << 20) as usize);
    let mut cached = (String::new(), 0);
    loop {
        let (more, at) = next(&mut text)?;
        if !more {
            break;
        }
        let (from, label, to) = transition(text.trim()).ok_or_else(|| wrong(at, LINE.to_string()))?;
        if from.max(to) >= states {
            let why =
                format!("there are {states} states, and this transition has the state {}", from.max(to));
            return Err(wrong(at, why));
        }
        if cached.0 != label {
            cached = (label.to_string(), labels.number(label));
        }
        transitions.push((from as u32, LtsEdge { label: cached.1, to: to as u32 }));
    }
    if transitions.len() as u64 != said {
        let found = transitions.len();
        return Err(wrong(1, format!("the header says {said} transitions, and there are {found}")));
    }
    // Memory is taken for states that something leads to or from, not for those that a header promises.
    if states > 2 * said + 1 {
        let why = format!("the header says {states} states, and {said} transitions cannot join so many");
        return Err(wrong(1, why));
    }
    Ok(Lts::new(initial as u32, states as usize, labels, transitions))
}

fn header(text: &str) -> Option<(u64, u64, u64)> {
    let inner = text.strip_prefix("des")?.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut numbers = inner.split(',').map(|number| number.trim().parse::<u64>().ok());
    let three = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(three)
}

/// A transition: the label may stand in quotation marks, which are not part of it, and may have commas.
fn transition(text: &str) -> Option<(u64, &str, u64)> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let (from, rest) = inner.split_once(',')?;
    let (label, to) = rest.rsplit_once(',')?;
    let label = label.trim();
    let label = match label.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"')?,
        None => label,
    };
    (!label.is_empty()).then_some(())?;
    Some((from.trim().parse().ok()?, label, to.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Lts, AutError> {
        read_aut(&mut text.as_bytes())
    }

    #[test]
    fn what_is_written_is_read() {
        let text = "des (0, 3, 3)\n(0, \"tau\", 2)\n(0, \"send(p0,p1)\", 1)\n(1, \"time\", 0)\n";
        let lts = read(text).expect("a system");
        assert_eq!((lts.states(), lts.transitions(), lts.labels().len()), (3, 3, 3));
        let mut out = Vec::new();
        write_aut(&lts, &mut out).expect("written");
        assert_eq!(String::from_utf8(out).as_deref(), Ok(text));
    }

    #[test]
    fn labels_stand_with_and_without_quotation_marks() {
        let lts = read("des(0,2,2)\r\n\r\n(0,a(1,2),1)\r\n(1, \"say \"hi\"\" ,0)\r\n").expect("a system");
        assert_eq!(lts.labels().iter().collect::<Vec<_>>(), ["tau", "a(1,2)", "say \"hi\""]);
        let mut out = Vec::new();
        write_aut(&lts, &mut out).expect("written");
        assert!(String::from_utf8_lossy(&out).contains("(1, \"say 'hi'\", 0)"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            ("", "line 1: expected `des (INITIAL"),
            ("des (0, 1)", "line 1: expected `des (INITIAL"),
            ("des (2, 0, 2)", "line 1: the initial state 2 must be below the number of states, 2"),
            ("des (0, 0, 0)", "line 1: the initial state 0 must be below"),
            ("des (0, 1, 99999999999)", "line 1: the initial state 0 must be below"),
            ("des (0, 2, 2)\n(0, a, 1)\n(0; a; 1)", "line 3: expected `(FROM"),
            ("des (0, 1, 2)\n(0, \"a, 1)", "line 2: expected `(FROM"),
            ("des (0, 1, 2)\n(0, , 1)", "line 2: expected `(FROM"),
            ("des (0, 1, 2)\n\n(0, a, 2)", "line 3: there are 2 states, and this transition has the state 2"),
            ("des (0, 1, 4)\n(0, a, 1)", "line 1: the header says 4 states, and 1 transitions cannot join"),
            ("des (0, 3, 2)\n(0, a, 1)", "line 1: the header says 3 transitions, and there are 1"),
        ] {
            let found = read(text).map(|_| ()).unwrap_err().to_string();
            assert!(found.starts_with(told), "{text:?}: {found}");
        }
    }
}
