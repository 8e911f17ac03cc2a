//! Whom a cluster of the partial-order reduction must not leave out, one small play for each: somebody acts of its own
//! accord, and raises an alarm only if something comes to it before. Whoever has a hand in that belongs to its cluster.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Never, Pack, Pid, ProcSet, Promises, Protocol, Slot, Suspicion,
};
use watchkeeper_explore::{NoCallback, Reduction, Search, check};
use watchkeeper_logic::{Invariant, Question, Verdict};
use watchkeeper_space::Space;
use watchkeeper_world::{
    Capacity, DeliveryOrder, Faults, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory, TypedWorld,
    WhenFull,
};

/// What happens to a process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cue {
    Start,
    Fire,
    Word(Word),
    Suspect,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Word {
    Hello,
    Again,
    Alarm,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Clock {
    Clock,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Nothing {
    Nothing,
}

/// What a process does: what it sends to whom, and whether it wants to be woken.
#[derive(Default)]
struct Orders {
    sends: Vec<(usize, Word)>,
    wake: bool,
}

/// A play: what each process does at a cue, and whom each may ever send to from a state on.
#[derive(Clone)]
struct Play {
    acts: fn(usize, &mut u8, Cue) -> Orders,
    reaches: fn(usize, u8) -> &'static [usize],
}

/// The state of whoever heard the alarm as the play has it.
const ALARMED: u8 = 9;

impl Play {
    fn carry_out(&self, me: Pid, state: &mut u8, cue: Cue, fx: &mut impl Effects<Self>) {
        let Orders { sends, wake } = (self.acts)(me.index(), state, cue);
        sends.into_iter().for_each(|(to, word)| fx.send(Pid::at(to), word));
        if wake {
            fx.arm(Clock::Clock, Bound::exactly(1));
        }
    }
}

impl Protocol for Play {
    type State = u8;
    type Msg = Word;
    type Timer = Clock;
    type Call = Never;
    type Output = Nothing;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> u8 {
        let mut state = 0;
        self.carry_out(me, &mut state, Cue::Start, fx);
        state
    }

    fn step(&self, me: Pid, state: &mut u8, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let cue = match input {
            Input::Fire(Clock::Clock) => Cue::Fire,
            Input::Receive { msg, .. } => Cue::Word(*msg),
            Input::Notice(Suspicion::Suspect(_)) => Cue::Suspect,
            _ => return,
        };
        self.carry_out(me, state, cue, fx);
    }
}

impl Promises for Play {
    fn reaches(&self, me: Pid, state: &u8) -> ProcSet {
        (self.reaches)(me.index(), *state).iter().map(|&p| Pid::at(p)).collect()
    }
}

fn say(sends: &[(usize, Word)]) -> Orders {
    Orders { sends: sends.to_vec(), wake: false }
}

fn wake() -> Orders {
    Orders { sends: Vec::new(), wake: true }
}

/// The actor: it raises the alarm with `whom` if this cue comes before it acts.
fn actor(state: &mut u8, cue: Cue, too_early: Cue, whom: usize) -> Orders {
    match cue {
        Cue::Start => return wake(),
        Cue::Fire => *state = 1,
        _ if cue == too_early && *state == 0 => return say(&[(whom, Word::Alarm)]),
        _ => {}
    }
    Orders::default()
}

fn alarmed(state: &mut u8, cue: Cue) -> Orders {
    if cue == Cue::Word(Word::Alarm) {
        *state = ALARMED;
    }
    Orders::default()
}

fn unbounded() -> Network {
    let network = Scenario::new(1).network;
    Network { order: DeliveryOrder::Fifo, capacity: Capacity::Unbounded { cap: 8 }, ..network }
}

fn crash_of(p: usize) -> Faults {
    Faults { crashable: ProcSet::only(Pid::at(p)), crashes: 1, ..Scenario::new(1).faults }
}

/// The alarm can be raised, and the reduced search finds it as well as the full one.
fn raises_the_alarm(play: Play, scenario: Scenario) {
    let last = scenario.n - 1;
    let world = TypedWorld::new(play, scenario).expect("a world").with_glancing_atom(
        "calm",
        false,
        move |p, state: Option<&u8>| u64::from(p.index() == last && state == Some(&ALARMED)),
        move |seen| seen[last] == 0,
    );
    let then = world.shape().atom("calm").expect("an atom");
    let invariants = vec![Invariant { name: "calm".to_string(), when: None, then }];
    let question = Question { invariants, ..Question::default() };
    let ask = |reduction| -> Verdict {
        check(&*world, &question, &Search { reduction, ..Search::default() }, &NoCallback).expect("a verdict")
    };
    assert_eq!(ask(Reduction::None).word(), "violated", "the play is as it was meant");
    assert_eq!(ask(Reduction::PartialOrder).word(), "violated", "some interleavings stand for all");
}

/// p0 waits for room with p2, and has something to say to p1, the actor, after that.
#[test]
fn who_makes_room_for_one_of_the_cluster_belongs_to_it() {
    let acts = |me: usize, state: &mut u8, cue| match (me, cue) {
        (0, Cue::Start) => say(&[(2, Word::Hello), (2, Word::Hello), (1, Word::Again)]),
        (1, _) => actor(state, cue, Cue::Word(Word::Again), 2),
        (2, _) => alarmed(state, cue),
        _ => Orders::default(),
    };
    let reaches = |me, state| -> &[usize] { if (me, state) == (1, 0) { &[2] } else { &[] } };
    let network = Network { capacity: Capacity::Bounded(1), when_full: WhenFull::Block, ..unbounded() };
    raises_the_alarm(Play { acts, reaches }, Scenario { network, ..Scenario::new(3) });
}

/// p2 wakes p1, which tells p0, the actor.
#[test]
fn who_is_woken_by_others_can_act_while_the_cluster_rests() {
    let acts = |me: usize, state: &mut u8, cue| match (me, cue) {
        (0, _) => actor(state, cue, Cue::Word(Word::Again), 3),
        (1, Cue::Word(_)) => {
            *state = 1;
            say(&[(0, Word::Again)])
        }
        (2, Cue::Start) => wake(),
        (2, Cue::Fire) => {
            *state = 1;
            say(&[(1, Word::Hello)])
        }
        (3, _) => alarmed(state, cue),
        _ => Orders::default(),
    };
    let reaches = |me, state| -> &[usize] {
        match (me, state) {
            (0, 0) => &[3],
            (1, 0) => &[0],
            (2, 0) => &[1],
            _ => &[],
        }
    };
    raises_the_alarm(Play { acts, reaches }, Scenario { network: unbounded(), ..Scenario::new(4) });
}

/// p0, the actor, is told of the crash of p1.
#[test]
fn whose_crash_one_of_the_cluster_is_told_of_belongs_to_it() {
    let acts = |me: usize, state: &mut u8, cue| match me {
        0 => actor(state, cue, Cue::Suspect, 2),
        2 => alarmed(state, cue),
        _ => Orders::default(),
    };
    let reaches = |me, state| -> &[usize] { if (me, state) == (0, 0) { &[2] } else { &[] } };
    for memory in [SuspicionMemory::Lasting, SuspicionMemory::Momentary] {
        let oracle = Some(Oracle { accuracy: OracleAccuracy::Strong { mistakes: 0 }, memory });
        let scenario = Scenario { network: unbounded(), faults: crash_of(1), oracle, ..Scenario::new(3) };
        raises_the_alarm(Play { acts, reaches }, scenario);
    }
}

/// If p1 crashes, its first word to p0 may be lost and its second one not.
#[test]
fn whose_crash_loses_words_to_the_cluster_belongs_to_it() {
    let acts = |me: usize, state: &mut u8, cue| match (me, cue) {
        (0, Cue::Word(Word::Hello)) => {
            *state = 1;
            Orders::default()
        }
        (0, Cue::Word(Word::Again)) if *state == 0 => say(&[(2, Word::Alarm)]),
        (1, Cue::Start) => say(&[(0, Word::Hello), (0, Word::Again)]),
        (2, _) => alarmed(state, cue),
        _ => Orders::default(),
    };
    let reaches = |me, state| -> &[usize] { if (me, state) == (0, 0) { &[2] } else { &[] } };
    let faults = Faults { crash_loses: true, ..crash_of(1) };
    raises_the_alarm(Play { acts, reaches }, Scenario { network: unbounded(), faults, ..Scenario::new(3) });
}

/// p0 raises the alarm when it hears the same word twice, which was said once.
#[test]
fn while_a_word_can_be_duplicated_its_arrival_does_not_stand_for_all() {
    let acts = |me: usize, state: &mut u8, cue| match (me, cue) {
        (0, Cue::Word(_)) => {
            *state += 1;
            if *state == 2 { say(&[(2, Word::Alarm)]) } else { Orders::default() }
        }
        (1, Cue::Start) => say(&[(0, Word::Hello)]),
        (2, _) => alarmed(state, cue),
        _ => Orders::default(),
    };
    let reaches = |me, state| -> &[usize] { if me == 0 && state < 2 { &[2] } else { &[] } };
    let network = Network { duplications: 1, ..unbounded() };
    raises_the_alarm(Play { acts, reaches }, Scenario { network, ..Scenario::new(3) });
}

/// p1 says hello in each of its lives, and passes on in its second one what p0 says.
#[test]
fn while_one_can_recover_what_is_sent_to_it_is_not_sent_first() {
    let acts = |me: usize, state: &mut u8, cue| match (me, cue) {
        (0, Cue::Start) => wake(),
        (0, Cue::Fire) => {
            *state = 1;
            say(&[(1, Word::Again)])
        }
        (1, Cue::Start) => say(&[(2, Word::Hello)]),
        (1, Cue::Word(_)) => say(&[(2, Word::Alarm)]),
        (2, Cue::Word(Word::Hello)) if *state < 2 => {
            *state += 1;
            Orders::default()
        }
        (2, Cue::Word(Word::Alarm)) => {
            *state = if *state == 2 { ALARMED } else { 5 };
            Orders::default()
        }
        _ => Orders::default(),
    };
    let reaches = |me, state| -> &[usize] {
        match me {
            0 if state == 0 => &[1],
            1 => &[2],
            _ => &[],
        }
    };
    let faults = Faults { recoveries: 1, ..crash_of(1) };
    raises_the_alarm(Play { acts, reaches }, Scenario { network: unbounded(), faults, ..Scenario::new(3) });
}
