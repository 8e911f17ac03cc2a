//! Observers drawn at random: one that keeps a small automaton for each process and minds no order between them, and
//! one that is a single automaton. Either may start deadlines where time passes, and settle.

use crate::dice::Dice;
use watchkeeper_core::{
    Deadlines, Judgement, Kind, Observation, Observer, Pack, PerProc, Perm, Pid, Promises, Slot, Symmetry,
};

/// A requirement on runs that a seed decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RandomObserver {
    /// Its name.
    pub name: String,
    /// What decides how it takes things in.
    pub seed: u64,
    /// The number of processes.
    pub n: usize,
    /// Whether it keeps an automaton for each process.
    pub apart: bool,
    /// Whether it sees who does something only as far as that can be renamed.
    pub symmetric: bool,
    /// Whether it may come to know that nothing can go wrong any more.
    pub settles: bool,
    /// The kinds of things that it does not heed, as bits.
    pub deaf: u8,
    /// Whether it starts deadlines.
    pub deadlines: bool,
}

/// What an observer remembers: for each process, and of the whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct WatcherMemory {
    cells: PerProc<u8>,
    whole: u8,
}

/// Where a cell stays: what is sought is there.
const SOUGHT: u8 = 3;
/// Where a cell stays: what is sought will not be there.
const HELD: u8 = 2;
/// How many cells must have what is sought.
const NEEDED: usize = 2;
/// The kinds of things seen.
const KINDS: u64 = 8;

/// What is seen: of which kind, by whom, what of it survives renaming, and the rest.
struct Told {
    kind: u64,
    by: Pid,
    what: u64,
    more: u64,
}

fn told<P: Promises>(observation: &Observation<'_, P>) -> Told {
    let told = |kind: u64, by: Pid, what: usize, more: usize| Told {
        kind,
        by,
        what: what as u64,
        more: more as u64,
    };
    match observation {
        Observation::Received { by, from, msg } => told(0, *by, msg.kind(), from.index()),
        Observation::Fired { by, timer } => told(1, *by, timer.index(), 0),
        Observation::Called { by, call } => told(2, *by, call.kind(), 0),
        Observation::Sent { by, to, msg } => told(3, *by, msg.kind(), to.index()),
        Observation::Emitted { by, output } => told(4, *by, output.kind(), 0),
        Observation::Crashed { process } => told(5, *process, 0, 0),
        Observation::Recovered { process } => told(6, *process, 0, 0),
        Observation::Lost { from, to, msg } => told(7, *to, msg.kind(), from.index()),
    }
}

impl RandomObserver {
    /// One for a world of `n` processes.
    pub fn draw(dice: &mut Dice, name: &str, n: usize, symmetric: bool, timed: bool) -> RandomObserver {
        let deaf = if dice.chance(2) { 0 } else { (0..KINDS).map(|k| u8::from(dice.chance(2)) << k).sum() };
        RandomObserver {
            name: name.to_string(),
            seed: dice.roll(1 << 40),
            n,
            apart: dice.chance(2),
            symmetric,
            settles: dice.chance(3),
            deaf,
            deadlines: timed && dice.chance(2),
        }
    }

    /// Goes on from where it is, by what these numbers say; `which` is the deadline that it may start or stop.
    fn go_on(
        &self,
        state: &mut WatcherMemory,
        by: Pid,
        mut dice: Dice,
        which: usize,
        deadlines: &mut Deadlines,
    ) {
        let here = if self.apart { state.cells.get(by).copied().unwrap_or(0) } else { state.whole };
        if self.apart && (here == SOUGHT || self.settles && here == HELD) {
            return;
        }
        dice = dice.mix(u64::from(here));
        if self.deadlines {
            match dice.roll(5) {
                0 => deadlines.start(which, dice.roll(4) as u32),
                1 => deadlines.stop(which),
                _ => {}
            }
        }
        if !dice.chance(3) {
            return;
        }
        if !self.apart {
            state.whole = dice.roll(if self.settles { 6 } else { 5 }) as u8;
        } else if let Some(cell) = state.cells.get_mut(by) {
            *cell = dice.roll(4) as u8;
            // Once its mind is made up nothing more is told to it, and whose turn came first must not show.
            for made_up in [SOUGHT, HELD] {
                if self.is_made_up(state, made_up) {
                    state.cells = PerProc::new(self.n, made_up);
                }
            }
        }
    }

    /// Whether enough cells stay where they are.
    fn is_made_up(&self, state: &WatcherMemory, value: u8) -> bool {
        let count = state.cells.iter().filter(|(_, cell)| **cell == value).count();
        match value {
            SOUGHT => count >= NEEDED,
            _ => self.settles && value == HELD && self.n - count < NEEDED,
        }
    }

    fn which(&self, by: Pid, what: u64) -> usize {
        if self.apart { by.index() } else { what as usize % 2 }
    }
}

impl<P: Promises> Observer<P> for RandomObserver {
    type State = WatcherMemory;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn start(&self, deadlines: &mut Deadlines) -> WatcherMemory {
        if self.deadlines && self.seed.is_multiple_of(3) {
            (0..if self.apart { self.n } else { 1 }).for_each(|deadline| deadlines.start(deadline, 2));
        }
        WatcherMemory { cells: PerProc::new(self.n, 0), whole: 0 }
    }

    fn see(&self, state: &mut WatcherMemory, observation: &Observation<'_, P>, deadlines: &mut Deadlines) {
        let Told { kind, by, what, more } = told(observation);
        if self.deaf >> kind & 1 == 1 {
            return;
        }
        let mut dice = Dice::new(self.seed).mix(kind).mix(what);
        if !self.symmetric {
            dice = dice.mix(by.index() as u64).mix(more);
        }
        self.go_on(state, by, dice, self.which(by, what), deadlines);
    }

    fn expired(&self, state: &mut WatcherMemory, deadline: usize, deadlines: &mut Deadlines) {
        let mut dice = Dice::new(self.seed).mix(100);
        if !self.apart || !self.symmetric {
            dice = dice.mix(deadline as u64);
        }
        let by = Pid::at(if self.apart { deadline } else { 0 });
        self.go_on(state, by, dice, deadline, deadlines);
    }

    fn judge(&self, state: &WatcherMemory) -> Judgement {
        match self.apart {
            true if self.is_made_up(state, SOUGHT) => {
                Judgement::Violated("what is sought is there".to_string())
            }
            true if self.is_made_up(state, HELD) => Judgement::Settled,
            false if state.whole == 4 => Judgement::Violated("that is not the order".to_string()),
            false if state.whole == 5 => Judgement::Settled,
            _ => Judgement::Open,
        }
    }

    fn trace_invariant(&self) -> bool {
        self.apart
    }

    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        self.deaf >> told(observation).kind & 1 == 0
    }

    fn symmetry(&self) -> Symmetry {
        if self.symmetric { Symmetry::Full } else { Symmetry::None }
    }

    fn rename_deadline(&self, deadline: usize, perm: &Perm) -> usize {
        if self.apart { perm.apply(Pid::at(deadline)).index() } else { deadline }
    }
}
