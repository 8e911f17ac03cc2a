//! A cluster in virtual time: processes of a protocol, their timers, and the messages between them. It keeps nothing of the
//! past: no recording, and no state that was left behind. A cluster can be forked, and then goes on in several ways.
//!
//! What is kept grows with what happens and never with the square of the number of members.

use super::link::{Links, NetworkProfile};
use super::queue::{EventNumber, EventQueue, QueuedEvent, Upcoming};
use super::slow::{Phases, SlowMembers};
use super::under_way::MessagesUnderWay;
use fastrand::Rng;
use std::sync::Arc;
use watchkeeper_core::{Meaning, Pid};
use watchkeeper_node::{Host, Outbox};

/// Makes a process of the protocol that is measured.
pub type HostMaker = Arc<dyn Fn() -> Box<dyn Host> + Send + Sync>;

/// What a cluster is made of.
#[derive(Clone)]
pub(super) struct ClusterMake {
    pub(super) hosts: HostMaker,
    pub(super) n: usize,
    /// The nanoseconds of a unit of time.
    pub(super) tick: u64,
    pub(super) network: Arc<NetworkProfile>,
    pub(super) slow: Option<SlowMembers>,
    /// Processes begin within this time of the start.
    pub(super) stagger: u64,
    /// Whether lost messages are kept, so that fates can be drawn anew.
    pub(super) redraws: bool,
}

/// A cluster at a moment.
pub(super) struct VirtualCluster {
    now: u64,
    tick: u64,
    queue: EventQueue,
    messages: MessagesUnderWay,
    links: Links,
    members: Vec<SimulatedMember>,
    /// For what processes choose.
    choices: Rng,
    redraws: bool,
    /// Who has crashed, and how many of its messages are on their way.
    crashed: Option<(u32, usize)>,
    /// What the last event has changed.
    pub(super) changes: Vec<SuspicionChange>,
    /// How many messages were sent, and the bytes of their datagrams.
    pub(super) sent: (u64, u64),
    /// How many events there were in all, and at this moment.
    pub(super) events: u64,
    at_once: u64,
}

struct SimulatedMember {
    host: Box<dyn Host>,
    begins: u64,
    up: bool,
    /// The armed timers by their slots, each with the number of its event.
    timers: Vec<(u32, EventNumber)>,
    /// Whom it suspects, in the order of their numbers.
    suspects: Vec<u32>,
    phases: Option<Box<Phases>>,
    random: Rng,
}

/// One process has begun to suspect another, or has ceased to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SuspicionChange {
    pub(super) observer: u32,
    pub(super) subject: u32,
    pub(super) suspects: bool,
}

/// What came next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Happened {
    /// Nothing before the end; it is now the end.
    Nothing,
    /// Something that is no message.
    Step,
    /// A message of the second process has reached the first.
    Received(u32, u32),
    /// An alarm, by its number.
    Alarm(u32, EventNumber),
    /// So much at one moment that time does not pass.
    Stuck,
}

impl VirtualCluster {
    /// A cluster at its start, as this seed has it.
    pub(super) fn new(make: &ClusterMake, seed: u64) -> VirtualCluster {
        let mut random = Rng::with_seed(seed);
        let mut queue = EventQueue::default();
        let member = |number: usize| {
            let mut own = random.fork();
            let begins = own.u64(0..=make.stagger);
            queue.put(begins, Upcoming::Begin { process: number as u32 });
            let slow = make.slow.filter(|slow| number < slow.count);
            SimulatedMember {
                host: (make.hosts)(),
                begins,
                up: true,
                timers: Vec::new(),
                suspects: Vec::new(),
                phases: slow.map(|slow| Box::new(Phases::new(slow, own.fork()))),
                random: own,
            }
        };
        let members = (0..make.n).map(member).collect();
        VirtualCluster {
            now: 0,
            tick: make.tick,
            queue,
            messages: MessagesUnderWay::default(),
            links: Links::new(Arc::clone(&make.network)),
            members,
            choices: random,
            redraws: make.redraws && make.network.is_memoryless().is_some(),
            crashed: None,
            changes: Vec::new(),
            sent: (0, 0),
            events: 0,
            at_once: 0,
        }
    }

    /// This cluster once more, which goes on as another seed has it.
    pub(super) fn fork(&self, seed: u64) -> VirtualCluster {
        let mut random = Rng::with_seed(seed);
        let member = |member: &SimulatedMember| SimulatedMember {
            host: member.host.fork(),
            timers: member.timers.clone(),
            suspects: member.suspects.clone(),
            phases: member.phases.as_ref().map(|phases| Box::new(phases.fork(random.fork()))),
            random: random.fork(),
            ..*member
        };
        let members = self.members.iter().map(member).collect();
        VirtualCluster {
            queue: self.queue.clone(),
            messages: self.messages.clone(),
            links: self.links.clone(),
            members,
            choices: random,
            changes: Vec::new(),
            ..*self
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    pub(super) fn processes(&self) -> usize {
        self.members.len()
    }

    /// Whether a process suspects another.
    pub(super) fn suspects(&self, observer: u32, subject: u32) -> bool {
        self.members[observer as usize].suspects.binary_search(&subject).is_ok()
    }

    /// How many pairs there are of a process and one that it suspects.
    pub(super) fn suspicions(&self) -> usize {
        self.members.iter().map(|member| member.suspects.len()).sum()
    }

    /// Wants to be told at a moment.
    pub(super) fn alarm(&mut self, at: u64, about: u32) -> EventNumber {
        self.queue.put(at, Upcoming::Alarm { about })
    }

    /// A process crashes now, with whatever it has not sent yet.
    pub(super) fn crash(&mut self, process: u32) {
        self.members[process as usize].up = false;
        let own: Vec<u32> =
            self.messages.under_way().filter(|number| self.messages.get(*number).from == process).collect();
        let mut last_words = 0;
        for number in own {
            let message = self.messages.get_mut(number);
            message.lost |= message.leaves > self.now;
            last_words += usize::from(!message.lost);
        }
        self.crashed = Some((process, last_words));
    }

    /// Whether a message of the process that has crashed is still on its way.
    pub(super) fn has_last_words(&self) -> bool {
        self.crashed.is_some_and(|(_, messages)| messages > 0)
    }

    /// Draws the fates of all messages that have not arrived anew, given that they have not: whether each is lost, and how
    /// long it takes. Nobody in the cluster can tell.
    pub(super) fn redraw(&mut self) {
        let Some(delay) = self.links.profile().is_memoryless().filter(|_| self.redraws) else { return };
        let loss = self.links.profile().loss;
        let messages = &self.messages;
        self.queue.forget_arrivals(|number| !messages.get(number).waits);
        let open: Vec<u32> =
            self.messages.under_way().filter(|number| !self.messages.get(*number).waits).collect();
        for number in open {
            let message = self.messages.get_mut(number);
            let age = self.now - message.sent;
            let left = (1.0 - loss) * delay.survival(age);
            let random = &mut self.choices;
            message.lost = random.f64() * (loss + left) >= left;
            let at = match message.lost {
                true => message.sent + delay.beyond(NEVER) + 1,
                false => message.sent + delay.draw_beyond(age, random),
            };
            self.queue.put(at.max(self.now), Upcoming::Arrive { message: number });
        }
    }

    /// What happens next before this end.
    pub(super) fn step(&mut self, end: u64, outbox: &mut Outbox) -> Happened {
        self.changes.clear();
        let Some(event) = self.queue.take_before(end) else {
            self.now = self.now.max(end);
            return Happened::Nothing;
        };
        self.at_once = if event.at > self.now { 0 } else { self.at_once + 1 };
        if self.at_once > 100_000 + 1_000 * self.members.len() as u64 {
            return Happened::Stuck;
        }
        self.now = event.at;
        self.events += 1;
        outbox.reseed(self.choices.u64(..));
        match event.what {
            Upcoming::Alarm { about } => Happened::Alarm(about, event.number),
            Upcoming::Begin { process } => {
                if self.members[process as usize].up {
                    self.members[process as usize].host.begin(pid(process), outbox);
                    self.take_effects(process, outbox);
                }
                Happened::Step
            }
            Upcoming::Fire { process, slot } => {
                self.fire(event, process, slot, outbox);
                Happened::Step
            }
            Upcoming::Arrive { message } => self.arrive(event, message, outbox),
        }
    }

    fn fire(&mut self, event: QueuedEvent, process: u32, slot: u32, outbox: &mut Outbox) {
        let member = &mut self.members[process as usize];
        let Ok(place) = member.timers.binary_search_by_key(&slot, |(slot, _)| *slot) else { return };
        if member.timers[place].1 != event.number || !member.up {
            return;
        }
        if !member.phases.as_ref().is_some_and(|phases| phases.timers_run())
            && let Some(awake) = member.not_before(self.now)
        {
            self.queue.put_off(event, awake);
            return;
        }
        member.timers.remove(place);
        member.host.fire(slot as usize, outbox);
        self.take_effects(process, outbox);
    }

    fn arrive(&mut self, event: QueuedEvent, number: u32, outbox: &mut Outbox) -> Happened {
        let message = self.messages.get_mut(number);
        let (from, to, lost) = (message.from, message.to, message.lost);
        let member = &mut self.members[to as usize];
        if member.up
            && !lost
            && let Some(awake) = member.not_before(self.now)
        {
            message.waits = true;
            self.queue.put_off(event, awake);
            return Happened::Step;
        }
        if let Some((crashed, left)) = &mut self.crashed
            && *crashed == from
            && !lost
        {
            *left -= 1;
        }
        if lost || !member.up {
            self.messages.done(number);
            return Happened::Step;
        }
        let understood = member.host.read(&message.bytes);
        self.messages.done(number);
        if !understood {
            return Happened::Step;
        }
        member.host.receive(pid(from), outbox);
        self.take_effects(to, outbox);
        Happened::Received(to, from)
    }

    /// Does what the last step of a process asks for.
    fn take_effects(&mut self, process: u32, outbox: &mut Outbox) {
        let n = self.members.len();
        let member = &mut self.members[process as usize];
        for output in 0..member.host.outputs() {
            let (subject, suspects) = match member.host.meaning(output) {
                Meaning::Suspects(subject) => (subject.index() as u32, true),
                Meaning::Trusts(subject) => (subject.index() as u32, false),
                _ => continue,
            };
            match (member.suspects.binary_search(&subject), suspects) {
                (Err(place), true) => member.suspects.insert(place, subject),
                (Ok(place), false) => {
                    member.suspects.remove(place);
                }
                _ => continue,
            }
            self.changes.push(SuspicionChange { observer: process, subject, suspects });
        }
        for place in 0..outbox.timers().len() {
            let (slot, bound) = outbox.timers()[place];
            let slot = slot as u32;
            let known = member.timers.binary_search_by_key(&slot, |(slot, _)| *slot);
            match (bound, known) {
                (None, Ok(place)) => {
                    member.timers.remove(place);
                }
                (None, Err(_)) => {}
                (Some(bound), known) => {
                    let lasts = u64::from(outbox.within(bound)).saturating_mul(self.tick);
                    let at = self.now.saturating_add(lasts);
                    let number = self.queue.put(at, Upcoming::Fire { process, slot });
                    match known {
                        Ok(place) => member.timers[place].1 = number,
                        Err(place) => member.timers.insert(place, (slot, number)),
                    }
                }
            }
        }
        // What a member sends while it is blocked waits until it is not.
        let leaves = member.not_before(self.now).unwrap_or(self.now);
        for sending in outbox.sends() {
            let to = sending.to.index();
            if to >= n {
                continue;
            }
            self.sent.0 += 1;
            self.sent.1 += sending.datagram_len() as u64;
            let ends = (process, to as u32);
            let arrival = self.links.arrival(ends, leaves, &mut member.random);
            let at = match (arrival, self.links.profile().is_memoryless()) {
                (Some(at), _) => at,
                (None, Some(delay)) if self.redraws => self.now + delay.beyond(NEVER) + 1,
                (None, _) => continue,
            };
            let message = self.messages.put(ends, self.now, outbox.message(sending));
            let put = self.messages.get_mut(message);
            (put.lost, put.waits, put.leaves) = (arrival.is_none(), leaves > self.now, leaves);
            self.queue.put(at, Upcoming::Arrive { message });
        }
    }
}

/// A message that is longer on its way than all but this share of messages never arrives.
const NEVER: f64 = 1e-15;

impl SimulatedMember {
    /// When the member can go on, if it cannot now.
    fn not_before(&mut self, now: u64) -> Option<u64> {
        if now < self.begins {
            return Some(self.begins);
        }
        self.phases.as_mut().map(|phases| phases.awake(now)).filter(|awake| *awake > now)
    }
}

/// A cluster has no more members than there are numbers for.
fn pid(number: u32) -> Pid {
    Pid::member(number as usize).expect("the size of a subject is within the numbers of members")
}
