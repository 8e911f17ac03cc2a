//! Merges sorted runs into one, each word once, a batch at a time.

use crate::cursor::{Remap, RunCursor};
use crate::runs::SortedRun;
use crate::{DiskError, Word};

/// Several runs, read as one.
pub struct RunMerge<'a, W> {
    cursors: Vec<RunCursor<'a, W>>,
    until: Option<W>,
    /// Words read, also those that were there twice.
    read: u64,
}

impl<'a, W: Word> RunMerge<'a, W> {
    /// The words of these runs from one word on, if one is given, and before another.
    pub fn new(
        runs: &[SortedRun<W>],
        remap: &'a dyn Remap<W>,
        from: Option<W>,
        until: Option<W>,
    ) -> Result<RunMerge<'a, W>, DiskError> {
        let mut cursors: Vec<_> = runs.iter().map(|run| RunCursor::new(run, remap)).collect();
        if let Some(from) = from {
            for cursor in &mut cursors {
                cursor.seek(from)?;
            }
        }
        Ok(RunMerge { cursors, until, read: 0 })
    }

    /// The next words, ascending and each once; whether there are any.
    ///
    /// Up to the last word of the block that ends first, all words are in the blocks at hand. They are put one block after
    /// the other and sorted, which is quick for parts that are sorted.
    pub fn next(&mut self, out: &mut Vec<W>) -> Result<bool, DiskError> {
        out.clear();
        let mut end: Option<W> = None;
        for cursor in &mut self.cursors {
            if let Some(&last) = cursor.rest()?.last() {
                end = Some(end.map_or(last, |end| end.min(last)));
            }
        }
        let Some(end) = end else { return Ok(false) };
        let mut parts = 0;
        for cursor in &mut self.cursors {
            let rest = cursor.rest()?;
            let count =
                rest.partition_point(|&word| word <= end && self.until.is_none_or(|until| word < until));
            out.extend_from_slice(&rest[..count]);
            cursor.take(count);
            parts += usize::from(count > 0);
        }
        self.read += out.len() as u64;
        if parts > 1 {
            out.sort();
            out.dedup();
        }
        Ok(!out.is_empty())
    }

    /// The number of words read so far, those that were there twice included.
    pub fn read(&self) -> u64 {
        self.read
    }
}

/// Words that divide runs into so many parts of about the same size, or fewer.
pub fn quantiles<W: Word>(runs: &[SortedRun<W>], remap: &dyn Remap<W>, parts: usize) -> Vec<W> {
    let mut firsts: Vec<W> = Vec::new();
    for (tag, first) in runs.iter().flat_map(SortedRun::firsts) {
        let mut first = [first];
        remap.remap(tag, &mut first);
        firsts.push(first[0]);
    }
    firsts.sort_unstable();
    let mut bounds: Vec<W> =
        (1..parts).filter_map(|part| firsts.get(part * firsts.len() / parts).copied()).collect();
    bounds.dedup();
    bounds
}
