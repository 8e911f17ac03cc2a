//! What a request comes to: a JSON value, or a problem with a status code of HTTP and a sentence that says what to do.

use serde_json::{Value, json};
use std::fmt;

/// The answer to a request.
pub type Answered = Result<Value, WebProblem>;

/// Why a request has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebProblem {
    /// The status code.
    pub status: u16,
    /// What is wrong, and what to do next.
    pub message: String,
}

impl WebProblem {
    /// A problem with this status code.
    pub fn new(status: u16, message: impl Into<String>) -> WebProblem {
        WebProblem { status, message: message.into() }
    }

    /// The request itself is wrong.
    pub fn bad(message: impl Into<String>) -> WebProblem {
        WebProblem::new(400, message)
    }

    /// There is no such thing.
    pub fn missing(message: impl Into<String>) -> WebProblem {
        WebProblem::new(404, message)
    }

    /// A state or a space of an earlier server, or one that was forgotten.
    pub fn gone(message: impl Into<String>) -> WebProblem {
        WebProblem::new(410, message)
    }

    /// What is asked for cannot be done.
    pub fn impossible(message: impl Into<String>) -> WebProblem {
        WebProblem::new(422, message)
    }

    /// As the body of an answer.
    pub fn body(&self) -> Value {
        json!({ "error": self.message })
    }
}

impl fmt::Display for WebProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The value of a key of a request, as a whole number.
pub(crate) fn number(body: &Value, key: &str) -> Result<usize, WebProblem> {
    let value = body.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    value.ok_or_else(|| WebProblem::bad(format!("the request needs the key {key}, a whole number")))
}

/// The value of a key of a request, as text.
pub(crate) fn text<'a>(body: &'a Value, key: &str) -> Result<&'a str, WebProblem> {
    body.get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| WebProblem::bad(format!("the request needs the key {key}, a text")))
}

/// The value of a key that may be left out, as a whole number.
pub(crate) fn maybe_number(body: &Value, key: &str) -> Result<Option<usize>, WebProblem> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => number(body, key).map(Some),
    }
}

/// The texts of a list that may be left out.
pub(crate) fn maybe_texts(body: &Value, key: &str) -> Result<Option<Vec<String>>, WebProblem> {
    let wrong = || WebProblem::bad(format!("{key} must be a list of texts"));
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(list) => {
            let list = list.as_array().ok_or_else(wrong)?;
            list.iter()
                .map(|item| item.as_str().map(str::to_string).ok_or_else(wrong))
                .collect::<Result<_, _>>()
                .map(Some)
        }
    }
}
