//! Executes a plan: processes, their clocks and sockets, the network between them, and everything that goes wrong, in
//! virtual time. It decides nothing by itself: what is not in the plan is drawn from its seed.

use crate::agenda::Agenda;
use crate::bare::BareProcess;
use crate::clock::DriftingClock;
use crate::nemesis::mixed;
use crate::network::{Passage, SimulatedNetwork};
use crate::plan::{FaultAction, SimulationPlan};
use crate::process::{Drained, DrainedLine, DrainedSend, Parcel, ParcelLoad, SimulatedProcess};
use crate::subject::SimulatedSubject;
use crate::truth::{GroundTruth, LogEntry, LogItem, MessageFate, MessageTruth};
use std::collections::VecDeque;
use watchkeeper_core::{Pid, Recording};

/// How many datagrams a socket holds for a process that does not take them in.
const SOCKET: usize = 256;

/// What machines' clocks show when a run begins.
const BOOTED: u64 = 3_600_000_000_000;

/// A run that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimulatedRun {
    /// What each incarnation took down.
    pub recordings: Vec<Recording>,
    /// What really happened.
    pub truth: GroundTruth,
}

/// Executes a plan with the protocol alone.
pub fn simulate(subject: &SimulatedSubject, plan: &SimulationPlan) -> SimulatedRun {
    let mut running = Running::new(subject, plan);
    while let Some((at, event)) = running.agenda.take_before(plan.lasts) {
        running.now = at;
        running.happen(event);
    }
    SimulatedRun { recordings: running.recordings, truth: running.truth }
}

enum SimEvent {
    Start(Pid),
    Wake { process: Pid, ticket: u64 },
    Arrive(Parcel),
    Fault(usize),
    Call(usize),
}

/// The machine of one process.
struct Machine<'a> {
    process: Option<Box<dyn SimulatedProcess + 'a>>,
    clock: DriftingClock,
    /// How many incarnations there were, the number of the last, and the place of its recording.
    births: u64,
    incarnation: u64,
    recording: usize,
    inbox: VecDeque<Parcel>,
    /// Until when the process is stopped.
    stopped: u64,
    /// The wake-up that counts.
    ticket: u64,
    full_disk: bool,
}

struct Running<'a> {
    subject: &'a SimulatedSubject,
    plan: &'a SimulationPlan,
    now: u64,
    agenda: Agenda<SimEvent>,
    machines: Vec<Machine<'a>>,
    network: SimulatedNetwork<'a>,
    recordings: Vec<Recording>,
    truth: GroundTruth,
    drained: Drained,
}

impl<'a> Running<'a> {
    fn new(subject: &'a SimulatedSubject, plan: &'a SimulationPlan) -> Running<'a> {
        let processes = subject.processes();
        let clock = |p: usize| {
            let offset = if plan.one_clock { 0 } else { mixed(plan.seed, 0xc10c + p as u64) % BOOTED };
            DriftingClock::new(BOOTED + offset)
        };
        let machine = |p: usize| Machine {
            process: None,
            clock: clock(p),
            births: 0,
            incarnation: 0,
            recording: 0,
            inbox: VecDeque::new(),
            stopped: 0,
            ticket: 0,
            full_disk: false,
        };
        let mut running = Running {
            subject,
            plan,
            now: 0,
            agenda: Agenda::new(),
            machines: (0..processes).map(machine).collect(),
            network: SimulatedNetwork::new(plan, processes, subject.is_fifo()),
            recordings: Vec::new(),
            truth: GroundTruth::default(),
            drained: Drained::default(),
        };
        for process in Pid::all(processes) {
            let at = plan.starts.get(process.index()).copied().unwrap_or(0);
            if !running.starts_with_the_run(process) {
                running.truth.late_starts.insert(process);
                running.log(LogItem::Crashed(process));
            }
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

    fn happen(&mut self, event: SimEvent) {
        match event {
            SimEvent::Start(process) => self.start(process),
            SimEvent::Wake { process, ticket } => {
                if self.machines[process.index()].ticket == ticket {
                    self.look_around(process);
                }
            }
            SimEvent::Arrive(parcel) => self.arrive(parcel),
            SimEvent::Fault(place) => self.go_wrong(self.plan.faults[place].fault),
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
        }
    }

    fn start(&mut self, process: Pid) {
        let (subject, plan) = (self.subject, self.plan);
        let machine = &mut self.machines[process.index()];
        if machine.process.is_some() {
            return;
        }
        machine.births += 1;
        machine.incarnation = incarnation(process, machine.births);
        (machine.stopped, machine.full_disk, machine.recording) = (0, false, self.recordings.len());
        let clock = if plan.one_clock { "the machine".to_string() } else { format!("machine {process}") };
        self.recordings.push(Recording {
            process,
            incarnation: machine.incarnation,
            clock,
            steps: Vec::new(),
            stalls: Vec::new(),
            ended: None,
        });
        let seed = mixed(mixed(plan.seed, 0xb1c0), machine.incarnation);
        let opening = subject.opening.get(process.index()).and_then(|call| call.as_deref());
        let bare = BareProcess::new(
            subject.automaton(),
            (process, subject.processes()),
            subject.tick,
            opening,
            seed,
        );
        machine.process = Some(Box::new(bare));
        if machine.births > 1 || self.truth.late_starts.contains(process) {
            self.log(LogItem::Recovered(process));
        }
        self.look_around(process);
    }

    /// The process ends without a word, and whatever waits for it is gone.
    fn crash(&mut self, process: Pid) {
        let machine = &mut self.machines[process.index()];
        if machine.process.take().is_none() {
            return;
        }
        let waiting: Vec<Parcel> = machine.inbox.drain(..).collect();
        waiting.iter().for_each(|parcel| self.settle(parcel, MessageFate::NobodyThere));
        self.log(LogItem::Crashed(process));
    }

    fn go_wrong(&mut self, fault: FaultAction) {
        match fault {
            FaultAction::Crash { process } => self.crash(process),
            FaultAction::LostTail { process, lines } => {
                let machine = &self.machines[process.index()];
                if machine.process.is_none() {
                    return;
                }
                let steps = &mut self.recordings[machine.recording].steps;
                steps.truncate(steps.len().saturating_sub(lines as usize));
                self.truth.incomplete.insert(process);
                self.crash(process);
            }
            FaultAction::Restart { process } if self.machines[process.index()].births > 0 => {
                self.start(process);
            }
            FaultAction::Stall { process, lasts } => {
                let machine = &mut self.machines[process.index()];
                if machine.process.is_some() {
                    self.truth.stalls.push((process, self.now, self.now + lasts));
                    self.stop(process, self.now + lasts);
                }
            }
            FaultAction::Rate { process, ppm } => {
                self.truth.drifted.insert(process);
                self.machines[process.index()].clock.set_rate(self.now, ppm);
                self.sleep(process);
            }
            FaultAction::FullDisk { process } => self.machines[process.index()].full_disk = true,
            _ => {}
        }
    }

    /// The process does nothing until then.
    fn stop(&mut self, process: Pid, until: u64) {
        let machine = &mut self.machines[process.index()];
        machine.stopped = machine.stopped.max(until);
        self.sleep(process);
    }

    fn arrive(&mut self, parcel: Parcel) {
        self.truth.arrived += 1;
        let to = parcel.to;
        let ParcelLoad::Message { to_incarnation, .. } = parcel.load;
        let machine = &mut self.machines[to.index()];
        let awaited = if machine.births == 0 { incarnation(to, 1) } else { machine.incarnation };
        let up = machine.process.is_some() || machine.births == 0;
        if !up || awaited != to_incarnation {
            self.settle(&parcel, MessageFate::NobodyThere);
        } else if machine.inbox.len() >= SOCKET {
            self.settle(&parcel, MessageFate::Overflow);
        } else {
            machine.inbox.push_back(parcel);
            self.look_around(to);
        }
    }

    /// Takes down what became of a message.
    fn settle(&mut self, parcel: &Parcel, fate: MessageFate) {
        let Some(message) = parcel.message else { return };
        self.truth.messages[message].fate = fate;
        if self.truth.messages[message].is_gone() && fate != MessageFate::NobodyThere {
            let ParcelLoad::Message { msg, .. } = &parcel.load;
            self.log(LogItem::Lost { from: parcel.from, to: parcel.to, msg: msg.clone() });
        }
    }

    /// The loop of a process: takes in what has arrived, lets what is due happen, and goes back to sleep.
    fn look_around(&mut self, process: Pid) {
        let machine = &mut self.machines[process.index()];
        let Some(running) = machine.process.as_mut() else { return };
        if machine.stopped > self.now {
            return;
        }
        let now = machine.clock.read(self.now);
        while let Some(mut parcel) = machine.inbox.pop_front() {
            if let Some(message) = parcel.message {
                self.truth.messages[message].fate = MessageFate::Delivered(self.now);
            }
            running.take_in(now, &mut parcel);
        }
        running.timeout(now);
        let mut drained = std::mem::take(&mut self.drained);
        running.drain(&mut drained);
        let leaves = self.take_down(process, &mut drained.lines);
        for send in drained.sends.drain(..) {
            self.dispatch(process, leaves, send);
        }
        self.drained = drained;
        self.sleep(process);
    }

    /// Writes lines to the recording; says when that is done.
    fn take_down(&mut self, process: Pid, lines: &mut Vec<DrainedLine>) -> u64 {
        let machine = &self.machines[process.index()];
        let (recording, full) = (machine.recording, machine.full_disk);
        let slow = self.plan.active(self.now).find_map(|fault| match *fault {
            FaultAction::SlowDisk { process: whose, by, .. } if whose == process => Some(by),
            _ => None,
        });
        let busy = slow.map_or(0, |by| by * lines.len() as u64);
        for line in lines.drain(..) {
            if full {
                self.truth.incomplete.insert(process);
                continue;
            }
            match line {
                DrainedLine::Stall(stall) => self.recordings[recording].stalls.push(stall),
                DrainedLine::Step(taken) => {
                    let step = self.recordings[recording].steps.len();
                    self.recordings[recording].steps.push(taken);
                    self.log(LogItem::Step { recording, step });
                }
            }
        }
        if busy > 0 {
            self.truth.stalls.push((process, self.now, self.now + busy));
            self.stop(process, self.now + busy);
        }
        self.now + busy
    }

    fn dispatch(&mut self, from: Pid, leaves: u64, send: DrainedSend) {
        let DrainedSend { to, number, bytes } = send;
        let sender = self.machines[from.index()].incarnation;
        let message = number.map(|number| {
            self.truth.messages.push(MessageTruth {
                from,
                incarnation: sender,
                to,
                number,
                sent: self.now,
                fate: MessageFate::OnItsWay,
            });
            self.truth.messages.len() - 1
        });
        let machine = &self.machines[to.index()];
        // Whoever has not started yet, and begins with the others, is about to.
        let about_to = machine.births == 0 && self.starts_with_the_run(to);
        let to_incarnation = match &machine.process {
            Some(_) => machine.incarnation,
            None if about_to => incarnation(to, 1),
            None => 0,
        };
        let load = ParcelLoad::Message {
            incarnation: sender,
            to_incarnation,
            number: number.unwrap_or(0),
            msg: bytes,
        };
        let parcel = Parcel { from, to, message, load };
        match self.network.passage(leaves, from, to) {
            Passage::Cut => self.settle(&parcel, MessageFate::Cut),
            Passage::Lost => self.settle(&parcel, MessageFate::Lost),
            Passage::Arrives { at, .. } => self.agenda.put(at, SimEvent::Arrive(parcel)),
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
        let at = if machine.stopped > now { machine.stopped } else { machine.clock.when(next, now) + drawn };
        self.agenda.put(at, SimEvent::Wake { process, ticket });
    }
}

/// The number of an incarnation.
fn incarnation(process: Pid, births: u64) -> u64 {
    1000 * births + process.index() as u64
}
