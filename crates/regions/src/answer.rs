//! The answer to "for which parameters": where the property holds, where it fails, and where that is undecided. Two
//! searches share the work. The exact one finds what truly fails; if it ends, all the rest holds. If it does not, a
//! second one with widening looks at each piece of the rest: what it closes without a violation truly holds.

use crate::config::DiscreteState;
use crate::decisions::Trouble;
use crate::model::Model;
use crate::search::{Chains, FailingPiece, RegionCallback, RegionProgress, RegionSearch, gist, without};
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation};

/// The symbolic states of the first exact search.
const FIRST: usize = 1_000;

/// The least symbolic states of a search of one piece.
const LEAST: usize = 100;

/// Limits of a search for regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegionLimits {
    /// The most symbolic states of one search.
    pub states: usize,
    /// The polyhedra of one discrete state after which the second search widens.
    pub widen_after: usize,
}

impl Default for RegionLimits {
    fn default() -> RegionLimits {
        RegionLimits { states: 20_000, widen_after: 6 }
    }
}

/// Where a property holds, where it fails, and where that is undecided. The three are disjoint and together the domain.
pub struct RegionAnswer {
    /// The parameters, in the order of coordinates.
    pub parameters: Vec<String>,
    /// The parameters that are asked about.
    pub domain: Vec<Polyhedron>,
    /// Where it holds.
    pub holds: Vec<Polyhedron>,
    /// Where it fails, with a reason and a run for each piece that was found.
    pub failing: Vec<FailingPiece>,
    /// Where it fails, in as few pieces as possible.
    pub fails: Vec<Polyhedron>,
    /// Where that is undecided.
    pub undecided: Vec<Polyhedron>,
    /// The limits of the model that were met.
    pub limits: Vec<String>,
    /// Symbolic states of the largest search.
    pub states: usize,
    /// Discrete states of the largest search.
    pub discrete: usize,
    /// Whether widening was needed.
    pub widened: bool,
    pub(crate) proofs: Vec<ProvedPiece>,
}

/// An inductive set of polyhedra: every reachable state is in it, for parameters of a region, and none of it is bad.
pub(crate) struct ProvedPiece {
    /// Which of the models it is about.
    pub(crate) model: usize,
    pub(crate) region: Polyhedron,
    pub(crate) stored: Vec<(DiscreteState, Vec<Polyhedron>)>,
}

impl RegionAnswer {
    /// Asks about the models into which a protocol falls apart, each with a domain of its own.
    pub fn of(
        models: &[Model],
        limits: RegionLimits,
        callback: &mut RegionCallback<'_>,
    ) -> Result<RegionAnswer, Trouble> {
        let mut answer = RegionAnswer {
            parameters: models.first().map_or(Vec::new(), |model| model.parameters.clone()),
            domain: Vec::new(),
            holds: Vec::new(),
            failing: Vec::new(),
            fails: Vec::new(),
            undecided: Vec::new(),
            limits: Vec::new(),
            states: 0,
            discrete: 0,
            widened: false,
            proofs: Vec::new(),
        };
        for (number, model) in models.iter().enumerate() {
            answer.domain.push(model.domain.clone());
            answer.decide(number, model, limits, callback)?;
        }
        for pieces in [&mut answer.domain, &mut answer.holds, &mut answer.fails, &mut answer.undecided] {
            *pieces = Polyhedron::coalesced(std::mem::take(pieces))?;
        }
        Ok(answer)
    }

    fn decide(
        &mut self,
        number: usize,
        model: &Model,
        limits: RegionLimits,
        callback: &mut RegionCallback<'_>,
    ) -> Result<(), Trouble> {
        let mut rest = vec![model.domain.clone()];
        // Small searches first: where widening is needed, a long exact search only takes time.
        let mut most = FIRST.min(limits.states);
        loop {
            let mut stopped = false;
            let mut watch = |progress: &RegionProgress| {
                let flow = callback(progress);
                stopped |= flow.is_break();
                flow
            };
            let mut open = Vec::new();
            // All pieces of a round share its states, so that many pieces take no longer than one.
            let share = (most / rest.len().max(1)).max(LEAST);
            for piece in std::mem::take(&mut rest) {
                for left in self.search(number, model, piece, Chains::Exact, share, &mut watch)? {
                    let chains = Chains::Widened(limits.widen_after);
                    open.extend(self.search(number, model, left, chains, share, &mut watch)?);
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            if stopped || most >= limits.states {
                let limit = if stopped {
                    "the time".to_string()
                } else {
                    format!("{} symbolic states", limits.states)
                };
                self.limit(&limit);
                self.undecided.extend(open);
                return Ok(());
            }
            rest = Polyhedron::coalesced(open)?;
            most = most.saturating_mul(4).min(limits.states);
        }
    }

    /// Searches a piece of the parameters, and gives what of it is still open.
    fn search(
        &mut self,
        number: usize,
        model: &Model,
        piece: Polyhedron,
        chains: Chains,
        most: usize,
        callback: &mut RegionCallback<'_>,
    ) -> Result<Vec<Polyhedron>, Trouble> {
        let explored = RegionSearch::new(model, piece.clone(), chains, most).run(callback)?;
        self.states = self.states.max(explored.progress.states);
        self.discrete = self.discrete.max(explored.progress.discrete);
        let found = explored.failing.iter().map(|piece| piece.region.clone()).collect();
        let suspect = Polyhedron::coalesced(found)?;
        let cut: Vec<Polyhedron> = explored.cut.iter().map(|(region, _)| region.clone()).collect();
        let sound = minus_all(vec![piece.clone()], &suspect)?;
        if chains == Chains::Exact {
            self.failing.extend(explored.failing);
            self.fails.extend(suspect);
        }
        explored
            .cut
            .iter()
            .map(|(_, limit)| limit)
            .chain(&explored.limit)
            .for_each(|limit| self.limit(limit));
        if !explored.ended {
            return Ok(if chains == Chains::Exact { sound } else { vec![piece] });
        }
        let holds = Polyhedron::coalesced(minus_all(sound.clone(), &cut)?)?;
        for region in &holds {
            self.proofs.push(ProvedPiece {
                model: number,
                region: region.clone(),
                stored: explored.stored.clone(),
            });
        }
        self.widened |= chains != Chains::Exact && !holds.is_empty();
        self.holds.extend(holds.iter().cloned());
        if chains == Chains::Exact {
            // What is left is what the model cut off, and no further search would tell more.
            self.undecided.extend(minus_all(sound, &holds)?);
            return Ok(Vec::new());
        }
        minus_all(vec![piece], &holds)
    }

    fn limit(&mut self, limit: &str) {
        if !self.limits.iter().any(|known| known == limit) {
            self.limits.push(limit.to_string());
        }
    }

    /// Conditions that would bound what is undecided: pairs of parameters whose ratio has no bound there, largest first.
    pub fn unbounded_ratios(&self) -> Result<Vec<(String, String)>, Trouble> {
        let mut found = Vec::new();
        for piece in &self.undecided {
            let k = self.parameters.len();
            for (p, above) in self.parameters.iter().enumerate() {
                for (q, below) in self.parameters.iter().enumerate().filter(|(q, _)| *q != p) {
                    // A direction in which p grows and q does not.
                    let unit = |at: usize, constant: i64, relation| {
                        let mut row = vec![0; k];
                        row[at] = 1;
                        Constraint::new(row, constant, relation)
                    };
                    let cone = piece.constraints().iter().map(|constraint| {
                        let relation = match constraint.relation() {
                            Relation::Equal => Relation::Equal,
                            Relation::AtLeast | Relation::Above => Relation::AtLeast,
                        };
                        Constraint::new(constraint.coefficients().to_vec(), 0, relation)
                    });
                    let mut rows: Vec<Constraint> = cone.collect();
                    rows.push(unit(p, -1, Relation::Equal));
                    rows.push(unit(q, 0, Relation::Equal));
                    let pair = (above.clone(), below.clone());
                    if !Polyhedron::of(k, &rows)?.is_empty() && !found.contains(&pair) {
                        found.push(pair);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The pieces of one side, each by as few constraints as possible within the domain.
    pub fn gists(&self, pieces: &[Polyhedron]) -> Result<Vec<Polyhedron>, Trouble> {
        let whole = match self.domain.as_slice() {
            [one] => one.clone(),
            _ => Polyhedron::universe(self.parameters.len()),
        };
        Ok(pieces.iter().map(|piece| gist(piece, &whole)).collect::<Result<_, _>>()?)
    }
}

/// These polyhedra without those.
pub(crate) fn minus_all(
    mut pieces: Vec<Polyhedron>,
    others: &[Polyhedron],
) -> Result<Vec<Polyhedron>, Trouble> {
    for other in others {
        let mut left = Vec::new();
        for piece in pieces {
            left.extend(without(piece, other)?);
        }
        pieces = left;
    }
    Ok(pieces)
}
