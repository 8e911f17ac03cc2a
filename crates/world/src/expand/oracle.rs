//! What the oracle may do in a state, and what it must: suspect, end a suspicion, settle. It never speaks to a
//! process that has crashed, and begins no suspicion of one that it leaves alone but for the mistakes it is granted.

use super::Expansion;
use crate::OracleAccuracy;
use crate::dense::ClockGuard;
use crate::machine::ProcessMode;
use crate::observation::NOTHING;
use crate::oracle::state::{decided, id_of};
use crate::transition::{News, code};
use watchkeeper_core::Pid;
use watchkeeper_space::Action;

impl Expansion<'_> {
    /// Everything that the oracle can do.
    pub(super) fn consult(&mut self) {
        let world = self.world;
        for process in 0..world.scenario.n {
            if !matches!(world.machines[process].mode(self.row[process]), ProcessMode::Ready) {
                continue;
            }
            for peer in (0..world.scenario.n).filter(|&peer| peer != process) {
                if let Some(news) = self.news(process, peer) {
                    self.tell(process, peer, news);
                }
            }
        }
        self.settle();
    }

    /// What a process can be told of another one.
    fn news(&self, process: usize, peer: usize) -> Option<News> {
        let world = self.world;
        let suspected = world.suspects(process, self.row).contains(Pid::at(peer));
        let settled = world.oracle_has_settled(self.row);
        let crashed = world.is_crashed(peer, self.row);
        let alone = if world.scenario.oracle?.accuracy.is_strong() {
            settled && !crashed
        } else {
            world.immune(self.row) == Some(peer)
        };
        match (suspected, settled && crashed) {
            (true, true) => None,
            (true, false) if alone => Some(News::Relent),
            (true, false) => Some(News::Trust),
            (false, _) if alone => self.may_err().then_some(News::Suspect),
            (false, true) => Some(News::Detect),
            (false, false) => Some(News::Suspect),
        }
    }

    /// Whether the oracle is granted one more mistake.
    fn may_err(&self) -> bool {
        let granted = self.world.scenario.oracle.map_or(0, |oracle| oracle.accuracy.mistakes());
        self.world.mistakes(self.row) < granted
    }

    fn tell(&mut self, process: usize, peer: usize, news: News) {
        let world = self.world;
        let Some(class) = world.classes.news(news) else { return };
        let begins = matches!(news, News::Suspect | News::Detect);
        let lasts = world.layout.suspects(process);
        let outcomes = world.noticed(process, self.row[process], peer, begins);
        for (choice, outcome) in outcomes.iter().enumerate() {
            if lasts.is_none() && outcome.idle {
                continue;
            }
            self.begin(ClockGuard::Ever);
            // Where mistakes are counted, there are no other suspicions that nothing obliges it to.
            if let Some(slot) = world.layout.mistakes.filter(|_| news == News::Suspect) {
                self.edit(slot, self.row[slot] + 1);
            }
            if let Some(slot) = lasts {
                let before = world.suspects(process, self.row);
                let (with, without) = (before.with(Pid::at(peer)), before.without(Pid::at(peer)));
                self.edit(slot, id_of(process, if begins { with } else { without }));
            }
            self.finish(Action::new(class, code(process, peer, choice)), process, outcome);
        }
    }

    fn settle(&mut self) {
        let world = self.world;
        let (Some(class), Some(slot), Some(oracle)) =
            (world.classes.settle, world.layout.oracle, world.scenario.oracle)
        else {
            return;
        };
        if world.oracle_has_settled(self.row) {
            return;
        }
        if oracle.accuracy != OracleAccuracy::EventuallyWeak {
            self.begin(ClockGuard::Ever);
            self.edit(slot, decided(world.immune(self.row), true));
            self.end(Action::new(class, code(0, 0, 0)), NOTHING);
            return;
        }
        for immune in (0..world.scenario.n).filter(|&p| !world.is_crashed(p, self.row)) {
            self.begin(ClockGuard::Ever);
            self.edit(slot, decided(Some(immune), true));
            self.end(Action::new(class, code(immune + 1, 0, 0)), NOTHING);
        }
    }
}
