//! How text may look: with colours or without, with box-drawing characters or plain ASCII, how wide.
//! Colour is never the only bearer of a meaning, so that a report reads the same in a log file.

/// What the reader's terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to use colours (ANSI escape sequences).
    pub color: bool,
    /// Whether to use characters beyond ASCII for lines and marks.
    pub unicode: bool,
    /// The number of columns to keep within where that is possible.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { color: false, unicode: true, width: 100 }
    }
}

impl Style {
    /// The text in the colours of an ink.
    pub(crate) fn paint(&self, ink: Ink, text: &str) -> String {
        match ink.code() {
            Some(code) if self.color && !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_string(),
        }
    }
}

/// What a piece of text is, as far as its colour goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Ink {
    /// Ordinary text.
    #[default]
    Plain,
    /// What should stand back: step numbers, lifelines.
    Faint,
    /// Headings and names.
    Strong,
    /// A suspicion, a crash, a violation.
    Alarm,
    /// A suspicion that ends, a property that holds.
    Relief,
    /// A timeout, a warning, something blocked or undecided.
    Caution,
    /// A message; kinds of messages take turns.
    Message(usize),
}

impl Ink {
    fn code(self) -> Option<&'static str> {
        const TURNS: [&str; 4] = ["34", "36", "35", "94"];
        match self {
            Ink::Plain => None,
            Ink::Faint => Some("2"),
            Ink::Strong => Some("1"),
            Ink::Alarm => Some("1;31"),
            Ink::Relief => Some("1;32"),
            Ink::Caution => Some("33"),
            Ink::Message(kind) => Some(TURNS[kind % TURNS.len()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_appear_only_where_they_are_wanted() {
        let plain = Style::default();
        let colored = Style { color: true, ..plain };
        assert_eq!(plain.paint(Ink::Alarm, "x"), "x");
        assert_eq!(colored.paint(Ink::Alarm, "x"), "\x1b[1;31mx\x1b[0m");
        assert_eq!(colored.paint(Ink::Plain, "x"), "x");
        assert_eq!(colored.paint(Ink::Message(5), ""), "");
    }
}
