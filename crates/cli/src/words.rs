//! The words of the command line, from text to value. Each is refused with what to write instead; whether a value does for
//! a protocol is not asked here.

use crate::raw_settings::RawValue;
use std::fmt;
use std::str::FromStr;
use watchkeeper::quantities::ProcessName;
use watchkeeper::{
    Channel, FairnessRule, Interleaving, Lanes, Oracle, OracleChoice, Problem, Reduction, SearchMethod,
    SynchronyModel, TimeModel,
};
use watchkeeper_core::{Bound, ProcSet};
use watchkeeper_logic::FairnessStrength;
use watchkeeper_world::ANY_NUMBER;

/// The cap of `unbounded` channels where nobody says it.
const CAP: u32 = 8;

/// A number.
pub(crate) fn number(text: &RawValue) -> Result<u64, Problem> {
    let digits = text.value.trim().replace('_', "");
    digits.parse().map_err(|_| text.refused(format!("`{}` is not a whole number from 0 on", text.value)))
}

/// A number of crashes and the like.
pub(crate) fn small(text: &RawValue) -> Result<u32, Problem> {
    let number = number(text)?;
    u32::try_from(number).map_err(|_| text.refused(format!("{number} is far too many")))
}

/// A number, or `any` for any number.
pub(crate) fn budget(text: &RawValue) -> Result<u32, Problem> {
    if text.value.trim() == "any" { Ok(ANY_NUMBER) } else { small(text) }
}

/// A set of processes.
pub(crate) fn processes(text: &RawValue) -> Result<ProcSet, Problem> {
    Ok(text.parsed_list::<ProcessName>()?.into_iter().map(|ProcessName(p)| p).collect())
}

/// Whether something is switched on.
pub(crate) fn switch(text: &RawValue) -> Result<bool, Problem> {
    match text.value.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(text.refused(format!("`{other}` is neither true nor false"))),
    }
}

/// A detector, and how long its suspicions last if that is said.
pub(crate) fn oracle(text: &RawValue) -> Result<OracleChoice, Problem> {
    let Oracle { accuracy, memory } = text.parsed()?;
    let said = text.value.split(':').any(|word| matches!(word, "lasting" | "momentary"));
    Ok(OracleChoice { accuracy, memory: said.then_some(memory) })
}

/// A channel; `unbounded` alone has the usual cap.
pub(crate) fn channel(text: &RawValue) -> Result<Channel, Problem> {
    if text.value.trim() == "unbounded" { Ok(Channel::Unbounded(CAP)) } else { text.parsed() }
}

/// Which messages share a channel.
pub(crate) fn lanes(text: &RawValue) -> Result<Lanes, Problem> {
    match text.value.as_str() {
        "pair" => Ok(Lanes::PerPair),
        "kind" => Ok(Lanes::PerKind),
        _ => text.parsed(),
    }
}

/// How time passes.
pub(crate) fn time(text: &RawValue) -> Result<TimeModel, Problem> {
    match text.value.trim() {
        "untimed" => Ok(TimeModel::Untimed),
        "ticks" => Ok(TimeModel::Ticks),
        "dense" => Ok(TimeModel::Dense),
        word => Err(text
            .refused(format!("`{word}` is not a way in which time passes; write untimed, ticks or dense"))),
    }
}

/// SynchronyModel when bounds hold.
pub(crate) fn synchrony(text: &RawValue) -> Result<SynchronyModel, Problem> {
    match text.value.trim() {
        "always" => Ok(SynchronyModel::Always),
        "eventual" => Ok(SynchronyModel::Eventual),
        "unknown" => Ok(SynchronyModel::Unknown),
        word => Err(text.refused(format!(
            "`{word}` does not say since when bounds hold; write always, eventual for bounds that hold from \
             some moment on, or unknown for bounds up to those given"
        ))),
    }
}

/// How many times too slow a process may be.
pub(crate) fn speed(text: &RawValue) -> Result<u32, Problem> {
    let speed = text.value.trim().replace('_', "").parse().ok().filter(|speed| *speed > 0);
    let wrong = || {
        format!(
            "`{}` does not say how many times too slow a process may be; write a number from 1 on",
            text.value
        )
    };
    speed.ok_or_else(|| text.refused(wrong()))
}

/// How long a message and its reply take.
pub(crate) fn round_trip(text: &RawValue) -> Result<u32, Problem> {
    let digits = text.value.trim().replace('_', "");
    digits.parse().map_err(|_| text.refused(format!("`{}` is not a whole number from 0 on", text.value)))
}

/// A bound on time.
pub(crate) fn interval(text: &RawValue) -> Result<Bound, Problem> {
    text.parsed::<Interval>().map(|Interval(bound)| bound)
}

/// Formulas, apart by `;`.
pub(crate) fn formulas(text: &RawValue) -> Vec<String> {
    let all = text.value.split(';').map(str::trim);
    all.filter(|text| !text.is_empty()).map(str::to_string).collect()
}

/// Rules that say which runs count.
pub(crate) fn fairness(text: &RawValue) -> Result<Vec<FairnessRule>, Problem> {
    let words = text.value.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| rule(text, word)).collect()
}

/// `steps` and the like, `weak:NAME`, or `strong:NAME@pX`.
fn rule(text: &RawValue, word: &str) -> Result<FairnessRule, Problem> {
    if let Some((_, family)) = FairnessRule::FAMILIES.into_iter().find(|(name, _)| *name == word) {
        return Ok(family);
    }
    let (strength, name) = match word.split_once(':') {
        Some(("weak", name)) => (FairnessStrength::Weak, name),
        Some(("strong", name)) => (FairnessStrength::Strong, name),
        _ => {
            let families = FairnessRule::FAMILIES.iter().map(|(name, _)| *name);
            return Err(Problem::Unknown {
                origin: text.origin.clone(),
                what: "fairness",
                name: word.to_string(),
                known: families.chain(["weak:NAME", "strong:NAME@pX"]).map(str::to_string).collect(),
            });
        }
    };
    let (name, of) = match name.rsplit_once('@') {
        None => (name, None),
        Some((name, process)) => {
            let ProcessName(p) = process.parse().map_err(|why: String| text.refused(why))?;
            (name, Some(p))
        }
    };
    Ok(FairnessRule::Class { strength, name: name.trim().to_string(), of })
}

/// Which orders of steps are searched.
pub(crate) fn interleaving(text: &RawValue) -> Result<Interleaving, Problem> {
    match text.value.trim() {
        "stages" => Ok(Interleaving::Stages),
        "all" => Ok(Interleaving::All),
        word => {
            let why = format!("`{word}` does not say which orders of steps to search; write stages or all");
            Err(text.refused(why))
        }
    }
}

/// Which steps are left out.
pub(crate) fn reduction(text: &RawValue) -> Result<Reduction, Problem> {
    match text.value.trim() {
        "none" => Ok(Reduction::None),
        "order" => Ok(Reduction::PartialOrder),
        word => Err(text.refused(format!("`{word}` is not a reduction; write order, or none"))),
    }
}

/// Which states are looked at.
pub(crate) fn search(text: &RawValue) -> Result<SearchMethod, Problem> {
    let whole = text.value.trim();
    let wrong = || {
        let why = "write breadth, beam:WIDTH or walks:COUNT, such as beam:10000";
        text.refused(format!("`{whole}` is not a search; {why}"))
    };
    let (word, number) = whole.split_once(':').map_or((whole, None), |(word, number)| (word, Some(number)));
    let number = number.map(|number| number.replace('_', "").parse::<u64>().ok().filter(|&size| size > 0));
    match (word, number) {
        ("breadth", None) => Ok(SearchMethod::Breadth),
        ("beam", Some(Some(width))) => usize::try_from(width).map(SearchMethod::Beam).map_err(|_| wrong()),
        ("walks", Some(Some(count))) => Ok(SearchMethod::Walks(count)),
        _ => Err(wrong()),
    }
}

/// A bound as users write it: `1..3`, `1,3`, `2` for exactly 2, `1..` or `1..inf` without an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval(pub(crate) Bound);

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Interval, String> {
        let wrong = || {
            format!(
                "`{text}` is not a span of time; write LO..HI such as 1..3, or 2 for exactly 2, or 1.. for 1 or more"
            )
        };
        let number = |word: &str| word.trim().replace('_', "").parse::<u32>().map_err(|_| wrong());
        let Some((lo, hi)) = text.split_once("..").or_else(|| text.split_once(',')) else {
            return number(text).map(Bound::exactly).map(Interval);
        };
        let lo = number(lo)?;
        if ["", "inf"].contains(&hi.trim()) && text.contains("..") {
            return Ok(Interval(Bound::at_least(lo)));
        }
        let hi = number(hi)?;
        let empty = || format!("{lo} is above {hi}, so nothing lies between; write {hi}..{lo}");
        Bound::new(lo, hi).map(Interval).ok_or_else(empty)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.lo(), self.0.hi()) {
            (lo, Some(hi)) if lo == hi => write!(f, "{lo}"),
            (lo, Some(hi)) => write!(f, "{lo}..{hi}"),
            (lo, None) => write!(f, "{lo}.."),
        }
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
