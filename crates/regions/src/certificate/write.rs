//! The text of a certificate: lines of words, one constraint to a line.

use super::{OPENING, REGION_FORMAT, RegionCertificate};
use std::fmt::Write;
use watchkeeper_polyhedra::{Constraint, Relation};

impl RegionCertificate {
    /// The text of the file.
    pub fn write(&self) -> String {
        let mut out = format!("{OPENING} {REGION_FORMAT}\n");
        out.push_str(
            "# Verify it with `watchkeeper recheck FILE`. docs/region-certificate.md explains each line.\n",
        );
        line(&mut out, "command", &self.command);
        line(&mut out, "parameters", &self.parameters.join(" "));
        for claim in &self.claims {
            line(&mut out, "claim", "");
            rows(&mut out, claim);
        }
        for proof in &self.proofs {
            line(&mut out, "proof", &proof.model.to_string());
            rows(&mut out, &proof.region);
            for (key, state) in &proof.states {
                line(&mut out, "state", &format!("{} {}", state.variables, hexadecimal(key)));
                for piece in &state.pieces {
                    line(&mut out, "polyhedron", "");
                    rows(&mut out, piece);
                }
            }
        }
        out.push_str("end\n");
        out
    }
}

fn line(out: &mut String, word: &str, rest: &str) {
    out.push_str(word);
    if !rest.is_empty() {
        out.push(' ');
        out.push_str(rest);
    }
    out.push('\n');
}

fn rows(out: &mut String, constraints: &[Constraint]) {
    for constraint in constraints {
        out.push_str(sign(constraint.relation()));
        for number in constraint.coefficients().iter().chain([&constraint.constant()]) {
            let _ = write!(out, " {number}");
        }
        out.push('\n');
    }
}

/// How a relation to 0 is written.
pub(super) fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "=",
        Relation::AtLeast => ">=",
        Relation::Above => ">",
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
