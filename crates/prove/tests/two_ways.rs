//! One definition, two ways to run it: the interpreter of statements, and the symbolic paths that a solver is asked
//! about. They must lead to the same states, and a trail of one must replay by the other.

use std::collections::BTreeSet;
use watchkeeper_prove::{
    State, System, SystemError, SystemInstance, SystemSpace, assign, assume, choose, either, redraw, when,
};
use watchkeeper_space::{Narration, Space, StatePath, successors};

/// A sender and a buffer of ages, with every kind of statement.
fn system() -> System {
    let system = System::new("a buffer")
        .parameter("Delta", "the oldest that a message can be")
        .parameter("Gap", "the most steps between two sends")
        .assuming("0 <= Delta")
        .assuming("1 <= Gap")
        .number("idle", 0, "steps since the last send")
        .set("buffer", "the ages of the messages under way")
        .control("turn", &["ping", "pong"], "whose turn it is")
        .flag("full", "whether two messages are under way")
        .number("credit", -2, "what is left")
        .initially([
            assign("idle", "0"),
            assign("buffer", "{}"),
            assign("turn", "0"),
            assign("full", "false"),
            choose("c", "-1", "1"),
            assign("credit", "c"),
        ])
        .step(
            "tick",
            [
                redraw(
                    "buffer",
                    "0",
                    "Delta",
                    "x",
                    "(x in buffer') = (x > 0 and x - 1 in buffer or x = Delta and x in buffer)",
                ),
                either([
                    (
                        "send",
                        vec![
                            assign("idle", "0"),
                            redraw("buffer", "0", "Delta", "x", "(x in buffer') = (x = 0 or x in buffer)"),
                        ],
                    ),
                    ("rest", vec![assume("idle < Gap"), assign("idle", "idle + 1")]),
                ]),
                assign("turn", "1 - turn"),
            ],
        )
        .step(
            "deliver",
            [
                assume("not (all x in 0 .. Delta: not x in buffer)"),
                redraw(
                    "buffer",
                    "0",
                    "Delta",
                    "x",
                    "(x in buffer' => x in buffer) and (x = Delta => not x in buffer')",
                ),
                when(
                    "credit < 2",
                    vec![choose("more", "0", "2 - credit"), assign("credit", "credit + more")],
                    vec![assign("credit", "-2")],
                ),
            ],
        );
    let full = "not full and not (all x in 1 .. Delta: not (x in buffer and x - 1 in buffer))";
    system.step("note", [assume("turn = 0"), assign("full", full)]).finished().expect("a system")
}

fn points() -> Vec<[i64; 2]> {
    (0..=3).flat_map(|delta| (1..=2).map(move |gap| [delta, gap])).collect()
}

#[test]
fn paths_lead_where_statements_lead() {
    let mut seen = 0;
    for point in points() {
        let instance = SystemInstance::new(&system(), &point).expect("an instance");
        let space = SystemSpace::new(instance.clone(), &[]).expect("a space");
        let begun = instance.beginnings().expect("small numbers");
        let begun: BTreeSet<State> = begun.into_iter().map(|turn| turn.after).collect();
        let rows: BTreeSet<State> = space.initial().iter().map(|row| space.state(row)).collect();
        assert_eq!(begun, rows);
        let states = instance.reachable(100_000).expect("small numbers").expect("few states");
        let found = space.reachable(100_000).expect("few states");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), states.iter().cloned().collect());
        for state in states {
            let by_statements: BTreeSet<State> =
                instance.turns(&state).expect("small numbers").into_iter().map(|turn| turn.after).collect();
            let row = space.row(&state).expect("a row");
            assert_eq!(space.state(&row), state);
            let by_paths: BTreeSet<State> =
                successors(&space, &row).into_iter().map(|(_, row)| space.state(&row)).collect();
            assert_eq!(by_statements, by_paths, "from {:?} with {point:?}", instance.told(&state));
            seen += 1;
        }
    }
    assert_eq!(seen, 1_660, "the states of all points");
}

#[test]
fn a_walk_by_paths_replays_by_statements() {
    let instance = SystemInstance::new(&system(), &[3, 2]).expect("an instance");
    let space = SystemSpace::new(instance, &[]).expect("a space");
    let mut trail = StatePath { rows: vec![space.initial()[0].clone()], actions: Vec::new() };
    for i in 0..40 {
        let next = successors(&space, trail.rows.last().expect("a row"));
        let (action, row) = next[i * 7 % next.len()].clone();
        trail.actions.push(action);
        trail.rows.push(row);
    }
    let trace = space.replay(&trail).expect("a run");
    assert_eq!(trace.steps.len(), 40);
    let last = trail.rows.len() - 1;
    trail.rows[last][4] += 1;
    assert!(space.replay(&trail).is_err(), "a row that was changed is noticed");
}

#[test]
fn a_system_that_has_no_meaning_is_refused() {
    let told = |system: System| system.finished().map(|_| ()).map_err(|error| error.to_string());
    let one = || System::new("one").parameter("p", "").number("x", 0, "").flag("b", "");
    let begun = || one().initially([assign("x", "p"), assign("b", "true")]);
    assert_eq!(told(begun()), Ok(()));
    assert_eq!(told(one()), Err("the initial block assigns no value to `x`".to_string()));
    assert_eq!(
        told(begun().step("s", [assign("x", "y + 1")])),
        Err("`y` is not a name of the system: there are b, p, x".to_string())
    );
    assert_eq!(told(begun().step("s", [assign("x", "b")])), Err("`b` is not a number".to_string()));
    assert_eq!(
        told(begun().step("s", [assume("x <")])),
        Err("`x <` is not a formula: at character 4: expected a name, a number or `(`".to_string())
    );
    assert!(matches!(begun().number("x", 0, "").finished(), Err(SystemError::Twice)));
    assert!(matches!(begun().step("s", [choose("x", "0", "1")]).finished(), Err(SystemError::Twice)));
    assert_eq!(told(begun().assuming("x > 0")), Err("`x` is not a name of the system: there are p".into()));
}

#[test]
fn what_is_put_in_is_not_caught_by_a_quantifier() {
    let read = |text: &str| watchkeeper_prove::term(text).expect(text);
    let formula = read("all i in 0 .. x: i <= y");
    let put = |name: &str| (name == "y").then(|| read("i + 1"));
    assert_eq!(formula.replaced(&put).to_string(), "all i_ in 0 .. x: i_ <= i + 1");
    let other = |name: &str| (name == "y").then(|| read("z"));
    assert_eq!(formula.replaced(&other).to_string(), "all i in 0 .. x: i <= z");
}

#[test]
fn a_choice_has_a_name_of_its_own_on_every_path() {
    let begun = || System::new("two").number("x", 0, "").initially([assign("x", "0")]);
    let pick = |name: &str| vec![choose(name, "0", "1"), assign("x", name)];
    let apart = begun().step("s", [either([("a", pick("k")), ("b", pick("k"))])]);
    assert!(apart.finished().is_ok(), "two paths may use one name");
    let one_path = begun().step("s", [either([("a", pick("k")), ("b", vec![])]), choose("k", "0", "1")]);
    assert!(matches!(one_path.finished(), Err(SystemError::Twice)));
    let element = System::new("set")
        .set("s", "")
        .initially([assign("s", "{}")])
        .step("t", [choose("k", "0", "1"), redraw("s", "0", "1", "k", "k in s' => k in s")]);
    assert!(matches!(element.finished(), Err(SystemError::Twice)), "an element is not a choice");
}
