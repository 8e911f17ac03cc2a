//! Values as texts, as they stand in the labels of mCRL2's state spaces.

use super::code::RewriteProgram;
use super::store::{ValueHead, ValueId, ValueStore};
use super::text;
use crate::syntax::DataBinder;

/// How long a text may become: values share what they have in common, texts do not.
const LONGEST_TEXT: usize = 1 << 20;

/// What is still to be written.
enum Piece {
    Text(&'static str),
    Owned(String),
    Value(ValueId),
    /// An operand, in brackets unless it is one word.
    Operand(ValueId),
}

impl ValueStore {
    /// A value as a text.
    pub(super) fn print(&self, p: &RewriteProgram, value: ValueId) -> String {
        let mut text = String::new();
        let mut open = vec![Piece::Value(value)];
        while let Some(piece) = open.pop() {
            if text.len() > LONGEST_TEXT {
                text.push_str("..");
                break;
            }
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Owned(part) => text.push_str(&part),
                Piece::Value(value) => self.print_value(p, value, &mut open),
                Piece::Operand(value) if self.is_operator(value) => {
                    open.extend([Piece::Text(")"), Piece::Value(value), Piece::Text("(")]);
                }
                Piece::Operand(value) => open.push(Piece::Value(value)),
            }
        }
        text
    }

    fn is_operator(&self, value: ValueId) -> bool {
        match self.head(value) {
            Some(ValueHead::Operation(operation)) => {
                text::binary(operation).is_some() || text::unary(operation).is_some()
            }
            Some(ValueHead::Lambda(_)) => true,
            Some(ValueHead::Number) => self.large_number(value).is_some_and(|number| !number.is_integer()),
            _ => false,
        }
    }

    fn print_value(&self, p: &RewriteProgram, value: ValueId, open: &mut Vec<Piece>) {
        let Some(head) = self.head(value) else {
            let number = value.as_integer().unwrap_or_default();
            open.push(Piece::Owned(number.to_string()));
            return;
        };
        let parts = self.parts(value);
        match head {
            ValueHead::False => open.push(Piece::Text("false")),
            ValueHead::True => open.push(Piece::Text("true")),
            ValueHead::Integer => {
                let number = self.integer(value).unwrap_or_default();
                open.push(Piece::Owned(number.to_string()));
            }
            ValueHead::Number => {
                let number = self.large_number(value).map(ToString::to_string).unwrap_or_default();
                open.push(Piece::Owned(number));
            }
            ValueHead::Nil => open.push(Piece::Text("[]")),
            ValueHead::Cons => self.print_list(value, open),
            ValueHead::FiniteSet => {
                open.push(Piece::Text("}"));
                separated(open, parts, ", ");
                open.push(Piece::Text("{"));
            }
            ValueHead::FiniteBag if parts.is_empty() => open.push(Piece::Text("{:}")),
            ValueHead::FiniteBag => {
                open.push(Piece::Text("}"));
                for (i, pair) in parts.chunks_exact(2).enumerate().rev() {
                    open.extend([Piece::Value(pair[1]), Piece::Text(": "), Piece::Value(pair[0])]);
                    if i > 0 {
                        open.push(Piece::Text(", "));
                    }
                }
                open.push(Piece::Text("{"));
            }
            ValueHead::Set | ValueHead::Bag => self.print_general(p, head, parts, open),
            ValueHead::Update => {
                for pair in parts[1..].chunks_exact(2).rev() {
                    open.extend([
                        Piece::Text("]"),
                        Piece::Value(pair[1]),
                        Piece::Text(" -> "),
                        Piece::Value(pair[0]),
                        Piece::Text("["),
                    ]);
                }
                open.push(Piece::Operand(parts[0]));
            }
            ValueHead::Lambda(number) => self.print_lambda(p, number, parts, open),
            ValueHead::Function(function) => {
                call(open, parts);
                open.push(Piece::Owned(p.function(function).name.clone()));
            }
            ValueHead::Operation(operation) => match (text::binary(operation), text::unary(operation), parts)
            {
                (Some(operator), _, [a, b]) => {
                    let sign = format!(" {} ", operator.sign());
                    open.extend([Piece::Operand(*b), Piece::Owned(sign), Piece::Operand(*a)]);
                }
                (_, Some(operator), [a]) => open.extend([Piece::Operand(*a), Piece::Text(operator.sign())]),
                _ => {
                    call(open, parts);
                    open.push(Piece::Text(text::name(operation)));
                }
            },
            ValueHead::Apply => {
                call(open, &parts[1..]);
                open.push(Piece::Operand(parts[0]));
            }
            ValueHead::Unknown(number) => open.push(Piece::Owned(format!("x{number}"))),
            ValueHead::Never => open.push(Piece::Text("lambda x . false")),
            ValueHead::Always => open.push(Piece::Text("lambda x . true")),
            ValueHead::Zero => open.push(Piece::Text("lambda x . 0")),
            ValueHead::Constant => open.extend([Piece::Value(parts[0]), Piece::Text("lambda x . ")]),
            ValueHead::Opposite => combined(open, "!", parts),
            ValueHead::Both => combined(open, "&&", parts),
            ValueHead::Either => combined(open, "||", parts),
            ValueHead::Sum => combined(open, "+", parts),
            ValueHead::Lesser => combined(open, "min", parts),
            ValueHead::Excess => combined(open, "-", parts),
            ValueHead::NonZero => combined(open, "0 <", parts),
            ValueHead::Indicator => combined(open, "if", parts),
        }
    }

    fn print_list(&self, list: ValueId, open: &mut Vec<Piece>) {
        let (elements, rest) = self.list_elements(list);
        match rest {
            None => {
                open.push(Piece::Text("]"));
                separated(open, &elements, ", ");
                open.push(Piece::Text("["));
            }
            Some(rest) => {
                open.push(Piece::Operand(rest));
                for element in elements.iter().rev() {
                    open.extend([Piece::Text(" |> "), Piece::Operand(*element)]);
                }
            }
        }
    }

    /// A set or a bag by a function, with its exceptions.
    fn print_general(&self, p: &RewriteProgram, head: ValueHead, parts: &[ValueId], open: &mut Vec<Piece>) {
        let exceptions = parts[1];
        if !self.parts(exceptions).is_empty() {
            open.extend([Piece::Value(exceptions), Piece::Text(" except for ")]);
        }
        match self.head(parts[0]) {
            Some(ValueHead::Lambda(number)) => {
                let body = &p.bodies[number as usize];
                let (name, sort) = &body.parameters[0];
                open.push(Piece::Text("}"));
                definitions(open, &body.capture_names, self.parts(parts[0]));
                open.push(Piece::Owned(format!("{{{name}: {} | {}", p.sorts.print(*sort), body.text)));
            }
            _ if head == ValueHead::Set => {
                open.extend([Piece::Text("(x)}"), Piece::Operand(parts[0]), Piece::Text("{x | ")]);
            }
            _ => open.extend([Piece::Text("(x)}"), Piece::Operand(parts[0]), Piece::Text("{x : ")]),
        }
    }

    fn print_lambda(&self, p: &RewriteProgram, number: u32, captured: &[ValueId], open: &mut Vec<Piece>) {
        let body = &p.bodies[number as usize];
        let parameters: Vec<_> =
            body.parameters.iter().map(|(name, sort)| format!("{name}: {}", p.sorts.print(*sort))).collect();
        definitions(open, &body.capture_names, captured);
        let keyword = DataBinder::Lambda.keyword();
        open.push(Piece::Owned(format!("{keyword} {}. {}", parameters.join(", "), body.text)));
    }
}

/// The values that a function uses, as definitions behind it.
fn definitions(open: &mut Vec<Piece>, names: &[String], values: &[ValueId]) {
    if values.is_empty() {
        return;
    }
    open.push(Piece::Text(" end"));
    for (i, (name, value)) in names.iter().zip(values).enumerate().rev() {
        open.extend([Piece::Value(*value), Piece::Owned(format!("{name} = "))]);
        open.push(Piece::Text(if i > 0 { ", " } else { " whr " }));
    }
}

/// Values with something between them.
fn separated(open: &mut Vec<Piece>, values: &[ValueId], separator: &'static str) {
    for (i, value) in values.iter().enumerate().rev() {
        open.push(Piece::Value(*value));
        if i > 0 {
            open.push(Piece::Text(separator));
        }
    }
}

/// The arguments of something, if it has any.
fn call(open: &mut Vec<Piece>, arguments: &[ValueId]) {
    if !arguments.is_empty() {
        open.push(Piece::Text(")"));
        separated(open, arguments, ", ");
        open.push(Piece::Text("("));
    }
}

fn combined(open: &mut Vec<Piece>, name: &'static str, parts: &[ValueId]) {
    call(open, parts);
    open.push(Piece::Text(name));
}
