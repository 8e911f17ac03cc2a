//! What the naive explorer answers about infinite runs: whether some fair run breaks a claim. Sets from which each state
//! reaches each other are found by going forwards and backwards, and asked whether a fair run stays in them.

use super::tableau::{Guess, Tableau};
use super::{ActionKind, NaiveAction, NaiveGraph};
use crate::ask::DrawnClaim;
use std::collections::{BTreeSet, HashMap};
use watchkeeper_core::{Pid, Promises};

/// How much a rule demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DemandStrength {
    /// What is possible without a break is done again and again.
    Weak,
    /// What is possible again and again is done again and again.
    Strong,
}

/// Which infinite runs count, beyond those that the world demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NaiveFairness {
    /// Every step that stays possible is taken.
    Steps,
    /// A process that can take a step keeps taking steps.
    Processes,
    /// A timer that stays armed fires.
    Timers,
    /// A message that stays deliverable is delivered, or swallowed.
    Messages,
    /// Of a kind of message that can be delivered again and again some are.
    Links,
    /// What the world owes comes, each thing by itself.
    Owed,
}

/// What a rule treats as one.
type Thing<M> = (Option<ActionKind>, Option<Pid>, Option<Pid>, Option<M>, usize);

impl NaiveFairness {
    fn strength(self) -> DemandStrength {
        if self == NaiveFairness::Links { DemandStrength::Strong } else { DemandStrength::Weak }
    }

    /// What an action is to this rule, if it is anything.
    fn thing<M: Clone>(self, action: &NaiveAction<M>) -> Option<Thing<M>> {
        let NaiveAction { sort, process, peer, entry, .. } = *action;
        let message = action.message.as_ref().map(|(msg, _)| msg.clone());
        let whole = (Some(sort), process, peer, message, entry);
        match self {
            NaiveFairness::Steps => (!sort.is_fault() && sort != ActionKind::Tick).then_some(whole),
            NaiveFairness::Processes => {
                (!sort.is_fault() && sort != ActionKind::Tick).then_some((None, process, None, None, 0))
            }
            NaiveFairness::Timers => matches!(sort, ActionKind::Fire(_)).then_some(whole),
            NaiveFairness::Messages => {
                matches!(sort, ActionKind::Deliver(_) | ActionKind::Swallow).then_some(whole)
            }
            NaiveFairness::Links => {
                matches!(sort, ActionKind::Deliver(_)).then_some((Some(sort), process, peer, None, 0))
            }
            NaiveFairness::Owed => sort.is_owed().then_some(whole),
        }
    }
}

/// One step of the product.
struct Arc {
    from: usize,
    to: usize,
    /// The demands that it meets, by number.
    takes: Vec<usize>,
    /// Whether time passes in it.
    passes: bool,
}

/// The product of a graph and the opposite of a claim.
struct FairProduct {
    arcs: Vec<Arc>,
    /// The arcs that leave each node.
    out: Vec<Vec<usize>>,
    /// The arcs that come into it.
    into: Vec<Vec<usize>>,
    /// For each node the demands that are possible there.
    possible: Vec<Vec<usize>>,
    /// For each promise and node whether it is kept there.
    kept: Vec<Vec<bool>>,
    strengths: Vec<DemandStrength>,
    timed: bool,
}

impl<P: Promises<Msg: Ord>> NaiveGraph<'_, P> {
    /// Whether a claim holds of every fair run; `None` if that is too much to find out.
    pub fn holds(&self, claim: &DrawnClaim, rules: &[NaiveFairness], truth: &[Vec<bool>]) -> Option<bool> {
        let tableau = Tableau::against(claim)?;
        let product = self.product(&tableau, rules, truth, 4000)?;
        Some(!product.has_fair_run((0..product.out.len()).collect()))
    }

    fn product(
        &self,
        tableau: &Tableau,
        rules: &[NaiveFairness],
        truth: &[Vec<bool>],
        most: usize,
    ) -> Option<FairProduct> {
        let timed = self.members[0].scenario.time != watchkeeper_world::WorldTime::Untimed;
        let rules: Vec<NaiveFairness> = rules.iter().copied().chain([NaiveFairness::Owed]).collect();
        let mut demands: HashMap<(usize, Thing<P::Msg>), usize> = HashMap::new();
        let mut strengths = Vec::new();
        let mut demanded = |action: &NaiveAction<P::Msg>| -> Vec<usize> {
            let mut found = Vec::new();
            for (at, rule) in rules.iter().enumerate() {
                if let Some(thing) = rule.thing(action) {
                    found.push(*demands.entry((at, thing)).or_insert_with(|| {
                        strengths.push(rule.strength());
                        strengths.len() - 1
                    }));
                }
            }
            found
        };
        // What leaves each state: where to, what it does, and whether time passes.
        let mut moves: Vec<Vec<(usize, Vec<usize>, bool)>> = Vec::new();
        for at in 0..self.states.len() {
            let steps = self.steps[at].iter();
            let mut list: Vec<_> =
                steps.map(|(action, to)| (*to, demanded(action), action.sort == ActionKind::Tick)).collect();
            // Where nothing but faults can happen a run may rest, unless something is due there.
            let held_up = timed && !self.is_over(at) && self.member(at).ticked(&self.states[at]).is_none();
            if self.idle[at] || self.is_stuck(at) && !held_up {
                list.push((at, Vec::new(), true));
            }
            moves.push(list);
        }
        let mut product = FairProduct {
            arcs: Vec::new(),
            out: Vec::new(),
            into: Vec::new(),
            possible: Vec::new(),
            kept: vec![Vec::new(); tableau.promises()],
            strengths,
            timed,
        };
        let mut nodes: Vec<(usize, Guess)> = Vec::new();
        let mut known: HashMap<(usize, Guess), usize> = HashMap::new();
        let mut add = |product: &mut FairProduct, nodes: &mut Vec<(usize, Guess)>, node: (usize, Guess)| {
            *known.entry(node).or_insert_with(|| {
                let (at, guess) = node;
                let prop = |prop: usize| truth[prop][at];
                nodes.push(node);
                product.out.push(Vec::new());
                product.into.push(Vec::new());
                let possible: BTreeSet<usize> =
                    moves[at].iter().flat_map(|(_, takes, _)| takes.iter().copied()).collect();
                product.possible.push(possible.into_iter().collect());
                for (place, kept) in product.kept.iter_mut().enumerate() {
                    kept.push(tableau.is_kept(place, guess, &prop));
                }
                nodes.len() - 1
            })
        };
        for start in (0..self.states.len()).take(self.starts) {
            for guess in tableau.guesses().filter(|&guess| tableau.is_true(guess, &|prop| truth[prop][start]))
            {
                add(&mut product, &mut nodes, (start, guess));
            }
        }
        let mut from = 0;
        while from < nodes.len() {
            if nodes.len() > most {
                return None;
            }
            let (at, guess) = nodes[from];
            for (to, takes, passes) in &moves[at] {
                for later in tableau.guesses() {
                    if tableau.fits(guess, later, &|prop| truth[prop][*to]) {
                        let to = add(&mut product, &mut nodes, (*to, later));
                        let arc = product.arcs.len();
                        product.arcs.push(Arc { from, to, takes: takes.clone(), passes: *passes });
                        product.out[from].push(arc);
                        product.into[to].push(arc);
                    }
                }
            }
            from += 1;
        }
        Some(product)
    }
}

impl FairProduct {
    /// Whether a fair run stays in a set for ever.
    fn has_fair_run(&self, set: BTreeSet<usize>) -> bool {
        let mut rest = set;
        loop {
            self.trim(&mut rest);
            let Some(&first) = rest.first() else { return false };
            let forwards = self.reach(&rest, first, &|arc| (arc.from, arc.to), &self.out);
            let backwards = self.reach(&rest, first, &|arc| (arc.to, arc.from), &self.into);
            let part: BTreeSet<usize> = forwards.intersection(&backwards).copied().collect();
            if self.is_fair(&part) {
                return true;
            }
            rest = rest.difference(&part).copied().collect();
        }
    }

    /// Takes away what cannot be on a way that goes on for ever and comes from for ever.
    fn trim(&self, set: &mut BTreeSet<usize>) {
        loop {
            let goes = |node: &usize, arcs: &[Vec<usize>], end: &dyn Fn(&Arc) -> usize| {
                arcs[*node].iter().any(|&arc| set.contains(&end(&self.arcs[arc])))
            };
            let dead: Vec<usize> = set
                .iter()
                .copied()
                .filter(|node| {
                    !goes(node, &self.out, &|arc| arc.to) || !goes(node, &self.into, &|arc| arc.from)
                })
                .collect();
            if dead.is_empty() {
                return;
            }
            set.retain(|node| !dead.contains(node));
        }
    }

    fn reach(
        &self,
        set: &BTreeSet<usize>,
        first: usize,
        ends: &dyn Fn(&Arc) -> (usize, usize),
        arcs: &[Vec<usize>],
    ) -> BTreeSet<usize> {
        let (mut found, mut new) = (BTreeSet::from([first]), vec![first]);
        while let Some(node) = new.pop() {
            for &arc in &arcs[node] {
                let (_, to) = ends(&self.arcs[arc]);
                if set.contains(&to) && found.insert(to) {
                    new.push(to);
                }
            }
        }
        found
    }

    /// Whether a fair run stays in a set in which every node reaches every other.
    fn is_fair(&self, part: &BTreeSet<usize>) -> bool {
        let inside = |arc: &&Arc| part.contains(&arc.from) && part.contains(&arc.to);
        let arcs: Vec<&Arc> = self.arcs.iter().filter(inside).collect();
        let promised = self.kept.iter().all(|kept| part.iter().any(|&node| kept[node]));
        let passes = !self.timed || arcs.iter().any(|arc| arc.passes);
        if arcs.is_empty() || !promised || !passes {
            return false;
        }
        let mut without = part.clone();
        for (demand, strength) in self.strengths.iter().enumerate() {
            let possible = |node: &usize| self.possible[*node].contains(&demand);
            if arcs.iter().any(|arc| arc.takes.contains(&demand)) || !part.iter().any(possible) {
                continue;
            }
            match strength {
                DemandStrength::Weak if part.iter().all(possible) => return false,
                DemandStrength::Weak => {}
                DemandStrength::Strong => without.retain(|node| !possible(node)),
            }
        }
        // Where a strong demand is not met, a run may still stay where it does not apply.
        without.len() == part.len() || self.has_fair_run(without)
    }
}
