//! Every built-in protocol in worlds of many kinds: states that one instance writes and another one reads are the same
//! states, whatever their ids are there, and damaged bytes never make it panic.

use watchkeeper::{SettingOrigin, Settings, Sourced, built_in};
use watchkeeper_explore::{Collapsed, Retold, Symmetric, retold};
use watchkeeper_space::Space;

/// The worlds, as settings.
const WORLDS: [&[(&str, &str)]; 8] = [
    &[],
    &[("crashes", "1"), ("channel", "drop:1"), ("time", "untimed")],
    &[("time", "untimed"), ("channel", "block:1"), ("loss", "1"), ("duplicate", "1")],
    &[("time", "untimed"), ("order", "fifo"), ("channel", "report:2"), ("crashes", "1"), ("recoveries", "1")],
    &[("time", "ticks"), ("round-trip", "2"), ("lanes", "per-kind")],
    &[("time", "ticks"), ("delay", "1"), ("crashes", "1"), ("synchrony", "eventual")],
    &[("time", "dense"), ("delay", "2"), ("channel", "drop:2")],
    &[("time", "dense"), ("delay", "1..3"), ("crashes", "1"), ("loss", "1")],
];

/// The states that are told of each, and how often damaged.
const TOLD: usize = 80;
const DAMAGED: usize = 12;

#[test]
fn states_of_every_protocol_are_read_as_what_they_were() {
    let (mut spaces, mut total) = (0, Retold::default());
    for protocol in built_in::all() {
        let name = protocol.outline().form.name;
        for world in WORLDS {
            let mut settings = Settings::default();
            for (setting, text) in world {
                let given = Sourced { value: text.to_string(), origin: SettingOrigin::Call("test") };
                let row = Settings::row(setting).unwrap_or_else(|| panic!("{setting} is a setting"));
                (row.read)(&given, &mut settings).unwrap_or_else(|why| panic!("{setting} {text}: {why}"));
            }
            // Not every protocol can be in every world.
            let Ok(plan) = protocol.plan(&settings) else { continue };
            let (Ok(here), Ok(there)) = (protocol.explored(&plan), protocol.explored(&plan)) else {
                continue;
            };
            for (here, there) in here.iter().zip(&there).take(2) {
                let (here, there) = (&*here.space, &*there.space);
                let mut same = |how: &str, here: &dyn Space, there: &dyn Space| {
                    let found = retold(here, there, TOLD, (DAMAGED, spaces as u64));
                    let found = found.unwrap_or_else(|why| panic!("{name} in {world:?} {how}: {why}"));
                    spaces += 1;
                    total.states += found.states;
                    total.renumbered += found.renumbered;
                    total.refused += found.refused;
                    total.accepted += found.accepted;
                };
                same("as it is", here, there);
                same("folded", &Collapsed::new(here), &Collapsed::new(there));
                // Where channels block or report, the order of sending shows, and the promise of symmetry is not kept.
                let drops = world.iter().any(|(_, text)| text.starts_with("drop"));
                if let (Some(here), Some(there)) = (here.symmetry(), there.symmetry())
                    && drops
                    && (2..=6).contains(&here.symmetries())
                {
                    same("up to renaming", &Symmetric::new(here), &Symmetric::new(there));
                }
            }
        }
    }
    assert!(spaces > 300, "{spaces}: {total:?}");
    assert!(total.renumbered * 2 > total.states, "{spaces}: {total:?}");
    assert!(total.refused > spaces && total.accepted > spaces, "{spaces}: {total:?}");
}
