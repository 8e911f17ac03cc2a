//! Every built-in protocol in worlds of many kinds: the labels of steps are of the vocabulary, they are the same in two
//! instances of a space, and they say what an execution of the run says.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use watchkeeper::{JointSearch, Problem, SearchedSpace, SettingOrigin, Settings, Sourced, built_in};
use watchkeeper_core::Event;
use watchkeeper_explore::{Collapsed, Monitored, Symmetric};
use watchkeeper_logic::Monitor;
use watchkeeper_space::{DataLabel, Space, StatePath, Vocabulary, successors};

/// The worlds, as settings.
const WORLDS: [&[(&str, &str)]; 9] = [
    &[],
    &[("crashes", "1"), ("channel", "drop:1"), ("time", "untimed")],
    &[("time", "untimed"), ("channel", "block:1"), ("loss", "1"), ("duplicate", "1")],
    &[("time", "untimed"), ("order", "fifo"), ("channel", "report:2"), ("crashes", "1"), ("recoveries", "1")],
    &[("time", "ticks"), ("round-trip", "2"), ("lanes", "per-kind"), ("channel", "report:1")],
    &[("time", "ticks"), ("delay", "1"), ("crashes", "1"), ("synchrony", "eventual")],
    &[("time", "dense"), ("delay", "2"), ("channel", "drop:1")],
    &[("time", "dense"), ("delay", "1..3"), ("crashes", "1"), ("loss", "1")],
    &[("interleaving", "stages"), ("crashes", "1")],
];

/// The states whose steps are looked at in each space.
const STATES: usize = 120;

#[test]
fn labels_are_of_the_vocabulary_and_say_what_an_execution_says() {
    let (mut spaces, mut labels, mut executions, mut names) = (0, 0, 0, BTreeSet::new());
    for protocol in built_in::all() {
        let name = protocol.outline().form.name;
        for world in WORLDS {
            let mut settings = Settings::default();
            for (setting, text) in world {
                let given = Sourced { value: text.to_string(), origin: SettingOrigin::Call("test") };
                let row = Settings::row(setting).unwrap_or_else(|| panic!("{setting} is a setting"));
                (row.read)(&given, &mut settings).unwrap_or_else(|why| panic!("{setting} {text}: {why}"));
            }
            // Not every protocol can be in every world.
            let Ok(plan) = protocol.plan(&settings) else { continue };
            let spaces_of = || -> Result<Vec<(String, SearchedSpace)>, Problem> {
                if world.iter().any(|(setting, _)| *setting == "interleaving") {
                    let posed = protocol.pose(&plan, JointSearch::AsFarAsPossible)?;
                    return Ok(posed.into_iter().flat_map(|query| query.spaces).collect());
                }
                let explored = protocol.explored(&plan)?.into_iter();
                Ok(explored.map(|explored| (explored.clients, explored.space)).collect())
            };
            let (Ok(here), Ok(there)) = (spaces_of(), spaces_of()) else { continue };
            for ((_, here), (_, there)) in here.iter().zip(&there).take(2) {
                let (here, there) = (&**here, &**there);
                let (walked, replayed) =
                    walked(here, there).unwrap_or_else(|why| panic!("{name} in {world:?}: {why}"));
                labels += walked.len();
                executions += replayed;
                names
                    .extend(walked.iter().flat_map(|label| &label.actions).map(|action| action.name.clone()));
                spaces += 1;
                let monitor = Monitor::oscillation(0, 0, 2);
                for around in [&Collapsed::new(here) as &dyn Space, &Monitored::new(here, &monitor)] {
                    let same = first_labels(around);
                    assert_eq!(same, first_labels(here), "{name} in {world:?}: a space around it");
                }
                if here.symmetry().is_some_and(|renamings| renamings.symmetries() > 1)
                    && world.iter().all(|(_, text)| !text.starts_with("block") && !text.starts_with("report"))
                {
                    renamed(here).unwrap_or_else(|why| panic!("{name} in {world:?} up to renaming: {why}"));
                }
            }
        }
    }
    assert!(spaces > 100 && labels > 10_000, "{spaces} spaces, {labels} labels");
    assert!(executions * 6 > labels, "{executions} executions of {labels} steps");
    for name in ["suspect", "trust", "decide", "send", "receive", "fire", "call", "crash", "recover", "lose"]
    {
        assert!(names.contains(name), "no label has {name}: {names:?}");
    }
    for name in ["drop", "block", "unblock", "overflow", "duplicate", "swallow", "stabilise", "time", "view"]
    {
        assert!(names.contains(name), "no label has {name}: {names:?}");
    }
}

/// The labels of the steps of the first states, held against the vocabulary, another instance of the space and an
/// execution; or what is wrong with one.
fn walked(here: &dyn Space, there: &dyn Space) -> Result<(Vec<DataLabel>, usize), String> {
    let (labels, others) = match (here.data_labels(), there.data_labels()) {
        (Some(labels), Some(others)) => (labels, others),
        _ => return Err("the space has no labels".to_string()),
    };
    let vocabulary = labels.vocabulary();
    if vocabulary != others.vocabulary() {
        return Err("the vocabulary differs".to_string());
    }
    let mut paths: VecDeque<(StatePath, Vec<u32>)> = VecDeque::new();
    let mut known = BTreeSet::new();
    for (row, other) in here.initial().into_iter().zip(there.initial()) {
        if known.insert(row.clone()) {
            paths.push_back((StatePath { rows: vec![row], actions: Vec::new() }, other));
        }
    }
    let (mut next, mut found, mut executions) = (0, Vec::new(), 0);
    while next < STATES {
        // Half of the states are those near the start, the others lie deep.
        let taken = if next % 2 == 0 { paths.pop_front() } else { paths.pop_back() };
        let Some((path, other)) = taken else { break };
        next += 1;
        let row = path.rows.last().expect("a path has a state");
        let (steps, as_there) = (successors(here, row), successors(there, &other));
        for (k, ((action, after), (same, other_after))) in steps.into_iter().zip(as_there).enumerate() {
            let label = labels.data_label(row, action);
            if label != others.data_label(&other, same) {
                return Err(format!("{label} is {} there", others.data_label(&other, same)));
            }
            covered(&label, &vocabulary).map_err(|why| format!("{label}: {why}"))?;
            let mut longer = path.clone();
            longer.rows.push(after.clone());
            longer.actions.push(action);
            if k % 4 == next % 4 {
                executions += usize::from(executed(here, &longer, &label)?);
            }
            found.push(label);
            if known.insert(after) {
                paths.push_back((longer, other_after));
            }
        }
    }
    Ok((found, executions))
}

/// The labels of the steps from the initial states.
fn first_labels(space: &dyn Space) -> Vec<DataLabel> {
    let labels = space.data_labels().expect("labels");
    let from = |row: Vec<u32>| -> Vec<DataLabel> {
        successors(space, &row).into_iter().map(|(action, _)| labels.data_label(&row, action)).collect()
    };
    space.initial().into_iter().flat_map(from).collect()
}

/// Up to renaming, the labels of a state are those of the state that stands for it.
fn renamed(inner: &dyn Space) -> Result<(), String> {
    let space = Symmetric::new(inner.symmetry().expect("renamings"));
    let (labels, real) = match (space.data_labels(), inner.data_labels()) {
        (Some(labels), Some(real)) => (labels, real),
        _ => return Err("the space has no labels".to_string()),
    };
    let mut rows = space.initial();
    for next in 0..20 {
        let Some(row) = rows.get(next).cloned() else { break };
        let mut told: Vec<DataLabel> =
            successors(&space, &row).into_iter().map(|(action, _)| labels.data_label(&row, action)).collect();
        let mut truth: Vec<DataLabel> =
            successors(inner, &row).into_iter().map(|(action, _)| real.data_label(&row, action)).collect();
        told.sort();
        told.dedup();
        truth.sort();
        truth.dedup();
        if told != truth {
            return Err(format!("{told:?} instead of {truth:?}"));
        }
        rows.extend(successors(&space, &row).into_iter().map(|(_, after)| after));
    }
    Ok(())
}

/// Whether the actions of a label are those that happen in the last step of an executed run.
fn executed(space: &dyn Space, path: &StatePath, label: &DataLabel) -> Result<bool, String> {
    // A zone may have no moment for the run that led here by other steps.
    let Ok(trace) = space.replay(path) else { return Ok(false) };
    let step = trace.steps.last().ok_or("no step")?;
    let mut expected = BTreeMap::<&str, usize>::new();
    let mut outputs = 0;
    let blocks = step.events.iter().any(|event| matches!(event, Event::Block { .. }))
        || label.actions.iter().any(|action| action.name == "unblock");
    let overflows = step.events.iter().any(|event| matches!(event, Event::Overflow { .. }));
    for event in &step.events {
        let names: &[&str] = match event {
            Event::Send { .. } => &["send"],
            Event::Ignore { .. } => &["send", "drop"],
            Event::Block { .. } => &["block"],
            Event::Overflow { .. } => &["overflow"],
            Event::Receive { .. } => &["receive"],
            Event::Fire { .. } => &["fire"],
            Event::Call { .. } => &["call"],
            Event::Crash { .. } => &["crash"],
            Event::Recover { .. } => &["recover"],
            Event::Lose { .. } => &["lose"],
            Event::Duplicate { .. } => &["duplicate"],
            Event::Output { .. } => {
                outputs += 1;
                &[]
            }
            _ => &[],
        };
        for name in names {
            *expected.entry(name).or_default() += 1;
        }
    }
    let count = |name: &str| label.actions.iter().filter(|action| action.name == name).count();
    for name in
        ["receive", "fire", "call", "crash", "recover", "lose", "duplicate", "drop", "block", "overflow"]
    {
        let truth = expected.get(name).copied().unwrap_or(0);
        if count(name) != truth {
            return Err(format!("{label} for `{}`: {truth} times {name}", step.action));
        }
    }
    let sent = expected.get("send").copied().unwrap_or(0);
    // What waits for room was sent, too, and after an overflow nothing is told.
    if !blocks && !overflows && count("send") != sent {
        return Err(format!("{label} for `{}`: {sent} messages", step.action));
    }
    let known = ["receive", "send", "fire", "call", "crash", "recover", "lose", "duplicate", "drop", "block"];
    let own = label.actions.iter().filter(|action| !known.contains(&action.name.as_str())).count();
    if own < outputs {
        return Err(format!("{label} for `{}`: {outputs} announcements", step.action));
    }
    Ok(true)
}

/// Whether each action of a label is declared, and its arguments are terms of their sorts.
fn covered(label: &DataLabel, vocabulary: &Vocabulary) -> Result<(), String> {
    if !label.actions.is_sorted() {
        return Err("is not sorted".to_string());
    }
    for action in &label.actions {
        let fits = |(name, sorts): &&(String, Vec<String>)| {
            let arguments = action.arguments.iter().zip(sorts);
            *name == action.name
                && sorts.len() == action.arguments.len()
                && arguments.into_iter().all(|(term, sort)| is_of(vocabulary, term.trim(), sort.trim()))
        };
        if !vocabulary.actions.iter().any(|declared| fits(&declared)) {
            return Err(format!("{action} is not declared in {vocabulary:?}"));
        }
    }
    Ok(())
}

fn is_of(vocabulary: &Vocabulary, term: &str, sort: &str) -> bool {
    let inner = |name: &str| sort.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    let all = |body: &str, sort: &str| split(body).iter().all(|term| is_of(vocabulary, term, sort));
    if let Some(element) = inner("Set") {
        return term.strip_prefix('{').and_then(|it| it.strip_suffix('}')).is_some_and(|it| all(it, element));
    }
    if let Some(element) = inner("List") {
        return term.strip_prefix('[').and_then(|it| it.strip_suffix(']')).is_some_and(|it| all(it, element));
    }
    match sort {
        "Bool" => matches!(term, "true" | "false"),
        "Nat" => term.parse::<u64>().is_ok(),
        "Int" => term.parse::<i64>().is_ok(),
        _ => {
            let definition = vocabulary.sorts.iter().find(|(name, _)| name == sort);
            let alternatives = definition.and_then(|(_, definition)| definition.strip_prefix("struct "));
            alternatives.is_some_and(|all| all.split('|').any(|one| is_made(vocabulary, term, one.trim())))
        }
    }
}

/// Whether a term is made by a constructor.
fn is_made(vocabulary: &Vocabulary, term: &str, constructor: &str) -> bool {
    let (name, sorts) =
        constructor.split_once('(').map_or((constructor, ""), |(name, rest)| (name, &rest[..rest.len() - 1]));
    let (head, arguments) =
        term.split_once('(').map_or((term, ""), |(head, rest)| (head, rest.strip_suffix(')').unwrap_or("?")));
    let (sorts, arguments) = (split(sorts), split(arguments));
    head == name
        && sorts.len() == arguments.len()
        && sorts.iter().zip(arguments).all(|(sort, term)| is_of(vocabulary, term, sort))
}

/// What stands between the commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.extend(Some(text[from..].trim()).filter(|last| !last.is_empty()));
    all
}
