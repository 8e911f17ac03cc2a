//! Stop and wait: p0 sends letters to p1, one at a time, and sends each again until a receipt comes. A
//! letter carries a stamp, so that p1 can tell a new letter from one that was only sent again.

use watchkeeper::{Described, Description, Params, Problem, StateProperty};
use watchkeeper_core::{Bound, Effects, Input, Kind, Never, Pack, Pid, Promises, Protocol, Slot};

/// Letters are numbered up to here and then from 0 again, so that a run never ends and states stay few.
const LETTERS: u8 = 8;

/// The protocol. Stamps are the numbers below `stamps`, and come round again and again.
#[derive(Clone, Debug)]
pub struct StopAndWait {
    /// How many different stamps there are: 1 tells nothing, 2 are the alternating bit.
    pub stamps: u8,
}

/// What the two tell each other.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Mail {
    /// A letter: its stamp, and its number as what it says.
    Letter(u8, u8),
    /// The letter with this stamp has come.
    Receipt(u8),
}

/// What one of the two remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum State {
    /// The number of the letter that is under way.
    Sender(u8),
    /// How many letters were accepted, and what the last one said.
    Receiver(u8, u8),
}

/// The timer of the sender.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum Timer {
    /// Time to send the letter again.
    Resend,
}

/// What the receiver announces.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum News {
    /// It accepts a letter that says this.
    #[kind("accept")]
    Accept(u8),
}

impl StopAndWait {
    fn send(&self, letter: u8, fx: &mut impl Effects<Self>) {
        fx.send(Pid::at(1), Mail::Letter(letter % self.stamps, letter));
        fx.arm(Timer::Resend, Bound::exactly(1));
    }
}

impl Protocol for StopAndWait {
    type State = State;
    type Msg = Mail;
    type Timer = Timer;
    type Call = Never;
    type Output = News;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> State {
        if me != Pid::at(0) {
            return State::Receiver(0, LETTERS - 1);
        }
        self.send(0, fx);
        State::Sender(0)
    }

    fn step(&self, _: Pid, state: &mut State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match (state, input) {
            (State::Sender(letter), Input::Fire(Timer::Resend)) => self.send(*letter, fx),
            (State::Sender(letter), Input::Receive { msg: Mail::Receipt(stamp), .. })
                if *stamp == *letter % self.stamps =>
            {
                *letter = (*letter + 1) % LETTERS;
                self.send(*letter, fx);
            }
            (State::Receiver(count, last), Input::Receive { from, msg: Mail::Letter(stamp, says) }) => {
                if *stamp == *count % self.stamps {
                    (*count, *last) = ((*count + 1) % LETTERS, *says);
                    fx.emit(News::Accept(*says));
                }
                fx.reply(from, Mail::Receipt(*stamp));
            }
            _ => {}
        }
    }
}

impl Promises for StopAndWait {}

impl Described for StopAndWait {
    fn description() -> Description<Self> {
        let build = |n: usize, params: &Params| match (n, params.get("stamps")?) {
            (2, stamps @ (1 | 2 | 4)) => Ok(StopAndWait { stamps }),
            (2, _) => Err(params.refuse("stamps", "choose 1, 2 or 4")),
            _ => Err(Problem::Usage("stop-and-wait is for two; leave --n out".to_string())),
        };
        let in_order = "every letter is accepted once, and in its turn";
        Description::new("stop-and-wait", "p0 sends letters to p1, each until a receipt comes", build)
            .processes(2)
            .param("stamps", "different stamps: 1, 2 or 4", "2")
            .property(StateProperty::always("in-order", in_order, |_, global| {
                match global.state(Pid::at(1)) {
                    Some(State::Receiver(count, last)) => (last + 1) % LETTERS == *count,
                    _ => true,
                }
            }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper::{Channel, CheckBuilder, DeliveryOrder};

    fn check(stamps: u8, order: DeliveryOrder) -> CheckBuilder {
        watchkeeper::check(StopAndWait { stamps }).channel(Channel::Drop(2)).order(order)
    }

    #[test]
    fn two_stamps_are_enough_where_nothing_overtakes() {
        check(2, DeliveryOrder::Fifo).assert_holds();
    }

    #[test]
    fn one_stamp_is_not_enough() {
        assert_eq!(check(1, DeliveryOrder::Fifo).assert_violated().trace.steps.len(), 3);
    }

    #[test]
    fn nothing_is_enough_where_letters_overtake() {
        check(2, DeliveryOrder::AnyOrder).assert_violated();
        check(4, DeliveryOrder::AnyOrder).assert_violated();
    }
}
