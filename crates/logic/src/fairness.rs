//! Fairness: constraints that select the infinite runs that count. A constraint is data that selects actions; an
//! engine decides which runs satisfy it.

use watchkeeper_space::{ActionLabel, ClassId, Pid, Role, Shape};

/// A constraint on infinite runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    /// What it says, as a report lists it among the assumptions.
    pub name: String,
    /// How much it demands.
    pub strength: FairnessStrength,
    /// Which actions it speaks of.
    pub of: ActionSelection,
    /// Which of these are one and the same to it.
    pub each: FairnessUnit,
}

/// How much a constraint demands of the actions that it treats as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FairnessStrength {
    /// If from some time on one of them is possible in every state, one is taken again and again.
    Weak,
    /// If one of them is possible again and again, one is taken again and again.
    Strong,
    /// One of all that are selected is taken again and again, whatever is possible: all of them are one and the
    /// same, whatever [`FairnessUnit`] says.
    Always,
}

/// Some of the actions of a space: those of one of the classes, of the process, with the peer. Faults are
/// never among them, unless their class is named: nothing obliges a fault to happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ActionSelection {
    /// The classes; none for all but the faults.
    pub classes: Vec<ClassId>,
    /// Who takes the step, if that matters.
    pub process: Option<Pid>,
    /// The other end, if that matters.
    pub peer: Option<Pid>,
}

/// Which of the selected actions a constraint treats as one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FairnessUnit {
    /// All of them.
    Together,
    /// Those of one process.
    Process,
    /// Those of one process, peer and class: a kind of message on a channel, a timer.
    Kind,
    /// Those that do the same thing: one message, one timer.
    Thing,
}

impl ActionSelection {
    /// All actions of these classes.
    pub fn classes(classes: impl IntoIterator<Item = ClassId>) -> ActionSelection {
        ActionSelection { classes: classes.into_iter().collect(), ..ActionSelection::default() }
    }

    /// Whether an action is one of these.
    pub fn has(&self, shape: &Shape, class: ClassId, doing: &ActionLabel) -> bool {
        let named = match self.classes.is_empty() {
            true => shape.classes[usize::from(class)].role != Role::Fault && Some(class) != shape.time,
            false => self.classes.contains(&class),
        };
        let of = |wanted: Option<Pid>, is: Option<Pid>| wanted.is_none() || wanted == is;
        named && of(self.process, doing.process) && of(self.peer, doing.peer)
    }
}

impl FairnessUnit {
    /// The same for actions that are treated as one, and different for others.
    pub fn key(self, class: ClassId, doing: &ActionLabel) -> (Option<ClassId>, ActionLabel) {
        match self {
            FairnessUnit::Together => (None, ActionLabel::default()),
            FairnessUnit::Process => (None, ActionLabel { process: doing.process, ..ActionLabel::default() }),
            FairnessUnit::Kind => (Some(class), ActionLabel { which: 0, ..*doing }),
            FairnessUnit::Thing => (Some(class), *doing),
        }
    }
}

impl Fairness {
    /// The fairness that a space demands of every run itself: justice (weak fairness) for each of its just actions, and
    /// that time passes.
    pub fn of_space(shape: &Shape) -> Vec<Fairness> {
        let rule = |class: ClassId, strength, each| Fairness {
            name: shape.classes[usize::from(class)].name.clone(),
            strength,
            of: ActionSelection::classes([class]),
            each,
        };
        let owed =
            shape.justice.iter().map(|&class| rule(class, FairnessStrength::Weak, FairnessUnit::Thing));
        owed.chain(shape.time.map(|class| rule(class, FairnessStrength::Always, FairnessUnit::Together)))
            .collect()
    }

    /// A correct process keeps taking steps.
    pub fn processes() -> Fairness {
        Fairness {
            name: "weak fairness: a process that can take a step keeps taking steps".into(),
            strength: FairnessStrength::Weak,
            of: ActionSelection::default(),
            each: FairnessUnit::Process,
        }
    }

    /// Every timer that stays armed fires, if there are timers.
    pub fn timers(shape: &Shape) -> Option<Fairness> {
        let name = "weak fairness: a timer that stays armed fires";
        Fairness::by_role(shape, Role::Timer, name, FairnessStrength::Weak, FairnessUnit::Thing)
    }

    /// Every message that stays deliverable is delivered, or swallowed by a receiver that has crashed.
    pub fn messages(shape: &Shape) -> Option<Fairness> {
        let name = "weak fairness: every message is delivered, or its receiver crashes";
        let mut fairness =
            Fairness::by_role(shape, Role::Message, name, FairnessStrength::Weak, FairnessUnit::Thing)?;
        let swallow = shape.classes.iter().position(|class| class.name == "swallow");
        fairness.of.classes.extend(swallow.map(|class| class as ClassId));
        Some(fairness)
    }

    /// A channel that can deliver a kind of message again and again does deliver it again and again: links that lose
    /// messages, but not all of them.
    pub fn links(shape: &Shape) -> Option<Fairness> {
        let name = "strong fairness: of a kind of message that is sent again and again, some are delivered";
        Fairness::by_role(shape, Role::Message, name, FairnessStrength::Strong, FairnessUnit::Kind)
    }

    /// Every step that stays possible is taken: timers, messages, and whatever else is not a fault.
    pub fn steps() -> Fairness {
        Fairness {
            name: "weak fairness: every step that stays possible is taken".into(),
            strength: FairnessStrength::Weak,
            of: ActionSelection::default(),
            each: FairnessUnit::Thing,
        }
    }

    /// Whether these constraints say together that every step that stays possible is taken, and no more.
    pub fn is_steps(all: &[Fairness]) -> bool {
        let same = |rule: &Fairness| {
            let steps = Fairness::steps();
            (rule.strength, &rule.of, rule.each) == (steps.strength, &steps.of, steps.each)
        };
        !all.is_empty() && all.iter().all(same)
    }

    fn by_role(
        shape: &Shape,
        role: Role,
        name: &str,
        strength: FairnessStrength,
        each: FairnessUnit,
    ) -> Option<Fairness> {
        let classes = shape.classes.iter().enumerate().filter(|(_, class)| class.role == role);
        let of = ActionSelection::classes(classes.map(|(id, _)| id as ClassId));
        (!of.classes.is_empty()).then(|| Fairness { name: name.into(), strength, of, each })
    }
}
