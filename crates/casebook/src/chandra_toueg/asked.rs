//! What the paper asks of the model: properties 7.1 to 7.3, and the safety property to which section 8.2
//! reduces the last of them. They are asked as they are said, on infinite runs where they speak of those.

use super::{ChandraTouegCase, SenderReceiver};
use crate::names::UnknownName;
use strum::{Display, EnumString, VariantArray, VariantNames};
use watchkeeper_logic::{Formula, Invariant, Question, TemporalProperty};
use watchkeeper_space::{AtomId, Space};

/// A property of the detector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<ChandraTouegProperty>)]
pub enum ChandraTouegProperty {
    /// A sender that has not crashed is never suspected: 7.1.
    StrongAccuracy,
    /// From some time on it is not suspected: 7.2.
    EventualStrongAccuracy,
    /// A sender that has crashed is suspected for ever from some time on: 7.3.
    StrongCompleteness,
    /// A sender that has crashed is suspected within a bound: 8.6, on the ghost counter.
    BoundedCompleteness,
}

impl ChandraTouegProperty {
    /// Whether it speaks of infinite runs.
    pub const fn is_liveness(self) -> bool {
        matches!(
            self,
            ChandraTouegProperty::EventualStrongAccuracy | ChandraTouegProperty::StrongCompleteness
        )
    }

    /// The case in which this can be asked: completeness is about a sender that may crash.
    #[must_use]
    pub const fn fitting(self, case: ChandraTouegCase) -> ChandraTouegCase {
        match self {
            ChandraTouegProperty::StrongAccuracy | ChandraTouegProperty::EventualStrongAccuracy => case,
            ChandraTouegProperty::StrongCompleteness => case.with_crash(),
            ChandraTouegProperty::BoundedCompleteness => case.with_ghost(),
        }
    }

    /// The question. Every global step takes time, and every run goes on for ever, so no fairness is needed.
    ///
    /// # Panics
    /// If the case does not fit: see [`ChandraTouegProperty::fitting`].
    pub fn question(self, space: &SenderReceiver) -> Question {
        let atom = |name: &str| -> AtomId {
            space.shape().atom(name).unwrap_or_else(|| panic!("{self} is asked of a model without {name}"))
        };
        let holds = |name: &str| Formula::atom(atom(name));
        let invariant = |when: Option<AtomId>, then: AtomId| Question {
            invariants: vec![Invariant { name: self.to_string(), when, then }],
            ..Question::default()
        };
        let temporal = |claim: TemporalProperty| Question { temporal: vec![claim], ..Question::default() };
        match self {
            ChandraTouegProperty::StrongAccuracy => {
                let when = space.case().crash().then(|| atom("correct"));
                invariant(when, atom("trusted"))
            }
            ChandraTouegProperty::EventualStrongAccuracy => {
                let settled = match space.case().crash() {
                    true => holds("correct").implies(holds("trusted")),
                    false => holds("suspected").not(),
                };
                temporal(TemporalProperty::new(self.to_string(), settled.always().eventually()))
            }
            ChandraTouegProperty::StrongCompleteness => {
                let for_ever = holds("suspected").always().eventually();
                let claim = holds("crashed").implies(for_ever).always();
                temporal(
                    TemporalProperty::new(self.to_string(), claim).supposing(holds("crashed").eventually()),
                )
            }
            ChandraTouegProperty::BoundedCompleteness => {
                invariant(Some(atom("crashed")), atom("suspected-in-time"))
            }
        }
    }
}
