//! A labelled transition system as rows of numbers: states and labels are numbered, and the transitions of a state stand side by
//! side. It says nothing of what a state is; who needs that keeps it elsewhere, by the number.

use crate::labels::{LabelTable, TAU};

/// A transition of a state: its label and the state that it leads to, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LtsEdge {
    /// The number of the label; 0 is the internal step.
    pub label: u32,
    /// The state after it.
    pub to: u32,
}

/// A labelled transition system with one initial state. The transitions of a state are sorted, and each is there once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lts {
    initial: u32,
    labels: LabelTable,
    /// Where the transitions of each state begin, and where the last ones end.
    starts: Vec<usize>,
    edges: Vec<LtsEdge>,
}

impl Lts {
    /// A system with these transitions, from state to state. There are so many states; the initial one is among them.
    ///
    /// # Panics
    /// If a number is not below that of the states or of the labels.
    pub fn new(
        initial: u32,
        states: usize,
        labels: LabelTable,
        transitions: impl IntoIterator<Item = (u32, LtsEdge)>,
    ) -> Lts {
        let transitions: Vec<(u32, LtsEdge)> = transitions.into_iter().collect();
        let mut starts = vec![0usize; states + 1];
        transitions.iter().for_each(|(from, _)| starts[*from as usize + 1] += 1);
        (0..states).for_each(|state| starts[state + 1] += starts[state]);
        let mut edges = vec![LtsEdge { label: 0, to: 0 }; transitions.len()];
        let mut next = starts.clone();
        for (from, edge) in transitions {
            edges[next[from as usize]] = edge;
            next[from as usize] += 1;
        }
        drop(next);
        Lts::of_rows(initial, labels, starts, edges)
    }

    /// A system of rows that are not sorted yet: where the transitions of each state begin, with one end more, and the
    /// transitions.
    pub(crate) fn of_rows(
        initial: u32,
        labels: LabelTable,
        mut starts: Vec<usize>,
        mut edges: Vec<LtsEdge>,
    ) -> Lts {
        let states = starts.len() - 1;
        assert!((initial as usize) < states, "the initial state is one of the states");
        assert!(edges.iter().all(|edge| (edge.to as usize) < states && (edge.label as usize) < labels.len()));
        let (mut kept, mut begin) = (0, 0);
        for state in 0..states {
            let end = starts[state + 1];
            edges[begin..end].sort_unstable();
            let first = kept;
            for at in begin..end {
                if kept == first || edges[kept - 1] != edges[at] {
                    edges[kept] = edges[at];
                    kept += 1;
                }
            }
            (starts[state], begin) = (first, end);
        }
        starts[states] = kept;
        edges.truncate(kept);
        edges.shrink_to_fit();
        Lts { initial, labels, starts, edges }
    }

    /// The initial state.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of transitions; parallel ones with the same label count once.
    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    /// The labels.
    pub fn labels(&self) -> &LabelTable {
        &self.labels
    }

    /// The transitions of a state.
    #[inline]
    pub fn of(&self, state: u32) -> &[LtsEdge] {
        &self.edges[self.starts[state as usize]..self.starts[state as usize + 1]]
    }

    /// The transitions of a state with one label.
    pub fn with(&self, state: u32, label: u32) -> &[LtsEdge] {
        let row = self.of(state);
        let first = row.partition_point(|edge| edge.label < label);
        let end = row.partition_point(|edge| edge.label <= label);
        &row[first..end]
    }

    /// The states that the internal steps of a state lead to.
    pub fn silently(&self, state: u32) -> &[LtsEdge] {
        let row = self.of(state);
        &row[..row.partition_point(|edge| edge.label == TAU)]
    }

    /// All transitions, state by state.
    pub fn all(&self) -> impl Iterator<Item = (u32, LtsEdge)> {
        (0..self.states() as u32).flat_map(|state| self.of(state).iter().map(move |&edge| (state, edge)))
    }

    /// The number of states without transitions.
    pub fn deadlocks(&self) -> usize {
        self.starts.windows(2).filter(|pair| pair[0] == pair[1]).count()
    }

    /// The number of labels that some transition has, the internal step among them.
    pub fn labels_used(&self) -> usize {
        let mut used = vec![false; self.labels.len()];
        self.edges.iter().for_each(|edge| used[edge.label as usize] = true);
        used.into_iter().filter(|&used| used).count()
    }

    /// The system with other labels in the place of these.
    #[must_use]
    pub fn relabelled(self, labels: LabelTable, number: &[u32]) -> Lts {
        let Lts { initial, starts, mut edges, .. } = self;
        edges.iter_mut().for_each(|edge| edge.label = number[edge.label as usize]);
        Lts::of_rows(initial, labels, starts, edges)
    }

    /// The states that can be reached, numbered breadth-first from the initial one, which is 0.
    #[must_use]
    pub fn reachable(&self) -> Lts {
        let mut number = vec![u32::MAX; self.states()];
        let mut order = vec![self.initial];
        number[self.initial as usize] = 0;
        let (mut starts, mut edges, mut next) = (vec![0], Vec::with_capacity(self.edges.len()), 0);
        while next < order.len() {
            for edge in self.of(order[next]) {
                let to = &mut number[edge.to as usize];
                if *to == u32::MAX {
                    *to = order.len() as u32;
                    order.push(edge.to);
                }
                edges.push(LtsEdge { to: *to, ..*edge });
            }
            starts.push(edges.len());
            next += 1;
        }
        Lts::of_rows(0, self.labels.clone(), starts, edges)
    }

    /// Whether every state can be reached, and the numbers are those of [`Lts::reachable`].
    pub fn is_numbered_breadth_first(&self) -> bool {
        let mut seen = 1;
        for state in 0..self.states() as u32 {
            if state >= seen {
                return false;
            }
            for edge in self.of(state) {
                if edge.to > seen {
                    return false;
                }
                seen += u32::from(edge.to == seen);
            }
        }
        self.initial == 0 && seen as usize == self.states()
    }

    /// This system and another one side by side, with the labels of both, and the other's initial state in it. The initial
    /// state stays this one's.
    pub(crate) fn beside(&self, other: &Lts) -> (Lts, u32) {
        let mut labels = self.labels.clone();
        let number: Vec<u32> = other.labels.iter().map(|text| labels.number(text)).collect();
        let shift = self.states() as u32;
        let mut starts = self.starts.clone();
        starts.extend(other.starts[1..].iter().map(|end| self.edges.len() + end));
        let mut edges = self.edges.clone();
        edges.extend(
            other
                .edges
                .iter()
                .map(|edge| LtsEdge { label: number[edge.label as usize], to: edge.to + shift }),
        );
        (Lts::of_rows(self.initial, labels, starts, edges), other.initial + shift)
    }

    /// For each state the states with a transition to it, of those transitions that are wanted; with every transition once.
    pub(crate) fn sources(&self, wanted: impl Fn(LtsEdge) -> bool) -> Sources {
        let mut starts = vec![0usize; self.states() + 1];
        let edges = || self.edges.iter().filter(|edge| wanted(**edge));
        edges().for_each(|edge| starts[edge.to as usize] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut from = vec![0u32; sum];
        for state in (0..self.states() as u32).rev() {
            for edge in self.of(state).iter().filter(|edge| wanted(**edge)) {
                let place = &mut starts[edge.to as usize];
                *place -= 1;
                from[*place] = state;
            }
        }
        Sources { starts, from }
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.edges) + self.labels.bytes()
    }
}

/// The transitions the other way round, without their labels.
pub(crate) struct Sources {
    starts: Vec<usize>,
    from: Vec<u32>,
}

impl Sources {
    /// The states with a transition to this one.
    #[inline]
    pub fn of(&self, state: u32) -> &[u32] {
        &self.from[self.starts[state as usize]..self.starts[state as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lts(initial: u32, states: usize, transitions: &[(u32, &str, u32)]) -> Lts {
        let mut labels = LabelTable::new();
        let transitions: Vec<(u32, LtsEdge)> = transitions
            .iter()
            .map(|&(from, label, to)| (from, LtsEdge { label: labels.number(label), to }))
            .collect();
        Lts::new(initial, states, labels, transitions)
    }

    #[test]
    fn parallel_transitions_with_one_label_count_once() {
        let lts = lts(0, 2, &[(0, "a", 1), (0, "b", 1), (0, "a", 1), (0, "a", 0)]);
        assert_eq!((lts.states(), lts.transitions(), lts.deadlocks()), (2, 3, 1));
        let a = lts.labels().find("a").expect("a label");
        assert_eq!(lts.with(0, a).iter().map(|edge| edge.to).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(lts.silently(0), []);
    }

    #[test]
    fn states_are_numbered_from_the_initial_one() {
        let given = lts(2, 4, &[(2, "a", 3), (3, "b", 2), (0, "c", 2), (2, "tau", 2)]);
        let reached = given.reachable();
        assert_eq!((reached.initial(), reached.states(), reached.transitions()), (0, 2, 3));
        assert!(reached.is_numbered_breadth_first() && !given.is_numbered_breadth_first());
        assert_eq!(reached.reachable(), reached);
    }

    #[test]
    fn sources_turn_transitions_round() {
        let lts = lts(0, 3, &[(0, "a", 2), (1, "a", 2), (1, "b", 2), (2, "tau", 0)]);
        let all = lts.sources(|_| true);
        assert_eq!([all.of(0), all.of(1), all.of(2)], [&[2][..], &[], &[0, 1, 1]]);
        assert_eq!(lts.sources(|edge| edge.label == TAU).of(2), [0u32; 0]);
    }

    #[test]
    fn two_systems_side_by_side_share_labels_by_their_texts() {
        let (one, other) = (lts(0, 2, &[(0, "a", 1), (1, "b", 0)]), lts(1, 2, &[(1, "b", 0)]));
        let (both, initial) = one.beside(&other);
        assert_eq!((both.states(), both.transitions(), initial), (4, 3, 3));
        assert_eq!(both.of(3)[0], LtsEdge { label: both.labels().find("b").expect("a label"), to: 2 });
    }
}
