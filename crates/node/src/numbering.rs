//! The numbers that a seed gives out. A seed gives only numbers of its own class, so two seeds never give the same, and a
//! name that is known gets its number again. What is promised here is kept until the node that asked has shown in a
//! handshake that it is there, or for a while if it never does.

use crate::directory::Directory;
use crate::wire::{DirectoryEntry, JoinRequest, MemberName, fnv1a};
use watchkeeper_core::Pid;

const MS: u64 = 1_000_000;

/// How long a number is kept for a node that has asked for it.
const PROMISE: u64 = 10_000 * MS;

/// How long a member has to show that it is there when somebody else wants its name.
const PROOF: u64 = 1_500 * MS;

/// How many requests are answered in a second, and at once after a quiet time.
const REQUESTS: u64 = 256;

/// The least time between two answers to one incarnation, and how many classes of these there are. A node asks less often.
const SAME_ASKER: u64 = 100 * MS;
const ASKERS: usize = 1024;

/// The most promises at a time.
const PROMISES: usize = 1024;

/// What a seed knows beside the directory.
#[derive(Debug)]
pub(crate) struct Numbering {
    /// Its place among the seeds, and how many there are.
    pub(crate) place: usize,
    pub(crate) seeds: usize,
    promises: Vec<Promise>,
    /// Members whose name somebody else wants: since when.
    doubted: Vec<(Pid, u64)>,
}

/// How many requests may be answered: replayed requests must not make a node talkative, nor use up what others need. So
/// there is one share for those who may be new and one for the rest, and one incarnation is answered only so often.
#[derive(Debug)]
pub(crate) struct AnswerBudget {
    /// What is left of a second's share, in nanoseconds: of new ones, and of the rest.
    left: [u64; 2],
    spent_at: u64,
    /// When an incarnation of each class was last answered, of new ones and of the rest.
    answered: Box<[[Option<u64>; ASKERS]; 2]>,
}

impl AnswerBudget {
    pub(crate) fn new(now: u64) -> AnswerBudget {
        AnswerBudget { left: [1000 * MS; 2], spent_at: now, answered: Box::new([[None; ASKERS]; 2]) }
    }

    /// Whether one more may be answered now.
    pub(crate) fn may_answer(&mut self, now: u64, name: &MemberName, incarnation: u64, is_new: bool) -> bool {
        let share = 1000 * MS / REQUESTS;
        let passed = now.saturating_sub(self.spent_at);
        self.left = self.left.map(|left| (left + passed).min(1000 * MS));
        self.spent_at = now;
        let kind = usize::from(!is_new);
        let asker = fnv1a(name.as_str().as_bytes()) ^ incarnation.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let answered = &mut self.answered[kind][asker as usize % ASKERS];
        let left = &mut self.left[kind];
        let may = *left >= share && answered.is_none_or(|at| now.saturating_sub(at) >= SAME_ASKER);
        if may {
            *left -= share;
            *answered = Some(now);
        }
        may
    }
}

#[derive(Debug)]
struct Promise {
    number: Pid,
    version: u32,
    request: JoinRequest,
    until: u64,
}

/// What a seed decides on a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// This number, for an entry of this version.
    Number(Pid, u32),
    /// Not yet.
    Wait,
    /// Not before this member, which has the same name, had the chance to show that it is there.
    Ask(Pid),
    /// The member of this name is there.
    InUse,
    /// There is no number left.
    Full,
}

impl Numbering {
    pub(crate) fn new(place: usize, seeds: usize) -> Numbering {
        Numbering { place, seeds, promises: Vec::new(), doubted: Vec::new() }
    }

    /// Decides on a request; `seen` is when something was last heard from a member.
    pub(crate) fn decide(
        &mut self,
        now: u64,
        request: &JoinRequest,
        directory: &Directory,
        seen: impl Fn(Pid) -> Option<u64>,
    ) -> Decision {
        // A promise is kept by a member of that number, and if it is another one it was not this seed's to make.
        let is_open = |promise: &Promise| {
            let known = directory.get(promise.number);
            known.is_none_or(|entry| entry.version < promise.version)
        };
        self.promises.retain(|promise| promise.until > now && is_open(promise));
        self.doubted.retain(|(_, since)| now.saturating_sub(*since) < 2 * PROOF);
        let place = &request.place;
        if let Some(known) = directory.named(&place.name) {
            return self.decide_known(now, request, known, seen);
        }
        let same = |promise: &&mut Promise| promise.request.place.name == place.name;
        if let Some(promise) = self.promises.iter_mut().find(same) {
            // Two nodes of one name that ask at the same time: the first one has it, or gives it up.
            if promise.request.place.address != place.address {
                return Decision::Wait;
            }
            *promise = Promise { request: request.clone(), until: now + PROMISE, ..*promise };
            return Decision::Number(promise.number, promise.version);
        }
        let taken = |number: Pid| self.promises.iter().any(|promise| promise.number == number);
        let mine = |wish: &Pid| wish.index() % self.seeds == self.place;
        let wish = request.wish.filter(mine).filter(|wish| directory.is_free(*wish) && !taken(*wish));
        let number = wish.or_else(|| directory.free_number(self.place, self.seeds, taken));
        match number {
            None => Decision::Full,
            Some(_) if self.promises.len() >= PROMISES => Decision::Wait,
            Some(number) => {
                let (version, until) = (directory.next_version(number), now + PROMISE);
                self.promises.push(Promise { number, version, request: request.clone(), until });
                Decision::Number(number, version)
            }
        }
    }

    /// Decides on a request under a name that is known.
    fn decide_known(
        &mut self,
        now: u64,
        request: &JoinRequest,
        known: &DirectoryEntry,
        seen: impl Fn(Pid) -> Option<u64>,
    ) -> Decision {
        let number = known.number;
        if known.incarnation == request.incarnation && known.place == request.place && !known.left {
            return Decision::Number(number, known.version);
        }
        let again = Decision::Number(number, known.version.saturating_add(1));
        // Two programs cannot listen at one address, so whoever was there before is gone.
        if known.left || known.place.address == request.place.address {
            return again;
        }
        let Some((_, since)) = self.doubted.iter().find(|(doubted, _)| *doubted == number) else {
            self.doubted.push((number, now));
            return Decision::Ask(number);
        };
        match seen(number) {
            Some(at) if at > *since => Decision::InUse,
            _ if now.saturating_sub(*since) < PROOF => Decision::Ask(number),
            _ => again,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Challenge, MemberPlace};
    use std::net::SocketAddr;

    fn request(name: &str, port: u16, incarnation: u64) -> JoinRequest {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let place = MemberPlace { address, name: name.parse().expect("a name") };
        JoinRequest { nonce: Challenge::NONE, incarnation, wish: None, place }
    }

    fn member(number: usize, request: &JoinRequest) -> DirectoryEntry {
        let (number, incarnation) = (Pid::member(number).expect("a member"), request.incarnation);
        DirectoryEntry { number, version: 1, incarnation, left: false, place: request.place.clone() }
    }

    fn unheard(_: Pid) -> Option<u64> {
        None
    }

    #[test]
    fn a_seed_gives_numbers_of_its_class_and_the_same_to_who_asks_again() {
        let (mut seed, mut directory) = (Numbering::new(1, 2), Directory::default());
        directory.learn(&member(1, &request("seed", 1, 1)));
        let mut decide = |now, request: &JoinRequest| seed.decide(now, request, &directory, unheard);
        assert_eq!(decide(1, &request("a", 7, 5)), Decision::Number(Pid::at(3), 1));
        assert_eq!(decide(2, &request("b", 8, 5)), Decision::Number(Pid::at(5), 1));
        assert_eq!(decide(3, &request("a", 7, 5)), Decision::Number(Pid::at(3), 1));
        assert_eq!(decide(3, &request("a", 7, 6)), Decision::Number(Pid::at(3), 1));
        assert_eq!(decide(3, &request("a", 9, 6)), Decision::Wait, "promised to another");
        assert_eq!(decide(4 + PROMISE, &request("a", 9, 6)), Decision::Number(Pid::at(3), 1));
        let wishing = |name, number| JoinRequest { wish: Pid::new(number), ..request(name, 20, 7) };
        assert_eq!(decide(5 + PROMISE, &wishing("c", 9)), Decision::Number(Pid::at(9), 1));
        assert_eq!(decide(5 + PROMISE, &wishing("d", 9)), Decision::Number(Pid::at(5), 1), "promised");
        assert_eq!(decide(5 + PROMISE, &wishing("e", 6)), Decision::Number(Pid::at(7), 1), "another seed's");
        assert_eq!(decide(5 + PROMISE, &wishing("f", 1)), Decision::Number(Pid::at(11), 1), "in use");
    }

    #[test]
    fn a_name_that_is_known_gets_its_number_again_unless_its_member_is_there() {
        let (mut seed, mut directory) = (Numbering::new(0, 1), Directory::default());
        directory.learn(&member(4, &request("a", 7, 5)));
        let here = request("a", 7, 6);
        assert_eq!(seed.decide(1, &here, &directory, unheard), Decision::Number(Pid::at(4), 2));
        let there = request("a", 8, 6);
        assert_eq!(seed.decide(10, &there, &directory, unheard), Decision::Ask(Pid::at(4)));
        assert_eq!(seed.decide(11, &there, &directory, |_| Some(9)), Decision::Ask(Pid::at(4)));
        assert_eq!(seed.decide(12, &there, &directory, |_| Some(11)), Decision::InUse);
        let late = 10 + PROOF;
        assert_eq!(seed.decide(late, &there, &directory, |_| Some(9)), Decision::Number(Pid::at(4), 2));
        let mut gone = member(4, &request("a", 7, 5));
        gone.left = true;
        directory.learn(&gone);
        let mut seed = Numbering::new(0, 1);
        assert_eq!(seed.decide(1, &there, &directory, unheard), Decision::Number(Pid::at(4), 2));
    }

    #[test]
    fn a_seed_is_not_flooded() {
        let mut budget = AnswerBudget::new(5);
        let may = |budget: &mut AnswerBudget, now: u64, incarnation: u64, is_new: bool| {
            budget.may_answer(now, &"m".parse().expect("a name"), incarnation, is_new)
        };
        let replayed = (0..2000).filter(|incarnation| may(&mut budget, 60, *incarnation, false)).count();
        assert_eq!(replayed, 256);
        assert!(may(&mut budget, 60, 7, true), "who is new has a share of its own");
        assert!(!may(&mut budget, 60 + 4 * MS, 7, true), "but none has all of it");
        let soon = 60 + 4 * MS;
        assert_eq!((0..2000).filter(|incarnation| may(&mut budget, soon, *incarnation, false)).count(), 1);
        assert!(may(&mut budget, 60 + SAME_ASKER, 7, true));
    }

    /// What was promised to members that have joined leaves room for others, and a seed that has promised much is not full.
    #[test]
    fn many_may_come_at_the_same_time() {
        let (mut seed, mut directory) = (Numbering::new(0, 1), Directory::default());
        directory.learn(&member(0, &request("seed", 1, 1)));
        for i in 1..=2 * PROMISES {
            let newcomer = request(&format!("m{i}"), 7, 5);
            let Decision::Number(number, version) = seed.decide(9, &newcomer, &directory, unheard) else {
                panic!("{i}")
            };
            assert_eq!((number.index(), version), (i, 1));
            directory.learn(&member(i, &newcomer));
        }
        let asks = |seed: &mut Numbering, i: usize| {
            seed.decide(9, &request(&format!("x{i}"), 7, 5), &directory, unheard)
        };
        assert!((0..PROMISES).all(|i| matches!(asks(&mut seed, i), Decision::Number(..))));
        assert_eq!(asks(&mut seed, PROMISES), Decision::Wait);
    }
}
