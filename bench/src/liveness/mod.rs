//! Claims about infinite runs of the ring, put to this project and to Spin. No figure leaves here unless both
//! gave the expected verdict in every run and count the same states of the space.

mod claim;
mod own;
mod spin;
mod table;

pub use claim::Claim;
pub use own::{SUBCOMMAND, Task};

use crate::contest::Summary;
use crate::failure::Failure;
use crate::options::Options;
use crate::peers::Run;
use claim::Lasso;
use own::Own;
use spin::Spin;
use std::path::Path;

/// The memory that a search may have; Spin is told the same when it is compiled.
const MEMORY_LIMIT: u64 = 16 << 30;

/// What a checker says of a claim, and what that cost.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What it counted, and the costs.
    pub run: Run,
    /// The counterexample; without one the claim holds.
    pub lasso: Option<Lasso>,
}

/// What a checker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// States of the ring.
    Space,
    /// Pairs of a state of the ring and one of the claim's automaton.
    Product,
}

/// A checker that is ready to answer.
pub trait Contender {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Its version, and that of the compiler that built it.
    fn version(&self) -> &str;

    /// The commands that a reader needs to repeat the run.
    fn commands(&self) -> Vec<String>;

    /// What it counts.
    fn counts(&self) -> Counts;

    /// One search.
    fn ask(&self) -> Result<Answer, Failure>;
}

/// A checker with its answers to one claim.
pub struct Entry {
    contender: Box<dyn Contender>,
    answers: Vec<Answer>,
    /// How often it is asked at most.
    most: usize,
}

impl Entry {
    fn new(contender: impl Contender + 'static, most: usize) -> Entry {
        Entry { contender: Box::new(contender), answers: Vec::new(), most }
    }

    fn summary(&self) -> Option<Summary> {
        let runs: Vec<_> = self.answers.iter().map(|answer| answer.run.clone()).collect();
        Summary::of(&runs)
    }
}

/// A claim with the answers to it.
pub struct Contest {
    claim: Claim,
    entries: Vec<Entry>,
}

/// Both claims, answered.
pub struct Liveness {
    buffer: u8,
    rounds: usize,
    contests: Vec<Contest>,
}

impl Liveness {
    /// Puts both claims to every checker, round after round.
    pub fn measure(
        options: &Options,
        scratch: &Path,
        mut progress: impl FnMut(&str),
    ) -> Result<Liveness, Failure> {
        let mut space = None;
        if options.wants("spin") {
            progress("Spin counts the states of the ring, in a search that is not measured");
            space = Some(spin::space(options.buffer, scratch)?);
        }
        let mut contests = Vec::new();
        for claim in [Claim::SETTLES, Claim::WAVERS] {
            progress(&format!("preparing {}", claim.formula()));
            let mut contest = Contest { claim, entries: entries(claim, options, scratch)? };
            contest.hold(options.runs, space, &mut progress)?;
            contests.push(contest);
        }
        Ok(Liveness { buffer: options.buffer, rounds: options.runs, contests })
    }
}

fn entries(claim: Claim, options: &Options, scratch: &Path) -> Result<Vec<Entry>, Failure> {
    let (buffer, rounds) = (options.buffer, options.runs);
    let mut entries = Vec::new();
    if options.wants("watchkeeper") {
        for workers in [1, 2] {
            entries.push(Entry::new(Own::prepare(Task { claim, buffer, workers }, scratch)?, rounds));
        }
    }
    if options.wants("spin") {
        let by_hand = Spin::by_hand(claim, buffer, scratch)?;
        let translated = Spin::translated(claim, buffer, &by_hand, scratch)?;
        entries.push(Entry::new(by_hand, rounds));
        // It takes several times as long as the others, and that is all that is to be learnt from it.
        entries.push(Entry::new(translated, 1));
    }
    Ok(entries)
}

impl Contest {
    fn hold(
        &mut self,
        rounds: usize,
        space: Option<u64>,
        progress: &mut impl FnMut(&str),
    ) -> Result<(), Failure> {
        for round in 1..=rounds {
            for entry in self.entries.iter_mut().filter(|entry| round <= entry.most) {
                let answer = entry.contender.ask()?;
                progress(&format!(
                    "{}, run {round} of {}: {}, {}, {} states, {:.2} CPU seconds",
                    self.claim.name(),
                    entry.most,
                    entry.contender.name(),
                    claim::verdict(answer.lasso.is_none()),
                    answer.run.states,
                    answer.run.cpu
                ));
                entry.answers.push(answer);
            }
            self.agree(space)?;
        }
        Ok(())
    }

    /// Whether all verdicts are the expected one, everyone counts the same in every run, and all who count states
    /// of the space count the same; the whole of it, which has `space` states, if the claim holds.
    fn agree(&self, space: Option<u64>) -> Result<(), Failure> {
        let answers =
            || self.entries.iter().flat_map(|entry| entry.answers.iter().map(move |answer| (entry, answer)));
        let mut expected = space.filter(|_| self.claim.holds);
        let mut right = answers().all(|(_, answer)| answer.lasso.is_none() == self.claim.holds);
        for (entry, answer) in answers() {
            let first = &entry.answers[0];
            right &= (first.run.states, first.lasso) == (answer.run.states, answer.lasso);
            if entry.contender.counts() == Counts::Space {
                right &= *expected.get_or_insert(answer.run.states) == answer.run.states;
            }
        }
        if right {
            return Ok(());
        }
        let mut lines = format!("  {}, expected: {}\n", self.claim.formula(), self.claim.verdict());
        if let Some(space) = space {
            lines += &format!("  Spin without a claim: {space} states\n");
        }
        for (entry, answer) in answers() {
            let lasso =
                answer.lasso.map_or_else(|| "holds".to_owned(), |lasso| format!("violated, {lasso} steps"));
            lines += &format!("  {}: {lasso}, {} states\n", entry.contender.name(), answer.run.states);
        }
        Err(Failure::Disagreement(lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checker that always says the same.
    struct Fixed(Counts, u64, Option<Lasso>);

    impl Contender for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }

        fn version(&self) -> &str {
            "1"
        }

        fn commands(&self) -> Vec<String> {
            Vec::new()
        }

        fn counts(&self) -> Counts {
            self.0
        }

        fn ask(&self) -> Result<Answer, Failure> {
            let run = Run { states: self.1, transitions: 2 * self.1, cpu: 1.0, wall: 1.0, peak: 800 };
            Ok(Answer { run, lasso: self.2 })
        }
    }

    fn hold(claim: Claim, space: Option<u64>, contenders: Vec<Fixed>) -> Result<Contest, Failure> {
        let entries = contenders.into_iter().map(|contender| Entry::new(contender, 2)).collect();
        let mut contest = Contest { claim, entries };
        contest.hold(3, space, &mut |_| ())?;
        Ok(contest)
    }

    const LASSO: Option<Lasso> = Some(Lasso { stem: 1, lap: 2 });

    #[test]
    fn products_may_be_larger_than_the_space() {
        let all = vec![Fixed(Counts::Space, 100, None), Fixed(Counts::Product, 103, None)];
        let contest = hold(Claim::SETTLES, Some(100), all).unwrap();
        assert!(contest.entries.iter().all(|entry| entry.answers.len() == 2));
    }

    #[test]
    fn a_search_that_ends_early_need_not_see_the_space() {
        let all = vec![
            Fixed(Counts::Space, 7, LASSO),
            Fixed(Counts::Space, 7, LASSO),
            Fixed(Counts::Product, 3, LASSO),
        ];
        assert!(hold(Claim::WAVERS, Some(100), all).is_ok());
    }

    #[test]
    fn disagreement_is_no_figure() {
        for (claim, contenders) in [
            (Claim::SETTLES, vec![Fixed(Counts::Space, 100, LASSO)]),
            (Claim::SETTLES, vec![Fixed(Counts::Space, 99, None)]),
            (Claim::WAVERS, vec![Fixed(Counts::Product, 100, None)]),
            (Claim::WAVERS, vec![Fixed(Counts::Space, 7, LASSO), Fixed(Counts::Space, 8, LASSO)]),
        ] {
            let failure = hold(claim, Some(100), contenders).err().expect("they disagree").to_string();
            assert!(failure.contains("Spin without a claim: 100"), "{failure}");
        }
    }
}
