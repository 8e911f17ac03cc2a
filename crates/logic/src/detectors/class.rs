//! The classes of failure detectors and how they imply each other. Their meaning on a run is in the parent module.

use strum::{Display, IntoStaticStr};
use watchkeeper_core::Completeness;

/// How well mistakes are avoided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, IntoStaticStr)]
pub enum Accuracy {
    /// No process is suspected before it crashes.
    #[strum(to_string = "strong accuracy")]
    Strong,
    /// Some correct process is never suspected.
    #[strum(to_string = "weak accuracy")]
    Weak,
    /// There is a time after which correct processes are not suspected by any correct process.
    #[strum(to_string = "eventual strong accuracy")]
    EventualStrong,
    /// There is a time after which some correct process is never suspected by any correct process.
    #[strum(to_string = "eventual weak accuracy")]
    EventualWeak,
}

/// A class of detectors: one kind of completeness with one kind of accuracy, or the election of a leader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, IntoStaticStr)]
pub enum DetectorClass {
    /// Perfect: strong completeness, strong accuracy.
    P,
    /// Strong: strong completeness, weak accuracy.
    S,
    /// Weak completeness, strong accuracy.
    Q,
    /// Weak: weak completeness, weak accuracy.
    W,
    /// Eventually perfect: strong completeness, eventual strong accuracy.
    #[strum(to_string = "◇P")]
    EventualP,
    /// Eventually strong: strong completeness, eventual weak accuracy.
    #[strum(to_string = "◇S")]
    EventualS,
    /// Weak completeness, eventual strong accuracy.
    #[strum(to_string = "◇Q")]
    EventualQ,
    /// Eventually weak: weak completeness, eventual weak accuracy.
    #[strum(to_string = "◇W")]
    EventualW,
    /// Eventually all correct processes have the same correct leader.
    #[strum(to_string = "Ω")]
    Omega,
}

impl Accuracy {
    /// All four.
    pub const ALL: [Accuracy; 4] =
        [Accuracy::Strong, Accuracy::Weak, Accuracy::EventualStrong, Accuracy::EventualWeak];

    /// Its name in the literature.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether every run with this kind has the other. Weak accuracy and eventual strong accuracy lie side by side.
    pub fn implies(self, other: Accuracy) -> bool {
        self == other || self == Accuracy::Strong || other == Accuracy::EventualWeak
    }
}

impl DetectorClass {
    /// All of them: those of Chandra and Toueg in the order of their figure 1, and Ω.
    pub const ALL: [DetectorClass; 9] = [
        DetectorClass::P,
        DetectorClass::S,
        DetectorClass::EventualP,
        DetectorClass::EventualS,
        DetectorClass::Q,
        DetectorClass::W,
        DetectorClass::EventualQ,
        DetectorClass::EventualW,
        DetectorClass::Omega,
    ];

    /// Its name in the literature.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What a detector of this class has; nothing of the kind for Ω, which elects.
    pub const fn needs(self) -> Option<(Completeness, Accuracy)> {
        Some(match self {
            DetectorClass::P => (Completeness::Strong, Accuracy::Strong),
            DetectorClass::S => (Completeness::Strong, Accuracy::Weak),
            DetectorClass::EventualP => (Completeness::Strong, Accuracy::EventualStrong),
            DetectorClass::EventualS => (Completeness::Strong, Accuracy::EventualWeak),
            DetectorClass::Q => (Completeness::Weak, Accuracy::Strong),
            DetectorClass::W => (Completeness::Weak, Accuracy::Weak),
            DetectorClass::EventualQ => (Completeness::Weak, Accuracy::EventualStrong),
            DetectorClass::EventualW => (Completeness::Weak, Accuracy::EventualWeak),
            DetectorClass::Omega => return None,
        })
    }

    /// Whether every run of a detector of this class is one of the other: as it stands, not after a reduction that
    /// exchanges messages. Where the suspicions of all are right in the end, the smallest process that is not
    /// suspected is the same for all, so ◇P elects; the other way round a leader says nothing of the processes
    /// that are larger.
    pub fn implies(self, other: DetectorClass) -> bool {
        match (self.needs(), other.needs()) {
            (Some((complete, accurate)), Some((completeness, accuracy))) => {
                complete.implies(completeness) && accurate.implies(accuracy)
            }
            (Some(_), None) => self.implies(DetectorClass::EventualP),
            (None, Some(_)) => false,
            (None, None) => true,
        }
    }
}
