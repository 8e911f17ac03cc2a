//! Workers that are threads of one process.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use watchkeeper_explore::{
    Connect, Exchange, ExploreError, NoCallback, ProgressCallback, Receive, Search, SearchPeers, check,
};
use watchkeeper_logic::{Question, Verdict};
use watchkeeper_space::Space;

/// The round, the sender, and its bytes; none when it has ended the round.
type Letter = (u64, usize, Option<Vec<u8>>);

/// The line of one thread to the others.
struct Threads {
    me: usize,
    senders: Vec<Sender<Letter>>,
    receiver: Receiver<Letter>,
    round: u64,
    early: Vec<Letter>,
    ended: usize,
}

impl Threads {
    fn take(&mut self, letter: Letter, receive: Receive<'_>) {
        match letter {
            (round, ..) if round != self.round => self.early.push(letter),
            (_, _, None) => self.ended += 1,
            (_, from, Some(bytes)) => receive(from, bytes),
        }
    }
}

impl Exchange for Threads {
    fn index(&self) -> usize {
        self.me
    }

    fn workers(&self) -> usize {
        self.senders.len()
    }

    fn send(&mut self, to: usize, bytes: Vec<u8>) {
        self.senders[to].send((self.round, self.me, Some(bytes))).expect("it listens");
    }

    fn poll(&mut self, receive: Receive<'_>) {
        std::mem::take(&mut self.early).into_iter().for_each(|letter| self.take(letter, receive));
        while let Ok(letter) = self.receiver.try_recv() {
            self.take(letter, receive);
        }
    }

    fn finish_round(&mut self, receive: Receive<'_>) {
        for sender in &self.senders {
            sender.send((self.round, self.me, None)).expect("it listens");
        }
        self.poll(receive);
        while self.ended < self.senders.len() {
            let letter = self.receiver.recv().expect("somebody sends");
            self.take(letter, receive);
        }
        (self.round, self.ended) = (self.round + 1, 0);
    }
}

struct Line(Mutex<Threads>);

impl Connect for Line {
    fn with(&self, job: &mut dyn FnMut(&mut dyn Exchange)) -> Result<(), String> {
        job(&mut *self.0.lock().expect("one search at a time"));
        Ok(())
    }
}

/// The answers of so many workers, each with a space of its own.
pub fn answers(
    workers: usize,
    space: impl Fn(usize) -> Box<dyn Space> + Sync,
    question: &Question,
    search: &Search,
) -> Vec<Result<Verdict, ExploreError>> {
    asked(workers, space, question, |_| (search.clone(), &NoCallback))
}

/// The same where each worker has a search and a callback of its own.
pub fn asked<'c>(
    workers: usize,
    space: impl Fn(usize) -> Box<dyn Space> + Sync,
    question: &Question,
    search: impl Fn(usize) -> (Search, &'c dyn ProgressCallback) + Sync,
) -> Vec<Result<Verdict, ExploreError>> {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..workers).map(|_| channel()).unzip();
    std::thread::scope(|scope| {
        let start = |(me, receiver)| {
            let senders = senders.clone();
            let (space, search) = (&space, &search);
            scope.spawn(move || {
                let line = Threads { me, senders, receiver, round: 0, early: Vec::new(), ended: 0 };
                let peers = Some(SearchPeers(Arc::new(Line(Mutex::new(line)))));
                let (search, callback) = search(me);
                check(&*space(me), question, &Search { peers, ..search }, callback)
            })
        };
        let threads: Vec<_> = receivers.into_iter().enumerate().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}
