//! A protocol in an environment whose durations are unknown: its discrete states, and the edges between them. It says
//! what can happen next and under which linear constraints; it never solves them.

use crate::Linear;
use crate::config::{
    DiscreteState, FlightMeaning, FreshBound, Origin, SymbolicObserver, SymbolicProcess, VariableRole,
};
use crate::decisions::{Trouble, branches};
use crate::edge::{Edge, EdgeGuard, EdgeWriter, Ending};
use crate::step::SymbolicStep;
use crate::symmetry::renamings;
use crate::transition::MOST_DEADLINES;
use std::sync::Arc;
use watchkeeper_automaton::{CallId, ErasedObserver, ProtocolAutomaton, StateId, TypedAutomaton, erased};
use watchkeeper_core::{Bound, Judgement, Observer, Perm, Pid, ProcSet, Promises, Time};
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation};
use watchkeeper_world::{
    Delay, DeliveryOrder, Routes, Scenario, Simultaneous, Synchrony, Timing, assumptions,
};

/// What cannot be searched with unknown durations.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// There is no time.
    #[error(
        "regions are about time: say how long messages take, with --delay LO..HI, --round-trip T or --param delay"
    )]
    Untimed,
    /// Bounds that hold only eventually.
    #[error(
        "bounds that hold only eventually are not searched over unknown durations; leave out --synchrony"
    )]
    Synchrony,
    /// An oracle.
    #[error("an oracle has no time; choose the protocol on a detector with timeouts instead")]
    Oracle,
    /// Selective receive.
    #[error(
        "this protocol leaves messages lying that it does not want yet, which has no meaning for bounds on delays"
    )]
    Selective,
    /// Copies of messages that may take for ever.
    #[error("a duplicated message needs an end of its delay; write --delay LO..HI")]
    EndlessCopies,
    /// Calculation.
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

/// A condition on the states of all processes, `None` for one that has crashed.
type StateTest = Box<dyn Fn(&[Option<StateId>]) -> bool + Send + Sync>;

/// A protocol in an environment, with the properties that are asked.
pub struct Model {
    pub(crate) automaton: Arc<dyn ProtocolAutomaton<Linear>>,
    pub(crate) scenario: Scenario<Linear>,
    pub(crate) timing: Timing<Linear>,
    pub(crate) routes: Routes,
    pub(crate) calls: Vec<(Pid, CallId, u32)>,
    pub(crate) observers: Vec<Box<dyn ErasedObserver<Linear>>>,
    tests: Vec<(String, StateTest)>,
    pub(crate) parameters: Vec<String>,
    pub(crate) domain: Polyhedron,
    pub(crate) message: FreshBound,
    pub(crate) meaning: FlightMeaning,
    width: Option<Linear>,
    /// The renamings up to which states are searched.
    pub(crate) perms: Vec<Perm>,
}

/// A [`Model`] while the types of its protocol are known.
pub struct TypedModel<P: Promises<Linear>> {
    typed: Arc<TypedAutomaton<P, Linear>>,
    model: Model,
}

impl<P: Promises<Linear>> TypedModel<P> {
    /// This protocol in this environment, for parameters of these names in a domain.
    pub fn new(
        protocol: P,
        scenario: Scenario<Linear>,
        parameters: Vec<String>,
        domain: Polyhedron,
    ) -> Result<TypedModel<P>, ModelError> {
        let typed = Arc::new(TypedAutomaton::new(protocol));
        let automaton: Arc<dyn ProtocolAutomaton<Linear>> = typed.clone();
        let model = Model::new(automaton, scenario, parameters, domain)?;
        Ok(TypedModel { typed, model })
    }

    /// The protocol.
    pub fn protocol(&self) -> &P {
        &self.typed.protocol
    }

    /// The number of processes.
    pub fn processes(&self) -> usize {
        self.model.scenario.n
    }

    /// The processes that have crashed before the start.
    pub fn crashed_at_start(&self) -> ProcSet {
        self.model.scenario.faults.crashed_at_start
    }

    /// This model with clients: of whom, what, and how often at most.
    #[must_use]
    pub fn with_calls(mut self, calls: Vec<(Pid, P::Call, u32)>) -> TypedModel<P> {
        let typed = &self.typed;
        let number = |(process, call, budget)| (process, CallId(typed.calls.number(call)), budget);
        self.model.calls = calls.into_iter().map(number).collect();
        self
    }

    /// This model with an observer of a requirement.
    #[must_use]
    pub fn observed_by<O: Observer<P, Linear> + 'static>(mut self, observer: O) -> TypedModel<P> {
        self.model.observers.push(erased(Arc::clone(&self.typed), observer));
        self
    }

    /// This model with a property of states: a test of the states of all processes, `None` for one that has crashed.
    #[must_use]
    pub fn always<F>(mut self, name: impl Into<String>, test: F) -> TypedModel<P>
    where
        F: Fn(&P, &[Option<&P::State>]) -> bool + Send + Sync + 'static,
    {
        let typed = Arc::clone(&self.typed);
        let numbered = move |ids: &[Option<StateId>]| {
            let states: Vec<Option<&P::State>> =
                ids.iter().map(|id| id.map(|StateId(id)| typed.states.get(id))).collect();
            test(&typed.protocol, &states)
        };
        self.model.tests.push((name.into(), Box::new(numbered)));
        self
    }

    /// The model without the types of its protocol.
    pub fn into_model(self) -> Model {
        self.model
    }
}

impl Model {
    fn new(
        automaton: Arc<dyn ProtocolAutomaton<Linear>>,
        scenario: Scenario<Linear>,
        parameters: Vec<String>,
        domain: Polyhedron,
    ) -> Result<Model, ModelError> {
        let timing = scenario.time.timing().ok_or(ModelError::Untimed)?;
        if timing.synchrony != Synchrony::Always {
            return Err(ModelError::Synchrony);
        }
        if scenario.oracle.is_some() {
            return Err(ModelError::Oracle);
        }
        if automaton.facts().selective {
            return Err(ModelError::Selective);
        }
        let routes = Routes::new(scenario.n, scenario.network.lanes, automaton.facts().message_kinds);
        let message = match timing.delay {
            Delay::RoundTrip(most) => Bound::within(most),
            Delay::PerMessage(delay) => {
                let lo = delay.lo().plus(timing.processing.lo());
                let hi = delay.hi().zip(timing.processing.hi()).map(|(hi, more)| hi.plus(more));
                hi.map_or(Bound::at_least(lo), |hi| Bound::new(lo, hi).unwrap_or(Bound::exactly(hi)))
            }
        };
        let copies = scenario.network.duplications > 0;
        let windows = timing.simultaneous == Simultaneous::DeliveriesFirst || copies;
        let zero = Linear::from(0);
        let meaning = match (timing.delay, message.hi()) {
            (Delay::RoundTrip(_), _) => FlightMeaning::Latest,
            (Delay::PerMessage(_), None) if copies => return Err(ModelError::EndlessCopies),
            (Delay::PerMessage(_), Some(_)) if windows && message.lo() == zero => FlightMeaning::Latest,
            (Delay::PerMessage(_), Some(_)) if windows => FlightMeaning::Window,
            (Delay::PerMessage(_), _) => FlightMeaning::Moment,
        };
        let mut domain = domain;
        if let Some(hi) = message.hi().filter(|hi| *hi != message.lo()) {
            let order: Constraint = hi.compared(message.lo(), Relation::AtLeast, &parameters)?;
            domain = domain.and(&[order]).map_err(Trouble::from)?;
        }
        let width = message.hi().and_then(|hi| hi.difference(message.lo()));
        Ok(Model {
            automaton,
            scenario,
            timing,
            routes,
            calls: Vec::new(),
            observers: Vec::new(),
            tests: Vec::new(),
            parameters,
            domain,
            message,
            meaning,
            width,
            perms: Vec::new(),
        })
    }

    /// This model, searched up to the renamings of processes that protocol, observers and scenario allow.
    #[must_use]
    pub fn up_to_renaming(mut self) -> Model {
        self.perms = renamings(&self);
        self
    }

    /// This model for those of its parameters that are in a region.
    pub fn restricted(mut self, region: &Polyhedron) -> Result<Model, Trouble> {
        self.domain = self.domain.intersection(region)?;
        Ok(self)
    }

    /// What an answer rests on, in sentences.
    pub fn assumptions(&self) -> Vec<String> {
        let mut list = assumptions(&*self.automaton, &self.scenario, &self.calls, "");
        list.push(
            "durations are rational numbers: halving is exact, where a node counts whole units".to_string(),
        );
        if self.perms.len() > 1 {
            list.push(format!(
                "states that differ only in the names of processes are one: {} renamings",
                self.perms.len()
            ));
        }
        list
    }

    /// The parameters.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// The parameters for which the model has a meaning.
    pub fn domain(&self) -> &Polyhedron {
        &self.domain
    }

    /// Whether messages of one channel arrive in any order.
    pub(crate) fn any_order(&self) -> bool {
        self.scenario.network.order == DeliveryOrder::AnyOrder
    }

    /// The initial states: edges from a state without variables, which take no time.
    pub(crate) fn starts(&self) -> Result<Vec<Edge>, Trouble> {
        let blank = DiscreteState {
            processes: vec![SymbolicProcess::Crashed; self.scenario.n],
            channels: vec![Vec::new(); self.routes.len()],
            losses: 0,
            duplications: 0,
            recoveries: 0,
            calls: vec![0; self.calls.len()],
            observers: Vec::new(),
        };
        self.written(&blank, "start", true, || {
            let steps = SymbolicStep::start(self);
            (EdgeGuard::Ever, steps)
        })
    }

    /// The steps from a state.
    pub(crate) fn edges(&self, config: &DiscreteState) -> Result<Vec<Edge>, Trouble> {
        let mut edges = Vec::new();
        let urgent = self.is_urgent(config);
        for transition in self.transitions(config) {
            let label = self.label(config, &transition);
            edges.extend(
                self.written(config, &label, urgent, || SymbolicStep::take(self, config, &transition))?,
            );
        }
        Ok(edges)
    }

    /// The edges of what a transition can come to.
    fn written(
        &self,
        config: &DiscreteState,
        label: &str,
        urgent: bool,
        take: impl Fn() -> (EdgeGuard, Vec<SymbolicStep>),
    ) -> Result<Vec<Edge>, Trouble> {
        let before = config.variables();
        let mut edges = Vec::new();
        for branch in branches(&self.parameters, &self.domain, take)? {
            let (guard, steps) = branch.value;
            let timeout =
                matches!(&guard, EdgeGuard::At(j) if matches!(before[*j].0, VariableRole::Timer { .. }));
            let writer = EdgeWriter {
                parameters: &self.parameters,
                before: &before,
                width: self.width,
                urgent,
                after_deliveries: timeout && self.timing.simultaneous == Simultaneous::DeliveriesFirst,
            };
            for step in steps {
                let ending = self.ending(&step);
                let SymbolicStep { mut config, fresh, .. } = step;
                config.settle(self.any_order());
                if !matches!(ending, Ending::Open) {
                    // Nothing follows, so nothing has to be remembered.
                    config.processes.iter_mut().for_each(forget_timers);
                    config.channels.iter_mut().for_each(Vec::clear);
                    config
                        .observers
                        .iter_mut()
                        .for_each(|own: &mut SymbolicObserver<Origin>| own.running.clear());
                }
                let after = config.variables();
                let alike = self.alike(&config);
                let relation = writer.relation(&guard, &branch.parameters, &after, &alike, &fresh)?;
                edges.push(Edge {
                    label: label.to_string(),
                    target: config.map(|_| ()),
                    ending,
                    relation,
                    sizes: (self.parameters.len(), before.len(), after.len()),
                });
            }
        }
        Ok(edges)
    }

    /// Of messages that are alike and whose moments are chosen, the one that was sent first arrives first: with equal
    /// bounds, two that arrive the other way round can change places.
    fn alike(&self, config: &DiscreteState<Origin>) -> Vec<(usize, usize)> {
        let variables = config.variables();
        let is_alike = |a: &VariableRole, b: &VariableRole| match (a, b) {
            (
                VariableRole::Message { channel: c, place: p, meaning: FlightMeaning::Moment },
                VariableRole::Message { channel: d, place: q, meaning: FlightMeaning::Moment },
            ) => c == d && (config.channels[*c][*p].msg == config.channels[*d][*q].msg || !self.any_order()),
            _ => false,
        };
        let pairs = (1..variables.len()).map(|at| (at - 1, at));
        pairs.filter(|&(a, b)| is_alike(&variables[a].0, &variables[b].0)).collect()
    }

    fn ending(&self, step: &SymbolicStep) -> Ending {
        if let Some(limit) = &step.cut {
            return Ending::Cut(limit.clone());
        }
        let mut settled = !self.observers.is_empty() && self.tests.is_empty();
        for (observer, own) in self.observers.iter().zip(&step.config.observers) {
            match observer.judge(&own.state) {
                Judgement::Violated(what) => return Ending::Violated(format!("{}: {what}", observer.name())),
                Judgement::Open => settled = false,
                Judgement::Settled => {}
            }
        }
        let state = |process: &SymbolicProcess<Origin>| match process {
            SymbolicProcess::Crashed => None,
            SymbolicProcess::Up { state, .. } => Some(*state),
        };
        let states: Vec<Option<StateId>> = step.config.processes.iter().map(state).collect();
        match self.tests.iter().find(|(_, test)| !test(&states)) {
            Some((name, _)) => Ending::Violated(name.clone()),
            None if settled => Ending::Settled,
            None if step.config.observers.iter().map(|own| own.running.len()).sum::<usize>()
                > MOST_DEADLINES =>
            {
                let what = "deadlines run at once; ask for fewer, such as R1:p1 instead of R1";
                Ending::Cut(format!("more than {MOST_DEADLINES} {what}"))
            }
            None => Ending::Open,
        }
    }
}

fn forget_timers(process: &mut SymbolicProcess<Origin>) {
    if let SymbolicProcess::Up { timers, .. } = process {
        timers.clear();
    }
}
