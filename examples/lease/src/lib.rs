//! A lease on clocks that drift: p0 grants it to one client at a time. A client that has the grant holds the lease for
//! what its clock says is `hold`, and p0 grants it to another no sooner than `ttl` after the grant.

mod description;

use watchkeeper_core::{Bound, Effects, Input, Kind, Never, Pack, Pid, Promises, Protocol, Slot, Time};

/// The protocol, with durations `T`: whole units where it runs, unknown where its regions are asked for.
#[derive(Clone, Debug)]
pub struct Lease<T: Time = u32> {
    /// How long p0 keeps to a grant.
    pub ttl: T,
    /// How long a client holds the lease, by its own clock.
    pub hold: T,
    /// The most by which that clock is wrong in this time.
    pub eps: T,
    /// Whether a client counts from when it asked, and not from when the grant came.
    pub since_ask: bool,
}

/// What p0 and the clients tell each other. A grant has the number of the request that it answers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Message {
    /// A client asks for the lease.
    Ask(u8),
    /// p0 grants it.
    Grant(u8),
}

/// What a process remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum State {
    /// p0: to whom the lease is granted.
    Server(Option<Pid>),
    /// A client: the number of its last request, and what has become of it.
    Client(u8, Phase),
}

/// What has become of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub enum Phase {
    /// There is none, or it is over.
    Idle,
    /// The client waits for the grant.
    Asked,
    /// The client holds the lease.
    Holding,
}

/// The timers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum Timer {
    /// p0 may grant the lease to another.
    Free,
    /// The time of a client is over.
    Expire,
}

/// What an application wants of a client.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Wish {
    /// The lease.
    Acquire,
}

impl<T: Time> Lease<T> {
    /// Whether at most one client holds the lease.
    pub fn one_holder<'a>(states: impl Iterator<Item = Option<&'a State>>) -> bool {
        states.filter(|state| matches!(state, Some(State::Client(_, Phase::Holding)))).count() <= 1
    }

    fn count_down(&self, asking: bool, fx: &mut impl Effects<Self, T>) {
        let latest = self.hold.plus(self.eps);
        let drifting = Bound::new(self.hold.minus(self.eps), latest).unwrap_or(Bound::exactly(latest));
        if asking == self.since_ask {
            fx.arm(Timer::Expire, drifting);
        }
    }
}

impl<T: Time> Protocol<T> for Lease<T> {
    type State = State;
    type Msg = Message;
    type Timer = Timer;
    type Call = Wish;
    type Output = Never;

    fn init(&self, me: Pid, _: &mut impl Effects<Self, T>) -> State {
        if me == Pid::at(0) { State::Server(None) } else { State::Client(0, Phase::Idle) }
    }

    fn step(&self, _: Pid, state: &mut State, input: Input<'_, Self, T>, fx: &mut impl Effects<Self, T>) {
        match (state, input) {
            (State::Server(holder), Input::Receive { from, msg: Message::Ask(number) })
                if holder.is_none_or(|holder| holder == from) =>
            {
                *holder = Some(from);
                fx.send(from, Message::Grant(*number));
                fx.arm(Timer::Free, Bound::exactly(self.ttl));
            }
            (State::Server(holder), Input::Fire(Timer::Free)) => *holder = None,
            (State::Client(number, phase @ (Phase::Idle | Phase::Asked)), Input::Call(Wish::Acquire)) => {
                (*number, *phase) = (*number + 1, Phase::Asked);
                fx.send(Pid::at(0), Message::Ask(*number));
                self.count_down(true, fx);
            }
            (State::Client(number, phase @ Phase::Asked), Input::Receive { msg: Message::Grant(of), .. })
                if of == number =>
            {
                *phase = Phase::Holding;
                self.count_down(false, fx);
            }
            (State::Client(_, phase), Input::Fire(Timer::Expire)) => *phase = Phase::Idle,
            _ => {}
        }
    }
}

impl<T: Time> Promises<T> for Lease<T> {}
