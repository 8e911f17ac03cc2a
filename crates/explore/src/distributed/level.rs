//! A depth as one worker has it: it expands the states that are here, and takes in those of the next depth that arrive.

use super::Exchange;
use super::message::MessageKind;
use super::owner::Base;
use super::search::TeamSearch;
use super::shard::StateShard;
use super::sums::Halted;
use crate::level_report::LevelReport;
use crate::search::{Progress, ProgressCallback};
use crate::state_checker::StateChecker;
use crate::store::Key;
use crate::worker::{Chunk, look_every};
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_space::{Action, Edit, Successors};

impl<'a> TeamSearch<'a> {
    /// Expands all states of a depth that are here, and takes in those of the next one that arrive.
    pub(super) fn level<K: Key>(
        &self,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'a, K>,
        depth: u64,
        callback: &dyn ProgressCallback,
    ) -> LevelReport {
        shard.mark = depth + 2;
        shard.discard = self.is_last(depth);
        shard.settled = 0;
        shard.hand_over();
        shard.remember();
        let space = self.travelling.space;
        let mut worker = LevelWorker {
            run: self,
            checker: StateChecker::new(space, self.question),
            report: LevelReport::new(space, self.question),
            progress: space.shape().progress(),
            every: space.initial().first().map_or(1, |row| look_every(space, row)),
            depth,
            left: shard.next.iter().map(|chunk| chunk.keys.len() as u64).sum(),
        };
        let now = std::mem::take(&mut shard.next);
        worker.expand_all(now, exchange, shard, callback);
        shard.flush();
        shard.ship_all(exchange);
        if shard.halted.is_some() {
            call_off(exchange);
        }
        exchange.finish_round(&mut |from, bytes| shard.receive(from, &bytes));
        shard.flush();
        worker.look(shard, callback);
        let LevelWorker { mut report, checker, .. } = worker;
        report.settled += shard.settled;
        report.checked_by(checker)
    }
}

/// Tells all others that this worker has stopped.
fn call_off(exchange: &mut dyn Exchange) {
    let me = exchange.index();
    for to in (0..exchange.workers()).filter(|&to| to != me) {
        exchange.send(to, vec![MessageKind::Halt as u8]);
    }
}

/// The work of this worker at one depth.
struct LevelWorker<'r, 'a> {
    run: &'r TeamSearch<'a>,
    checker: StateChecker<'a>,
    report: LevelReport,
    progress: Vec<bool>,
    /// Steps between two calls of the callback.
    every: u64,
    depth: u64,
    /// States still to be expanded.
    left: u64,
}

impl LevelWorker<'_, '_> {
    fn expand_all<K: Key>(
        &mut self,
        now: Vec<Chunk<K>>,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'_, K>,
        callback: &dyn ProgressCallback,
    ) {
        let space = self.run.travelling.space;
        let (mut row, mut found) = (vec![0; space.shape().slots.len()], Successors::new());
        let mut until_look = self.every;
        for chunk in now {
            row.fill(0);
            for &key in &chunk.keys {
                if shard.is_over() {
                    return;
                }
                chunk.layout.decode(key, &mut row);
                shard.base = match Arc::ptr_eq(&chunk.layout, &shard.layout) {
                    true => key,
                    false => shard.layout.encode(&row).expect("layouts only grow"),
                };
                let mut fine = self.checker.state(&row);
                found.clear();
                space.expand(&row, &mut found);
                let moves = |(action, _): (Action, &[Edit])| {
                    self.progress.get(action.class() as usize).copied().unwrap_or(true)
                };
                if found.cuts().is_empty() && !found.iter().any(moves) {
                    fine &= self.checker.stuck(&row);
                }
                let base: Base = shard.owners.base(&row);
                for (action, edits) in found.iter() {
                    self.report.counts[action.class() as usize] += 1;
                    shard.step(&row, base, edits, exchange);
                }
                found.tallies().iter().for_each(|&(_, class)| self.report.counts[class as usize] += 1);
                found.cuts().iter().for_each(|&cap| self.report.cuts[cap] += 1);
                self.report.steps += found.len() as u64;
                self.report.expanded += 1;
                self.left -= 1;
                shard.discard |= !fine;
                until_look = until_look.saturating_sub(found.len() as u64 + 1);
                if until_look == 0 {
                    until_look = self.every;
                    self.look(shard, callback);
                    exchange.poll(&mut |from, bytes| shard.receive(from, &bytes));
                }
            }
        }
    }

    /// Checks memory and limits, and calls the callback.
    fn look<K: Key>(&mut self, shard: &mut StateShard<'_, K>, callback: &dyn ProgressCallback) {
        let left = self.left * size_of::<K>() as u64;
        let held = shard.bytes() + left + self.run.travelling.space.bytes() as u64;
        if let Err(full) = shard.visited.beside(held) {
            shard.halt(full.limit().map_or(Halted::TooWide, Halted::Limit));
        }
        let own = shard.visited.len();
        // This depth is still expanded to its end, so that the result does not depend on how states are spread.
        shard.discard |= self.run.search.max_states.is_some_and(|most| own > most);
        let (states, transitions) = self.run.known;
        let progress = Progress {
            distinct_states: states.max(own),
            transitions: transitions + self.report.steps,
            depth: self.depth,
            queue: self.left,
            bytes: shard.visited.bytes(),
        };
        if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
            shard.halt(Halted::Limit(limit));
        }
    }
}
