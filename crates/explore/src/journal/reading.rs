//! The committed part of a journal, piece by piece and in order, for searches in memory and on disk alike. Here it is decided
//! what fits together: whatever does not is an error with the place, and never a state less.

use super::checkpoints::unusable;
use super::load::LoadFailure;
use super::states::{read_head, read_layout, read_rows};
use super::{Journal, Totals, kind};
use crate::dictionary::{BadParts, PartsReader};
use crate::layout::KeyLayout;
use std::sync::Arc;
use watchkeeper_disk::{DiskError, LogReader};
use watchkeeper_logic::Question;
use watchkeeper_space::{Id, Parts, Space};

/// A journal that is read.
pub(crate) struct JournalReading<'l> {
    space: &'l dyn Space,
    parts: &'l dyn Parts,
    reader: LogReader,
    /// How far the search had come.
    pub totals: Totals,
    dictionary: PartsReader,
    layout: Option<Arc<KeyLayout>>,
    /// Whether the next piece has ids of another run.
    renewed: bool,
    /// The number of states at each depth so far.
    sizes: Vec<u64>,
}

/// A piece of a journal.
pub(crate) enum Piece {
    /// From here on ids are those of another run. Blocks that were read before must be visited before the next piece is read.
    Session,
    /// States of one depth.
    States(StateBlock),
}

/// A block of states that was read and not yet visited.
pub(crate) struct StateBlock {
    /// Their depth, which is that of the block before or one more.
    pub depth: u64,
    /// How many there are.
    pub count: usize,
    /// Whether they were expanded before the last commit.
    pub expanded: bool,
    layout: Arc<KeyLayout>,
    bytes: Vec<u8>,
}

/// Why the states of a block cannot be taken in.
pub(crate) enum BadBlock {
    /// Their contents do not fit.
    Parts(BadParts),
    /// They are none.
    NoStates,
}

impl Journal<'_> {
    /// Goes back to the last commit, and begins to read what was committed; `None` if nothing was.
    pub fn reading<'l>(
        &mut self,
        space: &'l dyn Space,
        question: &Question,
    ) -> Result<Option<JournalReading<'l>>, LoadFailure> {
        self.reading_from(space, |note| Some((0, Totals::read(note, space, question)?)))
    }

    /// The same where the note of the last commit says, in a way of its own, at which depth the states begin.
    pub(super) fn reading_from<'l>(
        &mut self,
        space: &'l dyn Space,
        read: impl FnOnce(&[u8]) -> Option<(u64, Totals)>,
    ) -> Result<Option<JournalReading<'l>>, LoadFailure> {
        let failed = |why: &dyn std::fmt::Display| LoadFailure::Error(unusable(why));
        self.forget_run();
        if self.dead {
            return Ok(None);
        }
        self.log.rewind().map_err(|why| failed(&why))?;
        let (Some(note), Some(parts)) = (self.log.note(), space.parts()) else { return Ok(None) };
        let reader = self.log.read().map_err(|why| failed(&why))?;
        let Some((first, totals)) = read(note) else {
            return Err(failed(&reader.damaged("the note of the last commit does not fit this search")));
        };
        let (dictionary, sizes) = (PartsReader::new(), vec![0; first as usize]);
        Ok(Some(JournalReading {
            space,
            parts,
            reader,
            totals,
            dictionary,
            layout: None,
            renewed: false,
            sizes,
        }))
    }
}

impl JournalReading<'_> {
    /// The next piece; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Piece>, LoadFailure> {
        if std::mem::take(&mut self.renewed) {
            (self.dictionary, self.layout) = (PartsReader::new(), None);
        }
        let mut payload = Vec::new();
        while let Some(kind) = self.reader.next(&mut payload).map_err(failed)? {
            match kind {
                kind::HEADER => {}
                kind::SESSION => {
                    self.renewed = true;
                    return Ok(Some(Piece::Session));
                }
                kind::PARTS => {
                    let learned = self.dictionary.learn(self.parts, &payload);
                    learned.map_err(|why| self.damaged(&why.to_string()))?;
                }
                kind::LAYOUT => {
                    let layout = read_layout(&payload, self.slots());
                    let layout = layout.ok_or_else(|| self.damaged("a layout of keys is none"))?;
                    self.layout = Some(Arc::new(layout));
                }
                kind::STATES => return self.states(&payload).map(|block| Some(Piece::States(block))),
                _ => return Err(self.damaged("a block is of an unknown kind")),
            }
        }
        Ok(None)
    }

    fn states(&mut self, payload: &[u8]) -> Result<StateBlock, LoadFailure> {
        let mut rest = payload;
        let head = read_head(&mut rest).zip(self.layout.clone());
        let Some(((depth, count), layout)) = head else {
            return Err(self.damaged("a block of states is none"));
        };
        let present = self.totals.depth;
        if depth > present + 1 || depth > self.sizes.len() as u64 || depth + 1 < self.sizes.len() as u64 {
            return Err(self.damaged("states are out of order"));
        }
        if depth == self.sizes.len() as u64 {
            self.sizes.push(0);
        }
        let before = self.sizes[depth as usize];
        self.sizes[depth as usize] = before + count as u64;
        let expanded = depth < present || depth == present && before < self.totals.done;
        if expanded && depth == present && before + count as u64 > self.totals.done {
            return Err(self.damaged("a block of states was expanded in part"));
        }
        Ok(StateBlock { depth, count, expanded, layout, bytes: rest.to_vec() })
    }

    /// Visits the rows of a block, by which this run knows its states.
    pub fn rows<E: From<BadBlock>>(
        &self,
        block: &StateBlock,
        mut visit: impl FnMut(&[Id]) -> Result<(), E>,
    ) -> Result<(), E> {
        let translated = |row: &mut [Id]| {
            self.dictionary.translate(self.parts, row).map_err(BadBlock::Parts)?;
            visit(row)
        };
        read_rows(&block.bytes, block.count, (&block.layout, self.slots()), translated)
            .unwrap_or(Err(BadBlock::NoStates.into()))
    }

    /// The number of states at a depth, among those that were read.
    pub fn size(&self, depth: u64) -> u64 {
        self.sizes.get(depth as usize).copied().unwrap_or(0)
    }

    /// Whether what was read, with so many different states, is what the totals say, and begins where this space does.
    pub fn fits(&self, different: u64, mut begins: Vec<Vec<Id>>) -> Result<(), LoadFailure> {
        let Totals { depth, done, stored, level_sizes, .. } = &self.totals;
        let counted = level_sizes.iter().eq(self.sizes.iter().take(level_sizes.len()))
            && *done <= self.size(*depth)
            && *stored == self.sizes.iter().sum::<u64>()
            && *stored == different;
        if !counted {
            return Err(self.damaged("the states are not as many as were counted"));
        }
        let mut initial = self.space.initial();
        initial.sort();
        initial.dedup();
        begins.sort();
        if initial != begins {
            return Err(self.damaged("the initial states are not those of this search"));
        }
        Ok(())
    }

    /// The error that a block cannot be taken in.
    pub fn bad(&self, why: &BadBlock) -> LoadFailure {
        match why {
            BadBlock::Parts(why) => self.damaged(&why.to_string()),
            BadBlock::NoStates => self.damaged("a block of states is none"),
        }
    }

    /// The error that what was read last is not what was written.
    pub fn damaged(&self, what: &str) -> LoadFailure {
        failed(self.reader.damaged(what))
    }

    fn slots(&self) -> usize {
        self.space.shape().slots.len()
    }
}

fn failed(why: DiskError) -> LoadFailure {
    LoadFailure::Error(unusable(why))
}
