//! The properties of failure detectors by the names that the command line has for them, and the classes that
//! they make up.

use crate::description::{Described, Description};
use watchkeeper_core::Pid;
use watchkeeper_logic::{Accuracy, Completeness, DetectorClass, Suspicions, TemporalProperty};
use watchkeeper_space::Shape;
use watchkeeper_world::TypedWorld;

/// A property of failure detectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DetectorProperty {
    /// Crashed processes are suspected.
    Completeness(Completeness),
    /// Others are not.
    Accuracy(Accuracy),
    /// There is a leader in the end, the smallest process that is not suspected.
    Leadership,
}

impl DetectorProperty {
    /// All of them, completeness first.
    pub const ALL: [DetectorProperty; 7] = [
        DetectorProperty::Completeness(Completeness::Strong),
        DetectorProperty::Completeness(Completeness::Weak),
        DetectorProperty::Accuracy(Accuracy::Strong),
        DetectorProperty::Accuracy(Accuracy::Weak),
        DetectorProperty::Accuracy(Accuracy::EventualStrong),
        DetectorProperty::Accuracy(Accuracy::EventualWeak),
        DetectorProperty::Leadership,
    ];

    /// The property of this name.
    pub fn named(name: &str) -> Option<DetectorProperty> {
        DetectorProperty::ALL.into_iter().find(|property| property.name() == name)
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            DetectorProperty::Completeness(Completeness::Strong) => "strong-completeness",
            DetectorProperty::Completeness(Completeness::Weak) => "weak-completeness",
            DetectorProperty::Accuracy(Accuracy::Strong) => "strong-accuracy",
            DetectorProperty::Accuracy(Accuracy::Weak) => "weak-accuracy",
            DetectorProperty::Accuracy(Accuracy::EventualStrong) => "eventual-strong-accuracy",
            DetectorProperty::Accuracy(Accuracy::EventualWeak) => "eventual-weak-accuracy",
            DetectorProperty::Leadership => "leadership",
        }
    }

    /// What it says.
    pub const fn about(self) -> &'static str {
        match self {
            DetectorProperty::Completeness(Completeness::Strong) => {
                "eventually every crashed process is permanently suspected by every correct process"
            }
            DetectorProperty::Completeness(Completeness::Weak) => {
                "eventually every crashed process is permanently suspected by some correct process"
            }
            DetectorProperty::Accuracy(Accuracy::Strong) => "no process is suspected before it crashes",
            DetectorProperty::Accuracy(Accuracy::Weak) => "some correct process is never suspected",
            DetectorProperty::Accuracy(Accuracy::EventualStrong) => {
                "eventually no correct process is suspected"
            }
            DetectorProperty::Accuracy(Accuracy::EventualWeak) => {
                "eventually some correct process is not suspected"
            }
            DetectorProperty::Leadership => {
                "eventually all agree on the smallest process that is not suspected"
            }
        }
    }

    /// The properties that a class asks.
    pub fn of(class: DetectorClass) -> Vec<DetectorProperty> {
        match class.needs() {
            Some((completeness, accuracy)) => {
                vec![DetectorProperty::Completeness(completeness), DetectorProperty::Accuracy(accuracy)]
            }
            None => vec![DetectorProperty::Leadership],
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
            DetectorProperty::Completeness(completeness) => suspicions.completeness(completeness),
            DetectorProperty::Accuracy(accuracy) => suspicions.accuracy(accuracy),
            DetectorProperty::Leadership => suspicions.leadership(),
        };
        TemporalProperty { name: self.name().to_string(), ..claim }
    }
}

/// The name of the atom: some process waits at least so long for a process that is up, and suspects it.
pub(crate) fn impatience(most: u32) -> String {
    format!("suspects wrongly, and waits {most} or longer")
}

/// The world with that atom.
pub(crate) fn impatient<P: Described>(
    description: &Description<P>,
    world: TypedWorld<P>,
    n: usize,
    most: u32,
) -> TypedWorld<P> {
    let Some(detector) = description.detector else { return world };
    let (Some(suspects), Some(patience)) = (detector.suspects, detector.patience) else { return world };
    let protocol = world.protocol().clone();
    world.with_atom(impatience(most), true, move |global| {
        Pid::all(n).any(|by| {
            let Some(state) = global.state(by) else { return false };
            Pid::all(n).filter(|of| *of != by && global.state(*of).is_some()).any(|of| {
                let suspects = suspects(&protocol, by, state).contains(of);
                suspects && (patience.next)(&protocol, by, state, of) >= most
            })
        })
    })
}
