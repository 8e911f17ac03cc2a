//! From the text that `Debug` prints to a value with structure, so that reports and interchange formats
//! show the fields of a protocol state without asking its author for more than a derive. Text that cannot
//! be taken apart stays text; nothing is ever lost.

use watchkeeper_core::Value;

/// The value that a `Debug` text shows. A record named like `type_name` is a plain struct and shows its
/// fields only; of any other, which may be the variant of an enum, the name is the field `tag`.
pub fn value(text: &str, type_name: &str) -> Value {
    // Generic arguments come last in the name of a type, and `Debug` does not print them.
    let bare = type_name.split('<').next().unwrap_or(type_name);
    let plain = bare.rsplit("::").next().unwrap_or(bare);
    let mut parser = Parser { rest: text, plain };
    match parser.value() {
        Some(value) if parser.rest.trim().is_empty() => value,
        _ => Value::str(text),
    }
}

struct Parser<'a> {
    rest: &'a str,
    plain: &'a str,
}

impl<'a> Parser<'a> {
    fn value(&mut self) -> Option<Value> {
        self.rest = self.rest.trim_start();
        let start = self.rest;
        match start.chars().next()? {
            '[' => self.list('[', ']').map(Value::List),
            '(' => self.list('(', ')').map(Value::List),
            '{' => self.set(),
            '"' | '\'' => self.quoted(),
            _ => {
                let name = self.word()?;
                match self.rest.trim_start().chars().next() {
                    Some('{') => self.record(name),
                    Some('(') => {
                        self.list('(', ')')?;
                        Some(Value::str(&start[..start.len() - self.rest.len()]))
                    }
                    _ => Some(scalar(name)),
                }
            }
        }
    }

    /// Up to the next character that ends a name or a number.
    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find([',', ':', '(', ')', '[', ']', '{', '}']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let word = word.trim_end();
        (!word.is_empty()).then_some(word)
    }

    fn list(&mut self, open: char, close: char) -> Option<Vec<Value>> {
        self.eat(open).then_some(())?;
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.value()?);
            if !self.eat(',') && !self.rest.trim_start().starts_with(close) {
                return None;
            }
        }
        Some(items)
    }

    /// A set, or a map as a list of pairs.
    fn set(&mut self) -> Option<Value> {
        self.eat('{').then_some(())?;
        let (mut members, mut pairs) = (Vec::new(), Vec::new());
        while !self.eat('}') {
            let member = self.value()?;
            match self.eat(':') {
                true => pairs.push(Value::List(vec![member, self.value()?])),
                false => members.push(member),
            }
            if !self.eat(',') && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        match (members.is_empty(), pairs.is_empty()) {
            (_, true) => Some(Value::set(members)),
            (true, false) => Some(Value::List(pairs)),
            (false, false) => None,
        }
    }

    fn record(&mut self, name: &str) -> Option<Value> {
        self.eat('{').then_some(())?;
        let mut fields = Vec::new();
        if name != self.plain {
            fields.push(("tag".to_string(), Value::str(name)));
        }
        while !self.eat('}') {
            self.rest = self.rest.trim_start();
            let field = self.word()?;
            self.eat(':').then_some(())?;
            fields.push((field.to_string(), self.value()?));
            if !self.eat(',') && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        Some(Value::Record(fields))
    }

    fn quoted(&mut self) -> Option<Value> {
        let quote = self.rest.chars().next()?;
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        let (text, rest) = self.rest.split_at(end.0 + 1);
        self.rest = rest;
        Some(Value::str(text))
    }

    fn eat(&mut self, expected: char) -> bool {
        match self.rest.trim_start().strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

fn scalar(word: &str) -> Value {
    match (word, word.parse()) {
        ("true", _) => Value::Bool(true),
        ("false", _) => Value::Bool(false),
        (_, Ok(number)) => Value::Int(number),
        _ => Value::str(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::{Pid, ProcSet};

    #[derive(Debug)]
    #[allow(dead_code)]
    struct Ring<T> {
        target: Pid,
        suspects: ProcSet,
        sent: bool,
        round: i32,
        inner: T,
    }

    #[derive(Debug)]
    #[allow(dead_code)]
    enum Phase {
        Idle,
        Waits { since: u8 },
        Told(Pid, Option<u8>),
    }

    fn shown<T: std::fmt::Debug>(value: &T) -> Value {
        super::value(&format!("{value:?}"), std::any::type_name::<T>())
    }

    fn ring<T>(inner: T) -> Ring<T> {
        Ring { target: Pid::at(1), suspects: ProcSet::from_bits(5), sent: true, round: -3, inner }
    }

    #[test]
    fn a_struct_shows_its_fields() {
        let Value::Record(fields) = shown(&ring(vec![(1, 2)])) else { panic!("a record") };
        assert_eq!(fields[0], ("target".to_string(), Value::str("p1")));
        assert_eq!(fields[1].1, Value::set([Value::str("p0"), Value::str("p2")]));
        assert_eq!((&fields[2].1, &fields[3].1), (&Value::Bool(true), &Value::Int(-3)));
        let pair = Value::List(vec![Value::Int(1), Value::Int(2)]);
        assert_eq!(fields[4], ("inner".to_string(), Value::List(vec![pair])));
    }

    #[test]
    fn a_variant_shows_its_name() {
        assert_eq!(shown(&Phase::Idle), Value::str("Idle"));
        let waits = vec![("tag".to_string(), Value::str("Waits")), ("since".to_string(), Value::Int(2))];
        assert_eq!(shown(&Phase::Waits { since: 2 }), Value::Record(waits.clone()));
        assert_eq!(shown(&Phase::Told(Pid::at(2), Some(3))), Value::str("Told(p2, Some(3))"));
        let Value::Record(fields) = shown(&ring(Phase::Waits { since: 2 })) else { panic!("a record") };
        assert_eq!(fields[4].1, Value::Record(waits));
    }

    #[test]
    fn texts_with_marks_in_them_and_maps_are_kept() {
        assert_eq!(
            shown(&vec!["a, b", "c\"]"]),
            Value::List(vec![Value::str("\"a, b\""), Value::str("\"c\\\"]\"")])
        );
        let map = std::collections::BTreeMap::from([(1, 'x')]);
        let pair = Value::List(vec![Value::Int(1), Value::str("'x'")]);
        assert_eq!(shown(&map), Value::List(vec![pair]));
        assert_eq!(super::value("odd } text", "T"), Value::str("odd } text"));
        assert_eq!(super::value("", "T"), Value::str(""));
    }
}
