//! Proofs as files. A certificate is one SMT-LIB text with the system, the invariant and all obligations. A person
//! can read it, any solver can run it as it is, and [`recheck`] verifies it with nothing else from the run that
//! wrote it. A certificate is data from outside: the reader takes its definitions, builds every obligation anew,
//! and trusts no other word of it.

mod compare;
mod definitions;
mod error;
mod formula;
mod lemmas;
mod questions;
mod read;
mod recheck;

pub use compare::{property_differences, system_differences};
pub use error::CertificateError;
pub use recheck::{RecheckResult, RecheckedObligation, RecheckedPremise, recheck};

use crate::{Claim, Obligation, System};
use definitions::Definitions;
use lemmas::Lemma;
use std::fmt::Write;

/// The format that is written and read.
pub const FORMAT: u32 = 1;

/// Where a proof comes from. Words for people: a recheck repeats them and relies on none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CertificateOrigin {
    /// How the invariant was found, or who wrote it.
    pub found: String,
    /// The solver that discharged the obligations, with its version.
    pub solver: String,
    /// The command line that wrote the file.
    pub command: String,
}

/// What a certificate claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum CertificateKind {
    /// That a property is implied by an inductive invariant of a system.
    Induction,
    /// That each of some questions has no answer. What follows from them is not in the file.
    Lemmas,
}

/// A proof that can be written to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    system: String,
    claim: String,
    origin: CertificateOrigin,
    contents: Contents,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Contents {
    Induction(Box<Definitions>),
    Lemmas(Vec<Lemma>),
}

impl Certificate {
    /// That an invariant is inductive and implies a property. Whether it does is for [`recheck`] to say.
    pub fn induction(
        system: &System,
        invariant: &[Claim],
        property: &Claim,
        origin: CertificateOrigin,
    ) -> Result<Certificate, CertificateError> {
        let contents = Contents::Induction(Box::new(Definitions::of(system, invariant, property)?));
        let (system, claim) = (one_line(&system.name), one_line(&property.name));
        Certificate { system, claim, origin: origin.cleaned(), contents }.readable()
    }

    /// That each of these obligations about a system is discharged: a simulation, a witness, a k-induction.
    /// `claim` says what they show together.
    pub fn lemmas(
        system: &System,
        claim: &str,
        obligations: &[Obligation],
        origin: CertificateOrigin,
    ) -> Result<Certificate, CertificateError> {
        let lemmas = obligations.iter().map(|obligation| Lemma::of(system, obligation)).collect();
        let (system, claim) = (one_line(&system.name), one_line(claim));
        Certificate { system, claim, origin: origin.cleaned(), contents: Contents::Lemmas(lemmas) }.readable()
    }

    /// A certificate from the text of a file.
    pub fn read(text: &str) -> Result<Certificate, CertificateError> {
        read::certificate(text)
    }

    /// What it claims.
    pub fn kind(&self) -> CertificateKind {
        match self.contents {
            Contents::Induction(_) => CertificateKind::Induction,
            Contents::Lemmas(_) => CertificateKind::Lemmas,
        }
    }

    /// What the file calls its system.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// What the file calls its claim.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// Where the file says that it comes from.
    pub fn origin(&self) -> &CertificateOrigin {
        &self.origin
    }

    /// The number of conjuncts of the invariant; 0 for lemmas.
    pub fn conjuncts(&self) -> usize {
        self.definitions().map_or(0, |definitions| definitions.conjuncts.len())
    }

    /// The property as the file defines it, in SMT-LIB; none for lemmas.
    pub fn property(&self) -> Option<&str> {
        Some(&self.definitions()?.property.body)
    }

    /// What the file assumes of the parameters, in SMT-LIB; none for lemmas, which assert their own assumptions.
    pub fn assumptions(&self) -> &[String] {
        self.definitions().map_or(&[], |definitions| &definitions.assumptions)
    }

    fn definitions(&self) -> Option<&Definitions> {
        match &self.contents {
            Contents::Induction(definitions) => Some(definitions),
            Contents::Lemmas(_) => None,
        }
    }

    /// Whether another certificate says the same, wherever it comes from: a file that was read, and what would be
    /// written now.
    pub fn says_the_same_as(&self, other: &Certificate) -> bool {
        self.without_remarks().contents == other.without_remarks().contents
    }

    /// The number of obligations.
    pub fn obligations(&self) -> usize {
        match &self.contents {
            Contents::Induction(definitions) => questions::count(definitions),
            Contents::Lemmas(lemmas) => lemmas.len(),
        }
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let mut out = self.header();
        match &self.contents {
            Contents::Induction(definitions) => {
                definitions.write(&mut out);
                out.push_str("\n; The obligations. After each name there must be unsat.\n");
                out.push_str("(set-info :section obligations)\n");
                questions::write(definitions, &mut out);
            }
            Contents::Lemmas(lemmas) => {
                out.push_str("\n; The lemmas. Each must be unsat: all but its last line cannot hold without the goal.\n");
                lemmas.iter().for_each(|lemma| lemma.write(&mut out));
            }
        }
        out
    }

    fn header(&self) -> String {
        let mut out = String::new();
        let what = match self.kind() {
            CertificateKind::Induction => "an inductive invariant that implies a property",
            CertificateKind::Lemmas => "lemmas",
        };
        let _ = writeln!(
            out,
            "; A certificate of Watchkeeper: {what}.\n\
             ; Verify it with `watchkeeper recheck FILE`, which builds the obligations anew from the\n\
             ; definitions, or run it as it is, `z3 FILE` or `cvc5 --incremental FILE`, and see `unsat`\n\
             ; after each name."
        );
        let _ = writeln!(out, "(set-info :watchkeeper-certificate {FORMAT})");
        let _ = writeln!(out, "(set-info :kind {})", self.kind());
        for (key, value) in [
            ("system", &self.system),
            ("claim", &self.claim),
            ("found", &self.origin.found),
            ("solver", &self.origin.solver),
            ("command", &self.origin.command),
        ] {
            let _ = writeln!(out, "(set-info :{key} {})", literal(value));
        }
        out.push_str("(set-logic ALL)\n");
        out
    }

    /// This certificate, if what is written is read as the same.
    fn readable(self) -> Result<Certificate, CertificateError> {
        let read = Certificate::read(&self.write())?;
        if read == self.without_remarks() { Ok(self) } else { Err(CertificateError::NotItself) }
    }

    /// Without what is written for people only.
    fn without_remarks(&self) -> Certificate {
        let mut plain = self.clone();
        if let Contents::Induction(definitions) = &mut plain.contents {
            definitions.conjuncts.iter_mut().for_each(|conjunct| conjunct.remark.clear());
            definitions.property.remark.clear();
        }
        plain
    }
}

impl CertificateOrigin {
    fn cleaned(self) -> CertificateOrigin {
        let [found, solver, command] = [self.found, self.solver, self.command].map(|text| one_line(&text));
        CertificateOrigin { found, solver, command }
    }
}

/// Words on one line, without what a terminal would obey.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A string literal. What is not ASCII is spelled by its number, as in the theory of strings: cvc5 wants it so.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\"\""),
            ' '..='~' if c != '\\' => out.push(c),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// What a string literal says, on one line.
fn said(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u{") {
        out.push_str(before);
        let spelled = after.split_once('}').and_then(|(number, after)| {
            let number = u32::from_str_radix(number, 16).ok()?;
            Some((char::from_u32(number)?, after))
        });
        match spelled {
            Some((c, after)) => {
                out.push(c);
                rest = after;
            }
            None => {
                out.push_str("\\u{");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    one_line(&out)
}
