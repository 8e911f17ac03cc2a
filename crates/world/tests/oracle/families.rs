//! Worlds that differ in what clients ask, side by side.

use crate::walk::{follow, whole};
use watchkeeper_core::{Effects, Input, Kind, Never, Pack, Pid, Promises, Protocol};
use watchkeeper_space::{Narration, Space, StatePath, Value};
use watchkeeper_world::{Scenario, TypedWorld, WorldError, Worlds};

/// Remembers what it is asked.
struct Memo;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Ask {
    #[kind("keep")]
    Keep(u8),
}

impl Protocol for Memo {
    type State = u8;
    type Msg = Never;
    type Timer = Never;
    type Call = Ask;
    type Output = Never;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> u8 {
        0
    }

    fn step(&self, _: Pid, kept: &mut u8, input: Input<'_, Self>, _: &mut impl Effects<Self>) {
        if let Input::Call(Ask::Keep(value)) = input {
            *kept = *value;
        }
    }
}

impl Promises for Memo {}

fn asked(values: &[u8]) -> TypedWorld<Memo> {
    let calls = Pid::all(values.len()).zip(values).map(|(p, &value)| (p, Ask::Keep(value), 1)).collect();
    TypedWorld::new(Memo, Scenario::new(2)).and_then(|world| world.with_calls(calls)).expect("a world")
}

fn family(members: Vec<TypedWorld<Memo>>) -> Result<Worlds, WorldError> {
    let names = (0..members.len()).map(|i| format!("case {i}")).collect();
    Worlds::named(members, "values", names, "the values are one of: these, those".to_string())
}

#[test]
fn worlds_may_differ_in_what_is_asked() {
    let worlds = family(vec![asked(&[7, 8]), asked(&[7, 7])]).expect("a family");
    assert_eq!(whole(&worlds).0.len(), 4 + 4);
    assert_eq!(worlds.shape().slots, ["p0", "p1", "calls p0 keep 7", "calls p1", "values"]);
    let sentences = &worlds.shape().assumptions;
    assert_eq!(sentences.last().map(String::as_str), Some("the values are one of: these, those"));
    assert!(sentences.iter().any(|one| one.contains("calls keep 7 of p0")));
    assert!(
        !sentences.iter().any(|one| one.contains("of p1 ")),
        "what differs is not assumed: {sentences:?}"
    );
    let trail = follow(&worlds, &["p1 is asked keep 8", "p0 is asked keep 7"]);
    let trace = worlds.replay(&trail).expect("it replays");
    let which = |view: &[(String, Value)]| view.iter().find(|(name, _)| name == "values").cloned();
    assert_eq!(which(&trace.steps[1].after), Some(("values".to_string(), Value::str("case 0"))));
    let mut strange = StatePath { rows: trail.rows[..1].to_vec(), actions: Vec::new() };
    strange.rows.push(worlds.initial()[1].clone());
    strange.actions.push(trail.actions[0]);
    let why = worlds.replay(&strange).expect_err("no world becomes another").why;
    assert_eq!(why, "the values change, which they never do");
}

#[test]
fn what_is_no_family_is_refused() {
    let more = TypedWorld::new(Memo, Scenario::new(2)).expect("a world");
    let refused = family(vec![asked(&[1, 2]), more]).expect_err("one has no calls");
    assert!(matches!(refused, WorldError::Unlike { world: 1, .. }), "{refused:?}");
    let swapped = |of: [usize; 2]| {
        let calls = of.map(|p| (Pid::at(p), Ask::Keep(p as u8), 1)).to_vec();
        TypedWorld::new(Memo, Scenario::new(2)).and_then(|world| world.with_calls(calls)).expect("a world")
    };
    let refused = family(vec![swapped([0, 1]), swapped([1, 0])]).expect_err("other processes are asked");
    assert!(
        matches!(refused, WorldError::Unlike { world: 1, what: "the parts of its states" }),
        "{refused:?}"
    );
    let unnamed = Worlds::named(vec![asked(&[1, 2])], "values", Vec::new(), String::new());
    assert_eq!(unnamed.expect_err("it has no name"), WorldError::Names { worlds: 1, names: 0 });
    assert_eq!(family(Vec::new()).expect_err("there is none"), WorldError::NoWorlds);
}
