//! What a process knows of all members: four bytes for each. An entry is one number, in which the incarnation weighs more
//! than the status, so that the update that overrides is the greater number.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Bound;
use watchkeeper_core::{MAX_MEMBERS, Malformed, Member, Pack, Perm, Pid, Reader};

/// What is said of a member in one of its incarnations. Of the same incarnation a later one overrides an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SwimStatus {
    /// Nothing is known of it.
    Unknown,
    /// It is alive.
    Alive,
    /// It has not answered, and has some time to refute that it is dead.
    Suspected,
    /// It has been declared dead.
    Dead,
    /// It has left of its own accord.
    Left,
}

impl SwimStatus {
    const ALL: [SwimStatus; 5] =
        [SwimStatus::Unknown, SwimStatus::Alive, SwimStatus::Suspected, SwimStatus::Dead, SwimStatus::Left];

    /// Whether it takes part: it is probed, helps to probe and counts.
    pub fn is_up(self) -> bool {
        matches!(self, SwimStatus::Alive | SwimStatus::Suspected)
    }
}

/// The number of bits of a status.
const STATUS: u32 = 3;

/// The largest incarnation that an entry has room for.
pub const MAX_INCARNATION: u32 = u32::MAX >> STATUS;

/// A status of a member in one incarnation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberEntry(u32);

impl MemberEntry {
    /// The entry of a member of which nothing is known.
    pub const UNKNOWN: MemberEntry = MemberEntry(0);

    /// This status in this incarnation, or in the largest one.
    pub fn new(status: SwimStatus, incarnation: u32) -> MemberEntry {
        match status {
            SwimStatus::Unknown => MemberEntry::UNKNOWN,
            _ => MemberEntry(incarnation.min(MAX_INCARNATION) << STATUS | status as u32),
        }
    }

    /// The status.
    pub fn status(self) -> SwimStatus {
        let place = self.0 & ((1 << STATUS) - 1);
        SwimStatus::ALL.get(place as usize).copied().unwrap_or(SwimStatus::Unknown)
    }

    /// The incarnation.
    pub fn incarnation(self) -> u32 {
        self.0 >> STATUS
    }

    /// Whether this is news to whoever has the other entry. Who is dead has not left, and the other way round.
    pub fn overrides(self, known: MemberEntry) -> bool {
        let gone = |entry: MemberEntry| entry.status() >= SwimStatus::Dead;
        let both = gone(self) && gone(known) && self.incarnation() == known.incarnation();
        self > known && !both
    }
}

impl fmt::Debug for MemberEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status() {
            SwimStatus::Unknown => f.write_str("unknown"),
            SwimStatus::Alive => write!(f, "alive {}", self.incarnation()),
            SwimStatus::Suspected => write!(f, "suspected {}", self.incarnation()),
            SwimStatus::Dead => write!(f, "dead {}", self.incarnation()),
            SwimStatus::Left => write!(f, "left {}", self.incarnation()),
        }
    }
}

impl Pack for MemberEntry {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<MemberEntry, Malformed> {
        let entry = MemberEntry(u32::unpack(bytes)?);
        let known = entry.0 & ((1 << STATUS) - 1) < SwimStatus::ALL.len() as u32;
        let nobody = entry.status() == SwimStatus::Unknown && entry != MemberEntry::UNKNOWN;
        if known && !nobody { Ok(entry) } else { Err(Malformed("no such status of a member")) }
    }

    fn rename(&self, _: &Perm) -> MemberEntry {
        *self
    }
}

/// The entries of all members, by their numbers, and what follows from them: how many take part, and who is dead. It grows with
/// the members.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct MemberTable {
    entries: Vec<MemberEntry>,
    up: u16,
    dead: BTreeSet<Member>,
}

impl MemberTable {
    /// The table in which the first `n` are alive in their first incarnation.
    pub fn all_alive(n: usize) -> MemberTable {
        let entries = vec![MemberEntry::new(SwimStatus::Alive, 0); n.min(MAX_MEMBERS)];
        MemberTable { up: entries.len() as u16, entries, dead: BTreeSet::new() }
    }

    /// What is known of a member.
    pub fn get(&self, member: Member) -> MemberEntry {
        self.entries.get(member.0.index()).copied().unwrap_or(MemberEntry::UNKNOWN)
    }

    /// Takes down what is now known of a member.
    pub fn set(&mut self, member: Member, entry: MemberEntry) {
        let place = member.0.index();
        if place >= self.entries.len() {
            self.entries.resize(place + 1, MemberEntry::UNKNOWN);
        }
        let up = |entry: MemberEntry| u16::from(entry.status().is_up());
        self.up = self.up + up(entry) - up(self.entries[place]);
        self.entries[place] = entry;
        if entry.status() == SwimStatus::Dead {
            self.dead.insert(member);
        } else {
            self.dead.remove(&member);
        }
    }

    /// The next of the dead after this number in the ring of numbers, which itself is the last.
    pub fn dead_after(&self, member: Member) -> Option<Member> {
        let after = (Bound::Excluded(member), Bound::Unbounded);
        self.dead.range(after).next().or_else(|| self.dead.first()).copied()
    }

    /// How many take part.
    pub fn up(&self) -> usize {
        usize::from(self.up)
    }

    /// The number after the largest number of a member.
    pub fn span(&self) -> usize {
        self.entries.len()
    }

    /// All members of which something is known.
    pub fn iter(&self) -> impl Iterator<Item = (Member, MemberEntry)> {
        let known = |(place, entry): (usize, &MemberEntry)| Some((Member(Pid::member(place)?), *entry));
        self.entries.iter().enumerate().filter_map(known).filter(|(_, entry)| *entry != MemberEntry::UNKNOWN)
    }
}

impl Pack for MemberTable {
    fn pack(&self, out: &mut Vec<u8>) {
        self.entries.pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<MemberTable, Malformed> {
        let entries = Vec::<MemberEntry>::unpack(bytes)?;
        if entries.len() > MAX_MEMBERS {
            return Err(Malformed("more entries than there can be members"));
        }
        let up = entries.iter().filter(|entry| entry.status().is_up()).count() as u16;
        let mut table = MemberTable { entries, up, dead: BTreeSet::new() };
        let dead = table.iter().filter(|(_, entry)| entry.status() == SwimStatus::Dead);
        table.dead = dead.map(|(member, _)| member).collect();
        Ok(table)
    }

    fn rename(&self, perm: &Perm) -> MemberTable {
        let mut renamed = MemberTable::default();
        for (member, entry) in self.iter() {
            renamed.set(member.rename(perm), entry);
        }
        // A member of which nothing is known keeps its place.
        renamed.entries.resize(self.entries.len().max(renamed.entries.len()), MemberEntry::UNKNOWN);
        renamed
    }
}

impl fmt::Debug for MemberTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::{packed, unpacked};

    #[test]
    fn an_entry_is_four_bytes_and_the_incarnation_weighs_more_than_the_status() {
        assert_eq!(size_of::<MemberEntry>(), 4);
        let [alive, suspected, dead, left] =
            [SwimStatus::Alive, SwimStatus::Suspected, SwimStatus::Dead, SwimStatus::Left]
                .map(|status| move |incarnation| MemberEntry::new(status, incarnation));
        assert!(suspected(0).overrides(alive(0)) && dead(0).overrides(suspected(0)));
        assert!(alive(1).overrides(suspected(0)) && alive(1).overrides(dead(0)));
        assert!(!alive(0).overrides(alive(0)) && !dead(0).overrides(alive(1)));
        assert!(!left(0).overrides(dead(0)) && !dead(0).overrides(left(0)) && left(1).overrides(dead(0)));
        assert_eq!(alive(u32::MAX).incarnation(), MAX_INCARNATION);
    }

    #[test]
    fn a_table_grows_counts_and_is_read_as_written() {
        let mut table = MemberTable::all_alive(3);
        let far = Member(Pid::member(300).expect("a member"));
        table.set(far, MemberEntry::new(SwimStatus::Suspected, 7));
        table.set(Member(Pid::at(1)), MemberEntry::new(SwimStatus::Dead, 0));
        assert_eq!((table.up(), table.span(), table.iter().count()), (3, 301, 4));
        let dead = Member(Pid::at(1));
        assert_eq!([far, dead, Member(Pid::at(0))].map(|after| table.dead_after(after)), [Some(dead); 3]);
        assert_eq!(unpacked::<MemberTable>(&packed(&table)), Ok(table));
        assert!(unpacked::<MemberEntry>(&packed(&5_u32)).is_err(), "there is no fifth status");
        assert!(unpacked::<MemberEntry>(&packed(&8_u32)).is_err(), "who is unknown has no incarnation");
    }
}
