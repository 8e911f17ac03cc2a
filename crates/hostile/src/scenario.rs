//! Scenario files, up to the plan of a search. A plan is also a command line, which is read back as the same plan.

use crate::program::PROGRAM;
use crate::quoting::{printable, short, text};
use watchkeeper_cli::hostile::{flags, scenario};

/// What a file says is what the command line says that the file is shown as; a problem is told in a few lines.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    match scenario(&PROGRAM, text) {
        Ok(line) => {
            assert!(line.len() <= 4_000 + 8 * text.len(), "{} bytes of {}", line.len(), text.len());
            let words = words(&line);
            match flags(&PROGRAM, &words[2..]) {
                Ok(again) => assert_eq!(again, line),
                Err(why) => panic!("{text}\nis {line}\nand then: {why}"),
            }
        }
        Err(why) => {
            short(&why);
            printable(&why);
        }
    }
}

/// The words of a command line, as a shell reads them.
fn words(line: &str) -> Vec<String> {
    let (mut all, mut word, mut chars) = (Vec::new(), None::<String>, line.chars());
    while let Some(c) = chars.next() {
        match c {
            ' ' => all.extend(word.take()),
            '\'' => word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_by_a_shell() {
        assert_eq!(words(r"a 'b c' 'it'\''s' --x= ''"), ["a", "b c", "it's", "--x=", ""]);
    }
}
