//! The least time within which crashes are found out: the least bound for which a property holds that holds for every
//! greater one, by doubling, then by halving. An answer that is neither yes nor no ends it.

mod answer;

pub use answer::{BoundAnswer, BoundEnding, BoundStep};

use crate::plan::CheckPlan;
use crate::problem::{Problem, SettingOrigin};
use crate::property_spec::PropertySpec;
use crate::quantities::TimeSpan;
use crate::settings::{Settings, Sourced, TimeModel};
use watchkeeper_logic::{Outcome, Verdict};
use watchkeeper_report::RunFacts;

/// The default of the highest bound that is tried.
pub const MOST: u32 = 10_000;

/// These settings, and what goes without saying where a bound is looked for: that there is time, and that somebody can
/// crash.
pub fn supposed(mut settings: Settings) -> Settings {
    fn origin(flag: &str) -> SettingOrigin {
        SettingOrigin::Argument(flag.to_string())
    }
    let first = PropertySpec::Detection { within: 1, pair: None };
    settings.property = Some(Sourced { value: vec![first], origin: origin("") });
    settings.time.get_or_insert_with(|| Sourced { value: TimeModel::Dense, origin: origin("--time dense") });
    let Settings { crashable, crashed_at_start, .. } = &settings;
    if crashable.is_none() && crashed_at_start.is_none() {
        settings.crashes.get_or_insert_with(|| Sourced { value: 1, origin: origin("--crashes 1") });
    }
    settings
}

/// Looks for the bound of a plan of such settings, up to `most`, where `ask` answers one question. A world in which time
/// can be locked, or a channel is too small, is none in which a bound would mean anything, so that is asked first.
pub fn hunt(
    plan: &CheckPlan,
    most: u32,
    mut ask: impl FnMut(PropertySpec) -> Result<(Verdict, RunFacts), Problem>,
) -> Result<BoundAnswer, Problem> {
    let mut steps: Vec<BoundStep> = Vec::new();
    let mut step = |asked: PropertySpec| {
        let (mut verdict, run) = ask(asked.clone())?;
        verdict.assumptions.push(match plan.stagger {
            0 => "whoever is up at the start begins at once, and rounds that begin together stay in step"
                .to_string(),
            within => format!("processes begin within {within} of the start, and keep what arrives before"),
        });
        let reply = match verdict.outcome {
            Outcome::Holds(_) => Reply::Holds,
            Outcome::Violated(_) => Reply::Refuted,
            Outcome::Unknown(_) => Reply::Unknown,
        };
        steps.push(BoundStep { asked, verdict, run });
        Ok::<_, Problem>(reply)
    };
    let named = plan.asked.iter().filter(|asked| matches!(asked, PropertySpec::Named(_)));
    let mut ending = None;
    for asked in named {
        if step(asked.clone())? != Reply::Holds {
            ending = Some(BoundEnding::Broken);
            break;
        }
    }
    let ending = match ending {
        Some(broken) => broken,
        None => {
            let found = least(most, |within| step(PropertySpec::Detection { within, pair: None }))?;
            if let LeastBound::Least(_) = found {
                step(PropertySpec::Accuracy { of: None })?;
            }
            BoundEnding::LeastBound(found)
        }
    };
    Ok(BoundAnswer { name: plan.name, ending, steps, tick: None::<TimeSpan> })
}

/// What came of one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reply {
    Holds,
    Refuted,
    Unknown,
}

/// What came of all of them. Bounds stand for the questions about them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeastBound {
    /// It holds for this bound, and not for the one below; there is none below 0.
    Least(u32),
    /// It is refuted for this bound, above which nobody wanted to look.
    Beyond(u32),
    /// The question about this bound was not answered.
    Unknown(u32),
}

/// The least bound up to `most` for which the answer is yes.
fn least<E>(most: u32, mut ask: impl FnMut(u32) -> Result<Reply, E>) -> Result<LeastBound, E> {
    // Below `low` it is refuted everywhere.
    let (mut low, mut guess) = (0, 1.min(most));
    let mut high = loop {
        match ask(guess)? {
            Reply::Holds => break guess,
            Reply::Unknown => return Ok(LeastBound::Unknown(guess)),
            Reply::Refuted if guess == most => return Ok(LeastBound::Beyond(most)),
            Reply::Refuted => (low, guess) = (guess + 1, guess.saturating_mul(2).min(most)),
        }
    };
    while low < high {
        let middle = low + (high - low) / 2;
        match ask(middle)? {
            Reply::Holds => high = middle,
            Reply::Refuted => low = middle + 1,
            Reply::Unknown => return Ok(LeastBound::Unknown(middle)),
        }
    }
    Ok(LeastBound::Least(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::ProcSet;

    /// What is found if it holds from this bound on, and what was asked.
    fn asked(from: u32, most: u32) -> (LeastBound, Vec<u32>) {
        let mut all = Vec::new();
        let found = least(most, |bound| {
            all.push(bound);
            Ok::<_, ()>(if bound >= from { Reply::Holds } else { Reply::Refuted })
        });
        (found.expect("no errors"), all)
    }

    #[test]
    fn every_bound_is_found_and_the_one_below_was_refuted() {
        for from in 0..200 {
            let (found, all) = asked(from, 1000);
            assert_eq!(found, LeastBound::Least(from));
            assert!(all.contains(&from) && (from == 0 || all.contains(&(from - 1))), "{from}: {all:?}");
            assert!(all.len() <= 18, "{from}: {all:?}");
            let mut different = all.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), all.len(), "nothing is asked twice: {all:?}");
        }
        assert_eq!(asked(21, 1000).1, [1, 2, 4, 8, 16, 32, 24, 20, 22, 21]);
    }

    #[test]
    fn nothing_above_the_most_is_asked() {
        assert_eq!(asked(101, 100), (LeastBound::Beyond(100), vec![1, 2, 4, 8, 16, 32, 64, 100]));
        assert_eq!(asked(100, 100).0, LeastBound::Least(100));
        assert_eq!(asked(0, 0), (LeastBound::Least(0), vec![0]));
        assert_eq!(asked(u32::MAX, u32::MAX).0, LeastBound::Least(u32::MAX));
    }

    #[test]
    fn what_is_not_known_ends_it() {
        let unknown_at = |at| {
            least(1000, |bound| {
                let known = if bound >= 21 { Reply::Holds } else { Reply::Refuted };
                Ok::<_, ()>(if bound == at { Reply::Unknown } else { known })
            })
        };
        assert_eq!(unknown_at(24), Ok(LeastBound::Unknown(24)));
        assert_eq!(unknown_at(8), Ok(LeastBound::Unknown(8)));
        assert_eq!(unknown_at(25), Ok(LeastBound::Least(21)));
    }

    #[test]
    fn what_somebody_says_is_not_supposed() {
        let nothing = supposed(Settings::default());
        assert_eq!(nothing.crashes.map(|given| given.value), Some(1));
        assert_eq!(nothing.time.map(|given| given.value), Some(TimeModel::Dense));
        let origin = SettingOrigin::Call("test");
        let some = supposed(Settings {
            crashable: Some(Sourced { value: ProcSet::first(2), origin: origin.clone() }),
            time: Some(Sourced { value: TimeModel::Ticks, origin }),
            ..Settings::default()
        });
        assert_eq!(some.crashes, None);
        assert_eq!(some.time.map(|given| given.value), Some(TimeModel::Ticks));
    }
}
