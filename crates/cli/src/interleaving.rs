//! Which orders of steps are searched: all of them, or of all that no process can tell apart one, stage by stage. Where
//! nobody says, it is stages if the protocol has them and the scenario lets them be used.

use crate::command_line::CommandLine;
use crate::problem::Problem;
use crate::settings::{Given, Settings};
use crate::subject::Subject;
use std::str::FromStr;
use watchkeeper_world::{Memory, Scenario, Time};

/// Which orders of steps a plan searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Interleaving {
    /// Whether it goes stage by stage.
    pub(crate) stages: bool,
    /// Whether it would if nobody said anything.
    usual: bool,
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
        let given = settings.given("interleaving");
        let word = given.map(Given::parsed::<Word>).transpose()?;
        let hindrance = hindrance(protocol, around).or(foreign::<S>(settings)?);
        let usual = hindrance.is_none();
        let refused = |why: String| given.map_or(Problem::Usage(why.clone()), |given| given.refused(why));
        match (word, hindrance) {
            (Some(Word::Stages), Some(why)) => {
                return Err(refused(format!("stages are of no use here, because {why}; leave it out")));
            }
            (Some(Word::Stages) | None, None) => return Ok(Interleaving { stages: true, usual }),
            (Some(Word::All), _) | (None, Some(_)) => {}
        }
        match (protocol.endless(around), hindrance) {
            (false, _) => Ok(Interleaving { stages: false, usual }),
            (true, None) => Err(refused(
                "with all interleavings there are infinitely many states, one more round after each; limit the \
                 rounds with --param rounds=3, or leave --interleaving out: in stages every number of rounds is searched"
                    .to_string(),
            )),
            (true, Some(why)) => Err(refused(format!(
                "this has to be searched with all interleavings, because {why}, and then there are infinitely many \
                 states, one more round after each; limit the rounds with --param rounds=3, or change that"
            ))),
        }
    }

    /// Adds the flag that says this, if one is needed.
    pub(crate) fn add_to(self, line: &mut CommandLine) {
        if self.stages != self.usual {
            line.flag("interleaving", if self.stages { "stages" } else { "all" });
        }
    }
}

/// Why what is asked cannot be asked in stages, where the order between processes is left out.
fn foreign<S: Subject>(settings: &Settings) -> Result<Option<&'static str>, Problem> {
    let names =
        || S::REQUIREMENTS.iter().map(|(name, _)| *name).chain(S::CLAIMS.iter().map(|claim| claim.name));
    let asked = settings.given("property").map(|given| given.parsed_list::<String>()).transpose()?;
    let asked = asked.unwrap_or_default();
    let fairness = settings.given("fairness").map(|given| given.text.trim().to_string());
    let hindrances = [
        (
            settings.given("ltl").is_some(),
            "a formula may speak of what happens to one process before another",
        ),
        (
            asked.iter().any(|name| !names().any(|known| known == name)),
            "what is asked is none of the requirements that stages are known to keep",
        ),
        (
            fairness.is_some_and(|text| text != "steps"),
            "stages are known to keep fairness of all steps alone",
        ),
    ];
    Ok(hindrances.into_iter().find(|(hinders, _)| *hinders).map(|(_, why)| why))
}

/// Why a protocol cannot be searched in stages in a scenario.
fn hindrance<S: Subject>(protocol: &S, around: &Scenario) -> Option<&'static str> {
    let network = &around.network;
    let hindrances = [
        (S::STAGES.is_none(), "the protocol has none"),
        (around.time != Time::Untimed, "time passes"),
        (
            around.oracle.is_some_and(|oracle| oracle.memory == Memory::Lasting),
            "the suspicions of its oracle last",
        ),
        (
            around.oracle.is_some_and(|oracle| oracle.accuracy.is_strong()),
            "its oracle leaves everyone alone who has not crashed",
        ),
        (protocol.horizon().is_some(), "the rounds are limited"),
        (around.n > 32, "there are more than 32 processes"),
        (around.faults.recoveries > 0, "processes recover"),
        (network.losses > 0 || network.duplications > 0, "the network loses or duplicates messages"),
    ];
    hindrances.into_iter().find(|(hinders, _)| *hinders).map(|(_, why)| why)
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
