//! A total order on values, in which sets keep their elements. Numbers come in their order, values of a structured sort in the
//! order of their constructors and then of their arguments, lists as in a dictionary.

use std::cmp::Ordering;

use super::store::{ValueId, ValueStore};

impl ValueStore {
    /// Which of two values comes first.
    pub(super) fn compare(&self, a: ValueId, b: ValueId) -> Ordering {
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            if a == b {
                continue;
            }
            match self.compare_heads(a, b) {
                Ordering::Equal => {}
                decided => return decided,
            }
            let (left, right) = (self.parts(a), self.parts(b));
            // The first parts are looked at first; where all are equal, the longer one comes last.
            if left.len() != right.len() {
                if let Some(decided) = self.compare_common(left, right) {
                    return decided;
                }
                return left.len().cmp(&right.len());
            }
            open.extend(left.iter().copied().zip(right.iter().copied()).rev());
        }
        Ordering::Equal
    }

    /// The order of the first parts that differ. Only sets, bags and updates have parts of several lengths, and those are seldom
    /// nested deeply.
    fn compare_common(&self, left: &[ValueId], right: &[ValueId]) -> Option<Ordering> {
        left.iter().zip(right).map(|(a, b)| self.compare(*a, *b)).find(|order| order.is_ne())
    }

    fn compare_heads(&self, a: ValueId, b: ValueId) -> Ordering {
        if let (Some(a), Some(b)) = (a.as_integer(), b.as_integer()) {
            return a.cmp(&b);
        }
        if self.is_number(a) && self.is_number(b) {
            return match (self.integer(a), self.integer(b)) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => self.number(a).cmp(&self.number(b)),
            };
        }
        self.head(a).cmp(&self.head(b))
    }

    /// Elements in their order, each once.
    pub(super) fn sorted(&self, mut elements: Vec<ValueId>) -> Vec<ValueId> {
        elements.sort_by(|a, b| self.compare(*a, *b));
        elements.dedup();
        elements
    }
}
