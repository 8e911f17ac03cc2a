//! The smallest system that cannot be told from a given one, modulo one of five equivalences.

use crate::determinise::{SubsetLimit, determinise};
use crate::labels::TAU;
use crate::lts::{Lts, LtsEdge};
use crate::partition::{Partition, RefinementTask, partition};
use crate::tau::{Acyclic, without_tau_cycles};

/// When two systems are taken for the same.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    strum::Display,
    strum::EnumString,
    strum::VariantNames,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Equivalence {
    /// Strong bisimilarity: every step of one is matched by a step of the other, internal steps too.
    Strong,
    /// Branching bisimilarity: internal steps that leave all possibilities open do not matter, nor do cycles of them.
    Branching,
    /// Branching bisimilarity in which it matters whether internal steps can go on for ever.
    DivergencePreservingBranching,
    /// The same finite sequences of labels other than the internal step.
    WeakTrace,
    /// The same finite sequences of labels, the internal step among them.
    Trace,
}

impl Equivalence {
    /// Whether it compares sequences of labels only.
    pub fn is_of_traces(self) -> bool {
        matches!(self, Equivalence::WeakTrace | Equivalence::Trace)
    }

    /// What it is called in a sentence.
    pub fn named(self) -> &'static str {
        match self {
            Equivalence::Strong => "strong bisimilarity",
            Equivalence::Branching => "branching bisimilarity",
            Equivalence::DivergencePreservingBranching => "divergence-preserving branching bisimilarity",
            Equivalence::WeakTrace => "weak trace equivalence",
            Equivalence::Trace => "trace equivalence",
        }
    }
}

/// The smallest system that is equivalent to the part of this one that can be reached. Modulo trace equivalences it is the smallest
/// deterministic one, which may be exponentially larger than what is given: then the limit ends the construction.
pub fn reduce(
    lts: &Lts,
    modulo: Equivalence,
    limit: SubsetLimit<'_>,
) -> Result<Lts, watchkeeper_logic::Limit> {
    let whole;
    let lts = if lts.is_numbered_breadth_first() {
        lts
    } else {
        whole = lts.reachable();
        &whole
    };
    Ok(match modulo {
        Equivalence::Strong => strong(lts),
        Equivalence::Branching => branching(lts, false),
        Equivalence::DivergencePreservingBranching => branching(lts, true),
        Equivalence::Trace => strong(&determinise(&strong(lts), false, limit)?),
        Equivalence::WeakTrace => strong(&determinise(&branching(lts, false), true, limit)?),
    })
}

fn strong(lts: &Lts) -> Lts {
    let found = partition(RefinementTask { lts, branching: false, divergent: None, remember: false });
    quotient(lts, &found, None, 0..lts.states() as u32)
}

/// The smallest system modulo branching bisimilarity.
pub(crate) fn branching(lts: &Lts, divergence: bool) -> Lts {
    let Acyclic { lts, component, divergent } = without_tau_cycles(lts);
    let divergent = Some(&*divergent).filter(|_| divergence);
    let found = partition(RefinementTask { lts: &lts, branching: true, divergent, remember: false });
    quotient(&lts, &found, divergent, component.into_iter())
}

/// One state for each block, numbered in the order in which these states are met. The first state of a block has all transitions of its signature: it has no internal step within the
/// block, since those lead to smaller numbers.
fn quotient(lts: &Lts, found: &Partition, divergent: Option<&[bool]>, met: impl Iterator<Item = u32>) -> Lts {
    let (mut number, mut order) = (vec![u32::MAX; found.blocks], Vec::with_capacity(found.blocks));
    for block in met.map(|state| found.block[state as usize]) {
        if number[block as usize] == u32::MAX {
            number[block as usize] = order.len() as u32;
            order.push(block);
        }
    }
    let mut first = vec![u32::MAX; found.blocks];
    for (state, &block) in found.block.iter().enumerate().rev() {
        first[number[block as usize] as usize] = state as u32;
    }
    let number = |state: u32| number[found.block[state as usize] as usize];
    let mut starts = vec![0];
    let mut edges: Vec<LtsEdge> = Vec::new();
    for (block, &state) in first.iter().enumerate() {
        let row = lts.of(state).iter();
        edges.extend(row.map(|edge| LtsEdge { to: number(edge.to), ..*edge }));
        if divergent.is_some_and(|divergent| divergent[state as usize]) {
            edges.push(LtsEdge { label: TAU, to: block as u32 });
        }
        starts.push(edges.len());
    }
    let initial = number(lts.initial());
    Lts::of_rows(initial, lts.labels().clone(), starts, edges).reachable()
}
