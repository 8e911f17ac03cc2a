//! A protocol that is nothing but a table: for what a process is, and each input, the ways in which it may go on. What a
//! process can see of others is limited to what survives the renamings that the protocol promises, so the promise is true.

mod draw;
mod text;

pub use draw::{Wish, bound, draw};

use std::sync::Arc;
use watchkeeper_core::{
    Bound, Effects, Input, Kind, Pack, Pid, ProcSet, Promises, Protocol, Reception, SelectiveReceive, Slot,
    Suspicion, Symmetry,
};

/// What one process of a table remembers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct Mind {
    /// One of a few.
    pub mood: u8,
    /// Whether it has done something that it cannot take back.
    pub marked: bool,
    /// Someone it thinks of.
    pub friend: Pid,
    /// How many more inputs it reacts to; without meaning where there is no end.
    pub fuel: u8,
}

/// What processes tell each other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum TableMessage {
    /// One word.
    Yes,
    /// Another.
    No,
    /// A word about someone.
    Meet(Pid),
}

/// The timers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum Bell {
    /// The first.
    One,
    /// The second.
    Two,
}

/// What clients ask.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum ClientCall {
    /// A favour.
    Please,
    /// An introduction.
    Know(Pid),
}

/// What processes announce.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum Cry {
    /// One thing.
    Oh,
    /// Another.
    Ah,
}

/// A process, as a rule names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whom {
    /// Oneself.
    Me,
    /// Whom one thinks of.
    Friend,
    /// Whom the input is from, or about.
    Other,
    /// Whom the word is about.
    Third,
    /// The next in the ring.
    Next,
    /// The process of this number.
    At(usize),
    /// Whoever is picked among the others.
    Any,
}

/// One thing that a process does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableEffect {
    /// Sends a word; the number is its kind.
    Send {
        /// Where to.
        to: Whom,
        /// Its kind.
        word: u8,
        /// Whom it is about, if its kind says that it is about someone.
        about: Whom,
        /// Whether it is an answer.
        reply: bool,
    },
    /// Sends a word to all others, in the order of their ids.
    Shout {
        /// Its kind.
        word: u8,
    },
    /// Arms a timer.
    Arm(Bell, Bound),
    /// Frees a timer.
    Disarm(Bell),
    /// Announces something.
    Emit(Cry),
}

/// One way to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableBranch {
    /// The mood from then on.
    pub mood: u8,
    /// Whether it makes the mark.
    pub mark: bool,
    /// Whom it thinks of from then on, if that changes.
    pub friend: Option<Whom>,
    /// What it does, in order.
    pub effects: Vec<TableEffect>,
}

/// What a process does about an input: one of these ways, which a pick decides if there are several; nothing at all
/// without any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reaction {
    /// The ways.
    pub ways: Vec<TableBranch>,
}

/// All that a table says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRules {
    /// The number of processes.
    pub n: usize,
    /// The renamings that it does not see.
    pub symmetry: Symmetry,
    /// The number of moods.
    pub moods: u8,
    /// After how many inputs a process falls silent; `None` if it never does.
    pub fuel: Option<u8>,
    /// Whom each process may send to; the rest of what it sends is never sent.
    pub links: Vec<ProcSet>,
    /// Whether it says whom it may yet send to.
    pub tells: bool,
    /// How each role starts.
    pub starts: Vec<Reaction>,
    /// The rules, by [`TableRules::key`].
    pub rules: Vec<Reaction>,
    /// What a selective process leaves lying, by mood and word.
    pub later: Vec<bool>,
    /// The words that a selective process never wants once it is marked.
    pub never: Vec<bool>,
}

/// The number of different things that a process may see of another one.
const VIEWS: usize = 8;
/// The number of different inputs of one process in one mood.
pub const INPUTS: usize = 2 * VIEWS + 3 * VIEWS + 2 + 1 + VIEWS + 2 * VIEWS;
/// The number of words.
pub const WORDS: usize = 3;

/// A protocol that follows a table; a selective one leaves messages lying.
#[derive(Clone, Debug)]
pub struct TableProtocol<const SELECTIVE: bool>(pub Arc<TableRules>);

/// Who can be named in a reaction.
struct Cast {
    me: Pid,
    friend: Pid,
    other: Pid,
    third: Pid,
}

impl TableRules {
    /// The table that a process goes by: all have one, or each, or a coordinator and the rest.
    pub fn role(&self, me: Pid) -> usize {
        match self.symmetry {
            Symmetry::None | Symmetry::FixingAll(_) => me.index(),
            Symmetry::Rotations | Symmetry::Full => 0,
            Symmetry::Fixing(p) => usize::from(me == p),
        }
    }

    /// The number of roles.
    pub fn roles(&self) -> usize {
        Pid::all(self.n).map(|p| self.role(p)).max().map_or(0, |most| most + 1)
    }

    /// What `me` sees of another process.
    fn view(&self, me: Pid, friend: Pid, other: Pid) -> usize {
        match self.symmetry {
            Symmetry::None | Symmetry::FixingAll(_) => other.index() % VIEWS,
            Symmetry::Rotations => (other.index() + self.n - me.index()) % self.n,
            Symmetry::Full => usize::from(me == other) | usize::from(friend == other) << 1,
            Symmetry::Fixing(p) => {
                usize::from(me == other) | usize::from(friend == other) << 1 | usize::from(other == p) << 2
            }
        }
    }

    /// The place of the rule for an input.
    fn key<const S: bool>(&self, me: Pid, mind: &Mind, input: &Input<'_, TableProtocol<S>>) -> usize {
        let view = |other: Pid| self.view(me, mind.friend, other);
        let input = match input {
            Input::Receive { from, msg: TableMessage::Yes } => view(*from),
            Input::Receive { from, msg: TableMessage::No } => VIEWS + view(*from),
            Input::Receive { from, msg: TableMessage::Meet(third) } => {
                let about = if third == from { 0 } else { 1 + usize::from(*third == me) };
                VIEWS * (2 + about) + view(*from)
            }
            Input::Fire(bell) => 5 * VIEWS + bell.index(),
            Input::Call(ClientCall::Please) => 5 * VIEWS + 2,
            Input::Call(ClientCall::Know(whom)) => 5 * VIEWS + 3 + view(*whom),
            Input::Notice(Suspicion::Suspect(whom)) => 6 * VIEWS + 3 + view(*whom),
            Input::Notice(Suspicion::Trust(whom)) => 7 * VIEWS + 3 + view(*whom),
        };
        (self.role(me) * usize::from(self.moods) + usize::from(mind.mood)) * INPUTS + input
    }

    fn whom<P: Promises>(&self, whom: Whom, cast: &Cast, fx: &mut impl Effects<P>) -> Pid {
        match whom {
            Whom::Me => cast.me,
            Whom::Friend => cast.friend,
            Whom::Other => cast.other,
            Whom::Third => cast.third,
            Whom::Next => cast.me.succ(self.n),
            Whom::At(number) => Pid::at(number % self.n),
            Whom::Any => Pid::at((cast.me.index() + 1 + fx.pick(self.n - 1)) % self.n),
        }
    }

    fn react<const S: bool>(
        &self,
        rule: &Reaction,
        mind: &mut Mind,
        cast: &Cast,
        fx: &mut impl Effects<TableProtocol<S>>,
    ) {
        let way = match &rule.ways[..] {
            [] => return,
            [way] => way,
            ways => &ways[fx.pick(ways.len())],
        };
        let me = cast.me;
        let word = |kind: u8, about: Pid| match kind {
            0 => TableMessage::Yes,
            1 => TableMessage::No,
            _ => TableMessage::Meet(about),
        };
        for effect in &way.effects {
            match effect {
                TableEffect::Send { to, word: kind, about, reply } => {
                    let to = self.whom(*to, cast, fx);
                    let about = self.whom(*about, cast, fx);
                    if to == me || !self.links[me.index()].contains(to) {
                        continue;
                    }
                    let word = word(*kind, about);
                    if *reply { fx.reply(to, word) } else { fx.send(to, word) }
                }
                TableEffect::Shout { word: kind } => {
                    for to in Pid::all(self.n).filter(|&to| to != me && self.links[me.index()].contains(to)) {
                        fx.send(to, word(*kind, me));
                    }
                }
                TableEffect::Arm(bell, bound) => fx.arm(*bell, *bound),
                TableEffect::Disarm(bell) => fx.disarm(*bell),
                TableEffect::Emit(cry) => fx.emit(cry.clone()),
            }
        }
        mind.mood = way.mood;
        mind.marked |= way.mark;
        if let Some(friend) = way.friend {
            mind.friend = self.whom(friend, cast, fx);
        }
    }
}

impl<const SELECTIVE: bool> Protocol for TableProtocol<SELECTIVE> {
    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> =
        if SELECTIVE { Some(Self::reception) } else { None };

    type State = Mind;
    type Msg = TableMessage;
    type Timer = Bell;
    type Call = ClientCall;
    type Output = Cry;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Mind {
        let mut mind = Mind { mood: 0, marked: false, friend: me, fuel: self.0.fuel.unwrap_or(0) };
        let cast = Cast { me, friend: me, other: me, third: me };
        self.0.react(&self.0.starts[self.0.role(me)], &mut mind, &cast, fx);
        mind
    }

    fn step(&self, me: Pid, mind: &mut Mind, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if self.0.fuel.is_some() {
            if mind.fuel == 0 {
                return;
            }
            mind.fuel -= 1;
        }
        let friend = mind.friend;
        let (other, third) = match &input {
            Input::Receive { from, msg: TableMessage::Meet(third) } => (*from, *third),
            Input::Receive { from, .. } => (*from, friend),
            Input::Call(ClientCall::Know(whom)) => (*whom, friend),
            Input::Notice(Suspicion::Suspect(whom) | Suspicion::Trust(whom)) => (*whom, friend),
            Input::Fire(_) | Input::Call(ClientCall::Please) => (friend, friend),
        };
        let key = self.0.key(me, mind, &input);
        let cast = Cast { me, friend, other, third };
        // A mood that no rule leads to, as damaged bytes may have it, reacts to nothing.
        if let Some(rule) = self.0.rules.get(key) {
            self.0.react(rule, mind, &cast, fx);
        }
    }
}

impl<const SELECTIVE: bool> TableProtocol<SELECTIVE> {
    /// Never is said only by who has fallen silent or is marked, and stays so.
    fn reception(&self, _: Pid, mind: &Mind, _: Pid, msg: &TableMessage) -> Reception {
        let word = msg.kind();
        match () {
            () if !SELECTIVE => Reception::Accepted,
            () if self.0.fuel.is_some() && mind.fuel == 0 => Reception::Discarded,
            () if mind.marked && self.0.never[word] => Reception::Discarded,
            () if self.0.later.get(usize::from(mind.mood) * WORDS + word) == Some(&true) => {
                Reception::Deferred
            }
            () => Reception::Accepted,
        }
    }
}

impl<const SELECTIVE: bool> Promises for TableProtocol<SELECTIVE> {
    fn reaches(&self, me: Pid, mind: &Mind) -> ProcSet {
        match () {
            () if !self.0.tells => ProcSet::first(self.0.n),
            () if self.0.fuel.is_some() && mind.fuel == 0 => ProcSet::EMPTY,
            () => self.0.links[me.index()],
        }
    }

    fn symmetry(&self) -> Symmetry {
        self.0.symmetry
    }
}
