//! Runs all checkers in turn, round after round, so that a disturbance of the machine hits all of them alike.
//! No figure leaves here unless all of them counted the same states in every run.

use crate::failure::Failure;
use crate::peers::{Peer, Run};

/// What a checker is in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// This project with one worker.
    Own,
    /// This project with two workers, compared by the clock with one.
    OwnTwoWorkers,
    /// Another checker.
    Peer,
}

/// A checker and its runs so far.
pub struct Entry {
    /// What it is here.
    pub role: Role,
    /// The checker.
    pub peer: Box<dyn Peer>,
    /// Its runs, in order.
    pub runs: Vec<Run>,
}

impl Entry {
    /// A checker that has not run yet.
    pub fn new(role: Role, peer: impl Peer + 'static) -> Entry {
        Entry { role, peer: Box::new(peer), runs: Vec::new() }
    }

    /// The medians of its runs, if there are any.
    pub fn summary(&self) -> Option<Summary> {
        Summary::of(&self.runs)
    }
}

/// The medians of several runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Distinct states.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// User and system seconds.
    pub cpu: f64,
    /// The fastest and the slowest run, in the same seconds.
    pub cpu_range: (f64, f64),
    /// Seconds by the clock.
    pub wall: f64,
    /// Peak resident bytes.
    pub peak: f64,
}

impl Summary {
    /// The medians of `runs`, if there are any.
    pub fn of(runs: &[Run]) -> Option<Summary> {
        let first = runs.first()?;
        let cpu: Vec<_> = runs.iter().map(|run| run.cpu).collect();
        let least = cpu.iter().copied().fold(f64::INFINITY, f64::min);
        let most = cpu.iter().copied().fold(0.0, f64::max);
        Some(Summary {
            states: first.states,
            transitions: first.transitions,
            cpu: median(cpu),
            cpu_range: (least, most),
            wall: median(runs.iter().map(|run| run.wall).collect()),
            peak: median(runs.iter().map(|run| run.peak as f64).collect()),
        })
    }

    /// Distinct states per CPU second.
    pub fn rate(&self) -> f64 {
        self.states as f64 / self.cpu
    }

    /// Peak memory over distinct states.
    pub fn bytes_per_state(&self) -> f64 {
        self.peak / self.states as f64
    }

    /// Whether a search with one thread waited for the processor.
    pub fn waited(&self) -> bool {
        self.wall > 1.1 * self.cpu + 0.1
    }
}

/// Lets every checker run `rounds` times.
pub fn hold(entries: &mut [Entry], rounds: usize, mut progress: impl FnMut(&str)) -> Result<(), Failure> {
    for round in 1..=rounds {
        for entry in entries.iter_mut() {
            let run = entry.peer.run()?;
            progress(&format!(
                "run {round} of {rounds}: {}, {} states, {:.2} CPU seconds",
                entry.peer.name(),
                run.states,
                run.cpu
            ));
            entry.runs.push(run);
        }
        agree(entries)?;
    }
    Ok(())
}

/// A remark for the report if the checkers agree on the states but not on the steps between them.
pub fn transition_remark(entries: &[Entry]) -> Option<String> {
    let differ = !all_equal(entries, |run| run.transitions);
    differ.then(|| format!("The checkers count transitions differently:\n{}", counts(entries)))
}

/// A remark for the report if other work took the processor away: then caches were shared too, and CPU seconds
/// are too many.
pub fn busy_remark(entries: &[Entry]) -> Option<String> {
    let one_thread = entries.iter().filter(|entry| entry.role != Role::OwnTwoWorkers);
    let waited = one_thread.filter_map(Entry::summary).any(|summary| summary.waited());
    waited.then(|| {
        "The machine was busy with other work: runs waited for the processor. Repeat on a quiet machine.\n".into()
    })
}

fn agree(entries: &[Entry]) -> Result<(), Failure> {
    if all_equal(entries, |run| run.states) { Ok(()) } else { Err(Failure::Disagreement(counts(entries))) }
}

fn all_equal(entries: &[Entry], count: impl Fn(&Run) -> u64) -> bool {
    let mut counts = entries.iter().flat_map(|entry| &entry.runs).map(count);
    match counts.next() {
        Some(first) => counts.all(|other| other == first),
        None => true,
    }
}

fn counts(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        for (number, run) in entry.runs.iter().enumerate() {
            text += &format!(
                "  {}, run {}: {} distinct states, {} transitions\n",
                entry.peer.name(),
                number + 1,
                run.states,
                run.transitions
            );
        }
    }
    text
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checker that counts `.0` states and waits `.1` seconds for the processor.
    struct Fixed(u64, f64);

    impl Peer for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }

        fn version(&self) -> &str {
            "1"
        }

        fn commands(&self) -> Vec<String> {
            Vec::new()
        }

        fn store(&self) -> &str {
            "nothing"
        }

        fn run(&self) -> Result<Run, Failure> {
            Ok(Run { states: self.0, transitions: 2 * self.0, cpu: 1.0, wall: 1.0 + self.1, peak: 800 })
        }
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn agreement_gives_figures() {
        let mut entries = [Entry::new(Role::Peer, Fixed(100, 0.0)), Entry::new(Role::Peer, Fixed(100, 0.0))];
        hold(&mut entries, 3, |_| ()).unwrap();
        let summary = entries[0].summary().unwrap();
        assert_eq!((summary.rate(), summary.bytes_per_state()), (100.0, 8.0));
        assert_eq!(transition_remark(&entries), None);
    }

    #[test]
    fn a_busy_machine_is_noticed() {
        let mut entries = [Entry::new(Role::Own, Fixed(100, 0.1)), Entry::new(Role::Peer, Fixed(100, 0.5))];
        hold(&mut entries, 1, |_| ()).unwrap();
        assert_eq!(busy_remark(&entries[..1]), None);
        assert!(busy_remark(&entries).is_some());
    }

    #[test]
    fn disagreement_shows_all_counts() {
        let mut entries = [Entry::new(Role::Own, Fixed(100, 0.0)), Entry::new(Role::Peer, Fixed(101, 0.0))];
        let failure = hold(&mut entries, 3, |_| ()).unwrap_err();
        assert_eq!(failure.code(), 1);
        let text = failure.to_string();
        assert!(text.contains("100 distinct") && text.contains("101 distinct"), "{text}");
    }
}
