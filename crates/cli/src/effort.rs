//! How a search is done and how far it may go: the settings that every searching command shares.

use crate::command_line::CommandLine;
use crate::machine::{self, Allowance};
use crate::outputs::to_stderr;
use crate::problem::Problem;
use crate::quantities::{Memory, Span, Workers};
use crate::settings::Settings;
use std::fmt;
use std::str::FromStr;
use watchkeeper_explore::{Reduction, Search, Strategy, SymmetryReduction};

/// The depth of a search that has no end of its own and was given none.
const DEEP: u64 = 1000;

/// A search and its limits, ready to be used.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Effort {
    pub(crate) search: Search,
    pub(crate) timeout: Option<Span>,
    /// Whether to make a symmetry reduction, if somebody says; [`Search::symmetry`] is then the same.
    pub(crate) symmetry: Option<bool>,
    /// The memory limit that the user wrote down, as against the one the machine suggests.
    memory: Memory,
    /// What the memory limit comes from, where that is not the user.
    pub(crate) allowance: Option<Allowance>,
}

/// The word of `--search`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Breadth,
    Beam(usize),
    Walks(u64),
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        let wrong = || {
            format!("`{text}` is not a search; write breadth, beam:WIDTH or walks:COUNT, such as beam:10000")
        };
        let (word, number) = text.split_once(':').map_or((text, None), |(word, number)| (word, Some(number)));
        let number =
            number.map(|number| number.replace('_', "").parse::<u64>().ok().filter(|&size| size > 0));
        match (word, number) {
            ("breadth", None) => Ok(Kind::Breadth),
            ("beam", Some(Some(width))) => usize::try_from(width).map(Kind::Beam).map_err(|_| wrong()),
            ("walks", Some(Some(count))) => Ok(Kind::Walks(count)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Breadth => f.write_str("breadth"),
            Kind::Beam(width) => write!(f, "beam:{width}"),
            Kind::Walks(count) => write!(f, "walks:{count}"),
        }
    }
}

/// The word of `--reduce`.
struct Reduce(Reduction);

impl FromStr for Reduce {
    type Err = String;

    fn from_str(text: &str) -> Result<Reduce, String> {
        match text {
            "none" => Ok(Reduce(Reduction::None)),
            "order" => Ok(Reduce(Reduction::PartialOrder)),
            _ => Err(format!("`{text}` is not a reduction; write order, or none")),
        }
    }
}

impl Effort {
    /// What the settings ask for.
    pub(crate) fn of(settings: &Settings) -> Result<Effort, Problem> {
        let max_depth = settings.number("max-depth")?;
        let strategy = match settings.value("search")?.unwrap_or(Kind::Breadth) {
            Kind::Breadth => Strategy::Breadth { max_depth },
            Kind::Beam(width) => Strategy::Beam { width, max_depth: max_depth.unwrap_or(DEEP) },
            Kind::Walks(count) => Strategy::Walks { count, max_depth: max_depth.unwrap_or(DEEP) },
        };
        let memory = settings.value("max-memory")?.unwrap_or(Memory::Auto);
        // What somebody names cannot be more than the system will give.
        let allowance = match memory {
            Memory::Auto => machine::allowance(),
            Memory::Bytes(bytes) => machine::imposed().filter(|imposed| imposed.bytes < bytes),
        };
        let max_bytes = match (memory, allowance) {
            (_, Some(allowance)) => Some(allowance.bytes),
            (Memory::Bytes(bytes), None) => Some(bytes),
            (Memory::Auto, None) => None,
        };
        let symmetry = settings.switch("symmetry")?;
        let search = Search {
            strategy,
            workers: settings.value("workers")?.unwrap_or(Workers::Auto).count(),
            symmetry: symmetry.unwrap_or(false).into(),
            max_states: settings.at_least_one("max-states")?,
            max_bytes,
            seed: settings.number("seed")?.unwrap_or(1),
            reduction: settings.value("reduce")?.map_or(Reduction::None, |Reduce(reduction)| reduction),
            ..Search::default()
        };
        Ok(Effort { search, timeout: settings.value("timeout")?, symmetry, memory, allowance })
    }

    /// Says, unless told to be quiet, that the memory limit is not the one that the user wrote down.
    pub(crate) fn announce(&self, quiet: bool) {
        if let (Memory::Bytes(_), Some(allowance), false) = (self.memory, self.allowance, quiet) {
            let wanted = self.memory;
            to_stderr(&format!(
                "note: --max-memory {wanted} is more than there is: the limit is {allowance}\n"
            ));
        }
    }

    /// The effort of one of several searches side by side: each by itself, with its share of the memory.
    pub(crate) fn share(&self, searches: usize) -> Effort {
        let max_bytes = self.search.max_bytes.map(|bytes| bytes / searches.max(1) as u64);
        Effort { search: Search { workers: 1, max_bytes, ..self.search.clone() }, ..self.clone() }
    }

    /// The search for the answer to a question. Where nobody says, `automatic` makes a symmetry reduction where one is
    /// possible, which the engine finds out.
    pub(crate) fn search_of(&self, automatic: bool) -> Search {
        let unasked = if automatic { SymmetryReduction::WherePossible } else { SymmetryReduction::Off };
        Search { symmetry: self.symmetry.map_or(unasked, SymmetryReduction::from), ..self.search.clone() }
    }

    /// Adds the flags that a verdict depends on. The number of threads is not among them; of the limits,
    /// those are that somebody wrote down. `automatic` as in [`Effort::search_of`].
    pub(crate) fn add_to(&self, line: &mut CommandLine, automatic: bool) {
        let (kind, max_depth) = match self.search.strategy {
            Strategy::Breadth { max_depth } => (Kind::Breadth, max_depth),
            Strategy::Beam { width, max_depth } => (Kind::Beam(width), Some(max_depth)),
            Strategy::Walks { count, max_depth } => (Kind::Walks(count), Some(max_depth)),
        };
        if kind != Kind::Breadth {
            line.flag("search", kind);
            line.flag("seed", self.search.seed);
        }
        line.maybe("max-depth", max_depth);
        match self.symmetry {
            Some(true) => line.switch("symmetry"),
            Some(false) if automatic => line.switch("symmetry=false"),
            _ => {}
        }
        if self.search.reduction == Reduction::PartialOrder {
            line.flag("reduce", "order");
        }
        line.maybe("max-states", self.search.max_states);
        if self.memory != Memory::Auto {
            line.flag("max-memory", self.memory);
        }
        line.maybe("timeout", self.timeout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Origin;

    fn effort(pairs: &[(&'static str, &str)]) -> Result<Effort, Problem> {
        let mut settings = Settings::default();
        for (name, text) in pairs {
            settings.set(name, *text, Origin::Argument(format!("--{name}")));
        }
        Effort::of(&settings)
    }

    #[test]
    fn searches_are_read() {
        let strategy = |text| effort(&[("search", text)]).map(|effort| effort.search.strategy);
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
            effort(pairs).expect("an effort").add_to(&mut line, false);
            line.to_string()
        };
        assert_eq!(line(&[("workers", "7")]), "w");
        assert_eq!(
            line(&[("search", "walks:9"), ("max-memory", "2048MiB"), ("timeout", "120s")]),
            "w --search walks:9 --seed 1 --max-depth 1000 --max-memory 2GiB --timeout 2min"
        );
        assert_eq!(line(&[("symmetry", "true"), ("max-depth", "9")]), "w --max-depth 9 --symmetry");
        assert_eq!(line(&[("symmetry", "false")]), "w", "that is the default");
        assert_eq!(
            (line(&[("reduce", "order")]).as_str(), line(&[("reduce", "none")]).as_str()),
            ("w --reduce order", "w")
        );
        assert!(effort(&[("reduce", "some")]).unwrap_err().to_string().contains("`some` is not a reduction"));
        let mut automatic = CommandLine::new("w", &[]);
        effort(&[("symmetry", "false")]).expect("an effort").add_to(&mut automatic, true);
        assert_eq!(automatic.to_string(), "w --symmetry=false");
    }
}
