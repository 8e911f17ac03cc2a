//! The comparison of answers about infinite runs, as text and as JSON. It only renders: it measures nothing and
//! judges nothing.

use super::{Contest, Counts, Entry, Liveness};
use crate::figures::{grouped, mebibytes, run_json};
use serde_json::{Value, json};

const COUNTED: &str = "
Watchkeeper stores the states of the ring. Spin stores those of the product of the ring with the automaton of the
opposite claim, and its number of transitions is that of its search, above 99,999,999 rounded by Spin. Without the claim
Spin counts as many states as Watchkeeper, or there would be no table. Bytes per state are the peak over the states of
the ring for all of them.
";

const TRAILS: &str = "
Steps of the ring alone, those of the claim's automaton are left out. The first counterexample of each counts, and Spin
has the tables that it makes when nothing is said about them.
";

impl Liveness {
    /// The tables, in Markdown.
    pub fn text(&self) -> String {
        let mut text = format!(
            "\n## Infinite runs\n\n\
             Ring detector of three processes, process-algebra model, channels that ignore when full, buffer {}, \
             process 1\ncrashed from the start, no fairness. Medians, runs of each: {}, interleaved; Spin's own \
             translation is run once. Memory\nis the peak resident set of the process.\n",
            self.buffer, self.rounds
        );
        for contest in &self.contests {
            text += &format!("\n### `{}`: {}\n", contest.claim.formula(), contest.claim.verdict());
            text += &if contest.claim.holds { contest.whole() } else { contest.counterexamples() };
        }
        if self.contests.iter().any(Contest::waited) {
            text += "\nThe machine was busy with other work: runs waited for the processor. Repeat on a quiet machine.\n";
        }
        text += &self.tools();
        text
    }

    /// Every run, for other programs.
    pub fn json(&self) -> Value {
        let claims: Vec<_> = self.contests.iter().map(contest_json).collect();
        json!({
            "model": {
                "name": "ring, process-algebra",
                "channel": "ignore",
                "buffer": self.buffer,
                "crash": "at-start",
            },
            "claims": claims,
        })
    }

    fn tools(&self) -> String {
        let mut text = "\n## Tools\n".to_owned();
        for contest in &self.contests {
            for entry in &contest.entries {
                let contender = &entry.contender;
                text +=
                    &format!("\n{}, {}: {}\n\n", contender.name(), contest.claim.name(), contender.version());
                for command in contender.commands() {
                    text += &format!("    {command}\n");
                }
            }
        }
        text
    }
}

impl Contest {
    /// Whether Spin takes part.
    fn products(&self) -> bool {
        self.entries.iter().any(|entry| entry.contender.counts() == Counts::Product)
    }

    /// Whether a search with one thread waited for the processor.
    fn waited(&self) -> bool {
        let one_thread = self.entries.iter().filter(|entry| !entry.contender.name().contains("workers"));
        one_thread.filter_map(Entry::summary).any(|summary| summary.waited())
    }

    /// For a claim that holds: what the whole search cost.
    fn whole(&self) -> String {
        let mut text = "\n| checker | states stored | of | transitions | CPU s (min to max) | wall s | peak MiB | bytes \
                        per state |\n| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n"
            .to_owned();
        let counted = self.entries.iter().filter(|entry| entry.contender.counts() == Counts::Space);
        let space = counted.filter_map(Entry::summary).map(|summary| summary.states).next();
        for entry in &self.entries {
            let Some(summary) = entry.summary() else { continue };
            let (of, states) = match entry.contender.counts() {
                Counts::Space => ("the ring", summary.states),
                Counts::Product => ("the product", space.unwrap_or(summary.states)),
            };
            text += &format!(
                "| {} | {} | {of} | {} | {:.2} ({:.2} to {:.2}) | {:.2} | {:.0} | {:.1} |\n",
                entry.contender.name(),
                grouped(summary.states),
                grouped(summary.transitions),
                summary.cpu,
                summary.cpu_range.0,
                summary.cpu_range.1,
                summary.wall,
                mebibytes(summary.peak),
                summary.peak / states as f64,
            );
        }
        if self.products() { text + COUNTED + &self.ratios() } else { text }
    }

    /// What each of Spin's searches cost, over what each of this project's did.
    fn ratios(&self) -> String {
        let of = |counts| self.entries.iter().filter(move |entry| entry.contender.counts() == counts);
        let mut rows = String::new();
        for peer in of(Counts::Product) {
            for own in of(Counts::Space) {
                let (Some(theirs), Some(ours)) = (peer.summary(), own.summary()) else { continue };
                rows += &format!(
                    "| {} | {} | {:.2} | {:.2} | {:.2} |\n",
                    peer.contender.name(),
                    own.contender.name(),
                    theirs.cpu / ours.cpu,
                    theirs.wall / ours.wall,
                    theirs.peak / ours.peak,
                );
            }
        }
        if rows.is_empty() {
            return rows;
        }
        format!(
            "\nThe first divided by the second; above 1 the second needs less:\n\n\
             | first | second | CPU time | wall time | memory |\n| --- | --- | ---: | ---: | ---: |\n{rows}"
        )
    }

    /// For a claim that is violated: how long the counterexamples are.
    fn counterexamples(&self) -> String {
        let mut text =
            "\n| checker | steps before the loop + in it | states stored when it was found | CPU s (min to \
                        max) | wall s | peak MiB |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
                .to_owned();
        for entry in &self.entries {
            let (Some(summary), Some(answer)) = (entry.summary(), entry.answers.first()) else { continue };
            text += &format!(
                "| {} | {} | {} | {:.3} ({:.3} to {:.3}) | {:.3} | {:.0} |\n",
                entry.contender.name(),
                answer.lasso.map(|lasso| lasso.to_string()).unwrap_or_default(),
                grouped(summary.states),
                summary.cpu,
                summary.cpu_range.0,
                summary.cpu_range.1,
                summary.wall,
                mebibytes(summary.peak),
            );
        }
        if self.products() { text + TRAILS } else { text }
    }
}

fn contest_json(contest: &Contest) -> Value {
    let checkers: Vec<_> = contest.entries.iter().map(entry_json).collect();
    json!({ "claim": contest.claim.formula(), "verdict": contest.claim.verdict(), "checkers": checkers })
}

fn entry_json(entry: &Entry) -> Value {
    let runs: Vec<_> = entry
        .answers
        .iter()
        .map(|answer| {
            let mut run = run_json(&answer.run);
            run["lasso"] = match answer.lasso {
                Some(lasso) => json!({ "stem": lasso.stem, "loop": lasso.lap }),
                None => Value::Null,
            };
            run
        })
        .collect();
    json!({
        "name": entry.contender.name(),
        "version": entry.contender.version(),
        "commands": entry.contender.commands(),
        "counts": match entry.contender.counts() {
            Counts::Space => "states of the ring",
            Counts::Product => "states of the product",
        },
        "runs": runs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;
    use crate::liveness::claim::{Claim, Lasso};
    use crate::liveness::{Answer, Contender};
    use crate::peers::Run;

    struct Named(&'static str, Counts);

    impl Contender for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn version(&self) -> &str {
            "1"
        }

        fn commands(&self) -> Vec<String> {
            vec![format!("{} -a", self.0)]
        }

        fn counts(&self) -> Counts {
            self.1
        }

        fn ask(&self) -> Result<Answer, Failure> {
            Err(Failure::command(self.0, "it is never asked"))
        }
    }

    fn liveness(claim: Claim, lasso: Option<Lasso>) -> Liveness {
        let entry = |name, counts, states, cpu| {
            let run = Run { states, transitions: 4 * states, cpu, wall: cpu, peak: 64 << 20 };
            let mut entry = Entry::new(Named(name, counts), 1);
            entry.answers.push(Answer { run, lasso });
            entry
        };
        let entries =
            vec![entry("own", Counts::Space, 1 << 20, 2.0), entry("peer", Counts::Product, 1 << 21, 3.0)];
        Liveness { buffer: 8, rounds: 1, contests: vec![Contest { claim, entries }] }
    }

    #[test]
    fn costs_of_the_product_are_told_by_states_of_the_ring() {
        let text = liveness(Claim::SETTLES, None).text();
        for row in [
            "| own | 1,048,576 | the ring | 4,194,304 | 2.00 (2.00 to 2.00) | 2.00 | 64 | 64.0 |\n",
            "| peer | 2,097,152 | the product | 8,388,608 | 3.00 (3.00 to 3.00) | 3.00 | 64 | 64.0 |\n",
            "| peer | own | 1.50 | 1.50 | 1.00 |\n",
        ] {
            assert!(text.contains(row), "{text}");
        }
        assert!(!text.contains("busy"), "{text}");
    }

    #[test]
    fn counterexamples_are_told_by_their_length() {
        let found = liveness(Claim::WAVERS, Some(Lasso { stem: 5, lap: 9 }));
        let text = found.text();
        assert!(
            text.contains("| own | 5 + 9 | 1,048,576 | 2.000 (2.000 to 2.000) | 2.000 | 64 |\n"),
            "{text}"
        );
        let run = &found.json()["claims"][0]["checkers"][1]["runs"][0];
        assert_eq!((&run["lasso"]["loop"], &run["distinct_states"]), (&json!(9), &json!(1 << 21)));
    }
}
