//! What a person asks of a member of a group, in words. What becomes of it is for the protocol to say.

use std::fmt;
use std::str::FromStr;
use watchkeeper_protocols::membership::GroupCall;

/// What a person asks of a member: `say 7`, `leave` or `return`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GroupRequest(pub(crate) GroupCall);

impl fmt::Display for GroupRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            GroupCall::Say(word) => write!(f, "say {word}"),
            GroupCall::Leave => f.write_str("leave"),
            GroupCall::Return => f.write_str("return"),
        }
    }
}

impl FromStr for GroupRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<GroupRequest, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let call = match words.as_slice() {
            ["say", word] => GroupCall::Say(word.parse().map_err(|_| {
                format!("`{word}` is not a word that can be said; say a whole number from 0 on")
            })?),
            ["leave"] => GroupCall::Leave,
            ["return"] => GroupCall::Return,
            _ => {
                return Err(format!(
                    "`{}` is nothing to ask of a member; write say 7, leave or return",
                    text.trim()
                ));
            }
        };
        Ok(GroupRequest(call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_asked_to_say_a_number_to_leave_or_to_return() {
        assert_eq!("say 7".parse(), Ok(GroupRequest(GroupCall::Say(7))));
        assert_eq!("  leave ".parse(), Ok(GroupRequest(GroupCall::Leave)));
        assert_eq!("return".parse(), Ok(GroupRequest(GroupCall::Return)));
        for text in ["say 7", "leave", "return"] {
            assert_eq!(
                text.parse::<GroupRequest>().map(|group_request| group_request.to_string()).as_deref(),
                Ok(text)
            );
        }
        for (text, part) in [
            ("say", "write say 7, leave or return"),
            ("say x", "`x` is not a word that can be said"),
            ("say -1", "a whole number from 0 on"),
            ("leave now", "`leave now` is nothing to ask"),
            ("", "`` is nothing to ask"),
        ] {
            let why = text.parse::<GroupRequest>().unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
