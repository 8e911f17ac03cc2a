//! The model once more, as plainly as it can be said: messages are a list with their ages, and every state is
//! a value of its own. It follows traces and is held against the searched space; it shares no step with it.

use super::action::{SubRound, SubRoundAction};
use super::view::{PaperVariables, view};
use super::{ChandraTouegCase, Encoding};
use watchkeeper_core::{MessageId, View};
use watchkeeper_space::Id;

/// A message under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AgedAlive {
    pub(super) age: u32,
    pub(super) id: MessageId,
}

/// A state, with what the model itself does not know: which message is which, and how late it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlainState {
    pub(super) case: ChandraTouegCase,
    pub(super) at: SubRound,
    pub(super) s_timer: u32,
    pub(super) r_timer: u32,
    pub(super) task: SubRound,
    pub(super) under_way: Vec<AgedAlive>,
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
pub(super) struct PlainStep {
    pub(super) action: SubRoundAction,
    /// The ages that stay under way, where some messages are received.
    pub(super) stay: Vec<u32>,
    pub(super) after: PlainState,
}

impl PlainState {
    /// The initial state.
    pub(super) fn initial(case: &ChandraTouegCase) -> PlainState {
        let (at, task) = match case.crash() {
            true => (SubRound::SCrash, SubRound::RNoSnd),
            false => (SubRound::SSched, SubRound::RComp),
        };
        PlainState {
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
    pub(super) fn turns(&self) -> Vec<PlainStep> {
        match self.at {
            SubRound::SCrash => self.crashing(),
            SubRound::SSched => self.scheduling_sender(),
            SubRound::RSched => self.scheduling_receiver(),
            SubRound::IncMsgAge => vec![self.turn(SubRoundAction::Age, SubRound::SSnd, |after| {
                // With a bound of 0 every message is old at once.
                let oldest = after.case.delta();
                for message in &mut after.under_way {
                    message.age = oldest.min(message.age + 1);
                }
            })],
            SubRound::SSnd if self.crashed || self.s_timer > 0 => {
                vec![self.turn(SubRoundAction::NoSend, SubRound::RNoSnd, |_| {})]
            }
            SubRound::SSnd => vec![self.turn(SubRoundAction::Send, SubRound::RNoSnd, |after| {
                after.under_way.push(AgedAlive { age: 0, id: MessageId(after.sent) });
                after.sent += 1;
            })],
            SubRound::RNoSnd if self.is_receivers_turn() => {
                vec![self.turn(SubRoundAction::Wait, SubRound::RRcv, PlainState::wait)]
            }
            SubRound::RNoSnd => vec![self.turn(SubRoundAction::NoWait, SubRound::RRcv, |_| {})],
            SubRound::RRcv => self.receiving(),
            SubRound::RComp => vec![self.computing()],
        }
    }

    fn turn(&self, action: SubRoundAction, at: SubRound, change: impl FnOnce(&mut PlainState)) -> PlainStep {
        let mut after = PlainState { at, ..self.clone() };
        change(&mut after);
        PlainStep { action, stay: Vec::new(), after }
    }

    /// One more unit of waiting, up to the timeout.
    fn wait(&mut self) {
        self.waited = self.timeout.min(self.waited + 1).max(self.waited);
    }

    fn crashing(&self) -> Vec<PlainStep> {
        let mut turns = Vec::new();
        if !self.crashed {
            turns.push(self.turn(SubRoundAction::Crash, SubRound::SSched, |after| {
                after.crashed = true;
                after.s_timer = 0;
                after.since_crash = 0;
            }));
        }
        turns.push(self.turn(SubRoundAction::NoCrash, SubRound::SSched, |after| {
            if after.crashed && !after.suspected {
                after.since_crash += 1;
            }
        }));
        turns
    }

    fn scheduling_sender(&self) -> Vec<PlainStep> {
        let on = |action, timer| self.turn(action, SubRound::RSched, |after| after.s_timer = timer);
        if self.crashed {
            return vec![on(SubRoundAction::SenderRests, self.s_timer)];
        }
        let acts = (self.s_timer > 1).then(|| on(SubRoundAction::SenderActs, 0));
        let later = self.s_timer + 1;
        let rests = (later < 3 * self.case.phi()).then(|| on(SubRoundAction::SenderRests, later));
        acts.into_iter().chain(rests).collect()
    }

    fn scheduling_receiver(&self) -> Vec<PlainStep> {
        let acts = self.turn(SubRoundAction::ReceiverActs, SubRound::IncMsgAge, |after| {
            after.r_timer = 0;
            after.task = match after.task {
                SubRound::RNoSnd => SubRound::RRcv,
                SubRound::RRcv => SubRound::RComp,
                _ => SubRound::RNoSnd,
            };
        });
        let mut turns = vec![acts];
        if self.r_timer + 1 < self.case.phi() {
            let rests = |after: &mut PlainState| after.r_timer += 1;
            turns.push(self.turn(SubRoundAction::ReceiverRests, SubRound::IncMsgAge, rests));
        }
        turns
    }

    fn receiving(&self) -> Vec<PlainStep> {
        if !self.is_receivers_turn() {
            return vec![self.turn(SubRoundAction::NoReceive, SubRound::RComp, |_| {})];
        }
        let ages = self.ages();
        let oldest = self.case.delta();
        let mut turns = Vec::new();
        for stay in subsets(&ages) {
            if stay.len() == ages.len() || stay.contains(&oldest) {
                continue;
            }
            let mut turn = self.turn(SubRoundAction::Deliver, SubRound::RComp, |after| {
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
            turns.push(self.turn(SubRoundAction::Miss, SubRound::RComp, PlainState::wait));
        }
        turns
    }

    fn computing(&self) -> PlainStep {
        let at = if self.case.crash() { SubRound::SCrash } else { SubRound::SSched };
        let action = match (self.is_receivers_turn(), self.waited < self.timeout, self.suspected) {
            (false, ..) => SubRoundAction::NoCompute,
            (true, true, _) => SubRoundAction::Bide,
            (true, false, false) => SubRoundAction::Suspect,
            (true, false, true) => SubRoundAction::StillSuspect,
        };
        self.turn(action, at, |after| {
            after.time += 1;
            match action {
                SubRoundAction::Bide => after.waited += 1,
                SubRoundAction::Suspect => after.suspected = true,
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
        match self.case.encoding {
            Encoding::Predicate => {
                row.extend((0..=self.case.delta()).map(|age| Id::from(ages.contains(&age))));
            }
            Encoding::Counter => row.push(ages.iter().map(|&age| 2u32.pow(age)).sum()),
        }
        row
    }

    /// The variables of this state.
    pub(super) fn view(&self) -> View {
        let variables = PaperVariables {
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
