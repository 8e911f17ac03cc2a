//! The few shapes that a drawing is made of, as SVG elements. Text is escaped here and nowhere else.

use std::fmt::{Display, Write};

/// An SVG document that is being written.
#[derive(Default)]
pub(crate) struct Pen {
    out: String,
}

impl Pen {
    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// Markup as it is.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
        self.out.push('\n');
    }

    pub(crate) fn line(&mut self, class: &str, (x1, y1): (usize, usize), (x2, y2): (usize, usize)) {
        self.element(format_args!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    pub(crate) fn path(&mut self, class: &str, d: &str) {
        self.element(format_args!("<path class=\"{class}\" d=\"{d}\"/>"));
    }

    pub(crate) fn circle(&mut self, class: &str, (x, y): (usize, usize), r: usize) {
        self.element(format_args!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"));
    }

    pub(crate) fn rect(&mut self, class: &str, (x, y): (usize, usize), (w, h): (usize, usize), round: usize) {
        self.element(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{round}\"/>"
        ));
    }

    /// A text; the class says where it is anchored.
    pub(crate) fn text(&mut self, class: &str, (x, y): (usize, usize), text: &str) {
        self.element(format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", Escaped(text)));
    }

    /// The number of a step, by which a page finds it; it says more when a pointer rests on it.
    pub(crate) fn numbered(
        &mut self,
        class: &str,
        (x, y): (usize, usize),
        step: usize,
        (text, hint): (&str, &str),
    ) {
        self.element(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" data-step=\"{step}\">{}<title>{}</title></text>",
            Escaped(text),
            Escaped(hint)
        ));
    }

    fn element(&mut self, element: impl Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{element}");
    }
}

/// Text that is safe between tags and inside of attributes.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // What XML 1.0 has no place for, not even escaped.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// How many pixels a text takes at a size of 13, and rather more than less: fonts differ, and a reader
/// may not have the one that was asked for.
pub(crate) fn pixels(text: &str) -> usize {
    let tenths = |c: char| match c {
        ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'i' | 'j' | 'l' => 45,
        'f' | 't' | 'r' | 'I' | '-' | '(' | ')' | '[' | ']' | '/' | '"' => 56,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '+' | '=' | '<' | '>' | '#' => 116,
        'A'..='Z' => 96,
        ' '..='~' => 84,
        c if (c as u32) < 0x2000 => 96,
        _ => 136,
    };
    text.chars().map(tenths).sum::<usize>().div_ceil(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut pen = Pen::default();
        pen.numbered("n", (1, 2), 3, ("<b> & \"c\"", "\u{1}]]>"));
        let expected = "<text class=\"n\" x=\"1\" y=\"2\" data-step=\"3\">&lt;b&gt; &amp; &quot;c&quot;\
                        <title> ]]&gt;</title></text>\n";
        assert_eq!(pen.finish(), expected);
    }

    #[test]
    fn wide_letters_are_wider() {
        assert!(pixels("WWW") > pixels("lll"));
        assert_eq!(pixels(""), 0);
        assert_eq!(pixels("ARE-YOU-ALIVE"), 113);
    }
}
