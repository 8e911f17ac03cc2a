//! The local state of a member: its table, the probe of this period, who is suspected, and the news that it passes on.

use super::{MemberEntry, MemberTable, MemberUpdate};
use std::hash::Hash;
use watchkeeper_core::{Member, Pack, Perm, Pid};

/// The local state, with the memory `M` of a policy.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct SwimState<M: Pack> {
    /// What is known of all members, the process itself included.
    pub(super) table: MemberTable,
    /// Whether it has received a table, or needs none.
    pub(super) joined: bool,
    /// Where it is in the order of its probes.
    pub(super) lap: ProbeLap,
    /// Whom of the dead it asks next, if it asks them: always one of them, if there are any.
    pub(super) asks_dead: Option<Member>,
    /// The probe of this period, until it is answered.
    pub(super) probe: Option<OpenProbe>,
    /// Those who are suspected.
    pub(super) suspicions: OpenSuspicions,
    /// What it passes on.
    pub(super) queue: NewsQueue,
    /// Those whom it probes for others, first to last.
    pub(super) relays: Vec<OpenRelay>,
    /// What the policy remembers.
    pub(super) memory: M,
}

impl<M: Pack> SwimState<M> {
    /// What the process knows of all members.
    pub fn table(&self) -> &MemberTable {
        &self.table
    }

    /// What the policy remembers.
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// A traversal of the table: each place once, in steps of a stride that has no divisor in common with the span.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Pack)]
pub struct ProbeLap {
    /// The place of the last member that was probed.
    pub(super) at: PlaceInTable,
    pub(super) stride: u16,
    pub(super) span: u16,
    /// How many places are left.
    pub(super) left: u16,
}

/// A place in the table, which a renaming of members moves.
pub(super) type PlaceInTable = Option<Member>;

impl ProbeLap {
    /// A traversal of `span` places after `at`, that ends before it comes to `at`.
    pub(super) fn after(at: Member, span: usize) -> ProbeLap {
        let span = span as u16;
        ProbeLap { at: Some(at), stride: 1, span, left: span.saturating_sub(1) }
    }

    /// A traversal of all of `span` places from `first` on, with the next possible stride.
    pub(super) fn scattered(first: usize, stride: usize, span: usize) -> ProbeLap {
        let strides = (0..span).map(|more| 1 + (stride + more) % span.max(1));
        let stride = strides.into_iter().find(|stride| coprime(*stride, span)).unwrap_or(1);
        let before = (first + span).saturating_sub(stride) % span.max(1);
        let at = Pid::member(before).map(Member);
        ProbeLap { at, stride: stride as u16, span: span as u16, left: span as u16 }
    }

    /// The next place; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Member> {
        self.left = self.left.checked_sub(1)?;
        let place = self.at?.0.index() + usize::from(self.stride);
        self.at = Pid::member(place.checked_rem(usize::from(self.span))?).map(Member);
        self.at
    }
}

fn coprime(mut a: usize, mut b: usize) -> bool {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// A probe that nobody has answered so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub struct OpenProbe {
    pub(super) target: Member,
    /// How many helpers should say that the target has not answered them, where they do.
    pub(super) asked: u8,
    /// How many have.
    pub(super) refused: u8,
}

/// A probe for another member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub struct OpenRelay {
    pub(super) origin: Member,
    pub(super) target: Member,
    /// The grains of time that have passed, of which the first may have been cut.
    pub(super) passed: u8,
}

/// A suspicion that is neither refuted nor confirmed.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct OpenSuspicion {
    pub(super) member: Member,
    /// The grains of time that have passed, of which the first may have been cut.
    pub(super) passed: u16,
    /// Whose suspicions are known, where that matters, the first one first.
    pub(super) by: Vec<Member>,
}

/// All suspicions, by the numbers of the suspected.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OpenSuspicions(Vec<OpenSuspicion>);

impl OpenSuspicions {
    /// Whether nobody is suspected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The suspicions.
    pub fn iter(&self) -> impl Iterator<Item = &OpenSuspicion> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut OpenSuspicion> {
        self.0.iter_mut()
    }

    fn place(&self, member: Member) -> Result<usize, usize> {
        self.0.binary_search_by_key(&member, |open| open.member)
    }

    pub(super) fn of(&mut self, member: Member) -> Option<&mut OpenSuspicion> {
        let place = self.place(member).ok()?;
        self.0.get_mut(place)
    }

    pub(super) fn begin(&mut self, open: OpenSuspicion) {
        match self.place(open.member) {
            Ok(place) => self.0[place] = open,
            Err(place) => self.0.insert(place, open),
        }
    }

    pub(super) fn end(&mut self, member: Member) {
        if let Ok(place) = self.place(member) {
            self.0.remove(place);
        }
    }
}

impl Pack for OpenSuspicions {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(bytes: &mut watchkeeper_core::Reader<'_>) -> Result<Self, watchkeeper_core::Malformed> {
        let all = Vec::<OpenSuspicion>::unpack(bytes)?;
        let sorted = all.is_sorted_by(|one, next| one.member < next.member);
        if sorted {
            Ok(OpenSuspicions(all))
        } else {
            Err(watchkeeper_core::Malformed("suspicions not in order"))
        }
    }

    fn rename(&self, perm: &Perm) -> OpenSuspicions {
        let mut all = self.0.rename(perm);
        all.sort_by_key(|open| open.member);
        OpenSuspicions(all)
    }
}

/// News of a member that is still passed on. What it says is in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
struct QueuedNews {
    member: Member,
    by: Option<Member>,
    /// How often it has been sent.
    sent: u8,
}

/// The news that is passed on: what was sent least first, and of that the newest.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Pack)]
pub struct NewsQueue(Vec<QueuedNews>);

impl NewsQueue {
    /// How many members there is news of.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no news.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was news of a member is not passed on.
    pub(super) fn forget(&mut self, member: Member) {
        self.0.retain(|queued| queued.member != member);
    }

    /// There is news of a member, in place of older news.
    pub(super) fn push(&mut self, member: Member, by: Option<Member>) {
        self.forget(member);
        self.0.insert(0, QueuedNews { member, by, sent: 0 });
    }

    /// Takes the next news, at most `most`, each of which is sent `limit` times in all.
    pub(super) fn take(&mut self, most: usize, limit: u8, mut tell: impl FnMut(Member, Option<Member>)) {
        let taken: Vec<QueuedNews> = self.0.drain(..most.min(self.0.len())).collect();
        for mut queued in taken {
            tell(queued.member, queued.by);
            queued.sent = queued.sent.saturating_add(1);
            if queued.sent < limit {
                let place = self.0.partition_point(|other| other.sent < queued.sent);
                self.0.insert(place, queued);
            }
        }
    }
}

/// What the table says of a member, as news.
pub(super) fn news(table: &MemberTable, member: Member, by: Option<Member>) -> MemberUpdate {
    let entry: MemberEntry = table.get(member);
    let by = by.filter(|_| entry.status() == super::SwimStatus::Suspected);
    MemberUpdate { member, entry, by }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traversal_comes_to_every_place_once() {
        let small = (2..=30).flat_map(|span| (0..span).map(move |first| (span, first)));
        let large = [(256, 255), (2310, 7), (9973, 0), (32_767, 32_766), (32_768, 5)];
        for (span, first) in small.chain(large) {
            let strides = if span > 30 { vec![0, 1, span / 2, span - 2] } else { (0..span - 1).collect() };
            for stride in strides {
                let mut lap = ProbeLap::scattered(first, stride, span);
                let mut seen = vec![false; span];
                assert_eq!(lap.clone().next().map(|place| place.0.index()), Some(first));
                while let Some(place) = lap.next() {
                    assert!(!std::mem::replace(&mut seen[place.0.index()], true), "{place} again of {span}");
                }
                assert!(seen.iter().all(|seen| *seen), "{span} places from {first} by {stride}: {seen:?}");
            }
        }
    }
}
