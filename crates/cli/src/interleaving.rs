//! Which orders of steps are searched: all of them, or of all that no process can tell apart one, stage by stage. Where
//! nobody says, it is stages if the protocol has them and the scenario lets them be used.

use crate::command_line::CommandLine;
use crate::problem::Problem;
use crate::settings::{Given, Settings};
use crate::subject::Subject;
use std::str::FromStr;
use watchkeeper_space::Refusal;
use watchkeeper_world::{InStages, Scenario};

/// Which orders of steps a plan searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Interleaving {
    /// Whether it goes stage by stage, where a question lets it.
    pub(crate) stages: bool,
    /// Whether it would if nobody said anything.
    usual: bool,
    /// What was said.
    given: Option<Given>,
    /// Whether all interleavings have no end.
    endless: bool,
}

/// The word of `--interleaving`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    Stages,
    All,
}

impl FromStr for Word {
    type Err = String;

    fn from_str(text: &str) -> Result<Word, String> {
        match text {
            "stages" => Ok(Word::Stages),
            "all" => Ok(Word::All),
            _ => Err(format!("`{text}` does not say which orders of steps to search; write stages or all")),
        }
    }
}

impl Interleaving {
    /// What the settings ask for, of a protocol in a scenario. Refuses what would never end.
    pub(crate) fn of<S: Subject>(
        protocol: &S,
        around: &Scenario,
        settings: &Settings,
    ) -> Result<Interleaving, Problem> {
        let given = settings.given("interleaving").cloned();
        let word = given.as_ref().map(Given::parsed::<Word>).transpose()?;
        let hindrance = match S::STAGES {
            None => Some("the protocol has none"),
            Some(_) => InStages::hindrance(protocol, around),
        };
        let (usual, endless) = (hindrance.is_none(), protocol.endless(around));
        let stages = usual && word != Some(Word::All);
        let chosen = Interleaving { stages, usual, given, endless };
        match (word, hindrance) {
            (Some(Word::Stages), Some(why)) => {
                Err(chosen.refused(format!("stages are of no use here, because {why}; leave it out")))
            }
            (Some(Word::All), None) if endless => Err(chosen.refused(
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
        let asked_for = self.given.as_ref().is_some_and(|given| given.text.trim() == "stages");
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
        self.given.as_ref().map_or(Problem::Usage(why.clone()), |given| given.refused(why))
    }

    /// Adds the flag that says this, if one is needed.
    pub(crate) fn add_to(&self, line: &mut CommandLine) {
        if self.stages != self.usual {
            line.flag("interleaving", if self.stages { "stages" } else { "all" });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Origin;
    use watchkeeper_protocols::consensus::{Rotating, Strong};
    use watchkeeper_protocols::ring::Ring;
    use watchkeeper_world::Accuracy;

    fn chosen<S: Subject>(protocol: &S, around: &Scenario, word: Option<&str>) -> Result<bool, String> {
        let mut settings = Settings::default();
        if let Some(word) = word {
            settings.set("interleaving", word, Origin::Argument("--interleaving".to_string()));
        }
        let chosen = Interleaving::of(protocol, around, &settings);
        chosen.map(|chosen| chosen.stages).map_err(|why| why.to_string())
    }

    #[test]
    fn stages_are_used_where_they_can_be() {
        let strong = Strong::new(3).expect("a protocol");
        let mut around = strong.surroundings(3);
        assert_eq!(chosen(&strong, &around, None), Ok(true));
        assert_eq!(chosen(&strong, &around, Some("all")), Ok(false));
        around.network.losses = 1;
        assert_eq!(chosen(&strong, &around, None), Ok(false));
        assert!(chosen(&strong, &around, Some("stages")).unwrap_err().contains("loses or duplicates"));
        let ring = Ring::new(3, 1).expect("a protocol");
        assert_eq!(chosen(&ring, &ring.surroundings(3), None), Ok(false));
        assert!(chosen(&ring, &ring.surroundings(3), Some("some")).unwrap_err().contains("stages or all"));
    }

    #[test]
    fn rounds_without_end_are_searched_in_stages_or_limited() {
        let rotating = Rotating::new(3).expect("a protocol");
        let limited = rotating.clone().within(2).expect("rounds");
        let mut around = rotating.surroundings(3);
        assert_eq!(chosen(&rotating, &around, None), Ok(true));
        assert!(chosen(&rotating, &around, Some("all")).unwrap_err().contains("--param rounds=3"));
        assert_eq!(chosen(&limited, &around, None), Ok(false));
        let accurate =
            around.oracle.map(|oracle| watchkeeper_world::Oracle { accuracy: Accuracy::Weak, ..oracle });
        around.oracle = accurate;
        assert_eq!(
            chosen(&rotating, &around, Some("all")),
            Ok(false),
            "everyone waits for whom nobody suspects"
        );
    }
}
