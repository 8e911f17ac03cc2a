//! What is asked, part by part: the scenarios of the thesis, the next larger ones, what each reduction is worth, each
//! planted reading in the smallest group that shows it, and a detector that errs.

use super::{MembershipCase, MembershipRequirement};
use crate::names::UnknownName;
use crate::table::Expectation;
use std::fmt;
use strum::{Display, EnumString, VariantArray, VariantNames};
use watchkeeper_explore::{Reduction, Search, Strategy};
use watchkeeper_protocols::membership::{GroupFlaw, graph::GarbageCollection};

/// A part of what can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<MembershipPart>)]
pub enum MembershipPart {
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

impl MembershipPart {
    /// All that take little time.
    pub const USUAL: [MembershipPart; 5] = [
        MembershipPart::Faults,
        MembershipPart::Join,
        MembershipPart::Reductions,
        MembershipPart::Readings,
        MembershipPart::Returns,
    ];
}

/// Which steps a search leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MembershipSearch {
    /// Of steps that do not concern each other, all orders but one.
    pub order: bool,
    /// Of states that are renamings of each other, all but one.
    pub symmetry: bool,
    /// Whatever is deeper.
    pub depth: Option<u64>,
}

impl MembershipSearch {
    /// All steps.
    pub const WHOLE: MembershipSearch = MembershipSearch { order: false, symmetry: false, depth: None };

    /// Without the orders that make no difference.
    pub const ORDER: MembershipSearch = MembershipSearch { order: true, ..MembershipSearch::WHOLE };

    /// The fastest that a requirement allows.
    pub fn of(requirement: MembershipRequirement) -> MembershipSearch {
        MembershipSearch { order: !requirement.is_at_rest(), ..MembershipSearch::WHOLE }
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

/// One thing to ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MembershipInstance {
    /// The group.
    pub case: MembershipCase,
    /// What is asked of it.
    pub requirement: MembershipRequirement,
    /// How it is searched.
    pub way: MembershipSearch,
    /// The answer that must come out.
    pub expected: Expectation,
}

impl MembershipInstance {
    /// One that must hold, searched in the fastest way.
    pub fn new(case: MembershipCase, requirement: MembershipRequirement) -> MembershipInstance {
        MembershipInstance {
            case,
            requirement,
            way: MembershipSearch::of(requirement),
            expected: Expectation::Holds,
        }
    }

    /// What is left out: by the protocol's states, and by the search.
    pub fn reductions(&self) -> String {
        let MembershipSearch { order, symmetry, .. } = self.way;
        let all = [
            (self.case.collect != GarbageCollection::Never, "garbage"),
            (!self.case.verbose, "canonical"),
            (order, "order"),
            (symmetry, "symmetry"),
        ];
        let made: Vec<&str> = all.into_iter().filter(|(made, _)| *made).map(|(_, name)| name).collect();
        if made.is_empty() { "none".to_string() } else { made.join(" + ") }
    }
}

impl fmt::Display for MembershipInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MembershipInstance { case, requirement, way, .. } = self;
        write!(f, "{requirement} of {} processes, {way:?}", case.n)
    }
}

/// The two that the thesis asks.
const BOTH: [MembershipRequirement; 2] = [MembershipRequirement::Consensus, MembershipRequirement::Synchrony];

/// What is asked in a part.
pub fn instances(part: MembershipPart) -> Vec<MembershipInstance> {
    let all = |case: &MembershipCase| -> Vec<MembershipInstance> {
        let requirements = MembershipRequirement::VARIANTS.iter();
        requirements.map(|&requirement| MembershipInstance::new(case.clone(), requirement)).collect()
    };
    match part {
        MembershipPart::Faults => {
            let one = MembershipCase::faults(3).crashing(&[0], 1);
            let any = MembershipCase::faults(3).crashing(&[0, 1, 2], 1);
            let mut asks = [all(&one), all(&any)].concat();
            let four = MembershipCase::faults(4).crashing(&[0], 1).said_by(&[0, 1]);
            let two = MembershipCase::faults(4).crashing(&[0, 1], 2).said_by(&[]);
            for case in [four, two] {
                asks.extend(BOTH.map(|requirement| MembershipInstance::new(case.clone(), requirement)));
            }
            asks
        }
        MembershipPart::More => more(),
        MembershipPart::Join => join(),
        MembershipPart::JoinAll => join_all(),
        MembershipPart::Reductions => reductions(),
        MembershipPart::Readings => GroupFlaw::ALL.iter().map(|&flaw| reading(flaw)).collect(),
        MembershipPart::Returns => returns(),
    }
}

/// The join protocol as the thesis asks it: p0 and p1 in one configuration, p2 in one of its own; p0 may crash.
fn thesis_join() -> MembershipCase {
    MembershipCase::joining(&[&[0, 1], &[2]]).crashing(&[0], 1)
}

/// One word, by the process that is alone or by the one that is left if the other crashes. What is asked at rest leaves
/// no order out, and is asked here where nobody crashes.
fn join() -> Vec<MembershipInstance> {
    let mut all = Vec::new();
    for speaker in [2, 1] {
        let case = thesis_join().said_by(&[speaker]);
        for &requirement in MembershipRequirement::VARIANTS {
            let crashes = if requirement.is_at_rest() { 0 } else { case.crashes };
            all.push(MembershipInstance::new(MembershipCase { crashes, ..case.clone() }, requirement));
        }
    }
    all
}

/// What is asked at rest where p0 may crash and one word is said, and the scenario of the thesis.
fn join_all() -> Vec<MembershipInstance> {
    let mut all = Vec::new();
    for speaker in [2, 1] {
        for requirement in [MembershipRequirement::Merging, MembershipRequirement::Delivery] {
            all.push(MembershipInstance::new(thesis_join().said_by(&[speaker]), requirement));
        }
    }
    all.extend(
        MembershipRequirement::VARIANTS
            .iter()
            .map(|&requirement| MembershipInstance::new(thesis_join(), requirement)),
    );
    all
}

/// Four processes: one crash with three words; two with one word, and what is asked at rest with none.
fn more() -> Vec<MembershipInstance> {
    let one = MembershipCase::faults(4).crashing(&[0], 1).said_by(&[0, 1, 2]);
    let two = MembershipCase::faults(4).crashing(&[0, 1], 2).said_by(&[0]);
    let silent = two.clone().said_by(&[]);
    let mut all: Vec<MembershipInstance> =
        BOTH.map(|requirement| MembershipInstance::new(one.clone(), requirement)).to_vec();
    let safe =
        MembershipRequirement::VARIANTS.iter().copied().filter(|requirement| !requirement.is_at_rest());
    all.extend(safe.map(|requirement| MembershipInstance::new(two.clone(), requirement)));
    let at_rest =
        MembershipRequirement::VARIANTS.iter().copied().filter(|requirement| requirement.is_at_rest());
    all.extend(at_rest.map(|requirement| MembershipInstance::new(silent.clone(), requirement)));
    all.extend(each_way(thesis_join().said_by(&[2]), MembershipRequirement::Synchrony));
    all
}

/// The same groups with everything kept, without what is done with, in canonical form, and without the orders that
/// make no difference; where processes are alike, without renamings too.
fn reductions() -> Vec<MembershipInstance> {
    let one = MembershipCase::faults(3).crashing(&[0], 1);
    let any = MembershipCase::faults(3).crashing(&[0, 1, 2], 1);
    let join = MembershipCase::joining(&[&[0, 1], &[2]]).said_by(&[2]);
    let groups = [
        (one, MembershipRequirement::Synchrony),
        (any, MembershipRequirement::Consensus),
        (join, MembershipRequirement::Synchrony),
    ];
    groups.into_iter().flat_map(|(case, requirement)| each_way(case, requirement)).collect()
}

/// One requirement of one group in every way.
fn each_way(case: MembershipCase, requirement: MembershipRequirement) -> Vec<MembershipInstance> {
    let alike = case.crashable.len() == case.n;
    let all_kept = MembershipCase { collect: GarbageCollection::Never, verbose: true, ..case.clone() };
    let collected = MembershipCase { verbose: true, ..case.clone() };
    let symmetric = MembershipSearch { symmetry: true, ..MembershipSearch::WHOLE };
    let both = MembershipSearch { symmetry: true, ..MembershipSearch::ORDER };
    let ways = [
        (all_kept, MembershipSearch::WHOLE),
        (collected, MembershipSearch::WHOLE),
        (case.clone(), MembershipSearch::WHOLE),
        (case.clone(), MembershipSearch::ORDER),
        (case.clone(), symmetric),
        (case, both),
    ];
    let asked = ways.into_iter().filter(|(_, way)| alike || !way.symmetry);
    asked
        .map(|(case, way)| MembershipInstance { way, ..MembershipInstance::new(case, requirement) })
        .collect()
}

/// A planted reading, in the smallest group that shows what it breaks.
pub fn reading(flaw: GroupFlaw) -> MembershipInstance {
    let faults = |speakers: &[usize]| MembershipCase::faults(3).crashing(&[0], 1).said_by(speakers);
    let pair = MembershipCase::joining(&[&[0], &[1]]).said_by(&[0]);
    let case = match flaw {
        GroupFlaw::Basic => faults(&[0, 1]),
        GroupFlaw::OneByOne | GroupFlaw::NoBlocking | GroupFlaw::BlocksAll | GroupFlaw::NoFaults => {
            faults(&[0])
        }
        GroupFlaw::AnyFault | GroupFlaw::SumsFaults => {
            MembershipCase::faults(4).crashing(&[0, 1], 2).said_by(&[])
        }
        GroupFlaw::JoinIncluded | GroupFlaw::RejectsInRest => thesis_join().said_by(&[1]),
        GroupFlaw::Outsiders => pair,
        GroupFlaw::KeepsGathering => MembershipCase { words: 2, ..thesis_join().said_by(&[1]) },
        GroupFlaw::ForgetsBreak => pair.crashing(&[0], 1),
        GroupFlaw::RejectedHolds => pair,
    };
    MembershipInstance {
        case: MembershipCase { flaw: Some(flaw), ..case },
        requirement: MembershipRequirement::from(flaw.breaks()),
        way: if flaw == GroupFlaw::KeepsGathering {
            MembershipSearch::ORDER
        } else {
            MembershipSearch::WHOLE
        },
        expected: Expectation::Fails,
    }
}

/// A detector that suspects one process for a while that is alive: two processes in all runs, three to a depth. Consensus
/// as the thesis has it fails at once: who was put out cannot know yet.
fn returns() -> Vec<MembershipInstance> {
    let erring = |n: usize, speakers: &[usize]| MembershipCase {
        joins: true,
        returns: true,
        mistakes: 1,
        ..MembershipCase::faults(n).said_by(speakers)
    };
    let (two, three) = (erring(2, &[0]), erring(3, &[]));
    let ask = |case: &MembershipCase, requirement, way, expected| MembershipInstance {
        case: case.clone(),
        requirement,
        way,
        expected,
    };
    let mut all =
        vec![ask(&two, MembershipRequirement::Consensus, MembershipSearch::WHOLE, Expectation::Fails)];
    let kept = [
        MembershipRequirement::Synchrony,
        MembershipRequirement::Insiders,
        MembershipRequirement::NoDuplication,
        MembershipRequirement::Merging,
    ];
    all.extend(kept.map(|requirement| MembershipInstance::new(two.clone(), requirement)));
    let near = MembershipSearch { depth: Some(10), ..MembershipSearch::WHOLE };
    all.push(ask(&three, MembershipRequirement::Consensus, MembershipSearch::WHOLE, Expectation::Fails));
    all.extend(kept.map(|requirement| ask(&three, requirement, near, Expectation::HoldsWithin)));
    all
}
