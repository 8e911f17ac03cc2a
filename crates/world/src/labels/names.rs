//! What labels call the messages, calls, timers and announcements of a protocol, and the sorts of their arguments.
//!
//! A name stands for one thing in all sorts: a constructor that another sort has already is told apart by what it is of, as in
//! `leave_call` beside the message `leave`.

use crate::transition::Classes;
use crate::{Capacity, WhenFull, World};
use watchkeeper_automaton::{Facts, OutputId, ProtocolAutomaton};
use watchkeeper_core::{KindData, Pid, Slot, identifier};
use watchkeeper_space::{DataAction, Id, Vocabulary};

/// The actions that a world has whatever the protocol announces.
const OF_WORLDS: [&str; 17] = [
    "receive",
    "send",
    "fire",
    "call",
    "swallow",
    "block",
    "unblock",
    "drop",
    "overflow",
    "crash",
    "recover",
    "lose",
    "duplicate",
    "time",
    "deadline",
    "stabilise",
    "settle",
];

/// The names.
pub(crate) struct LabelNames {
    messages: Vec<String>,
    calls: Vec<String>,
    outputs: Vec<String>,
    timers: TimerNames,
}

/// The terms of timer slots.
struct TimerNames {
    /// The term of each slot.
    terms: Vec<String>,
    /// The constructors, each with the sorts of its arguments.
    constructors: Vec<(String, Vec<&'static str>)>,
}

impl LabelNames {
    pub(crate) fn new(facts: &Facts) -> LabelNames {
        let mut taken: Vec<String> = Vec::new();
        let messages = apart(&facts.message_data, "message", &mut taken);
        let calls = apart(&facts.call_data, "call", &mut taken);
        let timers = TimerNames::new(facts, &mut taken);
        let mut actions: Vec<String> = OF_WORLDS.map(str::to_string).to_vec();
        let outputs = apart(&facts.output_data, "output", &mut actions);
        LabelNames { messages, calls, outputs, timers }
    }

    /// A message as a term.
    pub(crate) fn message(&self, automaton: &dyn ProtocolAutomaton, msg: Id) -> String {
        let messages = automaton.messages();
        term(&self.messages[messages.kind(msg)], &messages.terms(msg))
    }

    /// A call as a term.
    pub(crate) fn call(&self, automaton: &dyn ProtocolAutomaton, call: Id) -> String {
        let calls = automaton.calls();
        term(&self.calls[calls.kind(call)], &calls.terms(call))
    }

    /// A timer as a term.
    pub(crate) fn timer(&self, slot: usize) -> &str {
        &self.timers.terms[slot]
    }

    /// An announcement as an action.
    pub(crate) fn output(&self, automaton: &dyn ProtocolAutomaton, me: Pid, output: OutputId) -> DataAction {
        let outputs = automaton.outputs();
        let name = self.outputs[outputs.kind(output.0)].as_str();
        DataAction::new(name, [vec![me.to_string()], outputs.terms(output.0)].concat())
    }

    /// A requirement as a term.
    pub(crate) fn requirement(&self, name: &str) -> String {
        format!("requirement_{}", identifier(name))
    }

    /// The sorts and actions of all labels of a world.
    pub(crate) fn vocabulary(&self, world: &World) -> Vocabulary {
        let facts = world.automaton.facts();
        let mut sorts =
            vec![("Process".to_string(), alternatives(Pid::all(world.scenario.n).map(|p| p.to_string())))];
        let kinds = [&facts.message_data, &facts.call_data, &facts.output_data];
        for (name, definition) in
            kinds.into_iter().flatten().flat_map(|kind| &kind.sorts).flat_map(|sort| &sort.declared)
        {
            if !sorts.iter().any(|(known, _)| known == name) {
                sorts.push((name.clone(), definition.clone()));
            }
        }
        let mut declare = |name: &str, constructors: Vec<(String, Vec<&str>)>| {
            if !constructors.is_empty() {
                let written = constructors.into_iter().map(|(name, sorts)| applied(&name, &sorts));
                sorts.push((name.to_string(), alternatives(written)));
            }
        };
        declare("Message", constructors(&self.messages, &facts.message_data));
        let called =
            if world.calls.is_empty() { Vec::new() } else { constructors(&self.calls, &facts.call_data) };
        declare("Call", called);
        declare("Timer", self.timers.constructors.clone());
        let bounded =
            matches!(world.scenario.time, crate::WorldTime::Dense(_)) && !world.observers.is_empty();
        let observed = if bounded { &world.observers[..] } else { &[] };
        let mut requirements: Vec<(String, Vec<&str>)> =
            observed.iter().map(|observer| (self.requirement(&observer.name()), Vec::new())).collect();
        requirements.sort();
        requirements.dedup();
        declare("Requirement", requirements);
        let mut actions = self.of_world(world, facts);
        for (name, kind) in self.outputs.iter().zip(&facts.output_data) {
            let carried = kind.sorts.iter().map(|sort| sort.name.clone());
            let all: Vec<String> = std::iter::once("Process".to_string()).chain(carried).collect();
            actions.push((name.clone(), all));
        }
        actions.sort();
        actions.dedup();
        Vocabulary { sorts, actions }
    }

    /// The actions that are not announcements, and what announcements of suspicions are called.
    fn of_world(&self, world: &World, facts: &Facts) -> Vec<(String, Vec<String>)> {
        const CARRIED: &[&str] = &["Process", "Process", "Message"];
        let classes: &Classes = &world.classes;
        let bounded = matches!(world.scenario.network.capacity, Capacity::Bounded(_));
        let full = |what| bounded && world.scenario.network.when_full == what;
        let sends = !facts.message_data.is_empty();
        let notices = world.scenario.oracle.is_some();
        let about_others = facts
            .output_data
            .iter()
            .any(|kind| kind.sorts.first().is_some_and(|sort| sort.name == "Process"));
        let all: [(bool, &str, &[&str]); 20] = [
            (sends, "receive", CARRIED),
            (sends, "send", CARRIED),
            (!facts.timers.is_empty(), "fire", &["Process", "Timer"]),
            (!world.calls.is_empty(), "call", &["Process", "Call"]),
            (classes.swallow.is_some(), "swallow", CARRIED),
            (sends && full(WhenFull::Block), "block", CARRIED),
            (sends && full(WhenFull::Drop), "drop", CARRIED),
            (sends && full(WhenFull::Report), "overflow", &["Process", "Process"]),
            (classes.unblock.is_some(), "unblock", &["Process"]),
            (classes.crash.is_some(), "crash", &["Process"]),
            (classes.recover.is_some(), "recover", &["Process"]),
            (classes.lose.is_some(), "lose", CARRIED),
            (classes.duplicate.is_some(), "duplicate", CARRIED),
            (classes.tick.is_some(), "time", &[]),
            (classes.expire.is_some() && !world.observers.is_empty(), "deadline", &["Requirement"]),
            (classes.stabilise.is_some(), "stabilise", &[]),
            (classes.settle.is_some(), "settle", &[]),
            (classes.settle.is_some(), "settle", &["Process"]),
            (about_others || notices, "suspect", &["Process", "Process"]),
            (about_others || notices, "trust", &["Process", "Process"]),
        ];
        let there = all.into_iter().filter(|(there, ..)| *there);
        there
            .map(|(_, name, sorts)| (name.to_string(), sorts.iter().map(|sort| sort.to_string()).collect()))
            .collect()
    }
}

impl TimerNames {
    /// A slot is named by its kind and by what tells it from others of its kind, such as a process: `wait(p1)`.
    fn new(facts: &Facts, taken: &mut Vec<String>) -> TimerNames {
        let kinds: Vec<KindData> =
            facts.timer_kinds.iter().map(|kind| KindData::new(kind, Vec::new())).collect();
        let names = apart(&kinds, "timer", taken);
        let (mut terms, mut constructors) = (Vec::new(), Vec::<(String, Vec<&'static str>)>::new());
        for (slot, kind) in &facts.timers {
            let rest = slot.strip_prefix(facts.timer_kinds[*kind]).map(str::trim);
            let words: Vec<&str> = rest.unwrap_or(slot).split_whitespace().collect();
            let sorts: Option<Vec<&'static str>> = words.iter().map(|word| sort_of(word)).collect();
            let (name, sorts, arguments) = match (rest, sorts) {
                (Some(_), Some(sorts)) => {
                    (names[*kind].clone(), sorts, words.iter().map(ToString::to_string).collect())
                }
                _ => (format!("{}_{}", names[*kind], identifier(&words.join(" "))), Vec::new(), Vec::new()),
            };
            terms.push(term(&name, &arguments));
            if !constructors.contains(&(name.clone(), sorts.clone())) {
                constructors.push((name, sorts));
            }
        }
        TimerNames { terms, constructors }
    }
}

/// The sort of a word in the name of a slot.
fn sort_of(word: &str) -> Option<&'static str> {
    let number = word.strip_prefix('p').and_then(|digits| digits.parse::<usize>().ok());
    match word {
        "true" | "false" => Some("Bool"),
        _ if number.is_some_and(|number| number < Pid::COUNT) => Some("Process"),
        _ => None,
    }
}

/// Names for kinds that nothing else has.
fn apart(kinds: &[KindData], what: &str, taken: &mut Vec<String>) -> Vec<String> {
    let mut names = Vec::new();
    for KindData { name, .. } in kinds {
        let mut own = name.clone();
        if sort_of(&own).is_some() || taken.contains(&own) {
            own = format!("{name}_{what}");
        }
        while taken.contains(&own) {
            own.push('_');
        }
        taken.push(own.clone());
        names.push(own);
    }
    names
}

fn constructors<'a>(names: &[String], kinds: &'a [KindData]) -> Vec<(String, Vec<&'a str>)> {
    let sorts = |kind: &'a KindData| kind.sorts.iter().map(|sort| sort.name.as_str()).collect();
    names.iter().cloned().zip(kinds.iter().map(sorts)).collect()
}

fn alternatives(all: impl Iterator<Item = String>) -> String {
    format!("struct {}", all.collect::<Vec<_>>().join(" | "))
}

fn applied(name: &str, sorts: &[&str]) -> String {
    if sorts.is_empty() { name.to_string() } else { format!("{name}({})", sorts.join(", ")) }
}

fn term(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { name.to_string() } else { format!("{name}({})", arguments.join(",")) }
}
