//! The properties of failure detectors by the names that the command line has for them, and the classes that
//! they make up.

use watchkeeper_core::Pid;
use watchkeeper_logic::{Accuracy, Completeness, DetectorClass, Suspicions, TemporalProperty};
use watchkeeper_space::Shape;

/// A property of failure detectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trait {
    /// Crashed processes are suspected.
    Completeness(Completeness),
    /// Others are not.
    Accuracy(Accuracy),
    /// There is a leader in the end, the smallest process that is not suspected.
    Leadership,
}

impl Trait {
    /// All of them, completeness first.
    pub const ALL: [Trait; 7] = [
        Trait::Completeness(Completeness::Strong),
        Trait::Completeness(Completeness::Weak),
        Trait::Accuracy(Accuracy::Strong),
        Trait::Accuracy(Accuracy::Weak),
        Trait::Accuracy(Accuracy::EventualStrong),
        Trait::Accuracy(Accuracy::EventualWeak),
        Trait::Leadership,
    ];

    /// The property of this name.
    pub fn named(name: &str) -> Option<Trait> {
        Trait::ALL.into_iter().find(|property| property.name() == name)
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Trait::Completeness(Completeness::Strong) => "strong-completeness",
            Trait::Completeness(Completeness::Weak) => "weak-completeness",
            Trait::Accuracy(Accuracy::Strong) => "strong-accuracy",
            Trait::Accuracy(Accuracy::Weak) => "weak-accuracy",
            Trait::Accuracy(Accuracy::EventualStrong) => "eventual-strong-accuracy",
            Trait::Accuracy(Accuracy::EventualWeak) => "eventual-weak-accuracy",
            Trait::Leadership => "leadership",
        }
    }

    /// What it says.
    pub const fn about(self) -> &'static str {
        match self {
            Trait::Completeness(Completeness::Strong) => {
                "in the end every crashed process is suspected by every correct one, for ever"
            }
            Trait::Completeness(Completeness::Weak) => {
                "in the end every crashed process is suspected by some correct one, for ever"
            }
            Trait::Accuracy(Accuracy::Strong) => "nobody is suspected before it crashes",
            Trait::Accuracy(Accuracy::Weak) => "some correct process is never suspected",
            Trait::Accuracy(Accuracy::EventualStrong) => "in the end no correct process is suspected",
            Trait::Accuracy(Accuracy::EventualWeak) => "in the end some correct process is not suspected",
            Trait::Leadership => "in the end all agree on the smallest process that is not suspected",
        }
    }

    /// The properties that a class asks.
    pub fn of(class: DetectorClass) -> Vec<Trait> {
        match class.needs() {
            Some((completeness, accuracy)) => {
                vec![Trait::Completeness(completeness), Trait::Accuracy(accuracy)]
            }
            None => vec![Trait::Leadership],
        }
    }

    /// The property as a claim about runs of `n` processes.
    ///
    /// # Panics
    /// If the space has no atoms that tell who suspects whom and who has crashed.
    pub fn claim(self, shape: &Shape, n: usize) -> TemporalProperty {
        let atom =
            |name: String| shape.atom(&name).unwrap_or_else(|| panic!("a world without the atom {name}"));
        let named = |by: usize, of: usize| atom(format!("suspects({},{})", Pid::at(by), Pid::at(of)));
        let suspicions = Suspicions::new(n, named, |p| atom(format!("crashed({})", Pid::at(p))));
        let claim = match self {
            Trait::Completeness(completeness) => suspicions.completeness(completeness),
            Trait::Accuracy(accuracy) => suspicions.accuracy(accuracy),
            Trait::Leadership => suspicions.leadership(),
        };
        TemporalProperty { name: self.name().to_string(), ..claim }
    }
}
