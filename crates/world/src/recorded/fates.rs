//! What became of messages that nobody received and of nodes that fell silent. A message is lost only if its
//! destination lived on beyond the moment by which it had to arrive; a node has crashed only if something of it
//! is overdue, or if it lived again.

use super::bonds::{Bond, Why, letter_bound};
use super::conduct::Conduct;
use super::letters::Letters;
use super::lives::Lives;
use super::order::Sequence;
use crate::{ANY_NUMBER, Order, Scenario};
use std::collections::HashMap;

/// What became of messages and lives.
pub(crate) struct Fates {
    /// The messages that were lost.
    pub(crate) lost: Vec<bool>,
    /// The lives that end with a crash.
    pub(crate) crashed: Vec<bool>,
    /// Lost messages that may yet turn out to have been on their way if other times can be found.
    pub(crate) doubtful: Vec<Bond>,
}

/// One thing that happens in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// A recorded step.
    Step(usize),
    /// The network loses a message.
    Lose(usize),
    /// A life ends.
    Crash(usize),
}

/// A run with times: what fates are read from.
pub(crate) struct Timed<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) lives: &'a Lives<'a>,
    pub(crate) letters: &'a Letters,
    pub(crate) roots: &'a [usize],
    pub(crate) sequence: &'a Sequence,
    pub(crate) times: &'a [i64],
    /// The lives that begin with the run.
    pub(crate) together: &'a [bool],
}

impl Timed<'_> {
    /// The fates as they can be known at a moment.
    pub(crate) fn fates(&self, conduct: &Conduct, known: i64) -> Fates {
        let Timed { lives, letters, .. } = *self;
        let end = self.times.iter().copied().max().unwrap_or(0).min(known);
        let mut fates = Fates {
            lost: vec![false; letters.list.len()],
            crashed: (0..lives.list.len()).map(|life| lives.next(life).is_some()).collect(),
            doubtful: Vec::new(),
        };
        for (life, open) in conduct.open.iter().enumerate() {
            let due = |timer: &super::conduct::Armed| {
                let bound = self.scenario.time.timer(timer.bound);
                bound.hi().map(|hi| self.times[timer.by].saturating_add(self.ns(hi)))
            };
            fates.crashed[life] |= open.iter().filter_map(due).any(|due| due < end);
        }
        // The last message of each channel that each life received.
        let mut newest: HashMap<(usize, usize), usize> = HashMap::new();
        for (letter, sent) in letters.list.iter().enumerate() {
            if let (Some(step), Some(lane)) = (sent.received, sent.lane) {
                newest.insert((lane, lives.life(step)), letter);
            }
        }
        for (letter, sent) in letters.list.iter().enumerate() {
            let (None, Some(life)) = (sent.received, self.up(letter, &fates)) else { continue };
            let newer = sent.lane.and_then(|lane| newest.get(&(lane, life)));
            let overtaken = newer.is_some_and(|newer| *newer > letter);
            self.decide(letter, life, overtaken, end, &mut fates);
        }
        fates
    }

    /// What became of a message to a life that was up when it was sent and never received it.
    fn decide(&self, letter: usize, life: usize, overtaken: bool, end: i64, fates: &mut Fates) {
        let network = &self.scenario.network;
        let (root, last) = (self.roots[letter], self.lives.last(life));
        let bound = letter_bound(self.scenario, root != self.letters.list[letter].by);
        let Some(hi) = bound.hi().map(|hi| self.ns(hi)) else {
            fates.lost[letter] = overtaken && (network.order == Order::Fifo || network.losses == ANY_NUMBER);
            return;
        };
        let due = self.times[root].saturating_add(hi);
        if overtaken && network.order == Order::Fifo {
            fates.lost[letter] = true;
        } else if self.times[last].min(end) > due {
            fates.lost[letter] = true;
            if self.times[last] - due <= 2 * (self.lives.precision + hi) {
                fates.doubtful.push(Bond::steps(last, root, hi, Why::OnItsWay { letter }));
            }
        } else if end > due {
            fates.crashed[life] = true;
        }
    }

    /// The life of its destination that was up when a message was sent.
    fn up(&self, letter: usize, fates: &Fates) -> Option<usize> {
        let Timed { lives, sequence, .. } = *self;
        let sent = &self.letters.list[letter];
        let place = sequence.place[sent.by];
        lives.of_process(sent.to).find(|&life| {
            let begun = self.together[life] || sequence.place[lives.start(life)] < place;
            let over = fates.crashed[life] && sequence.place[lives.last(life)] < place;
            begun && !over
        })
    }

    fn ns(&self, units: u32) -> i64 {
        i64::from(units).saturating_mul(self.lives.tick)
    }

    /// Everything that happens, in order: a message is lost as soon as it is sent, and a life is over as soon as
    /// it has taken its last step.
    pub(crate) fn items(&self, fates: &Fates) -> Vec<Item> {
        let mut items = Vec::new();
        for &step in &self.sequence.steps {
            items.push(Item::Step(step));
            let lost = self.letters.sent(step).filter(|&letter| fates.lost[letter]);
            items.extend(lost.map(Item::Lose));
            let life = self.lives.life(step);
            if self.lives.is_last(step) && fates.crashed[life] {
                items.push(Item::Crash(life));
            }
        }
        items
    }
}
