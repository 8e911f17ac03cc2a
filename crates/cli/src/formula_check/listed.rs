//! A labelled transition system that is listed, such as one from a file, as a space: a state is its number.

use std::collections::BTreeMap;
use watchkeeper_space::{
    Action, ActionClass, AtomId, DataAction, DataLabel, DataLabels, Edit, Event, Id, Mismatch, Narration,
    Role, Shape, Space, StatePath, Step, Stuck, Successors, Trace, Value, View, Vocabulary, steps,
};

/// The space of a list of steps.
pub(crate) struct ListedSpace {
    shape: Shape,
    initial: Id,
    labels: Vec<DataLabel>,
    /// Where the steps of each state begin, with one end more.
    first: Vec<usize>,
    steps: Vec<(u32, Id)>,
}

impl ListedSpace {
    /// A space of so many states. A step is the state that it leaves, the number of its label and the state that it leads to.
    pub(crate) fn new(
        states: usize,
        initial: Id,
        labels: impl IntoIterator<Item = impl AsRef<str>>,
        steps: impl IntoIterator<Item = (Id, u32, Id)>,
    ) -> ListedSpace {
        let class = ActionClass { name: "step".to_string(), role: Role::Other };
        let shape = Shape { slots: vec!["state".to_string()], classes: vec![class], ..Shape::default() };
        let labels = labels.into_iter().map(|label| read_label(label.as_ref())).collect();
        let mut all: Vec<(Id, u32, Id)> = steps.into_iter().collect();
        all.sort_unstable();
        let mut first = vec![0; states + 1];
        all.iter().for_each(|&(from, ..)| first[from as usize + 1] += 1);
        (0..states).for_each(|state| first[state + 1] += first[state]);
        let steps = all.into_iter().map(|(_, label, to)| (label, to)).collect();
        ListedSpace { shape, initial, labels, first, steps }
    }

    fn of(&self, state: Id) -> std::ops::Range<usize> {
        self.first[state as usize]..self.first[state as usize + 1]
    }

    fn label_of(&self, action: Action) -> &DataLabel {
        &self.labels[self.steps[action.code() as usize].0 as usize]
    }
}

impl Space for ListedSpace {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        vec![vec![self.initial]]
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        for at in self.of(row[0]) {
            out.step(Action::new(0, at as u64), &[Edit::new(0, self.steps[at].1)]);
        }
    }

    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Deadlock
    }

    fn atom(&self, _: AtomId, _: &[Id]) -> bool {
        false
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        out.extend_from_slice(&row[0].to_be_bytes());
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }
}

impl Narration for ListedSpace {
    fn view(&self, row: &[Id]) -> View {
        vec![("state".to_string(), Value::str(row[0].to_string()))]
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        self.label_of(action).to_string()
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        let missing = |step: usize| Mismatch { step, why: "the file has no such step".to_string() };
        let mut row = path.rows.first().cloned().ok_or_else(|| missing(0))?;
        let mut trace = Trace { start: self.view(&row), ..Trace::default() };
        for (at, &action) in path.actions.iter().enumerate() {
            let found = steps(self, &row).next.into_iter().find(|(known, _)| *known == action);
            row = found.ok_or_else(|| missing(at + 1))?.1;
            if path.rows.get(at + 1) != Some(&row) {
                return Err(missing(at + 1));
            }
            let label = self.label_of(action).to_string();
            let events = vec![Event::Remark { text: label.clone() }];
            trace.steps.push(Step { action: label, at: None, events, after: self.view(&row) });
        }
        Ok(trace)
    }
}

impl DataLabels for ListedSpace {
    fn data_label(&self, _: &[Id], action: Action) -> DataLabel {
        self.label_of(action).clone()
    }

    /// A file says neither sorts nor actions, so they are made of its labels: an argument place is a number, a truth value, or
    /// one of the words that some argument is.
    fn vocabulary(&self) -> Vocabulary {
        let mut places: BTreeMap<(&str, usize), Vec<Vec<&str>>> = BTreeMap::new();
        for action in self.labels.iter().flat_map(|label| &label.actions) {
            let known = places.entry((&action.name, action.arguments.len())).or_default();
            known.resize(action.arguments.len(), Vec::new());
            known.iter_mut().zip(&action.arguments).for_each(|(known, argument)| known.push(argument));
        }
        let mut words: Vec<&str> = Vec::new();
        let mut actions = Vec::new();
        for ((name, _), arguments) in &places {
            if !is_word(name) {
                continue;
            }
            let sorts =
                arguments.iter().map(|texts| sort_of(texts, &mut words)).collect::<Option<Vec<String>>>();
            if let Some(sorts) = sorts {
                actions.push(((*name).to_string(), sorts));
            }
        }
        words.sort_unstable();
        words.dedup();
        let sorts = match words.is_empty() {
            true => Vec::new(),
            false => vec![(WORDS.to_string(), format!("struct {}", words.join(" | ")))],
        };
        Vocabulary { sorts, actions }
    }
}

/// The sort of the words in the labels of a file.
const WORDS: &str = "Word";

/// The sort of an argument that has these values; nothing if it is none that can be told from the texts.
fn sort_of<'a>(texts: &[&'a str], words: &mut Vec<&'a str>) -> Option<String> {
    let number = |text: &&&str| text.parse::<i128>().is_ok();
    let truth = |text: &&&str| matches!(**text, "true" | "false");
    if texts.iter().filter(number).count() == texts.len() {
        let natural = texts.iter().all(|text| !text.starts_with('-'));
        return Some(if natural { "Nat" } else { "Int" }.to_string());
    }
    if texts.iter().filter(truth).count() == texts.len() {
        return Some("Bool".to_string());
    }
    if texts.iter().all(|text| is_word(text) && !matches!(*text, "true" | "false")) {
        words.extend(texts);
        return Some(WORDS.to_string());
    }
    None
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '\''))
}

/// The actions of a label as it is written: `a(1,x)|b`, or `tau`.
fn read_label(text: &str) -> DataLabel {
    let text = text.trim();
    if text == "tau" {
        return DataLabel::TAU;
    }
    let mut actions: Vec<DataAction> = split(text, '|').into_iter().map(read_action).collect();
    actions.sort();
    DataLabel { actions }
}

fn read_action(text: &str) -> DataAction {
    let text = text.trim();
    match text.strip_suffix(')').and_then(|inner| inner.split_once('(')) {
        Some((name, arguments)) => {
            DataAction::new(name.trim(), split(arguments, ',').into_iter().map(str::trim))
        }
        None => DataAction::new(text, [""; 0]),
    }
}

/// The parts of a text between separators that are in no brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0i64, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_taken_apart_and_their_sorts_are_told_from_the_texts() {
        let label = read_label("send(p0,[1,2])|tick");
        assert_eq!(label.to_string(), "send(p0,[1,2])|tick");
        assert_eq!(label.actions[0].arguments, ["p0", "[1,2]"]);
        assert!(read_label("tau").is_tau());
        let space = ListedSpace::new(2, 0, ["a(1,p0)", "a(2,p1)", "b(true)", "c([1])"], [(0, 0, 1)]);
        let Vocabulary { sorts, actions } = space.vocabulary();
        assert_eq!(sorts, [("Word".to_string(), "struct p0 | p1".to_string())]);
        let sorts = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect::<Vec<_>>();
        assert_eq!(
            actions,
            [("a".to_string(), sorts(&["Nat", "Word"])), ("b".to_string(), sorts(&["Bool"]))]
        );
    }
}
