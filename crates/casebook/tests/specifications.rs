//! The documents' own specifications are read by the front end of their language, and have the spaces that their first lines
//! promise. The formulas are read and typed; their verdicts on the small specifications are found here by reachability.

use std::collections::HashMap;

use watchkeeper_casebook::specifications::{SPECIFICATIONS, text};
use watchkeeper_mcrl2::process::ProcessSpace;
use watchkeeper_mcrl2::syntax::{parse_formula, parse_specification};
use watchkeeper_space::{Narration, Space, Successors, apply};

/// A space, or as much of it as lies within some steps: the sizes within so many steps, and the labelled steps.
struct Found {
    within: Vec<usize>,
    steps: Vec<Vec<(String, usize)>>,
}

impl Found {
    fn of(text: &str, levels: usize) -> Found {
        let specification = parse_specification(text).unwrap_or_else(|error| panic!("{error}"));
        let space = ProcessSpace::new(&specification).unwrap_or_else(|error| panic!("{error}"));
        let mut rows = space.initial();
        let mut numbers: HashMap<Vec<u32>, usize> = HashMap::new();
        numbers.extend(rows.iter().cloned().zip(0..));
        let (mut within, mut steps) = (vec![rows.len()], Vec::new());
        let mut out = Successors::new();
        while steps.len() < rows.len() && within.len() <= levels {
            for at in steps.len()..rows.len() {
                out.clear();
                space.expand(&rows[at], &mut out);
                let mut leaving = Vec::new();
                for (action, edits) in out.iter() {
                    let next = apply(&rows[at], edits);
                    let number = *numbers.entry(next.clone()).or_insert_with(|| {
                        rows.push(next);
                        rows.len() - 1
                    });
                    leaving.push((Narration::label(&space, &rows[at], action).to_string(), number));
                }
                leaving.sort();
                leaving.dedup();
                steps.push(leaving);
            }
            within.push(rows.len());
        }
        assert!(space.failure().error().is_none());
        Found { within, steps }
    }

    fn whole(text: &str) -> Found {
        Found::of(text, usize::MAX)
    }

    /// States, transitions, states without a step.
    fn counts(&self) -> (usize, usize, usize) {
        let transitions = self.steps.iter().map(Vec::len).sum();
        (self.steps.len(), transitions, self.steps.iter().filter(|steps| steps.is_empty()).count())
    }

    /// Whether a step of the second kind can come after steps none of which is of the first.
    fn reaches(&self, avoided: impl Fn(&str) -> bool, goal: impl Fn(&str) -> bool) -> bool {
        let (mut seen, mut open) = (vec![false; self.steps.len()], vec![0]);
        seen[0] = true;
        while let Some(at) = open.pop() {
            for (label, next) in &self.steps[at] {
                if goal(label) {
                    return true;
                }
                if !avoided(label) && !seen[*next] {
                    seen[*next] = true;
                    open.push(*next);
                }
            }
        }
        false
    }
}

/// The text with other bounds.
fn bounded(name: &str, tmin: u32, tmax: u32) -> String {
    let text = text(name).expect("a specification");
    let lines = text.lines().map(|line| match line.trim() {
        line if line.starts_with("TMIN = ") => format!("TMIN = {tmin};\n"),
        line if line.starts_with("TMAX = ") => format!("TMAX = {tmax};\n"),
        line => format!("{line}\n"),
    });
    lines.collect()
}

/// The verdicts on R1, R2 and R3; whether a participant's non-voluntary inactivation excuses that of `p[0]`.
fn requirements(found: &Found, excused: bool) -> [bool; 3] {
    let lost = |label: &str| label == "lose_message";
    let voluntary = |label: &str| {
        label == "inactivate_v_p1"
            || label.starts_with("inactivate_v_p(")
            || excused && label.starts_with("inactivate_nv_p(")
    };
    let gone = |label: &str| label == "inactivate_nv_p1" || label.starts_with("inactivate_nv_p(");
    [
        !found.reaches(|_| false, |label| label.starts_with("error")),
        !found.reaches(|label| lost(label) || label == "inactivate_v_p0", gone),
        !found.reaches(|label| lost(label) || voluntary(label), |label| label == "inactivate_nv_p0"),
    ]
}

#[test]
fn every_text_is_read() {
    for specification in SPECIFICATIONS {
        let read = parse_specification(specification.text).unwrap_or_else(|error| panic!("{error}"));
        ProcessSpace::new(&read).unwrap_or_else(|error| panic!("{}: {error}", specification.name));
        for formula in specification.formulas {
            parse_formula(formula.text).unwrap_or_else(|error| panic!("{}: {error}", formula.name));
        }
    }
}

#[test]
fn every_specification_says_where_it_comes_from_and_where_it_differs() {
    for specification in SPECIFICATIONS {
        let comment = specification.text.lines().take_while(|line| line.starts_with('%'));
        let comment: Vec<&str> = comment.collect();
        for words in
            ["% Source: ", "% Where it differs from what is printed, and why:", "% What must be found"]
        {
            assert!(comment.iter().any(|line| line.starts_with(words)), "{}: {words}", specification.name);
        }
    }
}

#[test]
fn the_rings_begin_as_the_original_tool_counts_them() {
    let ignoring = [1, 5, 17, 47, 120, 287, 641, 1357, 2744, 5321, 9982];
    let blocking = [1, 5, 17, 47, 120, 287, 641, 1357, 2744, 5315, 9933];
    for (name, sizes) in [("ring-ignore", ignoring), ("ring-block", blocking)] {
        assert_eq!(Found::of(text(name).expect("a ring"), 10).within, sizes, "{name}");
    }
}

#[test]
fn the_small_ones_have_the_counts_that_they_say() {
    for (name, counts) in [("figure-3-1", (11, 23, 0)), ("figure-3-3", (5, 9, 0)), ("ring-spec1", (4, 4, 1))]
    {
        assert_eq!(Found::whole(text(name).expect("a text")).counts(), counts, "{name}");
    }
}

#[test]
fn the_binary_heartbeat_has_the_verdicts_of_the_published_table() {
    let table = [
        (1, 10, (5579, 13829, 0), [false, true, true]),
        (4, 10, (10345, 26247, 0), [false, true, true]),
        (5, 10, (15076, 39061, 0), [false, true, true]),
        (9, 10, (9078, 23526, 0), [true, true, true]),
        (10, 10, (11874, 31428, 0), [true, false, false]),
    ];
    for (tmin, tmax, counts, verdicts) in table {
        let found = Found::whole(&bounded("heartbeat-binary", tmin, tmax));
        assert_eq!(found.counts(), counts, "{tmin} {tmax}");
        assert_eq!(requirements(&found, false), verdicts, "{tmin} {tmax}");
    }
}

#[test]
fn who_joins_and_leaves_has_the_verdicts_of_the_published_table() {
    let table = [
        ("heartbeat-expanding", 1, (24070, 69692, 0), [false, true, true]),
        ("heartbeat-expanding", 2, (18529, 52739, 0), [false, false, true]),
        ("heartbeat-expanding", 3, (7835, 19833, 0), [true, false, true]),
        ("heartbeat-expanding", 4, (10599, 29156, 0), [true, false, false]),
        ("heartbeat-dynamic", 2, (23153, 66615, 0), [false, false, true]),
        ("heartbeat-dynamic", 3, (9416, 23981, 0), [true, false, true]),
        ("heartbeat-dynamic", 4, (12748, 35252, 0), [true, false, false]),
    ];
    for (name, tmin, counts, verdicts) in table {
        let found = Found::whole(&bounded(name, tmin, 4));
        assert_eq!(found.counts(), counts, "{name} {tmin}");
        assert_eq!(requirements(&found, true), verdicts, "{name} {tmin}");
    }
}

#[test]
fn no_two_processes_decide_differently() {
    let found = Found::whole(text("consensus-rotating").expect("a text"));
    assert_eq!(found.counts(), (30740, 101778, 375));
    let decided = |label: &str| label.starts_with("decide(");
    assert!(found.reaches(|_| false, decided));
    assert!(!found.reaches(|_| false, |label| decided(label) && !label.ends_with("7)")));
}
