//! What a user types while a cluster runs. Reading it does nothing yet.

use crate::group_request::GroupRequest;
use crate::node_file::MemberNumber;
use std::str::FromStr;
use watchkeeper::did_you_mean;
use watchkeeper_core::Pid;

/// What can be typed.
pub(crate) const HELP: &str = "\
kill 3         end p3 at once, as kill -9 does
pause 2        stop p2 where it is; resume 2 lets it go on
restart 3      start p3 again; if it runs, kill it first
join           start one more node, where nodes may join
leave 4        let p4 say goodbye and end
say 2 7        let p2 say 7 to its group, if it has one
call 2 leave   let p2 leave its group and go on alone
call 2 return  let p2 come back to its group
status         show who suspects whom
help, quit     show this; end all nodes, as Ctrl-C does";

/// The first word of each.
const WORDS: [&str; 11] =
    ["kill", "pause", "resume", "restart", "join", "leave", "say", "call", "status", "help", "quit"];

/// One command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClusterCommand {
    Kill(Pid),
    Pause(Pid),
    Resume(Pid),
    Restart(Pid),
    Leave(Pid),
    /// Starts one more node.
    Join,
    /// Asks something of the protocol of a node.
    Call(Pid, GroupRequest),
    Status,
    Help,
    Quit,
    /// An empty line.
    Nothing,
}

impl ClusterCommand {
    /// The node that it is about, if it is about one.
    pub(crate) fn process(self) -> Option<Pid> {
        match self {
            ClusterCommand::Kill(p)
            | ClusterCommand::Pause(p)
            | ClusterCommand::Resume(p)
            | ClusterCommand::Restart(p)
            | ClusterCommand::Leave(p)
            | ClusterCommand::Call(p, _) => Some(p),
            ClusterCommand::Join
            | ClusterCommand::Status
            | ClusterCommand::Help
            | ClusterCommand::Quit
            | ClusterCommand::Nothing => None,
        }
    }
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
                let process = member(process)?;
                return Ok(ClusterCommand::Call(process, format!("say {word}").parse()?));
            }
            "call" => {
                let [process, what @ ..] = rest else {
                    return Err("who is asked what? Write `call 1 leave`, or `call 1 return`".to_string());
                };
                let process = member(process)?;
                return Ok(ClusterCommand::Call(process, what.join(" ").parse()?));
            }
            "status" | "help" | "quit" | "join" if !rest.is_empty() => {
                return Err(format!("`{word}` stands alone; leave out `{}`", rest.join(" ")));
            }
            "join" => return Ok(ClusterCommand::Join),
            "status" => return Ok(ClusterCommand::Status),
            "help" => return Ok(ClusterCommand::Help),
            "quit" => return Ok(ClusterCommand::Quit),
            other => {
                let hint = match did_you_mean(other, WORDS) {
                    none if none.is_empty() => ";".to_string(),
                    hint => hint,
                };
                return Err(format!("there is no command `{other}`{hint} `help` shows all"));
            }
        };
        match rest {
            [process] => member(process).map(of_process),
            [] => Err(format!("which process? Write `{word} 1`, or `{word} p1`")),
            _ => Err(format!("one process at a time: write `{word} {}`", rest[0])),
        }
    }
}

/// A node by its number, with or without its letter.
pub(crate) fn member(text: &str) -> Result<Pid, String> {
    text.parse().map(|MemberNumber(process)| process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_protocols::membership::GroupCall;

    #[test]
    fn commands_name_a_process_with_or_without_its_letter() {
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
    fn every_word_of_the_help_is_a_command() {
        for line in HELP.lines() {
            for command in line.split("  ").next().unwrap_or_default().split(", ") {
                assert!(command.parse::<ClusterCommand>().is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn what_is_no_command_is_told_what_to_write() {
        for (line, part) in [
            ("kll 2", "there is no command `kll`; did you mean `kill`? `help` shows all"),
            ("xyz", "there is no command `xyz`; `help` shows all"),
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
