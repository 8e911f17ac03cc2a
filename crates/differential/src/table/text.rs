//! A table as a person reads it: what is not there does nothing.

use super::{INPUTS, Reaction, TableBranch, TableEffect, TableRules, VIEWS, Whom};
use std::fmt;
use watchkeeper_core::{Pid, Symmetry};

impl fmt::Display for TableRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} processes, {} moods, symmetry {:?}, ", self.n, self.moods, self.symmetry)?;
        match self.fuel {
            Some(fuel) => writeln!(f, "silent after {fuel} inputs")?,
            None => writeln!(f, "never silent")?,
        }
        let links: Vec<String> = Pid::all(self.n).map(|p| format!("{p} {}", self.links[p.index()])).collect();
        writeln!(f, "may send: {}{}", links.join(", "), if self.tells { "" } else { " (not told)" })?;
        writeln!(f, "selective: later {:?}, never if marked {:?}", self.later, self.never)?;
        for (role, rule) in self.starts.iter().enumerate() {
            writeln!(f, "{} starts: {rule}", self.role_name(role))?;
        }
        for (key, rule) in self.rules.iter().enumerate().filter(|(_, rule)| !rule.ways.is_empty()) {
            let (place, input) = (key / INPUTS, key % INPUTS);
            let (role, mood) = (place / usize::from(self.moods), place % usize::from(self.moods));
            if self.can_be(input) {
                writeln!(f, "{}, mood {mood}, {}: {rule}", self.role_name(role), self.input_name(input))?;
            }
        }
        Ok(())
    }
}

impl TableRules {
    fn role_name(&self, role: usize) -> String {
        match self.symmetry {
            Symmetry::None | Symmetry::FixingAll(_) => format!("p{role}"),
            Symmetry::Rotations | Symmetry::Full => "everyone".to_string(),
            Symmetry::Fixing(p) if role == 1 => p.to_string(),
            Symmetry::Fixing(_) => "the others".to_string(),
        }
    }

    /// Whether an input with this number exists at all.
    fn can_be(&self, input: usize) -> bool {
        let view =
            if input < 5 * VIEWS { input % VIEWS } else { input.saturating_sub(5 * VIEWS + 3) % VIEWS };
        match self.symmetry {
            Symmetry::None | Symmetry::FixingAll(_) | Symmetry::Rotations => view < self.n,
            Symmetry::Full => view < 4,
            Symmetry::Fixing(_) => true,
        }
    }

    fn input_name(&self, input: usize) -> String {
        let seen = |view: usize| match self.symmetry {
            Symmetry::None | Symmetry::FixingAll(_) => format!("p{view}"),
            Symmetry::Rotations => format!("me+{view}"),
            _ => {
                let names = ["me", "my friend", "the coordinator"];
                let bits = (0..3).filter(|bit| view >> bit & 1 == 1).map(|bit| names[bit]);
                let bits: Vec<&str> = bits.collect();
                if bits.is_empty() { "another".to_string() } else { bits.join(" and ") }
            }
        };
        let far = 5 * VIEWS + 3;
        match input {
            i if i < VIEWS => format!("Yes from {}", seen(i)),
            i if i < 2 * VIEWS => format!("No from {}", seen(i - VIEWS)),
            i if i < 5 * VIEWS => {
                let about = ["itself", "another", "me"][i / VIEWS - 2];
                format!("Meet({about}) from {}", seen(i % VIEWS))
            }
            i if i < 5 * VIEWS + 2 => format!("fire {}", ["One", "Two"][i - 5 * VIEWS]),
            i if i < far => "call Please".to_string(),
            i if i < far + VIEWS => format!("call Know({})", seen(i - far)),
            i if i < far + 2 * VIEWS => format!("suspects {}", seen(i - far - VIEWS)),
            i => format!("trusts {}", seen(i - far - 2 * VIEWS)),
        }
    }
}

impl fmt::Display for Reaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ways: Vec<String> = self.ways.iter().map(TableBranch::to_string).collect();
        f.write_str(&if ways.is_empty() { "-".to_string() } else { ways.join(" | ") })
    }
}

impl fmt::Display for TableBranch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mood {}{}", self.mood, if self.mark { " marked" } else { "" })?;
        if let Some(friend) = self.friend {
            write!(f, " friend {friend}")?;
        }
        for effect in &self.effects {
            match effect {
                TableEffect::Send { to, word, about, reply } => {
                    let verb = if *reply { "reply" } else { "send" };
                    match word {
                        0 => write!(f, ", {verb} Yes to {to}")?,
                        1 => write!(f, ", {verb} No to {to}")?,
                        _ => write!(f, ", {verb} Meet({about}) to {to}")?,
                    }
                }
                TableEffect::Shout { word } => {
                    write!(f, ", send {} to all", ["Yes", "No", "Meet(me)"][usize::from(*word)])?
                }
                TableEffect::Arm(bell, bound) => write!(f, ", arm {bell:?} {bound}")?,
                TableEffect::Disarm(bell) => write!(f, ", disarm {bell:?}")?,
                TableEffect::Emit(cry) => write!(f, ", emit {cry:?}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whom::Me => f.write_str("me"),
            Whom::Friend => f.write_str("my friend"),
            Whom::Other => f.write_str("the other"),
            Whom::Third => f.write_str("the third"),
            Whom::Next => f.write_str("the next"),
            Whom::At(number) => write!(f, "p{number}"),
            Whom::Any => f.write_str("any"),
        }
    }
}
