//! The labels of a system: texts with numbers, and what is made of them when actions are hidden, shown alone or renamed. A label is
//! a multi-action as [`DataLabel`](watchkeeper_space::DataLabel) writes it, or a text that has no such parts and is one name.

use std::collections::HashMap;
use thiserror::Error;

/// The number of the label of an internal step.
pub const TAU: u32 = 0;

/// How the label of an internal step is written.
pub const TAU_TEXT: &str = "tau";

/// Labels, each with a number; 0 is the internal step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelTable {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Default for LabelTable {
    fn default() -> LabelTable {
        LabelTable::new()
    }
}

impl LabelTable {
    /// A table with the internal step alone.
    pub fn new() -> LabelTable {
        let tau: Box<str> = TAU_TEXT.into();
        LabelTable { texts: vec![tau.clone()], numbers: HashMap::from([(tau, TAU)]) }
    }

    /// The number of a label, a new one if need be.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// The number of a label that is there.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The text of a label.
    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// The texts, by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// The number of labels, the internal step among them.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// The bytes that it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.iter().map(|text| 2 * text.len() + 48).sum()
    }
}

/// What is seen of labels: actions that are hidden, the only ones that are shown, new names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelView {
    /// The actions that become internal: a name stands for all its arguments, `send(p0,p1)` for itself.
    pub hide: Vec<String>,
    /// If there are any, every other action becomes internal.
    pub show: Vec<String>,
    /// New names, each after the old one; a name keeps the arguments, an action with arguments is replaced as a whole.
    pub rename: Vec<(String, String)>,
}

/// An action that a view names and no label has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no label has the action `{name}`; there are: {known}")]
pub struct UnknownAction {
    /// The name.
    pub name: String,
    /// Some of those that there are.
    pub known: String,
}

impl LabelView {
    /// Whether labels stay as they are.
    pub fn is_plain(&self) -> bool {
        *self == LabelView::default()
    }

    /// The label as it is seen: renamed first, then hidden.
    pub fn of(&self, label: &str) -> String {
        if label == TAU_TEXT {
            return label.to_string();
        }
        let renamed = actions(label).into_iter().map(|action| self.renamed(action));
        let hidden = |action: &String| {
            named(&self.hide, action) || !self.show.is_empty() && !named(&self.show, action)
        };
        let mut seen: Vec<String> = renamed.filter(|action| !hidden(action) && action != TAU_TEXT).collect();
        seen.sort();
        if seen.is_empty() { TAU_TEXT.to_string() } else { seen.join("|") }
    }

    fn renamed(&self, action: &str) -> String {
        let whole = self.rename.iter().find(|(old, _)| old == action);
        if let Some((_, new)) = whole {
            return new.clone();
        }
        let name = name_of(action);
        let new = self.rename.iter().find(|(old, _)| old == name);
        new.map_or_else(|| action.to_string(), |(_, new)| format!("{new}{}", &action[name.len()..]))
    }

    /// The table of the labels as they are seen, and for each old label the number of the new one. A name that no label has
    /// is an error: it would be forgotten silently.
    pub fn apply(&self, labels: &LabelTable) -> Result<(LabelTable, Vec<u32>), UnknownAction> {
        let old: Vec<&str> = labels.iter().skip(1).flat_map(actions).collect();
        let renamed: Vec<String> = old.iter().map(|action| self.renamed(action)).collect();
        let has = |list: &[&str], name: &str| list.iter().any(|action| is_named(name, action));
        let renamed: Vec<&str> = renamed.iter().map(String::as_str).collect();
        let unknown = self.rename.iter().map(|(name, _)| name).find(|name| !has(&old, name));
        let unseen = self.hide.iter().chain(&self.show).find(|name| !has(&renamed, name));
        if let Some(name) = unknown.or(unseen) {
            let mut known: Vec<&str> = renamed.iter().map(|action| name_of(action)).collect();
            known.sort_unstable();
            known.dedup();
            let more = if known.len() > 20 { ", ..." } else { "" };
            known.truncate(20);
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") + more };
            return Err(UnknownAction { name: name.clone(), known });
        }
        let mut table = LabelTable::new();
        let numbers = labels.iter().map(|text| table.number(&self.of(text))).collect();
        Ok((table, numbers))
    }
}

/// Whether one of these names is that of an action.
fn named(names: &[String], action: &str) -> bool {
    names.iter().any(|name| is_named(name, action))
}

fn is_named(name: &str, action: &str) -> bool {
    name == action || name == name_of(action)
}

/// The name of an action: what stands before its arguments.
fn name_of(action: &str) -> &str {
    if action.ends_with(')') { action.split('(').next().unwrap_or(action) } else { action }
}

/// The actions of a label: what stands between bars outside of brackets.
fn actions(label: &str) -> Vec<&str> {
    split_outside(label, '|')
}

/// The parts of a text between separators that stand outside of brackets of any kind.
pub fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            c if c == separator && depth <= 0 => {
                parts.push(text[begin..at].trim());
                begin = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(hide: &[&str], show: &[&str], rename: &[(&str, &str)]) -> LabelView {
        let texts = |list: &[&str]| list.iter().map(|text| text.to_string()).collect();
        let rename = rename.iter().map(|(old, new)| (old.to_string(), new.to_string())).collect();
        LabelView { hide: texts(hide), show: texts(show), rename }
    }

    #[test]
    fn actions_are_hidden_by_name_or_with_their_arguments() {
        let hiding = view(&["send", "get(p0)"], &[], &[]);
        let seen = ["send(p0,p1)", "get(p0)", "get(p1)", "send(p0)|get(p1)", "sender", "tau"];
        assert_eq!(seen.map(|label| hiding.of(label)), ["tau", "tau", "get(p1)", "get(p1)", "sender", "tau"]);
        let showing = view(&[], &["get"], &[]);
        assert_eq!(seen.map(|label| showing.of(label))[1..4], ["get(p0)", "get(p1)", "get(p1)"]);
    }

    #[test]
    fn names_keep_their_arguments_and_whole_actions_do_not() {
        let renaming = view(&[], &[], &[("a", "b"), ("c(1|2)", "d"), ("hide", "tau")]);
        assert_eq!(
            ["a(1)", "c(1|2)", "c(3)|a", "hide"].map(|label| renaming.of(label)),
            ["b(1)", "d", "b|c(3)", "tau"]
        );
    }

    #[test]
    fn a_name_that_no_label_has_is_told() {
        let mut labels = LabelTable::new();
        assert_eq!(["send(p0)", "crash"].map(|label| labels.number(label)), [1, 2]);
        let told = view(&["sned"], &[], &[]).apply(&labels).unwrap_err().to_string();
        assert_eq!(told, "no label has the action `sned`; there are: crash, send");
        let (table, numbers) = view(&["send"], &[], &[("crash", "stop")]).apply(&labels).expect("known");
        assert_eq!((table.iter().collect::<Vec<_>>(), numbers), (vec!["tau", "stop"], vec![0, 0, 1]));
    }

    #[test]
    fn commas_in_brackets_do_not_separate() {
        assert_eq!(split_outside("a, b(1,2),c([3,4])", ','), ["a", "b(1,2)", "c([3,4])"]);
    }
}
