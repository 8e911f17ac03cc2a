//! The table `[network]`: the network that the parameters were chosen for.

use super::reading::{Reading, Section};
use watchkeeper::quantities::TimeSpan;
use watchkeeper_runtime::ExpectedNetwork;

const KEYS: [&str; 3] = ["round-trip", "slower", "loss"];

/// Reads the table, if there is one.
pub(super) fn read(reading: &mut Reading<'_>) -> Option<ExpectedNetwork> {
    let value = reading.table.get("network")?;
    let section = reading.as_section(value, "[network]")?;
    reading.only(&section, &KEYS);
    let needed = "how long a message and its answer take, such as round-trip = \"80ms\"";
    let round_trip = reading.needed(&section, "round-trip", needed);
    let TimeSpan(round_trip) = reading.parsed(round_trip.as_ref())?;
    let needed = "how many of them may take longer, such as slower = \"1%\"";
    let slower = share(reading, &section, "slower", needed)?;
    let loss = share(reading, &section, "loss", "how many messages may be lost, such as loss = \"2%\"")?;
    Some(ExpectedNetwork { round_trip, slower, loss })
}

/// A share, as so many of a million.
fn share(reading: &mut Reading<'_>, section: &Section<'_>, key: &str, needed: &str) -> Option<u32> {
    let given = reading.needed(section, key, needed)?;
    let number = given.value.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let Some(percent) = number.filter(|percent| (0.0..=100.0).contains(percent)) else {
        let why = format!("`{}` is no percentage from 0% to 100%; write one such as 1%", given.value);
        reading.refuse_value(&given, why);
        return None;
    };
    Some((percent * 10_000.0).round() as u32)
}
