//! Small labelled graphs as spaces: what is written down is what there is. A state is its number and the
//! atoms that hold there; an edge has a class, of which 0 is never seen.

use watchkeeper_logic::Alphabet;
use watchkeeper_space::{
    Action, ActionClass, Atom, AtomId, Cap, Edit, Id, Mismatch, Narration, Role, Shape, Space, StatePath,
    Step, Stuck, Successors, Trace, Value, View,
};

/// The class of edges that nobody sees.
pub const TAU: u8 = 0;

#[derive(Clone, Debug)]
pub struct Labelled {
    pub shape: Shape,
    /// From, class, to.
    pub edges: Vec<(u32, u8, u32)>,
    /// For each state, a bit for each atom.
    pub facts: Vec<u32>,
    pub initial: Vec<u32>,
    /// A state in which a cap cuts something away.
    pub cut: Option<u32>,
}

impl Labelled {
    /// A graph of so many states that begins in the first; events are the letters of the classes.
    pub fn new(states: usize, edges: &[(u32, char, u32)]) -> Labelled {
        let class = |name: &str| ActionClass { name: name.into(), role: Role::Other };
        let atom = |name: &str| Atom { name: name.into(), symmetric: false };
        let number = |letter: char| if letter == 't' { TAU } else { letter as u8 - b'a' + 1 };
        Labelled {
            shape: Shape {
                slots: vec!["state".into()],
                classes: ["t", "a", "b", "c"].map(class).to_vec(),
                atoms: ["x", "y"].map(atom).to_vec(),
                caps: vec![Cap::new("a cap")],
                ..Shape::default()
            },
            edges: edges.iter().map(|&(from, letter, to)| (from, number(letter), to)).collect(),
            facts: vec![0; states],
            initial: vec![0],
            cut: None,
        }
    }
}

/// The letters of the classes.
pub fn letters() -> Alphabet {
    Alphabet::new().class(1, "a").class(2, "b").class(3, "c")
}

/// Rises and falls of both atoms, and the first class.
pub fn changes() -> Alphabet {
    Alphabet::new().rise(0, "a").fall(0, "b").rise(1, "c").fall(1, "a").class(1, "d")
}

impl Space for Labelled {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.initial.iter().map(|&state| vec![state]).collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        for (i, &(from, class, to)) in self.edges.iter().enumerate() {
            if from == row[0] {
                out.step(Action::new(class, i as u64), &[Edit::new(0, to)]);
            }
        }
        if self.cut == Some(row[0]) {
            out.cut(0);
        }
    }

    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Deadlock
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.facts[row[0] as usize] >> atom & 1 == 1
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        out.extend_from_slice(&row[0].to_be_bytes());
    }
}

impl Narration for Labelled {
    fn view(&self, row: &[Id]) -> View {
        vec![("state".into(), Value::Int(row[0].into()))]
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        format!("edge {}", action.code())
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let wrong = |step: usize, why: &str| Mismatch { step, why: why.to_string() };
        if !self.initial.contains(&trail.rows[0][0]) {
            return Err(wrong(0, "it does not begin there"));
        }
        let mut trace = Trace { start: self.view(&trail.rows[0]), ..Trace::default() };
        for (i, action) in trail.actions.iter().enumerate() {
            let edge = (trail.rows[i][0], action.class(), trail.rows[i + 1][0]);
            if self.edges.get(action.code() as usize) != Some(&edge) {
                return Err(wrong(i + 1, "there is no such edge"));
            }
            let (action, after) = (self.label(&trail.rows[i], *action), self.view(&trail.rows[i + 1]));
            trace.steps.push(Step { action, at: None, events: Vec::new(), after });
        }
        Ok(trace)
    }
}
