//! Who is with whom at the start, from the words of the command line. Whether there are such processes is for the
//! protocol to say.

use super::Unreadable;
use crate::quantities::ProcessName;
use std::str::FromStr;
use watchkeeper_core::{Pid, ProcSet};

/// The word of `--param cliques`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Cliques {
    /// All in one configuration.
    JointSearch,
    /// Everyone alone.
    Alone,
    /// These; who is in none of them is alone.
    Listed(Vec<ProcSet>),
}

impl Cliques {
    /// The configurations of `n` processes.
    pub(super) fn sets(self, n: usize) -> Vec<ProcSet> {
        match self {
            Cliques::JointSearch => vec![ProcSet::first(n)],
            Cliques::Alone => Pid::all(n).map(ProcSet::only).collect(),
            Cliques::Listed(sets) => sets,
        }
    }
}

impl FromStr for Cliques {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Cliques, Unreadable> {
        match text.trim() {
            "together" => Ok(Cliques::JointSearch),
            "alone" => Ok(Cliques::Alone),
            list => list.split('|').map(members).collect::<Result<_, _>>().map(Cliques::Listed),
        }
    }
}

/// The processes of one configuration: `01`, `0,1` or `p0,p1`.
pub(super) fn members(text: &str) -> Result<ProcSet, Unreadable> {
    let text = text.trim();
    let wrong = |word: &str| {
        Unreadable(format!(
            "`{word}` is not a process; write together, alone, or who is with whom, such as 01|2 or p0,p1|p10"
        ))
    };
    let digits: Vec<String> = text.chars().map(String::from).collect();
    let apart = text.contains([',', 'p']);
    let words: Vec<&str> = if apart {
        text.split(',').map(str::trim).collect()
    } else {
        digits.iter().map(String::as_str).collect()
    };
    let mut found = ProcSet::EMPTY;
    for word in &words {
        let ProcessName(p) = word.parse().map_err(|_| wrong(word))?;
        if found.contains(p) {
            return Err(Unreadable(format!("{p} is named twice; name it once")));
        }
        found.insert(p);
    }
    if found.is_empty() { Err(wrong(text)) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(text: &str, n: usize) -> Result<Vec<u64>, String> {
        let cliques = text.parse::<Cliques>().map_err(|why| why.to_string())?;
        Ok(cliques.sets(n).into_iter().map(ProcSet::bits).collect())
    }

    #[test]
    fn configurations_are_lists_of_processes() {
        assert_eq!(sets("together", 3), Ok(vec![0b111]));
        assert_eq!(sets("alone", 3), Ok(vec![0b001, 0b010, 0b100]));
        assert_eq!(sets("01|2", 3), Ok(vec![0b011, 0b100]));
        assert_eq!(sets("p0,p2 | p11", 12), Ok(vec![0b101, 1 << 11]));
        assert_eq!(sets("0,11", 12), Ok(vec![1 | 1 << 11]));
    }

    #[test]
    fn what_is_no_list_of_processes_is_told_what_to_write() {
        for (text, part) in [
            ("", "such as 01|2"),
            ("01|", "such as 01|2"),
            ("01|x", "`x` is not a process"),
            ("0,99", "`99` is not a process"),
            ("00", "p0 is named twice"),
            ("everyone", "`e` is not a process"),
        ] {
            let why = sets(text, 3).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
