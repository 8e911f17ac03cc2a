//! The states of samples as columns of numbers, put into groups in which the same literals are true, with the largest
//! value of every sum of variables in each group. What is largest under a condition is then the largest of the groups
//! in which it is true: no state is looked at twice.

use super::Sample;
use super::literal::{Literal, ThresholdBase};
use std::collections::HashMap;
use std::time::Instant;

/// A sum of variables, each added or taken away.
pub(super) type Direction = Vec<(usize, i64)>;

/// The states of a sample, one column for each variable.
pub(super) struct SampleColumns {
    pub(super) parameters: Vec<i64>,
    pub(super) columns: Vec<Vec<i64>>,
    len: usize,
}

impl SampleColumns {
    pub(super) fn new(sample: &Sample) -> SampleColumns {
        let width = sample.states.first().map_or(0, Vec::len);
        let mut columns = vec![Vec::with_capacity(sample.states.len()); width];
        for state in &sample.states {
            columns.iter_mut().zip(state).for_each(|(column, value)| column.push(*value));
        }
        let (parameters, len) = (sample.instance.parameters().to_vec(), sample.states.len());
        SampleColumns { parameters, columns, len }
    }

    /// How far a variable is above a parameter or another variable, at most; none if there is no state.
    pub(super) fn most_over(&self, variable: usize, of: ThresholdBase) -> Option<i64> {
        let values = self.columns.get(variable)?.iter();
        match of {
            ThresholdBase::Parameter(i) => values.max().map(|most| most - self.parameters[i]),
            ThresholdBase::Variable(i) => {
                values.zip(&self.columns[i]).map(|(value, other)| value - other).max()
            }
        }
    }
}

/// States of one sample in which the same literals are true.
struct StateGroup {
    sample: usize,
    /// The states, one column for each variable.
    columns: Vec<Vec<i64>>,
    /// The largest value of each direction.
    most: Vec<i64>,
}

/// All groups.
pub(super) struct StateGroups {
    groups: Vec<StateGroup>,
    /// For each literal the groups in which it is true, as bits.
    holds: Vec<Vec<u64>>,
    samples: usize,
    /// How many directions are worked out in every group.
    measured: usize,
}

impl StateGroups {
    pub(super) fn new(samples: &[SampleColumns], literals: &[Literal]) -> StateGroups {
        let words = literals.len().div_ceil(64).max(1);
        let mut groups: Vec<StateGroup> = Vec::new();
        let mut truths: Vec<Vec<u64>> = Vec::new();
        for (number, sample) in samples.iter().enumerate() {
            let mut judged = vec![0u64; words * sample.len];
            for (at, literal) in literals.iter().enumerate() {
                let (word, bit) = (at / 64, at % 64);
                literal.judged(sample, |state, is_true| {
                    judged[state * words + word] |= u64::from(is_true) << bit;
                });
            }
            let mut places: HashMap<&[u64], usize> = HashMap::new();
            for (state, truth) in judged.chunks(words).enumerate() {
                let place = *places.entry(truth).or_insert_with(|| {
                    let columns = vec![Vec::new(); sample.columns.len()];
                    groups.push(StateGroup { sample: number, columns, most: Vec::new() });
                    truths.push(truth.to_vec());
                    groups.len() - 1
                });
                let columns = groups[place].columns.iter_mut().zip(&sample.columns);
                columns.for_each(|(into, from)| into.push(from[state]));
            }
        }
        let mut holds = vec![vec![0u64; groups.len().div_ceil(64)]; literals.len()];
        for (group, truth) in truths.iter().enumerate() {
            for (literal, bits) in holds.iter_mut().enumerate() {
                bits[group / 64] |= (truth[literal / 64] >> (literal % 64) & 1) << (group % 64);
            }
        }
        StateGroups { groups, holds, samples: samples.len(), measured: 0 }
    }

    /// Works out the largest values of these directions, of which those worked out before are the first. False if
    /// `until` came first.
    pub(super) fn measure(&mut self, directions: &[Direction], until: Instant) -> bool {
        let known = self.measured;
        let places: HashMap<&Direction, usize> =
            directions.iter().enumerate().skip(known).map(|(i, direction)| (direction, i)).collect();
        let opposite = |direction: &Direction| -> Direction {
            direction.iter().map(|&(variable, sign)| (variable, -sign)).collect()
        };
        // Of a sum and its opposite the smallest value of one is the largest of the other.
        let pairs: Vec<(usize, usize)> = (known..directions.len())
            .filter_map(|i| Some((i, *places.get(&opposite(&directions[i]))?)))
            .filter(|(one, other)| one < other)
            .collect();
        let mut sums: Vec<i64> = Vec::new();
        for group in &mut self.groups {
            if Instant::now() >= until {
                return false;
            }
            group.most.resize(directions.len().max(known), 0);
            for &(one, other) in &pairs {
                sums.clear();
                for (i, &(variable, sign)) in directions[one].iter().enumerate() {
                    let column = &group.columns[variable];
                    match (i, sign) {
                        (0, 1) => sums.extend_from_slice(column),
                        (0, _) => sums.extend(column.iter().map(|value| -value)),
                        (_, 1) => sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += value),
                        (_, _) => sums.iter_mut().zip(column).for_each(|(sum, value)| *sum -= value),
                    }
                }
                let (least, most) = sums
                    .iter()
                    .fold((i64::MAX, i64::MIN), |(least, most), sum| (least.min(*sum), most.max(*sum)));
                group.most[one] = most;
                group.most[other] = -least;
            }
        }
        self.measured = directions.len().max(known);
        true
    }

    /// For each sample with a state in which all these literals are true the largest values of the directions in such
    /// states.
    pub(super) fn most(&self, condition: &[usize], directions: usize) -> Vec<(usize, Vec<i64>)> {
        let mut found: Vec<(usize, Vec<i64>)> = Vec::with_capacity(self.samples);
        for word in 0..self.groups.len().div_ceil(64) {
            let all = condition.iter().fold(u64::MAX, |bits, literal| bits & self.holds[*literal][word]);
            let mut left = all;
            while left != 0 {
                let at = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                // Without a literal every bit is set, also those of no group.
                let Some(group) = self.groups.get(at) else { break };
                match found.last_mut() {
                    Some((sample, most)) if *sample == group.sample => {
                        let pairs = most.iter_mut().zip(&group.most[..directions]);
                        pairs.for_each(|(most, other)| *most = (*most).max(*other));
                    }
                    _ => found.push((group.sample, group.most[..directions].to_vec())),
                }
            }
        }
        found
    }
}
