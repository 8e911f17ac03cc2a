//! Comparisons that the parameters leave undecided. A function of durations is called again and again, each time with a
//! log of what its comparisons came to, until every way through it was taken; each way is possible for the parameters
//! in one polyhedron. The function must be pure, as the steps of a protocol are.

use crate::Linear;
use std::cell::RefCell;
use watchkeeper_polyhedra::{Constraint, Overflow, Polyhedron, Relation};

/// Why there is no answer for durations that are unknown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trouble {
    /// Numbers became too large to be exact.
    #[error(
        "the numbers of this search became too large to be exact; bound the parameters with --where, or give some of them numbers"
    )]
    Overflow,
    /// The code multiplies two parameters.
    #[error(
        "the code multiplies two unknown durations, ({left}) and ({right}); regions have linear bounds, and a product of \
         parameters has none: give one of the two a number instead of naming it with --param"
    )]
    Product {
        /// One factor.
        left: String,
        /// The other.
        right: String,
    },
    /// A name that is no parameter.
    #[error("`{name}` is not a parameter here; the parameters are {}", known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The parameters.
        known: Vec<String>,
    },
    /// Comparisons without end.
    #[error(
        "one step of the protocol makes more than {most} comparisons that the parameters leave undecided"
    )]
    Comparisons {
        /// The limit.
        most: usize,
    },
}

impl Trouble {
    pub(crate) fn unknown(expression: Linear, parameters: &[String]) -> Trouble {
        let stranger = expression.parameters().find(|name| !parameters.iter().any(|known| known == name));
        Trouble::Unknown { name: stranger.unwrap_or("?").to_string(), known: parameters.to_vec() }
    }
}

impl From<Overflow> for Trouble {
    fn from(_: Overflow) -> Trouble {
        Trouble::Overflow
    }
}

/// The most undecided comparisons in one call.
const MOST: usize = 64;

/// What the comparisons of one call have come to.
struct Decisions {
    parameters: Vec<String>,
    /// The parameters for which the call has come to where it is.
    possible: Polyhedron,
    log: Vec<bool>,
    next: usize,
    trouble: Option<Trouble>,
}

thread_local! {
    static ACTIVE: RefCell<Option<Decisions>> = const { RefCell::new(None) };
}

/// One way through a function: for these parameters, this value.
#[derive(Clone, Debug)]
pub struct Branch<V> {
    /// The parameters.
    pub parameters: Polyhedron,
    /// The value.
    pub value: V,
}

/// All ways through a function of durations, for parameters of a polyhedron over these names.
pub fn branches<V>(
    parameters: &[String],
    domain: &Polyhedron,
    call: impl Fn() -> V,
) -> Result<Vec<Branch<V>>, Trouble> {
    let mut found = Vec::new();
    let mut log = Vec::new();
    loop {
        let decisions = Decisions {
            parameters: parameters.to_vec(),
            possible: domain.clone(),
            log: std::mem::take(&mut log),
            next: 0,
            trouble: None,
        };
        let outer = ACTIVE.replace(Some(decisions));
        let value = call();
        let ended = ACTIVE.replace(outer).expect("a call leaves its own decisions");
        if let Some(trouble) = ended.trouble {
            return Err(trouble);
        }
        if !ended.possible.is_empty() {
            found.push(Branch { parameters: ended.possible, value });
        }
        log = ended.log;
        // The next way: the last comparison that came out true comes out false.
        while log.last() == Some(&false) {
            log.pop();
        }
        match log.last_mut() {
            Some(last) => *last = false,
            None => return Ok(found),
        }
    }
}

/// Takes down that the present call has no value.
pub(crate) fn note(trouble: Trouble) {
    ACTIVE.with_borrow_mut(|active| {
        if let Some(decisions) = active {
            decisions.trouble.get_or_insert(trouble);
        }
    });
}

/// Whether one duration is shorter than another. Outside of a search every parameter counts as positive, and what is
/// still undecided as false.
pub(crate) fn less(a: Linear, b: Linear) -> bool {
    ACTIVE.with_borrow_mut(|active| match active {
        Some(decisions) if decisions.trouble.is_none() => decisions.less(a, b).unwrap_or_else(|trouble| {
            decisions.trouble = Some(trouble);
            false
        }),
        Some(_) => false,
        None => outside(a, b),
    })
}

fn outside(a: Linear, b: Linear) -> bool {
    let Some(difference) = b.difference(a) else { return false };
    let names: Vec<String> = difference.parameters().map(str::to_string).collect();
    let Some((row, constant, _)) = difference.row(&names) else { return false };
    let all = || row.iter().chain([&constant]);
    all().all(|&number| number >= 0) && all().any(|&number| number > 0)
}

impl Decisions {
    fn less(&mut self, a: Linear, b: Linear) -> Result<bool, Trouble> {
        if a == b {
            return Ok(false);
        }
        let shorter = b.compared(a, Relation::Above, &self.parameters)?;
        if shorter.is_trivial() || shorter.is_contradiction() {
            return Ok(shorter.is_trivial());
        }
        if !self.possible.meets(&shorter)? {
            return Ok(false);
        }
        if self.possible.entails(&shorter)? {
            return Ok(true);
        }
        if self.next == self.log.len() {
            if self.log.len() == MOST {
                return Err(Trouble::Comparisons { most: MOST });
            }
            self.log.push(true);
        }
        let decision = self.log[self.next];
        self.next += 1;
        let taken: Vec<Constraint> = if decision { vec![shorter] } else { shorter.negated() };
        self.possible = self.possible.and(&taken)?;
        Ok(decision)
    }
}

/// The positive part of the space of these parameters: durations are never negative.
pub fn durations(parameters: &[String]) -> Result<Polyhedron, Trouble> {
    let zero = Linear::from(0);
    let sign = |name: &String| Linear::parameter(name).compared(zero, Relation::AtLeast, parameters);
    let signs: Vec<Constraint> = parameters.iter().map(sign).collect::<Result<_, _>>()?;
    Ok(Polyhedron::of(parameters.len(), &signs)?)
}
