//! The way back to a start, where the states of a depth are spread over workers: each looks among its own for those that
//! lead to the target, and of all that are found the smallest by packed bytes counts, as on one worker.

use super::message::{MessageKind, MessageReader, MessageWriter};
use super::shard::StateShard;
use super::sums::share;
use super::{Exchange, Travelling, refused};
use crate::ExploreError;
use crate::store::Key;
use watchkeeper_space::{Edit, Id, Successors};

/// A shortest path to a state of this depth, in ids of this worker.
pub(super) fn path<K: Key>(
    exchange: &mut dyn Exchange,
    travelling: Travelling<'_>,
    shard: &StateShard<'_, K>,
    row: &[Id],
    depth: usize,
) -> Result<Vec<Vec<Id>>, ExploreError> {
    let mut back = Back { travelling, shard, gathered: Vec::new(), first: depth };
    let mut path = vec![row.to_vec()];
    for depth in (0..depth).rev() {
        let target = path.last().expect("it begins with one");
        let own = back.predecessor(depth, target);
        let mut message = MessageWriter::new(MessageKind::Totals);
        message.number(u64::from(own.is_some()));
        if let Some((bytes, row)) = &own {
            message.bytes(bytes);
            message.row(shard.parts, row);
        }
        let mut best = own;
        for (number, told) in share(exchange, message.0).iter().enumerate() {
            if number == exchange.index() {
                continue;
            }
            if let Some(other) = candidate(shard, told, row.len())?
                && best.as_ref().is_none_or(|best| other.0 < best.0)
            {
                best = Some(other);
            }
        }
        let (_, row) = best.ok_or_else(|| {
            refused("no worker knows how a state was reached; please report it, and search on one worker")
        })?;
        path.push(row);
    }
    path.reverse();
    Ok(path)
}

/// A state that leads to the target, after its packed bytes.
type Found = Option<(Vec<u8>, Vec<Id>)>;

fn candidate<K: Key>(shard: &StateShard<'_, K>, told: &[u8], slots: usize) -> Result<Found, ExploreError> {
    let wrong = || refused("a worker told a step of the counterexample that makes no sense here");
    let (_, rest) = MessageKind::of(told).ok_or_else(wrong)?;
    let mut from = MessageReader(rest);
    if from.number().ok_or_else(wrong)? == 0 {
        return Ok(None);
    }
    let bytes = from.bytes().ok_or_else(wrong)?.to_vec();
    let row = from.row(shard.parts, slots).map_err(|why| refused(why.to_string()))?;
    Ok(Some((bytes, row)))
}

/// The states of this worker, read backwards.
struct Back<'a, 's, K> {
    travelling: Travelling<'s>,
    shard: &'a StateShard<'s, K>,
    /// The states of some depths, from this one on.
    gathered: Vec<Vec<K>>,
    first: usize,
}

impl<K: Key> Back<'_, '_, K> {
    /// The state of this worker at a depth that leads to the target.
    fn predecessor(&mut self, depth: usize, target: &[Id]) -> Found {
        if depth < self.first {
            self.gather(depth);
        }
        let space = self.travelling.space;
        let shelf = self.shard.visited.open();
        let (mut row, mut found) = (vec![0; target.len()], Successors::new());
        let mut best: Found = None;
        for &key in &self.gathered[depth - self.first] {
            shelf.layout.decode(key, &mut row);
            found.clear();
            space.expand(&row, &mut found);
            if !found.iter().any(|(_, edits)| leads(&row, edits, target)) {
                continue;
            }
            let mut bytes = Vec::new();
            space.pack(&row, &mut bytes);
            if best.as_ref().is_none_or(|(known, _)| bytes < *known) {
                best = Some((bytes, row.clone()));
            }
        }
        best
    }

    /// Gathers the states of this depth and of as many before it as a fraction of the memory holds.
    fn gather(&mut self, depth: usize) {
        let shelf = self.shard.visited.open();
        let mut sizes = vec![0; depth + 1];
        let pieces = || 0..shelf.table.pieces();
        // The initial states are marked with 1.
        let at = |mark: u64| mark as usize - 1;
        for piece in pieces() {
            shelf.table.each(piece, |_, mark| {
                if let Some(size) = sizes.get_mut(at(mark)) {
                    *size += 1;
                }
            });
        }
        let (most, mut first, mut sum) = (self.shard.visited.gathered(), depth, sizes[depth]);
        while first > 0 && sum + sizes[first - 1] <= most {
            first -= 1;
            sum += sizes[first];
        }
        let mut gathered = vec![Vec::new(); depth + 1 - first];
        for piece in pieces() {
            shelf.table.each(piece, |key, mark| {
                if (first..=depth).contains(&at(mark)) {
                    gathered[at(mark) - first].push(key);
                }
            });
        }
        (self.gathered, self.first) = (gathered, first);
    }
}

/// Whether a step of this row leads to the target.
fn leads(row: &[Id], edits: &[Edit], target: &[Id]) -> bool {
    let edited = |slot: usize| edits.iter().find(|edit| edit.slot as usize == slot).map(|edit| edit.id);
    edits.iter().all(|edit| target[edit.slot as usize] == edit.id)
        && row.iter().zip(target).enumerate().all(|(slot, (id, aim))| id == aim || edited(slot) == Some(*aim))
}
