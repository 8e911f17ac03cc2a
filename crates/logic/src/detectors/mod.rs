//! The properties by which Chandra and Toueg sort failure detectors (Unreliable failure detectors for reliable
//! distributed systems, JACM 43(2), 1996, section 2), as claims about runs of anything that has a suspect set.
//!
//! Four things must be known to read them. A process that crashes stays crashed, so that "crashes" in the paper is
//! `F crashed`, "correct" is `G !crashed`, and after the last crash of a run the two are `crashed` and `!crashed`
//! in every state; where processes recover, the claims are about who is down at the moment, which the paper does
//! not speak of. Only processes that have not crashed hold suspicions: what a crashed process last thought counts
//! for nothing. Nobody is asked whether it suspects itself. And the paper looks only at runs in which some process
//! is correct, so that claims that need one do not speak of runs in which everyone crashes in the end.

mod class;
#[cfg(test)]
mod tests;

pub use class::{Accuracy, DetectorClass};
pub use watchkeeper_core::Completeness;

use crate::{Formula, TemporalProperty};
use watchkeeper_space::AtomId;

/// Who suspects whom and who has crashed, as formulas about one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspicions {
    /// For each observer, for each subject.
    suspects: Vec<Vec<Formula>>,
    crashed: Vec<Formula>,
}

impl Suspicions {
    /// A detector of `n` processes: `suspects(q, p)` is the atom that q suspects p, asked for different processes
    /// only, and `crashed(p)` the atom that p has crashed.
    pub fn new(
        n: usize,
        suspects: impl Fn(usize, usize) -> AtomId,
        crashed: impl Fn(usize) -> AtomId,
    ) -> Suspicions {
        Suspicions::from_formulas(n, |q, p| Formula::atom(suspects(q, p)), |p| Formula::atom(crashed(p)))
    }

    /// The same where not everything is an atom: `false` for a process that cannot crash, or that never looks at
    /// the other.
    pub fn from_formulas(
        n: usize,
        suspects: impl Fn(usize, usize) -> Formula,
        crashed: impl Fn(usize) -> Formula,
    ) -> Suspicions {
        let row = |q: usize| {
            let entry = |p: usize| if p == q { Formula::False } else { suspects(q, p) };
            (0..n).map(entry).collect()
        };
        Suspicions { suspects: (0..n).map(row).collect(), crashed: (0..n).map(&crashed).collect() }
    }

    /// What processes that have crashed are owed by those that have not. The premise is that somebody crashes.
    pub fn completeness(&self, completeness: Completeness) -> TemporalProperty {
        let formula = match completeness {
            Completeness::Strong => self.strong_completeness(),
            Completeness::Weak => self.weak_completeness(),
        };
        let somebody = Formula::any(self.crashed.iter().cloned());
        TemporalProperty::new(completeness.name(), formula).supposing(somebody.eventually())
    }

    /// What processes that have not crashed are owed by each other.
    pub fn accuracy(&self, accuracy: Accuracy) -> TemporalProperty {
        let formula = match accuracy {
            Accuracy::Strong => self.nobody_is_wronged().always(),
            Accuracy::EventualStrong => self.nobody_is_wronged().always().eventually(),
            Accuracy::Weak => self.for_some_correct(|p| self.is_trusted(p).always()),
            Accuracy::EventualWeak => self.for_some_correct(|p| self.is_trusted(p).always().eventually()),
        };
        TemporalProperty::new(accuracy.name(), formula)
    }

    /// Ω of Chandra, Hadzilacos and Toueg (JACM 43(4), 1996), where the leader of a process is the smallest one
    /// that it does not suspect, itself counted: there is a correct process that from some time on is the leader
    /// of every process that has not crashed. The same process must stay the leader, so this is a disjunction of
    /// `F G`, not `F G` of a disjunction.
    pub fn leadership(&self) -> TemporalProperty {
        let formula = self.for_some_correct(|p| {
            let follow = |q: usize| self.crashed[q].clone().or(self.leads(p, q));
            let all = Formula::all((0..self.count()).filter(|&q| q != p).map(follow));
            self.alive(p).and(self.leads(p, p)).and(all).always().eventually()
        });
        TemporalProperty::new("leadership", formula)
    }

    /// All that a class asks.
    pub fn class(&self, class: DetectorClass) -> Vec<TemporalProperty> {
        match class.needs() {
            Some((completeness, accuracy)) => {
                vec![self.completeness(completeness), self.accuracy(accuracy)]
            }
            None => vec![self.leadership()],
        }
    }

    fn count(&self) -> usize {
        self.crashed.len()
    }

    fn alive(&self, p: usize) -> Formula {
        self.crashed[p].clone().not()
    }

    fn everyone_crashed(&self) -> Formula {
        Formula::all(self.crashed.iter().cloned())
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.count();
        (0..n).flat_map(move |p| (0..n).filter(move |&q| q != p).map(move |q| (p, q)))
    }

    /// From some time on every process that crashes is suspected for ever by every correct one. There are finitely
    /// many pairs, so one time will do for all.
    fn strong_completeness(&self) -> Formula {
        let seen = |(p, q): (usize, usize)| {
            self.crashed[p].clone().and(self.alive(q)).implies(self.suspects[q][p].clone())
        };
        Formula::all(self.pairs().map(seen)).always().eventually()
    }

    /// From some time on every process that crashes is suspected for ever by some correct one, which must not
    /// change: for each p a disjunction of `F G` over the observers. If p never crashes, any q will do.
    fn weak_completeness(&self) -> Formula {
        if self.count() < 2 {
            return Formula::True;
        }
        Formula::all((0..self.count()).map(|p| {
            self.for_some_other(p, |q| {
                let seen = self.alive(q).and(self.suspects[q][p].clone());
                self.crashed[p].clone().implies(seen).always().eventually()
            })
        }))
    }

    /// No process is suspected before it crashes. In the end, those that have not crashed are the correct ones, so
    /// that eventual strong accuracy is this from some time on.
    fn nobody_is_wronged(&self) -> Formula {
        let right = |(p, q): (usize, usize)| {
            self.suspects[q][p].clone().and(self.alive(q)).implies(self.crashed[p].clone())
        };
        Formula::all(self.pairs().map(right))
    }

    /// The process has not crashed, and nobody who has not crashed suspects it.
    fn is_trusted(&self, p: usize) -> Formula {
        let right = |q: usize| self.suspects[q][p].clone().implies(self.crashed[q].clone());
        let others = (0..self.count()).filter(|&q| q != p);
        self.alive(p).and(Formula::all(others.map(right)))
    }

    /// The process p is the smallest that q does not suspect, where q does not suspect itself.
    fn leads(&self, p: usize, q: usize) -> Formula {
        if q < p {
            return Formula::False;
        }
        let smaller = (0..p).map(|r| self.suspects[q][r].clone());
        let own = if q == p { Formula::True } else { self.suspects[q][p].clone().not() };
        Formula::all(smaller.chain([own]))
    }

    /// The claim for one of the processes, or everyone crashes.
    fn for_some_correct(&self, claim: impl Fn(usize) -> Formula) -> Formula {
        self.or_nobody_is_left((0..self.count()).map(claim))
    }

    /// The claim for one of the processes but p, or everyone crashes.
    fn for_some_other(&self, p: usize, claim: impl Fn(usize) -> Formula) -> Formula {
        self.or_nobody_is_left((0..self.count()).filter(|&q| q != p).map(claim))
    }

    fn or_nobody_is_left(&self, claims: impl Iterator<Item = Formula>) -> Formula {
        let everyone = self.everyone_crashed();
        let nobody_left = if everyone == Formula::False { everyone } else { everyone.always().eventually() };
        Formula::any(claims).or(nobody_left)
    }
}
