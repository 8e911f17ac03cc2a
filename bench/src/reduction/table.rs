//! The section on reduction, as text and as JSON. It only renders.

use super::{Entry, Reductions, Run};
use crate::figures::grouped;
use serde_json::{Value, json};

impl Reductions {
    /// The section, in Markdown.
    pub fn text(&self) -> String {
        let mut text = format!(
            "\n## Partial-order reduction\n\n\
             Untimed models, this project alone, every search of the whole space with {} threads. Of steps that do not \
             concern each\nother the reduced search takes one order; `in part` counts the states of which it left out \
             steps.\n\n\
             | model | verdict | states | seconds | reduced states | in part | seconds | states, full over reduced |\n\
             | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
            self.workers
        );
        text += &self.entries.iter().map(row).collect::<String>();
        text
    }

    /// Every search, for other programs.
    pub fn json(&self) -> Value {
        let entries: Vec<Value> = self.entries.iter().map(entry_json).collect();
        json!({ "workers": self.workers, "reductions": entries })
    }
}

fn row(Entry { name, full, reduced }: &Entry) -> String {
    format!(
        "| {name} | {} | {} | {:.2} | {} | {} | {:.2} | {:.2} |\n",
        full.verdict,
        grouped(full.states),
        full.seconds,
        grouped(reduced.states),
        grouped(reduced.in_part),
        reduced.seconds,
        full.states as f64 / reduced.states as f64,
    )
}

fn entry_json(Entry { name, full, reduced }: &Entry) -> Value {
    json!({ "name": name, "full": run_json(full), "reduced": run_json(reduced) })
}

fn run_json(run: &Run) -> Value {
    json!({
        "verdict": run.verdict,
        "distinct_states": run.states,
        "transitions": run.transitions,
        "expanded_in_part": run.in_part,
        "wall_seconds": run.seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_the_factor() {
        let run = |states, in_part| Run {
            verdict: "holds".into(),
            states,
            transitions: 2 * states,
            in_part,
            seconds: 0.5,
        };
        let entry = Entry { name: "a model".into(), full: run(9_000, 0), reduced: run(1_000, 400) };
        assert_eq!(row(&entry), "| a model | holds | 9,000 | 0.50 | 1,000 | 400 | 0.50 | 9.00 |\n");
        let all = Reductions { entries: vec![entry], workers: 2 };
        assert_eq!(all.json()["reductions"][0]["reduced"]["expanded_in_part"], 400);
        assert!(all.text().contains("with 2 threads"));
    }
}
