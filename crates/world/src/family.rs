//! Several worlds of one protocol side by side, of which the adversary picks one before the first step: bounds that
//! hold from the start but are unknown, or all that clients may ask. As a space it is their disjoint union; no step
//! leads from one to another, and nothing is decided here that a world does not decide.

use crate::world::CallEntry;
use crate::{Delay, Scenario, Timing, World, WorldError};
use std::borrow::Cow;
use watchkeeper_core::{Bound, Pid, Trace, Value, View};
use watchkeeper_space::{
    Action, ActionLabel, ActionLabels, AtomId, DataLabel, DataLabels, Edit, FixedIds, FullyExpanded, Id,
    Mismatch, Narration, Parts, Refusal, RunTimes, Shape, Space, SpaceQuery, StatePath, StatePicture, Stuck,
    Successors, Symmetries, TimedTrace, TimesRefused, Vocabulary, Zones,
};

/// Worlds of which one is the real one, and the protocol does not know which. A row is that of a world, and one
/// slot more, `bounds` or another name, says of which. Propositions are those of the worlds: add them to each before.
pub struct Worlds {
    members: Vec<World>,
    /// What they differ in.
    what: String,
    /// What of that each has, as a reader sees it.
    names: Vec<String>,
    shape: Shape,
}

impl Worlds {
    /// A family of worlds that have the same slots, classes of actions, propositions and symmetries.
    /// [`unknown_bounds`](crate::unknown_bounds) lists scenarios for them.
    pub fn new<W: Into<World>>(members: Vec<W>) -> Result<Worlds, WorldError> {
        let members: Vec<World> = members.into_iter().map(Into::into).collect();
        let names: Vec<String> = members.iter().map(|member| bounds(member.scenario())).collect();
        let choice = choice(&members, &names);
        Worlds::named(members, "bounds", names, choice)
    }

    /// A family of worlds that differ in what clients ask, or in anything else that shows in nothing of the above:
    /// `what` they differ in is the slot that says which of them a row belongs to, and each has a name that says what
    /// of it is its own. The `choice` is the sentence on what the adversary picks from. Each process is asked as many
    /// different things in all of them.
    pub fn named<W: Into<World>>(
        members: Vec<W>,
        what: &str,
        names: Vec<String>,
        choice: String,
    ) -> Result<Worlds, WorldError> {
        let members: Vec<World> = members.into_iter().map(Into::into).collect();
        let first = members.first().ok_or(WorldError::NoWorlds)?;
        if names.len() != members.len() {
            return Err(WorldError::Names { worlds: members.len(), names: names.len() });
        }
        for (world, other) in members.iter().enumerate().skip(1) {
            if let Some(what) = difference(first, other) {
                return Err(WorldError::Unlike { world, what });
            }
        }
        let mut shape = first.shape().clone();
        for (slot, process) in called(first) {
            if members.iter().any(|member| member.shape().slots[slot] != shape.slots[slot]) {
                shape.slots[slot] = format!("calls {process}");
            }
        }
        shape.slots.push(what.to_string());
        shape.assumptions.retain(|sentence| {
            members.iter().all(|member| member.shape().assumptions.iter().any(|other| other == sentence))
        });
        shape.assumptions.push(choice);
        Ok(Worlds { members, what: what.to_string(), names, shape })
    }

    /// The worlds, in the order in which they were given.
    pub fn members(&self) -> &[World] {
        &self.members
    }

    /// Which of the worlds a row belongs to.
    pub fn member(&self, row: &[Id]) -> usize {
        row.last().map_or(0, |&member| member as usize)
    }

    /// The world of a row, and the row as that world knows it.
    fn inside<'a>(&self, row: &'a [Id]) -> (&World, Cow<'a, [Id]>) {
        let inner = &row[..row.len() - 1];
        let world = &self.members[self.member(row)];
        match self.shape.zone {
            None => (world, Cow::Borrowed(inner)),
            Some(slot) => {
                let mut inner = inner.to_vec();
                inner[slot] = self.zone(inner[slot]).1;
                (world, Cow::Owned(inner))
            }
        }
    }

    /// A row of a world as a row of the family.
    fn outside(&self, member: usize, row: &mut Vec<Id>) {
        if let Some(slot) = self.shape.zone {
            row[slot] = outer(self.members.len(), member, row[slot]);
        }
        row.push(member as Id);
    }

    /// The world of a zone, and the zone as that world knows it: an engine asks about zones without their rows.
    fn zone(&self, zone: Id) -> (&World, Id) {
        let count = self.members.len() as Id;
        (&self.members[(zone % count) as usize], zone / count)
    }

    /// The world of a path, and the path as that world knows it.
    fn inner_path(&self, trail: &StatePath) -> Result<(usize, StatePath), Mismatch> {
        let wrong = |step: usize, why: String| Mismatch { step, why };
        let fits = |row: &[Id]| row.len() == self.shape.slots.len() && self.member(row) < self.members.len();
        if let Some(step) = trail.rows.iter().position(|row| !fits(row)) {
            return Err(wrong(step, format!("{:?} is no state of these worlds", trail.rows[step])));
        }
        let member = trail.rows.first().map_or(0, |row| self.member(row));
        if let Some(step) = trail.rows.iter().position(|row| self.member(row) != member) {
            return Err(wrong(step, format!("the {} change, which they never do", self.what)));
        }
        if let Some(slot) = self.shape.zone {
            let strange = |row: &Vec<Id>| row[slot] as usize % self.members.len() != member;
            if let Some(step) = trail.rows.iter().position(strange) {
                return Err(wrong(step, format!("the zone belongs to other {}", self.what)));
            }
        }
        let rows = trail.rows.iter().map(|row| self.inside(row).1.into_owned()).collect();
        Ok((member, StatePath { rows, actions: trail.actions.clone() }))
    }

    /// Adds to every state of a trace which world it is of.
    fn tell_member(&self, member: usize, trace: &mut Trace) {
        trace.start.push(self.variable(member));
        trace.steps.iter_mut().for_each(|step| step.after.push(self.variable(member)));
    }

    fn variable(&self, member: usize) -> (String, Value) {
        (self.what.clone(), Value::str(self.names[member].as_str()))
    }
}

/// The number of a zone of one of `count` worlds among the zones of all of them.
fn outer(count: usize, member: usize, zone: Id) -> Id {
    let zone = zone.checked_mul(count as Id).and_then(|first| first.checked_add(member as Id));
    zone.expect("memory ends before the numbers of zones do")
}

/// The slots that count calls, with the processes that are called.
fn called(world: &World) -> Vec<(usize, Pid)> {
    let slot = |(entry, call): (usize, &CallEntry)| (world.layout.call(entry), call.process);
    world.calls.iter().enumerate().map(slot).collect()
}

/// What two worlds differ in that those of a family must not.
fn difference(one: &World, other: &World) -> Option<&'static str> {
    let (a, b) = (one.shape(), other.shape());
    let calls = called(one);
    let uncalled = |slots: &[String]| {
        let parts = slots.iter().enumerate().filter(|(slot, _)| !calls.iter().any(|(call, _)| call == slot));
        parts.map(|(_, name)| name.clone()).collect::<Vec<_>>()
    };
    let alike = a.slots.len() == b.slots.len() && calls == called(other);
    let same = [
        (alike && uncalled(&a.slots) == uncalled(&b.slots), "the parts of its states"),
        (a.classes == b.classes, "what can happen in it"),
        (a.atoms == b.atoms, "its propositions"),
        ((a.zone, a.time, &a.justice) == (b.zone, b.time, &b.justice), "how time passes"),
        (a.caps == b.caps, "its caps"),
        (one.symmetries() == other.symmetries(), "its symmetries"),
    ];
    same.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
}

/// The sentence on what the adversary picks from.
fn choice(members: &[World], names: &[String]) -> String {
    let timings: Vec<Timing> = members.iter().filter_map(|world| world.scenario().time.timing()).collect();
    let since = match timings.iter().any(|timing| timing.before().is_some()) {
        true => "from the moment on at which the network stabilises",
        false => "from the start",
    };
    let (mut delays, mut speeds) = (Vec::new(), Vec::new());
    for timing in &timings {
        for (list, text) in [(&mut delays, delay(*timing)), (&mut speeds, timing.speed.to_string())] {
            if !list.contains(&text) {
                list.push(text);
            }
        }
    }
    // Pairs are only listed where they are not simply all of them.
    let all = delays.len() * speeds.len() == members.len() && members.len() > 1;
    let which = match all {
        true => {
            format!("a delay of {}, together with a speed of {}", delays.join(" or "), speeds.join(" or "))
        }
        false => names.join("; "),
    };
    format!("the bounds hold {since}, are unknown to the protocol, and are one of: {which}")
}

/// The bounds of a scenario, in a few words.
fn bounds(scenario: &Scenario) -> String {
    let timing = scenario.time.timing();
    timing.map_or("none".to_string(), |timing| format!("delay {}, speed {}", delay(timing), timing.speed))
}

fn delay(timing: Timing) -> String {
    match timing.delay {
        Delay::RoundTrip(most) => format!("{most} for a round trip"),
        Delay::PerMessage(bound) if timing.processing == Bound::exactly(0) => bound.to_string(),
        Delay::PerMessage(bound) => format!("{bound} and {} to handle it", timing.processing),
    }
}

impl Space for Worlds {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let mut rows = Vec::new();
        for (member, world) in self.members.iter().enumerate() {
            for mut row in world.initial() {
                self.outside(member, &mut row);
                rows.push(row);
            }
        }
        rows
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        let (world, inner) = self.inside(row);
        match self.shape.zone {
            None => world.expand(&inner, out),
            Some(slot) => {
                let (member, count, mut edited) = (self.member(row), self.members.len(), Vec::new());
                let renumber = |edit: &Edit| match edit.slot as usize == slot {
                    true => Edit::new(slot, outer(count, member, edit.id)),
                    false => *edit,
                };
                out.through(
                    |found| world.expand(&inner, found),
                    |out, action, edits| {
                        edited.clear();
                        edited.extend(edits.iter().map(renumber));
                        out.step(action, &edited);
                    },
                );
            }
        }
    }

    /// What every member admits; but steps are left out in none, since a member knows its own alone.
    fn admits(&self, asked: &SpaceQuery) -> Result<(), Refusal> {
        if asked.partial_order {
            return Err(Refusal::FullyExpanded(FullyExpanded::Space));
        }
        self.members.iter().try_for_each(|member| member.admits(asked))
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        let (world, row) = self.inside(row);
        world.stuck(&row)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        let (world, row) = self.inside(row);
        world.atom(atom, &row)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        let (world, inner) = self.inside(row);
        // Of equally good states the one with the first bounds is told.
        out.extend_from_slice(&(self.member(row) as u32).to_be_bytes());
        world.pack(&inner, out);
    }

    fn guide(&self, row: &[Id]) -> u32 {
        let (world, row) = self.inside(row);
        world.guide(&row)
    }

    fn bytes(&self) -> usize {
        self.members.iter().map(Space::bytes).sum()
    }

    fn symmetry(&self) -> Option<&dyn Symmetries> {
        Some(self)
    }

    fn zones(&self) -> Option<&dyn Zones> {
        self.members[0].zones().map(|_| self as &dyn Zones)
    }

    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        Some(self)
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }

    fn run_times(&self) -> Option<&dyn RunTimes> {
        self.members[0].run_times().map(|_| self as &dyn RunTimes)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Narration for Worlds {
    fn view(&self, row: &[Id]) -> View {
        let (world, inner) = self.inside(row);
        let mut view = world.view(&inner);
        view.push(self.variable(self.member(row)));
        view
    }

    fn picture(&self, row: &[Id]) -> StatePicture {
        let (world, inner) = self.inside(row);
        let mut picture = world.picture(&inner);
        picture.rest.push(self.variable(self.member(row)));
        picture
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        let (world, row) = self.inside(row);
        world.label(&row, action)
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let (member, path) = self.inner_path(trail)?;
        let mut trace = self.members[member].replay(&path)?;
        self.tell_member(member, &mut trace);
        Ok(trace)
    }
}

impl RunTimes for Worlds {
    fn at_times(&self, path: &StatePath, picks: &[(usize, (i64, i64))]) -> Result<TimedTrace, TimesRefused> {
        let (member, path) = self.inner_path(path)?;
        let mut timed = self.members[member].at_times(&path, picks)?;
        self.tell_member(member, &mut timed.trace);
        Ok(timed)
    }
}

impl ActionLabels for Worlds {
    fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        let (world, row) = self.inside(row);
        world.action_label(&row, action)
    }

    fn idles(&self, row: &[Id]) -> bool {
        let (world, row) = self.inside(row);
        world.idles(&row)
    }
}

/// The worlds may differ in what clients ask; the sorts and actions are those of all.
impl DataLabels for Worlds {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        let (world, row) = self.inside(row);
        world.data_label(&row, action)
    }

    fn vocabulary(&self) -> Vocabulary {
        let mut all = self.members[0].vocabulary();
        for member in &self.members[1..] {
            let Vocabulary { sorts, actions } = member.vocabulary();
            all.sorts.extend(sorts.into_iter().filter(|sort| !all.sorts.contains(sort)).collect::<Vec<_>>());
            all.actions.extend(
                actions.into_iter().filter(|action| !all.actions.contains(action)).collect::<Vec<_>>(),
            );
        }
        all
    }

    fn any_of_several(&self) -> bool {
        self.members[0].any_of_several()
    }
}

impl Symmetries for Worlds {
    fn symmetries(&self) -> usize {
        self.members[0].symmetries()
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        let (world, inner) = self.inside(row);
        world.renamed(symmetry, &inner, out);
        self.outside(self.member(row), out);
    }

    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        let (world, inner) = self.inside(row);
        world.least(&inner, out);
        self.outside(self.member(row), out);
    }

    fn keeps_symmetry(&self) -> Result<(), String> {
        self.members.iter().try_for_each(Symmetries::keeps_symmetry)
    }
}

/// Each member has ids of its own, and a row says whose it has.
impl Parts for Worlds {
    fn table(&self, row: &[Id]) -> Id {
        row.last().copied().unwrap_or(0)
    }

    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        match self.members.get(table as usize) {
            Some(_) if self.shape.zone == Some(slot) => {
                let (world, zone) = self.zone(id);
                world.part(0, slot, zone, out);
            }
            Some(world) if slot + 1 < self.shape.slots.len() => world.part(0, slot, id, out),
            _ => FixedIds.part(table, slot, id, out),
        }
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        let world = self.members.get(table as usize)?;
        if slot + 1 == self.shape.slots.len() {
            return FixedIds::up_to(table, bytes).filter(|&member| member == table);
        }
        let id = world.part_id(0, slot, bytes)?;
        match self.shape.zone == Some(slot) {
            true => Some(outer(self.members.len(), table as usize, id)),
            false => Some(id),
        }
    }

    fn settle(&self, row: &mut [Id]) -> bool {
        let (member, last) = (self.member(row), row.len() - 1);
        if self.shape.zone.is_some_and(|slot| row[slot] as usize % self.members.len() != member) {
            return false;
        }
        let mut inner = self.inside(row).1.into_owned();
        let settled = self.members[member].settle(&mut inner);
        self.outside(member, &mut inner);
        row[..last].copy_from_slice(&inner[..last]);
        settled
    }
}

impl Zones for Worlds {
    fn includes(&self, large: Id, small: Id) -> bool {
        let count = self.members.len() as Id;
        let ((world, inner), (_, small_inner)) = (self.zone(large), self.zone(small));
        large % count == small % count && world.includes(inner, small_inner)
    }

    fn extent(&self, zone: Id) -> i64 {
        let (world, zone) = self.zone(zone);
        world.extent(zone)
    }

    fn outline(&self, zone: Id) -> u64 {
        let (world, zone) = self.zone(zone);
        world.outline(zone)
    }
}

impl std::fmt::Debug for Worlds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worlds").field(&self.what, &self.names).finish_non_exhaustive()
    }
}
