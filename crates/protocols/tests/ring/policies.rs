//! Whether the skeleton has room for the rest of the family. These are the other policies in outline, to
//! test the hooks that they need: a timeout that grows, a process named in advance, and a set of
//! suspects that travels with the messages.

use crate::script::{Effect, Event, p, start, step};
use watchkeeper_core::Suspicion::{Suspect, Trust};
use watchkeeper_core::{Bound, Kind, Pack, PerProc, Pid, ProcSet, Protocol, Symmetry};
use watchkeeper_protocols::ring::RingMsg::{AreYouAlive, IAmAlive};
use watchkeeper_protocols::ring::{Heard, Policy, Ring, RingMsg};

/// Figures 2 and 3: the timeout for a target grows when it is suspected, up to a cap; with a candidate
/// only if the candidate is the target or lies before it.
struct Patience {
    candidate: Option<Pid>,
    cap: u32,
}

impl Policy for Patience {
    type Memory = PerProc<u32>;
    type Msg = RingMsg;

    fn memory(&self, n: usize) -> PerProc<u32> {
        PerProc::new(n, 0)
    }

    fn message(&self, plain: RingMsg, _: &PerProc<u32>) -> RingMsg {
        plain
    }

    fn plain(&self, msg: &RingMsg) -> RingMsg {
        *msg
    }

    fn timeout(&self, first: u32, target: Pid, extra: &PerProc<u32>) -> u32 {
        first.saturating_add(extra.get(target).copied().unwrap_or(0))
    }

    fn suspecting(&self, target: Pid, local: ProcSet, extra: &mut PerProc<u32>) {
        if self.candidate.is_none_or(|candidate| local.contains(candidate))
            && let Some(extra) = extra.get_mut(target)
        {
            *extra = self.cap.min(*extra + 1);
        }
    }

    fn symmetry(&self) -> Symmetry {
        if self.candidate.is_some() { Symmetry::None } else { Symmetry::Rotations }
    }
}

/// Figure 4: a set G of suspects is kept beside the arc and goes with every message.
struct Gossip;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
struct Told {
    plain: RingMsg,
    suspects: ProcSet,
}

impl Kind for Told {
    const KINDS: &'static [&'static str] = RingMsg::KINDS;

    fn kind(&self) -> usize {
        self.plain.kind()
    }
}

impl Policy for Gossip {
    type Memory = ProcSet;
    type Msg = Told;

    fn memory(&self, _: usize) -> ProcSet {
        ProcSet::EMPTY
    }

    fn message(&self, plain: RingMsg, global: &ProcSet) -> Told {
        Told { plain, suspects: *global }
    }

    fn plain(&self, msg: &Told) -> RingMsg {
        msg.plain
    }

    fn suspects(&self, _: ProcSet, global: &ProcSet) -> ProcSet {
        *global
    }

    fn suspecting(&self, target: Pid, _: ProcSet, global: &mut ProcSet) {
        global.insert(target);
    }

    fn heard(&self, heard: Heard<'_, Told>, global: &mut ProcSet) {
        match heard.msg.plain {
            AreYouAlive => {
                let told = heard.msg.suspects.union(heard.local);
                *global = told.without(heard.me).without(heard.from);
            }
            IAmAlive if heard.trusted.contains(heard.from) => global.remove(heard.from),
            IAmAlive => {}
        }
    }
}

/// Not of the family: writes down the arcs that it is told of, whom from, and how often.
struct Diary;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Default)]
struct Entry {
    heard: u8,
    from: Option<Pid>,
    trusted: ProcSet,
    local: ProcSet,
}

impl Policy for Diary {
    type Memory = Entry;
    type Msg = RingMsg;

    fn memory(&self, _: usize) -> Entry {
        Entry::default()
    }

    fn message(&self, plain: RingMsg, _: &Entry) -> RingMsg {
        plain
    }

    fn plain(&self, msg: &RingMsg) -> RingMsg {
        *msg
    }

    fn heard(&self, heard: Heard<'_, RingMsg>, entry: &mut Entry) {
        let Heard { from, trusted, local, .. } = heard;
        *entry = Entry { heard: entry.heard + 1, from: Some(from), trusted, local };
    }
}

fn arm<M>(after: u32) -> Effect<M> {
    Effect::Arm(Bound::exactly(after))
}

#[test]
fn a_timeout_can_grow_for_each_target_and_stops_at_its_cap() {
    let ring = Ring::with_policy(Patience { candidate: None, cap: 2 }, 2, 5).unwrap();
    assert_eq!(ring.symmetry(), Symmetry::Rotations);
    let (mut state, effects) = start(&ring, p(0));
    assert_eq!(effects, [Effect::Send(p(1), AreYouAlive), arm(5)]);
    for patience in [6, 7, 7] {
        let effects = step(&ring, p(0), &mut state, &Event::Round);
        assert_eq!(effects, [Effect::Emit(Suspect(p(1))), arm(5)], "alone, with the timeout for itself");
        step(&ring, p(0), &mut state, &Event::Receive(p(1), AreYouAlive));
        let effects = step(&ring, p(0), &mut state, &Event::Round);
        assert_eq!(effects, [Effect::Send(p(1), AreYouAlive), arm(patience)]);
    }
}

#[test]
fn a_candidate_decides_whose_timeout_grows_and_breaks_the_symmetry() {
    let ring = Ring::with_policy(Patience { candidate: Some(p(2)), cap: 9 }, 4, 5).unwrap();
    assert_eq!(ring.symmetry(), Symmetry::None);
    let (mut state, _) = start(&ring, p(0));
    for _ in 0..3 {
        step(&ring, p(0), &mut state, &Event::Round);
    }
    let extra: Vec<u32> = state.memory().iter().map(|(_, extra)| *extra).collect();
    assert_eq!(extra, [0, 0, 1, 1], "p1 lies before the candidate, p2 is it, p3 lies behind");
}

#[test]
fn suspects_can_travel_with_the_messages_and_are_announced_once() {
    let ring = Ring::with_policy(Gossip, 4, 5).unwrap();
    let told = |plain, suspects: &[usize]| Told { plain, suspects: suspects.iter().map(|&i| p(i)).collect() };
    let (mut state, _) = start(&ring, p(0));
    let effects = step(&ring, p(0), &mut state, &Event::Receive(p(3), told(AreYouAlive, &[0, 2, 3])));
    assert_eq!(
        effects,
        [Effect::Reply(p(3), told(IAmAlive, &[])), Effect::Emit(Suspect(p(2)))],
        "neither oneself nor the sender"
    );
    assert_eq!(ring.target(p(0), &state), p(1), "the arc is one's own business");
    let effects = step(&ring, p(0), &mut state, &Event::Round);
    assert_eq!(
        effects,
        [Effect::Emit(Suspect(p(1))), Effect::Send(p(2), told(AreYouAlive, &[1, 2])), arm(5)]
    );
    let effects = step(&ring, p(0), &mut state, &Event::Round);
    assert_eq!(effects, [Effect::Send(p(3), told(AreYouAlive, &[1, 2])), arm(5)], "p2 was known");
    let effects = step(&ring, p(0), &mut state, &Event::Receive(p(2), told(IAmAlive, &[])));
    assert_eq!(effects, [Effect::Emit(Trust(p(2)))]);
    assert_eq!(ring.suspects(p(0), &state), ProcSet::only(p(1)));
}

#[test]
fn a_policy_hears_what_is_not_discarded_and_what_came_of_it() {
    let ring = Ring::with_policy(Diary, 5, 5).unwrap();
    let (mut state, _) = start(&ring, p(0));
    for _ in 0..3 {
        step(&ring, p(0), &mut state, &Event::Round);
    }
    let mut hear = |from, msg| {
        step(&ring, p(0), &mut state, &Event::Receive(from, msg));
        let Entry { heard, from, trusted, local } = state.memory().clone();
        (heard, from, trusted.to_string(), local.to_string())
    };
    let entry =
        |heard, from, trusted: &str, local: &str| (heard, Some(from), trusted.to_string(), local.to_string());
    assert_eq!(hear(p(4), IAmAlive), entry(1, p(4), "{}", "{p1,p2,p3}"), "the target");
    assert_eq!(hear(p(2), IAmAlive), entry(2, p(2), "{p2,p3}", "{p1}"), "a suspect");
    assert_eq!(hear(p(4), IAmAlive), entry(2, p(2), "{p2,p3}", "{p1}"), "neither, and discarded");
    assert_eq!(hear(p(4), AreYouAlive), entry(3, p(4), "{}", "{p1}"), "a question from anyone");
}

/// The arc is the same whatever the policy, which is why it can be derived from the target.
#[test]
fn every_policy_moves_the_target_alike() {
    let plain = Ring::new(5, 5).unwrap();
    let patient = Ring::with_policy(Patience { candidate: None, cap: 3 }, 5, 5).unwrap();
    let gossip = Ring::with_policy(Gossip, 5, 5).unwrap();
    let (mut a, mut b, mut c) = (start(&plain, p(0)).0, start(&patient, p(0)).0, start(&gossip, p(0)).0);
    let mut seed = 1u32;
    for _ in 0..2000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (from, what) = (p(1 + (seed >> 28) as usize % 4), seed >> 16 & 3);
        let suspects = ProcSet::from_bits(u64::from(seed >> 8 & 31));
        let event = match what {
            0 => Some(AreYouAlive),
            1 => Some(IAmAlive),
            _ => None,
        };
        let plain_event = event.map_or(Event::Round, |msg| Event::Receive(from, msg));
        let told = event.map_or(Event::Round, |plain| Event::Receive(from, Told { plain, suspects }));
        step(&plain, p(0), &mut a, &plain_event);
        step(&patient, p(0), &mut b, &plain_event);
        step(&gossip, p(0), &mut c, &told);
        let target = plain.target(p(0), &a);
        assert_eq!((patient.target(p(0), &b), gossip.target(p(0), &c)), (target, target));
        assert_eq!(patient.suspects(p(0), &b), plain.suspects(p(0), &a));
    }
}
