//! The grid of a sweep: which parameters go over which values, and what is said in each cell. A range is
//! only read here; whether a cell makes sense is for the protocol to say.

use crate::arguments::of_search;
use crate::command_line::CommandLine;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use std::fmt;
use watchkeeper::settings::SettingRow;
use watchkeeper::{Problem, SettingOrigin, Settings};

/// The most cells of a grid.
pub(crate) const MOST_CELLS: u64 = 10_000;

/// The setting whose range is that of a capacity.
const CHANNEL: &str = "channel";

/// RawSettings that may have a range as well as parameters.
const NUMBERS: [&str; 6] = ["n", "crashes", "loss", "duplicate", "round-trip", CHANNEL];

/// A parameter that goes over a range, both ends included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SweepAxis {
    pub(crate) name: &'static str,
    pub(crate) first: u32,
    pub(crate) last: u32,
    origin: SettingOrigin,
    /// Whether it is a parameter of the protocol, as against a setting of the check.
    param: bool,
    /// What stands before the number, as in `drop:1..4`.
    before: String,
}

impl SweepAxis {
    fn read(name: &'static str, given: &RawValue, param: bool) -> Result<Option<SweepAxis>, Problem> {
        let Some((first, last)) = given.value.split_once("..") else { return Ok(None) };
        let (before, first) = match (name, first.rsplit_once(':')) {
            (CHANNEL, Some((before, first))) => (format!("{}:", before.trim()), first),
            (CHANNEL, None) => {
                let why = format!("`{}` does not say what a full channel does; write drop:1..4", given.value);
                return Err(given.refused(why));
            }
            _ => (String::new(), first),
        };
        let number = |word: &str| word.trim().replace('_', "").parse::<u32>().ok();
        let (Some(first), Some(last)) = (number(first), number(last)) else {
            let why = format!("`{}` is not a range; write FIRST..LAST, such as 1..24", given.value);
            return Err(given.refused(why));
        };
        if first > last {
            return Err(given.refused(format!("{first}..{last} is empty; write {last}..{first}")));
        }
        Ok(Some(SweepAxis { name, first, last, origin: given.origin.clone(), param, before }))
    }

    pub(crate) fn count(&self) -> u64 {
        u64::from(self.last - self.first) + 1
    }
}

impl fmt::Display for SweepAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}..{}", self.before, self.first, self.last)
    }
}

/// One or two parameters over their ranges, and all that is the same in every cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SweepGrid {
    pub(crate) x: SweepAxis,
    pub(crate) y: Option<SweepAxis>,
    settings: RawSettings,
}

impl SweepGrid {
    /// The grid that the settings describe for a protocol. Its first parameter in the protocol's own order is
    /// `x`.
    pub(crate) fn of(entry: &ProtocolEntry, settings: RawSettings) -> Result<SweepGrid, Problem> {
        let mut axes = Vec::new();
        if let Some((name, given)) = settings
            .params
            .iter()
            .find(|(name, _)| !entry.outline().params.iter().any(|param| param.name == *name))
        {
            return Err(Problem::Unknown {
                origin: given.origin.clone(),
                what: "parameter",
                name: name.clone(),
                known: entry.outline().params.iter().map(|param| param.name.to_string()).collect(),
            });
        }
        for param in &entry.outline().params {
            if let Some(given) = settings.params.get(param.name) {
                axes.extend(SweepAxis::read(param.name, given, true)?);
            }
        }
        for name in NUMBERS {
            if let Some(given) = settings.given(name) {
                axes.extend(SweepAxis::read(name, given, false)?);
            }
        }
        let example = entry
            .outline()
            .params
            .first()
            .map_or("--n 2..5".to_string(), |param| format!("--param {}=1..24", param.name));
        let mut axes = axes.into_iter();
        let (x, y) = match (axes.next(), axes.next(), axes.next()) {
            (Some(x), y, None) => (x, y),
            (None, ..) => {
                let why =
                    format!("nothing goes over a range; give one or two parameters one, such as {example}");
                return Err(Problem::Usage(why));
            }
            (_, _, Some(third)) => {
                let why = "a picture has two dimensions; give at most two parameters a range".to_string();
                return Err(Problem::Value { origin: third.origin, why });
            }
        };
        let cells = x.count().saturating_mul(y.as_ref().map_or(1, SweepAxis::count));
        if cells > MOST_CELLS {
            let why =
                format!("{cells} cells are too many; make the ranges shorter, to at most {MOST_CELLS} cells");
            return Err(Problem::Value { origin: x.origin, why });
        }
        Ok(SweepGrid { x, y, settings })
    }

    /// The parameters that go over a range.
    pub(crate) fn axes(&self) -> impl Iterator<Item = &SweepAxis> {
        std::iter::once(&self.x).chain(&self.y)
    }

    /// What is said about a parameter of the protocol in every cell.
    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        self.settings.params.get(name).map(|given| given.value.as_str())
    }

    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        (self.x.count() * self.y.as_ref().map_or(1, SweepAxis::count)) as usize
    }

    /// The values of a cell; cells go along `x` first.
    pub(crate) fn values(&self, cell: usize) -> (u32, Option<u32>) {
        let wide = self.x.count() as usize;
        let y = self.y.as_ref().map(|y| y.first + (cell / wide) as u32);
        (self.x.first + (cell % wide) as u32, y)
    }

    /// Adds the settings that are the same in every cell, without those of the search and the properties.
    pub(crate) fn say_rest(&self, line: &mut CommandLine) {
        let mut rest = self.settings.clone();
        self.axes().for_each(|axis| {
            rest.forget(axis.name);
            rest.params.remove(axis.name);
        });
        let wanted = |row: &&SettingRow| !of_search(row) && !["property", "ltl"].contains(&row.name);
        line.raw_settings(&rest, |name| Settings::row(name).as_ref().is_some_and(wanted));
    }

    /// What is said in a cell.
    pub(crate) fn settings(&self, cell: usize) -> RawSettings {
        let mut settings = self.settings.clone();
        let (x, y) = self.values(cell);
        let mut say = |axis: &SweepAxis, value: u32| {
            let given = RawValue { value: format!("{}{value}", axis.before), origin: axis.origin.clone() };
            if axis.param {
                settings.params.insert(axis.name.to_string(), given);
            } else {
                settings.set(axis.name, given.value, given.origin);
            }
        };
        say(&self.x, x);
        if let (Some(axis), Some(value)) = (&self.y, y) {
            say(axis, value);
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper::protocols::ring::Ring;

    fn grid(pairs: &[(&'static str, &str)]) -> Result<SweepGrid, Problem> {
        let entry = ProtocolEntry::of::<Ring>().remove(0);
        let mut settings = RawSettings::default();
        for (name, text) in pairs {
            let origin = SettingOrigin::Argument(format!("--{name}"));
            if NUMBERS.contains(name) {
                settings.set(name, *text, origin);
            } else {
                settings.params.insert(name.to_string(), RawValue { value: text.to_string(), origin });
            }
        }
        SweepGrid::of(&entry, settings)
    }

    #[test]
    fn cells_go_along_the_first_parameter_first() {
        let grid = grid(&[("n", "2..4"), ("round", "5..6")]).expect("a grid");
        assert_eq!((grid.x.name, grid.y.as_ref().map(|y| y.name)), ("round", Some("n")));
        assert_eq!(grid.len(), 6);
        assert_eq!(
            [0, 1, 2, 5].map(|cell| grid.values(cell)),
            [(5, Some(2)), (6, Some(2)), (5, Some(3)), (6, Some(4))]
        );
        let settings = grid.settings(3);
        assert_eq!(settings.params["round"].value, "6");
        assert_eq!(settings.given("n").map(|given| given.value.as_str()), Some("3"));
    }

    #[test]
    fn one_parameter_is_a_line() {
        let grid = grid(&[("round", "1..9")]).expect("a grid");
        assert_eq!((grid.len(), grid.y.clone(), grid.values(8)), (9, None, (9, None)));
    }

    #[test]
    fn a_channel_has_a_range_of_capacities() {
        let grid = grid(&[("round", "2..3"), ("channel", "drop:1..4")]).expect("a grid");
        assert_eq!(
            (grid.len(), grid.y.as_ref().map(ToString::to_string)),
            (8, Some("drop:1..4".to_string()))
        );
        let channel = |cell: usize| grid.settings(cell).given("channel").map(|given| given.value.clone());
        assert_eq!([0, 1, 7].map(channel), ["drop:1", "drop:1", "drop:4"].map(|text| Some(text.to_string())));
    }

    #[test]
    fn what_is_no_grid_is_refused_by_name() {
        let cases: [(&[(&'static str, &str)], &str); 10] = [
            (&[("channel", "1..4")], "does not say what a full channel does; write drop:1..4"),
            (&[("channel", "drop:4..1")], "--channel: 4..1 is empty"),
            (&[], "such as --param round=1..24"),
            (&[("round", "3")], "nothing goes over a range"),
            (&[("round", "9..3")], "--round: 9..3 is empty"),
            (&[("round", "a..3")], "--round: `a..3` is not a range"),
            (&[("round", "1..")], "is not a range"),
            (&[("ruond", "1..3")], "did you mean `round`?"),
            (&[("round", "1..100000")], "100000 cells are too many"),
            (&[("round", "1..3"), ("n", "2..3"), ("loss", "0..1")], "--loss: a picture has two dimensions"),
        ];
        for (pairs, part) in cases {
            let problem = grid(pairs).expect_err(part).to_string();
            assert!(problem.contains(part), "{pairs:?}: {problem}");
        }
    }
}
