//! The product of a graph with a claim that is to be false: for every temporal part of the claim a guess of what will be
//! true of it from the next state on, and a promise that what is awaited comes.

use crate::ask::DrawnClaim;

/// A claim, with the parts of it that speak of the next state numbered.
pub(super) struct Tableau {
    claim: DrawnClaim,
    /// The parts that need a guess.
    parts: Vec<DrawnClaim>,
}

/// For each part what is guessed of it, a bit each.
pub(super) type Guess = u32;

impl Tableau {
    /// The tableau of the opposite of a claim; `None` if it needs too many guesses.
    pub(super) fn against(claim: &DrawnClaim) -> Option<Tableau> {
        let claim = DrawnClaim::Not(Box::new(claim.clone()));
        let mut parts = Vec::new();
        collect(&claim, &mut parts);
        (parts.len() <= 5).then_some(Tableau { claim, parts })
    }

    /// All guesses.
    pub(super) fn guesses(&self) -> impl Iterator<Item = Guess> + use<> {
        0..1 << self.parts.len()
    }

    /// Whether the opposite of the claim is true, given a guess and what is true now.
    pub(super) fn is_true(&self, guess: Guess, prop: &dyn Fn(usize) -> bool) -> bool {
        self.is(&self.claim, guess, prop)
    }

    /// What must be true of the next state if a guess is right, as a guess that was made here.
    pub(super) fn fits(&self, guess: Guess, later: Guess, later_prop: &dyn Fn(usize) -> bool) -> bool {
        self.parts.iter().enumerate().all(|(place, part)| {
            let what = if let DrawnClaim::Next(a) = part { a } else { part };
            (guess >> place & 1 == 1) == self.is(what, later, later_prop)
        })
    }

    /// The number of promises.
    pub(super) fn promises(&self) -> usize {
        self.parts.len()
    }

    /// Whether the promise at a place is not being put off: an until that is true is fulfilled, and a release that is false.
    pub(super) fn is_kept(&self, place: usize, guess: Guess, prop: &dyn Fn(usize) -> bool) -> bool {
        let part = &self.parts[place];
        match part {
            DrawnClaim::Until(_, b) => !self.is(part, guess, prop) || self.is(b, guess, prop),
            DrawnClaim::Release(_, b) => self.is(part, guess, prop) || !self.is(b, guess, prop),
            _ => true,
        }
    }

    fn is(&self, claim: &DrawnClaim, guess: Guess, prop: &dyn Fn(usize) -> bool) -> bool {
        let will = || {
            let place = self.parts.iter().position(|part| part == claim).expect("every such part is listed");
            guess >> place & 1 == 1
        };
        match claim {
            DrawnClaim::Is(so) => *so,
            DrawnClaim::Prop(at) => prop(*at),
            DrawnClaim::Not(a) => !self.is(a, guess, prop),
            DrawnClaim::And(a, b) => self.is(a, guess, prop) && self.is(b, guess, prop),
            DrawnClaim::Or(a, b) => self.is(a, guess, prop) || self.is(b, guess, prop),
            DrawnClaim::Next(_) => will(),
            DrawnClaim::Until(a, b) => self.is(b, guess, prop) || self.is(a, guess, prop) && will(),
            DrawnClaim::Release(a, b) => self.is(b, guess, prop) && (self.is(a, guess, prop) || will()),
        }
    }
}

fn collect(claim: &DrawnClaim, parts: &mut Vec<DrawnClaim>) {
    match claim {
        DrawnClaim::Is(_) | DrawnClaim::Prop(_) => {}
        DrawnClaim::Not(a) => collect(a, parts),
        DrawnClaim::And(a, b) | DrawnClaim::Or(a, b) => {
            collect(a, parts);
            collect(b, parts);
        }
        DrawnClaim::Next(a) => {
            collect(a, parts);
            note(claim, parts);
        }
        DrawnClaim::Until(a, b) | DrawnClaim::Release(a, b) => {
            collect(a, parts);
            collect(b, parts);
            note(claim, parts);
        }
    }
}

fn note(claim: &DrawnClaim, parts: &mut Vec<DrawnClaim>) {
    if !parts.contains(claim) {
        parts.push(claim.clone());
    }
}
