//! What observers see of a step, with a number for each different list: most steps of a search look the same to an
//! observer, so how it takes them in is worked out once.

use watchkeeper_automaton::{Interner, RawObservation};
use watchkeeper_space::Id;

/// The number of the list in which nothing is seen.
pub(crate) const NOTHING: Id = 0;

/// The numbered lists of things seen.
pub(crate) struct ObservationLists {
    lists: Interner<Vec<RawObservation>, ()>,
}

impl ObservationLists {
    pub(crate) fn new() -> ObservationLists {
        let observations = ObservationLists { lists: Interner::new() };
        assert_eq!(observations.intern(Vec::new()), NOTHING, "no list was numbered before");
        observations
    }

    pub(crate) fn intern(&self, list: Vec<RawObservation>) -> Id {
        let heap = size_of_val(&*list);
        self.lists.intern(list, |_| ((), heap))
    }

    pub(crate) fn get(&self, list: Id) -> &[RawObservation] {
        &self.lists.get(list).value
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lists.bytes()
    }
}
