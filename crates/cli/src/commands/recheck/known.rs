//! What a certificate is of: the theorem of this program whose definitions it has, or none. Definitions are compared,
//! and never names: a file can call itself what it likes.

use crate::commands::prove::words::scope;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::parametric;
use watchkeeper_prove::{
    Certificate, CertificateKind, Claim, ProofGoal, Refutation, Term, Theorem, k_induction_obligations,
    property_differences, system_differences,
};
use watchkeeper_report::CertifiedClaim;

/// A theorem of this program, under the name that a user writes: `binary R1`.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    case: ProofGoal,
}

/// What a certificate is of, and the same in a sentence.
pub(super) struct Matter {
    pub(super) about: CertifiedClaim,
    pub(super) told: String,
}

/// Inductions over more steps than this are not built again to be compared.
const MOST_STEPS: usize = 100;

/// How many differences from the nearest system are told.
const TOLD: usize = 3;

impl Known {
    /// All theorems.
    pub(super) fn all() -> Vec<Known> {
        let of_subject = |subject: parametric::ProofSubject| {
            let name = subject.name;
            let known = |case: ProofGoal| Known { name: format!("{name} {}", case.name()), case };
            subject.cases.into_iter().map(known).collect::<Vec<_>>()
        };
        parametric::subjects().into_iter().flat_map(of_subject).collect()
    }

    /// The theorem that `--theorem` names.
    pub(super) fn named(text: &str) -> Result<Known, Problem> {
        let wanted = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let all = Known::all();
        let known = all.iter().map(|known| known.name.clone()).collect();
        let unknown = || Problem::Unknown {
            origin: SettingOrigin::Argument("--theorem".to_string()),
            what: "theorem",
            name: wanted.clone(),
            known,
        };
        all.into_iter().find(|known| known.name == wanted).ok_or_else(unknown)
    }

    /// Whether a certificate is one of this theorem; why not, if it is not.
    pub(super) fn differences(&self, certificate: &Certificate) -> Result<(), String> {
        match (&self.case, certificate.kind()) {
            (ProofGoal::Holds(theorem), CertificateKind::Induction) => {
                let of_system = system_differences(certificate, &theorem.system);
                let of_property = property_differences(certificate, &theorem.system, &theorem.property);
                match (of_system, of_property) {
                    (Ok(system), Ok(property)) if system.is_empty() && property.is_empty() => Ok(()),
                    (Ok(system), Ok(_)) if system.is_empty() => {
                        Err(format!("the system is that of `{}`, and the property is another", self.name))
                    }
                    (Ok(system), Ok(_)) => Err(format!("from `{}` it differs: {}", self.name, few(&system))),
                    (Err(error), _) | (_, Err(error)) => Err(error.to_string()),
                }
            }
            (ProofGoal::Holds(theorem), CertificateKind::Lemmas)
                if is_induction_over_steps(certificate, theorem) =>
            {
                Ok(())
            }
            (ProofGoal::Fails(refutation), CertificateKind::Lemmas)
                if is_refutation(certificate, refutation) =>
            {
                Ok(())
            }
            (_, CertificateKind::Lemmas) => {
                Err(format!("the file has lemmas, which are not those of `{}`", self.name))
            }
            (ProofGoal::Fails(_), CertificateKind::Induction) => Err(format!(
                "the file has an invariant, and `{}` says that a property fails, which a run shows",
                self.name
            )),
        }
    }
}

impl Matter {
    /// What a certificate is of.
    pub(super) fn of(certificate: &Certificate) -> Matter {
        let all = Known::all();
        if let Some(known) = all.iter().find(|known| known.differences(certificate).is_ok()) {
            let told = match certificate.kind() {
                CertificateKind::Induction => {
                    format!("the system and the property are those of `{}`", known.name)
                }
                CertificateKind::Lemmas => {
                    format!("the lemmas are all that `{}` needs, and no others", known.name)
                }
            };
            let about =
                CertifiedClaim::Theorem { name: known.name.clone(), scope: scope(known.case.system()) };
            return Matter { about, told };
        }
        let Some(property) = certificate.property() else {
            let told = "the file has lemmas, and no system that could be compared: what follows from them is for the \
                        reader to judge";
            return Matter { about: CertifiedClaim::Lemmas, told: told.to_string() };
        };
        let mut nearest: Option<(Vec<String>, &Known)> = None;
        for known in &all {
            let Ok(differences) = system_differences(certificate, known.case.system()) else { continue };
            if nearest.as_ref().is_none_or(|(least, _)| differences.len() < least.len()) {
                nearest = Some((differences, known));
            }
        }
        match nearest {
            Some((differences, known)) if differences.is_empty() => Matter {
                about: CertifiedClaim::Property {
                    property: property.to_string(),
                    system_of: known.name.clone(),
                    scope: scope(known.case.system()),
                },
                told: format!("the system is that of `{}`, and the property is another", known.name),
            },
            nearest => {
                let from = nearest.map_or(String::new(), |(differences, known)| {
                    format!("; from that of `{}` it differs: {}", known.name, few(&differences))
                });
                let assumed = match certificate.assumptions() {
                    [] => "nothing of the parameters".to_string(),
                    some => some.join(" "),
                };
                let told = format!(
                    "the system is none of this program{from} It proves {property}, and assumes {assumed}"
                );
                Matter { about: CertifiedClaim::Foreign, told }
            }
        }
    }
}

fn few(differences: &[String]) -> String {
    differences[..differences.len().min(TOLD)].join(" ")
}

/// Whether these are the lemmas of a refutation: all of them, built again from its definition.
fn is_refutation(certificate: &Certificate, refutation: &Refutation) -> bool {
    let again = refutation.obligations().ok().and_then(|obligations| {
        Certificate::lemmas(
            &refutation.system,
            "",
            &obligations,
            watchkeeper_prove::CertificateOrigin::default(),
        )
        .ok()
    });
    again.is_some_and(|again| certificate.says_the_same_as(&again))
}

/// Whether these are the lemmas of an induction over several steps of the property alone.
fn is_induction_over_steps(certificate: &Certificate, theorem: &Theorem) -> bool {
    let steps = certificate.obligations().saturating_sub(1);
    if !(1..=MOST_STEPS).contains(&steps) {
        return false;
    }
    let goal =
        Claim { name: theorem.property.name.clone(), formula: Term::and([theorem.property.formula.clone()]) };
    let again =
        k_induction_obligations(&theorem.system, &goal, &[], steps, true).ok().and_then(|obligations| {
            Certificate::lemmas(
                &theorem.system,
                "",
                &obligations,
                watchkeeper_prove::CertificateOrigin::default(),
            )
            .ok()
        });
    again.is_some_and(|again| certificate.says_the_same_as(&again))
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_prove::{CertificateOrigin, System};

    fn certificate(system: &System, property: &Claim) -> Certificate {
        let invariant = std::slice::from_ref(property);
        Certificate::induction(system, invariant, property, CertificateOrigin::default())
            .expect("a certificate")
    }

    fn is_foreign(certificate: &Certificate) -> bool {
        Matter::of(certificate).about == CertifiedClaim::Foreign
    }

    /// To find out what a file is of it is compared with all theorems; so much is asked of some of them.
    const SOME: usize = 9;

    #[test]
    fn a_certificate_is_known_by_its_definitions_whatever_theorem_it_is_of() {
        let mut seen = 0;
        for (i, known) in Known::all().into_iter().enumerate() {
            let ProofGoal::Holds(theorem) = &known.case else { continue };
            let sound = certificate(&theorem.system, &theorem.property);
            assert_eq!(known.differences(&sound), Ok(()));
            let other =
                Claim { formula: theorem.property.formula.clone().negated(), ..theorem.property.clone() };
            let other = certificate(&theorem.system, &other);
            let why = known.differences(&other).expect_err("another property");
            assert!(why.contains("the property is another"), "{why}");
            seen += 1;
            if i % SOME != 0 {
                continue;
            }
            assert!(matches!(Matter::of(&other).about, CertifiedClaim::Property { .. }), "{}", known.name);
            let CertifiedClaim::Theorem { scope: told, .. } = Matter::of(&sound).about else {
                panic!("{}", known.name)
            };
            assert_eq!(told, scope(&theorem.system), "{}", known.name);
        }
        assert!(seen > 20, "{seen}");
    }

    #[test]
    fn a_system_that_was_changed_is_none_of_this_program() {
        for (i, known) in Known::all().into_iter().enumerate() {
            let ProofGoal::Holds(theorem) = &known.case else { continue };
            let system = &theorem.system;
            let parameter = Term::name(&system.parameters[0].name);
            let change = |how: fn(&mut System)| {
                let mut changed = system.clone();
                how(&mut changed);
                changed
            };
            let mut changed = vec![
                system.under(Term::Number(977).le(parameter.clone())),
                change(|system| system.dense = !system.dense),
                change(|system| drop(system.steps.remove(0))),
            ];
            if !system.assumptions.is_empty() {
                changed.push(change(|system| system.assumptions.clear()));
            }
            for changed in changed {
                let certificate = certificate(&changed, &theorem.property);
                assert!(known.differences(&certificate).is_err(), "{}", known.name);
            }
            let narrowed = system.under(Term::Number(977).le(parameter));
            if i % SOME == 0 {
                assert!(is_foreign(&certificate(&narrowed, &theorem.property)), "{}", known.name);
            }
        }
    }

    #[test]
    fn a_refutation_and_an_induction_over_steps_are_known_by_their_lemmas() {
        let named = |name: &str| Known::named(name).expect("a theorem");
        let (fails, holds) = (named("binary R2-fails"), named("binary R2"));
        let ProofGoal::Fails(refutation) = &fails.case else { panic!("a refutation") };
        let obligations = refutation.obligations().expect("obligations");
        let lemmas = |obligations: &[_]| {
            Certificate::lemmas(&refutation.system, "R2", obligations, CertificateOrigin::default())
                .expect("lemmas")
        };
        let whole = lemmas(&obligations);
        assert_eq!(fails.differences(&whole), Ok(()));
        assert!(holds.differences(&whole).is_err());
        // One lemma less, or one that is there twice.
        let mut twice = obligations.clone();
        twice.push(obligations[0].clone());
        for other in [lemmas(&obligations[1..]), lemmas(&twice)] {
            assert!(fails.differences(&other).is_err());
            assert_eq!(Matter::of(&other).about, CertifiedClaim::Lemmas);
        }
        let ProofGoal::Holds(theorem) = &holds.case else { panic!("a theorem") };
        let steps = k_induction_obligations(&theorem.system, &theorem.property, &[], 3, true);
        let steps =
            Certificate::lemmas(&theorem.system, "R2", &steps.expect("lemmas"), CertificateOrigin::default());
        assert_eq!(holds.differences(&steps.expect("a certificate")), Ok(()));
    }

    #[test]
    fn a_theorem_that_is_none_is_refused_with_the_nearest() {
        let error = Known::named("binary R4").expect_err("no theorem").to_string();
        assert!(
            error.contains("there is no theorem `binary R4`") && error.contains("`binary R1`"),
            "{error}"
        );
        assert_eq!(Known::named(" binary   R1 ").map(|known| known.name), Ok("binary R1".to_string()));
    }
}
