//! How a text becomes the value of a setting, and how a value is written again. An error says what to write instead;
//! whether a value fits a protocol is decided later.

use super::{Interleaving, OracleChoice, SearchMethod, Sourced, StoreChoice, SynchronyModel, TimeModel};
use crate::problem::Problem;
use crate::property_spec::{FairnessRule, PropertySpec};
use crate::quantities::{DiskLimit, MemoryLimit, ProcessName, TimeSpan, Workers};
use std::fmt;
use std::str::FromStr;
use strum::VariantNames;
use watchkeeper_core::{Bound, ProcSet};
use watchkeeper_explore::Reduction;
use watchkeeper_logic::FairnessStrength;
use watchkeeper_world::{ANY_NUMBER, Channel, DeliveryOrder, Lanes, Oracle, Simultaneous, SuspicionMemory};

/// The cap of `unbounded` channels where nobody gives one.
const CAP: u32 = 8;

/// A type whose values are settings.
pub trait SettingValue: Sized {
    /// Whether it is one value, a list or a switch.
    const SHAPE: ValueShape = ValueShape::One;

    /// The values that the key of a scenario file takes.
    const TOML: &'static str = "a text, spelled as on the command line";

    /// The value of a text.
    fn read(text: &Sourced<String>) -> Result<Self, Problem>;

    /// The text of the value.
    fn write(&self) -> String;
}

/// The shape of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueShape {
    /// One value.
    One,
    /// Values that a flag separates by commas.
    List,
    /// A flag that needs no value.
    Switch,
}

/// A type whose texts are those of its `FromStr` and its `Display`.
trait Worded: FromStr<Err: fmt::Display> + fmt::Display {}

impl Worded for DeliveryOrder {}
impl Worded for Simultaneous {}
impl Worded for DiskLimit {}
impl Worded for MemoryLimit {}
impl Worded for StoreChoice {}
impl Worded for TimeSpan {}

impl<T: Worded> SettingValue for T {
    fn read(text: &Sourced<String>) -> Result<T, Problem> {
        text.parsed()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

fn number<T: FromStr>(text: &Sourced<String>) -> Result<T, Problem> {
    let digits = text.value.trim().replace('_', "");
    let whole = digits.parse::<u64>();
    digits.parse().map_err(|_| match whole {
        Ok(large) => text.refused(format!("{large} is far too many")),
        Err(_) => text.refused(format!("`{}` is not a whole number from 0 on", text.value)),
    })
}

const WHOLE: &str = "a whole number";

impl SettingValue for usize {
    const TOML: &'static str = WHOLE;

    fn read(text: &Sourced<String>) -> Result<usize, Problem> {
        number(text)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for u64 {
    const TOML: &'static str = WHOLE;

    fn read(text: &Sourced<String>) -> Result<u64, Problem> {
        number(text)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for u32 {
    const TOML: &'static str = WHOLE;

    fn read(text: &Sourced<String>) -> Result<u32, Problem> {
        number(text)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// A number of faults that is limited, or is [`ANY_NUMBER`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtMost(u32);

impl From<u32> for AtMost {
    fn from(most: u32) -> AtMost {
        AtMost(most)
    }
}

impl From<AtMost> for u32 {
    fn from(AtMost(most): AtMost) -> u32 {
        most
    }
}

impl SettingValue for AtMost {
    const TOML: &'static str = "a whole number, or `\"any\"`";

    fn read(text: &Sourced<String>) -> Result<AtMost, Problem> {
        if text.value.trim() == "any" { Ok(AtMost(ANY_NUMBER)) } else { number(text).map(AtMost) }
    }

    fn write(&self) -> String {
        if self.0 == ANY_NUMBER { "any".to_string() } else { self.0.to_string() }
    }
}

/// A bound on relative speed, from 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slowness(u32);

impl From<u32> for Slowness {
    fn from(times: u32) -> Slowness {
        Slowness(times)
    }
}

impl From<Slowness> for u32 {
    fn from(Slowness(times): Slowness) -> u32 {
        times
    }
}

impl SettingValue for Slowness {
    const TOML: &'static str = WHOLE;

    fn read(text: &Sourced<String>) -> Result<Slowness, Problem> {
        let times = text.value.trim().replace('_', "").parse().ok().filter(|times| *times > 0);
        let wrong = || format!("`{}` is not a bound on relative speed; write a number from 1 on", text.value);
        times.map(Slowness).ok_or_else(|| text.refused(wrong()))
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

impl SettingValue for bool {
    const SHAPE: ValueShape = ValueShape::Switch;
    const TOML: &'static str = "`true` or `false`";

    fn read(text: &Sourced<String>) -> Result<bool, Problem> {
        let wrong = |_| text.refused(format!("`{}` is neither true nor false", text.value));
        text.value.parse().map_err(wrong)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

const LIST: &str = "a list of texts, or one text with commas";

impl SettingValue for ProcSet {
    const SHAPE: ValueShape = ValueShape::List;
    const TOML: &'static str = LIST;

    fn read(text: &Sourced<String>) -> Result<ProcSet, Problem> {
        Ok(text.parsed_list::<ProcessName>()?.into_iter().map(|ProcessName(p)| p).collect())
    }

    fn write(&self) -> String {
        joined(self.iter(), ",")
    }
}

fn joined(items: impl IntoIterator<Item = impl fmt::Display>, separator: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(separator)
}

impl SettingValue for OracleChoice {
    fn read(text: &Sourced<String>) -> Result<OracleChoice, Problem> {
        let Oracle { accuracy, memory } = text.parsed()?;
        let named = text.value.split(':').any(|word| matches!(word, "lasting" | "momentary"));
        Ok(OracleChoice { accuracy, memory: named.then_some(memory) })
    }

    fn write(&self) -> String {
        let class = Oracle { accuracy: self.accuracy, memory: SuspicionMemory::Lasting };
        match self.memory {
            None => class.to_string(),
            Some(SuspicionMemory::Lasting) => format!("{class}:lasting"),
            Some(SuspicionMemory::Momentary) => format!("{class}:momentary"),
        }
    }
}

impl SettingValue for Channel {
    fn read(text: &Sourced<String>) -> Result<Channel, Problem> {
        if text.value.trim() == "unbounded" { Ok(Channel::Unbounded(CAP)) } else { text.parsed() }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for Lanes {
    fn read(text: &Sourced<String>) -> Result<Lanes, Problem> {
        match text.value.as_str() {
            "pair" => Ok(Lanes::PerPair),
            "kind" => Ok(Lanes::PerKind),
            _ => text.parsed(),
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// One of the names of an enum.
fn named<T: FromStr + VariantNames>(text: &Sourced<String>, what: &str) -> Result<T, Problem> {
    let word = text.value.trim();
    word.parse().map_err(|_| {
        let (last, first) = T::VARIANTS.split_last().expect("an enum with variants");
        text.refused(format!("`{word}` is not {what}; write {} or {last}", first.join(", ")))
    })
}

impl SettingValue for TimeModel {
    fn read(text: &Sourced<String>) -> Result<TimeModel, Problem> {
        named(text, "a model of time")
    }

    fn write(&self) -> String {
        <&str>::from(self).to_string()
    }
}

impl SettingValue for SynchronyModel {
    fn read(text: &Sourced<String>) -> Result<SynchronyModel, Problem> {
        named(text, "a model of synchrony")
    }

    fn write(&self) -> String {
        <&str>::from(self).to_string()
    }
}

impl SettingValue for Interleaving {
    fn read(text: &Sourced<String>) -> Result<Interleaving, Problem> {
        named(text, "a choice of interleavings")
    }

    fn write(&self) -> String {
        <&str>::from(self).to_string()
    }
}

impl SettingValue for Reduction {
    fn read(text: &Sourced<String>) -> Result<Reduction, Problem> {
        match text.value.trim() {
            "none" => Ok(Reduction::None),
            "order" => Ok(Reduction::PartialOrder),
            word => Err(text.refused(format!("`{word}` is not a reduction; write order, or none"))),
        }
    }

    fn write(&self) -> String {
        match self {
            Reduction::None => "none".to_string(),
            Reduction::PartialOrder => "order".to_string(),
        }
    }
}

impl SettingValue for SearchMethod {
    fn read(text: &Sourced<String>) -> Result<SearchMethod, Problem> {
        let whole = text.value.trim();
        let wrong = || {
            let why = "write breadth, beam:WIDTH or walks:COUNT, such as beam:10000";
            text.refused(format!("`{whole}` is not a search method; {why}"))
        };
        let (word, number) =
            whole.split_once(':').map_or((whole, None), |(word, number)| (word, Some(number)));
        let number =
            number.map(|number| number.replace('_', "").parse::<u64>().ok().filter(|&size| size > 0));
        match (word, number) {
            ("breadth", None) => Ok(SearchMethod::Breadth),
            ("beam", Some(Some(width))) => {
                usize::try_from(width).map(SearchMethod::Beam).map_err(|_| wrong())
            }
            ("walks", Some(Some(count))) => Ok(SearchMethod::Walks(count)),
            _ => Err(wrong()),
        }
    }

    fn write(&self) -> String {
        match self {
            SearchMethod::Breadth => "breadth".to_string(),
            SearchMethod::Beam(width) => format!("beam:{width}"),
            SearchMethod::Walks(count) => format!("walks:{count}"),
        }
    }
}

impl SettingValue for Workers {
    const TOML: &'static str = "a whole number, or `\"auto\"`";

    fn read(text: &Sourced<String>) -> Result<Workers, Problem> {
        text.parsed()
    }

    fn write(&self) -> String {
        match self {
            Workers::Auto => "auto".to_string(),
            Workers::Exactly(count) => count.to_string(),
        }
    }
}

impl SettingValue for Vec<PropertySpec> {
    const SHAPE: ValueShape = ValueShape::List;
    const TOML: &'static str = LIST;

    fn read(text: &Sourced<String>) -> Result<Vec<PropertySpec>, Problem> {
        text.parsed_list()
    }

    fn write(&self) -> String {
        joined(self, ",")
    }
}

/// Formulas, separated by `;`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formulas(Vec<String>);

impl From<Vec<String>> for Formulas {
    fn from(formulas: Vec<String>) -> Formulas {
        Formulas(formulas)
    }
}

impl From<Formulas> for Vec<String> {
    fn from(Formulas(formulas): Formulas) -> Vec<String> {
        formulas
    }
}

impl SettingValue for Formulas {
    const TOML: &'static str = "a text: a formula, or several separated by `;`";

    fn read(text: &Sourced<String>) -> Result<Formulas, Problem> {
        let all = text.value.split(';').map(str::trim);
        Ok(Formulas(all.filter(|text| !text.is_empty()).map(str::to_string).collect()))
    }

    fn write(&self) -> String {
        self.0.join("; ")
    }
}

impl SettingValue for Vec<FairnessRule> {
    const SHAPE: ValueShape = ValueShape::List;
    const TOML: &'static str = LIST;

    fn read(text: &Sourced<String>) -> Result<Vec<FairnessRule>, Problem> {
        let words = text.value.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| rule(text, word)).collect()
    }

    fn write(&self) -> String {
        joined(self, ",")
    }
}

/// `steps` and the like, `weak:NAME`, or `strong:NAME@pX`.
fn rule(text: &Sourced<String>, word: &str) -> Result<FairnessRule, Problem> {
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

/// A bound as users write it: `1..3`, `1,3`, `2` for exactly 2, `1..` or `1..inf` without an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval(pub Bound);

impl From<Bound> for Interval {
    fn from(bound: Bound) -> Interval {
        Interval(bound)
    }
}

impl From<Interval> for Bound {
    fn from(Interval(bound): Interval) -> Bound {
        bound
    }
}

impl SettingValue for Interval {
    const TOML: &'static str = "a text such as `\"1..3\"` or `\"0..inf\"`, or a whole number";

    fn read(text: &Sourced<String>) -> Result<Interval, Problem> {
        text.parsed()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

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
