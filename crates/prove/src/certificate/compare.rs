//! The comparison of a certificate with a known system: the definitions of the file against the definitions that
//! the system would be written as. The names in a file prove nothing.

use super::definitions::{CertificateFormula, CertificatePath, Definitions};
use super::{Certificate, CertificateError, Contents};
use crate::{Claim, System, Term};

/// What the system in a certificate has otherwise than this system, a sentence each; none if it is the same one.
pub fn system_differences(
    certificate: &Certificate,
    system: &System,
) -> Result<Vec<String>, CertificateError> {
    let known = Definitions::of(system, &[], &Claim::new("", Term::Bool(true)))?;
    let Contents::Induction(found) = &certificate.contents else {
        return Ok(vec!["The file has lemmas, and no system.".to_string()]);
    };
    let mut all = Vec::new();
    let mut differ = |what: &str, same: bool| {
        if !same {
            all.push(format!("The {what} are others."));
        }
    };
    differ("kinds of numbers", found.dense == known.dense);
    differ("parameters", found.parameters == known.parameters);
    differ("assumptions", found.assumptions == known.assumptions);
    differ("variables", found.variables == known.variables);
    differ("choices", found.choices == known.choices);
    ways("beginning", &found.beginnings, &known.beginnings, &mut all);
    ways("path", &found.paths, &known.paths, &mut all);
    Ok(all)
}

/// What the property in a certificate has otherwise than this one, a sentence each; none if it is the same one.
pub fn property_differences(
    certificate: &Certificate,
    system: &System,
    property: &Claim,
) -> Result<Vec<String>, CertificateError> {
    let known = Definitions::of(system, &[], property)?.property;
    let Contents::Induction(found) = &certificate.contents else {
        return Ok(vec!["The file has lemmas, and no property.".to_string()]);
    };
    let said = |formula: &CertificateFormula| (formula.arguments.clone(), formula.body.clone());
    let same = said(&found.property) == said(&known);
    Ok(if same { Vec::new() } else { vec![format!("The property is not {}.", property.formula)] })
}

fn ways(kind: &str, found: &[CertificatePath], known: &[CertificatePath], all: &mut Vec<String>) {
    let missing = known.iter().filter(|way| !found.iter().any(|other| other.name == way.name));
    all.extend(missing.map(|way| format!("The {kind} \"{}\" is not in the file.", way.name)));
    let added = found.iter().filter(|way| !known.iter().any(|other| other.name == way.name));
    all.extend(added.map(|way| format!("The {kind} \"{}\" is only in the file.", way.name)));
    let changed =
        found.iter().filter(|way| known.iter().any(|other| other.name == way.name) && !known.contains(way));
    all.extend(changed.map(|way| format!("The {kind} \"{}\" is another one in the file.", way.name)));
    if all.is_empty() && found != known {
        all.push(format!("The {kind}s are not the same ones, or not in the same order."));
    }
}
