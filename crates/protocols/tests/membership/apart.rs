//! The stack that runs on real networks, on one that takes its time, loses, duplicates, comes apart and heals: words flow
//! all the time, and the observers of `check` see every run.

use crate::effects::p;
use crate::network::{Conditions, Network};
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pid, ProcSet, Protocol};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::membership::{
    GroupCall, GroupProtocol, Insiders, Membership, NoDuplication, VirtualSynchrony,
};
use watchkeeper_protocols::stack::{Layer, Reliable, Stack};

type Live = Stack<Reliable<Membership>, ChandraToueg>;

const N: usize = 5;

/// The observer of one requirement, with its state.
trait Observing {
    fn see(&mut self, by: Pid, output: &<Live as Protocol>::Output);
    fn wrong(&self) -> Option<String>;
}

struct Observed<O: Observer<Live>>(O, O::State);

impl<O: Observer<Live>> Observing for Observed<O> {
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

fn observing(observer: impl Observer<Live> + 'static) -> Box<dyn Observing> {
    let state = observer.start(&mut Deadlines::default());
    Box::new(Observed(observer, state))
}

struct Run {
    network: Network<Live>,
    observers: Vec<Box<dyn Observing>>,
    words: u64,
}

impl Run {
    /// Of a hundred messages `loss` are lost or doubled.
    fn new(seed: u64, cliques: &[ProcSet], loss: u64) -> Run {
        let group = Membership::new(N).and_then(|group| group.in_cliques(cliques)).expect("a group");
        let group = group.relaying().timed(6, Some(20));
        let detector =
            ChandraToueg::new(N, 2, 20).and_then(|it| it.growing_by(10)).and_then(|it| it.capped(120));
        let live = Stack::new(Reliable::new(group, N, 4).expect("links"), detector.expect("a detector"));
        let observers = vec![
            observing(VirtualSynchrony::of(&live, N)),
            observing(NoDuplication { n: N }),
            observing(Insiders::of(&live, N)),
        ];
        let conditions = Conditions { lost: loss / 2, twice: loss.div_ceil(2), delay: 0..=3 };
        let mut network = Network::new(live, N, conditions, seed);
        network.packs = false;
        Run { network, observers, words: 0 }
    }

    fn up(&self) -> ProcSet {
        ProcSet::first(N).difference(self.network.down)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.network.dice.below(end)
    }

    /// Puts each process on one of so many sides, which do not reach each other.
    fn split(&mut self, sides: u64) {
        self.network.sides = (0..N).map(|_| self.below(sides)).collect();
    }

    /// Lets time pass, with a word every so often.
    fn pass(&mut self, time: u64, talking: bool) {
        for _ in 0..time {
            if talking && self.below(100) < 40 {
                let speaker = Pid::at(self.network.dice.index(N));
                if self.up().contains(speaker) {
                    self.words += 1;
                    self.network.call(speaker, Layer::Above(GroupCall::Say(self.words)));
                }
            }
            self.network.run_until(self.network.now);
            self.network.now += 1;
            for (by, output) in self.network.announced.drain(..) {
                self.observers.iter_mut().for_each(|it| it.see(by, &output));
            }
        }
    }

    /// Lets time pass until everyone who is up has its side as its view; whether that was in time.
    fn settles(&mut self, most: u64, talking: bool) -> bool {
        let end = self.network.now + most;
        while self.network.now < end {
            self.pass(5, talking);
            let settled = self.up().iter().all(|me| {
                let Network { protocol, states, sides, .. } = &self.network;
                let with = self.up().iter().filter(|q| sides[q.index()] == sides[me.index()]);
                let standing = protocol.standing(&states[me.index()]);
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
        let up = self.up();
        let views = up.iter().map(|me| {
            let standing = self.network.protocol.standing(&self.network.states[me.index()]);
            format!("{me}: view {} ccs {} stable {}", standing.view, standing.ccs, standing.stable)
        });
        views.collect::<Vec<_>>().join("; ")
    }

    fn judge(&self, what: &str) {
        let wrong: Vec<String> = self.observers.iter().filter_map(|it| it.wrong()).collect();
        assert!(wrong.is_empty(), "{what} at {}: {wrong:?}; {}", self.network.now, self.told());
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
            run.split(2);
            assert!(
                run.settles(LONG, true),
                "{what}: sides {:?} do not agree: {}",
                run.network.sides,
                run.told()
            );
            run.pass(100, true);
            run.split(1);
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
            let time = 5 + run.below(120);
            run.pass(time, true);
            run.split(3);
        }
        run.judge(&what);
        run.split(1);
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
        let time = run.below(100);
        run.pass(time, true);
        for _ in 0..1 + run.below(2) {
            let victim = p(run.network.dice.index(N));
            run.network.crash(victim);
            let time = run.below(60);
            run.pass(time, true);
        }
        assert!(run.settles(LONG, true), "{what}: those who are left do not agree: {}", run.told());
        run.pass(200, false);
        run.judge(&what);
    }
}
