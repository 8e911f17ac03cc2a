//! A world with the types of its protocol, for those who put one together: calls, propositions and observers are given
//! in the protocol's own terms. What is searched is the [`World`] inside, which has no types.

use crate::global::{AtomPromise, AtomTest};
use crate::observer::ObserverMachine;
use crate::world::CallEntry;
use crate::{Global, Scenario, World, WorldError};
use std::ops::Deref;
use std::sync::Arc;
use watchkeeper_automaton::{CallId, ProtocolAutomaton, StateId, TypedAutomaton};
use watchkeeper_core::{Observer, Pid, Promises};
use watchkeeper_space::Id;

/// A [`World`] of the protocol `P`. It is a thin shell: give `&*world` to an engine, or [`TypedWorld::into_world`].
///
/// ```
/// use watchkeeper_core::{Effects, Input, Never, Pid, Promises, Protocol};
/// use watchkeeper_space::Space;
/// use watchkeeper_world::{Scenario, TypedWorld};
///
/// /// Says nothing and hears nothing.
/// #[derive(Clone)]
/// struct Idle;
///
/// impl Protocol for Idle {
///     type State = u8;
///     type Msg = Never;
///     type Timer = Never;
///     type Call = Never;
///     type Output = Never;
///
///     fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> u8 {
///         0
///     }
///
///     fn step(&self, _: Pid, _: &mut u8, _: Input<'_, Self>, _: &mut impl Effects<Self>) {}
/// }
///
/// impl Promises for Idle {}
///
/// let world = TypedWorld::new(Idle, Scenario::new(2))?;
/// let world = world.with_atom("at rest", true, |global| global.state(Pid::at(0)) == Some(&0));
/// assert_eq!(world.initial().len(), 1);
/// # Ok::<(), watchkeeper_world::WorldError>(())
/// ```
pub struct TypedWorld<P: Promises> {
    pub(crate) typed: Arc<TypedAutomaton<P>>,
    world: Box<World>,
}

impl<P: Promises> TypedWorld<P> {
    /// The world of a protocol in a scenario.
    pub fn new(protocol: P, scenario: Scenario) -> Result<TypedWorld<P>, WorldError> {
        let typed = Arc::new(TypedAutomaton::new(protocol));
        let automaton: Arc<dyn ProtocolAutomaton> = Arc::<TypedAutomaton<P>>::clone(&typed);
        let world = Box::new(World::new(automaton, scenario)?);
        Ok(TypedWorld { typed, world })
    }

    /// The same protocol in the same scenario, with nothing added. Values have the same numbers in both.
    pub fn sharing(other: &TypedWorld<P>) -> Result<TypedWorld<P>, WorldError> {
        let world = Box::new(other.world.around(other.world.scenario().clone())?);
        Ok(TypedWorld { typed: Arc::clone(&other.typed), world })
    }

    /// This world with clients: each call may be issued to its process at any moment at which the process
    /// takes input, at most as often in one run as its budget says. Replaces the calls given before.
    pub fn with_calls(self, calls: Vec<(Pid, P::Call, u32)>) -> Result<TypedWorld<P>, WorldError> {
        let number = |(process, call, budget)| (process, CallId(self.typed.calls.number(call)), budget);
        let calls = calls.into_iter().map(number).collect();
        Ok(TypedWorld { world: Box::new(self.world.with_entries(calls)?), typed: self.typed })
    }

    /// This world with one more proposition about states, which properties can speak of by name. It is
    /// `symmetric` if it says the same of a state and of that state with its processes renamed.
    #[must_use]
    pub fn with_atom<F>(self, name: impl Into<String>, symmetric: bool, holds: F) -> TypedWorld<P>
    where
        F: Fn(&Global<'_, P>) -> bool + Send + Sync + 'static,
    {
        self.with_test(name.into(), symmetric, holds, AtomPromise::Nothing)
    }

    /// As [`with_atom`](TypedWorld::with_atom), for a proposition that stays false in every state that follows one in
    /// which it is false. A search that leaves out interleavings relies on that.
    #[must_use]
    pub fn with_lasting_atom<F>(self, name: impl Into<String>, symmetric: bool, holds: F) -> TypedWorld<P>
    where
        F: Fn(&Global<'_, P>) -> bool + Send + Sync + 'static,
    {
        self.with_test(name.into(), symmetric, holds, AtomPromise::Lasting)
    }

    /// As [`with_atom`](TypedWorld::with_atom), for a proposition that is decided by a number for each process: what it
    /// sees of its state, or of its having crashed. A step that leaves these numbers as they are does not show.
    #[must_use]
    pub fn with_glancing_atom<G, F>(
        self,
        name: impl Into<String>,
        symmetric: bool,
        glance: G,
        holds: F,
    ) -> TypedWorld<P>
    where
        G: Fn(Pid, Option<&P::State>) -> u64 + Send + Sync + 'static,
        F: Fn(&[u64]) -> bool + Send + Sync + 'static,
    {
        let (glance, typed) = (Arc::new(glance), Arc::clone(&self.typed));
        let decides = Arc::clone(&glance);
        let numbered =
            move |p: Pid, state: Option<StateId>| decides(p, state.map(|state| typed.states.get(state.0)));
        let decided = move |global: &Global<'_, P>| {
            let glances: Vec<u64> = global.processes().map(|p| glance(p, global.state(p))).collect();
            holds(&glances)
        };
        self.with_test(name.into(), symmetric, decided, AtomPromise::Glances(Arc::new(numbered)))
    }

    /// As [`with_atom`](TypedWorld::with_atom), for a proposition that says what has become of process `p`: it is
    /// decided by the state of `p`, false if `p` has crashed, and true for ever once it is true, unless `p` crashes. A
    /// world in stages relies on that.
    #[must_use]
    pub fn with_outcome<F>(self, name: impl Into<String>, p: Pid, holds: F) -> TypedWorld<P>
    where
        F: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        let decided = move |global: &Global<'_, P>| global.state(p).is_some_and(&holds);
        self.with_test(name.into(), false, decided, AtomPromise::Outcome)
    }

    /// This world with an observer. There is one more proposition, of the observer's name: that it has not
    /// seen anything wrong. States from which no observer can see anything wrong any more are not
    /// searched further, if all observers say so. Whatever else is asked of such a world is then not answered with
    /// `holds`.
    pub fn observed_by<O: Observer<P> + 'static>(self, observer: O) -> Result<TypedWorld<P>, WorldError> {
        let observer = ObserverMachine::new(Arc::clone(&self.typed), observer);
        Ok(TypedWorld { world: Box::new(self.world.with_observer(observer)?), typed: self.typed })
    }

    /// What clients may ask, and of whom.
    pub fn calls(&self) -> Vec<(Pid, &P::Call)> {
        let asked = |entry: &CallEntry| (entry.process, self.typed.calls.get(entry.call.0));
        self.world.calls.iter().map(asked).collect()
    }

    /// The protocol.
    pub fn protocol(&self) -> &P {
        &self.typed.protocol
    }

    /// The world without the types of its protocol.
    pub fn into_world(self) -> World {
        *self.world
    }

    /// One state of this world, as a proposition sees it.
    pub fn global<'a>(&'a self, row: &'a [Id]) -> Global<'a, P> {
        Global::new(&self.world, &self.typed, row)
    }

    fn with_test<F>(self, name: String, symmetric: bool, holds: F, promise: AtomPromise) -> TypedWorld<P>
    where
        F: Fn(&Global<'_, P>) -> bool + Send + Sync + 'static,
    {
        let typed = Arc::clone(&self.typed);
        let test = move |world: &World, row: &[Id]| holds(&Global::new(world, &typed, row));
        let TypedWorld { typed, mut world } = self;
        world.add_test(name, symmetric, AtomTest::Custom(Box::new(test), promise));
        TypedWorld { typed, world }
    }
}

impl<P: Promises> Deref for TypedWorld<P> {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl<P: Promises> From<TypedWorld<P>> for World {
    fn from(typed: TypedWorld<P>) -> World {
        *typed.world
    }
}

impl<P: Promises> std::fmt::Debug for TypedWorld<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.world.fmt(f)
    }
}
