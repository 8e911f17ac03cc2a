//! Parts of a run as a chart: some of its steps, or what happens at some of its processes. What the rest would have told
//! is not lost: a message from before is on its way, and one to a process that is not shown is a note.

use std::collections::BTreeMap;
use watchkeeper_report::Chart;
use watchkeeper_space::{Event, MessageId, Pid, Step, Trace};

/// The part of a run that a chart shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ChartPart {
    /// The first step, counted from 0, and the one behind the last.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The processes, if not all.
    pub(crate) only: Option<Vec<String>>,
}

/// A part of a trace, and the numbers of its steps in the whole, counted from 1.
pub(crate) fn part(trace: &Trace, part: &ChartPart) -> (Trace, Vec<usize>) {
    let to = part.to.min(trace.steps.len());
    let from = part.from.min(to);
    let mut shown = Trace {
        processes: trace.processes.clone(),
        start: if from == 0 { trace.start.clone() } else { trace.steps[from - 1].after.clone() },
        opening: if from == 0 { trace.opening.clone() } else { before(trace, from) },
        steps: trace.steps[from..to].to_vec(),
        loops_to: trace
            .loops_to
            .filter(|&first| first >= from && to == trace.steps.len())
            .map(|first| first - from),
    };
    let mut numbers: Vec<usize> = (from + 1..=to).collect();
    if let Some(only) = &part.only {
        project(&mut shown, &mut numbers, trace, only);
    }
    (shown, numbers)
}

/// The chart of a part of a trace, with the numbers of the whole.
pub(crate) fn chart(trace: &Trace, shown: &ChartPart) -> Chart {
    let (part, numbers) = part(trace, shown);
    let mut chart = Chart::of(&part);
    for (number, _) in chart.rows.iter_mut().flat_map(|row| &mut row.steps) {
        *number = numbers.get(*number - 1).copied().unwrap_or(*number);
    }
    chart
}

/// What is so when a part begins: who has crashed, what is on its way, and who is blocked.
fn before(trace: &Trace, from: usize) -> Vec<Event> {
    let (mut down, mut flying, mut waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let events = trace.opening.iter().chain(trace.steps[..from].iter().flat_map(|step| &step.events));
    for event in events {
        match event {
            Event::Crash { process } => {
                down.insert(*process, event.clone());
                waiting.remove(process);
            }
            Event::Recover { process } => drop(down.remove(process)),
            Event::Send { message, from, .. } => {
                waiting.remove(from);
                flying.insert(*message, event.clone());
            }
            Event::Duplicate { message, copy } => {
                if let Some(Event::Send { from, to, label, .. }) = flying.get(message).cloned() {
                    flying.insert(*copy, Event::Send { message: *copy, from, to, label });
                }
            }
            Event::Receive { message } | Event::Swallow { message } | Event::Lose { message } => {
                flying.remove(message);
            }
            Event::Block { process, .. } => drop(waiting.insert(*process, event.clone())),
            _ => {}
        }
    }
    down.into_values().chain(flying.into_values()).chain(waiting.into_values()).collect()
}

/// Leaves out all processes but some, and all steps that none of them takes part in.
fn project(shown: &mut Trace, numbers: &mut Vec<usize>, whole: &Trace, only: &[String]) {
    let kept: Vec<usize> =
        (0..shown.processes.len()).filter(|&p| only.contains(&shown.processes[p])).collect();
    if kept.is_empty() || kept.len() == shown.processes.len() {
        return;
    }
    let ends = ends(whole);
    let events = |events: &[Event]| -> Vec<Event> {
        events.iter().filter_map(|event| projected(event, &kept, &shown.processes, &ends)).collect()
    };
    let opening = events(&shown.opening);
    let (mut steps, mut left) = (Vec::new(), Vec::new());
    let mut loops_to = None;
    for (at, (step, number)) in shown.steps.iter().zip(numbers.iter()).enumerate() {
        if shown.loops_to == Some(at) {
            loops_to = Some(steps.len());
        }
        let events = events(&step.events);
        // A step in which only time passes says something of every process.
        if !events.is_empty() || step.events.is_empty() {
            steps.push(Step { events, ..step.clone() });
            left.push(*number);
        }
    }
    let processes = kept.iter().map(|&p| shown.processes[p].clone()).collect();
    shown.loops_to = loops_to.filter(|&first| first < steps.len());
    (shown.processes, shown.opening, shown.steps, *numbers) = (processes, opening, steps, left);
}

/// The ends and the label of every message of a trace.
fn ends(trace: &Trace) -> BTreeMap<MessageId, (Pid, Pid, String)> {
    let mut ends: BTreeMap<MessageId, (Pid, Pid, String)> = BTreeMap::new();
    for event in trace.opening.iter().chain(trace.steps.iter().flat_map(|step| &step.events)) {
        match event {
            Event::Send { message, from, to, label } => {
                drop(ends.insert(*message, (*from, *to, label.clone())))
            }
            Event::Duplicate { message, copy } => {
                if let Some(original) = ends.get(message).cloned() {
                    ends.insert(*copy, original);
                }
            }
            _ => {}
        }
    }
    ends
}

/// An event as those see it who are shown; `None` if they do not.
fn projected(
    event: &Event,
    kept: &[usize],
    names: &[String],
    ends: &BTreeMap<MessageId, (Pid, Pid, String)>,
) -> Option<Event> {
    let place = |p: &Pid| kept.iter().position(|&kept| kept == p.index()).map(Pid::at);
    let name = |p: &Pid| names.get(p.index()).cloned().unwrap_or_else(|| p.to_string());
    let note = |process: Pid, text: String| Some(Event::Note { process, text });
    Some(match event {
        Event::Send { message, from, to, label } => match (place(from), place(to)) {
            (Some(from), Some(to)) => Event::Send { message: *message, from, to, label: label.clone() },
            (Some(process), None) => return note(process, format!("{label} to {}", name(to))),
            _ => return None,
        },
        Event::Receive { message } => {
            let (from, to, label) = ends.get(message)?;
            match (place(from), place(to)) {
                (Some(_), Some(_)) => event.clone(),
                (None, Some(process)) => return note(process, format!("{label} from {}", name(from))),
                _ => return None,
            }
        }
        Event::Swallow { message } | Event::Lose { message } | Event::Duplicate { message, .. } => {
            let (from, to, _) = ends.get(message)?;
            return place(from).and(place(to)).map(|_| event.clone());
        }
        Event::Ignore { from, to, label } | Event::Overflow { from, to, label } => {
            match (place(from), place(to)) {
                (Some(from), Some(to)) if matches!(event, Event::Ignore { .. }) => {
                    Event::Ignore { from, to, label: label.clone() }
                }
                (Some(from), Some(to)) => Event::Overflow { from, to, label: label.clone() },
                (Some(process), None) => {
                    return note(process, format!("{label} to {}: channel full", name(to)));
                }
                _ => return None,
            }
        }
        Event::Block { process, to, label } => match (place(process), place(to)) {
            (Some(process), Some(to)) => Event::Block { process, to, label: label.clone() },
            (Some(process), None) => {
                return note(process, format!("blocked: channel to {} full ({label})", name(to)));
            }
            _ => return None,
        },
        Event::Fire { process, timer } => Event::Fire { process: place(process)?, timer: timer.clone() },
        Event::Call { process, label } => Event::Call { process: place(process)?, label: label.clone() },
        Event::Crash { process } => Event::Crash { process: place(process)? },
        Event::Recover { process } => Event::Recover { process: place(process)? },
        Event::Output { process, label, tone } => {
            Event::Output { process: place(process)?, label: label.clone(), tone: *tone }
        }
        Event::Note { process, text } => Event::Note { process: place(process)?, text: text.clone() },
        Event::Remark { .. } => event.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_report::MessageOutcome;

    fn send(message: u32, from: usize, to: usize) -> Event {
        Event::Send {
            message: MessageId(message),
            from: Pid::at(from),
            to: Pid::at(to),
            label: "beat".into(),
        }
    }

    fn receive(message: u32) -> Event {
        Event::Receive { message: MessageId(message) }
    }

    fn trace() -> Trace {
        let step = |action: &str, events| Step { action: action.into(), at: None, events, after: Vec::new() };
        Trace {
            processes: vec!["p0".into(), "p1".into(), "p2".into()],
            opening: vec![send(0, 0, 1)],
            steps: vec![
                step("p2 crashes", vec![Event::Crash { process: Pid::at(2) }]),
                step("p0 sends", vec![send(1, 0, 2)]),
                step("p1 receives", vec![receive(0), send(2, 1, 0)]),
                step("p0 receives", vec![receive(2)]),
            ],
            loops_to: Some(2),
            ..Trace::default()
        }
    }

    #[test]
    fn a_part_begins_with_what_is_so_then() {
        let shown = ChartPart { from: 2, to: 4, only: None };
        let chart = chart(&trace(), &shown);
        assert!(chart.lifelines[2].crashed_before());
        let numbers: Vec<usize> =
            chart.rows.iter().flat_map(|row| row.steps.iter().map(|(number, _)| *number)).collect();
        assert_eq!(numbers, [3, 4]);
        let outcomes: Vec<MessageOutcome> = chart.arrows.iter().map(|arrow| arrow.outcome).collect();
        assert_eq!(outcomes.len(), 3, "two from before, and one of these steps");
        assert!(matches!(outcomes[0], MessageOutcome::Received(_)));
        assert_eq!(outcomes[1], MessageOutcome::InFlight);
        assert!(chart.repeated.is_some());
    }

    #[test]
    fn a_projection_keeps_the_numbers_of_the_steps_and_tells_of_the_others_in_words() {
        let shown = ChartPart { from: 0, to: 4, only: Some(vec!["p0".into(), "p2".into()]) };
        let (part, numbers) = part(&trace(), &shown);
        assert_eq!(part.processes, ["p0", "p2"]);
        assert_eq!(numbers, [1, 2, 4], "step 3 is of p1 alone");
        assert_eq!(part.opening, [Event::Note { process: Pid::at(0), text: "beat to p1".into() }]);
        assert_eq!(part.steps[0].events, [Event::Crash { process: Pid::at(1) }]);
        assert_eq!(part.steps[1].events, [send(1, 0, 1)]);
        assert_eq!(part.steps[2].events, [Event::Note { process: Pid::at(0), text: "beat from p1".into() }]);
        assert_eq!(part.loops_to, Some(2));
    }
}
