//! Traces in the Informal Trace Format of Apalache (its ADR 015), which Quint and others read too. Every
//! state has the same variables, and numbers are written so that no reader rounds them.

use serde_json::{Map, Value as Json, json};
use std::mem::discriminant;
use watchkeeper_core::{Trace, Value, View};

/// The trace as ITF, with a line break at the end. `description` says what it shows. The variables are
/// those of the states, and one more for the action that led to a state, and for its time where there is
/// time; a lasso has its `loop`.
pub fn itf(trace: &Trace, description: &str) -> String {
    let states: Vec<&View> =
        std::iter::once(&trace.start).chain(trace.steps.iter().map(|step| &step.after)).collect();
    let mut names: Vec<String> = Vec::new();
    for (name, _) in states.iter().copied().flatten() {
        let name = safe(name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let action = free("action", &names);
    let clock = Clock::of(trace).map(|clock| (free("time", &names), clock));

    let state = |i: usize| {
        let step = i.checked_sub(1).map(|before| &trace.steps[before]);
        let mut object = Map::new();
        let mut meta = json!({ "index": i });
        if let Some(at) = step.and_then(|step| step.at.as_ref()) {
            meta["at"] = json!(at);
        }
        object.insert("#meta".to_string(), meta);
        object.insert(action.clone(), json!(step.map_or("init", |step| &step.action)));
        if let Some((name, clock)) = &clock {
            object.insert(name.clone(), clock.moments[i].clone());
        }
        for name in &names {
            let found = states[i].iter().find(|(known, _)| safe(known) == *name);
            let absent = || json!({ "#unserializable": "no such variable in this state" });
            object.insert(name.clone(), found.map_or_else(absent, |(_, value)| encoded(value)));
        }
        Json::Object(object)
    };

    let time = clock.iter().map(|(name, _)| name);
    let vars: Vec<&String> = std::iter::once(&action).chain(time).chain(&names).collect();
    let mut document = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": "watchkeeper",
            "description": description,
        },
        "vars": vars,
        "states": (0..states.len()).map(state).collect::<Vec<Json>>(),
    });
    if let Some(index) = loop_start(trace, &states) {
        document["loop"] = json!(index);
    }
    format!("{document:#}\n")
}

/// The moments of the states of a trace in which there is time.
struct Clock {
    moments: Vec<Json>,
}

impl Clock {
    /// A state whose time is not said has that of the state before, and the first one begins at 0. Moments
    /// are numbers if all are whole, and texts if not, since a variable has one type.
    fn of(trace: &Trace) -> Option<Clock> {
        trace.steps.iter().find(|step| step.at.is_some())?;
        let mut moments = vec!["0".to_string()];
        for step in &trace.steps {
            let now = step.at.clone().unwrap_or_else(|| moments[moments.len() - 1].clone());
            moments.push(now);
        }
        let whole: Option<Vec<i64>> = moments.iter().map(|moment| moment.parse().ok()).collect();
        let moments = match whole {
            Some(whole) => whole.iter().map(|moment| encoded(&Value::Int(*moment))).collect(),
            None => moments.iter().map(|moment| json!(moment)).collect(),
        };
        Some(Clock { moments })
    }
}

/// The name, or one like it that no variable has.
fn free(name: &str, taken: &[String]) -> String {
    let mut free = name.to_string();
    while taken.contains(&free) {
        free.push('_');
    }
    free
}

/// The state that follows the last one. If the last state is the one at which the loop closes, spelled
/// out again, then the loop begins behind that one.
fn loop_start(trace: &Trace, states: &[&View]) -> Option<usize> {
    let to = trace.loops_to?.min(states.len() - 1);
    let closed = to + 1 < states.len() && states.last().is_some_and(|last| *last == states[to]);
    Some(if closed { to + 1 } else { to })
}

/// A state as the variables of ITF, by name.
pub fn itf_view(view: &View) -> Map<String, Json> {
    view.iter().map(|(name, value)| (safe(name), encoded(value))).collect()
}

fn encoded(value: &Value) -> Json {
    match value {
        Value::Bool(b) => json!(b),
        Value::Int(i) => json!({ "#bigint": i.to_string() }),
        Value::Str(s) => json!(s),
        Value::List(items) => {
            // A sequence has members of one type; what has not is a tuple.
            let alike = items.windows(2).all(|pair| discriminant(&pair[0]) == discriminant(&pair[1]));
            let members = Json::Array(items.iter().map(encoded).collect());
            if alike { members } else { json!({ "#tup": members }) }
        }
        Value::Set(items) => json!({ "#set": items.iter().map(encoded).collect::<Vec<Json>>() }),
        Value::Record(fields) => {
            Json::Object(fields.iter().map(|(name, value)| (safe(name), encoded(value))).collect())
        }
    }
}

/// A name that no reader takes for one of the format's own.
fn safe(name: &str) -> String {
    if name.starts_with('#') { format!("_{name}") } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::Step;

    fn trace(values: &[Value]) -> Trace {
        let view = |value: &Value| vec![("x".to_string(), value.clone())];
        let step = |value: &Value| Step {
            action: "go".to_string(),
            at: Some("1.5".to_string()),
            events: Vec::new(),
            after: view(value),
        };
        let steps = values[1..].iter().map(step).collect();
        Trace { start: view(&values[0]), steps, ..Trace::default() }
    }

    fn parsed(trace: &Trace) -> Json {
        serde_json::from_str(&itf(trace, "a test")).expect("ITF is JSON")
    }

    #[test]
    fn every_kind_of_value_has_its_form() {
        let all = Value::Record(vec![
            ("n".to_string(), Value::Int(i64::MIN)),
            ("on".to_string(), Value::Bool(true)),
            ("who".to_string(), Value::set([Value::str("p1"), Value::str("p0")])),
            ("seq".to_string(), Value::List(vec![Value::Int(1), Value::Int(2)])),
            ("tup".to_string(), Value::List(vec![Value::Int(1), Value::str("a")])),
            ("#meta".to_string(), Value::str("ours")),
        ]);
        let json = parsed(&trace(&[all]));
        assert_eq!(
            json["states"][0]["x"],
            json!({
                "n": { "#bigint": "-9223372036854775808" },
                "on": true,
                "who": { "#set": ["p0", "p1"] },
                "seq": [{ "#bigint": "1" }, { "#bigint": "2" }],
                "tup": { "#tup": [{ "#bigint": "1" }, "a"] },
                "_#meta": "ours",
            })
        );
        assert_eq!(json["states"][0]["action"], "init");
        assert_eq!(json["vars"], json!(["action", "x"]));
        assert!(json.get("loop").is_none());
    }

    #[test]
    fn every_state_has_the_same_variables() {
        let mut uneven = trace(&[Value::Int(1), Value::Int(2)]);
        uneven.steps[0].after.push(("action".to_string(), Value::str("mine")));
        let json = parsed(&uneven);
        assert_eq!(json["vars"], json!(["action_", "time", "x", "action"]));
        for state in json["states"].as_array().expect("a list") {
            let keys: Vec<&String> = state.as_object().expect("an object").keys().collect();
            assert_eq!(keys, ["#meta", "action_", "time", "x", "action"]);
        }
        assert_eq!(json["states"][0]["action"]["#unserializable"], "no such variable in this state");
        assert_eq!(json["states"][1]["#meta"], json!({ "index": 1, "at": "1.5" }));
    }

    #[test]
    fn time_is_a_variable_of_one_type() {
        let moments = |times: &[Option<&str>]| -> Vec<Json> {
            let mut timed = trace(&vec![Value::Int(1); times.len() + 1]);
            for (step, at) in timed.steps.iter_mut().zip(times) {
                step.at = at.map(str::to_string);
            }
            let json = parsed(&timed);
            json["states"].as_array().expect("a list").iter().map(|state| state["time"].clone()).collect()
        };
        let number = |text: &str| json!({ "#bigint": text });
        assert_eq!(moments(&[Some("10"), None, Some("21")]), ["0", "10", "10", "21"].map(number));
        assert_eq!(moments(&[Some("10"), Some("20.5")]), ["0", "10", "20.5"].map(|text| json!(text)));
        assert_eq!(moments(&[None, None]), [Json::Null, Json::Null, Json::Null]);
    }

    #[test]
    fn a_lasso_closes_where_the_run_does() {
        let values = [1, 2, 3, 2].map(Value::Int);
        let mut lasso = trace(&values);
        lasso.loops_to = Some(1);
        assert_eq!(parsed(&lasso)["loop"], 2, "1, then 2 3 2 3 2 3 ...: the loop is states 2 and 3");
        lasso.loops_to = Some(0);
        assert_eq!(parsed(&lasso)["loop"], 0, "the last state is another than the first, which follows it");
        lasso.loops_to = Some(3);
        assert_eq!(parsed(&lasso)["loop"], 3, "the run stays in its last state");
        lasso.loops_to = Some(99);
        assert_eq!(parsed(&lasso)["loop"], 3, "a wrong index is kept inside the trace");
    }
}
