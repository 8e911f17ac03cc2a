//! The messages under way, in the two encodings of section 7.2: a slot for each age, or one number. Old
//! messages are abstracted as in section 7.2.3: age Δ stands for "Δ or older". Both speak of ages as bits of
//! a number when they are asked what is there, and edit nothing but their own slots.

use super::{ChandraTouegCase, Encoding};
use watchkeeper_space::{Edit, Id};

/// The first slot of the buffer; the slots before it are the other variables.
pub(super) const BUFFER: usize = 9;

/// The most slots of a row.
pub(super) const MOST_SLOTS: usize = BUFFER + ChandraTouegCase::MAX_DELTA as usize + 1;

/// The edits of a step.
pub(super) struct Edits {
    list: [Edit; MOST_SLOTS],
    count: usize,
}

impl Edits {
    /// None.
    pub(super) const fn new() -> Edits {
        Edits { list: [Edit::new(0, 0); MOST_SLOTS], count: 0 }
    }

    /// One more; a slot is edited once.
    #[inline]
    pub(super) fn push(&mut self, slot: usize, id: Id) {
        self.list[self.count] = Edit::new(slot, id);
        self.count += 1;
    }

    /// Forgets all but the first `count`.
    #[inline]
    pub(super) fn truncate(&mut self, count: usize) {
        self.count = count;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn list(&self) -> &[Edit] {
        &self.list[..self.count]
    }
}

/// A buffer of one encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EncodedBuffer {
    encoding: Encoding,
    delta: u32,
}

impl EncodedBuffer {
    pub(super) fn new(case: &ChandraTouegCase) -> EncodedBuffer {
        EncodedBuffer { encoding: case.encoding, delta: case.delta() }
    }

    /// The names of its slots.
    pub(super) fn slots(&self) -> Vec<String> {
        match self.encoding {
            Encoding::Predicate => (0..=self.delta).map(|age| format!("existsMsgOfAge({age})")).collect(),
            Encoding::Counter => vec!["buf".to_string()],
        }
    }

    /// The largest id that stands in one of its slots.
    pub(super) fn most(&self) -> Id {
        match self.encoding {
            Encoding::Predicate => 1,
            Encoding::Counter => 2 * self.old() - 1,
        }
    }

    /// The ages of the messages under way, bit by bit.
    #[inline]
    pub(super) fn ages(&self, row: &[Id]) -> u32 {
        match self.encoding {
            Encoding::Predicate => row[BUFFER..].iter().rev().fold(0, |ages, exists| ages << 1 | exists),
            Encoding::Counter => row[BUFFER],
        }
    }

    /// Whether a message must be received now.
    #[inline]
    pub(super) fn has_old(&self, row: &[Id]) -> bool {
        match self.encoding {
            Encoding::Predicate => row[BUFFER + self.delta as usize] != 0,
            Encoding::Counter => row[BUFFER] >= self.old(),
        }
    }

    /// Every message gets older by one, as formulas 7.10 to 7.13 say of the predicate and figure 5 of the counter.
    /// Where Δ is 0 there is one age only.
    #[inline]
    pub(super) fn age(&self, row: &[Id], edits: &mut Edits) {
        let delta = self.delta as usize;
        if delta == 0 {
            return;
        }
        match self.encoding {
            Encoding::Predicate => {
                let exists = |age: usize| row[BUFFER + age];
                edits.push(BUFFER, 0);
                for age in 1..delta {
                    edits.push(BUFFER + age, exists(age - 1));
                }
                edits.push(BUFFER + delta, exists(delta) | exists(delta - 1));
            }
            Encoding::Counter => {
                let (buf, old) = (row[BUFFER], self.old());
                let aged = if buf < old {
                    2 * buf
                } else if buf >= old + old / 2 {
                    // The arithmetic of figure 5, in an order that stays within 32 bits.
                    2 * (buf - old)
                } else {
                    2 * (buf - old) + old
                };
                edits.push(BUFFER, aged);
            }
        }
    }

    /// A message of age 0 enters.
    #[inline]
    pub(super) fn send(&self, row: &[Id], edits: &mut Edits) {
        match self.encoding {
            Encoding::Predicate => edits.push(BUFFER, 1),
            // With Δ = 0 the one age may have a message already; else the bit is free, since all have aged.
            Encoding::Counter => edits.push(BUFFER, row[BUFFER] | 1),
        }
    }

    /// Every way to receive at least one message and all old ones: calls with the ages of those that stay,
    /// after having edited the buffer.
    #[inline]
    pub(super) fn deliveries(&self, row: &[Id], edits: &mut Edits, mut each: impl FnMut(u32, &mut Edits)) {
        let before = edits.len();
        let ages = self.ages(row);
        if ages == 0 {
            return;
        }
        let young = ages & !self.old();
        let mut stay = young;
        loop {
            if stay != ages {
                match self.encoding {
                    Encoding::Predicate => {
                        for age in (0..=self.delta).filter(|age| (ages ^ stay) >> age & 1 != 0) {
                            edits.push(BUFFER + age as usize, 0);
                        }
                    }
                    Encoding::Counter => edits.push(BUFFER, stay),
                }
                each(stay, edits);
                edits.truncate(before);
            }
            if stay == 0 {
                return;
            }
            stay = (stay - 1) & young;
        }
    }

    /// The bit of old messages.
    const fn old(&self) -> u32 {
        1 << self.delta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_space::apply;

    fn buffers(delta: u32) -> [EncodedBuffer; 2] {
        Encoding::ALL.map(|encoding| EncodedBuffer { encoding, delta })
    }

    fn row(buffer: &EncodedBuffer, ages: u32) -> Vec<Id> {
        let mut row = vec![0; BUFFER];
        match buffer.encoding {
            Encoding::Predicate => row.extend((0..=buffer.delta).map(|age| ages >> age & 1)),
            Encoding::Counter => row.push(ages),
        }
        row
    }

    #[test]
    fn both_encodings_do_the_same_with_every_buffer() {
        for delta in 0..=6 {
            let both = buffers(delta);
            for ages in 0..1u32 << (delta + 1) {
                let seen = both.map(|buffer| {
                    let row = row(&buffer, ages);
                    let after = |edits: &Edits| buffer.ages(&apply(&row, edits.list()));
                    let mut edits = Edits::new();
                    buffer.age(&row, &mut edits);
                    let aged = after(&edits);
                    edits.truncate(0);
                    let sent = apply(&row, {
                        buffer.send(&row, &mut edits);
                        edits.list()
                    });
                    edits.truncate(0);
                    let mut stays = Vec::new();
                    buffer.deliveries(&row, &mut edits, |stay, edits| {
                        assert_eq!(after(edits), stay);
                        stays.push(stay);
                    });
                    (buffer.ages(&row), buffer.has_old(&row), aged, buffer.ages(&sent), stays)
                });
                assert_eq!(seen[0], seen[1], "delta {delta}, ages {ages:b}");
                assert_eq!(seen[0].0, ages);
            }
        }
    }

    #[test]
    fn ages_grow_as_in_figure_4() {
        for buffer in buffers(2) {
            let aged = |ages| {
                let row = row(&buffer, ages);
                let mut edits = Edits::new();
                buffer.age(&row, &mut edits);
                buffer.ages(&apply(&row, edits.list()))
            };
            assert_eq!((aged(6), aged(5)), (4, 6));
        }
    }

    #[test]
    fn what_is_received_is_something_and_all_that_is_old() {
        for buffer in buffers(1) {
            let stays = |ages| {
                let mut found = Vec::new();
                buffer.deliveries(&row(&buffer, ages), &mut Edits::new(), |stay, _| found.push(stay));
                found
            };
            assert_eq!((stays(0), stays(1), stays(2), stays(3)), (vec![], vec![0], vec![0], vec![1, 0]));
        }
    }
}
