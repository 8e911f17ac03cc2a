//! How the parallel components of a specification are put together: a tree of operators on multi-actions over components.
//! Actions are names with argument tuples here; what the arguments are is not this module's business.

use std::collections::{BTreeMap, BTreeSet};

/// The number of an action name.
pub(crate) type NameId = u32;

/// The number of a tuple of parameter sorts. One name may have several.
pub(crate) type SortsId = u32;

/// Names, sorted; a name may occur more than once.
pub(crate) type NameBag = Vec<NameId>;

/// One communication: these actions, with equal arguments, become one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Communication {
    pub(crate) parts: NameBag,
    pub(crate) result: NameId,
}

/// A tree of operators; its leaves are components.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Composition {
    Component(usize),
    Parallel(Vec<Composition>),
    Hide(BTreeSet<NameId>, Box<Composition>),
    Block(BTreeSet<NameId>, Box<Composition>),
    Allow(BTreeSet<NameBag>, Box<Composition>),
    Rename(BTreeMap<NameId, NameId>, Box<Composition>),
    Communicate(Vec<Communication>, Box<Composition>),
}

/// An action that happens, with its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Happening<A> {
    pub(crate) name: NameId,
    pub(crate) sorts: SortsId,
    pub(crate) arguments: A,
}

impl Composition {
    /// What an observer sees when each component does what `does` says, if it does anything, and all of it happens at once;
    /// `None` if the operators do not let it happen.
    pub(crate) fn outcome<A: Clone + PartialEq>(
        &self,
        does: &dyn Fn(usize) -> Option<Vec<Happening<A>>>,
    ) -> Option<Vec<Happening<A>>> {
        match self {
            Composition::Component(component) => Some(does(*component).unwrap_or_default()),
            Composition::Parallel(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.outcome(does)?);
                }
                Some(all)
            }
            Composition::Hide(names, inner) => {
                let mut seen = inner.outcome(does)?;
                seen.retain(|action| !names.contains(&action.name));
                Some(seen)
            }
            Composition::Block(names, inner) => {
                let seen = inner.outcome(does)?;
                (!seen.iter().any(|action| names.contains(&action.name))).then_some(seen)
            }
            Composition::Allow(bags, inner) => {
                let seen = inner.outcome(does)?;
                (seen.is_empty() || bags.contains(&bag_of(&seen))).then_some(seen)
            }
            Composition::Rename(names, inner) => {
                let mut seen = inner.outcome(does)?;
                for action in &mut seen {
                    action.name = *names.get(&action.name).unwrap_or(&action.name);
                }
                Some(seen)
            }
            Composition::Communicate(rules, inner) => {
                let mut rest = inner.outcome(does)?;
                let mut seen = Vec::new();
                for rule in rules {
                    while let Some(action) = communicated(rule, &mut rest) {
                        seen.push(action);
                    }
                }
                seen.append(&mut rest);
                Some(seen)
            }
        }
    }
}

/// The names of some actions.
pub(crate) fn bag_of<A>(actions: &[Happening<A>]) -> NameBag {
    let mut bag: NameBag = actions.iter().map(|action| action.name).collect();
    bag.sort_unstable();
    bag
}

/// Takes the parts of one communication out of these actions, if they are there with equal arguments.
fn communicated<A: Clone + PartialEq>(
    rule: &Communication,
    rest: &mut Vec<Happening<A>>,
) -> Option<Happening<A>> {
    let first = *rule.parts.first()?;
    for lead in (0..rest.len()).filter(|&i| rest[i].name == first) {
        let mut taken = vec![lead];
        for &part in &rule.parts[1..] {
            let same = |i: &usize| {
                rest[*i].name == part
                    && rest[*i].sorts == rest[lead].sorts
                    && rest[*i].arguments == rest[lead].arguments
                    && !taken.contains(i)
            };
            match (0..rest.len()).find(same) {
                Some(i) => taken.push(i),
                None => break,
            }
        }
        if taken.len() == rule.parts.len() {
            let Happening { sorts, arguments, .. } = rest[lead].clone();
            taken.sort_unstable();
            taken.iter().rev().for_each(|&i| {
                rest.remove(i);
            });
            return Some(Happening { name: rule.result, sorts, arguments });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(name: NameId, argument: u32) -> Happening<u32> {
        Happening { name, sorts: 0, arguments: argument }
    }

    fn pair(operator: impl Fn(Box<Composition>) -> Composition) -> Composition {
        operator(Box::new(Composition::Parallel(vec![Composition::Component(0), Composition::Component(1)])))
    }

    fn both(tree: &Composition, left: Happening<u32>, right: Happening<u32>) -> Option<Vec<Happening<u32>>> {
        tree.outcome(&|component| Some(vec![if component == 0 { left.clone() } else { right.clone() }]))
    }

    #[test]
    fn equal_arguments_communicate_and_others_stay_apart() {
        let rules = vec![Communication { parts: vec![1, 2], result: 3 }];
        let tree = pair(|inner| Composition::Communicate(rules.clone(), inner));
        assert_eq!(both(&tree, action(1, 7), action(2, 7)), Some(vec![action(3, 7)]));
        assert_eq!(both(&tree, action(1, 7), action(2, 8)), Some(vec![action(1, 7), action(2, 8)]));
        let twice = vec![Communication { parts: vec![1, 1], result: 3 }];
        let tree = pair(|inner| Composition::Communicate(twice.clone(), inner));
        assert_eq!(both(&tree, action(1, 7), action(1, 7)), Some(vec![action(3, 7)]));
    }

    #[test]
    fn allow_names_whole_multi_actions_and_always_lets_tau_pass() {
        let tree = pair(|inner| Composition::Allow(BTreeSet::from([vec![1, 2]]), inner));
        assert!(both(&tree, action(2, 7), action(1, 8)).is_some());
        assert_eq!(both(&tree, action(1, 7), action(1, 8)), None);
        assert_eq!(tree.outcome::<u32>(&|_| None), Some(vec![]));
    }
}
