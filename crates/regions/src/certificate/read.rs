//! The reader of certificates. It takes any text, and gives a certificate whose rows have the right lengths, or the line
//! that is wrong. It solves nothing and believes nothing.

use super::{InductiveSet, OPENING, Polyhedra, REGION_FORMAT, RegionCertificate, RegionCertificateError};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use watchkeeper_polyhedra::{Constraint, Relation};

/// The longest word that an error repeats.
const TOLD: usize = 40;

/// Where the next constraint belongs.
enum Open {
    Nothing,
    Claim,
    Region,
    /// A state of the last proof, and whether a polyhedron of it is open.
    State(Vec<u8>, bool),
}

struct CertificateReader {
    command: Option<String>,
    parameters: Option<Vec<String>>,
    claims: Vec<Vec<Constraint>>,
    proofs: Vec<InductiveSet>,
    open: Open,
}

/// What a line leads to: an error is told with its number.
type Lines = Result<(), String>;

pub(super) fn certificate(text: &str) -> Result<RegionCertificate, RegionCertificateError> {
    let mut lines = text.lines().enumerate();
    let first = lines.next().map_or("", |(_, first)| first);
    match first.split_whitespace().collect::<Vec<_>>()[..] {
        [OPENING, format] if format == REGION_FORMAT.to_string() => {}
        [OPENING, ref format @ ..] => {
            let found = shortened(&format.join(" "));
            return Err(RegionCertificateError::Format { found, known: REGION_FORMAT });
        }
        _ => return Err(RegionCertificateError::Opening { opening: OPENING, format: REGION_FORMAT }),
    }
    let mut reader = CertificateReader {
        command: None,
        parameters: None,
        claims: Vec::new(),
        proofs: Vec::new(),
        open: Open::Nothing,
    };
    let damaged = |at: usize, why: String| RegionCertificateError::Line { line: at + 1, why };
    let mut ended = false;
    for (at, line) in lines {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if ended {
            return Err(damaged(at, "something follows the end".to_string()));
        }
        ended = line == "end";
        if !ended {
            reader.line(line).map_err(|why| damaged(at, why))?;
        }
    }
    // A last line without its line break may be the beginning of another.
    if !ended || !text.ends_with('\n') {
        return Err(RegionCertificateError::CutOff);
    }
    reader.finished().map_err(|why| damaged(text.lines().count().saturating_sub(1), why))
}

impl CertificateReader {
    fn line(&mut self, line: &str) -> Lines {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "command" if self.command.is_none() => self.command = Some(super::one_line(rest)),
            "parameters" if self.parameters.is_none() => self.parameters = Some(names(rest)?),
            "claim" if rest.is_empty() && self.proofs.is_empty() => {
                self.claims.push(Vec::new());
                self.open = Open::Claim;
            }
            "proof" => {
                let model = count(rest)?;
                self.proofs.push(InductiveSet { model, region: Vec::new(), states: BTreeMap::new() });
                self.open = Open::Region;
            }
            "state" => self.state(rest)?,
            "polyhedron" if rest.is_empty() => match (&mut self.open, self.proofs.last_mut()) {
                (Open::State(key, open), Some(proof)) => {
                    *open = true;
                    proof.states.entry(key.clone()).and_modify(|state| state.pieces.push(Vec::new()));
                }
                _ => return Err("a polyhedron belongs to a state, and there is none before it".to_string()),
            },
            "=" => self.row(Relation::Equal, rest)?,
            ">=" => self.row(Relation::AtLeast, rest)?,
            ">" => self.row(Relation::Above, rest)?,
            _ => return Err(format!("`{}` has no meaning at this place", shortened(word))),
        }
        Ok(())
    }

    fn state(&mut self, rest: &str) -> Lines {
        let proof =
            self.proofs.last_mut().ok_or("a state belongs to a proof, and there is none before it")?;
        let [variables, key] = rest.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err("a state has a number of variables and a key".to_string());
        };
        let (variables, key) = (count(variables)?, bytes(key)?);
        match proof.states.entry(key.clone()) {
            Entry::Vacant(place) => drop(place.insert(Polyhedra { variables, pieces: Vec::new() })),
            Entry::Occupied(_) => return Err("this state was there before in the same proof".to_string()),
        }
        self.open = Open::State(key, false);
        Ok(())
    }

    /// A constraint of what is open.
    fn row(&mut self, relation: Relation, rest: &str) -> Lines {
        let parameters =
            self.parameters.as_ref().ok_or("a constraint comes after the line `parameters`")?.len();
        let mut numbers = Vec::new();
        for word in rest.split_whitespace() {
            let number = word.parse::<i64>().map_err(|_| format!("`{}` is no number", shortened(word)))?;
            numbers.push(number);
        }
        let state = match (&self.open, self.proofs.last_mut()) {
            (Open::State(key, true), Some(proof)) => proof.states.get_mut(key),
            _ => None,
        };
        let variables = state.as_ref().map_or(0, |state| state.variables);
        let constant = numbers.pop();
        let Some(constant) = constant.filter(|_| parameters.checked_add(variables) == Some(numbers.len()))
        else {
            return Err(format!(
                "a constraint of {parameters} parameters and {variables} variables has as many numbers and a constant"
            ));
        };
        let place = match (&self.open, state) {
            (Open::State(..), Some(state)) => state.pieces.last_mut(),
            (Open::Claim, _) => self.claims.last_mut(),
            (Open::Region, _) => self.proofs.last_mut().map(|proof| &mut proof.region),
            _ => None,
        };
        let place = place.ok_or("a constraint belongs to a claim, a proof or a polyhedron")?;
        place.push(Constraint::new(numbers, constant, relation));
        Ok(())
    }

    fn finished(self) -> Result<RegionCertificate, String> {
        let CertificateReader { command, parameters, claims, proofs, .. } = self;
        if claims.is_empty() {
            return Err("it claims nothing".to_string());
        }
        Ok(RegionCertificate {
            command: command.ok_or("there is no line `command`")?,
            parameters: parameters.ok_or("there is no line `parameters`")?,
            claims,
            proofs,
        })
    }
}

fn names(rest: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = rest.split_whitespace().map(str::to_string).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(format!("the parameter `{}` is there twice", shortened(name)));
        }
    }
    Ok(names)
}

fn count(word: &str) -> Result<usize, String> {
    word.parse().map_err(|_| format!("`{}` is no count", shortened(word)))
}

fn bytes(word: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("`{}` is no key in hexadecimal", shortened(word));
    let digits: Option<Vec<u8>> =
        word.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0).ok_or_else(wrong)?;
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// The beginning of a word, for an error.
fn shortened(word: &str) -> String {
    let mut told: String = word.chars().filter(|c| !c.is_control()).take(TOLD).collect();
    if word.chars().count() > TOLD {
        told.push_str("...");
    }
    told
}
