//! Which components can act together, found once from action names before any state is known: the sets of components whose
//! multi-actions survive hiding, renaming, communication and allowing. A search then looks at these sets alone, and never at
//! all subsets of the components.

use super::composition::{Communication, Composition, NameBag, NameId, SortsId};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use thiserror::Error;

/// The most sets of components that are looked at.
const MOST: usize = 200_000;

/// An action as far as it is known before the search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ActionSignature {
    pub(crate) name: NameId,
    pub(crate) sorts: SortsId,
    /// For each argument the number of its value, if it has one value only.
    pub(crate) constants: Vec<Option<u32>>,
}

/// A multi-action as far as it is known before the search.
pub(crate) type MultiSignature = Vec<ActionSignature>;

/// An action of a participant: the number of the component, and the number of the action in its multi-action.
pub(crate) type ActionOrigin = (usize, usize);

/// Components that can act together: each with the number of its multi-signature, by component.
pub(crate) type Participants = Vec<(usize, usize)>;

/// Participants, and the ways in which their actions can communicate: for each, which actions must have equal arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Synchronisation {
    pub(crate) participants: Participants,
    pub(crate) matchings: Vec<Vec<(ActionOrigin, ActionOrigin)>>,
    /// What may be seen of it, by names.
    pub(crate) seen: BTreeSet<NameBag>,
}

/// Too many components can act together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "more than {MOST} sets of components could act together: put `allow` around the parallel composition, with the \
     multi-actions that may happen"
)]
pub(crate) struct TooManySets;

/// The sets of components of a composition that can act together, where `signatures` has the multi-signatures of each.
pub(crate) fn synchronisations(
    composition: &Composition,
    signatures: &[Vec<MultiSignature>],
) -> Result<Vec<Synchronisation>, TooManySets> {
    let partials = Search { signatures }.of(composition, &Context::default())?;
    let mut found: BTreeMap<Participants, Synchronisation> = BTreeMap::new();
    for partial in partials {
        let bag = partial.bag();
        let participants = partial.participants.clone();
        let empty = || Synchronisation { participants, matchings: Vec::new(), seen: BTreeSet::new() };
        let known = found.entry(partial.participants).or_insert_with(empty);
        known.seen.insert(bag);
        if !known.matchings.contains(&partial.equal) {
            known.matchings.push(partial.equal);
        }
    }
    Ok(found.into_values().collect())
}

/// What the operators around a part of the tree let through, by names.
#[derive(Clone, Debug, Default)]
struct Context {
    /// The bags that may result, with all that is contained in one; anything if there are none.
    within: Option<HashSet<NameBag>>,
    /// Names that may come on top.
    free: BTreeSet<NameId>,
    /// Names that may not occur.
    blocked: BTreeSet<NameId>,
}

impl Context {
    fn lets(&self, bag: &NameBag) -> bool {
        if bag.iter().any(|name| self.blocked.contains(name)) {
            return false;
        }
        let Some(within) = &self.within else { return true };
        let rest: NameBag = bag.iter().copied().filter(|name| !self.free.contains(name)).collect();
        within.contains(&rest)
    }

    /// The context inside `allow`.
    fn allowing(&self, bags: &BTreeSet<NameBag>) -> Context {
        let kept = bags.iter().filter(|bag| self.lets(bag));
        Context { within: Some(contained(kept.cloned())), ..Context::default() }
    }

    fn hiding(&self, names: &BTreeSet<NameId>) -> Context {
        let blocked = self.blocked.difference(names).copied().collect();
        Context { free: self.free.union(names).copied().collect(), blocked, ..self.clone() }
    }

    fn blocking(&self, names: &BTreeSet<NameId>) -> Context {
        Context { blocked: self.blocked.union(names).copied().collect(), ..self.clone() }
    }

    /// The context inside `rename`: a name may be what it is renamed to, or itself if it is not renamed.
    fn renaming(&self, names: &BTreeMap<NameId, NameId>) -> Context {
        let before = |after: NameId| -> Vec<NameId> {
            let renamed = names.iter().filter(|&(_, &to)| to == after).map(|(&from, _)| from);
            renamed.chain((!names.contains_key(&after)).then_some(after)).collect()
        };
        let within =
            self.within.as_ref().map(|bags| bags.iter().flat_map(|bag| products(bag, &before)).collect());
        let free = self.free.iter().flat_map(|&name| before(name)).collect();
        let blocked = self.blocked.iter().flat_map(|&name| before(name)).collect();
        Context { within, free, blocked }
    }

    /// The context inside `comm`: a result may also be its parts.
    fn communicating(&self, rules: &[Communication]) -> Context {
        let parts: BTreeSet<NameId> = rules.iter().flat_map(|rule| rule.parts.iter().copied()).collect();
        let within = self.within.as_ref().map(|bags| {
            // Each action is itself, or the result of one communication, whose parts are no results of another.
            let mut all: BTreeSet<NameBag> = BTreeSet::new();
            for bag in bags {
                let mut before: Vec<NameBag> = vec![NameBag::new()];
                for &name in bag {
                    let results =
                        rules.iter().filter(|rule| rule.result == name).map(|rule| rule.parts.clone());
                    let choices: Vec<NameBag> = std::iter::once(vec![name]).chain(results).collect();
                    before = (before.iter())
                        .flat_map(|bag| choices.iter().map(|choice| [&bag[..], &choice[..]].concat()))
                        .collect();
                }
                before.iter_mut().for_each(|bag| bag.sort_unstable());
                all.extend(before);
            }
            contained(all.into_iter())
        });
        // What is free outside may come from parts inside.
        let mut free = self.free.clone();
        for rule in rules.iter().filter(|rule| self.free.contains(&rule.result)) {
            free.extend(&rule.parts);
        }
        Context { within, free, blocked: self.blocked.difference(&parts).copied().collect() }
    }
}

/// All bags that are contained in one of these.
fn contained(bags: impl Iterator<Item = NameBag>) -> HashSet<NameBag> {
    let mut all = HashSet::from([NameBag::new()]);
    let mut fresh: Vec<NameBag> = bags.collect();
    while let Some(bag) = fresh.pop() {
        if !all.insert(bag.clone()) {
            continue;
        }
        for i in 0..bag.len() {
            let mut less = bag.clone();
            less.remove(i);
            fresh.push(less);
        }
    }
    all
}

/// The bags in which each name of a bag is replaced by one of its choices.
fn products(bag: &NameBag, choices: &dyn Fn(NameId) -> Vec<NameId>) -> Vec<NameBag> {
    let mut all = vec![NameBag::new()];
    for &name in bag {
        let choices = choices(name);
        all = all
            .iter()
            .flat_map(|bag| {
                choices.iter().map(move |&choice| bag.iter().copied().chain([choice]).collect::<NameBag>())
            })
            .collect();
    }
    all.iter_mut().for_each(|bag| bag.sort_unstable());
    all
}

/// An action in a multi-action that is being built.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Occurrence {
    name: NameId,
    sorts: SortsId,
    /// An action whose arguments it has.
    origin: ActionOrigin,
}

/// Some participants, and what the operators so far make of their actions.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Partial {
    participants: Participants,
    actions: Vec<Occurrence>,
    equal: Vec<(ActionOrigin, ActionOrigin)>,
}

impl Partial {
    fn bag(&self) -> NameBag {
        let mut bag: NameBag = self.actions.iter().map(|action| action.name).collect();
        bag.sort_unstable();
        bag
    }

    fn beside(&self, other: &Partial) -> Partial {
        let mut both = self.clone();
        both.participants.extend(&other.participants);
        both.participants.sort_unstable();
        both.actions.extend(other.actions.iter().cloned());
        both.equal.extend(&other.equal);
        both
    }
}

struct Search<'a> {
    signatures: &'a [Vec<MultiSignature>],
}

impl Search<'_> {
    fn of(&self, composition: &Composition, context: &Context) -> Result<Vec<Partial>, TooManySets> {
        match composition {
            Composition::Component(component) => Ok(self.component(*component, context)),
            Composition::Parallel(parts) => {
                let mut all: Vec<Partial> = Vec::new();
                for part in parts {
                    let own = self.of(part, context)?;
                    let mut joined = Vec::new();
                    for left in &all {
                        for right in &own {
                            let both = left.beside(right);
                            if context.lets(&both.bag()) {
                                joined.push(both);
                            }
                        }
                        if joined.len() + all.len() > MOST {
                            return Err(TooManySets);
                        }
                    }
                    all.extend(own);
                    all.extend(joined);
                }
                Ok(all)
            }
            Composition::Hide(names, inner) => {
                let mut partials = self.of(inner, &context.hiding(names))?;
                for partial in &mut partials {
                    partial.actions.retain(|action| !names.contains(&action.name));
                }
                Ok(partials)
            }
            Composition::Block(names, inner) => {
                let mut partials = self.of(inner, &context.blocking(names))?;
                partials.retain(|partial| !partial.actions.iter().any(|action| names.contains(&action.name)));
                Ok(partials)
            }
            Composition::Allow(bags, inner) => {
                let mut partials = self.of(inner, &context.allowing(bags))?;
                partials.retain(|partial| partial.actions.is_empty() || bags.contains(&partial.bag()));
                Ok(partials)
            }
            Composition::Rename(names, inner) => {
                let mut partials = self.of(inner, &context.renaming(names))?;
                for action in partials.iter_mut().flat_map(|partial| &mut partial.actions) {
                    action.name = *names.get(&action.name).unwrap_or(&action.name);
                }
                Ok(partials)
            }
            Composition::Communicate(rules, inner) => {
                let mut all = Vec::new();
                for partial in self.of(inner, &context.communicating(rules))? {
                    let mut found = Vec::new();
                    self.communicate(rules, &partial, &mut found);
                    all.extend(found.into_iter().filter(|partial| context.lets(&partial.bag())));
                    if all.len() > MOST {
                        return Err(TooManySets);
                    }
                }
                Ok(all)
            }
        }
    }

    fn component(&self, component: usize, context: &Context) -> Vec<Partial> {
        let of = |(number, actions): (usize, &MultiSignature)| Partial {
            participants: vec![(component, number)],
            actions: (actions.iter().enumerate())
                .map(|(i, action)| Occurrence {
                    name: action.name,
                    sorts: action.sorts,
                    origin: (component, i),
                })
                .collect(),
            equal: Vec::new(),
        };
        let all = self.signatures[component].iter().enumerate().map(of);
        all.filter(|partial| context.lets(&partial.bag())).collect()
    }

    /// All ways to communicate in some of the possible places, none of them included.
    fn communicate(&self, rules: &[Communication], partial: &Partial, found: &mut Vec<Partial>) {
        let Some((rule, later)) = rules.split_first() else {
            found.push(partial.clone());
            return;
        };
        // Results must not take part again: they wait beside the actions that this rule can still take.
        self.apply(rule, 0, partial, &mut Vec::new(), &mut |partial, results| {
            let mut inner = Vec::new();
            self.communicate(later, &partial, &mut inner);
            for mut one in inner {
                one.actions.extend(results.iter().cloned());
                found.push(one);
            }
        });
    }

    /// Applies a rule any number of times; the first action of each group comes after that of the group before.
    fn apply(
        &self,
        rule: &Communication,
        from: usize,
        partial: &Partial,
        results: &mut Vec<Occurrence>,
        found: &mut dyn FnMut(Partial, &[Occurrence]),
    ) {
        found(partial.clone(), results);
        for lead in from..partial.actions.len() {
            let mut groups = Vec::new();
            self.groups(rule, partial, &mut vec![lead], &mut groups);
            for group in groups {
                let mut rest = partial.clone();
                let lead_origin = partial.actions[lead].origin;
                for &i in &group[1..] {
                    rest.equal.push((lead_origin, partial.actions[i].origin));
                }
                let best = group.iter().map(|&i| partial.actions[i].origin);
                let origin = best.max_by_key(|&origin| self.known(partial, origin)).unwrap_or(lead_origin);
                results.push(Occurrence { name: rule.result, sorts: partial.actions[lead].sorts, origin });
                let mut gone = group.clone();
                gone.sort_unstable();
                gone.iter().rev().for_each(|&i| {
                    rest.actions.remove(i);
                });
                let before = gone.iter().filter(|&&i| i < lead).count();
                self.apply(rule, lead - before, &rest, results, found);
                results.pop();
            }
        }
    }

    /// The groups of actions for a rule that begin with these; the first has the name of the rule's first part.
    fn groups(
        &self,
        rule: &Communication,
        partial: &Partial,
        group: &mut Vec<usize>,
        found: &mut Vec<Vec<usize>>,
    ) {
        let lead = &partial.actions[group[0]];
        if lead.name != rule.parts[0] {
            return;
        }
        if group.len() == rule.parts.len() {
            found.push(group.clone());
            return;
        }
        let part = rule.parts[group.len()];
        // Among equal parts the order of the group means nothing.
        let from = match part == rule.parts[group.len() - 1] {
            true => group[group.len() - 1] + 1,
            false => 0,
        };
        for i in from..partial.actions.len() {
            let action = &partial.actions[i];
            let fits = action.name == part
                && action.sorts == lead.sorts
                && !group.contains(&i)
                && group.iter().all(|&j| self.compatible(partial, partial.actions[j].origin, action.origin));
            if fits {
                group.push(i);
                self.groups(rule, partial, group, found);
                group.pop();
            }
        }
    }

    fn signature(&self, partial: &Partial, (component, action): ActionOrigin) -> &ActionSignature {
        let number = partial.participants.iter().find(|(other, _)| *other == component).map_or(0, |p| p.1);
        &self.signatures[component][number][action]
    }

    fn known(&self, partial: &Partial, origin: ActionOrigin) -> usize {
        self.signature(partial, origin).constants.iter().flatten().count()
    }

    /// Whether two actions may have equal arguments.
    fn compatible(&self, partial: &Partial, left: ActionOrigin, right: ActionOrigin) -> bool {
        let (left, right) = (self.signature(partial, left), self.signature(partial, right));
        let differ = |(left, right): (&Option<u32>, &Option<u32>)| matches!((left, right), (Some(a), Some(b)) if a != b);
        !left.constants.iter().zip(&right.constants).any(differ)
    }
}
