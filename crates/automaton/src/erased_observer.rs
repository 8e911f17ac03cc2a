//! An observer without its types: its state is its bytes, and it sees numbers.

use crate::{RawObservation, TypedAutomaton, observation};
use std::sync::Arc;
use watchkeeper_core::{
    Deadlines, Judgement, Observer, Pack, Perm, Promises, Reader, Symmetry, Time, packed, unpacked,
};

/// An observer whose state is its bytes and who sees numbers, so that observers of all kinds can stand in one list.
pub trait ErasedObserver<T: Time = u32>: Send + Sync {
    /// Its name.
    fn name(&self) -> String;
    /// The renamings under which it is invariant.
    fn symmetry(&self) -> Symmetry;
    /// Whether it is invariant under trace equivalence.
    fn trace_invariant(&self) -> bool;
    /// Whether it judges a run like its representative in stages.
    fn stage_invariant(&self) -> bool;
    /// Whether one of these observations is visible to it in some state.
    fn visible(&self, seen: &[RawObservation]) -> bool;
    /// Its state before the first observation.
    fn start(&self, deadlines: &mut Deadlines<T>) -> Vec<u8>;
    /// Its state after these observations.
    fn see(&self, state: &[u8], seen: &[RawObservation], deadlines: &mut Deadlines<T>) -> Vec<u8>;
    /// Its state after a deadline has expired.
    fn expired(&self, state: &[u8], deadline: usize, deadlines: &mut Deadlines<T>) -> Vec<u8>;
    /// The judgement of the run so far.
    fn judge(&self, state: &[u8]) -> Judgement;
    /// Its state after a renaming of processes.
    fn rename(&self, state: &[u8], perm: &Perm) -> Vec<u8>;
    /// The number of a deadline after a renaming of processes.
    fn rename_deadline(&self, deadline: usize, perm: &Perm) -> usize;
    /// Its state as it prints.
    fn text(&self, state: &[u8]) -> String;
    /// Whether these bytes are a state of it: everything else here asks for one.
    fn accepts(&self, bytes: &[u8]) -> bool;
}

/// An observer with the types of its protocol.
struct Observing<P: Promises<T>, O, T: Time> {
    typed: Arc<TypedAutomaton<P, T>>,
    observer: O,
}

/// An observer of this protocol, without its types.
pub fn erased<P, O, T>(typed: Arc<TypedAutomaton<P, T>>, observer: O) -> Box<dyn ErasedObserver<T>>
where
    T: Time,
    P: Promises<T>,
    O: Observer<P, T> + 'static,
{
    Box::new(Observing { typed, observer })
}

impl<T: Time, P: Promises<T>, O: Observer<P, T>> ErasedObserver<T> for Observing<P, O, T> {
    fn name(&self) -> String {
        self.observer.name()
    }

    fn symmetry(&self) -> Symmetry {
        self.observer.symmetry()
    }

    fn trace_invariant(&self) -> bool {
        self.observer.trace_invariant()
    }

    fn stage_invariant(&self) -> bool {
        self.observer.stage_invariant()
    }

    fn visible(&self, seen: &[RawObservation]) -> bool {
        seen.iter().any(|&one| self.observer.visible(&observation(&self.typed, one)))
    }

    fn start(&self, deadlines: &mut Deadlines<T>) -> Vec<u8> {
        packed(&self.observer.start(deadlines))
    }

    /// Once it has made up its mind, an observer is not asked again.
    fn see(&self, state: &[u8], seen: &[RawObservation], deadlines: &mut Deadlines<T>) -> Vec<u8> {
        let mut memory = unpack::<O::State>(state);
        for &one in seen {
            if self.observer.judge(&memory) != Judgement::Open {
                break;
            }
            self.observer.see(&mut memory, &observation(&self.typed, one), deadlines);
        }
        packed(&memory)
    }

    fn expired(&self, state: &[u8], deadline: usize, deadlines: &mut Deadlines<T>) -> Vec<u8> {
        let mut memory = unpack::<O::State>(state);
        self.observer.expired(&mut memory, deadline, deadlines);
        packed(&memory)
    }

    fn judge(&self, state: &[u8]) -> Judgement {
        self.observer.judge(&unpack::<O::State>(state))
    }

    fn rename(&self, state: &[u8], perm: &Perm) -> Vec<u8> {
        packed(&unpack::<O::State>(state).rename(perm))
    }

    fn rename_deadline(&self, deadline: usize, perm: &Perm) -> usize {
        self.observer.rename_deadline(deadline, perm)
    }

    fn text(&self, state: &[u8]) -> String {
        format!("{:?}", unpack::<O::State>(state))
    }

    fn accepts(&self, bytes: &[u8]) -> bool {
        unpacked::<O::State>(bytes).is_ok_and(|state| packed(&state) == bytes)
    }
}

/// A state from its own bytes.
fn unpack<S: Pack>(bytes: &[u8]) -> S {
    S::unpack(&mut Reader::new(bytes)).expect("what was packed here unpacks")
}
