//! A zone over other clocks: some kept, some new, in any order. One operation for all that a discrete step
//! does to clocks (free, reset, inherit, permute), so a step costs one pass however much it changes.

use crate::{DbmBound, Zone};

/// Where a clock of a new zone comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A clock of the old zone; several new clocks may keep the same one.
    Keep(usize),
    /// A clock that starts at this value.
    Fresh(i32),
}

impl Zone {
    /// Writes to `out` the zone over `sources.len()` clocks, of which clock `n + 1` comes from
    /// `sources[n]`. Old clocks that are not kept are forgotten.
    pub fn rebuild_into(&self, sources: &[Source], out: &mut Zone) {
        // Each new clock is an old one plus a constant: y_a = x_p + c and y_b = x_q + d, so the strongest
        // bound on y_a - y_b is the strongest on x_p - x_q, shifted by c - d. Strongest bounds are just what
        // a canonical matrix holds, and a zone that is not empty has an image that is not empty.
        let entries = out.blank(sources.len());
        entries.push(DbmBound::ZERO);
        self.row_into(0, sources, entries);
        for source in sources {
            let start = entries.len();
            match *source {
                Source::Keep(p) => {
                    entries.push(self.bound(p, 0));
                    self.row_into(p, sources, entries);
                }
                // The first row is that of 0, rebuilt: a fresh clock is a constant away from it.
                Source::Fresh(c) => {
                    entries.extend_from_within(..=sources.len());
                    entries[start..].iter_mut().for_each(|bound| *bound = bound.shifted(c));
                }
            }
        }
        debug_assert!((0..out.side()).all(|a| out.bound(a, a) == DbmBound::ZERO));
    }

    /// The bounds on old clock `p` minus each of the new clocks.
    #[inline]
    fn row_into(&self, p: usize, sources: &[Source], entries: &mut Vec<DbmBound>) {
        let row = self.row(p);
        entries.extend(sources.iter().map(|b| match *b {
            Source::Keep(q) => row[q],
            Source::Fresh(d) => row[0].shifted(d.saturating_neg()),
        }));
    }
}
