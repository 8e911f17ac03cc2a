//! The interleavings that a search explores: all of them, or one per class of indistinguishable runs, stage by stage.
//! The default is stages, if the protocol has them and the scenario allows them.

use crate::description::Description;
use crate::problem::Problem;
use crate::settings::{Interleaving, Sourced};
use watchkeeper_core::Promises;
use watchkeeper_space::Refusal;
use watchkeeper_world::{InStages, Scenario};

/// The interleavings that a plan explores.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InterleavingPlan {
    /// Whether it goes stage by stage, where a question lets it.
    pub stages: bool,
    /// Whether it would if nobody said anything.
    pub usual: bool,
    /// What was said.
    said: Option<Sourced<Interleaving>>,
    /// Whether all interleavings have no end.
    endless: bool,
}

impl InterleavingPlan {
    /// What is asked for, of a protocol in a scenario. Refuses what would never end.
    pub(crate) fn of<P: Promises + Clone>(
        description: &Description<P>,
        protocol: &P,
        around: &Scenario,
        said: &Option<Sourced<Interleaving>>,
    ) -> Result<InterleavingPlan, Problem> {
        let word = said.as_ref().map(|given| given.value);
        let hindrance = match description.stages {
            None => Some("the protocol has none"),
            Some(_) => InStages::hindrance(protocol, around),
        };
        let (usual, endless) = (hindrance.is_none(), (description.endless)(protocol, around));
        let stages = usual && word != Some(Interleaving::All);
        let chosen = InterleavingPlan { stages, usual, said: said.clone(), endless };
        match (word, hindrance) {
            (Some(Interleaving::Stages), Some(why)) => {
                Err(chosen.refused(format!("stages are of no use here, because {why}; leave it out")))
            }
            (Some(Interleaving::All), None) if endless => Err(chosen.refused(
                "with all interleavings there are infinitely many states, one more round after each; limit the rounds \
                 with --param rounds=3, or leave --interleaving out: in stages every number of rounds is searched"
                    .to_string(),
            )),
            (_, Some(why)) if endless => Err(chosen.without_end(why)),
            _ => Ok(chosen),
        }
    }

    /// What to do where a question cannot be asked of the world in stages: nothing more is to be said if it can be asked
    /// of all interleavings, and nobody wanted stages.
    pub(crate) fn all_instead(&self, why: &Refusal) -> Result<(), Problem> {
        let asked_for = self.said.as_ref().is_some_and(|given| given.value == Interleaving::Stages);
        match (asked_for, self.endless) {
            (true, _) => Err(self.refused(format!("{why}, that is without --interleaving stages"))),
            (false, true) => Err(self.without_end(&why.to_string())),
            (false, false) => Ok(()),
        }
    }

    fn without_end(&self, why: &str) -> Problem {
        self.refused(format!(
            "this has to be searched with all interleavings, because {why}; and then there are infinitely many states, \
             one more round after each; limit the rounds with --param rounds=3, or change that"
        ))
    }

    fn refused(&self, why: String) -> Problem {
        self.said.as_ref().map_or(Problem::Usage(why.clone()), |given| given.refused(why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Described;
    use crate::problem::SettingOrigin;
    use crate::settings::Sourced;
    use watchkeeper_protocols::consensus::{Rotating, Strong};
    use watchkeeper_protocols::ring::Ring;
    use watchkeeper_world::OracleAccuracy;

    fn chosen<P: Described>(
        protocol: &P,
        around: &Scenario,
        word: Option<Interleaving>,
    ) -> Result<bool, String> {
        let origin = SettingOrigin::Argument("--interleaving".to_string());
        let said = word.map(|value| Sourced { value, origin });
        let chosen = InterleavingPlan::of(&P::description(), protocol, around, &said);
        chosen.map(|chosen| chosen.stages).map_err(|why| why.to_string())
    }

    fn usual<P: Described>(protocol: &P) -> Scenario {
        (P::description().environment)(protocol, 3)
    }

    #[test]
    fn stages_are_used_where_they_can_be() {
        let strong = Strong::new(3).expect("a protocol");
        let mut around = usual(&strong);
        assert_eq!(chosen(&strong, &around, None), Ok(true));
        assert_eq!(chosen(&strong, &around, Some(Interleaving::All)), Ok(false));
        around.network.losses = 1;
        assert_eq!(chosen(&strong, &around, None), Ok(false));
        assert!(
            chosen(&strong, &around, Some(Interleaving::Stages)).unwrap_err().contains("loses or duplicates")
        );
        let ring = Ring::new(3, 1).expect("a protocol");
        assert_eq!(chosen(&ring, &usual(&ring), None), Ok(false));
    }

    #[test]
    fn rounds_without_end_are_searched_in_stages_or_limited() {
        let rotating = Rotating::new(3).expect("a protocol");
        let limited = rotating.clone().within(2).expect("rounds");
        let mut around = usual(&rotating);
        assert_eq!(chosen(&rotating, &around, None), Ok(true));
        assert!(
            chosen(&rotating, &around, Some(Interleaving::All)).unwrap_err().contains("--param rounds=3")
        );
        assert_eq!(chosen(&limited, &around, None), Ok(false));
        let accurate = around
            .oracle
            .map(|oracle| watchkeeper_world::Oracle { accuracy: OracleAccuracy::Weak, ..oracle });
        around.oracle = accurate;
        assert_eq!(
            chosen(&rotating, &around, Some(Interleaving::All)),
            Ok(false),
            "everyone waits for whom nobody suspects"
        );
    }
}
