//! From durations with units to whole units of time: the tick is the longest span that divides all of them and the usual
//! tick, so that every duration is exact, and durations that nobody gives keep their usual length.

use super::flags::{given, span};
use crate::raw_settings::RawValue;
use std::collections::BTreeMap;
use watchkeeper::Problem;
use watchkeeper::erased::ProtocolOutline;
use watchkeeper_sim::Nanos;

/// One unit of time where nobody says otherwise.
const USUAL_TICK: u64 = 50_000_000;

/// Parameters, the durations among them in units of time.
pub(super) struct Ticked {
    pub(super) params: BTreeMap<String, RawValue>,
    /// The nanoseconds of a unit.
    pub(super) tick: u64,
}

/// Chooses the unit of time, and counts all durations in it.
pub(super) fn ticked(
    outline: &ProtocolOutline,
    params: &BTreeMap<String, RawValue>,
    tick: Option<&str>,
) -> Result<Ticked, Problem> {
    let asked = tick.map(|text| span("--tick", text)).transpose()?;
    if let (Some(0), Some(text)) = (asked, tick) {
        return Err(given("--tick", text).refused("a unit of time has to last; give at least 1ns"));
    }
    let usual = asked.unwrap_or(USUAL_TICK);
    let spans = params.values().filter_map(in_nanos).filter(|ns| *ns > 0);
    let tick = asked.unwrap_or_else(|| spans.fold(usual, gcd));
    let counted = |given: &RawValue, ns: u64| {
        if !ns.is_multiple_of(tick) {
            let tick = Nanos(tick);
            return Err(given
                .refused(format!("it is no whole number of ticks of {tick}; give a tick that divides it")));
        }
        let units = u32::try_from(ns / tick).map_err(|_| {
            let tick = Nanos(tick);
            given.refused(format!(
                "it is too long for ticks of {tick}; give durations with a larger common divisor"
            ))
        })?;
        Ok(RawValue { value: units.to_string(), origin: given.origin.clone() })
    };
    let mut all = params.clone();
    for value in all.values_mut() {
        if let Some(ns) = in_nanos(value) {
            *value = counted(value, ns)?;
        }
    }
    // What is a plain number is counted in the usual unit.
    for param in
        outline.params.iter().filter(|param| outline.durations.contains(&param.name) && tick != usual)
    {
        let (name, text) = (param.name, param.default);
        let value = match params.get(name) {
            Some(value) if in_nanos(value).is_some() => continue,
            Some(value) => value.clone(),
            None => RawValue { value: text.to_string(), ..given(&format!("--param {name}={text}"), text) },
        };
        if let Ok(units) = value.value.parse::<u64>() {
            all.insert(name.to_string(), counted(&value, units.saturating_mul(usual))?);
        }
    }
    Ok(Ticked { params: all, tick })
}

/// A value with a unit in nanoseconds.
fn in_nanos(value: &RawValue) -> Option<u64> {
    value.value.parse::<Nanos>().ok().map(|Nanos(ns)| ns)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper::erased::{ErasedProtocol, NamedProtocol};
    use watchkeeper::protocols::chandra_toueg::ChandraToueg;

    fn units(params: &[(&str, &str)], tick: Option<&str>) -> Result<(u64, Vec<String>), Problem> {
        let protocol = &NamedProtocol::<ChandraToueg>::all()[0];
        let raw =
            |(name, text): &(&str, &str)| (name.to_string(), given(&format!("--param {name}={text}"), text));
        let found = ticked(protocol.outline(), &params.iter().map(raw).collect(), tick)?;
        let texts = found.params.iter().map(|(name, value)| format!("{name}={}", value.value));
        Ok((found.tick, texts.collect()))
    }

    #[test]
    fn the_tick_divides_all_durations_and_the_usual_one() {
        assert_eq!(units(&[], None).expect("ticks"), (50_000_000, vec![]));
        let (tick, params) = units(&[("period", "1s"), ("timeout", "120ms")], None).expect("ticks");
        assert_eq!(
            (tick, params),
            (10_000_000, vec!["growth=5".into(), "period=100".into(), "timeout=12".into()])
        );
        let (tick, params) = units(&[("timeout", "4"), ("period", "25ms")], None).expect("ticks");
        assert_eq!(
            (tick, params),
            (25_000_000, vec!["growth=2".into(), "period=1".into(), "timeout=8".into()])
        );
        let (tick, params) = units(&[("timeout", "4"), ("cap", "500ms")], Some("100ms")).expect("ticks");
        assert_eq!((tick, params), (100_000_000, vec!["cap=5".into(), "timeout=4".into()]));
    }

    #[test]
    fn what_is_no_whole_number_of_ticks_is_refused() {
        let why = |params: &[(&str, &str)], tick| units(params, tick).map(|_| ()).unwrap_err().to_string();
        assert!(why(&[("timeout", "120ms")], Some("50ms")).contains("no whole number of ticks of 50ms"));
        assert!(why(&[("timeout", "24h"), ("period", "1ns")], None).contains("too long for ticks of 1ns"));
        assert!(why(&[], Some("0s")).contains("a unit of time has to last"));
    }
}
