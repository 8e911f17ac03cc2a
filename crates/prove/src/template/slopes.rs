//! Bounds on sums: factors of the parameters and a constant, such that the bound holds at all points and follows best
//! what it bounds. Most slopes are ruled out at one point, the one at which they were tight before.

use super::{Grammar, Sample};

/// The factors to be tried: of at most two parameters, none of a parameter that the others determine, and small ones
/// where there are many parameters.
pub(super) fn slopes(free: &[bool], grammar: &Grammar) -> Vec<Vec<i64>> {
    let places: Vec<usize> = (0..free.len()).filter(|&i| free[i]).collect();
    let most = if places.len() > 2 { grammar.factor.min(3) } else { grammar.factor };
    let mut all = vec![vec![0; free.len()]];
    for (i, &one) in places.iter().enumerate() {
        for factor in (-most..=most).filter(|factor| *factor != 0) {
            let mut single = vec![0; free.len()];
            single[one] = factor;
            for &two in &places[i + 1..] {
                for factor in (-most..=most).filter(|factor| *factor != 0) {
                    let mut double = single.clone();
                    double[two] = factor;
                    all.push(double);
                }
            }
            all.push(single);
        }
    }
    all
}

/// Bounds on one sum: the place of a slope, and the least constant.
pub(super) type SlopeBounds = Vec<(usize, i64)>;

/// The slopes of a grammar at some points, with what does not change from one sum to the next.
pub(super) struct SlopeTable {
    /// The factors.
    pub(super) slopes: Vec<Vec<i64>>,
    /// The factors without signs, added up.
    sizes: Vec<i64>,
    points: Vec<Vec<i64>>,
    /// Which points count now.
    chosen: Vec<usize>,
    /// For each slope its value at each of these points.
    values: Vec<i64>,
    /// For each slope the sum of these values.
    sums: Vec<i64>,
    /// For each slope the point at which it was tight when it was looked at last.
    tight: Vec<usize>,
    /// The order in which the slopes are looked at: the best of late first, so that the others are ruled out soon.
    order: Vec<usize>,
}

impl SlopeTable {
    pub(super) fn new(samples: &[Sample], grammar: &Grammar) -> SlopeTable {
        let slopes = slopes(&free(samples), grammar);
        let sizes = slopes.iter().map(|factors| factors.iter().map(|factor| factor.abs()).sum()).collect();
        SlopeTable {
            sizes,
            points: samples.iter().map(|sample| sample.instance.parameters().to_vec()).collect(),
            chosen: Vec::new(),
            values: Vec::new(),
            sums: vec![0; slopes.len()],
            tight: vec![0; slopes.len()],
            order: (0..slopes.len()).collect(),
            slopes,
        }
    }

    /// Only these points count from now on.
    pub(super) fn choose(&mut self, chosen: &[usize]) {
        if self.chosen == chosen {
            return;
        }
        self.chosen = chosen.to_vec();
        self.values.clear();
        self.sums.clear();
        for factors in &self.slopes {
            let value =
                |point: &usize| self.points[*point].iter().zip(factors).map(|(p, f)| p * f).sum::<i64>();
            self.values.extend(chosen.iter().map(value));
            self.sums.push(self.values[self.values.len() - chosen.len()..].iter().sum());
        }
        self.tight.fill(0);
    }

    /// The bounds on what is at most so much at each of the points that count: of all slopes the few that leave the
    /// least between the two, summed over the points. In some small instances two processes move in step and reach
    /// less, so a bound need not be tight everywhere.
    pub(super) fn bounds(&mut self, most: &[i64], grammar: &Grammar) -> SlopeBounds {
        let count = most.len();
        let total: i64 = most.iter().sum();
        let mut best: Vec<(i64, i64, usize, i64)> = Vec::with_capacity(grammar.slopes + 1);
        if count == 0 || grammar.slopes == 0 {
            return Vec::new();
        }
        for at in 0..self.order.len() {
            let slope = self.order[at];
            let values = &self.values[slope * count..(slope + 1) * count];
            // The constant is at least what one point asks for.
            let least = most[self.tight[slope]] - values[self.tight[slope]];
            if least > grammar.constant {
                continue;
            }
            let sum = total - self.sums[slope];
            let worst = if best.len() == grammar.slopes { best.last().copied() } else { None };
            if worst.is_some_and(|worst| least * count as i64 - sum > worst.0) {
                continue;
            }
            let (mut constant, mut tight) = (least, self.tight[slope]);
            for (i, (most, value)) in most.iter().zip(values).enumerate() {
                if most - value > constant {
                    (constant, tight) = (most - value, i);
                }
            }
            self.tight[slope] = tight;
            if constant.abs() > grammar.constant {
                continue;
            }
            let found = (constant * count as i64 - sum, self.sizes[slope], slope, constant);
            let place = best.partition_point(|other| *other < found);
            if place < grammar.slopes {
                best.truncate(grammar.slopes - 1);
                best.insert(place, found);
            }
        }
        for (_, _, slope, _) in best.iter().rev() {
            if let Some(at) = self.order.iter().position(|other| other == slope) {
                self.order[..=at].rotate_right(1);
            }
        }
        best.into_iter().map(|(_, _, slope, constant)| (slope, constant)).collect()
    }
}

/// For each parameter whether it can vary while those before it stay as they are, or vary by as much: whether it
/// adds to the dimension of the points.
pub(super) fn free(samples: &[Sample]) -> Vec<bool> {
    let points: Vec<&[i64]> = samples.iter().map(|sample| sample.instance.parameters()).collect();
    let Some(first) = points.first() else { return Vec::new() };
    let rank_of = |len: usize| rank(&points.iter().map(|point| &point[..len]).collect::<Vec<_>>());
    // Where the dimension is not known a slope more is tried.
    let adds = |i: usize| rank_of(i + 1).zip(rank_of(i)).is_none_or(|(with, without)| with > without);
    (0..first.len()).map(adds).collect()
}

/// The dimension of the flat through some points; none if a number on the way is too large.
fn rank(points: &[&[i64]]) -> Option<usize> {
    let Some((first, others)) = points.split_first() else { return Some(0) };
    let difference = |(a, b): (&i64, &i64)| i128::from(*a) - i128::from(*b);
    let mut rows: Vec<Vec<i128>> =
        others.iter().map(|point| point.iter().zip(*first).map(difference).collect()).collect();
    let mut rank = 0;
    for column in 0..first.len() {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let (head, tail) = rows.split_at_mut(rank + 1);
        let pivot = &head[rank];
        for row in tail.iter_mut().filter(|row| row[column] != 0) {
            let (a, b) = (pivot[column], row[column]);
            for (x, p) in row.iter_mut().zip(pivot) {
                *x = x.checked_mul(a)?.checked_sub(p.checked_mul(b)?)?;
            }
        }
        rank += 1;
    }
    Some(rank)
}
