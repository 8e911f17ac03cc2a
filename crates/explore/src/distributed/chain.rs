//! Which parts make up the last checkpoint of a search on several workers. A part is what one worker has committed in one
//! run. A run counts if all its workers have committed, and then up to the depth that all of them have; it goes on from a
//! depth of an earlier run, and so on back to the initial states. All workers come to the same, because all know the same parts.

use super::message::{MessageReader, MessageWriter};
use crate::journal::{CommittedPart, PartHead};
use std::collections::BTreeMap;

/// What all workers have found of a checkpoint, each on its host.
#[derive(Default)]
pub(super) struct Survey {
    /// For each run and worker the part with most in it, and which of the present workers have it on their host.
    parts: BTreeMap<(u64, u64), (PartHead, Vec<usize>)>,
}

/// The last checkpoint: its runs, the earliest first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub links: Vec<ChainLink>,
    /// The worker of the last run whose last commit is this checkpoint.
    pub told_by: u64,
}

/// The depths of a checkpoint that are in the parts of one run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChainLink {
    pub run: u64,
    pub workers: u64,
    pub first: u64,
    /// The last depth; it may be before the first.
    pub last: u64,
}

impl Survey {
    /// Adds what a worker has found.
    pub fn add(&mut self, holder: usize, parts: Vec<CommittedPart>) {
        for CommittedPart { run, worker, head } in parts {
            let (most, holders) =
                self.parts.entry((run, worker)).or_insert_with(|| (head.clone(), Vec::new()));
            if head.commits > most.commits {
                (*most, *holders) = (head, vec![holder]);
            } else if head == *most {
                holders.push(holder);
            }
        }
    }

    /// The number of a run that nobody has begun.
    pub fn next_run(&self) -> u64 {
        self.parts.last_key_value().map_or(1, |((run, _), _)| run + 1)
    }

    /// Whether there are parts whose rows are collapsed.
    pub fn is_collapsed(&self) -> bool {
        self.parts.values().any(|(head, _)| head.collapsed)
    }

    /// Which worker reads a part: the one with the same number if it can, and else one of those that can.
    pub fn reader(&self, part: (u64, u64)) -> Option<usize> {
        let (_, holders) = self.parts.get(&part)?;
        let same = holders.iter().copied().find(|&holder| holder as u64 == part.1);
        same.or_else(|| holders.get(part.1 as usize % holders.len().max(1)).copied())
    }

    /// The last checkpoint of rows in this form, if there is one; or why the parts of one are not all here.
    pub fn chain(&self, collapsed: bool) -> Result<Option<Chain>, String> {
        let mut runs: Vec<u64> = self.parts.keys().map(|(run, _)| *run).collect();
        runs.dedup();
        for run in runs.into_iter().rev() {
            let parts = self.of_run(run);
            if parts.iter().any(|(_, head)| head.collapsed != collapsed) {
                continue;
            }
            match self.missing(run) {
                None => return self.back_from(run).map(Some),
                // Nobody commits a second time before all have committed once, and a run goes on from a whole one.
                Some(worker)
                    if parts.iter().any(|(_, head)| head.commits > 1) || self.is_gone_on_from(run) =>
                {
                    return Err(absent(run, worker));
                }
                Some(_) => {}
            }
        }
        let heads = self.parts.values().map(|(head, _)| head);
        match heads.filter(|head| head.collapsed == collapsed).map(|head| head.after).max() {
            None | Some(0) => Ok(None),
            Some(run) => Err(absent(run, 0)),
        }
    }

    fn is_gone_on_from(&self, run: u64) -> bool {
        self.parts.values().any(|(head, _)| head.after == run)
    }

    fn of_run(&self, run: u64) -> Vec<(u64, &PartHead)> {
        let parts = self.parts.range((run, 0)..=(run, u64::MAX));
        parts.map(|((_, worker), (head, _))| (*worker, head)).collect()
    }

    /// A worker of a run whose part is not here.
    fn missing(&self, run: u64) -> Option<u64> {
        let workers = self.of_run(run).iter().map(|(_, head)| head.workers).max().unwrap_or(1);
        (0..workers).find(|&worker| !self.parts.contains_key(&(run, worker)))
    }

    /// The checkpoint of a run that is whole.
    fn back_from(&self, run: u64) -> Result<Chain, String> {
        let (mut links, mut told_by) = (Vec::new(), None);
        let (mut run, mut wanted) = (run, None);
        loop {
            let parts = self.of_run(run);
            let least = parts.iter().min_by_key(|(_, head)| head.depth());
            let Some((worker, head)) = least.filter(|_| self.missing(run).is_none()) else {
                return Err(absent(run, self.missing(run).unwrap_or(0)));
            };
            told_by.get_or_insert(*worker);
            let last = wanted.unwrap_or(head.depth());
            if head.depth() < last || parts.iter().any(|(_, other)| !other.is_of_the_run_of(head)) {
                return Err(format!("the parts of run {run} do not go together"));
            }
            links.push(ChainLink { run, workers: head.workers, first: head.first, last });
            match (head.after, head.first) {
                (0, 0) => break,
                (after, first) if after < run && after > 0 && first > 0 => {
                    (run, wanted) = (after, Some(first - 1));
                }
                _ => return Err(format!("run {run} begins nowhere")),
            }
        }
        links.reverse();
        Ok(Chain { links, told_by: told_by.unwrap_or(0) })
    }
}

impl PartHead {
    fn is_of_the_run_of(&self, other: &PartHead) -> bool {
        let of = |head: &PartHead| (head.workers, head.after, head.first, head.collapsed);
        of(self) == of(other)
    }
}

fn absent(run: u64, worker: u64) -> String {
    format!("the part of worker {worker} of run {run} is missing: bring back the directory of its host")
}

/// Tells parts to the other workers.
pub(super) fn put_parts(parts: &[CommittedPart], out: &mut MessageWriter) {
    out.number(parts.len() as u64);
    for CommittedPart { run, worker, head } in parts {
        let PartHead { workers, after, first, commits, collapsed, sizes } = head;
        out.numbers(&[*run, *worker, *workers, *after, *first, *commits, u64::from(*collapsed)]);
        out.numbers(sizes);
    }
}

/// Reads what another worker tells.
pub(super) fn take_parts(from: &mut MessageReader<'_>) -> Option<Vec<CommittedPart>> {
    let count = from.number()?;
    let part = |from: &mut MessageReader<'_>| {
        let numbers = from.numbers()?;
        let &[run, worker, workers, after, first, commits, collapsed] = &numbers[..] else { return None };
        let (collapsed, sizes) = (collapsed == 1, from.numbers()?);
        Some(CommittedPart {
            run,
            worker,
            head: PartHead { workers, after, first, commits, collapsed, sizes },
        })
    };
    (0..count).map(|_| part(from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part: its run, worker and number of workers, after which run and from which depth, and its commits and depths.
    fn part(
        [run, worker, workers]: [u64; 3],
        [after, first]: [u64; 2],
        [commits, depth]: [u64; 2],
    ) -> CommittedPart {
        let sizes = vec![1; (depth + 1 - first) as usize];
        CommittedPart {
            run,
            worker,
            head: PartHead { workers, after, first, commits, collapsed: false, sizes },
        }
    }

    fn survey(parts: &[CommittedPart]) -> Survey {
        let mut survey = Survey::default();
        for holder in 0..2 {
            survey.add(holder, parts.to_vec());
        }
        survey
    }

    fn links(parts: &[CommittedPart]) -> Result<Option<Vec<[u64; 4]>>, String> {
        let chain = survey(parts).chain(false)?;
        let numbers = |link: &ChainLink| [link.run, link.workers, link.first, link.last];
        Ok(chain.map(|chain| chain.links.iter().map(numbers).collect()))
    }

    #[test]
    fn a_run_counts_up_to_the_depth_that_all_have() {
        let all = [
            part([1, 0, 3], [0, 0], [4, 7]),
            part([1, 1, 3], [0, 0], [3, 5]),
            part([1, 2, 3], [0, 0], [4, 7]),
        ];
        assert_eq!(links(&all), Ok(Some(vec![[1, 3, 0, 5]])));
        let chain = survey(&all).chain(false).expect("all are there").expect("a checkpoint");
        assert_eq!(chain.told_by, 1);
        let missing = links(&all[..2]).expect_err("one is missing");
        assert!(missing.contains("worker 2 of run 1 is missing"), "{missing}");
        assert_eq!(links(&[]), Ok(None));
    }

    #[test]
    fn a_run_that_not_all_have_committed_does_not_count() {
        let first = [part([1, 0, 2], [0, 0], [2, 5]), part([1, 1, 2], [0, 0], [2, 5])];
        let early = [part([1, 0, 2], [0, 0], [1, 0])];
        let next = [part([2, 0, 3], [1, 6], [1, 6]), part([2, 2, 3], [1, 6], [1, 6])];
        let told = links(&next).expect_err("they go on from something");
        assert!(told.contains("worker 0 of run 1 is missing"), "{told}");
        assert_eq!(links(&early), Ok(None), "as if it had never begun");
        let both = [&first[..], &next].concat();
        assert_eq!(links(&both), Ok(Some(vec![[1, 2, 0, 5]])));
        assert_eq!(survey(&both).next_run(), 3);
        let whole = [&both[..], &[part([2, 1, 3], [1, 6], [2, 8])]].concat();
        assert_eq!(links(&whole), Ok(Some(vec![[1, 2, 0, 5], [2, 3, 6, 6]])));
    }

    #[test]
    fn a_later_run_needs_those_before_it() {
        let next = [part([2, 0, 1], [1, 6], [1, 8])];
        let told = links(&next).expect_err("the first run is missing");
        assert!(told.contains("worker 0 of run 1 is missing"), "{told}");
        let short = [&next[..], &[part([1, 0, 1], [0, 0], [1, 4])]].concat();
        assert!(links(&short).is_err(), "it never had depth 5");
        let mixed = [part([1, 0, 2], [0, 0], [1, 4]), part([1, 1, 2], [0, 2], [1, 4])];
        assert!(links(&mixed).is_err(), "they begin at two depths");
    }

    #[test]
    fn a_part_is_read_by_the_worker_of_its_number_or_another_that_has_it() {
        let parts = [
            part([1, 0, 3], [0, 0], [1, 4]),
            part([1, 1, 3], [0, 0], [1, 4]),
            part([1, 2, 3], [0, 0], [1, 4]),
        ];
        let survey = survey(&parts);
        let readers: Vec<Option<usize>> = (0..4).map(|worker| survey.reader((1, worker))).collect();
        assert_eq!(readers, [Some(0), Some(1), Some(0), None]);
        let mut older = Survey::default();
        older.add(0, parts.to_vec());
        older.add(1, vec![part([1, 0, 3], [0, 0], [2, 6])]);
        assert_eq!(older.reader((1, 0)), Some(1), "who has more of it");
    }

    #[test]
    fn parts_are_read_as_they_were_told() {
        let parts = vec![part([1, 0, 2], [0, 0], [2, 5]), part([2, 1, 2], [1, 6], [1, 6])];
        let mut out = MessageWriter(Vec::new());
        put_parts(&parts, &mut out);
        assert_eq!(take_parts(&mut MessageReader(&out.0)), Some(parts));
        assert_eq!(take_parts(&mut MessageReader(&out.0[..40])), None);
    }
}
