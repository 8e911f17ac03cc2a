//! Who is at the endpoint: a fixed number of places. Whoever is being answered keeps his; whoever says nothing makes room
//! for the next one, the longest silent first. So nobody can keep others out by coming early or by speaking slowly.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How many are there at once.
pub(super) const PLACES: usize = 16;

/// How long everyone may be silent, however many wait outside: a question that was sent with the connection is heard by then.
const GRACE: Duration = Duration::from_millis(5);

/// All who are there.
#[derive(Debug, Default)]
pub(super) struct Visitors {
    list: Mutex<VisitorList>,
    /// Somebody has left or fallen silent.
    changed: Notify,
}

#[derive(Debug, Default)]
struct VisitorList {
    next: u64,
    there: Vec<Visitor>,
}

#[derive(Debug)]
struct Visitor {
    number: u64,
    /// Since when nothing of his is being answered.
    silent: Option<Instant>,
    /// Whether he was asked to leave.
    asked: bool,
    leave: Arc<Notify>,
}

/// The place of one visitor, which is free when this is dropped.
#[derive(Debug)]
pub(super) struct VisitorPlace {
    visitors: Arc<Visitors>,
    number: u64,
    leave: Arc<Notify>,
}

impl Visitors {
    /// A place for one more, who may have to wait for it: until somebody who is silent has left, or somebody who was
    /// answered is silent.
    pub(super) async fn place(self: &Arc<Visitors>) -> VisitorPlace {
        loop {
            let wait = match self.try_place() {
                Ok(place) => return place,
                Err(wait) => wait,
            };
            match wait {
                Some(wait) => drop(tokio::time::timeout(wait, self.changed.notified()).await),
                None => self.changed.notified().await,
            }
        }
    }

    /// A place, or how long to wait until somebody can be asked to leave; `None` until something changes.
    fn try_place(self: &Arc<Visitors>) -> Result<VisitorPlace, Option<Duration>> {
        let mut list = self.list();
        if list.there.len() < PLACES {
            let (number, leave) = (list.next, Arc::new(Notify::new()));
            list.next += 1;
            let silent = Some(Instant::now());
            list.there.push(Visitor { number, silent, asked: false, leave: Arc::clone(&leave) });
            return Ok(VisitorPlace { visitors: Arc::clone(self), number, leave });
        }
        if list.there.iter().any(|visitor| visitor.asked) {
            return Err(None);
        }
        let silent = list.there.iter_mut().filter_map(|visitor| Some((visitor.silent?, visitor)));
        let Some((since, visitor)) = silent.min_by_key(|(since, _)| *since) else { return Err(None) };
        match GRACE.checked_sub(since.elapsed()).filter(|left| !left.is_zero()) {
            Some(left) => Err(Some(left)),
            None => {
                visitor.asked = true;
                visitor.leave.notify_one();
                Err(None)
            }
        }
    }

    fn list(&self) -> MutexGuard<'_, VisitorList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VisitorPlace {
    /// Says whether something of his is being answered now.
    pub(super) fn answering(&self, now: bool) {
        let mut list = self.visitors.list();
        if let Some(visitor) = list.there.iter_mut().find(|visitor| visitor.number == self.number) {
            visitor.silent = (!now).then(Instant::now);
        }
        drop(list);
        if !now {
            self.visitors.changed.notify_one();
        }
    }

    /// Returns when he has to leave.
    pub(super) async fn over(&self) {
        self.leave.notified().await;
    }
}

impl Drop for VisitorPlace {
    fn drop(&mut self) {
        self.visitors.list().there.retain(|visitor| visitor.number != self.number);
        self.visitors.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_time(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("an event loop").block_on(test);
    }

    /// Whether this one has been asked to leave.
    async fn is_asked(place: &VisitorPlace) -> bool {
        tokio::time::timeout(Duration::from_millis(1), place.over()).await.is_ok()
    }

    #[test]
    fn the_longest_silent_makes_room_and_who_is_answered_stays() {
        in_time(async {
            let visitors = Arc::new(Visitors::default());
            let mut there = Vec::new();
            for _ in 0..PLACES {
                there.push(visitors.place().await);
            }
            there[0].answering(true);
            tokio::time::sleep(GRACE).await;
            let coming = tokio::spawn({
                let visitors = Arc::clone(&visitors);
                async move { visitors.place().await }
            });
            tokio::time::timeout(Duration::from_secs(10), there[1].over()).await.expect("asked to leave");
            for (i, place) in there.iter().enumerate() {
                assert!(!is_asked(place).await, "one is enough, but {i} is asked too");
            }
            assert!(!coming.is_finished(), "nobody has left yet");
            drop(there.remove(1));
            coming.await.expect("a place");
        });
    }

    #[test]
    fn where_all_are_answered_the_next_one_waits_for_the_first_who_is_silent() {
        in_time(async {
            let visitors = Arc::new(Visitors::default());
            let mut there = Vec::new();
            for _ in 0..PLACES {
                there.push(visitors.place().await);
            }
            there.iter().for_each(|place| place.answering(true));
            let coming = tokio::spawn({
                let visitors = Arc::clone(&visitors);
                async move { visitors.place().await }
            });
            assert!(!is_asked(&there[3]).await);
            there[3].answering(false);
            tokio::time::timeout(Duration::from_secs(10), there[3].over()).await.expect("asked to leave");
            drop(there);
            coming.await.expect("a place");
        });
    }
}
