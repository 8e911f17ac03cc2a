//! The abstract detector below a protocol, from the word of the command line. What it may do and must do is for the
//! world to say.

use crate::command_line::CommandLine;
use crate::problem::Problem;
use crate::settings::Settings;
use watchkeeper_world::{Memory, Oracle};

/// The oracle that the settings ask for, of a protocol that usually has this one. Whoever does not say how long its
/// suspicions last means those of the usual one.
pub(crate) fn oracle(settings: &Settings, usual: Option<Oracle>) -> Result<Option<Oracle>, Problem> {
    let Some(given) = settings.given("oracle") else { return Ok(usual) };
    let Some(usual) = usual else {
        return Err(given.refused(
            "this protocol is not told what a failure detector thinks, so there is nobody to listen to an oracle; \
             leave it out",
        ));
    };
    let oracle: Oracle = given.parsed()?;
    let said = given.text.split(':').any(|word| matches!(word, "lasting" | "momentary"));
    let memory = if said { oracle.memory } else { usual.memory };
    Ok(Some(Oracle { memory, ..oracle }))
}

/// Adds the flag that says this, if it is not the usual one.
pub(crate) fn add_to(line: &mut CommandLine, oracle: Option<Oracle>, usual: Option<Oracle>) {
    let Some(oracle) = oracle.filter(|oracle| usual != Some(*oracle)) else { return };
    let class = Oracle { memory: Memory::Lasting, ..oracle };
    match oracle.memory {
        Memory::Lasting => line.flag("oracle", format!("{class}:lasting")),
        Memory::Momentary => line.flag("oracle", format!("{class}:momentary")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Origin;
    use watchkeeper_world::Accuracy;

    const USUAL: Oracle = Oracle { accuracy: Accuracy::Weak, memory: Memory::Momentary };

    fn read(text: &str) -> Result<Option<Oracle>, Problem> {
        let mut settings = Settings::default();
        settings.set("oracle", text, Origin::Argument("--oracle".to_string()));
        oracle(&settings, Some(USUAL))
    }

    #[test]
    fn suspicions_last_as_usual_unless_somebody_says_how_long() {
        let memory = |text| read(text).expect("an oracle").map(|oracle| oracle.memory);
        assert_eq!(memory("none"), Some(Memory::Momentary));
        assert_eq!(memory("none:lasting"), Some(Memory::Lasting));
        assert_eq!(memory("<>S:momentary"), Some(Memory::Momentary));
        assert_eq!(memory("P"), Some(Memory::Momentary));
        assert_eq!(memory("P:mistakes=1"), Some(Memory::Momentary));
        assert_eq!(memory("P:mistakes=1:lasting"), Some(Memory::Lasting));
        assert!(read("Q").is_err());
    }

    #[test]
    fn the_command_says_the_same_again() {
        for text in ["S:lasting", "<>S:momentary", "none:lasting", "<>P:lasting", "P:mistakes=2:lasting"] {
            let mut line = CommandLine::new("w", &[]);
            add_to(&mut line, read(text).expect("an oracle"), Some(USUAL));
            assert!(line.to_string().contains(text), "{line}");
        }
        let mut line = CommandLine::new("w", &[]);
        add_to(&mut line, Some(USUAL), Some(USUAL));
        assert_eq!(line.to_string(), "w");
    }

    #[test]
    fn nobody_listens_below_a_protocol_without_one() {
        let mut settings = Settings::default();
        settings.set("oracle", "S", Origin::Argument("--oracle".to_string()));
        assert!(
            oracle(&settings, None)
                .unwrap_err()
                .to_string()
                .starts_with("--oracle: this protocol is not told")
        );
        assert_eq!(oracle(&Settings::default(), None), Ok(None));
    }
}
