//! A cluster without sockets: executes a protocol on a few hosts with seeded delays, losses, crashes and
//! restarts, and takes down what each node did as a node would itself. Mistakes can be planted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use watchkeeper_core::{
    Bound, Effects, Input, Pid, Protocol, RecordedInput, RecordedSend, RecordedStep, Recording, Slot, packed,
    unpacked,
};

/// One millisecond.
pub const MS: u64 = 1_000_000;

/// What the cluster is like.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub n: usize,
    pub tick: u64,
    /// How long a message is on its way.
    pub delay: (u64, u64),
    /// How late a timer may fire.
    pub late: u64,
    /// How many of a thousand messages are lost.
    pub loss: u64,
    pub seed: u64,
    pub lasts: u64,
    /// The host of each process, by the offset of its clock.
    pub offsets: Vec<u64>,
    /// What is done to nodes, and when.
    pub script: Vec<(u64, Deed)>,
    /// Messages, by the order of sending, that take longer by so much.
    pub slow: BTreeMap<usize, u64>,
    /// Messages that are lost.
    pub lose: BTreeSet<usize>,
    /// The timer that is late: whose, its how many-th, and by how much.
    pub late_timer: Option<(usize, usize, u64)>,
}

/// Something that is done to a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Deed {
    Kill(usize),
    Boot(usize),
    Stop(usize),
}

impl Cluster {
    /// A quiet cluster on one host: all nodes start within a millisecond.
    pub fn new(n: usize, seed: u64) -> Cluster {
        let boots = (0..n).map(|p| (p as u64 * 200_000, Deed::Boot(p)));
        Cluster {
            n,
            tick: 20 * MS,
            delay: (MS, 15 * MS),
            late: 3 * MS,
            loss: 0,
            seed,
            lasts: 2000 * MS,
            offsets: vec![0; n],
            script: boots.collect(),
            slow: BTreeMap::new(),
            lose: BTreeSet::new(),
            late_timer: None,
        }
    }

    /// Runs a protocol on it.
    pub fn run<P: Protocol>(&self, protocol: &P) -> Vec<Recording> {
        let mut world = Running {
            cluster: self,
            protocol,
            now: 0,
            agenda: BinaryHeap::new(),
            nodes: Vec::new(),
            done: Vec::new(),
            letters: 0,
            events: 0,
            draw: Draw(self.seed),
            fired: vec![0; self.n],
            born: vec![0; self.n],
        };
        world.nodes.resize_with(self.n, || None);
        for &(at, deed) in &self.script {
            world.plan(at, Event::Deed(deed));
        }
        while let Some(Reverse((at, _, event))) = world.agenda.pop() {
            if at > self.lasts {
                break;
            }
            world.now = at;
            world.happen(event);
        }
        let Running { mut done, nodes, .. } = world;
        done.extend(nodes.into_iter().flatten().map(|node| node.recording));
        done
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Deed(Deed),
    Arrive { to: usize, incarnation: u64, from: usize, sender: u64, number: u64, msg: Vec<u8> },
    Fire { process: usize, incarnation: u64, slot: usize, due: u64, armed: u64 },
}

struct Node<S> {
    state: S,
    recording: Recording,
    timers: BTreeMap<usize, u64>,
    numbers: Vec<u64>,
}

struct Running<'a, P: Protocol> {
    cluster: &'a Cluster,
    protocol: &'a P,
    now: u64,
    agenda: BinaryHeap<Reverse<(u64, u64, Event)>>,
    nodes: Vec<Option<Node<P::State>>>,
    done: Vec<Recording>,
    letters: usize,
    events: u64,
    draw: Draw,
    fired: Vec<usize>,
    born: Vec<u64>,
}

impl<P: Protocol> Running<'_, P> {
    fn plan(&mut self, at: u64, event: Event) {
        self.events += 1;
        self.agenda.push(Reverse((at, self.events, event)));
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Deed(Deed::Boot(p)) => self.boot(p),
            Event::Deed(Deed::Kill(p)) => self.done.extend(self.nodes[p].take().map(|node| node.recording)),
            Event::Deed(Deed::Stop(p)) => {
                let ended = Some(self.clock(p));
                let node = self.nodes[p].take();
                self.done.extend(node.map(|node| Recording { ended, ..node.recording }));
            }
            Event::Arrive { to, incarnation, from, sender, number, msg } => {
                let up =
                    self.nodes[to].as_ref().is_some_and(|node| node.recording.incarnation == incarnation);
                if up {
                    let decoded = unpacked::<P::Msg>(&msg).expect("a message");
                    let input =
                        RecordedInput::Receive { from: Pid::at(from), incarnation: sender, number, msg };
                    self.step(to, input, self.now, |protocol, me, state, fx| {
                        protocol.step(me, state, Input::Receive { from: Pid::at(from), msg: &decoded }, fx);
                    });
                }
            }
            Event::Fire { process, incarnation, slot, due, armed } => {
                let node =
                    self.nodes[process].as_mut().filter(|node| node.recording.incarnation == incarnation);
                let Some(node) = node.filter(|node| node.timers.get(&slot) == Some(&armed)) else { return };
                node.timers.remove(&slot);
                let timer = P::Timer::from_index(slot).expect("a slot");
                let input = RecordedInput::Fire { slot, due: due + self.cluster.offsets[process] };
                self.step(process, input, due, |protocol, me, state, fx| {
                    protocol.step(me, state, Input::Fire(timer), fx);
                });
            }
        }
    }

    fn clock(&self, p: usize) -> u64 {
        self.now + self.cluster.offsets[p]
    }

    fn boot(&mut self, p: usize) {
        self.born[p] += 1;
        let mut fx = Asked::default();
        let state = self.protocol.init(Pid::at(p), &mut fx);
        let recording = Recording {
            process: Pid::at(p),
            incarnation: 1000 * self.born[p] + p as u64,
            clock: format!("host {}", self.cluster.offsets[p]),
            steps: Vec::new(),
            stalls: Vec::new(),
            ended: None,
        };
        let numbers = vec![0; self.cluster.n];
        self.nodes[p] = Some(Node { state, recording, timers: BTreeMap::new(), numbers });
        self.finish(p, RecordedInput::Start, self.now, fx);
    }

    fn step(
        &mut self,
        p: usize,
        input: RecordedInput,
        base: u64,
        act: impl FnOnce(&P, Pid, &mut P::State, &mut Asked<P>),
    ) {
        let mut fx = Asked::default();
        let node = self.nodes[p].as_mut().expect("up");
        act(self.protocol, Pid::at(p), &mut node.state, &mut fx);
        self.finish(p, input, base, fx);
    }

    /// Timers count from when the step should have been taken.
    fn finish(&mut self, p: usize, input: RecordedInput, base: u64, fx: Asked<P>) {
        let at = self.clock(p);
        let incarnation = self.nodes[p].as_ref().map_or(0, |node| node.recording.incarnation);
        let mut sends = Vec::new();
        for (to, msg, reply) in fx.sends {
            let node = self.nodes[p].as_mut().expect("up");
            node.numbers[to.index()] += 1;
            let number = node.numbers[to.index()];
            sends.push(RecordedSend { to, number: Some(number), reply, msg: msg.clone() });
            self.dispatch((p, incarnation), to.index(), number, msg);
        }
        for (slot, bound) in fx.timers {
            let armed = self.events;
            let Some(bound) = bound else {
                self.nodes[p].as_mut().expect("up").timers.remove(&slot);
                continue;
            };
            let due = base + u64::from(bound.lo()) * self.cluster.tick;
            self.fired[p] += 1;
            let planted = self.cluster.late_timer.filter(|&(who, nth, _)| (who, nth) == (p, self.fired[p]));
            let late = planted.map_or_else(|| self.draw.below(self.cluster.late + 1), |(.., late)| late);
            self.nodes[p].as_mut().expect("up").timers.insert(slot, armed);
            self.plan((due + late).max(self.now), Event::Fire { process: p, incarnation, slot, due, armed });
        }
        let node = self.nodes[p].as_mut().expect("up");
        let state = packed(&node.state);
        let (picks, outputs) = (Vec::new(), fx.outputs);
        node.recording.steps.push(RecordedStep { at, input, picks, sends, outputs, state });
    }

    fn dispatch(&mut self, (from, sender): (usize, u64), to: usize, number: u64, msg: Vec<u8>) {
        self.letters += 1;
        let letter = self.letters;
        let (lo, hi) = self.cluster.delay;
        let delay = lo + self.draw.below(hi - lo + 1) + self.cluster.slow.get(&letter).copied().unwrap_or(0);
        let lost = self.draw.below(1000) < self.cluster.loss || self.cluster.lose.contains(&letter);
        // Whoever has not started yet is about to.
        let up = self.nodes[to].as_ref().map(|node| node.recording.incarnation);
        let incarnation = up.or((self.born[to] == 0).then_some(1000 + to as u64));
        if let Some(incarnation) = incarnation.filter(|_| !lost) {
            self.plan(self.now + delay, Event::Arrive { to, incarnation, from, sender, number, msg });
        }
    }
}

struct Asked<P: Protocol> {
    sends: Vec<(Pid, Vec<u8>, bool)>,
    timers: Vec<(usize, Option<Bound>)>,
    outputs: Vec<Vec<u8>>,
    protocol: std::marker::PhantomData<fn(P)>,
}

impl<P: Protocol> Default for Asked<P> {
    fn default() -> Asked<P> {
        Asked {
            sends: Vec::new(),
            timers: Vec::new(),
            outputs: Vec::new(),
            protocol: std::marker::PhantomData,
        }
    }
}

impl<P: Protocol> Effects<P> for Asked<P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.sends.push((to, packed(&msg), false));
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.sends.push((to, packed(&msg), true));
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.timers.push((timer.index(), Some(bound)));
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.timers.push((timer.index(), None));
    }

    fn emit(&mut self, output: P::Output) {
        self.outputs.push(packed(&output));
    }

    fn pick(&mut self, _: usize) -> usize {
        0
    }
}

struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

/// A recording as the lines of its file.
pub fn lines(recording: &Recording, header: &str) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let Recording { process, incarnation, clock, .. } = recording;
    let mut out = format!(
        "{{\"watchkeeper\":\"recording\",\"version\":1,{header},\"process\":{},\"incarnation\":\"{incarnation}\",\
         \"cluster\":\"test\",\"clock\":\"{clock}\"}}\n",
        process.index()
    );
    for step in &recording.steps {
        let input = match &step.input {
            RecordedInput::Start => "\"in\":\"start\"".to_string(),
            RecordedInput::Receive { from, incarnation, number, msg } => format!(
                "\"in\":\"receive\",\"from\":{},\"incarnation\":\"{incarnation}\",\"number\":{number},\"msg\":\"{}\"",
                from.index(),
                hex(msg)
            ),
            RecordedInput::Fire { slot, due } => {
                format!("\"in\":\"fire\",\"slot\":{slot},\"timer\":\"T\",\"due\":{due}")
            }
            RecordedInput::Call { call } => format!("\"in\":\"call\",\"call\":\"{}\"", hex(call)),
        };
        out.push_str(&format!("{{\"at\":{},{input}", step.at));
        if !step.sends.is_empty() {
            let sends = step.sends.iter().map(|send| {
                let number = send.number.map_or("null".to_string(), |number| number.to_string());
                let reply = if send.reply { ",\"reply\":true" } else { "" };
                format!(
                    "{{\"to\":{},\"number\":{number}{reply},\"msg\":\"{}\"}}",
                    send.to.index(),
                    hex(&send.msg)
                )
            });
            out.push_str(&format!(",\"sends\":[{}]", sends.collect::<Vec<_>>().join(",")));
        }
        if !step.outputs.is_empty() {
            let outputs = step.outputs.iter().map(|output| format!("\"{}\"", hex(output)));
            out.push_str(&format!(",\"outputs\":[{}]", outputs.collect::<Vec<_>>().join(",")));
        }
        out.push_str(&format!(",\"state\":\"{}\",\"action\":\"for people\"}}\n", hex(&step.state)));
    }
    if let Some(ended) = recording.ended {
        out.push_str(&format!("{{\"at\":{ended},\"end\":\"shutdown\"}}\n"));
    }
    out
}
