//! Text as a terminal lays it out: how many columns it takes, made safe, and broken into lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The text without characters that move the cursor, take no column or start an escape sequence. Labels
/// come from the user's protocol, and a chart must not fall apart over them.
pub(crate) fn tame(text: &str) -> String {
    let spaced = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let shown = spaced.filter(|c| c.width().is_some_and(|columns| columns > 0));
    shown.collect::<String>().trim().to_string()
}

/// The text in lines of at most `limit`, by a measure of the caller's; a word longer than that is broken
/// where it has to be.
pub(crate) fn wrapped(text: &str, limit: usize, measure: &dyn Fn(&str) -> usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let joined = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        if measure(&joined) <= limit {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if !line.is_empty() && measure(&format!("{line}{c}")) > limit {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// As [`wrapped`], but no line is much longer than the others.
pub(crate) fn balanced(text: &str, limit: usize, measure: &dyn Fn(&str) -> usize) -> Vec<String> {
    let mut lines = wrapped(text, limit, measure);
    if lines.len() == 1 {
        return lines;
    }
    let longest_word = text.split_whitespace().map(measure).max().unwrap_or(0);
    let mut narrower = limit;
    while narrower > longest_word {
        narrower -= 1;
        let tighter = wrapped(text, narrower, measure);
        if tighter.len() > lines.len() {
            break;
        }
        lines = tighter;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_lines_leave_no_word_alone() {
        assert_eq!(balanced("timeout Reply, suspect p1", 22, &columns), ["timeout Reply,", "suspect p1"]);
        assert_eq!(balanced("one line", 22, &columns), ["one line"]);
        assert_eq!(balanced("abcdefgh ij", 4, &columns), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn long_words_are_broken_and_short_ones_kept_whole() {
        assert_eq!(wrapped("timeout, suspect p0", 10, &columns), ["timeout,", "suspect p0"]);
        assert_eq!(wrapped("abcdefgh ij", 3, &columns), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 5, &columns), [""]);
    }

    #[test]
    fn nothing_in_a_label_can_move_the_cursor() {
        assert_eq!(tame("a\nb\x1b[31mc\u{200b}d"), "a b [31mcd");
        assert_eq!(columns("日本"), 4);
    }
}
