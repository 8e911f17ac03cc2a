//! The stack that runs on real networks, on one that takes its time, loses, duplicates, comes apart and heals: words flow
//! all the time, and the observers of `check` deadline every run. All of it is drawn from a seed, so that every run can be
//! had again.

use crate::script::{Asked, Effect, p, start, step};
use std::collections::BTreeMap;
use watchkeeper_core::{Deadlines, Input, Judgement, Observation, Observer, Pid, ProcSet, Protocol, Slot};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::membership::{
    GroupCall, GroupProtocol, Insiders, Membership, NoDuplication, VirtualSynchrony,
};
use watchkeeper_protocols::stack::{Layer, Reliable, Stack};

type Live = Stack<Reliable<Membership>, ChandraToueg>;
type State = <Live as Protocol>::State;

const N: usize = 5;

/// Numbers from a seed (SplitMix64: G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

enum Event {
    Arrives { from: Pid, to: Pid, msg: <Live as Protocol>::Msg },
    Fires { at: Pid, slot: usize, arming: u64 },
}

/// One requirement, as it deadlines.
trait Watching {
    fn see(&mut self, by: Pid, output: &<Live as Protocol>::Output);
    fn wrong(&self) -> Option<String>;
}

struct Watched<O: Observer<Live>>(O, O::State);

impl<O: Observer<Live>> Watching for Watched<O> {
    fn see(&mut self, by: Pid, output: &<Live as Protocol>::Output) {
        self.0.see(&mut self.1, &Observation::Emitted { by, output }, &mut Deadlines::default());
    }

    fn wrong(&self) -> Option<String> {
        match self.0.judge(&self.1) {
            Judgement::Violated(why) => Some(format!("{}: {why}", self.0.name())),
            _ => None,
        }
    }
}

fn watching(observer: impl Observer<Live> + 'static) -> Box<dyn Watching> {
    let state = observer.start(&mut Deadlines::default());
    Box::new(Watched(observer, state))
}

struct Run {
    live: Live,
    numbers: Numbers,
    now: u64,
    next: u64,
    events: BTreeMap<(u64, u64), Event>,
    states: Vec<State>,
    up: ProcSet,
    /// The last arming of each slot of each process, if it is armed.
    armed: BTreeMap<(Pid, usize), u64>,
    /// Who can reach whom: those with the same number.
    side: [u8; N],
    loss: u64,
    watching: Vec<Box<dyn Watching>>,
    words: u64,
}

impl Run {
    fn new(seed: u64, cliques: &[ProcSet], loss: u64) -> Run {
        let group = Membership::new(N).and_then(|group| group.in_cliques(cliques)).expect("a group");
        let group = group.relaying().timed(6, Some(20));
        let detector =
            ChandraToueg::new(N, 2, 20).and_then(|it| it.growing_by(10)).and_then(|it| it.capped(120));
        let live = Stack::new(Reliable::new(group, N, 4).expect("links"), detector.expect("a detector"));
        let mut run = Run {
            numbers: Numbers(seed),
            now: 0,
            next: 0,
            events: BTreeMap::new(),
            states: Vec::new(),
            up: ProcSet::first(N),
            armed: BTreeMap::new(),
            side: [0; N],
            loss,
            watching: vec![
                watching(VirtualSynchrony::of(&live, N)),
                watching(NoDuplication { n: N }),
                watching(Insiders::of(&live, N)),
            ],
            words: 0,
            live,
        };
        for me in Pid::all(N) {
            let (state, asked) = start(&run.live, me);
            run.states.push(state);
            run.carry_out(me, asked);
        }
        run
    }

    fn put(&mut self, at: u64, event: Event) {
        self.events.insert((at, self.next), event);
        self.next += 1;
    }

    fn carry_out(&mut self, me: Pid, asked: Asked<Live>) {
        for effect in asked {
            match effect {
                Effect::Send(to, msg) | Effect::Reply(to, msg) => {
                    let copies = if self.numbers.happens(self.loss) { self.numbers.below(2) * 2 } else { 1 };
                    let apart = self.side[me.index()] != self.side[to.index()];
                    for _ in 0..if apart { 0 } else { copies } {
                        let at = self.now + self.numbers.below(4);
                        self.put(at, Event::Arrives { from: me, to, msg: msg.clone() });
                    }
                }
                Effect::Arm(timer, bound) => {
                    let (slot, arming) = (timer.index(), self.next);
                    self.armed.insert((me, slot), arming);
                    self.put(self.now + u64::from(bound.lo()), Event::Fires { at: me, slot, arming });
                }
                Effect::Disarm(timer) => {
                    self.armed.remove(&(me, timer.index()));
                }
                Effect::Emit(output) => self.watching.iter_mut().for_each(|it| it.see(me, &output)),
            }
        }
    }

    fn give(&mut self, me: Pid, input: Input<'_, Live>) {
        let asked = step(&self.live, me, &mut self.states[me.index()], input);
        self.carry_out(me, asked);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrives { from, to, msg } if self.up.contains(to) => {
                self.give(to, Input::Receive { from, msg: &msg });
            }
            Event::Fires { at, slot, arming } if self.up.contains(at) => {
                if self.armed.get(&(at, slot)) == Some(&arming)
                    && let Some(timer) = <Live as Protocol>::Timer::from_index(slot)
                {
                    self.armed.remove(&(at, slot));
                    self.give(at, Input::Fire(timer));
                }
            }
            _ => {}
        }
    }

    /// Lets time pass, with a word every so often.
    fn pass(&mut self, time: u64, talking: bool) {
        let end = self.now + time;
        while self.now < end {
            if talking && self.numbers.happens(40) {
                let speaker = Pid::at(self.numbers.below(N as u64) as usize);
                if self.up.contains(speaker) {
                    self.words += 1;
                    let call = Layer::Above(GroupCall::Say(self.words));
                    self.give(speaker, Input::Call(&call));
                }
            }
            while let Some(first) = self.events.first_entry() {
                if first.key().0 > self.now {
                    break;
                }
                let event = first.remove();
                self.happen(event);
            }
            self.now += 1;
        }
    }

    /// Lets time pass until everyone who is up has its side as its view; whether that was in time.
    fn settles(&mut self, most: u64, talking: bool) -> bool {
        let end = self.now + most;
        while self.now < end {
            self.pass(5, talking);
            let settled = self.up.iter().all(|me| {
                let with = self.up.iter().filter(|q| self.side[q.index()] == self.side[me.index()]);
                let standing = self.live.standing(&self.states[me.index()]);
                let with: ProcSet = with.collect();
                standing.stable && standing.view == with && standing.ccs == with
            });
            if settled {
                return true;
            }
        }
        false
    }

    fn told(&self) -> String {
        let views = self.up.iter().map(|me| {
            let standing = self.live.standing(&self.states[me.index()]);
            format!("{me}: view {} ccs {} stable {}", standing.view, standing.ccs, standing.stable)
        });
        views.collect::<Vec<_>>().join("; ")
    }

    fn judge(&self, what: &str) {
        let wrong: Vec<String> = self.watching.iter().filter_map(|it| it.wrong()).collect();
        assert!(wrong.is_empty(), "{what} at {}: {wrong:?}; {}", self.now, self.told());
    }
}

const LONG: u64 = 3000;

fn alone() -> Vec<ProcSet> {
    Pid::all(N).map(ProcSet::only).collect()
}

/// How many seeds: more with `WATCHKEEPER_SEEDS`.
fn seeds(usually: u64) -> std::ops::Range<u64> {
    let given = std::env::var("WATCHKEEPER_SEEDS").ok().and_then(|text| text.parse().ok());
    0..given.unwrap_or(usually)
}

#[test]
fn groups_that_come_apart_merge_again_while_words_flow() {
    for seed in seeds(30) {
        let cliques = if seed % 2 == 0 { alone() } else { vec![ProcSet::first(N)] };
        let loss = [0, 5, 20][seed as usize % 3];
        let mut run = Run::new(seed, &cliques, loss);
        let what = format!("seed {seed}, {loss} of 100 lost or doubled");
        assert!(run.settles(LONG, true), "{what}: nobody finds the others: {}", run.told());
        run.judge(&what);
        for _ in 0..3 {
            run.pass(100, true);
            for side in &mut run.side {
                *side = run.numbers.below(2) as u8;
            }
            assert!(run.settles(LONG, true), "{what}: sides {:?} do not agree: {}", run.side, run.told());
            run.pass(100, true);
            run.side = [0; N];
            assert!(run.settles(LONG, true), "{what}: they do not merge: {}", run.told());
            run.judge(&what);
        }
        assert!(run.words > 100, "{}", run.words);
    }
}

#[test]
fn sides_that_change_before_anyone_has_agreed_do_no_harm() {
    for seed in seeds(6) {
        let mut run = Run::new(seed + 1000, &alone(), [0, 10][seed as usize % 2]);
        let what = format!("seed {seed}");
        for _ in 0..10 {
            let time = 5 + run.numbers.below(120);
            run.pass(time, true);
            for side in &mut run.side {
                *side = run.numbers.below(3) as u8;
            }
        }
        run.judge(&what);
        run.side = [0; N];
        // How soon they merge then is a matter of luck: attempts to join get into each other's way.
        run.settles(LONG, true);
        run.judge(&what);
    }
}

#[test]
fn those_who_are_left_agree_whoever_is_killed() {
    for seed in seeds(40) {
        let mut run = Run::new(seed + 2000, &[ProcSet::first(N)], [0, 10][seed as usize % 2]);
        let what = format!("seed {seed}");
        let time = run.numbers.below(100);
        run.pass(time, true);
        for _ in 0..1 + run.numbers.below(2) {
            let victim = p(run.numbers.below(N as u64) as usize);
            run.up.remove(victim);
            let time = run.numbers.below(60);
            run.pass(time, true);
        }
        assert!(run.settles(LONG, true), "{what}: those who are left do not agree: {}", run.told());
        run.pass(200, false);
        run.judge(&what);
    }
}
