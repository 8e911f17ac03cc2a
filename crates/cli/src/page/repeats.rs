//! Requests that a browser makes again because their answer was lost on the way: a network of the machine came or went, and
//! the browser dropped its connections. What was done for the first is not done twice, and has the same answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use watchkeeper_web::Answered;

/// How many answers are kept, and how long the name of a request may be.
const KEPT: usize = 16;
const LONGEST: usize = 64;

/// The last requests that had a name, and their answers.
#[derive(Default)]
pub(super) struct Repeats {
    kept: Mutex<VecDeque<NamedAnswer>>,
}

struct NamedAnswer {
    name: String,
    answer: Arc<OnceLock<Answered>>,
}

impl Repeats {
    /// The answer to a request. Whoever asks under a name that was asked before is given the answer from then, and waits for
    /// it if that is still being made.
    pub(super) fn answer(&self, name: Option<String>, work: impl FnOnce() -> Answered) -> Answered {
        let Some(name) = name.filter(|name| !name.is_empty() && name.len() <= LONGEST) else {
            return work();
        };
        self.place(name).get_or_init(work).clone()
    }

    fn place(&self, name: String) -> Arc<OnceLock<Answered>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|one| one.name == name) {
            return Arc::clone(&known.answer);
        }
        if kept.len() == KEPT {
            kept.pop_front();
        }
        let answer = Arc::default();
        kept.push_back(NamedAnswer { name, answer: Arc::clone(&answer) });
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::cell::Cell;

    #[test]
    fn what_is_asked_twice_under_one_name_is_done_once() {
        let (repeats, done) = (Repeats::default(), Cell::new(0));
        let ask = |name: Option<&str>| {
            repeats.answer(name.map(str::to_string), || {
                done.set(done.get() + 1);
                Ok(json!(done.get()))
            })
        };
        assert_eq!(
            [ask(Some("a")), ask(Some("b")), ask(Some("a"))],
            [Ok(json!(1)), Ok(json!(2)), Ok(json!(1))]
        );
        // Without a name, and with one that is too long to keep, every request is another.
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(
            [ask(None), ask(None), ask(Some("")), ask(Some(&long)), ask(Some(&long))].map(Result::unwrap),
            [3, 4, 5, 6, 7]
        );
    }

    #[test]
    fn the_last_answers_are_kept_and_no_more() {
        let repeats = Repeats::default();
        let ask = |name: usize, value: usize| repeats.answer(Some(name.to_string()), || Ok(json!(value)));
        for name in 0..=KEPT {
            assert_eq!(ask(name, name), Ok(json!(name)));
        }
        assert_eq!((ask(KEPT, 99), ask(1, 99), ask(0, 99)), (Ok(json!(KEPT)), Ok(json!(1)), Ok(json!(99))));
    }
}
