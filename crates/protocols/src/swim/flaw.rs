//! Variants of the protocol that are known to be wrong, to be planted one at a time. They show that a check finds each; the
//! protocol has none unless it is asked for.

use crate::consensus::UnknownFlaw;
use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// A variant of SWIM that is known to be wrong.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Display,
    EnumMessage,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownFlaw, parse_err_fn = UnknownFlaw::among::<SwimFlaw>)]
#[non_exhaustive]
pub enum SwimFlaw {
    /// A process that hears that it is suspected, or dead, does not refute it.
    NoRefutation,
    /// What is heard last overrides, also if it is of an older incarnation.
    StaleIncarnation,
    /// A refutation does not begin a new incarnation.
    SameIncarnation,
}

impl SwimFlaw {
    /// All of them.
    pub const ALL: &'static [SwimFlaw] = <SwimFlaw as VariantArray>::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The mistake in a sentence.
    pub fn about(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }
}
