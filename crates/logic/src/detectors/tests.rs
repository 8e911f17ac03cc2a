//! The claims about detectors against the definitions of the paper, word by word, on random histories. Nothing here
//! may be worked out from the formulas that are tested.

use super::*;
use crate::random::Random;
use crate::{Automaton, Shortcut, holds_on_lasso, shortcuts};

/// A failure pattern and a history on a lasso, as the paper has them: for each time who has crashed, and whom each
/// process suspects. Crashes are permanent.
struct History {
    n: usize,
    loops_to: usize,
    crashed: Vec<Vec<bool>>,
    suspects: Vec<Vec<Vec<bool>>>,
}

impl History {
    fn random(random: &mut Random) -> History {
        let n = 1 + random.below(4) as usize;
        let len = 1 + random.below(4) as usize;
        let loops_to = random.below(len as u64) as usize;
        // Crashes stop before the loop is closed.
        let fall: Vec<u64> = (0..n)
            .map(|_| if random.below(2) == 0 { u64::MAX } else { random.below(1 + loops_to as u64) })
            .collect();
        let crashed: Vec<Vec<bool>> =
            (0..len as u64).map(|t| fall.iter().map(|&when| when <= t).collect()).collect();
        // Mostly right suspicions, or nothing would ever hold; crashed observers think anything.
        let mistakes = 1 + random.below(12);
        let mut sight = |p: &bool| if random.below(12) < mistakes / 2 { !*p } else { *p };
        let suspects = crashed.iter().map(|now| {
            let row = |q: usize| -> Vec<bool> {
                now.iter().enumerate().map(|(p, down)| sight(down) && p != q).collect()
            };
            (0..n).map(row).collect()
        });
        let suspects = suspects.collect();
        History { n, loops_to, crashed, suspects }
    }

    fn times(&self) -> std::ops::Range<usize> {
        0..self.crashed.len()
    }

    /// All times after some time: those on the loop.
    fn end(&self) -> std::ops::Range<usize> {
        self.loops_to..self.crashed.len()
    }

    fn correct(&self, p: usize) -> bool {
        self.times().all(|t| !self.crashed[t][p])
    }

    fn says(&self, claim: &TemporalProperty) -> bool {
        let n = self.n;
        let atom = |t: usize, id: AtomId| match id.checked_sub(n) {
            None => self.crashed[t][id],
            Some(pair) => self.suspects[t][pair / n][pair % n],
        };
        holds_on_lasso(&claim.formula, self.crashed.len(), self.loops_to, &atom)
    }

    /// The definitions of the paper, word by word.
    fn complete(&self, completeness: Completeness) -> bool {
        let seen = |p: usize, q: usize| self.end().all(|t| self.suspects[t][q][p]);
        let (correct, faulty): (Vec<usize>, Vec<usize>) = (0..self.n).partition(|&p| self.correct(p));
        match completeness {
            Completeness::Strong => faulty.iter().all(|&p| correct.iter().all(|&q| seen(p, q))),
            Completeness::Weak => faulty.iter().all(|&p| correct.iter().any(|&q| seen(p, q))),
        }
    }

    fn accurate(&self, accuracy: Accuracy) -> bool {
        let up = |t: usize| (0..self.n).filter(move |&p| !self.crashed[t][p]);
        let correct = || (0..self.n).filter(|&p| self.correct(p));
        match accuracy {
            Accuracy::Strong => self.times().all(|t| up(t).all(|p| up(t).all(|q| !self.suspects[t][q][p]))),
            Accuracy::Weak => correct().any(|p| self.times().all(|t| up(t).all(|q| !self.suspects[t][q][p]))),
            Accuracy::EventualStrong => {
                self.end().all(|t| correct().all(|p| correct().all(|q| !self.suspects[t][q][p])))
            }
            Accuracy::EventualWeak => {
                correct().any(|p| self.end().all(|t| correct().all(|q| !self.suspects[t][q][p])))
            }
        }
    }

    fn elects(&self) -> bool {
        let leader = |t: usize, q: usize| (0..self.n).find(|&r| r == q || !self.suspects[t][q][r]);
        let correct = || (0..self.n).filter(|&p| self.correct(p));
        correct().any(|p| self.end().all(|t| correct().all(|q| leader(t, q) == Some(p))))
    }
}

fn suspicions(n: usize) -> Suspicions {
    Suspicions::new(n, |q, p| n + q * n + p, |p| p)
}

#[test]
fn claims_say_what_the_definitions_say() {
    let mut random = Random::new(11);
    let mut seen = std::collections::BTreeMap::new();
    let mut runs = 0;
    while runs < 4_000 {
        let history = History::random(&mut random);
        if !(0..history.n).any(|p| history.correct(p)) {
            // The paper does not speak of these, and the claims hold of them.
            for class in DetectorClass::ALL {
                let wrong =
                    |claim: &TemporalProperty| claim.name != "strong accuracy" && !history.says(claim);
                assert!(!suspicions(history.n).class(class).iter().any(wrong), "{class}");
            }
            continue;
        }
        runs += 1;
        let detector = suspicions(history.n);
        let mut compare = |claim: TemporalProperty, expected: bool| {
            assert_eq!(history.says(&claim), expected, "{}", claim.name);
            *seen.entry((claim.name, expected)).or_insert(0) += 1;
        };
        for completeness in Completeness::ALL {
            compare(detector.completeness(completeness), history.complete(completeness));
        }
        for accuracy in Accuracy::ALL {
            compare(detector.accuracy(accuracy), history.accurate(accuracy));
        }
        compare(detector.leadership(), history.elects());
        let is = |class: DetectorClass| detector.class(class).iter().all(|claim| history.says(claim));
        for one in DetectorClass::ALL {
            for other in DetectorClass::ALL {
                assert!(!(one.implies(other) && is(one) && !is(other)), "{one} implies {other}");
            }
        }
    }
    assert_eq!(seen.len(), 14, "each property both holds and fails: {seen:?}");
    assert!(seen.values().all(|&count| count > 100), "and not by a hair: {seen:?}");
}

/// What the order leaves out is not true: there is a run of the one class that is none of the other.
#[test]
fn the_order_of_the_classes_is_exact() {
    let mut random = Random::new(12);
    let mut refuted = std::collections::BTreeSet::new();
    for _ in 0..4_000 {
        let history = History::random(&mut random);
        let detector = suspicions(history.n);
        let is =
            DetectorClass::ALL.map(|class| detector.class(class).iter().all(|claim| history.says(claim)));
        for (one, held) in DetectorClass::ALL.into_iter().zip(is) {
            let others = DetectorClass::ALL.into_iter().zip(is).filter(|(_, other)| held && !other);
            refuted.extend(others.map(|(other, _)| (one, other)));
        }
    }
    for one in DetectorClass::ALL {
        for other in DetectorClass::ALL {
            assert_ne!(one.implies(other), refuted.contains(&(one, other)), "{one} and {other}");
        }
    }
}

/// The states of the automata that look for a run that refutes the claim, one for each of its conjuncts.
#[test]
fn claims_have_small_automata() {
    let sizes = |claim: TemporalProperty| -> Vec<usize> {
        let refute = |part: Shortcut| Automaton::of(&part.formula().not()).unwrap().states.len();
        shortcuts(&claim.formula).into_iter().map(refute).collect()
    };
    for (n, weak_completeness, weak_accuracy, eventual_weak_accuracy) in
        [(2, [3].repeat(2), 10, 5), (3, [5].repeat(3), 28, 16), (4, [9].repeat(4), 82, 32)]
    {
        let detector = suspicions(n);
        assert_eq!(sizes(detector.completeness(Completeness::Strong)), [2]);
        assert_eq!(sizes(detector.completeness(Completeness::Weak)), weak_completeness);
        assert_eq!(sizes(detector.accuracy(Accuracy::Strong)), [3]);
        assert_eq!(sizes(detector.accuracy(Accuracy::EventualStrong)), [2]);
        assert_eq!(sizes(detector.accuracy(Accuracy::Weak)), [weak_accuracy]);
        assert_eq!(sizes(detector.accuracy(Accuracy::EventualWeak)), [eventual_weak_accuracy]);
    }
}

#[test]
fn names_are_those_of_the_literature() {
    let names: Vec<String> = DetectorClass::ALL.iter().map(DetectorClass::to_string).collect();
    assert_eq!(names.join(" "), "P S ◇P ◇S Q W ◇Q ◇W Ω");
    let claim = suspicions(2).completeness(Completeness::Strong);
    assert_eq!(claim.name, "strong completeness");
    let atoms = ["crashed(p0)", "crashed(p1)", "", "suspects(p0,p1)", "suspects(p1,p0)"];
    assert_eq!(
        claim.formula.text(&|id| atoms[id].to_string()),
        "F G ((crashed(p0) & !crashed(p1) -> suspects(p1,p0)) & (crashed(p1) & !crashed(p0) -> suspects(p0,p1)))"
    );
    assert_eq!(claim.premise.unwrap().text(&|id| atoms[id].to_string()), "F (crashed(p0) | crashed(p1))");
}
