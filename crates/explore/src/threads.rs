//! Work that several threads share. Each of them takes from what all share, so that fewer do as well: where the system
//! gives no more threads, those that there are do everything.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, scope};

/// Does a job in so many threads, this one among them, or in as many as can be had; what each of them came to. The job
/// takes pieces of a shared work until there are none left.
pub(crate) fn in_threads<T: Send>(count: usize, job: impl Fn() -> T + Sync) -> Vec<T> {
    if count < 2 {
        return vec![job()];
    }
    scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, &job).ok();
        let threads: Vec<_> = (1..count).map_while(start).collect();
        let mut done = vec![job()];
        let joined = threads.into_iter().map(|thread| thread.join());
        done.extend(joined.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))));
        done
    })
}

/// Visits the numbers below `pieces` in so many threads, each with a value of its own; the values.
pub(crate) fn over_pieces<T: Send>(
    count: usize,
    pieces: usize,
    start: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, usize) + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    in_threads(count, || {
        let mut own = start();
        while let Some(piece) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&piece| piece < pieces) {
            visit(&mut own, piece);
        }
        own
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_taken_once_by_any_number_of_threads() {
        for count in [0, 1, 2, 5] {
            let taken = over_pieces(count, 100, Vec::new, |taken, piece| taken.push(piece));
            let mut taken: Vec<usize> = taken.concat();
            taken.sort_unstable();
            assert_eq!(taken, (0..100).collect::<Vec<_>>(), "{count} threads");
        }
    }

    #[test]
    fn a_panic_of_one_thread_is_a_panic_of_all() {
        let next = AtomicUsize::new(0);
        let job = || assert!(next.fetch_add(1, Ordering::Relaxed) != 1, "the second one fails");
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| in_threads(3, job)));
        assert!(failed.is_err());
    }
}
