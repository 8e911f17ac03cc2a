//! Whether what a page is told of states and runs is so: each step is taken again in the space itself, by its successors
//! alone, and a number stands for one state and stays with it.

use crate::quoting::{printable, short};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;
use watchkeeper_space::{Id, successors};
use watchkeeper_web::{Explorer, OpenedSpace, WebProblem};

/// How many states of a run are looked at closely, so that the numbers around them are known.
const CLOSELY: usize = 30;

/// A refusal has the status of one, and a sentence.
pub(crate) fn refused(problem: &WebProblem) {
    assert!((400..=599).contains(&problem.status) && problem.status != 500, "{problem:?}");
    assert!(!problem.message.is_empty(), "refused without a word");
    short(&problem.message);
    printable(&problem.message);
}

/// The states of which the numbers are known.
pub(crate) struct Walked<'a> {
    explorer: &'a Explorer,
    spaces: Vec<WalkedSpace>,
}

struct WalkedSpace {
    space: Arc<OpenedSpace>,
    rows: HashMap<usize, Vec<Id>>,
    numbers: HashMap<Vec<Id>, usize>,
}

/// A run as an answer tells it: the number of its first state, its steps, the states after each, and the labels.
struct ToldWalk {
    start: usize,
    steps: Vec<usize>,
    states: Vec<usize>,
    labels: Vec<String>,
}

impl<'a> Walked<'a> {
    pub(crate) fn new(explorer: &'a Explorer, spaces: usize) -> Walked<'a> {
        let walked = |number: usize| {
            let space = explorer.space(number).expect("it is open");
            let mut walked = WalkedSpace { space, rows: HashMap::new(), numbers: HashMap::new() };
            let initial = explorer.initial(number).expect("initial states");
            let rows = walked.space.space().initial();
            let initial = initial.as_array().expect("a list");
            assert_eq!(initial.len(), rows.len());
            for (told, row) in initial.iter().zip(rows) {
                walked.learn(number_of(&told["state"]), row);
            }
            walked
        };
        Walked { explorer, spaces: (0..spaces).map(walked).collect() }
    }

    /// Holds an answer against its space.
    pub(crate) fn told(&mut self, path: &str, body: &Json, answer: &Json) {
        let space = body["space"].as_u64().and_then(|number| usize::try_from(number).ok());
        let Some(space) = space.filter(|space| *space < self.spaces.len()) else {
            assert!(path.starts_with("/api/job/"), "an answer without a space: {path} {body}");
            return;
        };
        let asked = body["steps"].as_array().map_or(0, Vec::len);
        match path {
            "/api/state" => self.state(space, answer),
            "/api/run" => {
                assert_eq!((&answer["start"], &answer["steps"]), (&body["start"], &body["steps"]));
                self.whole_run(space, answer);
            }
            "/api/resolve" => {
                self.whole_run(space, answer);
                let keys = body["run"].as_str().expect("it was read").split('.').count();
                let found = keys_of(answer).len();
                match &answer["missing"] {
                    Json::Null => assert_eq!(found, keys),
                    missing => {
                        // A link that begins nowhere is shown the first state.
                        let step = number_of(&missing["step"]);
                        assert!(found <= keys && (step == found || step == 0 && found == 1), "{missing}");
                    }
                }
            }
            "/api/walk" => {
                assert_eq!(answer["start"], body["state"]);
                assert!(
                    answer["steps"].as_array().expect("steps").len() as u64
                        <= body["count"].as_u64().unwrap_or(20)
                );
                self.onwards(space, answer);
            }
            "/api/until" if answer["none"].is_null() => self.onwards(space, answer),
            "/api/chart" => {
                let (from, to) = (number_of(&answer["from"]), number_of(&answer["to"]));
                assert!(from <= to && to <= asked, "{from} to {to} of {asked}");
                assert_eq!(number_of(&answer["total"]), asked);
                assert!(answer["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")));
            }
            "/api/columns" => {
                for column in answer["columns"].as_array().expect("columns") {
                    let values = column["values"].as_array().expect("values").len();
                    assert_eq!(values, if column["error"].is_null() { asked + 1 } else { 0 });
                    column["error"].as_str().into_iter().for_each(short);
                }
            }
            "/api/graph" => {
                let levels =
                    answer["levels"].as_array().expect("levels").iter().map(number_of).sum::<usize>();
                assert_eq!(number_of(&answer["states"]), levels);
                let nodes = answer["nodes"].as_array().expect("nodes").len();
                assert!(nodes == 0 || nodes == levels);
            }
            "/api/alternatives" => self.alternatives(space, body, answer),
            _ => {}
        }
    }

    /// A run that is told with its first state. Its keys lead to it again.
    fn whole_run(&mut self, space: usize, answer: &Json) {
        let mut states = numbers_of(&answer["states"]);
        assert_eq!(states.first(), Some(&number_of(&answer["start"])));
        states.remove(0);
        let keys = keys_of(answer);
        assert_eq!(keys.len(), states.len() + 1);
        let begins_initially = self.walk(space, &ToldWalk::of(answer, states));
        if begins_initially {
            let again = json!({ "space": space, "run": keys.join(".") });
            let again =
                self.explorer.answer("/api/resolve", &again).expect("a request").expect("its own link");
            assert_eq!(again["missing"], Json::Null);
            for key in ["states", "steps", "keys", "labels"] {
                assert_eq!(again[key], answer[key], "the {key} of a run and of its own link");
            }
        }
    }

    /// A run that is told without its first state.
    fn onwards(&mut self, space: usize, answer: &Json) {
        let states = numbers_of(&answer["states"]);
        assert_eq!(keys_of(answer).len(), states.len());
        self.walk(space, &ToldWalk::of(answer, states));
    }

    /// Takes the steps of a run, and says whether it begins in an initial state.
    fn walk(&mut self, space: usize, told: &ToldWalk) -> bool {
        assert_eq!((told.states.len(), told.labels.len()), (told.steps.len(), told.steps.len()));
        let walked = &mut self.spaces[space];
        // The number of a state that only a refused request has met is known to nobody.
        let Some(first) = walked.rows.get(&told.start).cloned() else { return false };
        let mut row = first.clone();
        for (at, &place) in told.steps.iter().enumerate() {
            let steps = successors(walked.space.space(), &row);
            let (action, to) = steps.get(place).cloned().expect("a step that the space has");
            assert_eq!(told.labels[at], walked.space.space().label(&row, action));
            walked.learn(told.states[at], to.clone());
            row = to;
        }
        let near: Vec<usize> = [told.start].iter().chain(&told.states).copied().take(CLOSELY).collect();
        for number in near {
            let asked = json!({ "space": space, "state": number });
            let state = self.explorer.answer("/api/state", &asked).expect("a request").expect("a state");
            self.state(space, &state);
        }
        self.spaces[space].space.space().initial().contains(&first)
    }

    /// A state is told with its steps, in their order, and with the atoms that hold in it.
    fn state(&mut self, space: usize, told: &Json) {
        let walked = &mut self.spaces[space];
        let Some(row) = walked.rows.get(&number_of(&told["state"])).cloned() else { return };
        let model = Arc::clone(&walked.space);
        let model = model.space();
        let (steps, taken) = (told["steps"].as_array().expect("steps"), successors(model, &row));
        assert_eq!(steps.len(), taken.len());
        for (step, (action, to)) in steps.iter().zip(taken) {
            assert_eq!(step["label"], model.label(&row, action));
            walked.learn(number_of(&step["to"]), to);
        }
        let atoms = model.shape().atoms.iter().enumerate();
        let atoms: Vec<&str> =
            atoms.filter(|(atom, _)| model.atom(*atom, &row)).map(|(_, atom)| atom.name.as_str()).collect();
        assert_eq!(told["atoms"], json!(atoms));
    }

    /// What else could have happened is what the space allows but for the step that was taken.
    fn alternatives(&mut self, space: usize, body: &Json, answer: &Json) {
        let places = answer["places"].as_array().expect("places");
        let walked = &self.spaces[space];
        let Some(mut row) = walked.rows.get(&number_of(&body["start"])).cloned() else { return };
        let model = walked.space.space();
        for (at, &taken) in numbers_of(&body["steps"]).iter().enumerate() {
            let steps = successors(model, &row);
            if let Some(place) = places.iter().find(|place| number_of(&place["at"]) == at) {
                let others = (0..steps.len()).filter(|step| *step != taken);
                let others: Vec<Json> = others
                    .map(|step| json!({ "step": step, "label": model.label(&row, steps[step].0) }))
                    .collect();
                let told = place["alternatives"].as_array().expect("alternatives").iter();
                let told: Vec<Json> =
                    told.map(|one| json!({ "step": one["step"], "label": one["label"] })).collect();
                assert_eq!(told, others);
            }
            row = steps[taken].1.clone();
        }
    }
}

impl WalkedSpace {
    /// A number stands for one state, and a state has one number.
    fn learn(&mut self, number: usize, row: Vec<Id>) {
        assert_eq!(*self.rows.entry(number).or_insert_with(|| row.clone()), row, "state {number}");
        assert_eq!(*self.numbers.entry(row).or_insert(number), number);
    }
}

impl ToldWalk {
    fn of(answer: &Json, states: Vec<usize>) -> ToldWalk {
        let labels = answer["labels"].as_array().expect("labels").iter();
        ToldWalk {
            start: number_of(&answer["start"]),
            steps: numbers_of(&answer["steps"]),
            states,
            labels: labels.map(|label| label.as_str().expect("a text").to_string()).collect(),
        }
    }
}

fn number_of(number: &Json) -> usize {
    number.as_u64().and_then(|number| usize::try_from(number).ok()).expect("a number")
}

fn numbers_of(list: &Json) -> Vec<usize> {
    list.as_array().expect("a list").iter().map(number_of).collect()
}

fn keys_of(answer: &Json) -> Vec<&str> {
    answer["keys"].as_array().expect("keys").iter().map(|key| key.as_str().expect("a text")).collect()
}
