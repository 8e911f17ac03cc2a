//! What a user types while a cluster runs. Reading it does nothing yet.

use crate::group_request::GroupRequest;
use std::str::FromStr;
use watchkeeper::quantities::ProcessName;
use watchkeeper_core::Pid;

/// What can be typed.
pub(crate) const HELP: &str = "\
kill 3        end p3 at once, as kill -9 does
pause 2       stop p2 where it is; it does nothing until it is resumed
resume 2      let p2 go on
restart 3     start p3 again; if it still runs it is killed first
leave 4       let p4 say its goodbyes and end
say 2 7       let p2 tell its group the word 7, where the protocol has groups
call 2 leave  ask p2 to leave its group and go on alone; `call 2 return` brings it back
status        show who suspects whom
help          show this
quit          end all nodes (so does Ctrl-C, and the end of the input)";

/// One order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClusterCommand {
    Kill(Pid),
    Pause(Pid),
    Resume(Pid),
    Restart(Pid),
    Leave(Pid),
    /// Asks something of the protocol of a node.
    Call(Pid, GroupRequest),
    Status,
    Help,
    Quit,
    /// An empty line.
    Nothing,
}

impl FromStr for ClusterCommand {
    type Err = String;

    fn from_str(line: &str) -> Result<ClusterCommand, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&word, rest)) = words.split_first() else { return Ok(ClusterCommand::Nothing) };
        let of_process: fn(Pid) -> ClusterCommand = match word {
            "kill" => ClusterCommand::Kill,
            "pause" => ClusterCommand::Pause,
            "resume" => ClusterCommand::Resume,
            "restart" => ClusterCommand::Restart,
            "leave" => ClusterCommand::Leave,
            "say" => {
                let [process, word] = rest else { return Err("who says what? Write `say 1 7`".to_string()) };
                let ProcessName(process) = process.parse()?;
                return Ok(ClusterCommand::Call(process, format!("say {word}").parse()?));
            }
            "call" => {
                let [process, what @ ..] = rest else {
                    return Err("who is asked what? Write `call 1 leave`, or `call 1 return`".to_string());
                };
                let ProcessName(process) = process.parse()?;
                return Ok(ClusterCommand::Call(process, what.join(" ").parse()?));
            }
            "status" | "help" | "quit" if !rest.is_empty() => {
                return Err(format!("`{word}` stands alone; leave out `{}`", rest.join(" ")));
            }
            "status" => return Ok(ClusterCommand::Status),
            "help" => return Ok(ClusterCommand::Help),
            "quit" => return Ok(ClusterCommand::Quit),
            other => return Err(format!("there is no command `{other}`; `help` shows all")),
        };
        match rest {
            [process] => process.parse().map(|ProcessName(process)| of_process(process)),
            [] => Err(format!("which process? Write `{word} 1`, or `{word} p1`")),
            _ => Err(format!("one process at a time: write `{word} {}`", rest[0])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_protocols::membership::GroupCall;

    #[test]
    fn orders_name_a_process_with_or_without_its_letter() {
        assert_eq!("kill 3".parse(), Ok(ClusterCommand::Kill(Pid::at(3))));
        assert_eq!("  pause   p2 ".parse(), Ok(ClusterCommand::Pause(Pid::at(2))));
        assert_eq!("".parse(), Ok(ClusterCommand::Nothing));
        assert_eq!("quit".parse(), Ok(ClusterCommand::Quit));
        assert_eq!("say 2 7".parse(), Ok(ClusterCommand::Call(Pid::at(2), GroupRequest(GroupCall::Say(7)))));
        assert_eq!(
            "call p2 return".parse(),
            Ok(ClusterCommand::Call(Pid::at(2), GroupRequest(GroupCall::Return)))
        );
    }

    #[test]
    fn every_word_of_the_help_is_an_order() {
        for line in HELP.lines() {
            let order = line.split("  ").next().unwrap_or_default();
            assert!(order.parse::<ClusterCommand>().is_ok(), "{line}");
        }
    }

    #[test]
    fn what_is_no_order_is_told_what_to_write() {
        for (line, part) in [
            ("kil 3", "there is no command `kil`; `help` shows all"),
            ("kill", "Write `kill 1`"),
            ("kill 1 2", "one process at a time"),
            ("kill x", "`x` is not a process"),
            ("quit now", "leave out `now`"),
            ("say 7", "Write `say 1 7`"),
            ("say 1 x", "`x` is not a word"),
            ("call 1 fly", "write say 7, leave or return"),
            ("call", "Write `call 1 leave`"),
        ] {
            let why = line.parse::<ClusterCommand>().unwrap_err();
            assert!(why.contains(part), "{line}: {why}");
        }
    }
}
