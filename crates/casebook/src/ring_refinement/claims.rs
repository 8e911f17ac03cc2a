//! Who is held against whom, in which environment, and what was found before. What is expected is data and never
//! enters a comparison.

use super::{Environment, Hasty, RingWitness, Spec1, alphabet};
use crate::ring::{Crash, FullChannel, RingCase, RingModel};
use crate::table::TableAnswer;
use watchkeeper_explore::{ExploreError, ProgressCallback, RefinementSide, Search, refines, refines_by};
use watchkeeper_logic::{Refinement, Semantics};
use watchkeeper_protocols::ring::WeakCompleteness;
use watchkeeper_space::Space;
use watchkeeper_world::{ANY_NUMBER, Lanes};

/// One claim: the implementation refines the specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefinementClaim {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is compared with what.
    pub pairing: Pairing,
    /// Whether traces alone are compared.
    pub semantics: Semantics,
    /// What was found before.
    pub expected: TableAnswer,
    /// Whether it takes minutes.
    pub heavy: bool,
}

/// An implementation and a specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pairing {
    /// The deployable ring, within the automata of the tasks.
    RingInTasks {
        /// What surrounds the ring.
        environment: Environment,
        /// The automata.
        tasks: RingCase,
        /// How it is shown.
        method: ProofMethod,
    },
    /// The ring with a planted mistake, within the automata of the tasks.
    HastyInTasks {
        /// What surrounds the ring.
        environment: Environment,
        /// The automata.
        tasks: RingCase,
    },
    /// The automata of the tasks, within the deployable ring.
    TasksInRing {
        /// The automata.
        tasks: RingCase,
        /// What surrounds the ring.
        environment: Environment,
    },
    /// The CSP model of the authors, within the specification in their script.
    CspInSpec1 {
        /// The model.
        csp: RingCase,
        /// How often p0 may suspect p1 after its crash.
        most: u32,
    },
}

/// How a claim is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum ProofMethod {
    /// By normalising the specification.
    Exact,
    /// By a witness whose channels hold the same messages.
    Witness,
    /// By a witness in which the tasks may have more messages on their way than the ring.
    #[strum(to_string = "witness with surplus")]
    WitnessWithSurplus,
}

impl Pairing {
    /// What a table calls the implementation and the specification.
    pub fn names(&self) -> [String; 2] {
        let published = |case: &RingCase| format!("{}, {} {}", case.model, case.when_full, case.buffer());
        match self {
            Pairing::RingInTasks { environment, tasks, .. } => {
                [format!("ring, {environment}"), published(tasks)]
            }
            Pairing::HastyInTasks { environment, tasks } => {
                [format!("hasty, {environment}"), published(tasks)]
            }
            Pairing::TasksInRing { tasks, environment } => [published(tasks), format!("ring, {environment}")],
            Pairing::CspInSpec1 { csp, most } => [published(csp), format!("Spec1, {most} suspicions")],
        }
    }

    /// When p1 crashes.
    pub fn crash(&self) -> Crash {
        match self {
            Pairing::RingInTasks { tasks, .. }
            | Pairing::HastyInTasks { tasks, .. }
            | Pairing::TasksInRing { tasks, .. } => tasks.crash,
            Pairing::CspInSpec1 { csp, .. } => csp.crash,
        }
    }

    /// How it is shown.
    pub fn method(&self) -> ProofMethod {
        match self {
            Pairing::RingInTasks { method, .. } => *method,
            _ => ProofMethod::Exact,
        }
    }
}

impl RefinementClaim {
    /// The claim of this name.
    pub fn named(name: &str) -> Option<RefinementClaim> {
        claims().into_iter().find(|claim| claim.name == name)
    }

    /// Whether it is true.
    pub fn compare(
        &self,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<Refinement, ExploreError> {
        let semantics = self.semantics;
        match self.pairing {
            Pairing::RingInTasks { environment, tasks, method } => {
                let (world, tasks) = (environment.world(WeakCompleteness), tasks.space());
                let (mine, theirs) = (alphabet(&*world), alphabet(&tasks));
                let ring = RefinementSide { space: &*world, alphabet: &mine, name: "ring" };
                let tasks_side = RefinementSide { space: &tasks, alphabet: &theirs, name: "tasks" };
                if method == ProofMethod::Exact {
                    return refines(ring, tasks_side, semantics, search, watch);
                }
                let surplus = method == ProofMethod::WitnessWithSurplus;
                let witness = RingWitness::new(&world, environment.capacity, &tasks, surplus);
                refines_by(ring, tasks_side, semantics, &witness, search, watch)
            }
            Pairing::HastyInTasks { environment, tasks } => {
                let (world, tasks) = (environment.world(Hasty), tasks.space());
                self.exactly((&*world, "hasty"), (&tasks, "tasks"), search, watch)
            }
            Pairing::TasksInRing { tasks, environment } => {
                let (tasks, world) = (tasks.space(), environment.world(WeakCompleteness));
                self.exactly((&tasks, "tasks"), (&*world, "ring"), search, watch)
            }
            Pairing::CspInSpec1 { csp, most } => {
                let (csp, spec) = (csp.space(), Spec1::new(most));
                let (mine, theirs) = (Spec1::hiding(&csp), spec.alphabet());
                let protocol = RefinementSide { space: &csp, alphabet: &mine, name: "Protocol" };
                let spec = RefinementSide { space: &spec, alphabet: &theirs, name: "Spec1" };
                refines(protocol, spec, semantics, search, watch)
            }
        }
    }

    /// By normalising the specification, over the alphabet of the ring.
    fn exactly(
        &self,
        (mine, name): (&impl Space, &str),
        (theirs, other): (&impl Space, &str),
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<Refinement, ExploreError> {
        let (own, foreign) = (alphabet(mine), alphabet(theirs));
        let mine = RefinementSide { space: mine, alphabet: &own, name };
        let theirs = RefinementSide { space: theirs, alphabet: &foreign, name: other };
        refines(mine, theirs, self.semantics, search, watch)
    }
}

/// All claims, in the order of the table.
pub fn claims() -> Vec<RefinementClaim> {
    use Semantics::{StableFailures, Traces};
    let tasks = |model, buffer, crash| published(model, FullChannel::Ignore, buffer, crash);
    let edges = |crash| tasks(RingModel::Tasks, 1, crash);
    let atomic = |crash| tasks(RingModel::TasksAtomic, 1, crash);
    let plain = Environment::published;
    let shared = |crash| Environment { lanes: Lanes::PerPair, ..plain(crash) };
    let lossy = |crash| Environment { losses: ANY_NUMBER, ..plain(crash) };
    let double = |crash| Environment { capacity: 2, ..plain(crash) };
    let (any, dead) = (Crash::AnyTime, Crash::AtStart);
    let ring = |environment: Environment, tasks, method| Pairing::RingInTasks { environment, tasks, method };
    let claim = |name, pairing, semantics| RefinementClaim {
        name,
        pairing,
        semantics,
        expected: TableAnswer::Holds,
        heavy: false,
    };
    let fails =
        |claim: RefinementClaim, steps| RefinementClaim { expected: TableAnswer::Fails { steps }, ..claim };
    let heavy = |claim: RefinementClaim| RefinementClaim { heavy: true, ..claim };
    let csp = published(RingModel::Csp, FullChannel::Block, 1, any);
    let reverse = |tasks| Pairing::TasksInRing { tasks, environment: plain(dead) };
    let hasty = Pairing::HastyInTasks { environment: plain(dead), tasks: edges(dead) };
    let spec1 = Pairing::CspInSpec1 { csp, most: Spec1::PRINTED };
    let (wide, wide_atomic) = (tasks(RingModel::Tasks, 2, dead), tasks(RingModel::TasksAtomic, 2, dead));
    vec![
        claim("ring", ring(plain(any), edges(any), ProofMethod::Witness), Traces),
        claim("ring-failures", ring(plain(any), edges(any), ProofMethod::Witness), StableFailures),
        claim("dead", ring(plain(dead), edges(dead), ProofMethod::Exact), Traces),
        claim("dead-failures", ring(plain(dead), edges(dead), ProofMethod::Exact), StableFailures),
        claim("shared-dead", ring(shared(dead), atomic(dead), ProofMethod::Exact), Traces),
        claim("lossy-dead", ring(lossy(dead), atomic(dead), ProofMethod::Exact), Traces),
        fails(
            claim("lossy-dead-failures", ring(lossy(dead), atomic(dead), ProofMethod::Exact), StableFailures),
            2,
        ),
        fails(claim("double-dead", ring(double(dead), atomic(dead), ProofMethod::Exact), Traces), 22),
        claim("double-wide-dead", ring(double(dead), wide, ProofMethod::Witness), Traces),
        heavy(claim("double-wide-dead-exact", ring(double(dead), wide_atomic, ProofMethod::Exact), Traces)),
        fails(claim("reverse-dead", reverse(edges(dead)), Traces), 25),
        fails(claim("reverse-dead-failures", reverse(edges(dead)), StableFailures), 13),
        fails(claim("hasty", hasty, Traces), 4),
        fails(claim("spec1", spec1, Traces), 18),
        fails(claim("spec1-failures", spec1, StableFailures), 18),
    ]
}

fn published(model: RingModel, when_full: FullChannel, buffer: u32, crash: Crash) -> RingCase {
    RingCase::new(model, when_full, buffer, crash).expect("a possible case")
}
