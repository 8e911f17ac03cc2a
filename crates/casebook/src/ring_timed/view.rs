//! A state as variables and values, under the names of the figures.

use super::message::{Message, PROCESSES, Task2Location, others};
use super::state::{Task1, TimedProcess, TimedState, channel};
use super::{MessageOrder, RingTimedCase, TimedVariant};
use watchkeeper_core::{Pid, ProcSet, Value, View};

/// The processes, what is in the channels, and G where there is one.
pub(super) fn view(case: &RingTimedCase, state: &TimedState) -> View {
    let processes = Pid::all(PROCESSES).zip(&state.processes);
    let mut view: View = processes.map(|(me, process)| (me.to_string(), variables(me, process))).collect();
    let mut held = Vec::new();
    for from in Pid::all(PROCESSES) {
        for to in others(from) {
            let kinds = Message::ALL
                .into_iter()
                .filter(|&kind| case.order == MessageOrder::Any || kind == Message::ALL[0]);
            for letter in kinds.flat_map(|kind| state.channels[channel(case.order, from, to, kind)].letters())
            {
                held.push(Value::Record(vec![
                    ("message".into(), Value::str(letter.message.name())),
                    ("from".into(), pid(from)),
                    ("to".into(), pid(to)),
                    ("age".into(), Value::Int(letter.age.into())),
                ]));
            }
        }
    }
    view.push(("channels".into(), Value::List(held)));
    if case.variant == TimedVariant::StrongCompleteness {
        view.push(("G".into(), set(state.global)));
    }
    view
}

fn variables(me: Pid, process: &TimedProcess) -> Value {
    let (task1, asked) = match process.task1 {
        Task1::Crashed => ("crashed", None),
        Task1::Initial => ("initial", None),
        Task1::Wait => ("wait", None),
        Task1::Delay(q, clock) => ("delay", Some((q, clock))),
    };
    let crashed = process.is_crashed();
    let task2 = match process.task2 {
        None if crashed => "crashed",
        None => "initial",
        Some(busy) => busy.place.name(),
    };
    let kept = |value: Value| if crashed { none() } else { value };
    let delta = others(me).map(|q| (q.to_string(), kept(Value::Int(process.delta(me, q).into()))));
    let of_message = |part: fn(Pid, Task2Location, u8) -> Value| {
        process.task2.map_or_else(none, |busy| part(busy.q, busy.place, busy.age))
    };
    let fields = [
        ("Task1", Value::str(task1)),
        ("MyTarget", asked.map_or_else(none, |(q, _)| pid(q))),
        ("waiting", asked.map_or_else(none, |(_, clock)| Value::Int(clock.into()))),
        ("Task2", Value::str(task2)),
        ("q", of_message(|q, _, _| pid(q))),
        ("MsgType", of_message(|_, place, _| Value::str(place.message().name()))),
        ("age", of_message(|_, _, age| Value::Int(age.into()))),
        ("target", kept(pid(process.target))),
        ("received", Value::Bool(process.received)),
        ("L", set(process.suspects(me))),
        ("mutex", Value::Bool(!crashed && process.mutex())),
        ("Delta", Value::Record(delta.to_vec())),
    ];
    Value::Record(fields.map(|(name, value)| (name.to_string(), value)).to_vec())
}

fn pid(p: Pid) -> Value {
    Value::str(p.to_string())
}

fn set(processes: ProcSet) -> Value {
    Value::set(processes.iter().map(pid))
}

fn none() -> Value {
    Value::str("none")
}
