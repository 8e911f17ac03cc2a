//! A space that a page looks at: its states by number, in the order in which they were seen, and the steps that leave
//! them. A number is good for this space and this server only; what outlives them is a link.

use crate::answer::WebProblem;
use crate::link::LinkKey;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use watchkeeper_logic::Question;
use watchkeeper_space::{Action, AtomId, Id, Space, steps};

/// The most states that are numbered, and the most ids that they are made of: those of many processes are long.
const STATES: usize = 2_000_000;
const IDS: usize = 1 << 28;

/// The most states whose steps are remembered.
const REMEMBERED: usize = 20_000;

/// A space, its states by number, and what is said of it as a whole.
pub struct OpenedSpace {
    space: Box<dyn Space>,
    processes: Vec<String>,
    /// Who can suspect whom, and the atom that says so.
    suspicions: Vec<(usize, usize, AtomId)>,
    /// What a verdict on this space is about.
    question: Option<Question>,
    states: Mutex<StateNumbers>,
}

/// The numbers of states.
#[derive(Default)]
struct StateNumbers {
    rows: Vec<Arc<[Id]>>,
    numbers: HashMap<Arc<[Id]>, usize>,
    /// The ids of all rows.
    ids: usize,
    steps: HashMap<usize, Arc<StepsFrom>>,
}

/// The steps that leave a state.
#[derive(Debug)]
pub(crate) struct StepsFrom {
    pub(crate) list: Vec<StepTo>,
    /// Whether nothing but faults can happen.
    pub(crate) stuck: bool,
    /// The caps that cut steps away.
    pub(crate) cut: Vec<usize>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepTo {
    pub(crate) action: Action,
    pub(crate) to: usize,
    pub(crate) key: LinkKey,
}

impl OpenedSpace {
    /// A space with processes of these names.
    pub fn new(space: Box<dyn Space>, processes: Vec<String>) -> OpenedSpace {
        let mut suspicions = Vec::new();
        for (by, observer) in processes.iter().enumerate() {
            for (of, subject) in processes.iter().enumerate() {
                let atom = space.shape().atom(&format!("suspects({observer},{subject})"));
                suspicions.extend(atom.map(|atom| (by, of, atom)));
            }
        }
        OpenedSpace { space, processes, suspicions, question: None, states: Mutex::default() }
    }

    /// The space with what is asked of it, for those who want to know what else could have happened.
    #[must_use]
    pub fn asking(self, question: Question) -> OpenedSpace {
        OpenedSpace { question: Some(question), ..self }
    }

    pub(crate) fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// The space itself.
    pub fn space(&self) -> &dyn Space {
        &*self.space
    }

    /// The names of its processes.
    pub fn processes(&self) -> &[String] {
        &self.processes
    }

    /// The names of those whom a process suspects.
    pub(crate) fn suspects(&self, process: usize, row: &[Id]) -> Vec<&str> {
        let of = |&(by, of, atom): &(usize, usize, AtomId)| {
            (by == process && self.space.atom(atom, row)).then(|| self.processes[of].as_str())
        };
        self.suspicions.iter().filter_map(of).collect()
    }

    /// The numbers and keys of the initial states.
    pub(crate) fn initial(&self) -> Result<Vec<(usize, LinkKey)>, WebProblem> {
        let numbered = |row: Vec<Id>| {
            let key = LinkKey::of_state(self.space(), &row);
            Ok((self.number(row)?, key))
        };
        self.space.initial().into_iter().map(numbered).collect()
    }

    /// The number of a state, which it gets if it has none.
    pub(crate) fn number(&self, row: Vec<Id>) -> Result<usize, WebProblem> {
        self.states().number(row)
    }

    /// The state of a number.
    pub(crate) fn row(&self, number: usize) -> Result<Arc<[Id]>, WebProblem> {
        let row = self.states().rows.get(number).cloned();
        row.ok_or_else(|| {
            WebProblem::gone(format!(
                "there is no state {number} in this space: open it again by its address"
            ))
        })
    }

    /// The steps that leave a state.
    pub(crate) fn steps(&self, number: usize) -> Result<Arc<StepsFrom>, WebProblem> {
        if let Some(known) = self.states().steps.get(&number) {
            return Ok(Arc::clone(known));
        }
        let row = self.row(number)?;
        let found = steps(self.space(), &row);
        let mut taken = HashSet::new();
        let key = |(action, to): &(Action, Vec<Id>)| {
            let mut key = LinkKey::of_step(self.space(), &row, *action, to);
            // Whoever picks one of two values may come to one state by both.
            while !taken.insert(key) {
                key = key.next();
            }
            key
        };
        let keys: Vec<LinkKey> = found.next.iter().map(key).collect();
        let mut states = self.states();
        let mut list = Vec::with_capacity(keys.len());
        for ((action, to), key) in found.next.into_iter().zip(keys) {
            list.push(StepTo { action, to: states.number(to)?, key });
        }
        let mut cut = found.cut;
        cut.sort_unstable();
        cut.dedup();
        let steps = Arc::new(StepsFrom { list, stuck: found.stuck, cut });
        if states.steps.len() >= REMEMBERED {
            states.steps.clear();
        }
        states.steps.insert(number, Arc::clone(&steps));
        Ok(steps)
    }

    fn states(&self) -> MutexGuard<'_, StateNumbers> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateNumbers {
    fn number(&mut self, row: Vec<Id>) -> Result<usize, WebProblem> {
        if let Some(&number) = self.numbers.get(row.as_slice()) {
            return Ok(number);
        }
        if self.rows.len() >= STATES || self.ids >= IDS {
            let many = self.rows.len();
            let why = format!("{many} states were looked at, and no more are remembered: reload the page");
            return Err(WebProblem::new(507, why));
        }
        let row: Arc<[Id]> = row.into();
        self.ids += row.len();
        let number = self.rows.len();
        self.rows.push(Arc::clone(&row));
        self.numbers.insert(row, number);
        Ok(number)
    }
}
