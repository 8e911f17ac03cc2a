//! What the members of a group have recorded, put into one order and judged: by the observers that `check` uses, and
//! causal order by the acknowledgements that words carry.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use watchkeeper::built_in::MembershipLive;
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pid, Protocol, unpacked};
use watchkeeper_protocols::membership::{
    GroupMsg, GroupOutput, Insiders, Membership, MulticastBody, NoDuplication, VirtualSynchrony,
};
use watchkeeper_protocols::stack::{Layer, ReliableMsg};

type Msg = <MembershipLive as Protocol>::Msg;
type Output = <MembershipLive as Protocol>::Output;

/// A word by its speaker and number.
type Word = (usize, u32);

/// All that members have told, first to last by the clock that they share.
pub struct Told {
    n: usize,
    /// Whether everyone was alone at the start.
    alone: bool,
    outputs: Vec<(u64, Pid, GroupOutput)>,
    /// For each word, how much its speaker had received of everyone.
    pasts: BTreeMap<Word, Vec<u32>>,
}

impl Told {
    /// What there is in a directory.
    pub fn read(dir: &Path, n: usize) -> Told {
        let mut told = Told { n, alone: false, outputs: Vec::new(), pasts: BTreeMap::new() };
        let entries = std::fs::read_dir(dir).expect("the directory").flatten();
        let paths = entries.map(|entry| entry.path());
        for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "ndjson")) {
            told.add(&std::fs::read_to_string(path).expect("a recording"));
        }
        // The steps of one node are in their order, and those of one step too.
        told.outputs.sort_by_key(|(at, by, _)| (*at, by.index()));
        told
    }

    fn add(&mut self, text: &str) {
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut lines = whole.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let head = lines.next().expect("a first line");
        let me = Pid::at(head["process"].as_u64().expect("a process") as usize);
        self.alone |= head["settings"]["param.cliques"] == "alone";
        for line in lines {
            let at = line["at"].as_u64().expect("a time");
            for output in line["outputs"].as_array().into_iter().flatten() {
                if let Layer::Above(output) = unpacked::<Output>(&bytes(output)).expect("an announcement") {
                    self.outputs.push((at, me, output));
                }
            }
            for send in line["sends"].as_array().into_iter().flatten() {
                if let Layer::Above(ReliableMsg::Data { msg: GroupMsg::Fresh(sent), .. }) =
                    unpacked::<Msg>(&bytes(&send["msg"])).expect("a message")
                    && let MulticastBody::User(_) = sent.body
                {
                    let past = sent.past.iter().map(|(_, count)| *count).collect();
                    self.pasts.insert((me.index(), sent.number), past);
                }
            }
        }
    }

    /// What is wrong with the run.
    pub fn judge(&self) -> Vec<String> {
        let group = Membership::new(self.n).expect("a group");
        let cliques: Vec<_> = Pid::all(self.n).map(watchkeeper_core::ProcSet::only).collect();
        let group = if self.alone { group.in_cliques(&cliques).expect("a group") } else { group };
        let mut wrong = Vec::new();
        wrong.extend(self.observed(&VirtualSynchrony::of(&group, self.n)));
        wrong.extend(self.observed(&NoDuplication { n: self.n }));
        wrong.extend(self.observed(&Insiders::of(&group, self.n)));
        wrong.extend(self.causality());
        wrong
    }

    fn observed<O: Observer<Membership>>(&self, observer: &O) -> Option<String> {
        let mut deadlines = Deadlines::default();
        let mut state = observer.start(&mut deadlines);
        for (_, by, output) in &self.outputs {
            observer.see(&mut state, &Observation::Emitted { by: *by, output }, &mut deadlines);
        }
        match observer.judge(&state) {
            Judgement::Violated(why) => Some(format!("{}: {why}", observer.name())),
            _ => None,
        }
    }

    /// A word that somebody delivered after another whose speaker had known it.
    fn causality(&self) -> Option<String> {
        let mut known = vec![vec![0; self.n]; self.n];
        for (_, by, output) in &self.outputs {
            let GroupOutput::Deliver { from, number, .. } = output else { continue };
            let known = &mut known[by.index()];
            if *number < known[from.index()] {
                return Some(format!("causality: {by} delivers {from}#{number} too late"));
            }
            let past = self.pasts.get(&(from.index(), *number)).expect("a word that was said");
            known.iter_mut().zip(past).for_each(|(known, count)| *known = (*known).max(*count));
        }
        None
    }

    pub fn words(&self) -> usize {
        self.outputs.iter().filter(|(.., output)| matches!(output, GroupOutput::Deliver { .. })).count()
    }

    pub fn views(&self) -> usize {
        self.outputs.iter().filter(|(.., output)| matches!(output, GroupOutput::View(_))).count()
    }

    pub fn refusals(&self) -> usize {
        self.outputs.iter().filter(|(.., output)| matches!(output, GroupOutput::Refuse { .. })).count()
    }

    /// Each view of a process with the words in it; the first is the one at the start.
    fn epochs(&self, process: usize) -> Vec<(BTreeSet<usize>, BTreeSet<Word>)> {
        let first = if self.alone { BTreeSet::from([process]) } else { (0..self.n).collect() };
        let mut epochs = vec![(first, BTreeSet::new())];
        for (_, _, output) in self.outputs.iter().filter(|(_, by, _)| by.index() == process) {
            match output {
                GroupOutput::View(view) => {
                    epochs.push((view.members.iter().map(Pid::index).collect(), BTreeSet::new()));
                }
                GroupOutput::Deliver { from, number, .. } => {
                    epochs.last_mut().expect("a view").1.insert((from.index(), *number));
                }
                GroupOutput::Refuse { .. } => {}
            }
        }
        epochs
    }

    /// How many words a process has heard in views of just these members.
    pub fn words_in(&self, process: usize, members: &[usize]) -> usize {
        let members: BTreeSet<usize> = members.iter().copied().collect();
        self.epochs(process).iter().filter(|(view, _)| *view == members).map(|(_, words)| words.len()).sum()
    }

    /// The words that a process has heard in its last view.
    pub fn last_words(&self, process: usize) -> BTreeSet<Word> {
        self.epochs(process).pop().expect("a view").1
    }
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().expect("hex");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect()
}
