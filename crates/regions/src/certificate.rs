//! A certificate of the good side of an answer: for each piece an inductive set of polyhedra, as a text that another run,
//! or another program, can verify. Whoever verifies it needs the edges of the model and a solver of linear arithmetic, and
//! nothing of the search that found it: no projection, no inclusion, no widening. A certificate is data from outside, and
//! no word of it is trusted: every claim becomes an obligation.

mod error;
mod key;
mod obligations;
mod read;
mod smt;
mod write;

pub use error::RegionCertificateError;
pub use obligations::{RegionDuty, RegionObligation};

use crate::answer::{ProvedPiece, RegionAnswer};
use crate::model::Model;
use key::StateKey;
use std::collections::BTreeMap;
use watchkeeper_polyhedra::{Constraint, Overflow, Polyhedron};

/// The format that is written and read.
pub const REGION_FORMAT: u32 = 1;

/// The first words of the first line of a file.
pub(crate) const OPENING: &str = "watchkeeper-region-certificate";

/// That a property holds for the parameters in some regions, with what shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionCertificate {
    command: String,
    parameters: Vec<String>,
    claims: Vec<Vec<Constraint>>,
    proofs: Vec<InductiveSet>,
}

/// What every reachable state is in, for parameters of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
struct InductiveSet {
    /// Which of the models it is about.
    model: usize,
    region: Vec<Constraint>,
    /// By the key of the discrete state.
    states: BTreeMap<Vec<u8>, Polyhedra>,
}

/// The polyhedra of one discrete state, over the parameters and the variables in the order of its key.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Polyhedra {
    variables: usize,
    pieces: Vec<Vec<Constraint>>,
}

impl RegionAnswer {
    /// What shows that the property holds where this answer says so, for the models that it is about. `command` is how a
    /// reader has the same models again: a line for a command, or a name.
    pub fn certificate(
        &self,
        models: &[Model],
        command: &str,
    ) -> Result<RegionCertificate, RegionCertificateError> {
        if self.holds.is_empty() {
            return Err(RegionCertificateError::NothingHolds);
        }
        let certificate = RegionCertificate {
            command: one_line(command),
            parameters: self.parameters.clone(),
            claims: self.holds.iter().map(|piece| piece.constraints().to_vec()).collect(),
            proofs: self.proofs.iter().map(|proof| stated(proof, models)).collect::<Result<_, _>>()?,
        };
        match RegionCertificate::read(&certificate.write()) {
            Ok(read) if read == certificate => Ok(certificate),
            _ => Err(RegionCertificateError::NotItself),
        }
    }
}

impl RegionCertificate {
    /// Whether a text says of itself that it is such a certificate, and not one of another kind.
    pub fn is_begun_by(text: &str) -> bool {
        text.split_whitespace().next() == Some(OPENING)
    }

    /// A certificate from the text of a file.
    pub fn read(text: &str) -> Result<RegionCertificate, RegionCertificateError> {
        read::certificate(text)
    }

    /// How to have the models again, as the file says.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The parameters, in the order of coordinates.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// The pieces in which it claims that the property holds: in each, all constraints hold.
    pub fn claims(&self) -> &[Vec<Constraint>] {
        &self.claims
    }

    /// The number of polyhedra in it.
    pub fn polyhedra(&self) -> usize {
        let states = self.proofs.iter().flat_map(|proof| proof.states.values());
        states.map(|state| state.pieces.len()).sum()
    }

    /// The number of discrete states in it, counted once for each region.
    pub fn states(&self) -> usize {
        self.proofs.iter().map(|proof| proof.states.len()).sum()
    }

    /// Gives out everything that has to be unsatisfiable for these models, one after the other, until a reader of
    /// them fails. If all are, the property holds wherever the certificate claims it.
    pub fn for_each_obligation<E: From<RegionCertificateError>>(
        &self,
        models: &[Model],
        each: &mut dyn FnMut(RegionObligation) -> Result<(), E>,
    ) -> Result<(), E> {
        obligations::walk(self, models, each)
    }

    /// All of them at once.
    pub fn obligations(&self, models: &[Model]) -> Result<Vec<RegionObligation>, RegionCertificateError> {
        let mut all = Vec::new();
        self.for_each_obligation(models, &mut |obligation| {
            all.push(obligation);
            Ok::<(), RegionCertificateError>(())
        })?;
        Ok(all)
    }
}

/// A proof by keys instead of numbers of one run, without what its region does not need.
fn stated(proof: &ProvedPiece, models: &[Model]) -> Result<InductiveSet, RegionCertificateError> {
    let model = models
        .get(proof.model)
        .ok_or(RegionCertificateError::Models { wanted: proof.model + 1, there: models.len() })?;
    let mut states: BTreeMap<Vec<u8>, Polyhedra> = BTreeMap::new();
    for (config, zones) in &proof.stored {
        let key = StateKey::of(model, config);
        let lifted = proof.region.with_dimensions(key.order.len());
        let needed = needed(zones, &lifted).map_err(crate::Trouble::from)?;
        let pieces: Vec<_> =
            needed.into_iter().map(|zone| ordered(zone, &key, model.parameters.len())).collect();
        if !pieces.is_empty() {
            states.insert(key.bytes, Polyhedra { variables: key.order.len(), pieces });
        }
    }
    Ok(InductiveSet { model: proof.model, region: proof.region.constraints().to_vec(), states })
}

/// Those polyhedra that have points in a region which no other one of them has.
fn needed<'a>(zones: &'a [Polyhedron], region: &Polyhedron) -> Result<Vec<&'a Polyhedron>, Overflow> {
    let mut kept: Vec<(&Polyhedron, Polyhedron)> = Vec::new();
    // What was found last is often the largest.
    for zone in zones.iter().rev() {
        let within = zone.intersection(region)?;
        let mut included = within.is_empty();
        for (_, known) in &kept {
            included = included || known.includes(&within)?;
        }
        if included {
            continue;
        }
        let mut rest = Vec::new();
        for (other, known) in kept {
            if !within.includes(&known)? {
                rest.push((other, known));
            }
        }
        rest.push((zone, within));
        kept = rest;
    }
    Ok(kept.into_iter().map(|(zone, _)| zone).collect())
}

/// The constraints of a polyhedron, its variables in the order of the key.
fn ordered(zone: &Polyhedron, key: &StateKey, parameters: usize) -> Vec<Constraint> {
    let row = |constraint: &Constraint| {
        let old = constraint.coefficients();
        let mut coefficients = old[..parameters].to_vec();
        coefficients.extend(key.order.iter().map(|&variable| old[parameters + variable]));
        Constraint::new(coefficients, constraint.constant(), constraint.relation())
    };
    zone.constraints().iter().map(row).collect()
}

/// Words on one line, without what a terminal would obey.
fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.trim().to_string()
}
