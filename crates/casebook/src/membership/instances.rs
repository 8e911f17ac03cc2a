//! What is asked, part by part: the scenarios of the thesis, the next larger ones, what each reduction is worth, each
//! planted reading in the smallest group that shows it, and a detector that errs.

use super::{Case, Requirement};
use std::fmt;
use watchkeeper_explore::{Reduction, Search, Strategy};
use watchkeeper_protocols::membership::{GroupFlaw, graph::Collect};

/// A part of what can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The faults protocol, as the thesis asks it, with any one of three, and of four.
    Faults,
    /// What takes minutes: more words of four, two crashes, and what each reduction is worth in a join with a crash.
    More,
    /// The join protocol where one process says a word.
    Join,
    /// The join protocol as the thesis asks it: a word each.
    JoinAll,
    /// The same with less and less left out.
    Reductions,
    /// Planted readings of the original text.
    Readings,
    /// A detector that errs once, and those who were put out come back.
    Returns,
}

impl Part {
    /// All that take little time.
    pub const USUAL: [Part; 5] = [Part::Faults, Part::Join, Part::Reductions, Part::Readings, Part::Returns];

    /// All.
    pub const ALL: [Part; 7] = [
        Part::Faults,
        Part::More,
        Part::Join,
        Part::JoinAll,
        Part::Reductions,
        Part::Readings,
        Part::Returns,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Faults => "faults",
            Part::More => "more",
            Part::Join => "join",
            Part::JoinAll => "join-all",
            Part::Reductions => "reductions",
            Part::Readings => "readings",
            Part::Returns => "returns",
        }
    }
}

/// Which steps a search leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// Of steps that do not concern each other, all orders but one.
    pub order: bool,
    /// Of states that are renamings of each other, all but one.
    pub symmetry: bool,
    /// Whatever is deeper.
    pub depth: Option<u64>,
}

impl Way {
    /// All steps.
    pub const WHOLE: Way = Way { order: false, symmetry: false, depth: None };

    /// Without the orders that make no difference.
    pub const ORDER: Way = Way { order: true, ..Way::WHOLE };

    /// The fastest that a requirement allows.
    pub fn of(requirement: Requirement) -> Way {
        Way { order: !requirement.is_at_rest(), ..Way::WHOLE }
    }

    /// A search in this way, within the limits of another.
    pub fn search(self, limits: &Search) -> Search {
        let strategy = match self.depth {
            Some(depth) => Strategy::Breadth { max_depth: Some(depth) },
            None => limits.strategy.clone(),
        };
        let reduction = if self.order { Reduction::PartialOrder } else { Reduction::None };
        Search { strategy, reduction, symmetry: self.symmetry.into(), ..limits.clone() }
    }
}

/// What must come out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Must {
    /// It holds.
    Hold,
    /// It fails.
    Fail,
    /// Nothing is wrong up to a depth, and no more is asked.
    StayOpen,
}

/// One thing to ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The group.
    pub case: Case,
    /// What is asked of it.
    pub requirement: Requirement,
    /// How it is searched.
    pub way: Way,
    /// What must come out.
    pub must: Must,
}

impl Instance {
    /// One that must hold, searched in the fastest way.
    pub fn new(case: Case, requirement: Requirement) -> Instance {
        Instance { case, requirement, way: Way::of(requirement), must: Must::Hold }
    }

    /// What is left out: by the protocol's states, and by the search.
    pub fn reductions(&self) -> String {
        let Way { order, symmetry, .. } = self.way;
        let all = [
            (self.case.collect != Collect::Never, "garbage"),
            (!self.case.verbose, "canonical"),
            (order, "order"),
            (symmetry, "symmetry"),
        ];
        let made: Vec<&str> = all.into_iter().filter(|(made, _)| *made).map(|(_, name)| name).collect();
        if made.is_empty() { "none".to_string() } else { made.join(" + ") }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Instance { case, requirement, way, .. } = self;
        write!(f, "{requirement} of {} processes, {way:?}", case.n)
    }
}

/// The two that the thesis asks.
const BOTH: [Requirement; 2] = [Requirement::Consensus, Requirement::Synchrony];

/// What is asked in a part.
pub fn instances(part: Part) -> Vec<Instance> {
    let all = |case: &Case| Requirement::ALL.map(|requirement| Instance::new(case.clone(), requirement));
    match part {
        Part::Faults => {
            let one = Case::faults(3).crashing(&[0], 1);
            let any = Case::faults(3).crashing(&[0, 1, 2], 1);
            let mut asks = [all(&one), all(&any)].concat();
            let four = Case::faults(4).crashing(&[0], 1).said_by(&[0, 1]);
            let two = Case::faults(4).crashing(&[0, 1], 2).said_by(&[]);
            for case in [four, two] {
                asks.extend(BOTH.map(|requirement| Instance::new(case.clone(), requirement)));
            }
            asks
        }
        Part::More => more(),
        Part::Join => join(),
        Part::JoinAll => join_all(),
        Part::Reductions => reductions(),
        Part::Readings => GroupFlaw::ALL.iter().map(|&flaw| reading(flaw)).collect(),
        Part::Returns => returns(),
    }
}

/// The join protocol as the thesis asks it: p0 and p1 in one configuration, p2 in one of its own; p0 may crash.
fn thesis_join() -> Case {
    Case::joining(&[&[0, 1], &[2]]).crashing(&[0], 1)
}

/// One word, by the process that is alone or by the one that is left if the other crashes. What is asked at rest leaves
/// no order out, and is asked here where nobody crashes.
fn join() -> Vec<Instance> {
    let mut all = Vec::new();
    for speaker in [2, 1] {
        let case = thesis_join().said_by(&[speaker]);
        for requirement in Requirement::ALL {
            let crashes = if requirement.is_at_rest() { 0 } else { case.crashes };
            all.push(Instance::new(Case { crashes, ..case.clone() }, requirement));
        }
    }
    all
}

/// What is asked at rest where p0 may crash and one word is said, and the scenario of the thesis.
fn join_all() -> Vec<Instance> {
    let mut all = Vec::new();
    for speaker in [2, 1] {
        for requirement in [Requirement::Merging, Requirement::Delivery] {
            all.push(Instance::new(thesis_join().said_by(&[speaker]), requirement));
        }
    }
    all.extend(Requirement::ALL.map(|requirement| Instance::new(thesis_join(), requirement)));
    all
}

/// Four processes: one crash with three words; two with one word, and what is asked at rest with none.
fn more() -> Vec<Instance> {
    let one = Case::faults(4).crashing(&[0], 1).said_by(&[0, 1, 2]);
    let two = Case::faults(4).crashing(&[0, 1], 2).said_by(&[0]);
    let silent = two.clone().said_by(&[]);
    let mut all: Vec<Instance> = BOTH.map(|requirement| Instance::new(one.clone(), requirement)).to_vec();
    let safe = Requirement::ALL.into_iter().filter(|requirement| !requirement.is_at_rest());
    all.extend(safe.map(|requirement| Instance::new(two.clone(), requirement)));
    let at_rest = Requirement::ALL.into_iter().filter(|requirement| requirement.is_at_rest());
    all.extend(at_rest.map(|requirement| Instance::new(silent.clone(), requirement)));
    all.extend(each_way(thesis_join().said_by(&[2]), Requirement::Synchrony));
    all
}

/// The same groups with everything kept, without what is done with, in canonical form, and without the orders that
/// make no difference; where processes are alike, without renamings too.
fn reductions() -> Vec<Instance> {
    let one = Case::faults(3).crashing(&[0], 1);
    let any = Case::faults(3).crashing(&[0, 1, 2], 1);
    let join = Case::joining(&[&[0, 1], &[2]]).said_by(&[2]);
    let groups =
        [(one, Requirement::Synchrony), (any, Requirement::Consensus), (join, Requirement::Synchrony)];
    groups.into_iter().flat_map(|(case, requirement)| each_way(case, requirement)).collect()
}

/// One requirement of one group in every way.
fn each_way(case: Case, requirement: Requirement) -> Vec<Instance> {
    let alike = case.crashable.len() == case.n;
    let all_kept = Case { collect: Collect::Never, verbose: true, ..case.clone() };
    let collected = Case { verbose: true, ..case.clone() };
    let symmetric = Way { symmetry: true, ..Way::WHOLE };
    let both = Way { symmetry: true, ..Way::ORDER };
    let ways = [
        (all_kept, Way::WHOLE),
        (collected, Way::WHOLE),
        (case.clone(), Way::WHOLE),
        (case.clone(), Way::ORDER),
        (case.clone(), symmetric),
        (case, both),
    ];
    let asked = ways.into_iter().filter(|(_, way)| alike || !way.symmetry);
    asked.map(|(case, way)| Instance { way, ..Instance::new(case, requirement) }).collect()
}

/// A planted reading, in the smallest group that shows what it breaks.
pub fn reading(flaw: GroupFlaw) -> Instance {
    let faults = |speakers: &[usize]| Case::faults(3).crashing(&[0], 1).said_by(speakers);
    let pair = Case::joining(&[&[0], &[1]]).said_by(&[0]);
    let case = match flaw {
        GroupFlaw::Basic => faults(&[0, 1]),
        GroupFlaw::OneByOne | GroupFlaw::NoBlocking | GroupFlaw::BlocksAll | GroupFlaw::NoFaults => {
            faults(&[0])
        }
        GroupFlaw::AnyFault | GroupFlaw::SumsFaults => Case::faults(4).crashing(&[0, 1], 2).said_by(&[]),
        GroupFlaw::JoinIncluded | GroupFlaw::RejectsInRest => thesis_join().said_by(&[1]),
        GroupFlaw::Outsiders => pair,
        GroupFlaw::KeepsGathering => Case { words: 2, ..thesis_join().said_by(&[1]) },
        GroupFlaw::ForgetsBreak => pair.crashing(&[0], 1),
        GroupFlaw::RejectedHolds => pair,
    };
    Instance {
        case: Case { flaw: Some(flaw), ..case },
        requirement: Requirement::from(flaw.breaks()),
        way: if flaw == GroupFlaw::KeepsGathering { Way::ORDER } else { Way::WHOLE },
        must: Must::Fail,
    }
}

/// A detector that suspects one process for a while that is alive: two processes in all runs, three to a depth. Consensus
/// as the thesis has it fails at once: who was put out cannot know yet.
fn returns() -> Vec<Instance> {
    let erring = |n: usize, speakers: &[usize]| Case {
        joins: true,
        returns: true,
        mistakes: 1,
        ..Case::faults(n).said_by(speakers)
    };
    let (two, three) = (erring(2, &[0]), erring(3, &[]));
    let ask = |case: &Case, requirement, way, must| Instance { case: case.clone(), requirement, way, must };
    let mut all = vec![ask(&two, Requirement::Consensus, Way::WHOLE, Must::Fail)];
    let kept =
        [Requirement::Synchrony, Requirement::Insiders, Requirement::NoDuplication, Requirement::Merging];
    all.extend(kept.map(|requirement| Instance::new(two.clone(), requirement)));
    let near = Way { depth: Some(10), ..Way::WHOLE };
    all.push(ask(&three, Requirement::Consensus, Way::WHOLE, Must::Fail));
    all.extend(kept.map(|requirement| ask(&three, requirement, near, Must::StayOpen)));
    all
}
