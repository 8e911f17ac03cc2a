//! What a search remembers: the local states of each component by numbers, and what components do together in them. It is computed
//! once, so that a successor costs a few table reads.

use super::composition::{Happening, NameBag, bag_of};
use super::joint::{JointStep, Participant, joint_steps};
use super::local_state::ComponentState;
use super::model_error::ProcessError;
use super::offer::Offer;
use super::step_table::StepTable;
use super::system::ComposedSystem;
use super::values::ValueId;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, RwLock};
use watchkeeper_automaton::{Arena, Interner};
use watchkeeper_space::{
    Action, ActionClass, Cap, ClassId, DataAction, DataLabel, Edit, Id, Role, Shape, Successors,
};

/// The most classes of actions that are counted apart.
const CLASSES: usize = 250;

/// A multi-action, in order.
pub(crate) type MultiActionLabel = Vec<Happening<Vec<ValueId>>>;

/// Everything that a search remembers of a system.
pub(crate) struct Memory {
    pub(crate) system: Arc<ComposedSystem>,
    pub(crate) shape: Shape,
    components: Vec<Interner<ComponentState, Remembered>>,
    /// The components at which something is looked up.
    leading: Vec<usize>,
    steps: Arena<StepList>,
    labels: Interner<MultiActionLabel, DataLabel>,
    classes: HashMap<NameBag, ClassId>,
    error: Arc<OnceLock<ProcessError>>,
}

/// What is remembered of a local state.
struct Remembered {
    /// What identifies it in every run.
    key: Box<[u8]>,
    offers: OnceLock<LocalOffers>,
}

/// What a local state offers, and what is looked up at it.
struct LocalOffers {
    offers: Vec<Offer>,
    lookups: Box<[Lookup]>,
}

/// What to look up for a synchronisation.
struct Lookup {
    synchronisation: usize,
    partners: Partners,
}

/// With whom a component acts, and the numbers of the lists of steps that are known.
enum Partners {
    /// With nobody.
    Nobody(OnceLock<u32>),
    /// With one other component, by the number of its local state.
    One(usize, StepTable),
    /// With several.
    Several(Box<[usize]>, RwLock<HashMap<Box<[Id]>, u32>>),
}

/// Steps, with the edits of all of them one after the other.
#[derive(Default)]
struct StepList {
    steps: Box<[(Action, u32)]>,
    edits: Box<[Edit]>,
}

impl Memory {
    pub(crate) fn new(system: Arc<ComposedSystem>) -> Memory {
        let seen = system.seen();
        let mut classes = HashMap::new();
        let mut shown = Vec::new();
        for bag in seen {
            let class = shown.len().min(CLASSES);
            if class == shown.len() {
                let name = if class == CLASSES { "other".to_string() } else { system.model.bag_text(&bag) };
                shown.push(ActionClass { name, role: Role::Other });
            }
            classes.insert(bag, class as ClassId);
        }
        let slots = system.components.iter().map(|component| component.name.clone()).collect();
        // A state whose steps could not be computed is not known, so no search that met one can say that something holds.
        let caps = vec![Cap::new("the data of a step, which has no value, or a sum, which has no bound")];
        let shape = Shape { slots, classes: shown, faults_are_progress: true, caps, ..Shape::default() };
        let steps = Arena::new();
        steps.push(StepList::default());
        let components = system.components.iter().map(|_| Interner::new()).collect();
        let leads = |slot: &usize| system.components[*slot].leads.iter().any(|leads| !leads.is_empty());
        let leading = (0..system.components.len()).filter(leads).collect();
        Memory {
            shape,
            components,
            leading,
            steps,
            labels: Interner::new(),
            classes,
            error: Arc::new(OnceLock::new()),
            system,
        }
    }

    /// The first error of the search, if it had any.
    pub(crate) fn error(&self) -> Arc<OnceLock<ProcessError>> {
        Arc::clone(&self.error)
    }

    pub(crate) fn initial(&self) -> Vec<Id> {
        let components = self.system.components.iter().enumerate();
        components.map(|(slot, component)| self.intern(slot, component.initial.clone())).collect()
    }

    /// Appends all steps from a row; after an error there are none, and they count as cut away.
    #[inline]
    pub(crate) fn expand(&self, row: &[Id], out: &mut Successors) {
        for &slot in &self.leading {
            let remembered = &self.components[slot].get(row[slot]).memo;
            let complete = match remembered.offers.get() {
                Some(local) => self.follow(local, slot, row, out),
                None => self.expand_from(slot, row, out),
            };
            if !complete {
                out.clear();
                return out.cut(0);
            }
        }
    }

    /// Appends what is looked up at a component that nobody has looked at; whether all went well.
    #[cold]
    fn expand_from(&self, slot: usize, row: &[Id], out: &mut Successors) -> bool {
        let known = |slot: usize| self.components[slot].get(row[slot]).memo.offers.get();
        self.first_look(slot, row[slot])
            && known(slot).is_some_and(|local| self.follow(local, slot, row, out))
    }

    /// Appends what is looked up at one component; whether all went well.
    #[inline]
    fn follow(&self, local: &LocalOffers, slot: usize, row: &[Id], out: &mut Successors) -> bool {
        for lookup in &local.lookups {
            let known = match &lookup.partners {
                Partners::Nobody(known) => known.get().copied(),
                Partners::One(partner, table) => table.find(row[*partner]),
                Partners::Several(partners, known) => {
                    let key: Box<[Id]> = partners.iter().map(|&partner| row[partner]).collect();
                    known.read().expect("no writer panics").get(&key).copied()
                }
            };
            let list = match known {
                Some(list) => list,
                None => match self.compute(lookup, slot, row) {
                    Some(list) => list,
                    None => return false,
                },
            };
            if list != 0 {
                let StepList { steps, edits } = self.steps.get(list);
                let mut from = 0;
                for &(action, end) in steps {
                    out.step(action, &edits[from..end as usize]);
                    from = end as usize;
                }
            }
        }
        true
    }

    /// Finds what a local state offers, the first time that somebody is there; whether that went well.
    #[cold]
    fn first_look(&self, slot: usize, id: Id) -> bool {
        let component = &self.system.components[slot];
        let interned = self.components[slot].get(id);
        let offers = match component.signatures.offers(
            &self.system.model.data,
            &interned.value,
            &self.system.summands,
        ) {
            Ok(offers) => offers,
            Err(error) => {
                let _ = self.error.set(error);
                return false;
            }
        };
        let mut lookups = Vec::new();
        let mut signatures: Vec<usize> = offers.iter().map(|offer| offer.signature).collect();
        signatures.sort_unstable();
        signatures.dedup();
        for synchronisation in signatures.iter().flat_map(|&signature| &component.leads[signature]) {
            let participants = &self.system.synchronisations[*synchronisation].participants;
            let others: Box<[usize]> =
                participants.iter().map(|participant| participant.0).filter(|&other| other != slot).collect();
            let partners = match &*others {
                [] => Partners::Nobody(OnceLock::new()),
                [one] => Partners::One(*one, StepTable::default()),
                _ => Partners::Several(others, RwLock::default()),
            };
            lookups.push(Lookup { synchronisation: *synchronisation, partners });
        }
        let _ = interned.memo.offers.set(LocalOffers { offers, lookups: lookups.into() });
        true
    }

    /// Computes what is not known yet, and remembers it; `None` after an error.
    #[cold]
    fn compute(&self, lookup: &Lookup, slot: usize, row: &[Id]) -> Option<u32> {
        if self.error.get().is_some() {
            return None;
        }
        let synchronisation = &self.system.synchronisations[lookup.synchronisation];
        let mut participants = Vec::new();
        for &(component, _) in &synchronisation.participants {
            let interned = self.components[component].get(row[component]);
            if interned.memo.offers.get().is_none() && !self.first_look(component, row[component]) {
                return None;
            }
            let offers = interned.memo.offers.get().map_or(&[][..], |local| &local.offers);
            participants.push(Participant { component, state: &interned.value, offers });
        }
        let list = match joint_steps(&self.system, synchronisation, &participants) {
            Ok(steps) => self.remember(&steps, &participants, row),
            Err(error) => {
                let _ = self.error.set(error);
                return None;
            }
        };
        match &lookup.partners {
            Partners::Nobody(known) => {
                let _ = known.set(list);
            }
            Partners::One(partner, table) => table.set(row[*partner], list),
            Partners::Several(partners, known) => {
                let key = partners.iter().map(|&partner| row[partner]).collect();
                known.write().expect("no writer panics").insert(key, list);
            }
        }
        debug_assert!(participants.iter().any(|participant| participant.component == slot));
        Some(list)
    }

    fn remember(&self, steps: &[JointStep], participants: &[Participant<'_>], row: &[Id]) -> u32 {
        if steps.is_empty() {
            return 0;
        }
        let mut list = Vec::new();
        let mut edits = Vec::new();
        for step in steps {
            for (participant, next) in participants.iter().zip(&step.next) {
                let id = self.intern(participant.component, next.clone());
                if id != row[participant.component] {
                    edits.push(Edit::new(participant.component, id));
                }
            }
            list.push((self.action(&step.actions), edits.len() as u32));
        }
        self.steps.push(StepList { steps: list.into(), edits: edits.into() })
    }

    fn action(&self, actions: &[Happening<Vec<ValueId>>]) -> Action {
        let class = self.classes.get(&bag_of(actions)).copied().unwrap_or_default();
        let mut label = actions.to_vec();
        label.sort_unstable();
        Action::new(class, u64::from(self.labels.intern(label, |label| (self.printed(label), 64))))
    }

    fn printed(&self, actions: &[Happening<Vec<ValueId>>]) -> DataLabel {
        let mut label = DataLabel {
            actions: (actions.iter())
                .map(|action| {
                    let arguments = action.arguments.iter().map(|&value| self.system.model.data.print(value));
                    DataAction::new(self.system.model.names[action.name as usize].clone(), arguments)
                })
                .collect(),
        };
        label.actions.sort();
        label
    }

    pub(crate) fn intern(&self, slot: usize, state: ComponentState) -> Id {
        self.components[slot].intern(state, |state| {
            let key = state.key(|value| self.system.model.data.print(value));
            let heap = key.len() + state.frames.len() * 64;
            (Remembered { key, offers: OnceLock::new() }, heap)
        })
    }

    pub(crate) fn local(&self, slot: usize, id: Id) -> &ComponentState {
        &self.components[slot].get(id).value
    }

    pub(crate) fn key(&self, slot: usize, id: Id) -> &[u8] {
        &self.components[slot].get(id).memo.key
    }

    /// The multi-action of a step, and as it is written.
    pub(crate) fn label(&self, action: Action) -> Option<(&MultiActionLabel, &DataLabel)> {
        self.labels.find(action.code() as Id).map(|label| (&*label.value, &label.memo))
    }

    pub(crate) fn bytes(&self) -> usize {
        let components: usize = self.components.iter().map(Interner::bytes).sum();
        components + self.labels.bytes() + self.steps.bytes()
    }
}
