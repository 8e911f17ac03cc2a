//! A question about regions: which parameters are unknown, which conditions they fulfil, and which property is asked in
//! which environment.

use crate::params::{Param, Params, ProtocolForm};
use crate::problem::{Problem, SettingOrigin};
use crate::regions::models::symbol;
use crate::settings::{Settings, Sourced, TimeModel};
use watchkeeper_core::Bound;

/// The longest delay of a message.
pub const DELAY: &str = "delay";
/// The shortest delay of a message.
pub const DELAY_MIN: &str = "delay-min";
/// The longest time that a message and its reply take together.
pub const ROUND_TRIP: &str = "round-trip";
/// The longest time that a process takes to handle a message.
pub const PROCESSING: &str = "processing";
/// The bound of the property itself.
pub const BOUND: &str = "bound";

/// The parameters that every environment and property has, with what each is.
pub const OF_ENVIRONMENT: [(&str, &str); 5] = [
    (DELAY, "the longest delay of a message"),
    (DELAY_MIN, "the shortest delay of a message"),
    (ROUND_TRIP, "the longest time that a message and its reply take together"),
    (PROCESSING, "the longest time that a process takes to handle a message"),
    (BOUND, "the bound of the property, such as detection"),
];

/// For which values of the unknown parameters does a property hold?
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RegionQuestion {
    /// The environment, the property and the known parameters, as for a check.
    pub settings: Settings,
    /// The names of the unknown parameters.
    pub unknown: Vec<Sourced<String>>,
    /// Conditions on them.
    pub given: Vec<Sourced<String>>,
}

impl RegionQuestion {
    /// Whether a parameter of this name is unknown.
    pub fn is_unknown(&self, name: &str) -> bool {
        self.unknown.iter().any(|unknown| unknown.value == name)
    }

    /// The unknown parameters as formulas write them.
    pub fn symbols(&self) -> Vec<String> {
        self.unknown.iter().map(|unknown| symbol(&unknown.value)).collect()
    }

    /// The values of a point, by the names of the parameters.
    pub fn named(&self, point: &[i64]) -> Vec<(String, i64)> {
        self.symbols().into_iter().zip(point.iter().copied()).collect()
    }

    /// The settings of a check at a point, and the property as a check names it; `None` if no check can be asked so.
    pub fn at(&self, point: &[i64], property: &str) -> Option<(Settings, String)> {
        let mut settings = self.settings.clone();
        let mut property = property.to_string();
        let mut ends: (Option<u32>, Option<u32>) = (None, None);
        for (unknown, &value) in self.unknown.iter().zip(point) {
            let origin = unknown.origin.clone();
            let units = u32::try_from(value).ok()?;
            match unknown.value.as_str() {
                DELAY => ends.1 = Some(units),
                DELAY_MIN => ends.0 = Some(units),
                ROUND_TRIP => settings.round_trip = Some(Sourced { value: units, origin }),
                PROCESSING => {
                    let lo = settings.processing.as_ref().map_or(0, |given| given.value.lo());
                    settings.processing = Some(Sourced { value: Bound::new(lo, units)?, origin });
                }
                BOUND => {
                    let (name, rest) =
                        property.split_once(':').map_or((property.as_str(), ""), |split| split);
                    if name != "detection" {
                        return None;
                    }
                    property = if rest.is_empty() {
                        format!("detection:{units}")
                    } else {
                        format!("detection:{units}:{rest}")
                    };
                }
                name => {
                    settings.params.insert(name.to_string(), Sourced { value: units.to_string(), origin });
                }
            }
        }
        if ends != (None, None) {
            let told = settings.delay.as_ref().map(|given| given.value);
            let lo = ends.0.or(told.map(Bound::lo)).unwrap_or(0);
            let bound = match ends.1.or(told.and_then(Bound::hi)) {
                Some(hi) => Bound::new(lo, hi)?,
                None => Bound::at_least(lo),
            };
            settings.delay =
                Some(Sourced { value: bound, origin: SettingOrigin::Argument("--delay".to_string()) });
        }
        let dense =
            Sourced { value: TimeModel::Dense, origin: SettingOrigin::Argument("--time".to_string()) };
        settings.time = Some(dense);
        Some((settings, property))
    }

    /// The parameters of the protocol: an unknown one is its own symbol.
    pub(crate) fn params(&self, known: &[Param], form: &ProtocolForm) -> Result<Params, Problem> {
        let mut settings = self.settings.clone();
        let open = || known.iter().filter(|param| !form.settles(param.name)).map(|param| param.name);
        let mut seen: Vec<&str> = Vec::new();
        for unknown in &self.unknown {
            let name = unknown.value.as_str();
            if seen.contains(&name) {
                return Err(unknown.refused(format!("`{name}` is named twice; once is enough")));
            }
            seen.push(name);
            if OF_ENVIRONMENT.iter().any(|(known, _)| *known == name) && !open().any(|param| param == name) {
                continue;
            }
            if !open().any(|param| param == name) {
                let of_environment = OF_ENVIRONMENT.iter().map(|(known, _)| *known);
                return Err(Problem::Unknown {
                    origin: unknown.origin.clone(),
                    what: "parameter",
                    name: name.to_string(),
                    known: open().chain(of_environment).map(str::to_string).collect(),
                });
            }
            if let Some(given) = settings.params.get(name) {
                return Err(
                    given.refused(format!("`{name}` has a value and is unknown; leave out one of the two"))
                );
            }
            let value = Sourced { value: symbol(name), origin: unknown.origin.clone() };
            settings.params.insert(name.to_string(), value);
        }
        if self.unknown.is_empty() {
            return Err(Problem::Usage(format!(
                "no parameter is unknown: name at least one with --param NAME. Known: {}.",
                open().chain(OF_ENVIRONMENT.iter().map(|(known, _)| *known)).collect::<Vec<_>>().join(", ")
            )));
        }
        Params::of(known, form, &settings)
    }
}
