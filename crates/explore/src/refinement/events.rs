//! Visible events as numbers. Both spaces use the same numbers for the same names; what one step shows is a
//! bag of them, because the order within a step is not visible.

use std::collections::HashMap;
use watchkeeper_logic::{Alphabet, Visibility};
use watchkeeper_space::{Action, AtomId, Id, Space};

/// The most different events: a set of them is one word.
pub(crate) const MOST_EVENTS: usize = 128;

/// The place of an event among all names.
pub(crate) type EventId = u8;

/// The place of a bag among all bags.
pub(crate) type BagId = u32;

/// The bag without an event: an internal step.
pub(crate) const TAU: BagId = 0;

/// A set of events.
pub(crate) type EventSet = u128;

/// All events by name, and all bags of them that were ever seen.
pub(crate) struct EventTable {
    names: Vec<String>,
    bags: Vec<Vec<EventId>>,
    /// The different events of each bag.
    sets: Vec<EventSet>,
    known: HashMap<Vec<EventId>, BagId>,
}

impl EventTable {
    /// The events of both alphabets; `None` if there are too many.
    pub fn of(alphabets: [&Alphabet; 2]) -> Option<EventTable> {
        let mut names: Vec<String> = Vec::new();
        for event in alphabets.iter().flat_map(|alphabet| alphabet.events()) {
            if !names.iter().any(|name| name == event) {
                names.push(event.to_string());
            }
        }
        let known = HashMap::from([(Vec::new(), TAU)]);
        (names.len() <= MOST_EVENTS).then_some(EventTable {
            names,
            bags: vec![Vec::new()],
            sets: vec![0],
            known,
        })
    }

    /// The number of a bag.
    pub fn bag(&mut self, mut events: Vec<EventId>) -> BagId {
        events.sort_unstable();
        if let Some(&bag) = self.known.get(&events) {
            return bag;
        }
        let bag = self.bags.len() as BagId;
        self.sets.push(events.iter().fold(0, |set, event| set | 1 << event));
        self.bags.push(events.clone());
        self.known.insert(events, bag);
        bag
    }

    /// The events of a bag, sorted.
    pub fn events(&self, bag: BagId) -> &[EventId] {
        &self.bags[bag as usize]
    }

    /// The different events of a bag.
    pub fn set(&self, bag: BagId) -> EventSet {
        self.sets[bag as usize]
    }

    /// The bag with an event less.
    pub fn without(&mut self, bag: BagId, event: EventId) -> BagId {
        let mut events = self.events(bag).to_vec();
        if let Some(at) = events.iter().position(|&other| other == event) {
            events.remove(at);
        }
        self.bag(events)
    }

    /// The names of a bag.
    pub fn names_of(&self, bag: BagId) -> Vec<String> {
        self.events(bag).iter().map(|&event| self.names[usize::from(event)].clone()).collect()
    }

    /// The names of a set, in the order of the alphabets.
    pub fn names_in(&self, set: EventSet) -> Vec<String> {
        let named = self.names.iter().enumerate();
        named.filter(|(i, _)| set >> i & 1 == 1).map(|(_, name)| name.clone()).collect()
    }

    fn number(&self, name: &str) -> EventId {
        self.names.iter().position(|other| other == name).expect("an event of the alphabet") as EventId
    }
}

/// Looks at the steps of one space.
pub(crate) struct Seer {
    entries: Vec<(Visibility, EventId, Option<AtomId>)>,
    /// The atoms that matter, each once.
    atoms: Vec<AtomId>,
}

impl Seer {
    /// Sees what the alphabet says.
    pub fn new(alphabet: &Alphabet, events: &EventTable) -> Seer {
        let entries: Vec<_> = alphabet
            .entries()
            .iter()
            .map(|entry| (entry.visibility, events.number(&entry.event), entry.unless))
            .collect();
        let mut atoms: Vec<AtomId> = Vec::new();
        for (visibility, _, unless) in &entries {
            match visibility {
                Visibility::Rise(atom) | Visibility::Fall(atom) => atoms.push(*atom),
                Visibility::Class(_) => {}
            }
            atoms.extend(unless);
        }
        atoms.sort_unstable();
        atoms.dedup();
        Seer { entries, atoms }
    }

    /// What the atoms say of a row.
    pub fn look(&self, space: &dyn Space, row: &[Id], out: &mut Vec<bool>) {
        out.clear();
        out.extend(self.atoms.iter().map(|&atom| space.atom(atom, row)));
    }

    /// What a step shows, given what the atoms say before and after it.
    pub fn seen(&self, action: Action, before: &[bool], after: &[bool], events: &mut EventTable) -> BagId {
        let at = |atom: AtomId| self.atoms.binary_search(&atom).expect("an atom that was looked at");
        // Most steps change no atom.
        let changed = before != after;
        let mut seen = Vec::new();
        for (visibility, event, unless) in &self.entries {
            let happens = match *visibility {
                Visibility::Rise(atom) => changed && !before[at(atom)] && after[at(atom)],
                Visibility::Fall(atom) => changed && before[at(atom)] && !after[at(atom)],
                Visibility::Class(class) => action.class() == class,
            };
            if happens && unless.is_none_or(|atom| !after[at(atom)]) {
                seen.push(*event);
            }
        }
        if seen.is_empty() { TAU } else { events.bag(seen) }
    }
}
