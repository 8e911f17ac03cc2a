//! Local states that leave the process and come back: points by their numbers, which are the same in every run of one
//! specification, and values as they are written.

use super::local_state::{ComponentState, StackFrame};
use super::memory::Memory;
use super::values::ValueId;
use crate::syntax::parse_data_expression;
use crate::typing::Scope;
use watchkeeper_space::Id;

/// Between the values of a frame.
const VALUE: char = '\u{1}';
/// Behind a frame.
const FRAME: char = '\u{2}';

impl ComponentState {
    /// Bytes that identify it in every run.
    pub(crate) fn key(&self, print: impl Fn(ValueId) -> String) -> Box<[u8]> {
        let mut text = String::new();
        for frame in &self.frames {
            text.push_str(&frame.point.to_string());
            for &value in &frame.values {
                text.push(VALUE);
                text.push_str(&print(value));
            }
            text.push(FRAME);
        }
        text.into_bytes().into()
    }
}

impl Memory {
    /// The number of the local state that some bytes identify; none if they identify none.
    pub(crate) fn state_of_key(&self, slot: usize, bytes: &[u8]) -> Option<Id> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut frames = Vec::new();
        for frame in text.split_terminator(FRAME) {
            let mut parts = frame.split(VALUE);
            let point: u32 = parts.next()?.parse().ok()?;
            let parameters = &self.system.points.all.get(point as usize)?.parameters;
            let values: Vec<&str> = parts.collect();
            if values.len() != parameters.len() {
                return None;
            }
            let read = values.iter().zip(parameters);
            let values: Option<Vec<ValueId>> =
                read.map(|(text, parameter)| self.system.model.data.read(text, parameter.sort)).collect();
            frames.push(StackFrame { point, values: values?.into() });
        }
        let state = ComponentState { frames };
        // What reads as something else, such as a function, cannot come back.
        let same = *state.key(|value| self.system.model.data.print(value)) == *bytes;
        (slot < self.system.components.len() && same).then(|| self.intern(slot, state))
    }
}

impl super::values::DataSide {
    /// The value that a text is.
    fn read(&self, text: &str, sort: crate::typing::SortId) -> Option<ValueId> {
        let written = parse_data_expression(text).ok()?;
        let typed = self.signature().typed(&Scope::new(), &written, Some(sort)).ok()?;
        let compiled = self.compile(&typed, &[]).ok()?;
        self.evaluate(&compiled, &[]).ok()
    }
}
