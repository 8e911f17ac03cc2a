//! The messages in which states travel: how they leave, and what arrives.

use super::super::Exchange;
use super::super::message::{MessageKind, MessageReader, MessageWriter};
use super::super::sums::Halted;
use super::{OutgoingTable, StateShard};
use crate::store::Key;
use watchkeeper_space::Id;

impl<K: Key> StateShard<'_, K> {
    /// Sends what is on its way to a worker.
    pub(super) fn ship(&mut self, to: usize, exchange: &mut dyn Exchange) {
        let out = &mut self.outgoing[to];
        if out.keys.is_empty() {
            return;
        }
        let mut message = MessageWriter::new(MessageKind::States);
        let largest: Vec<u64> = self.layout.largest().into_iter().map(u64::from).collect();
        message.0.reserve(8 * largest.len() + out.told.len() + out.keys.len() * size_of::<K>() + 64);
        message.numbers(&largest);
        message.bytes(&out.told);
        out.told.clear();
        message.number(match std::mem::replace(&mut out.table, OutgoingTable::Open) {
            OutgoingTable::Only(table) => table.into(),
            OutgoingTable::Open | OutgoingTable::Mixed => u64::MAX,
        });
        for key in out.keys.drain(..) {
            let (low, high) = key.split();
            message.number(low);
            if K::WORDS > 1 {
                message.number(high);
            }
        }
        exchange.send(to, message.0);
    }

    /// Sends everything.
    pub fn ship_all(&mut self, exchange: &mut dyn Exchange) {
        self.leave(exchange);
        (0..self.outgoing.len()).for_each(|to| self.ship(to, exchange));
    }

    /// Takes a message in.
    pub fn receive(&mut self, from: usize, bytes: &[u8]) {
        match MessageKind::of(bytes) {
            Some((MessageKind::Halt, _)) => self.called_off = true,
            Some((MessageKind::States, rest)) => {
                if let Err(why) = self.arrive(from, MessageReader(rest)) {
                    self.halt(Halted::Failed(format!(
                        "worker {from} sent states that make no sense here: {why}"
                    )));
                }
            }
            _ => self.halt(Halted::Failed(format!("worker {from} sent an unknown message"))),
        }
    }

    fn arrive(&mut self, from: usize, mut message: MessageReader<'_>) -> Result<(), String> {
        let cut = || "it is cut off".to_string();
        let mut incoming = std::mem::take(self.incoming.get_mut(from).ok_or_else(cut)?);
        let largest = message.numbers().filter(|largest| largest.len() == self.slots).ok_or_else(cut)?;
        let told = message.bytes().ok_or_else(cut)?;
        let table = message.number().ok_or_else(cut)?;
        incoming.begin(self.parts, told, largest).map_err(|why| why.to_string())?;
        let table = Id::try_from(table).ok().filter(|_| self.parts.is_settled());
        let plain = incoming.is_plain(&self.layout);
        let mut row: Vec<Id> = vec![0; self.slots];
        let (words, _) = message.0.as_chunks::<8>();
        for (number, words) in words.chunks_exact(K::WORDS).enumerate() {
            if self.discard || self.is_over() {
                break;
            }
            let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
            let key = K::join(word(0), word(1));
            if number > 0 {
                let known = match (plain, table) {
                    (true, _) => Some(key),
                    (false, Some(table)) => incoming.key(table, key, &self.layout),
                    (false, None) => None,
                };
                if let Some(key) = known {
                    self.add(key);
                    continue;
                }
            }
            incoming.row(self.parts, key, &mut row).map_err(|why| why.to_string())?;
            if number == 0 {
                let hash = self.owners.hash(&row);
                if self.owners.owner(hash) != self.me {
                    return Err(
                        "it belongs to another worker: two programs disagree about a state".to_string()
                    );
                }
            }
            self.add_row(&row);
        }
        self.incoming[from] = incoming;
        Ok(())
    }
}
