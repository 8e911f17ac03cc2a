//! What can keep a check from giving a verdict. Every message says where the trouble came from and what
//! to do next; a bad verdict is not a problem in this sense.

use crate::settings::{Settings, Sourced, ValueShape};
use crate::suggest::did_you_mean;
use std::fmt;
use std::path::PathBuf;
use watchkeeper_explore::ExploreError;
use watchkeeper_logic::{ExitCode, quoted};
use watchkeeper_world::WorldError;

/// Why there is no verdict.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A value cannot be used.
    Value {
        /// Who gave it.
        origin: SettingOrigin,
        /// What is wrong with it, and what would be right.
        why: String,
    },
    /// A name does not exist.
    Unknown {
        /// Who gave it.
        origin: SettingOrigin,
        /// What should have this name: a protocol, a property, a parameter, a key.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The processes, the network and the faults do not fit together.
    World(WorldError),
    /// The search could not be done.
    Explore(ExploreError),
    /// Things that exclude each other, or that miss each other, or that cannot be had.
    Usage(String),
    /// Nothing is wrong with what was asked, and yet nobody looked for the answer; says why.
    Undecided(String),
    /// This program is wrong, and the verdict is withheld; says how.
    Internal(String),
}

impl Problem {
    /// The exit code that tells this problem.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Problem::Explore(ExploreError::Replay(_) | ExploreError::Lost(_)) => ExitCode::INTERNAL,
            Problem::Undecided(_) => ExitCode::UNKNOWN,
            Problem::Internal(_) => ExitCode::INTERNAL,
            _ => ExitCode::BAD_INPUT,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&legible(&self.whole()))
    }
}

impl Problem {
    /// All that there is to say, however long what it quotes is.
    fn whole(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, f: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Problem::Value { origin, why } => write!(f, "{origin}{why}{}", origin.excerpt()),
            Problem::Unknown { origin, what, name, known } => {
                let hint = did_you_mean(name, known.iter().map(String::as_str));
                write!(f, "{origin}there is no {what} {}{hint}{}", quoted(name), origin.excerpt())?;
                match known.as_slice() {
                    [] => write!(f, "\n  There is no {what} to choose here; leave it out."),
                    known => write!(f, "\n  Known: {}.", known.join(", ")),
                }
            }
            Problem::World(error) => write!(f, "{error}"),
            Problem::Explore(error) => write!(f, "{error}"),
            Problem::Usage(why) | Problem::Undecided(why) | Problem::Internal(why) => f.write_str(why),
        }
    }
}

impl Problem {
    /// The same problem for a caller of the library: it names methods instead of flags.
    pub(crate) fn in_rust(self) -> Problem {
        let text = |text: String| with_methods(&text);
        match self {
            Problem::Value { origin: SettingOrigin::Argument(argument), why } => {
                Problem::Value { origin: SettingOrigin::Argument(text(argument)), why: text(why) }
            }
            Problem::Value { origin, why } => Problem::Value { origin, why: text(why) },
            Problem::Usage(why) => Problem::Usage(text(why)),
            Problem::Undecided(why) => Problem::Undecided(text(why)),
            other => {
                let shown = other.to_string();
                let told = with_methods(&shown);
                if told == shown || other.exit_code() != ExitCode::BAD_INPUT {
                    other
                } else {
                    Problem::Usage(told)
                }
            }
        }
    }
}

/// The text with every flag of a setting as the call of its method: `--crashes 1` is `.crashes(1)`.
fn with_methods(text: &str) -> String {
    let mut parts = text.split("--");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let word = rest.strip_prefix(' ').unwrap_or("");
        let word = word.split([' ', ';', ',', ':', ')', '\n']).next().unwrap_or("");
        match (Settings::row(name), word.split_once('=')) {
            (None, Some((param, value))) if name == "param" => {
                out.push_str(&format!(".param(\"{param}\", {value}){}", &rest[1 + word.len()..]));
            }
            (Some(row), _) => {
                let given = Sourced { value: word.to_string(), origin: SettingOrigin::Call("") };
                let placeholder = !word.is_empty() && row.value_name == word;
                let value =
                    placeholder || (row.read)(&given, &mut Settings::default()).is_ok() && !word.is_empty();
                // A word of the sentence is no value, though it may be the name of a property.
                let value = value && (row.shape == ValueShape::One || placeholder);
                let (shown, rest) = if value { (word, &rest[1 + word.len()..]) } else { ("..", rest) };
                out.push_str(&format!(".{}({shown}){rest}", name.replace('-', "_")));
            }
            (None, _) => out.push_str(&format!("--{part}")),
        }
    }
    out
}

impl std::error::Error for Problem {}

impl From<WorldError> for Problem {
    fn from(error: WorldError) -> Problem {
        Problem::World(error)
    }
}

impl From<ExploreError> for Problem {
    fn from(error: ExploreError) -> Problem {
        Problem::Explore(error)
    }
}

/// Who gave a value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SettingOrigin {
    /// A flag or argument of the command line, as it is written there; empty if it speaks for itself.
    Argument(String),
    /// An environment variable.
    Environment(&'static str),
    /// A key of a scenario file.
    File(Box<SourceLocation>),
    /// A call of the library, by the name of its method.
    Call(&'static str),
}

impl SettingOrigin {
    /// The problem that what it gave cannot be used.
    pub fn refused(&self, why: impl fmt::Display) -> Problem {
        Problem::Value { origin: self.clone(), why: why.to_string() }
    }

    fn excerpt(&self) -> &str {
        match self {
            SettingOrigin::File(place) => &place.excerpt,
            _ => "",
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Argument(argument) if argument.is_empty() => Ok(()),
            SettingOrigin::Argument(argument) => write!(f, "{argument}: "),
            SettingOrigin::Environment(variable) => write!(f, "environment variable {variable}: "),
            SettingOrigin::File(place) => write!(f, "{place}: "),
            SettingOrigin::Call(method) => write!(f, "{method}: "),
        }
    }
}

/// A place in a file, with the line itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLocation {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    excerpt: String,
}

/// The most letters of a line that are shown.
const WIDEST: usize = 100;

impl SourceLocation {
    /// The place of some bytes of a text.
    pub fn new(path: &std::path::Path, text: &str, bytes: std::ops::Range<usize>) -> SourceLocation {
        let start = boundary(text, bytes.start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let end = boundary(text, bytes.end.min(line_end)).max(start);
        // A file of strangers is not to steer the terminal, nor to fill it.
        let plain = |c: char| match c {
            '\t' => ' ',
            control if control.is_control() => char::REPLACEMENT_CHARACTER,
            other => other,
        };
        let all: Vec<char> = text[line_start..line_end].trim_end_matches('\r').chars().map(plain).collect();
        let from =
            if all.len() <= WIDEST { 0 } else { (column - 1).saturating_sub(WIDEST / 2).min(all.len()) };
        let to = all.len().min(from + WIDEST);
        let before = if from > 0 { "..." } else { "" };
        let after = if to < all.len() { "..." } else { "" };
        let shown: String = all[from..to].iter().collect();
        let marked = text[start..end].chars().count().min((from + WIDEST).saturating_sub(column - 1)).max(1);
        let carets = "^".repeat(marked);
        let gutter = " ".repeat(line.to_string().len());
        let indent = " ".repeat(before.len() + column - 1 - from);
        let excerpt = format!("\n{gutter} |\n{line} | {before}{shown}{after}\n{gutter} | {indent}{carets}");
        SourceLocation { path: path.to_path_buf(), line, column, excerpt }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}, column {}", self.path.display(), self.line, self.column)
    }
}

/// The most characters of a message that are shown, at its beginning and at its end.
const MOST: (usize, usize) = (2_000, 900);

/// A message that quotes what somebody else wrote, as a terminal can show it: without what it would obey, and not endless.
pub fn legible(text: &str) -> String {
    let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
    let (first, last) = MOST;
    let len = text.chars().count();
    if len <= first + last {
        return text.chars().map(shown).collect();
    }
    let (begin, end) = (text.chars().take(first), text.chars().skip(len - last));
    begin.chain(" .. ".chars()).chain(end).map(shown).collect()
}

/// The last place up to `at` where a letter begins.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_caller_of_the_library_reads_of_methods() {
        for (flags, methods) in [
            (
                "add --time ticks or --time dense, or leave this out",
                "add .time(ticks) or .time(dense), or leave this out",
            ),
            ("add --delay LO..HI, with --param rounds=3", "add .delay(LO..HI), with .param(\"rounds\", 3)"),
            ("--n: raise --n", ".n(..): raise .n(..)"),
            ("leave --before-delay out; --most tries more", "leave .before_delay(..) out; --most tries more"),
        ] {
            assert_eq!(with_methods(flags), methods);
        }
    }

    #[test]
    fn a_place_shows_its_line_with_carets_below() {
        let place = SourceLocation::new(Path::new("a.toml"), "n = 3\nchanel = 1\n", 6..12);
        assert_eq!(place.to_string(), "a.toml, line 2, column 1");
        assert_eq!(place.excerpt, "\n  |\n2 | chanel = 1\n  | ^^^^^^");
    }

    #[test]
    fn of_a_long_line_only_what_is_near_is_shown_and_nothing_that_steers_a_terminal() {
        let text = format!("n = {}", "[".repeat(1_000_000));
        let place = SourceLocation::new(Path::new("a.toml"), &text, 500_000..1_000_004);
        assert!(place.excerpt.len() < 400, "{}", place.excerpt.len());
        let lines: Vec<&str> = place.excerpt.lines().collect();
        assert!(lines[2].starts_with("1 | ...[") && lines[2].ends_with("[..."), "{}", lines[2]);
        assert_eq!(lines[2].len(), "1 | ...".len() + WIDEST + "...".len());
        assert_eq!(lines[3], format!("  | {}{}", " ".repeat(3 + WIDEST / 2), "^".repeat(WIDEST / 2)));
        let place = SourceLocation::new(Path::new("a.toml"), "n\x1b[2J\t= 1\r\n", 0..1);
        assert_eq!(place.excerpt, "\n  |\n1 | n\u{fffd}[2J = 1\n  | ^");
    }

    #[test]
    fn of_a_line_without_end_the_part_around_the_place_is_shown() {
        let long = format!("ltl = \"{} & {}\"", "é".repeat(1_000_000), "q".repeat(1_000_000));
        let at = long.find('&').expect("there");
        let place = SourceLocation::new(Path::new("a.toml"), &long, at..long.len());
        assert!(place.excerpt.len() < 1_000, "{}", place.excerpt.len());
        let lines: Vec<&str> = place.excerpt.lines().collect();
        let column = |line: &str, sign: char| line.chars().position(|c| c == sign);
        assert_eq!(column(lines[3], '^'), column(lines[2], '&'), "{}", place.excerpt);
        let unknown = Problem::Unknown {
            origin: SettingOrigin::Argument(String::new()),
            what: "property",
            name: "q".repeat(1_000_000),
            known: vec!["agreement".to_string()],
        };
        assert!(unknown.to_string().len() < 500);
    }

    #[test]
    fn what_a_problem_quotes_is_short_and_nothing_that_a_terminal_obeys() {
        let origin = SettingOrigin::Argument("a".to_string());
        let why = format!("\u{1b}[2J{}the end", "y".repeat(1 << 20));
        let shown = Problem::Value { origin, why }.to_string();
        assert!(shown.starts_with("a: \u{fffd}[2Jyyy") && shown.ends_with("ythe end"), "{shown}");
        assert_eq!(shown.chars().count(), 2_904);
    }

    #[test]
    fn a_place_at_the_end_or_inside_a_letter_is_still_a_place() {
        for (text, bytes) in [("", 0..0), ("n", 1..9), ("é = 1", 1..2), ("a\n", 2..2)] {
            let place = SourceLocation::new(Path::new("a.toml"), text, bytes);
            assert!(place.excerpt.ends_with('^'));
        }
    }
}
