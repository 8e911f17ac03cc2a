//! What a step changes, as a person reads it: the fields of processes, their timers, and the messages between them.

use serde_json::{Value as Json, json};
use watchkeeper_space::{DueSpan, MessagePicture, ProcessPicture, ProcessStatus, StatePicture};

/// The differences between two states, each with where it is, what it is, and the values before and after.
pub(crate) fn changes(
    before: &StatePicture,
    after: &StatePicture,
    suspects: &[(String, String)],
) -> Vec<Json> {
    let mut list = Vec::new();
    for (i, (was, is)) in before.processes.iter().zip(&after.processes).enumerate() {
        process(was, is, &mut list);
        if let Some((was, is)) = suspects.get(i).filter(|(was, is)| was != is) {
            list.push(change(&before.processes[i].name, "suspects", was, is));
        }
    }
    let name =
        |p: usize| before.processes.get(p).map_or_else(|| format!("p{p}"), |process| process.name.clone());
    let way =
        |message: &MessagePicture| format!("{} -> {}", name(message.from.index()), name(message.to.index()));
    let mut left: Vec<&MessagePicture> = after.messages.iter().collect();
    for message in &before.messages {
        match left.iter().position(|other| same_message(message, other)) {
            Some(at) => drop(left.swap_remove(at)),
            None => list.push(change(&way(message), "message", &message.label, "")),
        }
    }
    left.sort_by_key(|message| (message.from, message.to));
    list.extend(left.into_iter().map(|message| change(&way(message), "message", "", &message.label)));
    for (name, value) in &after.rest {
        let was = before.rest.iter().find(|(other, _)| other == name).map(|(_, value)| value.to_string());
        let (was, is) = (was.unwrap_or_default(), value.to_string());
        if was != is {
            list.push(change("", name, &was, &is));
        }
    }
    list
}

fn change(place: &str, what: &str, before: &str, after: &str) -> Json {
    json!({ "where": place, "what": what, "before": before, "after": after })
}

/// Whether this may be the same message, however much of its bound is left.
fn same_message(a: &MessagePicture, b: &MessagePicture) -> bool {
    (a.from, a.to, &a.label) == (b.from, b.to, &b.label)
}

fn process(was: &ProcessPicture, is: &ProcessPicture, list: &mut Vec<Json>) {
    let name = &was.name;
    if was.status != is.status {
        list.push(change(name, "status", &status_text(&was.status), &status_text(&is.status)));
    }
    for (field, value) in &is.fields {
        let before = was.fields.iter().find(|(other, _)| other == field).map(|(_, value)| value.to_string());
        let after = value.to_string();
        if before.as_ref() != Some(&after) && was.status != ProcessStatus::Crashed {
            list.push(change(name, field, &before.unwrap_or_default(), &after));
        }
    }
    let due = |due: &Option<DueSpan>| due.as_ref().map_or("armed".to_string(), due_text);
    for timer in &is.timers {
        match was.timers.iter().find(|other| other.name == timer.name) {
            Some(_) => {}
            None => list.push(change(name, &format!("timer {}", timer.name), "", &due(&timer.due))),
        }
    }
    for timer in was.timers.iter().filter(|timer| !is.timers.iter().any(|other| other.name == timer.name)) {
        list.push(change(name, &format!("timer {}", timer.name), &due(&timer.due), ""));
    }
}

/// The status of a process in words.
pub(crate) fn status_text(status: &ProcessStatus) -> String {
    match status {
        ProcessStatus::Up => "up".to_string(),
        ProcessStatus::Crashed => "crashed".to_string(),
        ProcessStatus::Blocked(why) => format!("blocked: {why}"),
    }
}

/// When something happens, in words.
pub(crate) fn due_text(due: &DueSpan) -> String {
    match (due.least, due.most) {
        (0, None) => "at any moment, or never".to_string(),
        (least, None) => format!("in {least} or more"),
        (least, Some(most)) if least == most => format!("in {least}"),
        (least, Some(most)) => format!("in {least} to {most}"),
    }
}
