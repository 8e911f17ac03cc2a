//! Executes a plan: processes, their clocks and sockets, the network between them, and everything that goes wrong, in
//! virtual time. It decides nothing by itself: what is not in the plan is drawn from its seed.

use crate::agenda::Agenda;
use crate::host::{HostMachine, incarnation};
use crate::nemesis::mixed;
use crate::network::{Passage, SimulatedNetwork};
use crate::oracle::RunOracle;
use crate::plan::{FaultAction, FaultFamily, SimulationPlan};
use crate::process::{Drained, DrainedLine, DrainedSend, Parcel, ParcelLoad};
use crate::rotation::SimulatedKeys;
use crate::stranger::Stranger;
use crate::subject::SimulatedSubject;
use crate::truth::{GroundTruth, LogEntry, LogItem, MessageFate, MessageTruth};
use crate::whole_node::address;
use crate::wire_truth::WireTruth;
use watchkeeper_core::{Pid, Recording};

/// How many datagrams a socket holds for a process that does not take them in.
const SOCKET: usize = 256;

/// The name of simulated clusters.
pub(crate) const CLUSTER: &str = "simulated";

/// What is simulated of each process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SimulationDepth {
    /// The protocol alone.
    Bare,
    /// A whole node.
    Nodes,
}

/// A run that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimulatedRun {
    /// What each incarnation took down.
    pub recordings: Vec<Recording>,
    /// What really happened.
    pub truth: GroundTruth,
}

/// Executes a plan.
pub fn simulate(subject: &SimulatedSubject, plan: &SimulationPlan, depth: SimulationDepth) -> SimulatedRun {
    let mut running = Running::new(subject, plan, depth);
    while let Some((at, event)) = running.agenda.take_before(plan.lasts) {
        running.now = at;
        running.happen(event);
    }
    running.finish()
}

enum SimEvent {
    Start(Pid),
    Wake {
        process: Pid,
        ticket: u64,
    },
    Arrive(Parcel),
    Fault(usize),
    Call(usize),
    /// The next datagram of a flood: which fault, and how many came before.
    Flood(usize, u32),
}

pub(crate) struct Running<'a> {
    pub(crate) subject: &'a SimulatedSubject,
    pub(crate) plan: &'a SimulationPlan,
    pub(crate) depth: SimulationDepth,
    pub(crate) now: u64,
    agenda: Agenda<SimEvent>,
    pub(crate) machines: Vec<HostMachine<'a>>,
    network: SimulatedNetwork<'a>,
    pub(crate) keys: SimulatedKeys,
    stranger: Stranger,
    pub(crate) wire: WireTruth,
    pub(crate) recordings: Vec<Recording>,
    pub(crate) truth: GroundTruth,
    drained: Drained,
}

impl<'a> Running<'a> {
    fn new(subject: &'a SimulatedSubject, plan: &'a SimulationPlan, depth: SimulationDepth) -> Running<'a> {
        let processes = subject.processes();
        let mut running = Running {
            subject,
            plan,
            depth,
            now: 0,
            agenda: Agenda::new(),
            machines: Pid::all(processes).map(|process| HostMachine::new(process, plan)).collect(),
            network: SimulatedNetwork::new(plan, processes, subject.is_fifo(), subject.tick / 16),
            keys: SimulatedKeys::new(plan.seed),
            stranger: Stranger::new(processes, plan.has(FaultFamily::Flood)),
            wire: WireTruth::default(),
            recordings: Vec::new(),
            truth: GroundTruth::default(),
            drained: Drained::default(),
        };
        for process in Pid::all(processes) {
            let at = plan.starts.get(process.index()).copied().unwrap_or(0);
            running.agenda.put(at, SimEvent::Start(process));
        }
        for (place, planned) in plan.faults.iter().enumerate() {
            running.agenda.put(planned.at, SimEvent::Fault(place));
        }
        for (place, planned) in plan.calls.iter().enumerate() {
            running.agenda.put(planned.at, SimEvent::Call(place));
        }
        running
    }

    /// Whether the first incarnation of a process belongs to those that begin together.
    fn starts_with_the_run(&self, process: Pid) -> bool {
        let first = self.plan.starts.iter().copied().min().unwrap_or(0);
        let at = self.plan.starts.get(process.index()).copied().unwrap_or(0);
        at - first.min(at) <= self.subject.precision() / 2
    }

    fn log(&mut self, item: LogItem) {
        self.truth.log.push(LogEntry { at: self.now, item });
    }

    pub(crate) fn wrong(&mut self, oracle: RunOracle, what: String) {
        self.truth.wrong.push((oracle, what));
    }

    fn happen(&mut self, event: SimEvent) {
        match event {
            SimEvent::Start(process) => self.start(process),
            SimEvent::Wake { process, ticket } => {
                if self.machines[process.index()].ticket == ticket {
                    self.look_around(process);
                }
            }
            SimEvent::Arrive(parcel) => self.arrive(parcel),
            SimEvent::Fault(place) => self.go_wrong(place),
            SimEvent::Call(place) => {
                let call = self.plan.calls[place];
                let subject = self.subject;
                let Some((_, bytes, _)) = subject.calls.get(call.call) else { return };
                let machine = &mut self.machines[call.process.index()];
                let now = machine.clock.read(self.now);
                if let Some(process) = machine.process.as_mut().filter(|_| machine.stopped <= self.now) {
                    process.call(now, bytes);
                    self.look_around(call.process);
                }
            }
            SimEvent::Flood(place, sent) => self.flood(place, sent),
        }
    }

    fn start(&mut self, process: Pid) {
        let machine = &mut self.machines[process.index()];
        if machine.process.is_some() {
            return;
        }
        if machine.start(self.now, self.subject, self.plan, self.depth, &self.keys) {
            self.look_around(process);
        } else {
            self.wrong(RunOracle::Limits, format!("{process} cannot be a node with these settings"));
        }
    }

    /// The process ends without a word, and whatever waits for it is gone.
    fn crash(&mut self, process: Pid) {
        let machine = &mut self.machines[process.index()];
        if machine.process.take().is_none() {
            return;
        }
        let waiting: Vec<Parcel> = machine.inbox.drain(..).collect();
        waiting.iter().for_each(|parcel| self.settle(parcel, MessageFate::NobodyThere));
        // Whoever crashes while it is stopped has done nothing since the stop, so nobody can know of a later moment.
        let stops = self.truth.stalls.iter().rev();
        let stopped =
            { stops }.find(|(who, from, until)| *who == process && (*from..*until).contains(&self.now));
        let at = stopped.map_or(self.now, |(_, from, _)| *from);
        let place = self.truth.log.partition_point(|entry| entry.at <= at);
        self.truth.log.insert(place, LogEntry { at, item: LogItem::Crashed(process) });
    }

    fn go_wrong(&mut self, place: usize) {
        let fault = self.plan.faults[place].fault;
        match fault {
            FaultAction::Crash { process } => self.crash(process),
            FaultAction::LostTail { process, lines } => {
                let machine = &self.machines[process.index()];
                if machine.process.is_none() {
                    return;
                }
                if let Some(recording) = machine.recording {
                    let steps = &mut self.recordings[recording].steps;
                    steps.truncate(steps.len().saturating_sub(lines as usize));
                    self.truth.incomplete.insert(process);
                }
                self.crash(process);
            }
            FaultAction::Restart { process } if self.machines[process.index()].births > 0 => {
                self.start(process);
            }
            FaultAction::Stall { process, lasts } if self.machines[process.index()].process.is_some() => {
                self.truth.stalls.push((process, self.now, self.now + lasts));
                self.stop(process, self.now + lasts);
            }
            FaultAction::Rate { process, ppm } => {
                self.truth.drifted.insert(process);
                self.machines[process.index()].clock.set_rate(self.now, ppm);
                self.sleep(process);
            }
            FaultAction::Jump { process, by } => {
                if by < 0 {
                    self.truth.set_back.insert(process);
                }
                self.machines[process.index()].wall += i128::from(by);
            }
            FaultAction::FullDisk { process } => self.machines[process.index()].full_disk = true,
            FaultAction::Keys { process, step } => {
                let machine = &mut self.machines[process.index()];
                machine.rotated = Some(step);
                let (now, ring) = (machine.clock.read(self.now), self.keys.ring(Some(step)));
                // Whoever is stopped reads its new keys when it goes on.
                if let Some(running) = machine.process.as_mut() {
                    if machine.stopped > self.now {
                        machine.rotates = true;
                    } else {
                        running.rotate(now, &ring);
                        self.look_around(process);
                    }
                }
            }
            FaultAction::Flood { .. } => self.flood(place, 0),
            _ => {}
        }
    }

    /// Sends one datagram of a flood.
    fn flood(&mut self, place: usize, sent: u32) {
        let planned = self.plan.faults[place];
        let FaultAction::Flood { to, kind, from, count, until } = planned.fault else { return };
        if sent >= count || self.depth == SimulationDepth::Bare {
            return;
        }
        let seed = mixed(mixed(self.plan.seed, 0xf100d + place as u64), u64::from(sent));
        let parcel = self.stranger.datagram(to, kind, from, &self.keys, seed);
        self.arrive(parcel);
        let pause = (until.saturating_sub(planned.at) / u64::from(count)).max(1);
        self.agenda.put(self.now + pause, SimEvent::Flood(place, sent + 1));
    }

    /// The process does nothing until then.
    fn stop(&mut self, process: Pid, until: u64) {
        let machine = &mut self.machines[process.index()];
        machine.stopped = machine.stopped.max(until);
        self.sleep(process);
    }

    fn arrive(&mut self, mut parcel: Parcel) {
        self.truth.arrived += 1;
        parcel.arrived = self.now;
        let to = parcel.to;
        let machine = &mut self.machines[to.index()];
        let here = match parcel.load {
            ParcelLoad::Message { to_incarnation, .. } => {
                let awaited = if machine.births == 0 { incarnation(to, 1) } else { machine.incarnation };
                (machine.process.is_some() || machine.births == 0) && awaited == to_incarnation
            }
            ParcelLoad::Datagram { .. } => machine.process.is_some(),
        };
        if !here {
            self.settle(&parcel, MessageFate::NobodyThere);
        } else if machine.inbox.len() >= SOCKET {
            self.settle(&parcel, MessageFate::Overflow);
        } else {
            machine.inbox.push_back(parcel);
            self.look_around(to);
        }
    }

    /// Takes down what became of a message, unless it is known already: then this was a copy.
    pub(crate) fn settle(&mut self, parcel: &Parcel, fate: MessageFate) {
        let Some(message) = parcel.message else { return };
        if self.truth.messages[message].fate != MessageFate::OnItsWay {
            return;
        }
        self.truth.messages[message].fate = fate;
        self.log(LogItem::Lost(message));
    }

    /// The loop of a process: takes in what has arrived, lets what is due happen, and goes back to sleep.
    fn look_around(&mut self, process: Pid) {
        let machine = &mut self.machines[process.index()];
        if machine.process.is_none() || machine.stopped > self.now {
            return;
        }
        let (now, clock) = (machine.clock.read(self.now), machine.reading(self.now));
        if std::mem::take(&mut machine.rotates) {
            let ring = self.keys.ring(machine.rotated);
            if let Some(running) = machine.process.as_mut() {
                running.rotate(now, &ring);
            }
        }
        if std::mem::take(&mut machine.full_disk)
            && let Some(running) = machine.process.as_mut()
        {
            running.lose_disk(now);
            machine.disk_is_gone = true;
            self.truth.incomplete.insert(process);
        }
        let mut busy = 0;
        let mut drained = std::mem::take(&mut self.drained);
        while let Some(mut parcel) = self.machines[process.index()].inbox.pop_front() {
            let Some(running) = self.machines[process.index()].process.as_mut() else { break };
            running.take_in(now, &mut parcel);
            running.drain(&mut drained);
            self.handed_over(process, &parcel, &drained);
            busy += self.let_out(process, &mut drained, busy);
        }
        if let Some(running) = self.machines[process.index()].process.as_mut() {
            running.timeout(now, clock);
            running.drain(&mut drained);
            if running.next_timeout().is_some_and(|next| next <= now) {
                self.wrong(RunOracle::Limits, format!("{process} never sleeps"));
            }
            busy += self.let_out(process, &mut drained, busy);
        }
        self.drained = drained;
        if busy > 0 {
            self.truth.stalls.push((process, self.now, self.now + busy));
            self.stop(process, self.now + busy);
        }
        self.sleep(process);
    }

    /// Writes lines down and sends what is to be sent, after what took so long before; says how long writing took.
    fn let_out(&mut self, process: Pid, drained: &mut Drained, before: u64) -> u64 {
        let mut sent: Vec<(Pid, u64, Vec<u8>)> = Vec::new();
        for line in &drained.lines {
            if let DrainedLine::Step(step) = line {
                let numbered =
                    step.sends.iter().filter_map(|send| Some((send.to, send.number?, send.msg.clone())));
                sent.extend(numbered);
            }
        }
        drained.breaches.clear();
        let busy = self.take_down(process, &mut drained.lines);
        for send in drained.sends.drain(..) {
            self.dispatch(process, self.now + before + busy, send, &sent);
        }
        busy
    }

    /// Writes lines to the recording; says how long that takes.
    fn take_down(&mut self, process: Pid, lines: &mut Vec<DrainedLine>) -> u64 {
        let slow = self.plan.active(self.now).find_map(|fault| match *fault {
            FaultAction::SlowDisk { process: whose, by, .. } if whose == process => Some(by),
            _ => None,
        });
        let busy = slow.map_or(0, |by| by * lines.len() as u64);
        for line in lines.drain(..) {
            let machine = &mut self.machines[process.index()];
            if machine.disk_is_gone {
                self.truth.incomplete.insert(process);
                continue;
            }
            let step = match (line, machine.recording) {
                (DrainedLine::Begin { incarnation }, _) => {
                    let again = std::mem::replace(&mut machine.has_begun, true);
                    machine.begun = self.now;
                    machine.recording = Some(self.recordings.len());
                    self.recordings.push(machine.blank(incarnation));
                    if again {
                        self.log(LogItem::Recovered(process));
                    }
                    continue;
                }
                (DrainedLine::Stall(stall), Some(recording)) => {
                    self.recordings[recording].stalls.push(stall);
                    continue;
                }
                (DrainedLine::End(at), Some(recording)) => {
                    self.recordings[recording].ended = Some(at);
                    continue;
                }
                (DrainedLine::Step(step), Some(recording)) => (recording, step),
                (_, None) => continue,
            };
            let (recording, taken) = step;
            let step = self.recordings[recording].steps.len();
            self.recordings[recording].steps.push(taken);
            self.log(LogItem::Step { recording, step });
        }
        busy
    }

    fn dispatch(&mut self, from: Pid, leaves: u64, send: DrainedSend, sent: &[(Pid, u64, Vec<u8>)]) {
        let DrainedSend { to, number, bytes } = send;
        let sender = self.machines[from.index()].incarnation;
        let message = number.map(|number| {
            let msg = sent.iter().find(|(other, same, _)| (*other, *same) == (to, number));
            self.truth.messages.push(MessageTruth {
                from,
                incarnation: sender,
                to,
                number,
                msg: msg.map_or(Vec::new(), |(_, _, msg)| msg.clone()),
                sent: self.now,
                fate: MessageFate::OnItsWay,
            });
            self.truth.messages.len() - 1
        });
        let load = match self.depth {
            SimulationDepth::Bare => {
                let machine = &self.machines[to.index()];
                // Whoever has not started yet, and begins with the others, is about to.
                let about_to = machine.births == 0 && self.starts_with_the_run(to);
                let to_incarnation = match &machine.process {
                    Some(_) => machine.incarnation,
                    None if about_to => incarnation(to, 1),
                    None => 0,
                };
                let number = number.unwrap_or(0);
                ParcelLoad::Message { incarnation: sender, to_incarnation, number, msg: bytes }
            }
            SimulationDepth::Nodes => {
                self.wire.sees(&bytes, self.machines[from.index()].clock.read(self.now));
                self.says_little(from, to, number);
                self.stranger.sees(to, message, &bytes);
                ParcelLoad::Datagram { address: address(from), bytes, hostile: false }
            }
        };
        let parcel = Parcel { from, to, message, arrived: 0, load };
        match self.network.passage(leaves, from, to, message.is_none()) {
            Passage::Cut => self.settle(&parcel, MessageFate::Cut),
            Passage::Lost => self.settle(&parcel, MessageFate::Lost),
            Passage::Arrives { at, again } => {
                let twice = again.filter(|_| self.depth == SimulationDepth::Nodes);
                if let Some(again) = twice {
                    self.agenda.put(again, SimEvent::Arrive(parcel.clone()));
                }
                self.agenda.put(at, SimEvent::Arrive(parcel));
            }
        }
    }

    /// Sets the alarm for when a process wants to be woken.
    fn sleep(&mut self, process: Pid) {
        let (now, late) = (self.now, self.plan.late);
        let machine = &mut self.machines[process.index()];
        let Some(next) = machine.process.as_ref().and_then(|running| running.next_timeout()) else { return };
        machine.ticket += 1;
        let ticket = machine.ticket;
        let drawn = mixed(mixed(self.plan.seed, 0x1a7e + process.index() as u64), ticket) % (late + 1);
        // Whoever goes on after a stop looks around at once: something may have arrived.
        let next = machine.clock.when(next, now).max(now + 1);
        let at = if machine.stopped > now { machine.stopped } else { next + drawn };
        self.agenda.put(at, SimEvent::Wake { process, ticket });
    }
}
