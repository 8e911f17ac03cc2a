//! A protocol in closed stages that is nothing but a table: rounds in which everyone tells the others a value, waits for some
//! of them unless its detector suspects them, and goes on with what the table makes of what it heard, until it decides.

mod draw;

pub use draw::{Climb, draw};

use crate::ask::Minded;
use std::sync::Arc;
use watchkeeper_core::{
    Effects, Input, Kind, Never, Pack, Pid, ProcSet, Promises, Protocol, Reception, SelectiveReceive, Stage,
    Staged, Suspicion,
};

/// The values are below this.
pub const VALUES: u8 = 2;

/// All that a table says; rounds whose numbers differ by a multiple of the number of rungs are alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rungs {
    /// The number of processes.
    pub n: usize,
    /// What happens in each round.
    pub rungs: Vec<Rung>,
    /// Whether the rounds come to an end after the last rung, where everyone decides who has not, or begin again.
    pub ends: bool,
    /// Whether whoever decides tells the others, who then decide the same.
    pub shares: bool,
    /// With what each process begins.
    pub proposals: Vec<u8>,
}

/// One round: tables for each process, whom it is about, and values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rung {
    /// Whom each process waits for.
    pub awaited: Vec<ProcSet>,
    /// Whom each process tells its value.
    pub told: Vec<ProcSet>,
    /// What becomes of a value that meets another one: `[process][own][heard]`.
    pub merged: Vec<[[u8; VALUES as usize]; VALUES as usize]>,
    /// What becomes of a value when someone who was waited for is suspected: `[process][own]`.
    pub doubted: Vec<[u8; VALUES as usize]>,
    /// Which values are decided at the end of it: `[process][own]`.
    pub decided: Vec<[bool; VALUES as usize]>,
    /// Where a process picks a value anew at the end of it.
    pub picks: Vec<bool>,
}

/// A protocol that follows such a table.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// The table.
    pub table: Arc<Rungs>,
    /// The last round that a search looks at, if it has a limit.
    pub within: Option<u64>,
}

/// Where a process stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum Stand {
    /// Nobody has asked it to begin.
    Idle,
    /// In a round.
    In {
        /// The round.
        round: u64,
        /// Its value.
        value: u8,
        /// Whom it still waits for.
        awaited: ProcSet,
    },
    /// It has decided.
    Decided(u8),
}

/// What processes tell each other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum Say {
    /// A value of a round.
    #[kind("value")]
    Value(u64, u8),
    /// A decision.
    #[kind("decision")]
    Decision(u8),
}

/// What clients ask.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum Go {
    /// To begin.
    Go,
}

/// What processes announce.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum LadderOutput {
    /// A decision.
    #[kind("decides")]
    Decides(u8),
}

impl Minded for Stand {
    /// The value that was decided, or 7.
    fn mood(&self) -> u8 {
        if let Stand::Decided(value) = self { *value } else { 7 }
    }

    fn marked(&self) -> bool {
        matches!(self, Stand::Decided(_))
    }
}

impl Ladder {
    fn rung(&self, round: u64) -> &Rung {
        &self.table.rungs[round as usize % self.table.rungs.len()]
    }

    /// Goes into a round with a value, and on as long as nobody has to be waited for. Rounds come to an end at one in
    /// which somebody has.
    fn enter(&self, me: Pid, state: &mut Stand, mut round: u64, value: u8, fx: &mut impl Effects<Self>) {
        loop {
            let rung = self.rung(round);
            rung.told[me.index()].iter().for_each(|peer| fx.send(peer, Say::Value(round, value)));
            let awaited = rung.awaited[me.index()];
            if !awaited.is_empty() {
                *state = Stand::In { round, value, awaited };
                return;
            }
            if self.over(me, round, value) {
                return self.decide(me, state, value, fx);
            }
            round += 1;
        }
    }

    /// Whether a process that ends a round with a value decides it.
    fn over(&self, me: Pid, round: u64, value: u8) -> bool {
        let last = self.table.ends && round as usize >= self.table.rungs.len();
        last || self.rung(round).decided[me.index()][usize::from(value % VALUES)]
    }

    fn decide(&self, me: Pid, state: &mut Stand, value: u8, fx: &mut impl Effects<Self>) {
        *state = Stand::Decided(value);
        fx.emit(LadderOutput::Decides(value));
        if self.table.shares {
            Pid::all(self.table.n).filter(|&p| p != me).for_each(|p| fx.send(p, Say::Decision(value)));
        }
    }

    /// Ends a round if nobody is waited for any more.
    fn go_on(&self, me: Pid, state: &mut Stand, fx: &mut impl Effects<Self>) {
        let Stand::In { round, value, awaited } = *state else { return };
        if !awaited.is_empty() {
            return;
        }
        let picks = self.rung(round).picks[me.index()];
        let value = if picks { fx.pick(usize::from(VALUES)) as u8 } else { value };
        if self.over(me, round, value) {
            return self.decide(me, state, value, fx);
        }
        self.enter(me, state, round.saturating_add(1), value, fx);
    }
}

impl Protocol for Ladder {
    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> = Some(Self::reception);

    type State = Stand;
    type Msg = Say;
    type Timer = Never;
    type Call = Go;
    type Output = LadderOutput;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> Stand {
        Stand::Idle
    }

    fn step(&self, me: Pid, state: &mut Stand, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match (input, &mut *state) {
            (Input::Call(Go::Go), Stand::Idle) => {
                self.enter(me, state, 1, self.table.proposals[me.index()], fx);
            }
            (Input::Receive { msg: Say::Decision(value), .. }, Stand::Idle | Stand::In { .. }) => {
                self.decide(me, state, *value, fx);
            }
            (Input::Receive { from, msg: Say::Value(of, heard) }, Stand::In { round, value, awaited })
                if of == round =>
            {
                let own = usize::from(*value % VALUES);
                *value = self.rung(*round).merged[me.index()][own][usize::from(heard % VALUES)];
                awaited.remove(from);
                self.go_on(me, state, fx);
            }
            (Input::Notice(Suspicion::Suspect(whom)), Stand::In { round, value, awaited })
                if awaited.contains(whom) =>
            {
                *value = self.rung(*round).doubted[me.index()][usize::from(*value % VALUES)];
                awaited.remove(whom);
                self.go_on(me, state, fx);
            }
            _ => {}
        }
    }
}

impl Ladder {
    fn reception(&self, _: Pid, state: &Stand, _: Pid, msg: &Say) -> Reception {
        match (state, msg) {
            (Stand::Decided(_), _) => Reception::Discarded,
            (_, Say::Decision(_)) => Reception::Accepted,
            (Stand::Idle, Say::Value(..)) => Reception::Deferred,
            (Stand::In { round, .. }, Say::Value(of, _)) => match of.cmp(round) {
                std::cmp::Ordering::Less => Reception::Discarded,
                std::cmp::Ordering::Equal => Reception::Accepted,
                std::cmp::Ordering::Greater => Reception::Deferred,
            },
        }
    }
}

impl Promises for Ladder {
    fn horizon(&self) -> Option<String> {
        self.within.map(|round| format!("round {round}"))
    }

    fn beyond(&self, state: &Stand) -> bool {
        matches!(state, Stand::In { round, .. } if self.within.is_some_and(|most| *round > most))
    }
}

impl Staged for Ladder {
    fn stage(&self, _: Pid, state: &Stand) -> Option<Stage> {
        match state {
            Stand::Idle => Some(Stage { round: 0, phase: 0 }),
            Stand::In { round, .. } => Some(Stage { round: *round, phase: 0 }),
            Stand::Decided(_) => None,
        }
    }

    fn stage_of(&self, msg: &Say) -> Option<Stage> {
        match msg {
            Say::Value(round, _) => Some(Stage { round: *round, phase: 0 }),
            Say::Decision(_) => None,
        }
    }

    fn cycle(&self) -> Option<u64> {
        (!self.table.ends).then_some(self.table.rungs.len() as u64)
    }

    fn rounds_in(&self, state: &Stand) -> Vec<u64> {
        if let Stand::In { round, .. } = state { vec![*round] } else { Vec::new() }
    }

    fn rounds_in_message(&self, msg: &Say) -> Vec<u64> {
        if let Say::Value(round, _) = msg { vec![*round] } else { Vec::new() }
    }

    fn renumber(&self, state: &Stand, to: &dyn Fn(u64) -> u64) -> Stand {
        match state {
            Stand::In { round, value, awaited } => {
                Stand::In { round: to(*round), value: *value, awaited: *awaited }
            }
            other => other.clone(),
        }
    }

    fn renumber_message(&self, msg: &Say, to: &dyn Fn(u64) -> u64) -> Say {
        match msg {
            Say::Value(round, value) => Say::Value(to(*round), *value),
            other => other.clone(),
        }
    }

    fn waits_for(&self, _: Pid, state: &Stand, whom: Pid) -> bool {
        matches!(state, Stand::In { awaited, .. } if awaited.contains(whom))
    }
}
