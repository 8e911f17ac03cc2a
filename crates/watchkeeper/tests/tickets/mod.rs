//! A protocol of one's own, with a panic in it for those who want one.

use watchkeeper::{Described, Description, StateProperty};
use watchkeeper_core::{Effects, Input, Kind, Never, Pack, Pid, Promises, Protocol};

/// Everyone asks p0 for a ticket once; p0 gives one to each who asks, and panics at a number.
#[derive(Clone, Debug)]
pub struct Tickets {
    pub panics_at: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Word {
    Ask,
    Ticket(u8),
}

impl Protocol for Tickets {
    type State = u8;
    type Msg = Word;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> u8 {
        if me != Pid::at(0) {
            fx.send(Pid::at(0), Word::Ask);
        }
        0
    }

    fn step(&self, _: Pid, state: &mut u8, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg: Word::Ask } => {
                *state += 1;
                assert!(*state != self.panics_at, "out of tickets");
                fx.send(from, Word::Ticket(*state));
            }
            Input::Receive { msg: Word::Ticket(number), .. } => *state = *number,
            _ => {}
        }
    }
}

impl Promises for Tickets {}

impl Described for Tickets {
    fn description() -> Description<Self> {
        let different = StateProperty::always("different", "no two have the same ticket", |_, global| {
            let mut tickets: Vec<u8> =
                global.processes().skip(1).filter_map(|p| global.state(p)).copied().collect();
            tickets.retain(|ticket| *ticket > 0);
            let all = tickets.len();
            tickets.sort();
            tickets.dedup();
            tickets.len() == all
        });
        let none = StateProperty::always("none", "nobody gets a ticket", |_, global| {
            global.processes().skip(1).all(|p| global.state(p).is_none_or(|ticket| *ticket == 0))
        });
        Description::new("tickets", "p0 gives a ticket to everyone who asks", |_, params| {
            Ok(Tickets { panics_at: params.get("panics-at")? })
        })
        .param("panics-at", "never", "100")
        .property(different)
        .property(none)
    }
}
