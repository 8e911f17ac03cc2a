//! Reads a sorted run from any place on, a block at a time.

use crate::runs::SortedRun;
use crate::{DiskError, Word};

/// What the words of older segments mean to a reader now. It must keep the order of words, and map different words of all
/// segments of a search to different ones.
pub trait Remap<W>: Sync {
    /// Maps words of segments with this tag in place.
    fn remap(&self, tag: u32, words: &mut [W]);
}

/// Words that mean what they say.
pub struct AsWritten;

impl<W> Remap<W> for AsWritten {
    fn remap(&self, _: u32, _: &mut [W]) {}
}

/// A place in a run.
pub struct RunCursor<'a, W> {
    run: SortedRun<W>,
    remap: &'a dyn Remap<W>,
    /// The next block to read: its segment, and its number there.
    next: (usize, usize),
    /// The words of the block before it, as the reader understands them.
    words: Vec<W>,
    at: usize,
    raw: Vec<u8>,
}

impl<'a, W: Word> RunCursor<'a, W> {
    /// The beginning of a run.
    pub fn new(run: &SortedRun<W>, remap: &'a dyn Remap<W>) -> RunCursor<'a, W> {
        RunCursor { run: run.clone(), remap, next: (0, 0), words: Vec::new(), at: 0, raw: Vec::new() }
    }

    /// The words of the present block that were not taken yet; none only at the end of the run.
    pub fn rest(&mut self) -> Result<&[W], DiskError> {
        if self.at == self.words.len() {
            self.load()?;
        }
        Ok(&self.words[self.at..])
    }

    /// Takes so many words of the present block.
    pub fn take(&mut self, count: usize) {
        self.at += count;
    }

    /// Goes forward to the first word that is not less than this one. Blocks before it are not read.
    pub fn seek(&mut self, word: W) -> Result<(), DiskError> {
        if self.words.last().is_none_or(|&last| last < word) {
            self.skip(word);
            loop {
                self.load()?;
                if self.words.last().is_none_or(|&last| last >= word) {
                    break;
                }
            }
        }
        self.at += self.words[self.at..].partition_point(|&other| other < word);
        Ok(())
    }

    /// Removes the words of this run from ascending words, which begin after all that were asked for before.
    pub fn remove_from(&mut self, words: &mut Vec<W>) -> Result<(), DiskError> {
        let (mut kept, mut i) = (0, 0);
        while i < words.len() {
            if self.words.last().is_none_or(|&last| last < words[i]) {
                self.seek(words[i])?;
                let Some(_) = self.words.last() else {
                    words.copy_within(i.., kept);
                    kept += words.len() - i;
                    break;
                };
            }
            let (block, mut at) = (&self.words[..], self.at);
            let last = block[block.len() - 1];
            let end = i + words[i..].partition_point(|&word| word <= last);
            while i < end {
                let word = words[i];
                while block[at] < word {
                    at += 1;
                }
                words[kept] = word;
                kept += usize::from(block[at] != word);
                i += 1;
            }
            self.at = at;
        }
        words.truncate(kept);
        Ok(())
    }

    /// Reads one block by its number in the run.
    pub fn block(&mut self, mut number: usize) -> Result<&[W], DiskError> {
        for (i, segment) in self.run.segments.iter().enumerate() {
            if number < segment.blocks.len() {
                self.next = (i, number);
                self.load()?;
                return Ok(&self.words);
            }
            number -= segment.blocks.len();
        }
        Ok(&[])
    }

    /// The tag of the segment that a block belongs to.
    pub fn tag(&self, mut number: usize) -> Option<u32> {
        let mut segments = self.run.segments.iter();
        let found = segments.find(|segment| {
            let here = number < segment.blocks.len();
            number = number.saturating_sub(segment.blocks.len());
            here
        });
        found.map(|segment| segment.tag)
    }

    /// Moves on to the last block that begins not after this word, if it is not behind.
    fn skip(&mut self, word: W) {
        let before = |tag: u32, first: W| {
            let mut first = [first];
            self.remap.remap(tag, &mut first);
            first[0] <= word
        };
        let (segments, (mut segment, block)) = (&self.run.segments, self.next);
        let begins = |i: usize| segments.get(i).is_some_and(|next| before(next.tag, next.blocks[0].first));
        let mut from = block;
        while begins(segment + 1) {
            (segment, from) = (segment + 1, 0);
        }
        if let Some(now) = segments.get(segment) {
            let later = now.blocks[from..].partition_point(|block| before(now.tag, block.first));
            self.next = (segment, from + later.saturating_sub(1));
        }
    }

    fn load(&mut self) -> Result<(), DiskError> {
        self.words.clear();
        self.at = 0;
        let (mut segment, mut block) = self.next;
        while let Some(now) = self.run.segments.get(segment) {
            let Some(mark) = now.blocks.get(block) else {
                (segment, block) = (segment + 1, 0);
                continue;
            };
            let bytes = now.load(mark, &mut self.raw)?;
            let read = crate::codec::decode(bytes, mark, now.salt, &mut self.words);
            read.map_err(|what| now.damaged(mark, what))?;
            self.remap.remap(now.tag, &mut self.words);
            self.next = (segment, block + 1);
            return Ok(());
        }
        self.next = (segment, block);
        Ok(())
    }
}
