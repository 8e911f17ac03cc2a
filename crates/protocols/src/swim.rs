//! SWIM, with suspicion: in each period a process probes one member, asks others for help if it does not answer, suspects it
//! if nobody was answered, and declares it dead if it does not refute that in time. All of that is told by news that
//! messages carry along.
//!
//! A. Das, I. Gupta and A. Motivala, "SWIM: Scalable Weakly-consistent Infection-style Process Group Membership Protocol",
//! DSN 2002, pages 303 to 312. [`Lifeguard`](crate::lifeguard::Lifeguard) is a policy on top of it.
//!
//! # News
//! What is known of a member is its incarnation and a status in it. The higher incarnation overrides; in the same
//! incarnation *dead* and *left* override *suspected*, which overrides *alive*. Only a member itself begins a new incarnation:
//! when it hears that it is suspected, dead or gone in its present one. So whoever is alive can refute anything, and
//! whoever starts again without a memory takes up where it stopped as soon as somebody tells it.
//!
//! # Where this differs from the paper
//! - There, who is dead stays dead. Here, as in memberlist, a higher incarnation brings it back; and while there are dead
//!   members, a process asks one of them in each period, all in turn, and tells it that it is held for dead (`reclaim`).
//!   So two sides of a partition find together again, each of which holds the other for dead.
//! - There, probes have sequence numbers. Here an answer counts if its target is that of the present probe. An answer to an
//!   earlier probe of the same member can so be taken for one to this, which delays a suspicion by one lap.
//! - The order of probes is a lap of the ring of numbers that begins after the process itself, or a lap with a random
//!   stride from a random place: both need no list, and both come to every member once before they come to one again.
//! - Besides what messages carry along, news goes out in messages of its own (`spread`), as in memberlist: a refutation need
//!   not wait for the next probe. Without them this is the dissemination of the paper.
//! - The time for a refutation is counted in grains, for all who are suspected by one timer. It is at least what it should
//!   be; and at most one grain longer if the grain divides it, or less than two if not.
//! - Of what memberlist adds, tables that members exchange again and again, a second probe by TCP, and forgetting the dead are
//!   not here.

mod choosing;
mod config;
mod flaw;
mod learning;
mod message;
mod policy;
mod requirements;
mod state;
mod table;

pub use config::{
    FirstMembers, MAX_GRAINS, MAX_NEWS, ProbeOrder, SMALL_GROUP, SuspectSet, SwimConfig, SwimError,
    UnknownChoice,
};
pub use flaw::SwimFlaw;
pub use message::{CarriedNews, MemberUpdate, SwimCall, SwimMsg, SwimOutput, SwimTimer};
pub use policy::{PlainSwim, SwimPolicy, log10_thousandths};
pub use requirements::{IncarnationsObserver, IncarnationsState};
pub use state::{NewsQueue, OpenProbe, OpenRelay, OpenSuspicion, OpenSuspicions, ProbeLap, SwimState};
pub use table::{MAX_INCARNATION, MemberEntry, MemberTable, SwimStatus};

use state::news;
use watchkeeper_core::{
    Bound, Effects, Input, MAX_MEMBERS, Meaning, Member, Pid, ProcSet, Promises, Protocol, Slot, Symmetry,
    Tone,
};

/// The member that the others ask for its table.
const SEED: usize = 0;

/// How many further members are asked for their table as long as none has come.
const FURTHER: usize = 2;

/// How many entries of a table go into one message.
const CHUNK: usize = MAX_NEWS;

/// The protocol with a policy `P`, for `n` members at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Swim<P = PlainSwim> {
    n: usize,
    config: SwimConfig,
    policy: P,
}

/// The state of a process of the protocol with policy `P`.
type State<P> = SwimState<<P as SwimPolicy>::Memory>;

impl<P: SwimPolicy> Swim<P> {
    /// The protocol for `n` members, with this policy.
    pub fn new(n: usize, config: SwimConfig, policy: P) -> Result<Swim<P>, SwimError> {
        let swim = Swim { n, config: config.checked(n)?, policy };
        swim.countable()?;
        Ok(swim)
    }

    /// The number of members at first.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The configuration.
    pub fn config(&self) -> &SwimConfig {
        &self.config
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The suspects of process `me`, of the first 64 members.
    pub fn suspects(&self, me: Pid, state: &State<P>) -> ProcSet {
        let suspect = |p: &Pid| *p != me && self.is_suspect(state.table.get(Member(*p)).status());
        Pid::all(self.n).filter(suspect).collect()
    }

    /// Whether a member of this status counts as a suspect of the failure detector.
    pub fn is_suspect(&self, status: SwimStatus) -> bool {
        match self.config.suspects {
            SuspectSet::Dead => status == SwimStatus::Dead,
            SuspectSet::Suspected => matches!(status, SwimStatus::Suspected | SwimStatus::Dead),
        }
    }

    /// The shortest time that a suspected member has to refute, in a group of which `up` take part.
    pub fn shortest_patience(&self, up: usize) -> u64 {
        let scale = u64::from(log10_thousandths(up as u32).max(1000));
        (u64::from(self.config.suspicion) * u64::from(self.config.period)).saturating_mul(scale) / 1000
    }

    /// How often news is sent in a group of which `up` take part.
    pub fn transmissions(&self, up: usize) -> u8 {
        let digits = up.checked_ilog10().map_or(1, |whole| whole + 1);
        u8::try_from(u32::from(self.config.retransmit) * digits).unwrap_or(u8::MAX)
    }

    /// The grains of time after which a suspicion comes true that so many further members have confirmed.
    fn grains(&self, further: u32, up: usize) -> u16 {
        let patience = self.policy.patience(self.shortest_patience(up), further, up);
        u16::try_from(patience.div_ceil(u64::from(self.config.grain))).unwrap_or(MAX_GRAINS)
    }

    /// Whether the longest time for a refutation can be counted, in the largest group that there can be.
    fn countable(&self) -> Result<(), SwimError> {
        let (up, grain) = (self.most(), self.config.grain);
        let longest = self.policy.patience(self.shortest_patience(up), 0, up);
        let least = longest.div_ceil(u64::from(MAX_GRAINS));
        if u64::from(grain) < least {
            return Err(SwimError::Uncountable { longest, grain, least });
        }
        Ok(())
    }

    /// How long a helper waits for an answer before it says that there is none: the grains, of which the first may be cut, and
    /// how long one is. It never waits longer: a refusal that comes after the period of whoever asked tells it nothing.
    fn refusal(&self) -> (u8, u32) {
        let after = (u64::from(self.config.timeout) * 4 / 5).max(1);
        let grain = (after / 4).max(1);
        (after.div_ceil(grain) as u8, grain as u32)
    }

    /// How many members there can be.
    fn most(&self) -> usize {
        if self.config.start == FirstMembers::All { self.n } else { MAX_MEMBERS }
    }

    /// Whether there can be such a member.
    fn possible(&self, member: Member) -> bool {
        member.0.index() < self.most()
    }

    fn flawed(&self, flaw: SwimFlaw) -> bool {
        self.config.flaw == Some(flaw)
    }

    /// A period ends, and the next one begins.
    fn period(&self, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        if let Some(probe) = state.probe.take() {
            let silent = probe.asked.saturating_sub(probe.refused);
            self.policy.failed(&mut state.memory, probe.asked, silent);
            self.suspect(me, probe.target, state, fx);
        }
        if !state.joined {
            self.join(me, state, fx);
        }
        fx.arm(SwimTimer::Period, Bound::exactly(self.policy.stretched(&state.memory, self.config.period)));
        self.ask_the_dead(me, state, fx);
        let Some(target) = self.next_target(me, state, fx) else { return };
        state.probe = Some(OpenProbe { target, asked: 0, refused: 0 });
        self.ping(target, me, me, state, fx);
        fx.arm(SwimTimer::Direct, Bound::exactly(self.policy.stretched(&state.memory, self.config.timeout)));
    }

    /// Probes a member on behalf of another.
    fn ping(
        &self,
        target: Member,
        origin: Member,
        me: Member,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) {
        let news = self.tell(target, me, state);
        fx.send(target.0, SwimMsg::Ping { origin, news });
    }

    /// Asks the seed for its table, and a few others that are known: the seed may be down.
    fn join(&self, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let Some(seed) = Pid::member(SEED).map(Member) else { return };
        let is_further =
            |(member, entry): &(Member, MemberEntry)| ![seed, me].contains(member) && entry.status().is_up();
        let known = state.table.iter().filter(is_further).map(|(member, _)| member);
        let asked: Vec<Member> = [seed].into_iter().chain(known.take(FURTHER)).collect();
        for member in asked.into_iter().filter(|member| *member != me) {
            self.ask(member, me, state, fx);
        }
    }

    /// Asks a member for its table.
    fn ask(&self, member: Member, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let news = self.tell(member, me, state);
        fx.send(member.0, SwimMsg::Join { news });
    }

    /// The process came to the group by this member. It asks it for its table, and goes on asking until it has one. The
    /// seed was asked at the start.
    fn meet(&self, me: Member, member: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        if state.joined || !self.possible(member) || member == me || member.0.index() == SEED {
            return;
        }
        if state.table.get(member) == MemberEntry::UNKNOWN {
            let entry = MemberEntry::new(SwimStatus::Alive, 0);
            self.learn(me, MemberUpdate { member, entry, by: None }, false, state, fx);
        }
        self.ask(member, me, state, fx);
    }

    /// The target has not answered in time: others are asked for help.
    fn ask_for_help(&self, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let Some(probe) = state.probe else { return };
        let helpers = self.helpers(me, probe.target, state, fx);
        if let Some(probe) = state.probe.as_mut().filter(|_| self.policy.refuses()) {
            probe.asked = helpers.len() as u8;
        }
        for helper in helpers {
            let news = self.tell(helper, me, state);
            fx.send(helper.0, SwimMsg::PingReq { target: probe.target, news });
        }
    }

    /// What a message to `to` carries. Whoever is held for dead is told that first, and by some policies also who is
    /// suspected.
    fn tell(&self, to: Member, me: Member, state: &mut State<P>) -> CarriedNews {
        let first = match state.table.get(to).status() {
            SwimStatus::Suspected => self.policy.tells_suspects(),
            SwimStatus::Dead | SwimStatus::Left => self.config.reclaim,
            SwimStatus::Unknown | SwimStatus::Alive => false,
        };
        let by = self.policy.confirmations(state.table.up()).map(|_| me);
        let mut told: Vec<MemberUpdate> = first.then(|| news(&state.table, to, by)).into_iter().collect();
        let (room, limit) = (usize::from(self.config.gossip), self.transmissions(state.table.up()));
        let SwimState { queue, table, .. } = state;
        queue.take(room - told.len().min(room), limit, |member, by| {
            if !first || member != to {
                told.push(news(table, member, by));
            }
        });
        CarriedNews(told)
    }

    /// A message arrives.
    fn receive(
        &self,
        me: Member,
        from: Member,
        msg: &SwimMsg,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) {
        for update in msg.news() {
            // A table is old news, except of whoever sends it.
            let spread = !matches!(msg, SwimMsg::Table { .. }) || update.member == from;
            self.learn(me, *update, spread, state, fx);
        }
        match *msg {
            SwimMsg::Ping { origin, .. } => {
                let news = self.tell(from, me, state);
                fx.reply(from.0, SwimMsg::Ack { target: me, origin, news });
            }
            SwimMsg::PingReq { target, .. } if target != me && self.possible(target) => {
                if self.policy.refuses() {
                    self.relay(from, target, state, fx);
                }
                self.ping(target, from, me, state, fx);
            }
            SwimMsg::Ack { target, origin, .. } if origin == me => self.answered(target, state, fx),
            SwimMsg::Ack { target, origin, .. } if self.possible(origin) && target == from => {
                state.relays.retain(|relay| (relay.origin, relay.target) != (origin, target));
                if state.relays.is_empty() {
                    fx.disarm(SwimTimer::Relays);
                }
                let news = self.tell(origin, me, state);
                fx.reply(origin.0, SwimMsg::Ack { target, origin, news });
            }
            SwimMsg::Nack { target } => {
                if let Some(probe) = state.probe.as_mut().filter(|probe| probe.target == target) {
                    probe.refused = probe.refused.saturating_add(1).min(probe.asked);
                }
            }
            SwimMsg::Join { .. } => self.hand_over(me, from, state, fx),
            // A goodbye is a table as well, and whoever hands one over is in the last part of it.
            SwimMsg::Table { ref news } => {
                let there = |it: &MemberUpdate| it.member == from && it.entry.status() == SwimStatus::Alive;
                state.joined |= news.0.iter().any(there);
            }
            SwimMsg::PingReq { .. } | SwimMsg::Ack { .. } | SwimMsg::News { .. } => {}
        }
        let stranger = state.table.get(from) == MemberEntry::UNKNOWN;
        if stranger && self.config.start == FirstMembers::Seed {
            self.ask(from, me, state, fx);
        }
    }

    /// The present probe is answered.
    fn answered(&self, target: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        if state.probe.is_some_and(|probe| probe.target == target) {
            state.probe = None;
            fx.disarm(SwimTimer::Direct);
            self.policy.answered(&mut state.memory);
        }
    }

    /// Notes that a member is probed for another, which is to be told if there is no answer.
    fn relay(&self, origin: Member, target: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        state.relays.retain(|relay| (relay.origin, relay.target) != (origin, target));
        if state.relays.is_empty() {
            fx.arm(SwimTimer::Relays, Bound::exactly(self.refusal().1));
        }
        state.relays.push(OpenRelay { origin, target, passed: 0 });
    }

    /// A grain of time has passed for those who are probed for others.
    fn age_relays(&self, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let (grains, grain) = self.refusal();
        for relay in &mut state.relays {
            relay.passed = relay.passed.saturating_add(1);
            if relay.passed >= grains {
                fx.send(relay.origin.0, SwimMsg::Nack { target: relay.target });
            }
        }
        state.relays.retain(|relay| relay.passed < grains);
        if !state.relays.is_empty() {
            fx.arm(SwimTimer::Relays, Bound::exactly(grain));
        }
    }

    /// Tells the news in messages of their own.
    fn tell_news(&self, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        if self.config.spread == 0 {
            return;
        }
        for hearer in self.hearers(me, state, fx) {
            if !state.queue.is_empty() {
                let news = self.tell(hearer, me, state);
                fx.send(hearer.0, SwimMsg::News { news });
            }
        }
        if !state.queue.is_empty() {
            fx.arm(SwimTimer::News, Bound::exactly(self.config.spread));
        }
    }

    /// Hands the table to whoever asks for it, who is from now on a member.
    fn hand_over(&self, me: Member, to: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        if state.table.get(to) == MemberEntry::UNKNOWN {
            let entry = MemberEntry::new(SwimStatus::Alive, 0);
            self.learn(me, MemberUpdate { member: to, entry, by: None }, true, state, fx);
        }
        let update = |(member, entry)| MemberUpdate { member, entry, by: None };
        let mut all: Vec<MemberUpdate> = state.table.iter().map(update).collect();
        // The process itself comes last, and with it the receiver knows that it has a table.
        let after = all.partition_point(|it| it.member <= me);
        all.rotate_left(after);
        for chunk in all.chunks(CHUNK) {
            fx.reply(to.0, SwimMsg::Table { news: CarriedNews(chunk.to_vec()) });
        }
    }

    /// Leaves for good: as many members are told as news is sent times.
    fn leave(&self, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let entry = MemberEntry::new(SwimStatus::Left, state.table.get(me).incarnation());
        state.table.set(me, entry);
        let told = usize::from(self.transmissions(state.table.up()));
        let goodbye = [MemberUpdate { member: me, entry, by: None }];
        for member in self.around(me, me, state).take(told) {
            fx.send(member.0, SwimMsg::Table { news: CarriedNews(goodbye.to_vec()) });
        }
        SwimTimer::all().for_each(|timer| fx.disarm(timer));
    }
}

impl<P: SwimPolicy> Protocol for Swim<P> {
    type State = State<P>;
    type Msg = SwimMsg;
    type Timer = SwimTimer;
    type Call = SwimCall;
    type Output = SwimOutput;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> State<P> {
        let alive = MemberEntry::new(SwimStatus::Alive, 0);
        let everyone = self.config.start == FirstMembers::All;
        let mut table = if everyone { MemberTable::all_alive(self.n) } else { MemberTable::default() };
        for known in [Pid::member(SEED).unwrap_or(me), me] {
            table.set(Member(known), alive);
        }
        let mut state = SwimState {
            table,
            joined: everyone || me.index() == SEED,
            lap: ProbeLap::default(),
            asks_dead: None,
            probe: None,
            suspicions: OpenSuspicions::default(),
            queue: NewsQueue::default(),
            relays: Vec::new(),
            memory: P::Memory::default(),
        };
        if !state.joined {
            self.join(Member(me), &mut state, fx);
        }
        let spread = self.config.order.is_random(state.table.span());
        let first = if spread { self.first_moment(me) } else { self.config.period };
        fx.arm(SwimTimer::Period, Bound::exactly(first));
        state
    }

    fn step(&self, me: Pid, state: &mut State<P>, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let me = Member(me);
        if state.table.get(me).status() == SwimStatus::Left {
            return;
        }
        match input {
            Input::Receive { from, msg } => {
                if from != me.0 && self.possible(Member(from)) {
                    self.receive(me, Member(from), msg, state, fx);
                }
            }
            Input::Fire(SwimTimer::Period) => self.period(me, state, fx),
            Input::Fire(SwimTimer::Direct) => self.ask_for_help(me, state, fx),
            Input::Fire(SwimTimer::Suspicions) => self.age_suspicions(me, state, fx),
            Input::Fire(SwimTimer::News) => self.tell_news(me, state, fx),
            Input::Fire(SwimTimer::Relays) => self.age_relays(state, fx),
            Input::Call(SwimCall::Leave) => self.leave(me, state, fx),
            Input::Call(SwimCall::Meet(member)) => self.meet(me, *member, state, fx),
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &SwimOutput) -> Meaning {
        let early = self.config.suspects == SuspectSet::Suspected;
        match *output {
            SwimOutput::Suspected(member, _) if early => Meaning::Suspects(member.0),
            SwimOutput::Suspected(..) => Meaning::Other(Tone::Alarm),
            SwimOutput::Dead(..) if early => Meaning::Other(Tone::Alarm),
            SwimOutput::Dead(member, _) => Meaning::Suspects(member.0),
            SwimOutput::Refuted(member, _) if early => Meaning::Trusts(member.0),
            SwimOutput::Refuted(..) => Meaning::Other(Tone::Relief),
            SwimOutput::Back(member, _) => Meaning::Trusts(member.0),
            SwimOutput::Joined(..) | SwimOutput::Left(..) => Meaning::Other(Tone::Plain),
        }
    }
}

impl<P: SwimPolicy> Swim<P> {
    /// When a process of a large group first probes: by its number, so that a group that starts together is spread over a
    /// period (D. Knuth's multiplicative hashing). If it were drawn, a model would begin in as many states as all of them
    /// together can draw.
    fn first_moment(&self, me: Pid) -> u32 {
        const GOLDEN: u64 = 40_503;
        let place = me.index() as u64 * GOLDEN % (1 << 16);
        1 + ((place * u64::from(self.config.period)) >> 16) as u32
    }
}

impl<P: SwimPolicy> Promises for Swim<P> {
    fn reaches(&self, me: Pid, _: &State<P>) -> ProcSet {
        ProcSet::first(self.n.min(watchkeeper_core::MAX_PROCESSES)).without(me)
    }

    fn symmetry(&self) -> Symmetry {
        let alike = !self.config.order.is_random(self.n) && self.config.start == FirstMembers::All;
        if alike { Symmetry::Rotations } else { Symmetry::None }
    }
}
