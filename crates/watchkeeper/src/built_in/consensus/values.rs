//! What processes propose. Each proposes once, so that an assignment has one value for each of them; what cannot be
//! decided is refused before anything is searched.

use crate::description::Clients;
use crate::params::{Param, Params};
use crate::problem::Problem;
use std::str::FromStr;
use watchkeeper_core::Pid;
use watchkeeper_protocols::consensus::ConsensusCall;

/// Up to how many processes all assignments of two values are searched one after the other.
const MOST_BINARY: usize = 8;

pub(super) const VALUES: Param = Param {
    name: "values",
    about: "what processes propose: distinct, binary, or one for each",
    default: "distinct",
};

pub(super) const DOMAIN: Param = Param {
    name: "domain",
    about: "only values below this can be decided; none for no limit",
    default: "none",
};

/// The word of `--values`.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Values {
    /// Everyone its own number.
    Distinct,
    /// All assignments of 0 and 1.
    Binary,
    /// These, from p0 on.
    Listed(Vec<u64>),
}

impl FromStr for Values {
    type Err = String;

    fn from_str(text: &str) -> Result<Values, String> {
        match text.trim() {
            "distinct" => Ok(Values::Distinct),
            "binary" => Ok(Values::Binary),
            list => list.split(',').map(value).collect::<Result<_, _>>().map(Values::Listed),
        }
    }
}

fn value(word: &str) -> Result<u64, String> {
    let word = word.trim();
    word.parse().map_err(|_| {
        format!("`{word}` is not a value; write distinct, binary, or a whole number for each process, such as 4,7,4")
    })
}

/// An assignment of values to processes, and what to call it.
type Assignment = (String, Vec<u64>);

impl Values {
    /// The assignments to `n` processes. Where values are opaque to a protocol, of two assignments that differ by
    /// exchanging 0 and 1 there is one.
    fn assignments(&self, n: usize, opaque: bool) -> Result<Vec<Assignment>, String> {
        match self {
            Values::Distinct => Ok(vec![named((0..n as u64).collect())]),
            Values::Listed(values) if values.len() == n => Ok(vec![named(values.clone())]),
            Values::Listed(values) => Err(format!(
                "{} values for {n} processes: each proposes once, so write {n} values, from p0 on",
                values.len()
            )),
            Values::Binary if n > MOST_BINARY => Err(format!(
                "all assignments of two values to {n} processes are too many; name the values of one, or let there be \
                 at most {MOST_BINARY} processes"
            )),
            Values::Binary => {
                let free = if opaque { n - 1 } else { n };
                let bits = |k: u64| -> Vec<u64> { (0..n).rev().map(|p| (k >> p) & 1).collect() };
                let both = |values: Vec<u64>| {
                    let swapped: Vec<u64> = values.iter().map(|value| 1 - value).collect();
                    (format!("{} (or {})", named(values.clone()).0, list(&swapped)), values)
                };
                Ok((0..1 << free)
                    .map(bits)
                    .map(|values| if opaque { both(values) } else { named(values) })
                    .collect())
            }
        }
    }
}

fn named(values: Vec<u64>) -> Assignment {
    (format!("proposals {}", list(&values)), values)
}

fn list(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// The bound on values that the parameters give.
pub(super) fn domain(params: &Params) -> Result<Option<u64>, Problem> {
    if params.text("domain") == "none" { Ok(None) } else { params.get("domain").map(Some) }
}

/// What clients ask as the parameters have it.
pub(super) fn assigned(
    n: usize,
    params: &Params,
    opaque: bool,
) -> Result<Vec<Clients<ConsensusCall>>, Problem> {
    let values: Values = params.text("values").parse().map_err(|why| params.refuse("values", why))?;
    let assignments = values.assignments(n, opaque).map_err(|why| params.refuse("values", why))?;
    if let Some(most) = domain(params)? {
        for (p, value) in assignments.iter().flat_map(|(_, values)| values.iter().enumerate()) {
            if *value >= most {
                let why = format!(
                    "p{p} would propose {value}, which is outside of the domain: with domain = {most} the values \
                     are 0 to {}; propose one of these, or raise --param domain",
                    most.saturating_sub(1)
                );
                return Err(params.refuse("values", why));
            }
        }
    }
    Ok(assignments.into_iter().map(|(name, values)| Clients { name, calls: calls(&values) }).collect())
}

fn calls(values: &[u64]) -> Vec<(Pid, ConsensusCall, u32)> {
    values.iter().enumerate().map(|(p, &value)| (Pid::at(p), ConsensusCall::Propose(value), 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assignments(text: &str, n: usize, opaque: bool) -> Result<Vec<Vec<u64>>, String> {
        let found = text.parse::<Values>()?.assignments(n, opaque)?;
        Ok(found.into_iter().map(|(_, values)| values).collect())
    }

    #[test]
    fn two_values_are_assigned_in_every_way_and_mirror_images_once() {
        assert_eq!(assignments("distinct", 3, true), Ok(vec![vec![0, 1, 2]]));
        let half = vec![vec![0, 0, 0], vec![0, 0, 1], vec![0, 1, 0], vec![0, 1, 1]];
        assert_eq!(assignments("binary", 3, true), Ok(half));
        let all = assignments("binary", 3, false).expect("assignments");
        assert_eq!((all.len(), all.first(), all.last()), (8, Some(&vec![0, 0, 0]), Some(&vec![1, 1, 1])));
        let names = Values::Binary.assignments(2, true).expect("assignments");
        let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["proposals 0,0 (or 1,1)", "proposals 0,1 (or 1,0)"]);
    }

    #[test]
    fn everyone_proposes_once() {
        assert_eq!(assignments("4, 7,4", 3, true), Ok(vec![vec![4, 7, 4]]));
        for (text, n, part) in [
            ("1,2", 3, "2 values for 3 processes: each proposes once"),
            ("1,2,3,1", 3, "4 values for 3 processes"),
            ("1,x,3", 3, "`x` is not a value"),
            ("", 3, "`` is not a value"),
            ("1,,2", 3, "`` is not a value"),
            ("-1,0", 2, "`-1` is not a value"),
            ("binary", 9, "at most 8 processes"),
        ] {
            let why = assignments(text, n, true).expect_err(text);
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
