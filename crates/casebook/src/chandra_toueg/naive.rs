//! The model once more, as plainly as it can be said: messages are a list with their ages, and every state is
//! a value of its own. It follows traces and is held against the searched space; it shares no step with it.

use super::deed::{Deed, SubRound};
use super::view::{Variables, view};
use super::{Case, Encoding};
use watchkeeper_core::{MessageId, View};
use watchkeeper_space::Id;

/// A message under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Alive {
    pub(super) age: u32,
    pub(super) id: MessageId,
}

/// A state, with what the model itself does not know: which message is which, and how late it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plain {
    pub(super) case: Case,
    pub(super) at: SubRound,
    pub(super) s_timer: u32,
    pub(super) r_timer: u32,
    pub(super) task: SubRound,
    pub(super) under_way: Vec<Alive>,
    pub(super) waited: u32,
    pub(super) timeout: u32,
    pub(super) suspected: bool,
    pub(super) crashed: bool,
    pub(super) since_crash: i64,
    /// The global steps that are over.
    pub(super) time: u64,
    /// The messages that were ever sent.
    pub(super) sent: u32,
}

/// One thing that can happen.
pub(super) struct Turn {
    pub(super) deed: Deed,
    /// The ages that stay under way, where some messages are received.
    pub(super) stay: Vec<u32>,
    pub(super) after: Plain,
}

impl Plain {
    /// The initial state.
    pub(super) fn initial(case: &Case) -> Plain {
        let (at, task) = match case.crash() {
            true => (SubRound::SCrash, SubRound::RNoSnd),
            false => (SubRound::SSched, SubRound::RComp),
        };
        Plain {
            case: *case,
            at,
            s_timer: 0,
            r_timer: 0,
            task,
            under_way: Vec::new(),
            waited: 0,
            timeout: case.timeout(),
            suspected: false,
            crashed: false,
            since_crash: -1,
            time: 0,
            sent: 0,
        }
    }

    /// Whether the receiver acts in this sub-round.
    fn is_receivers_turn(&self) -> bool {
        self.r_timer == 0 && self.task == self.at
    }

    /// All that can happen here.
    pub(super) fn turns(&self) -> Vec<Turn> {
        match self.at {
            SubRound::SCrash => self.crashing(),
            SubRound::SSched => self.scheduling_sender(),
            SubRound::RSched => self.scheduling_receiver(),
            SubRound::IncMsgAge => vec![self.turn(Deed::Age, SubRound::SSnd, |after| {
                // With a bound of 0 every message is old at once.
                let oldest = after.case.delta();
                for message in &mut after.under_way {
                    message.age = oldest.min(message.age + 1);
                }
            })],
            SubRound::SSnd if self.crashed || self.s_timer > 0 => {
                vec![self.turn(Deed::NoSend, SubRound::RNoSnd, |_| {})]
            }
            SubRound::SSnd => vec![self.turn(Deed::Send, SubRound::RNoSnd, |after| {
                after.under_way.push(Alive { age: 0, id: MessageId(after.sent) });
                after.sent += 1;
            })],
            SubRound::RNoSnd if self.is_receivers_turn() => {
                vec![self.turn(Deed::Wait, SubRound::RRcv, Plain::wait)]
            }
            SubRound::RNoSnd => vec![self.turn(Deed::NoWait, SubRound::RRcv, |_| {})],
            SubRound::RRcv => self.receiving(),
            SubRound::RComp => vec![self.computing()],
        }
    }

    fn turn(&self, deed: Deed, at: SubRound, change: impl FnOnce(&mut Plain)) -> Turn {
        let mut after = Plain { at, ..self.clone() };
        change(&mut after);
        Turn { deed, stay: Vec::new(), after }
    }

    /// One more unit of waiting, up to the timeout.
    fn wait(&mut self) {
        self.waited = self.timeout.min(self.waited + 1).max(self.waited);
    }

    fn crashing(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        if !self.crashed {
            turns.push(self.turn(Deed::Crash, SubRound::SSched, |after| {
                after.crashed = true;
                after.s_timer = 0;
                after.since_crash = 0;
            }));
        }
        turns.push(self.turn(Deed::NoCrash, SubRound::SSched, |after| {
            if after.crashed && !after.suspected {
                after.since_crash += 1;
            }
        }));
        turns
    }

    fn scheduling_sender(&self) -> Vec<Turn> {
        let on = |deed, timer| self.turn(deed, SubRound::RSched, |after| after.s_timer = timer);
        if self.crashed {
            return vec![on(Deed::SenderRests, self.s_timer)];
        }
        let acts = (self.s_timer > 1).then(|| on(Deed::SenderActs, 0));
        let later = self.s_timer + 1;
        let rests = (later < 3 * self.case.phi()).then(|| on(Deed::SenderRests, later));
        acts.into_iter().chain(rests).collect()
    }

    fn scheduling_receiver(&self) -> Vec<Turn> {
        let acts = self.turn(Deed::ReceiverActs, SubRound::IncMsgAge, |after| {
            after.r_timer = 0;
            after.task = match after.task {
                SubRound::RNoSnd => SubRound::RRcv,
                SubRound::RRcv => SubRound::RComp,
                _ => SubRound::RNoSnd,
            };
        });
        let mut turns = vec![acts];
        if self.r_timer + 1 < self.case.phi() {
            let rests = |after: &mut Plain| after.r_timer += 1;
            turns.push(self.turn(Deed::ReceiverRests, SubRound::IncMsgAge, rests));
        }
        turns
    }

    fn receiving(&self) -> Vec<Turn> {
        if !self.is_receivers_turn() {
            return vec![self.turn(Deed::NoReceive, SubRound::RComp, |_| {})];
        }
        let ages = self.ages();
        let oldest = self.case.delta();
        let mut turns = Vec::new();
        for stay in subsets(&ages) {
            if stay.len() == ages.len() || stay.contains(&oldest) {
                continue;
            }
            let mut turn = self.turn(Deed::Deliver, SubRound::RComp, |after| {
                after.under_way.retain(|message| stay.contains(&message.age));
                after.waited = 0;
                if std::mem::take(&mut after.suspected) {
                    after.timeout += 1;
                }
            });
            turn.stay = stay;
            turns.push(turn);
        }
        if !ages.contains(&oldest) {
            turns.push(self.turn(Deed::Miss, SubRound::RComp, Plain::wait));
        }
        turns
    }

    fn computing(&self) -> Turn {
        let at = if self.case.crash() { SubRound::SCrash } else { SubRound::SSched };
        let deed = match (self.is_receivers_turn(), self.waited < self.timeout, self.suspected) {
            (false, ..) => Deed::NoCompute,
            (true, true, _) => Deed::Bide,
            (true, false, false) => Deed::Suspect,
            (true, false, true) => Deed::StillSuspect,
        };
        self.turn(deed, at, |after| {
            after.time += 1;
            match deed {
                Deed::Bide => after.waited += 1,
                Deed::Suspect => after.suspected = true,
                _ => {}
            }
        })
    }

    /// The ages of the messages under way, each once, in order.
    pub(super) fn ages(&self) -> Vec<u32> {
        let mut ages: Vec<u32> = self.under_way.iter().map(|message| message.age).collect();
        ages.sort_unstable();
        ages.dedup();
        ages
    }

    /// The row of this state.
    pub(super) fn row(&self) -> Vec<Id> {
        let task = match self.task {
            SubRound::RNoSnd => 0,
            SubRound::RRcv => 1,
            _ => 2,
        };
        let ghost = if self.case.ghost() { self.since_crash + 1 } else { 0 };
        let mut row = vec![
            self.at as Id,
            self.s_timer,
            self.r_timer,
            task,
            self.waited,
            self.timeout - self.case.timeout(),
            Id::from(self.suspected),
            Id::from(self.crashed),
            ghost as Id,
        ];
        let ages = self.ages();
        match self.case.encoding() {
            Encoding::Predicate => {
                row.extend((0..=self.case.delta()).map(|age| Id::from(ages.contains(&age))));
            }
            Encoding::Counter => row.push(ages.iter().map(|&age| 2u32.pow(age)).sum()),
        }
        row
    }

    /// The variables of this state.
    pub(super) fn view(&self) -> View {
        let variables = Variables {
            sub_round: self.at,
            s_timer: self.s_timer,
            r_timer: self.r_timer,
            task: self.task,
            ages: self.ages(),
            waited: self.waited,
            timeout: self.timeout,
            suspected: self.suspected,
            crashed: self.crashed,
            since_crash: self.since_crash,
        };
        view(&self.case, &variables)
    }
}

/// All subsets of some ages.
fn subsets(ages: &[u32]) -> Vec<Vec<u32>> {
    let Some((first, rest)) = ages.split_first() else { return vec![Vec::new()] };
    let without = subsets(rest);
    let with = without.iter().map(|subset| [&[*first], &subset[..]].concat());
    with.chain(without.iter().cloned()).collect()
}
