//! The section on zones, as text and as JSON. It only renders: it measures nothing and judges nothing.

use super::search::Search;
use super::{Entry, Zones};
use crate::contest::Summary;
use crate::figures::{grouped, mebibytes, run_json};
use serde_json::{Value, json};

/// With fewer zones than this, starting the program costs more than the search, and a rate says nothing.
const RATED: u64 = 5_000;

const REMARKS: &str = "
Rates and bytes per zone are left out below 5,000 zones, where starting the program costs more than the search.
The original static protocol violates R1 after 5 steps, and its space with the monitors cannot be counted without asking:
the corrected one stands in for it, and the original is searched whole without monitors, for time-locks. R1 has a
monitor for each participant, R1:p1 only that of p1. States that differ by a renaming of participants count each,
unless the case says symmetry.

For context, a naive prototype of the same design: static 2 at (1, 10) with the monitors of both participants 63,736
zones at 100 k per second, corrected static 3 at (1, 10) 2,092,994 zones at 29 k per second. In this project's world a
message to a crashed process vanishes at once, so these are not the same states, and the counts differ.
";

impl Zones {
    /// The section, in Markdown.
    pub fn text(&self) -> String {
        let mut text = format!(
            "\n## Zones\n\n\
             Heartbeat protocols in dense time, this project alone. Medians, runs of each: {}, interleaved; one worker \
             but for\nthe last column; memory is the peak resident set of the process, bytes per zone that peak over \
             the zones stored.\n\n\
             | case | verdict | zones stored | transitions | CPU s (min to max) | zones per CPU s \
             | transitions per CPU s | peak MiB | bytes per zone | wall s, 1 worker | wall s, 2 workers |\n\
             | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
            self.rounds
        );
        text += &self.entries.iter().filter_map(dense_row).collect::<String>();
        text += REMARKS;
        if self.waited() {
            text += "\nThe machine was busy with other work: runs waited for the processor. Repeat on a quiet machine.\n";
        }
        text += "\n### The same in ticks\n\n\
                 One worker. A search that ran into the limit of 60 s by the clock is not repeated: its states are those \
                 reached by\nthen, and the ratio is a lower bound.\n\n\
                 | case | zones | CPU s | states in ticks | CPU s | CPU time, ticks over zones |\n\
                 | --- | ---: | ---: | ---: | ---: | ---: |\n";
        text += &self.entries.iter().filter_map(ticks_row).collect::<String>();
        text += &format!("\n### Commands\n\n{}\n\n", self.version);
        for entry in &self.entries {
            text += &format!("    {}\n", entry.one.command());
        }
        text
    }

    /// Every run, for other programs.
    pub fn json(&self) -> Value {
        let cases: Vec<_> = self.entries.iter().map(entry_json).collect();
        json!({ "version": self.version, "cases": cases })
    }

    fn waited(&self) -> bool {
        let searches = self.entries.iter().flat_map(|entry| [&entry.one, &entry.ticks]);
        searches.filter_map(Search::summary).any(|summary| summary.waited())
    }
}

fn dense_row(Entry { case, one, two, .. }: &Entry) -> Option<String> {
    let (one, two) = (one.summary()?, two.summary()?);
    let rated = |text: String| if one.states < RATED { String::new() } else { text };
    Some(format!(
        "| {} | {} | {} | {} | {:.3} ({:.3} to {:.3}) | {} | {} | {:.0} | {} | {:.3} | {:.3} |\n",
        case.name(),
        case.verdict,
        grouped(one.states),
        grouped(one.transitions),
        one.cpu,
        one.cpu_range.0,
        one.cpu_range.1,
        rated(grouped(one.rate() as u64)),
        rated(grouped((one.transitions as f64 / one.cpu) as u64)),
        mebibytes(one.peak),
        rated(format!("{:.0}", one.bytes_per_state())),
        one.wall,
        two.wall,
    ))
}

fn ticks_row(Entry { case, one, ticks, .. }: &Entry) -> Option<String> {
    let (zones, states) = (one.summary()?, ticks.summary()?);
    let (seconds, bound) = match &ticks.stopped {
        Some(limit) => (format!("{limit} ({:.3})", states.cpu), "over "),
        None => (format!("{:.3}", states.cpu), ""),
    };
    Some(format!(
        "| {} | {} | {:.3} | {} | {seconds} | {bound}{} |\n",
        case.name(),
        grouped(zones.states),
        zones.cpu,
        grouped(states.states),
        ratio(&states, &zones),
    ))
}

fn ratio(ticks: &Summary, zones: &Summary) -> String {
    let ratio = ticks.cpu / zones.cpu;
    if ratio < 100.0 { format!("{ratio:.2}") } else { grouped(ratio as u64) }
}

fn entry_json(Entry { case, one, two, ticks }: &Entry) -> Value {
    let searches: Vec<_> = [one, two, ticks].into_iter().map(search_json).collect();
    json!({
        "name": case.name(),
        "protocol": case.protocol,
        "participants": case.participants,
        "tmin": case.rounds.0,
        "tmax": case.rounds.1,
        "corrected": case.corrected,
        "property": case.property,
        "symmetry": case.symmetry,
        "verdict": case.verdict,
        "searches": searches,
    })
}

fn search_json(search: &Search) -> Value {
    json!({
        "time": search.time.name(),
        "workers": search.workers,
        "unit": search.time.unit(),
        "command": search.command(),
        "stopped": search.stopped,
        "runs": search.runs.iter().map(run_json).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Run;
    use crate::zones::cases;

    /// The case in `place`, with one run of each search.
    fn entry(place: usize, zones: u64, stopped: Option<&str>) -> Entry {
        let mut entry = Entry::new(cases::all().swap_remove(place));
        let run = |states, cpu, wall| Run { states, transitions: 5 * states, cpu, wall, peak: 8 << 20 };
        entry.one.runs.push(run(zones, 0.5, 0.5));
        entry.two.runs.push(run(zones, 0.5, 0.25));
        entry.ticks.runs.push(run(1_000_000, 60.0, 60.0));
        entry.ticks.stopped = stopped.map(String::from);
        entry
    }

    #[test]
    fn rows() {
        assert_eq!(
            dense_row(&entry(1, 16_384, None)).unwrap(),
            "| corrected static 2 at (1, 10), R1 | holds | 16,384 | 81,920 | 0.500 (0.500 to 0.500) | 32,768 \
             | 163,840 | 8 | 512 | 0.500 | 0.250 |\n"
        );
        let few = dense_row(&entry(5, 19, None)).unwrap();
        assert!(few.contains("| 19 | 95 | 0.500 (0.500 to 0.500) |  |  | 8 |  |"), "{few}");
    }

    #[test]
    fn a_limit_gives_a_lower_bound() {
        let ended = ticks_row(&entry(5, 19, None)).unwrap();
        assert!(ended.ends_with("| 19 | 0.500 | 1,000,000 | 60.000 | 120 |\n"), "{ended}");
        let stopped = ticks_row(&entry(5, 19, Some("over 60 s"))).unwrap();
        assert!(stopped.ends_with("| 1,000,000 | over 60 s (60.000) | over 120 |\n"), "{stopped}");
    }

    #[test]
    fn json_has_every_run() {
        let zones =
            Zones { version: "1".into(), rounds: 1, entries: vec![entry(1, 16_384, Some("over 60 s"))] };
        let value = zones.json();
        let searches = &value["cases"][0]["searches"];
        assert_eq!(searches[1]["workers"], 2);
        assert_eq!(searches[1]["runs"][0]["distinct_states"], 16_384);
        assert_eq!(searches[2]["stopped"], "over 60 s");
        assert_eq!(searches[0]["stopped"], Value::Null);
    }
}
