//! States and messages as data that a report can show and an interchange format can carry.

use std::fmt;

/// A value in a trace. It maps onto ITF without loss.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A name.
    Str(String),
    /// An ordered list.
    List(Vec<Value>),
    /// A set; the members are sorted and distinct.
    Set(Vec<Value>),
    /// Named fields in their order of declaration.
    Record(Vec<(String, Value)>),
}

/// One state: the variables and their values, in a fixed order.
pub type View = Vec<(String, Value)>;

impl Value {
    /// A name.
    pub fn str(text: impl Into<String>) -> Value {
        Value::Str(text.into())
    }

    /// A set from members in any order.
    pub fn set(members: impl IntoIterator<Item = Value>) -> Value {
        let mut members: Vec<Value> = members.into_iter().collect();
        members.sort();
        members.dedup();
        Value::Set(members)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn row(f: &mut fmt::Formatter<'_>, open: &str, items: &[Value], close: &str) -> fmt::Result {
            f.write_str(open)?;
            for (i, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
            }
            f.write_str(close)
        }
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Str(s) => f.write_str(s),
            Value::List(items) => row(f, "[", items, "]"),
            Value::Set(items) => row(f, "{", items, "}"),
            Value::Record(fields) => {
                for (i, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{name}={value}", if i > 0 { " " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}
