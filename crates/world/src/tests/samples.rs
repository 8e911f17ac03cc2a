//! Tiny protocols whose worlds can be counted by hand.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Meaning, Never, Pack, Pid, Promises, Protocol, Slot, Tone,
};

/// p0 sends PING, p1 answers PONG, and so on.
pub(crate) struct PingPong;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Ball {
    #[kind("PING")]
    Ping,
    #[kind("PONG")]
    Pong,
}

impl Protocol for PingPong {
    type State = ();
    type Msg = Ball;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) {
        if me.index() == 0 {
            fx.send(Pid::at(1), Ball::Ping);
        }
    }

    fn step(&self, _: Pid, (): &mut (), input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Input::Receive { from, msg } = input {
            fx.reply(from, if *msg == Ball::Ping { Ball::Pong } else { Ball::Ping });
        }
    }
}

impl Promises for PingPong {}

/// Every process has a token bit; the token goes round and turns the bits over.
pub(crate) struct TokenRing {
    pub(crate) n: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Token {
    #[kind("TOKEN")]
    Token,
}

impl Protocol for TokenRing {
    type State = bool;
    type Msg = Token;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> bool {
        if me.index() == 0 {
            fx.send(me.succ(self.n), Token::Token);
        }
        false
    }

    fn step(&self, me: Pid, bit: &mut bool, _: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        *bit = !*bit;
        fx.send(me.succ(self.n), Token::Token);
    }
}

impl Promises for TokenRing {}

/// Two processes, each with a timer that never rests and sends to the other one, to whom it means nothing.
/// `burst` messages go out at once, each of a kind that is picked among `kinds`.
pub(crate) struct Flood {
    pub(crate) burst: usize,
    pub(crate) kinds: usize,
    /// How many go out before the first timer.
    pub(crate) at_start: usize,
    /// Only p0 floods.
    pub(crate) one_way: bool,
}

impl Flood {
    pub(crate) const PLAIN: Flood = Flood { burst: 1, kinds: 1, at_start: 0, one_way: false };

    fn send(&self, me: Pid, count: usize, fx: &mut impl Effects<Self>) {
        for _ in 0..count {
            let kind = if self.kinds > 1 { fx.pick(self.kinds) } else { 0 };
            let drop = if kind == 0 { Drop::Red } else { Drop::Blue };
            fx.send(Pid::at(1 - me.index()), drop);
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Drop {
    Red,
    Blue,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub(crate) enum Tap {
    Tick,
}

impl Protocol for Flood {
    type State = ();
    type Msg = Drop;
    type Timer = Tap;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) {
        if me.index() == 0 || !self.one_way {
            fx.arm(Tap::Tick, Bound::exactly(1));
            self.send(me, self.at_start, fx);
        }
    }

    fn step(&self, me: Pid, (): &mut (), input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Input::Fire(Tap::Tick) = input {
            fx.arm(Tap::Tick, Bound::exactly(1));
            self.send(me, self.burst, fx);
        }
    }
}

impl Promises for Flood {}

/// A register at p1. Clients ask p0 to write; p0 sends the value on, p1 keeps the largest and says so. p0
/// arms a timer at the first write, and disarms it when it is told that p1 has it.
pub(crate) struct Register;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Default)]
pub(crate) struct Kept {
    pub(crate) value: u8,
    pub(crate) late: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Note {
    #[kind("STORE")]
    Store(u8),
    #[kind("STORED")]
    Stored(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub(crate) enum Clock {
    Patience,
    Unused,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Ask {
    #[kind("write")]
    Write(u8),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub(crate) enum Say {
    #[kind("has")]
    Has(u8),
    #[kind("impatient")]
    Impatient,
}

impl Protocol for Register {
    type State = Kept;
    type Msg = Note;
    type Timer = Clock;
    type Call = Ask;
    type Output = Say;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> Kept {
        Kept::default()
    }

    fn step(&self, _: Pid, kept: &mut Kept, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Call(Ask::Write(value)) => {
                fx.arm(Clock::Patience, Bound::within(5));
                fx.send(Pid::at(1), Note::Store(*value));
            }
            Input::Receive { from, msg: Note::Store(value) } => {
                kept.value = kept.value.max(*value);
                fx.emit(Say::Has(kept.value));
                fx.reply(from, Note::Stored(kept.value));
            }
            Input::Receive { msg: Note::Stored(value), .. } => {
                kept.value = *value;
                fx.disarm(Clock::Patience);
            }
            Input::Fire(_) => {
                kept.late = true;
                fx.emit(Say::Impatient);
            }
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &Say) -> Meaning {
        match output {
            Say::Has(_) => Meaning::Other(Tone::Plain),
            Say::Impatient => Meaning::Other(Tone::Alarm),
        }
    }
}

impl Promises for Register {}

/// Sends to whom it should not.
pub(crate) struct Stray {
    pub(crate) to: Pid,
    pub(crate) at_start: bool,
}

impl Protocol for Stray {
    type State = ();
    type Msg = Token;
    type Timer = Tap;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) {
        fx.arm(Tap::Tick, Bound::exactly(1));
        if self.at_start && me.index() == 0 {
            fx.send(self.to, Token::Token);
        }
    }

    fn step(&self, me: Pid, (): &mut (), _: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if me.index() == 0 {
            fx.send(self.to, Token::Token);
        }
    }
}

impl Promises for Stray {}

/// Counts to two, without a word.
pub(crate) struct Silent;

impl Protocol for Silent {
    type State = u8;
    type Msg = Never;
    type Timer = Tap;
    type Call = Never;
    type Output = Never;

    fn init(&self, _: Pid, fx: &mut impl Effects<Self>) -> u8 {
        fx.arm(Tap::Tick, Bound::exactly(1));
        0
    }

    fn step(&self, _: Pid, count: &mut u8, _: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        *count += 1;
        if *count < 2 {
            fx.arm(Tap::Tick, Bound::exactly(1));
        }
    }
}

impl Promises for Silent {}
