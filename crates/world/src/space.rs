//! A world as an engine sees it.

use crate::machine::ProcessMode;
use crate::transition::Transition;
use crate::{World, WorldTime};
use std::sync::atomic::Ordering;
use watchkeeper_core::{Pack, Pid, Trace, View};
use watchkeeper_space::{
    Action, ActionLabel, ActionLabels, AmpleSets, AtomId, DataLabels, Expansion, Id, Mismatch, Narration,
    Parts, Refusal, RunTimes, Shape, Space, SpaceQuery, StatePath, StatePicture, Stuck, Successors,
    Symmetries, Zones, admits_by_default,
};

impl Space for World {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.starts.clone()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        self.expand_row(row, out);
    }

    fn admits(&self, query: &SpaceQuery) -> Result<(), Refusal> {
        let whole = query.claims.is_empty() && !query.events;
        if let Some(why) = (query.symmetry && whole).then(|| self.asymmetry()).flatten() {
            return Err(Refusal::Asymmetric(why));
        }
        admits_by_default(&self.shape, Some(self), &SpaceQuery { partial_order: false, ..query.clone() })?;
        if query.deadlock && self.scenario.time != WorldTime::Untimed && !self.observers.is_empty() {
            return Err(Refusal::Watched);
        }
        match self.irreducible(query).filter(|_| query.partial_order) {
            Some(why) => Err(Refusal::FullyExpanded(why)),
            None => Ok(()),
        }
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        let dead = |p: usize| self.machines[p].mode(row[p]) == ProcessMode::Crashed;
        let over = self.overflow(row).is_some() || self.is_settled(row) || (0..self.scenario.n).all(dead);
        match over {
            true => Stuck::Finished,
            false if self.holds_time_up(row) => Stuck::Timelock,
            false => Stuck::Deadlock,
        }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.holds(&self.tests[atom], row)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        for (machine, &id) in self.machines.iter().zip(row) {
            out.extend_from_slice(&machine.locals.get(id).memo.packed);
        }
        for (at, channel) in self.channels.iter().enumerate() {
            let (_, to, _) = self.routes.ends(at);
            let list = channel.flights(row[self.layout.channel(at)]);
            (list.len() as u64).pack(out);
            for &flight in list {
                out.extend_from_slice(&self.machines[to.index()].flights.get(flight).memo.packed);
            }
        }
        for count in &row[self.layout.channel(self.channels.len())..self.layout.observer(0)] {
            count.pack(out);
        }
        for (k, observer) in self.observers.iter().enumerate() {
            out.extend_from_slice(observer.packed(row[self.layout.observer(k)]));
        }
        if let Some(slot) = self.layout.zone {
            self.zones.pack(row[slot], out);
        }
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.pressure(row)
    }

    fn bytes(&self) -> usize {
        let machines: usize = self.machines.iter().map(|machine| machine.bytes()).sum();
        let channels: usize = self.channels.iter().map(|channel| channel.bytes()).sum();
        let renamings = self.renamings.get().map_or(0, |renamings| renamings.bytes());
        let observers: usize = self.observers.iter().map(|observer| observer.bytes()).sum();
        let stability = self.stability.as_ref().map_or(0, |stability| stability.bytes());
        let seen = self.automaton.bytes()
            + self.observations.bytes()
            + observers
            + self.zones.bytes()
            + stability
            + self.unwanted.bytes();
        machines + channels + renamings + seen + self.outcomes.bytes() + self.heap.load(Ordering::Relaxed)
    }

    fn symmetry(&self) -> Option<&dyn Symmetries> {
        Some(self)
    }

    fn zones(&self) -> Option<&dyn Zones> {
        self.layout.zone.map(|_| self as &dyn Zones)
    }

    fn ample_sets(&self) -> Option<&dyn AmpleSets> {
        Some(self)
    }

    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        Some(self)
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }

    /// In ticks times are counted, and each state has its own.
    fn run_times(&self) -> Option<&dyn RunTimes> {
        self.layout.zone.map(|_| self as &dyn RunTimes)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Narration for World {
    fn view(&self, row: &[Id]) -> View {
        let snapshot = self.snapshot(row).expect("an engine asks for rows of this world only");
        self.variables(&snapshot)
    }

    fn picture(&self, row: &[Id]) -> StatePicture {
        self.pictured(row)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.described(row, action)
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        self.replayed(trail)
    }
}

impl AmpleSets for World {
    fn expand_ample(&self, row: &[Id], asked: &SpaceQuery, out: &mut Successors) -> Expansion {
        self.expand_in_part(row, asked, out)
    }
}

impl ActionLabels for World {
    fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        let by = |process: usize| ActionLabel { process: Some(Pid::at(process)), ..ActionLabel::default() };
        match self.classes.transition(action) {
            Some(Transition::Deliver { channel, place, .. } | Transition::Swallow { channel, place }) => {
                let (from, to, _) = self.routes.ends(channel);
                let deliveries = self.channels[channel]
                    .deliveries(row[self.layout.channel(channel)], || self.rules(channel));
                let message = deliveries.iter().find(|removal| usize::from(removal.place) == place);
                let which = message.map_or(0, |removal| u64::from(removal.flight));
                ActionLabel { process: Some(to), peer: Some(from), which }
            }
            Some(Transition::Fire { process, slot, .. }) => ActionLabel { which: slot as u64, ..by(process) },
            Some(Transition::Unblock { process }) => by(process),
            Some(Transition::Crash { process } | Transition::Recover { process, .. }) => by(process),
            Some(Transition::Tell { process, peer, .. }) => {
                ActionLabel { process: Some(Pid::at(process)), peer: Some(Pid::at(peer)), which: 0 }
            }
            Some(Transition::Call { entry, .. }) => {
                ActionLabel { process: Some(self.calls[entry].process), peer: None, which: entry as u64 }
            }
            _ => ActionLabel::default(),
        }
    }

    fn idles(&self, row: &[Id]) -> bool {
        let ticks = matches!(self.scenario.time, WorldTime::Ticks(_));
        ticks && matches!(self.ticked(row), Some(Ok(edits)) if edits.is_empty())
    }
}

impl Symmetries for World {
    fn symmetries(&self) -> usize {
        self.renamings().len()
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        self.rename_row(symmetry, row, out);
    }

    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        self.least_row(row, out);
    }

    fn keeps_symmetry(&self) -> Result<(), String> {
        self.audit_renamings();
        self.broken.get().map_or(Ok(()), |how| Err(how.clone()))
    }
}

impl Zones for World {
    fn includes(&self, large: Id, small: Id) -> bool {
        self.zones.includes(large, small)
    }

    fn extent(&self, zone: Id) -> i64 {
        self.zones.extent(zone)
    }

    fn outline(&self, zone: Id) -> u64 {
        self.zones.outline(zone)
    }
}
