//! The successors of one state, in a buffer that a model fills and an engine reads. The buffer is a plain value, so
//! that an engine makes one virtual call for each state and none for each step; a worker uses one buffer again and again.

use crate::{Action, ClassId, Id};

/// One slot of a row, and its content after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The slot.
    pub slot: u32,
    /// Its new id.
    pub id: Id,
}

impl Edit {
    /// An edit.
    pub const fn new(slot: usize, id: Id) -> Edit {
        Edit { slot: slot as u32, id }
    }
}

/// The successors of a state, in the order in which the model gave them.
#[derive(Clone, Default, Debug)]
pub struct Successors {
    edits: Vec<Edit>,
    /// How many of the edits belong to steps; the others are those of the next.
    closed: usize,
    /// Each action, and the number of its edits.
    steps: Vec<(Action, u32)>,
    /// The number of the step, and a further class to count for it.
    tallies: Vec<(u32, ClassId)>,
    cuts: Vec<usize>,
    /// A buffer for the successors in an inner space: see [`Successors::through`].
    inner: Option<Box<Successors>>,
}

impl Successors {
    /// No successors.
    pub fn new() -> Successors {
        Successors::default()
    }

    /// Forgets all successors and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.edits.clear();
        self.closed = 0;
        self.steps.clear();
        self.tallies.clear();
        self.cuts.clear();
    }

    /// Adds one successor: the expanded state with these edits, at most one for each slot. Several actions may have the
    /// same successor.
    #[inline]
    pub fn step(&mut self, action: Action, edits: &[Edit]) {
        self.discard();
        self.edits.extend_from_slice(edits);
        self.close(action);
    }

    /// Adds one edit of the next step, in place of an earlier one of the same slot: for a model that builds a step in
    /// pieces, and ends it with [`close`](Successors::close) or [`discard`](Successors::discard).
    #[inline]
    pub fn edit(&mut self, slot: usize, id: Id) {
        match self.edits[self.closed..].iter_mut().find(|edit| edit.slot as usize == slot) {
            Some(edit) => edit.id = id,
            None => self.edits.push(Edit::new(slot, id)),
        }
    }

    /// The content of a slot after the edits of the next step; `None` if no edit is of this slot.
    #[inline]
    pub fn edited(&self, slot: usize) -> Option<Id> {
        self.draft().iter().find(|edit| edit.slot as usize == slot).map(|edit| edit.id)
    }

    /// The edits of the next step so far.
    #[inline]
    pub fn draft(&self) -> &[Edit] {
        &self.edits[self.closed..]
    }

    /// Ends the next step, with the edits so far.
    #[inline]
    pub fn close(&mut self, action: Action) {
        self.steps.push((action, (self.edits.len() - self.closed) as u32));
        self.closed = self.edits.len();
    }

    /// Forgets the edits of the next step.
    #[inline]
    pub fn discard(&mut self) {
        self.edits.truncate(self.closed);
    }

    /// Counts a further class for the last step: a full channel, a cap.
    pub fn tally(&mut self, class: ClassId) {
        debug_assert!(!self.steps.is_empty(), "a tally belongs to a step");
        self.tallies.push((self.steps.len().saturating_sub(1) as u32, class));
    }

    /// Reports that a successor lies beyond a cap of [`Shape::caps`](crate::Shape::caps) and was left out.
    pub fn cut(&mut self, cap: usize) {
        self.cuts.push(cap);
    }

    /// The number of successors.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no successor.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The steps, first to last.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Action, &[Edit])> {
        let mut rest = &self.edits[..];
        self.steps.iter().map(move |&(action, count)| {
            let (edits, later) = rest.split_at(count as usize);
            rest = later;
            (action, edits)
        })
    }

    /// The further classes to count: the number of the step, counted from 0, and the class.
    pub fn tallies(&self) -> &[(u32, ClassId)] {
        &self.tallies
    }

    /// The caps that cut successors away, once for each successor left out.
    pub fn cuts(&self) -> &[usize] {
        &self.cuts
    }

    /// Passes on the successors of an inner space: `fill` writes them into a buffer of their own, and `pass` adds each as one
    /// step, or leaves it out. The further classes of a step go with it; all cuts are passed on.
    pub fn through<T>(
        &mut self,
        fill: impl FnOnce(&mut Successors) -> T,
        mut pass: impl FnMut(&mut Successors, Action, &[Edit]),
    ) -> T {
        let mut inner = self.inner.take().unwrap_or_default();
        inner.clear();
        let filled = fill(&mut inner);
        let mut tallies = inner.tallies.iter().peekable();
        for (number, (action, edits)) in inner.iter().enumerate() {
            let before = self.len();
            pass(self, action, edits);
            while let Some(&(_, class)) = tallies.next_if(|(step, _)| *step as usize == number) {
                if self.len() > before {
                    self.tally(class);
                }
            }
        }
        self.cuts.extend_from_slice(&inner.cuts);
        self.inner = Some(inner);
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(code: u64) -> Action {
        Action::new(0, code)
    }

    #[test]
    fn steps_come_back_with_their_edits_and_tallies() {
        let mut found = Successors::new();
        found.step(action(1), &[Edit::new(0, 1), Edit::new(2, 3)]);
        found.tally(7);
        found.step(action(2), &[]);
        found.cut(4);
        found.step(action(3), &[Edit::new(1, 5)]);
        let steps: Vec<(Action, Vec<Edit>)> = found.iter().map(|(a, edits)| (a, edits.to_vec())).collect();
        let first = vec![Edit::new(0, 1), Edit::new(2, 3)];
        assert_eq!(steps, [(action(1), first), (action(2), vec![]), (action(3), vec![Edit::new(1, 5)])]);
        assert_eq!((found.tallies(), found.cuts(), found.len()), (&[(0, 7)][..], &[4][..], 3));
        found.clear();
        assert!(found.is_empty() && found.tallies().is_empty() && found.cuts().is_empty());
    }

    #[test]
    fn a_step_can_be_built_bit_by_bit() {
        let mut found = Successors::new();
        found.edit(3, 1);
        found.discard();
        for (slot, id) in [(0, 5), (2, 6), (0, 7)] {
            found.edit(slot, id);
        }
        assert_eq!((found.edited(0), found.edited(1)), (Some(7), None));
        found.close(action(1));
        found.edit(0, 9);
        found.step(action(2), &[Edit::new(1, 1)]);
        found.edit(4, 4);
        let steps: Vec<(u64, Vec<Edit>)> =
            found.iter().map(|(action, edits)| (action.code(), edits.to_vec())).collect();
        let expected = [(1, vec![Edit::new(0, 7), Edit::new(2, 6)]), (2, vec![Edit::new(1, 1)])];
        assert_eq!(steps, expected, "what is neither closed nor discarded is no step");
    }

    #[test]
    fn a_step_that_is_left_out_takes_its_tallies_along() {
        let mut outer = Successors::new();
        outer.step(action(9), &[]);
        for _ in 0..2 {
            let given = outer.through(
                |inner| {
                    for code in 0..4 {
                        inner.step(action(code), &[Edit::new(0, code as Id)]);
                        inner.tally(code as ClassId);
                    }
                    inner.cut(2);
                    inner.len()
                },
                |outer, action, edits| {
                    if action.code() % 2 == 1 {
                        outer.step(action, &[edits[0], Edit::new(1, 8)]);
                    }
                },
            );
            assert_eq!(given, 4);
        }
        let codes: Vec<u64> = outer.iter().map(|(action, _)| action.code()).collect();
        assert_eq!(codes, [9, 1, 3, 1, 3]);
        assert_eq!(outer.tallies(), [(1, 1), (2, 3), (3, 1), (4, 3)]);
        assert_eq!(outer.cuts(), [2, 2]);
        assert!(outer.iter().skip(1).all(|(_, edits)| edits.len() == 2));
    }
}
