//! The classes of failure detectors that a protocol belongs to in a world: every property of Chandra and Toueg
//! is asked of one graph of states, and the classes follow. What refutes the next stronger class is kept.

mod answer;

use crate::detector_property::DetectorProperty;
use crate::detector_property::impatience;
use crate::erased::ErasedProtocol;
use crate::fairness::fairness;
use crate::plan::CheckPlan;
use crate::problem::{Problem, SettingOrigin};
use crate::search_options::SearchOptions;
use crate::settings::{Settings, Sourced};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, SymmetryReduction, liveness};
use watchkeeper_logic::{Accuracy, DetectorClass, Fairness, Formula, Outcome, TemporalProperty, Verdict};
use watchkeeper_world::WorldTime;

/// Said where processes recover, since the paper has no such processes.
const RECOVERIES: &str = "the classes of Chandra and Toueg suppose that who has crashed stays down; here processes \
                          recover, and the properties speak of who is down at the moment";

/// What a protocol is in a world.
pub struct Classified {
    /// Each property with its verdict.
    pub traits: Vec<(DetectorProperty, Verdict)>,
    /// When suspicions of correct processes end, where timeouts grow.
    pub patience: Option<SufficientTimeout>,
}

/// The timeout after which nobody is suspected wrongly any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SufficientTimeout {
    /// Once it has grown to this.
    Until(u32),
    /// It grows to the most that it may become, and whether that is only just enough nobody can tell: the suspicion
    /// that made it grow that far and one in spite of it look alike. They end, or there would be nothing to say.
    GrownToCap(u32),
    /// A search ran into a limit.
    Unknown,
}

/// Whether a class is met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// A search ran into a limit.
    Unknown,
}

/// These settings, and what goes without saying where a class is asked for: that somebody can crash.
pub fn supposed(mut settings: Settings) -> Settings {
    if settings.crashable.is_none() && settings.crashed_at_start.is_none() {
        let origin = SettingOrigin::Argument("--crashes".to_string());
        settings.crashes.get_or_insert(Sourced { value: 1, origin });
    }
    settings
}

/// Asks everything of a detector in the world of a plan, whatever else the plan asks.
pub fn classify(
    protocol: &dyn ErasedProtocol,
    plan: &CheckPlan,
    options: &SearchOptions,
    watch: &dyn ProgressCallback,
) -> Result<Classified, Problem> {
    if !protocol.outline().suspects {
        let name = plan.name;
        let why = format!("{name} is no failure detector: nobody suspects anybody, so it has no class");
        return Err(Problem::Usage(why));
    }
    let (n, faults) = (plan.scenario.n, &plan.scenario.faults);
    if faults.crashes == 0 && faults.crashed_at_start.is_empty() {
        let why = "nobody can crash in this scenario, and then every detector is complete; add --crashes 1";
        return Err(Problem::Usage(why.to_string()));
    }
    let (space, waits) = protocol.suspecting(plan)?;
    let mut claims: Vec<TemporalProperty> =
        DetectorProperty::ALL.iter().map(|property| property.claim(space.shape(), n)).collect();
    for &most in &waits {
        let name = impatience(most);
        let atom = space.shape().atom(&name).unwrap_or_else(|| panic!("a world without the atom {name}"));
        claims.push(TemporalProperty::new(name, Formula::atom(atom).not().always()));
    }
    let mut rules = fairness(plan, space.shape())?;
    let untimed = plan.scenario.time == WorldTime::Untimed;
    if plan.fairness.is_none() && untimed {
        rules.push(Fairness::steps());
    }
    if rules.is_empty() && untimed {
        return Err(ExploreError::Unfair.into());
    }
    let search = Search { symmetry: SymmetryReduction::Off, ..options.search.clone() };
    let mut verdicts = liveness(&*space, &claims, &rules, &search, watch)?;
    verdicts.iter_mut().for_each(|verdict| plan.report_options.spare(verdict));
    if let Some(first) = verdicts.first_mut().filter(|_| faults.recoveries > 0) {
        first.warnings.push(RECOVERIES.to_string());
    }
    let grown = verdicts.split_off(DetectorProperty::ALL.len());
    let mut found =
        Classified { traits: DetectorProperty::ALL.into_iter().zip(verdicts).collect(), patience: None };
    if found.ends() {
        found.patience = patience(&waits, &grown);
    }
    Ok(found)
}

/// How long waits become in the end, if any was too short. Each verdict says that nobody who waits at least so long
/// suspects wrongly; where a timeout grows as it proves too short, the longest is then long enough. It is told only
/// where suspicions of correct processes end.
fn patience(waits: &[u32], verdicts: &[Verdict]) -> Option<SufficientTimeout> {
    let mut least = None;
    for (&wait, verdict) in waits.iter().zip(verdicts) {
        match verdict.outcome {
            Outcome::Holds(_) => return least.map(SufficientTimeout::Until),
            Outcome::Unknown(_) => return Some(SufficientTimeout::Unknown),
            Outcome::Violated(_) => least = Some(wait),
        }
    }
    least.map(SufficientTimeout::GrownToCap)
}

impl Classified {
    /// The verdict on a property.
    pub fn verdict(&self, property: DetectorProperty) -> Option<&Verdict> {
        self.traits.iter().find(|(other, _)| *other == property).map(|(_, verdict)| verdict)
    }

    /// Whether correct processes are suspected at first and not in the end.
    fn ends(&self) -> bool {
        let word =
            |accuracy| self.verdict(DetectorProperty::Accuracy(accuracy)).map(|verdict| &verdict.outcome);
        matches!(word(Accuracy::Strong), Some(Outcome::Violated(_)))
            && matches!(word(Accuracy::EventualStrong), Some(Outcome::Holds(_)))
    }

    /// Whether a class is met.
    pub fn meets(&self, class: DetectorClass) -> Met {
        let words = DetectorProperty::of(class).into_iter().filter_map(|property| self.verdict(property));
        words.fold(Met::Yes, |met, verdict| match (met, &verdict.outcome) {
            (Met::No, _) | (_, Outcome::Violated(_)) => Met::No,
            (Met::Unknown, _) | (_, Outcome::Unknown(_)) => Met::Unknown,
            (Met::Yes, Outcome::Holds(_)) => Met::Yes,
        })
    }

    /// The classes that are met and follow from no other that is.
    pub fn strongest(&self) -> Vec<DetectorClass> {
        let met: Vec<DetectorClass> =
            DetectorClass::ALL.into_iter().filter(|class| self.meets(*class) == Met::Yes).collect();
        let follows = |class: &DetectorClass| met.iter().any(|other| other != class && other.implies(*class));
        met.iter().copied().filter(|class| !follows(class)).collect()
    }

    /// The next stronger classes, each with the property that it lacks: those that imply a class that is met, or
    /// the weakest if none is, and that nothing weaker stands between.
    pub fn missed(&self) -> Vec<(DetectorClass, DetectorProperty)> {
        let strongest = self.strongest();
        let candidates: Vec<DetectorClass> = DetectorClass::ALL
            .into_iter()
            .filter(|class| *class != DetectorClass::Omega && self.meets(*class) == Met::No)
            .filter(|class| strongest.is_empty() || strongest.iter().any(|met| class.implies(*met)))
            .collect();
        let nearest = |class: &DetectorClass| {
            !candidates.iter().any(|other| other != class && class.implies(*other) && !other.implies(*class))
        };
        let lacks = |class: DetectorClass| {
            let fails = |property: &DetectorProperty| {
                self.verdict(*property).is_some_and(|verdict| matches!(verdict.outcome, Outcome::Violated(_)))
            };
            Some((class, DetectorProperty::of(class).into_iter().find(fails)?))
        };
        candidates.iter().copied().filter(nearest).filter_map(lacks).collect()
    }
}
