//! Sorted runs: ascending words in blocks, in memory or in files. The first word, the place and the length of every block
//! stay in memory, so that a reader can begin anywhere, and so that a block that is missing, cut or exchanged is noticed.

use crate::codec::{BlockMark, encode};
use crate::run_directory::{RunDirectory, RunFile};
use crate::{DiskError, Word};
use std::sync::Arc;

/// Bytes that a writer gathers before it writes them.
const GATHERED: usize = 1 << 18;

/// Ascending words, in segments one after the other.
#[derive(Clone, Debug)]
pub struct SortedRun<W> {
    pub(crate) segments: Vec<Arc<RunSegment<W>>>,
    words: u64,
}

/// Ascending words in blocks, written by one thread.
#[derive(Debug)]
pub struct RunSegment<W> {
    body: SegmentBody,
    /// Differs from segment to segment.
    pub(crate) salt: u64,
    /// What the writer says about its words.
    pub(crate) tag: u32,
    pub(crate) blocks: Vec<BlockMark<W>>,
    words: u64,
}

/// The blocks of a segment.
#[derive(Debug)]
enum SegmentBody {
    Memory(Vec<u8>),
    File(Arc<RunFile>),
}

/// Where a writer puts its blocks.
#[derive(Clone, Debug)]
pub enum RunPlace {
    /// Into memory.
    Memory,
    /// To the end of a file.
    File(Arc<RunFile>),
}

impl<W: Word> SortedRun<W> {
    /// No words.
    pub fn empty() -> SortedRun<W> {
        SortedRun { segments: Vec::new(), words: 0 }
    }

    /// The words of segments of which each ends before the next begins.
    pub fn of(segments: impl IntoIterator<Item = RunSegment<W>>) -> SortedRun<W> {
        let segments: Vec<_> = segments.into_iter().filter(|part| part.words > 0).map(Arc::new).collect();
        let words = segments.iter().map(|segment| segment.words).sum();
        SortedRun { segments, words }
    }

    /// The number of words.
    pub fn len(&self) -> u64 {
        self.words
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// The bytes of its blocks.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes()).sum()
    }

    /// The bytes of memory that it takes.
    pub fn held(&self) -> u64 {
        self.segments.iter().map(|segment| segment.held()).sum()
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.segments.iter().map(|segment| segment.blocks.len()).sum()
    }

    /// The first word of each block, with the tag of its segment.
    pub fn firsts(&self) -> impl Iterator<Item = (u32, W)> {
        self.segments.iter().flat_map(|part| part.blocks.iter().map(|block| (part.tag, block.first)))
    }
}

impl<W: Word> RunSegment<W> {
    /// The number of words.
    pub fn len(&self) -> u64 {
        self.words
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// The bytes of memory that it takes.
    pub fn held(&self) -> u64 {
        let blocks = match &self.body {
            SegmentBody::Memory(bytes) => bytes.capacity(),
            SegmentBody::File(_) => 0,
        };
        (size_of::<RunSegment<W>>() + blocks + self.blocks.capacity() * size_of::<BlockMark<W>>()) as u64
    }

    fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.bytes)).sum()
    }

    /// The same segment at the end of a file, if it is in memory.
    pub fn moved_to(mut self, file: &Arc<RunFile>) -> Result<RunSegment<W>, DiskError> {
        if let SegmentBody::Memory(bytes) = &self.body {
            let at = file.append(bytes)?;
            self.blocks.iter_mut().for_each(|block| block.at += at);
            self.body = SegmentBody::File(Arc::clone(file));
        }
        Ok(self)
    }

    /// Reads the bytes of a block into a buffer, or names where they are.
    pub(crate) fn load<'a>(
        &'a self,
        block: &BlockMark<W>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], DiskError> {
        match &self.body {
            SegmentBody::Memory(bytes) => Ok(&bytes[block.at as usize..][..block.bytes as usize]),
            SegmentBody::File(file) => {
                buffer.resize(block.bytes as usize, 0);
                file.read(buffer, block.at)?;
                Ok(buffer)
            }
        }
    }

    /// The error that a block is not what was written.
    pub(crate) fn damaged(&self, block: &BlockMark<W>, what: &str) -> DiskError {
        match &self.body {
            SegmentBody::Memory(_) => {
                DiskError::Damaged { path: "memory".into(), at: block.at, what: what.to_string() }
            }
            SegmentBody::File(file) => file.damaged(block.at, what),
        }
    }
}

/// Writes ascending words.
pub struct RunWriter<W> {
    place: RunPlace,
    segment: RunSegment<W>,
    /// Words that are no whole block yet.
    pending: Vec<W>,
    /// Blocks that are not written yet.
    gathered: Vec<u8>,
    block_words: usize,
}

impl<W: Word> RunWriter<W> {
    /// Begins a segment with blocks of so many words, and with a tag for its reader.
    pub fn new(directory: &RunDirectory, place: RunPlace, tag: u32, block_words: usize) -> RunWriter<W> {
        let body = match &place {
            RunPlace::Memory => SegmentBody::Memory(Vec::new()),
            RunPlace::File(file) => SegmentBody::File(Arc::clone(file)),
        };
        let segment = RunSegment { body, salt: directory.number(), tag, blocks: Vec::new(), words: 0 };
        RunWriter { place, segment, pending: Vec::new(), gathered: Vec::new(), block_words }
    }

    /// Appends words, each greater than all before.
    pub fn extend(&mut self, mut words: &[W]) -> Result<(), DiskError> {
        self.segment.words += words.len() as u64;
        while self.pending.len() + words.len() >= self.block_words {
            let (now, later) = words.split_at(self.block_words - self.pending.len());
            words = later;
            if self.pending.is_empty() {
                self.block(now)?;
            } else {
                let mut pending = std::mem::take(&mut self.pending);
                pending.extend_from_slice(now);
                self.block(&pending)?;
                pending.clear();
                self.pending = pending;
            }
        }
        self.pending.extend_from_slice(words);
        Ok(())
    }

    /// The segment, when all its words have been given.
    pub fn finish(mut self) -> Result<RunSegment<W>, DiskError> {
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            self.block(&pending)?;
        }
        self.write()?;
        self.segment.blocks.shrink_to_fit();
        Ok(self.segment)
    }

    fn block(&mut self, words: &[W]) -> Result<(), DiskError> {
        if let Some(last) = self.segment.blocks.last() {
            assert!(last.first < words[0], "the words of a run ascend");
        }
        let begin = self.gathered.len();
        encode(words, self.segment.salt, &mut self.gathered);
        let at = match &self.place {
            RunPlace::Memory => begin as u64,
            RunPlace::File(file) => file.bytes() + begin as u64,
        };
        let bytes = (self.gathered.len() - begin) as u32;
        self.segment.blocks.push(BlockMark { first: words[0], at, bytes, words: words.len() as u32 });
        if self.gathered.len() >= GATHERED && matches!(self.place, RunPlace::File(_)) {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), DiskError> {
        match &self.place {
            RunPlace::File(file) if !self.gathered.is_empty() => {
                file.append(&self.gathered)?;
                self.gathered.clear();
            }
            RunPlace::File(_) => {}
            RunPlace::Memory => {
                self.gathered.shrink_to_fit();
                self.segment.body = SegmentBody::Memory(std::mem::take(&mut self.gathered));
            }
        }
        Ok(())
    }
}
