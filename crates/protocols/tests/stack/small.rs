//! Protocols that are just large enough to show what a combinator does with them.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Meaning, Never, Pack, Pid, Promises, Protocol, Reception, SelectiveReceive,
    Slot, Suspicion, Symmetry, Tone,
};

/// Remembers the notices that it was given and announces each. Answers each notice, to whom it is about, as
/// if it were a message. A message makes it stop; a call arms its timer.
#[derive(Clone, Copy, Debug)]
pub struct Listener;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum ListenerMsg {
    Noted,
    Halt,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum ListenerCall {
    Wait,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum ListenerTimer {
    Nap,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum ListenerOutput {
    Began,
    Heard(Suspicion),
    Halted,
}

impl Protocol for Listener {
    type State = Vec<Suspicion>;
    type Msg = ListenerMsg;
    type Timer = ListenerTimer;
    type Call = ListenerCall;
    type Output = ListenerOutput;

    fn init(&self, _: Pid, fx: &mut impl Effects<Self>) -> Vec<Suspicion> {
        fx.emit(ListenerOutput::Began);
        Vec::new()
    }

    fn step(&self, _: Pid, state: &mut Self::State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { msg: ListenerMsg::Halt, .. } => fx.emit(ListenerOutput::Halted),
            Input::Receive { from, msg: ListenerMsg::Noted } => fx.reply(from, ListenerMsg::Noted),
            Input::Fire(ListenerTimer::Nap) => {}
            Input::Call(ListenerCall::Wait) => fx.arm(ListenerTimer::Nap, Bound::exactly(3)),
            Input::Notice(change) => {
                state.push(change);
                fx.emit(ListenerOutput::Heard(change));
                let (Suspicion::Suspect(whom) | Suspicion::Trust(whom)) = change;
                fx.reply(whom, ListenerMsg::Noted);
            }
        }
    }

    fn meaning(&self, output: &ListenerOutput) -> Meaning {
        if *output == ListenerOutput::Halted { Meaning::Stops } else { Meaning::Other(Tone::Plain) }
    }
}

impl Promises for Listener {
    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// A detector that suspects p1 from the beginning.
#[derive(Clone, Copy, Debug)]
pub struct Gloomy;

impl Protocol for Gloomy {
    type State = ();
    type Msg = Never;
    type Timer = Never;
    type Call = Never;
    type Output = Suspicion;

    fn init(&self, _: Pid, fx: &mut impl Effects<Self>) {
        fx.emit(Suspicion::Suspect(Pid::at(1)));
    }

    fn step(&self, _: Pid, _: &mut (), input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Input::Notice(change) = input {
            fx.emit(change);
        }
    }

    fn meaning(&self, output: &Suspicion) -> Meaning {
        Meaning::from(*output)
    }
}

impl Promises for Gloomy {}

/// Takes messages in the order of their numbers, and of each number one. What it has taken it answers.
#[derive(Clone, Copy, Debug)]
pub struct Counter;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum CounterMsg {
    Number(u64),
    Thanks,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum CounterOutput {
    Took(u64, Pid),
}

impl Protocol for Counter {
    type State = u64;
    type Msg = CounterMsg;
    type Timer = Never;
    type Call = Never;
    type Output = CounterOutput;

    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> = Some(Self::reception);

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> u64 {
        0
    }

    fn step(&self, _: Pid, state: &mut u64, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let Input::Receive { from, msg: CounterMsg::Number(number) } = input else { return };
        assert_eq!(number, state, "only what is wanted is handed over");
        *state += 1;
        fx.emit(CounterOutput::Took(*number, from));
        fx.reply(from, CounterMsg::Thanks);
    }
}

impl Counter {
    fn reception(&self, _: Pid, state: &u64, _: Pid, msg: &CounterMsg) -> Reception {
        match msg {
            CounterMsg::Number(number) if number == state => Reception::Accepted,
            CounterMsg::Number(number) if number > state => Reception::Deferred,
            _ => Reception::Discarded,
        }
    }
}

impl Promises for Counter {}

/// Says what it is asked to say, announces what it hears, and answers every third number.
#[derive(Clone, Copy, Debug)]
pub struct Courier;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum CourierMsg {
    Say(u64),
    Echo(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum CourierCall {
    Say(Pid, u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum CourierOutput {
    Got(Pid, CourierMsg),
}

impl Protocol for Courier {
    type State = ();
    type Msg = CourierMsg;
    type Timer = Never;
    type Call = CourierCall;
    type Output = CourierOutput;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) {}

    fn step(&self, _: Pid, _: &mut (), input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg } => {
                fx.emit(CourierOutput::Got(from, *msg));
                if let CourierMsg::Say(number) = msg
                    && number % 3 == 0
                {
                    fx.reply(from, CourierMsg::Echo(*number));
                }
            }
            Input::Call(CourierCall::Say(to, number)) => fx.send(*to, CourierMsg::Say(*number)),
            Input::Fire(timer) => match timer {},
            Input::Notice(_) => {}
        }
    }
}

impl Promises for Courier {}
