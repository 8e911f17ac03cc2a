//! Everything that has to be true for a certificate to be right, as questions to a solver of linear real arithmetic that
//! must have no answer. The model gives its edges, the certificate its polyhedra; nothing is solved here.

use super::key::StateKey;
use super::smt::{Conjunction, QuestionScript};
use super::{InductiveSet, RegionCertificate, RegionCertificateError};
use crate::config::DiscreteState;
use crate::edge::{Edge, Ending};
use crate::model::Model;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use watchkeeper_polyhedra::Constraint;

/// One question, which must be unsatisfiable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionObligation {
    /// What it is about.
    pub duty: RegionDuty,
    /// What it says, for a reader.
    pub name: String,
    /// Declarations and assertions in the logic QF_LRA of SMT-LIB, without a command to check them. Each question
    /// declares its own variables, so it is put between `(push 1)` and `(pop 1)`.
    pub script: String,
}

/// What an obligation is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RegionDuty {
    /// A claimed piece is within the regions that are proven, for each model that it is about.
    Cover,
    /// A region that is proven is one for which the model has a meaning.
    Domain,
    /// A state in which a run starts is in the set.
    Start,
    /// A step from the set ends in the set, and violates nothing.
    Step,
}

impl RegionDuty {
    /// All of them, in the order in which they are asked.
    pub const ALL: [RegionDuty; 4] =
        [RegionDuty::Cover, RegionDuty::Domain, RegionDuty::Start, RegionDuty::Step];
}

impl fmt::Display for RegionDuty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RegionDuty::Cover => "cover",
            RegionDuty::Domain => "domain",
            RegionDuty::Start => "start",
            RegionDuty::Step => "step",
        })
    }
}

type Each<'a, E> = dyn FnMut(RegionObligation) -> Result<(), E> + 'a;

/// Gives out every obligation of a certificate.
pub(super) fn walk<E: From<RegionCertificateError>>(
    certificate: &RegionCertificate,
    models: &[Model],
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    for model in models {
        if model.parameters != certificate.parameters {
            let (told, known) = (certificate.parameters.clone(), model.parameters.clone());
            return Err(RegionCertificateError::Parameters { told, known }.into());
        }
    }
    if let Some(proof) = certificate.proofs.iter().find(|proof| proof.model >= models.len()) {
        let wanted = proof.model.saturating_add(1);
        return Err(RegionCertificateError::Models { wanted, there: models.len() }.into());
    }
    covered(certificate, models, each)?;
    for (number, proof) in certificate.proofs.iter().enumerate() {
        let columns = Columns::new(certificate.parameters.len(), 0, 0);
        let domain = models[proof.model].domain.constraints();
        let script = columns.implication(&[&proof.region], &[domain]);
        let name = format!("region {number} is part of the domain of model {}", proof.model);
        each(RegionObligation { duty: RegionDuty::Domain, name, script })?;
        InductionWalk::new(&models[proof.model], proof, number).run(each)?;
    }
    Ok(())
}

/// Every claimed piece is within the domains, and within each domain it is within the regions of its model.
fn covered<E>(certificate: &RegionCertificate, models: &[Model], each: &mut Each<'_, E>) -> Result<(), E> {
    let columns = Columns::new(certificate.parameters.len(), 0, 0);
    let domains: Vec<&[Constraint]> = models.iter().map(|model| model.domain.constraints()).collect();
    for (piece, claim) in certificate.claims.iter().enumerate() {
        let name = format!("claim {piece} is part of the domains of the models");
        let script = columns.implication(&[claim], &domains);
        each(RegionObligation { duty: RegionDuty::Cover, name, script })?;
        for (number, domain) in domains.iter().enumerate() {
            let of_model = certificate.proofs.iter().filter(|proof| proof.model == number);
            let regions: Vec<&[Constraint]> = of_model.map(|proof| &proof.region[..]).collect();
            let name = format!("claim {piece} is proven for model {number}");
            let script = columns.implication(&[claim, domain], &regions);
            each(RegionObligation { duty: RegionDuty::Cover, name, script })?;
        }
    }
    Ok(())
}

/// The walk along the edges of a model through the states of one inductive set.
struct InductionWalk<'a> {
    model: &'a Model,
    proof: &'a InductiveSet,
    number: usize,
    /// The number of each state in the file, for names.
    places: BTreeMap<&'a [u8], usize>,
    seen: BTreeSet<Vec<u8>>,
    queue: VecDeque<(DiscreteState, StateKey)>,
}

impl<'a> InductionWalk<'a> {
    fn new(model: &'a Model, proof: &'a InductiveSet, number: usize) -> InductionWalk<'a> {
        let places = proof.states.keys().enumerate().map(|(place, key)| (&key[..], place)).collect();
        InductionWalk { model, proof, number, places, seen: BTreeSet::new(), queue: VecDeque::new() }
    }

    fn run<E: From<RegionCertificateError>>(mut self, each: &mut Each<'_, E>) -> Result<(), E> {
        let trouble = |trouble| E::from(RegionCertificateError::Trouble(trouble));
        for edge in self.model.starts().map_err(trouble)? {
            self.edge(&edge, None, RegionDuty::Start, each)?;
        }
        while let Some((config, key)) = self.queue.pop_front() {
            let edges = self.model.edges(&config).map_err(trouble)?;
            let pieces = self.proof.states.get(&key.bytes).map_or(0, |state| state.pieces.len());
            for piece in 0..pieces {
                for edge in &edges {
                    self.edge(edge, Some((&key, piece)), RegionDuty::Step, each)?;
                }
            }
        }
        Ok(())
    }

    /// The obligation of an edge from a polyhedron of the set, or from the beginning.
    fn edge<E: From<RegionCertificateError>>(
        &mut self,
        edge: &Edge,
        from: Option<(&StateKey, usize)>,
        duty: RegionDuty,
        each: &mut Each<'_, E>,
    ) -> Result<(), E> {
        let (parameters, before, after) = edge.sizes;
        let columns = Columns::new(parameters, before, after);
        let mut script = QuestionScript::default();
        script.declare(&columns.all);
        script.assert(Conjunction { rows: &self.proof.region, columns: columns.parameters() });
        let mut name = format!("region {}", self.number);
        if let Some((key, piece)) = from {
            let place = self.places.get(&key.bytes[..]).copied().unwrap_or_default();
            name.push_str(&format!(", polyhedron {piece} of state {place}"));
            let rows = self.proof.states.get(&key.bytes).and_then(|state| state.pieces.get(piece));
            let own = columns.of(parameters, &key.order);
            script.assert(Conjunction { rows: rows.map_or(&[], Vec::as_slice), columns: &own });
        }
        script.assert(Conjunction { rows: &edge.relation, columns: &columns.all });
        let claim = match &edge.ending {
            // Whatever follows violates nothing.
            Ending::Settled => return Ok(()),
            Ending::Violated(reason) => format!("is never possible, for it violates {reason}"),
            Ending::Cut(limit) => format!("is never possible, for the model ends there: {limit}"),
            Ending::Open => {
                let key = StateKey::of(self.model, &edge.target);
                let claim = match self.proof.states.get(&key.bytes) {
                    None => "is never possible, for what it leads to is not in the set".to_string(),
                    Some(state) if state.variables != key.order.len() => {
                        let (told, known) = (state.variables, key.order.len());
                        return Err(RegionCertificateError::Variables { told, known }.into());
                    }
                    Some(state) => {
                        let own = columns.of(parameters + before + 1, &key.order);
                        for rows in &state.pieces {
                            script.deny(Conjunction { rows, columns: &own });
                        }
                        let place = self.places.get(&key.bytes[..]).copied().unwrap_or_default();
                        format!("leads to a polyhedron of state {place}")
                    }
                };
                if self.proof.states.contains_key(&key.bytes) && self.seen.insert(key.bytes.clone()) {
                    self.queue.push_back((edge.target.clone(), key));
                }
                claim
            }
        };
        name.push_str(&format!(": `{}` {claim}", edge.label));
        each(RegionObligation { duty, name, script: script.text() })
    }
}

/// The names of the columns of an edge.
struct Columns {
    all: Vec<String>,
    parameters: usize,
}

impl Columns {
    fn new(parameters: usize, before: usize, after: usize) -> Columns {
        let named = |letter: char, count: usize| (0..count).map(move |at| format!("{letter}{at}"));
        let all = named('p', parameters).chain(named('b', before)).chain(["t".to_string()]);
        Columns { all: all.chain(named('a', after)).collect(), parameters }
    }

    fn parameters(&self) -> &[String] {
        &self.all[..self.parameters]
    }

    /// The parameters, and after them the variables of a state in the order of its key; those of the state begin at a
    /// column.
    fn of(&self, begin: usize, order: &[usize]) -> Vec<String> {
        let variables = order.iter().map(|&variable| self.all[begin + variable].clone());
        self.parameters().iter().cloned().chain(variables).collect()
    }

    /// That all of some conditions on parameters imply one of others.
    fn implication(&self, all: &[&[Constraint]], one: &[&[Constraint]]) -> String {
        let columns = self.parameters();
        let mut script = QuestionScript::default();
        script.declare(columns);
        all.iter().for_each(|rows| script.assert(Conjunction { rows, columns }));
        one.iter().for_each(|rows| script.deny(Conjunction { rows, columns }));
        script.text()
    }
}
