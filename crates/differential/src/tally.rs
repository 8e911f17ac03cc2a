//! What was compared how often, and how it came out: a generator whose cases all hold is worth nothing, so the balance is
//! counted.

use std::collections::BTreeMap;
use std::fmt;
use strum::{Display, EnumString, VariantArray};

/// A way to get an answer that is held against another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum CompareMode {
    /// The engine on all interleavings against the naive explorer, without time.
    Full,
    /// The same in ticks.
    Ticks,
    /// Some interleavings against all.
    Order,
    /// States up to renaming against all.
    Symmetry,
    /// Runs in stages against all.
    Stages,
    /// Dense time against ticks.
    Zones,
    /// Claims about infinite runs, in all ways in which engines decide them.
    Liveness,
    /// Searches with limits against those without.
    Limits,
    /// States told to another run against the states themselves.
    Parts,
}

/// How comparisons of one mode came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModeCounts {
    /// Both said that it holds.
    pub holds: u64,
    /// Both said that it is violated.
    pub violated: u64,
    /// One of them, rightly, did not know.
    pub unknown: u64,
    /// The question cannot be asked in this mode.
    pub refused: u64,
}

impl ModeCounts {
    /// How often something was compared.
    pub fn compared(&self) -> u64 {
        self.holds + self.violated + self.unknown
    }

    /// ModeCounts one more, by its word.
    pub fn count(&mut self, word: &str) {
        match word {
            "holds" => self.holds += 1,
            "violated" => self.violated += 1,
            _ => self.unknown += 1,
        }
    }
}

/// What came of many cases.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CaseTally {
    /// Cases that were compared in some mode.
    pub cases: u64,
    /// Cases with more states than there is patience for.
    pub large: u64,
    /// Cases for which there is no world.
    pub impossible: u64,
    /// The states of the cases that were compared.
    pub states: u64,
    /// How each mode came out.
    pub modes: BTreeMap<CompareMode, ModeCounts>,
    /// How often each feature was in a case.
    pub features: BTreeMap<&'static str, u64>,
}

impl CaseTally {
    /// The counts of a mode.
    pub fn of(&mut self, mode: CompareMode) -> &mut ModeCounts {
        self.modes.entry(mode).or_default()
    }

    /// Notes that a case has a feature.
    pub fn note(&mut self, feature: &'static str) {
        *self.features.entry(feature).or_default() += 1;
    }

    /// Adds what another has counted.
    pub fn join(&mut self, other: &CaseTally) {
        self.cases += other.cases;
        self.large += other.large;
        self.impossible += other.impossible;
        self.states += other.states;
        for (mode, theirs) in &other.modes {
            let mine = self.of(*mode);
            mine.holds += theirs.holds;
            mine.violated += theirs.violated;
            mine.unknown += theirs.unknown;
            mine.refused += theirs.refused;
        }
        for (feature, count) in &other.features {
            *self.features.entry(feature).or_default() += count;
        }
    }
}

impl fmt::Display for CaseTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CaseTally { cases, large, impossible, states, .. } = self;
        writeln!(f, "{cases} cases with {states} states; {large} too large, {impossible} without a world")?;
        writeln!(f, "{:10} {:>10} {:>10} {:>10} {:>10}", "mode", "holds", "violated", "unknown", "refused")?;
        for (mode, counts) in &self.modes {
            let ModeCounts { holds, violated, unknown, refused } = counts;
            writeln!(f, "{:10} {holds:>10} {violated:>10} {unknown:>10} {refused:>10}", mode.to_string())?;
        }
        let features: Vec<String> =
            self.features.iter().map(|(name, count)| format!("{name} {count}")).collect();
        write!(f, "with {}", features.join(", "))
    }
}
