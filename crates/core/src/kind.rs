//! Small closed sets of named kinds. Reports count by kind, and networks may give each kind a channel of its own.

use crate::KindData;

/// A value of one of a few named kinds, usually the variants of an enum. Derive it.
///
/// ```
/// use watchkeeper_core::{Kind, Pid};
///
/// #[derive(Kind)]
/// enum Msg {
///     #[kind("PING")]
///     Ping,
///     #[kind(label = "{whom} leaves")]
///     Leave { whom: Pid, #[allow(dead_code)] after: u32 },
/// }
///
/// assert_eq!(Msg::KINDS, ["PING", "Leave"]);
/// assert_eq!(Msg::Leave { whom: Pid::at(1), after: 3 }.label(), "p1 leaves");
/// ```
pub trait Kind {
    /// The names of all kinds, as reports show them.
    const KINDS: &'static [&'static str];

    /// The place of this value's kind in [`Kind::KINDS`].
    fn kind(&self) -> usize;

    /// How a report or a chart writes this value: its kind, and what it carries.
    fn label(&self) -> String {
        Self::KINDS[self.kind()].to_string()
    }

    /// For each kind, its name in labels of steps and the sorts of what its values carry there. The derive shows the fields
    /// whose types are a [`Datum`](crate::Datum); the default shows none.
    fn data() -> Vec<KindData>
    where
        Self: Sized,
    {
        Self::KINDS.iter().map(|name| KindData::new(name, Vec::new())).collect()
    }

    /// What this value carries, as terms of the sorts that [`Kind::data`] says of its kind.
    fn terms(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The set without values: the `Call` of a protocol that nobody calls, the `Timer` of one without timers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Never {}

impl Kind for Never {
    const KINDS: &'static [&'static str] = &[];

    fn kind(&self) -> usize {
        match *self {}
    }
}

/// A field of a message as a label shows it: as it is debugged, but without the signs of Rust. `Some(3)` is `3`, `None` is
/// `none`, and `Ballot { round: 3, of: p1 }` is `Ballot round 3, of p1`. The derive of [`Kind`] writes fields with it.
#[doc(hidden)]
pub fn field_label(field: &dyn std::fmt::Debug) -> String {
    let text = format!("{field:?}");
    let (mut out, mut open, mut rest) = (String::new(), Vec::new(), text.as_str());
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            // A text in quotes, or a letter, is what it says.
            '"' => {
                let end = rest.find('"').unwrap_or(rest.len());
                out.push_str(&rest[..end]);
                rest = rest.get(end + 1..).unwrap_or("");
            }
            '(' => {
                let named = out.ends_with(|before: char| before.is_alphanumeric() || before == '_');
                open.push(named);
                if let (true, Some(before)) = (named, out.strip_suffix("Some")) {
                    out.truncate(before.len());
                } else {
                    out.push(if named { ' ' } else { '(' });
                }
            }
            ')' => {
                if open.pop() == Some(false) {
                    out.push(')');
                }
            }
            '{' if out.ends_with(' ') && rest.starts_with(' ') => rest = &rest[1..],
            ' ' if rest.starts_with('}') => rest = &rest[1..],
            ':' if rest.starts_with(' ') => {}
            other => out.push(other),
        }
    }
    if out == "None" { "none".to_string() } else { out }
}

/// The most kinds that a derived set can have which has those of another among its own.
#[doc(hidden)]
pub const MOST_KINDS: usize = 64;

/// The names of all lists, one behind the other, and behind them nothing that anyone reads. The derives put the
/// kinds of layers together with it, at compile time.
#[doc(hidden)]
pub const fn joined(lists: &[&[&'static str]]) -> [&'static str; MOST_KINDS] {
    let mut names = [""; MOST_KINDS];
    let (mut list, mut count) = (0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            assert!(
                count < MOST_KINDS,
                "together the layers have more than 64 kinds: choose layers with fewer"
            );
            names[count] = lists[list][at];
            (at, count) = (at + 1, count + 1);
        }
        list += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pid;

    #[derive(Debug)]
    #[expect(dead_code, reason = "the fields are only shown")]
    struct Ballot {
        round: u32,
        of: Pid,
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "the field is only shown")]
    struct Stamp(u32);

    #[test]
    fn a_field_is_shown_without_the_signs_of_rust() {
        let ballot = Ballot { round: 3, of: Pid::at(1) };
        assert_eq!(field_label(&ballot), "Ballot round 3, of p1");
        assert_eq!(field_label(&Some(Stamp(7))), "Stamp 7");
        assert_eq!((field_label(&Some(3)), field_label(&None::<u32>)), ("3".to_string(), "none".to_string()));
        assert_eq!(
            (field_label(&(1, 2)), field_label(&[1, 2])),
            ("(1, 2)".to_string(), "[1, 2]".to_string())
        );
        assert_eq!((field_label(&"a (b)"), field_label(&())), ("a (b)".to_string(), "()".to_string()));
        assert_eq!(field_label(&7_u8), "7");
    }
}
