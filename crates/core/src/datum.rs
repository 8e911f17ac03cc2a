//! What messages, requests and announcements carry, as terms of sorts. Labels of steps are made of these, so that formulas
//! about actions can speak of processes and values. No protocol needs them, and no running node asks for them.

use crate::{Member, PerProc, Pid, ProcSet};

/// A sort of terms: its name as a formula writes it, and the definitions of the sorts that it uses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DatumSort {
    /// The name, such as `Nat` or `Set(Process)`.
    pub name: String,
    /// The sorts that are not known everywhere, each with its definition, such as `struct none | some(Nat)`. `Process` is
    /// always known: how many processes there are is a matter of the system.
    pub declared: Vec<(String, String)>,
}

impl DatumSort {
    /// A sort that is known everywhere: `Bool`, `Nat`, `Int` or `Process`.
    pub fn known(name: &str) -> DatumSort {
        DatumSort { name: name.to_string(), declared: Vec::new() }
    }

    /// A sort of terms built from others, as in `Set(Process)`.
    pub fn of(constructor: &str, inner: DatumSort) -> DatumSort {
        DatumSort { name: format!("{constructor}({})", inner.name), declared: inner.declared }
    }

    /// A sort with a definition of its own, which uses these.
    pub fn declared(name: &str, definition: String, uses: Vec<DatumSort>) -> DatumSort {
        let mut declared: Vec<(String, String)> = uses.into_iter().flat_map(|sort| sort.declared).collect();
        declared.push((name.to_string(), definition));
        DatumSort { name: name.to_string(), declared }
    }
}

/// A value that a label can show as a term. The derive of [`Kind`](crate::Kind) shows the fields whose types are such, and leaves
/// out the others.
pub trait Datum {
    /// The sort of its terms.
    fn sort() -> DatumSort;

    /// The value as a term.
    fn term(&self) -> String;
}

/// What the values of one kind are called in labels, and the sorts of what they carry.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct KindData {
    /// The name: an identifier.
    pub name: String,
    /// The sorts of the arguments.
    pub sorts: Vec<DatumSort>,
}

impl KindData {
    /// A kind by its name in reports, with what its values carry.
    pub fn new(name: &str, sorts: Vec<DatumSort>) -> KindData {
        KindData { name: identifier(name), sorts }
    }
}

/// The words that formulas and specifications have for themselves.
const RESERVED: [&str; 43] = [
    "act", "allow", "block", "comm", "cons", "delay", "delta", "div", "end", "eqn", "exists", "false",
    "forall", "glob", "hide", "if", "in", "init", "lambda", "map", "mod", "mu", "nil", "nu", "pbes", "proc",
    "rename", "sort", "struct", "sum", "tau", "true", "val", "var", "whr", "yaled", "where", "dist", "sup",
    "inf", "count", "head", "tail",
];

/// A name as an identifier: letters, digits and underscores, in small letters. `ARE-YOU-ALIVE` is `are_you_alive`.
pub fn identifier(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => out.push(c),
            _ if out.is_empty() || out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }
    let kept = out.trim_end_matches('_').len();
    out.truncate(kept);
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "a_");
    }
    if RESERVED.contains(&out.as_str()) {
        out.push('_');
    }
    out
}

impl Datum for bool {
    fn sort() -> DatumSort {
        DatumSort::known("Bool")
    }

    fn term(&self) -> String {
        self.to_string()
    }
}

macro_rules! numbers {
    ($sort:literal: $($number:ty),*) => {$(
        impl Datum for $number {
            fn sort() -> DatumSort {
                DatumSort::known($sort)
            }

            fn term(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

numbers!("Nat": u8, u16, u32, u64, usize);
numbers!("Int": i8, i16, i32, i64);

impl Datum for Pid {
    fn sort() -> DatumSort {
        DatumSort::known("Process")
    }

    fn term(&self) -> String {
        self.to_string()
    }
}

impl Datum for Member {
    fn sort() -> DatumSort {
        Pid::sort()
    }

    fn term(&self) -> String {
        self.0.term()
    }
}

impl Datum for ProcSet {
    fn sort() -> DatumSort {
        DatumSort::of("Set", Pid::sort())
    }

    fn term(&self) -> String {
        let members: Vec<String> = self.iter().map(|p| p.term()).collect();
        if members.is_empty() { "{}".to_string() } else { format!("{{{}}}", members.join(",")) }
    }
}

impl<T: Datum> Datum for Option<T> {
    fn sort() -> DatumSort {
        let inner = T::sort();
        let name: String = inner.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let [none, some] = ["no", "some"].map(|word| format!("{word}_{}", identifier(&name)));
        let definition = format!("struct {none} | {some}({})", inner.name);
        DatumSort::declared(&format!("Optional{name}"), definition, vec![inner])
    }

    fn term(&self) -> String {
        let name: String = T::sort().name.chars().filter(char::is_ascii_alphanumeric).collect();
        let name = identifier(&name);
        self.as_ref().map_or_else(|| format!("no_{name}"), |value| format!("some_{name}({})", value.term()))
    }
}

/// A list with an element for each process.
impl<T: Datum + Clone> Datum for PerProc<T> {
    fn sort() -> DatumSort {
        DatumSort::of("List", T::sort())
    }

    fn term(&self) -> String {
        let each: Vec<String> = self.iter().map(|(_, value)| value.term()).collect();
        format!("[{}]", each.join(","))
    }
}

/// The choice between a field that can be shown and one that cannot, by the method that the compiler finds first. Only the derive of
/// [`Kind`](crate::Kind) uses it.
#[doc(hidden)]
pub mod shown {
    use super::{Datum, DatumSort};
    use std::marker::PhantomData;

    /// The type of a field.
    pub struct OfType<T>(pub PhantomData<T>);

    /// A field.
    pub struct OfField<'a, T>(pub &'a T);

    /// A type whose values are terms.
    pub trait ShownSort {
        /// Its sort.
        fn sort(&self) -> Option<DatumSort>;
    }

    /// Any other type.
    pub trait NoSort {
        /// None.
        fn sort(&self) -> Option<DatumSort> {
            None
        }
    }

    impl<T: Datum> ShownSort for OfType<T> {
        fn sort(&self) -> Option<DatumSort> {
            Some(T::sort())
        }
    }

    impl<T> NoSort for &OfType<T> {}

    /// A field that is a term.
    pub trait ShownTerm {
        /// It.
        fn term(&self) -> Option<String>;
    }

    /// Any other field.
    pub trait NoTerm {
        /// None.
        fn term(&self) -> Option<String> {
            None
        }
    }

    impl<T: Datum> ShownTerm for OfField<'_, T> {
        fn term(&self) -> Option<String> {
            Some(self.0.term())
        }
    }

    impl<T> NoTerm for &OfField<'_, T> {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn names_become_identifiers() {
        let names = ["ARE-YOU-ALIVE?", "stop suspecting", "new member", "delay", "#1", "a--b"];
        let expected = ["are_you_alive", "stop_suspecting", "new_member", "delay_", "a_1", "a_b"];
        assert_eq!(names.map(identifier), expected);
    }

    #[test]
    fn values_are_terms_of_their_sorts() {
        let set = ProcSet::first(2);
        assert_eq!((set.term(), ProcSet::EMPTY.term()), ("{p0,p1}".to_string(), "{}".to_string()));
        assert_eq!(ProcSet::sort().name, "Set(Process)");
        let known = PerProc::new(2, Some(3_u64));
        let sort = PerProc::<Option<u64>>::sort();
        assert_eq!(known.term(), "[some_nat(3),some_nat(3)]");
        assert_eq!(sort.name, "List(OptionalNat)");
        assert_eq!(sort.declared, [("OptionalNat".to_string(), "struct no_nat | some_nat(Nat)".to_string())]);
    }

    /// Nothing that a label can show.
    #[derive(Debug)]
    struct Blob;

    #[derive(Debug, Kind)]
    enum Msg {
        #[kind("PING-REQ")]
        Ping { to: Pid, news: Blob, round: u32 },
        #[kind("stop suspecting", action = "trust")]
        Trust(Pid, #[kind(skip)] u8),
    }

    #[derive(Debug, Kind)]
    enum Sealed<M> {
        Data {
            number: u32,
            #[kind(inner)]
            msg: M,
        },
        Received,
    }

    #[test]
    fn the_derive_shows_the_fields_that_are_terms() {
        let data = Msg::data();
        assert_eq!(data[0], KindData::new("ping_req", vec![Pid::sort(), u32::sort()]));
        assert_eq!(data[1], KindData::new("trust", vec![Pid::sort()]));
        let ping = Msg::Ping { to: Pid::at(1), news: Blob, round: 3 };
        assert_eq!(ping.terms(), ["p1", "3"]);
        assert_eq!(Msg::Trust(Pid::at(2), 0).terms(), ["p2"]);
        let data = Sealed::<Msg>::data();
        let names: Vec<&str> = data.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["ping_req", "trust", "received"]);
        assert_eq!(data[1].sorts, [Pid::sort(), u32::sort()]);
        let sealed = Sealed::Data { number: 9, msg: Msg::Trust(Pid::at(2), 0) };
        assert_eq!(sealed.terms(), ["p2", "9"]);
        assert!(Sealed::<Msg>::Received.terms().is_empty());
    }
}
