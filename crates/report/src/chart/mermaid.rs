//! Charts as Mermaid source, for pages that draw it themselves. Mermaid has no arrows that take time: a
//! message that is received later is an arrow where it is sent and a note where it is received, with the
//! same number.

use super::{Banner, Chart, ChartRow, LifelineMarks, MarkKind, MessageArrow, MessageOutcome};

impl Chart {
    /// The chart as a Mermaid `sequenceDiagram`, with a line break at the end.
    pub fn mermaid(&self) -> String {
        let mut lines = vec!["sequenceDiagram".to_string()];
        for (i, lifeline) in self.lifelines.iter().enumerate() {
            lines.push(format!("    participant p{i} as {}", escaped(&lifeline.name)));
        }
        for (i, _) in self.lifelines.iter().enumerate().filter(|(_, lifeline)| lifeline.crashed_before()) {
            lines.push(format!("    Note over p{i}: ✗ CRASHED BEFORE"));
        }
        for (row, content) in self.rows.iter().enumerate() {
            for (number, action) in &content.steps {
                // Braces would make a directive of a comment, and a comment ends with its line.
                let action: String = action.chars().filter(|c| !"{}".contains(*c)).collect();
                lines.push(format!("    %% step {number}: {action}"));
            }
            match (&content.banner, self.repeated) {
                (Some(Banner::Remark(text)), Some(repeated)) if row == repeated.first => {
                    lines.push(format!("    loop {}", escaped(text)));
                }
                (_, Some(repeated)) if row == repeated.last => lines.push("    end".to_string()),
                _ => self.mermaid_row(row, content, &mut lines),
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn mermaid_row(&self, row: usize, content: &ChartRow, lines: &mut Vec<String>) {
        let mut texts = Texts { at: content.at.clone(), lines };
        if let (Some(Banner::Step(text) | Banner::Remark(text)), Some(last)) =
            (&content.banner, self.lifelines.len().checked_sub(1))
        {
            let over = if last > 0 { format!("p0,p{last}") } else { "p0".to_string() };
            texts.say(&format!("    Note over {over}"), text);
        }
        let ends = self.arrows.iter().find(|arrow| arrow.later_end() == Some(row));
        let starts = self.arrows.iter().find(|arrow| arrow.start == row);
        if let Some(arrow) = ends {
            let what = match arrow.outcome {
                MessageOutcome::Lost(_) => format!("{} is lost", named(arrow)),
                MessageOutcome::Swallowed(_) => format!("{} arrives", named(arrow)),
                _ => format!("receives {}", named(arrow)),
            };
            texts.say(&format!("    Note over p{}", arrow.to), &what);
        }
        let (before, after): (Vec<&LifelineMarks>, Vec<&LifelineMarks>) =
            content.marks.iter().partition(|marks| starts.is_some_and(|arrow| arrow.from == marks.lifeline));
        before.into_iter().for_each(|marks| texts.note(marks));
        if let Some(arrow) = starts {
            texts.say(&format!("    p{}{}p{}", arrow.from, line_of(arrow), arrow.to), &said(arrow));
        }
        after.into_iter().for_each(|marks| texts.note(marks));
    }
}

/// The lines so far, and the time of the row until it has been said.
struct Texts<'a> {
    at: Option<String>,
    lines: &'a mut Vec<String>,
}

impl Texts<'_> {
    fn say(&mut self, statement: &str, text: &str) {
        let text = match self.at.take() {
            Some(at) => format!("[{at}] {text}"),
            None => text.to_string(),
        };
        self.lines.push(format!("{statement}: {}", escaped(&text)));
    }

    fn note(&mut self, marks: &LifelineMarks) {
        let text = match marks.kind() {
            MarkKind::Crash => format!("✗ {}", marks.text().to_uppercase()),
            _ => marks.text(),
        };
        let tint = match marks.kind() {
            MarkKind::Alarm | MarkKind::Crash => "220, 38, 38, 0.15",
            MarkKind::Relief | MarkKind::Recover => "22, 163, 74, 0.15",
            MarkKind::Blocked => "217, 119, 6, 0.18",
            _ => return self.say(&format!("    Note over p{}", marks.lifeline), &text),
        };
        self.lines.push(format!("    rect rgba({tint})"));
        self.say(&format!("        Note over p{}", marks.lifeline), &text);
        self.lines.push("    end".to_string());
    }
}

/// The arrow that shows what becomes of a message.
fn line_of(arrow: &MessageArrow) -> &'static str {
    match arrow.outcome {
        MessageOutcome::Received(row) if row == arrow.start => "->>",
        MessageOutcome::Received(_) | MessageOutcome::Swallowed(_) => "-)",
        MessageOutcome::Lost(_) => "-x",
        MessageOutcome::InFlight => "--)",
        MessageOutcome::Ignored | MessageOutcome::Overflow => "--x",
    }
}

fn said(arrow: &MessageArrow) -> String {
    let label = &arrow.label;
    match arrow.outcome {
        MessageOutcome::InFlight => format!("{label} (still in flight at the end)"),
        MessageOutcome::Ignored => format!("{label} (ignored: channel full)"),
        MessageOutcome::Overflow => format!("{label} (error: channel full)"),
        MessageOutcome::Lost(row) if row == arrow.start => format!("{label} (lost)"),
        MessageOutcome::Lost(_) => format!("{} (to be lost)", named(arrow)),
        MessageOutcome::Received(row) | MessageOutcome::Swallowed(row) if row == arrow.start => label.clone(),
        MessageOutcome::Received(_) | MessageOutcome::Swallowed(_) => named(arrow),
    }
}

fn named(arrow: &MessageArrow) -> String {
    arrow.number.map_or(arrow.label.clone(), |number| format!("{} #{number}", arrow.label))
}

/// Text in which Mermaid finds nothing to interpret: everything that might be syntax, markup or the
/// start of an entity becomes one of its entity codes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => out.push(' '),
            c if c.is_alphanumeric() || " .,_-+*/=?!()[]'✗".contains(c) => out.push(c),
            ':' => out.push(':'),
            c => out.push_str(&format!("#{};", c as u32)),
        }
    }
    let trimmed = out.trim();
    if trimmed.is_empty() { "#160;".to_string() } else { trimmed.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_syntax() {
        assert_eq!(
            escaped("a; b #3 <x> {y} %% \"z\"\nw"),
            "a#59; b #35;3 #60;x#62; #123;y#125; #37;#37; #34;z#34; w"
        );
        assert_eq!(escaped(" "), "#160;");
        assert_eq!(escaped("Δ: I-AM-ALIVE"), "Δ: I-AM-ALIVE");
    }
}
