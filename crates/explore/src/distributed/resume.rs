//! How a search on several workers goes on from a checkpoint. Each part is read by a worker that has it on its host, depth by
//! depth, and every state goes to its present owner: there may be more workers than before, or fewer. What comes together
//! must be what was counted, and begin where this space does; else nothing is searched.

use super::chain::{Chain, ChainLink, Survey, put_parts, take_parts};
use super::message::{MessageKind, MessageReader, MessageWriter};
use super::search::TeamSearch;
use super::shard::StateShard;
use super::sums::{Halted, reader, share};
use super::{Exchange, refused};
use crate::ExploreError;
use crate::breadth::Failure;
use crate::journal::{PartHead, PartReading, TeamJournal, Totals};
use crate::search::{Progress, ProgressCallback};
use crate::store::Key;
use std::ops::ControlFlow;

/// Whether the checkpoint that all workers have between them is of collapsed rows.
pub(crate) fn is_collapsed(
    exchange: &mut dyn Exchange,
    journal: &TeamJournal<'_>,
) -> Result<bool, ExploreError> {
    Ok(survey(exchange, journal)?.is_collapsed())
}

/// What all workers have committed, each asked what is on its host.
fn survey(exchange: &mut dyn Exchange, journal: &TeamJournal<'_>) -> Result<Survey, ExploreError> {
    let (own, complaint) = match journal.parts() {
        Ok(parts) => (parts, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let mut out = MessageWriter::new(MessageKind::Totals);
    put_complaint(complaint.as_ref(), &mut out);
    put_parts(&own, &mut out);
    let (mut survey, mut refusal) = (Survey::default(), None);
    for (holder, bytes) in share(exchange, out.0).iter().enumerate() {
        let told =
            reader(bytes).and_then(|mut from| Some((take_complaint(&mut from)?, take_parts(&mut from)?)));
        match told {
            Some((None, parts)) => survey.add(holder, parts),
            Some((complaint, _)) => refusal = refusal.or(complaint),
            None => return Err(refused(format!("worker {holder} told nothing of its checkpoint"))),
        }
    }
    refusal.map_or(Ok(survey), |why| Err(ExploreError::Checkpoint(why)))
}

fn put_complaint(complaint: Option<&ExploreError>, out: &mut MessageWriter) {
    out.bytes(complaint.map(ToString::to_string).unwrap_or_default().as_bytes());
}

fn take_complaint(from: &mut MessageReader<'_>) -> Option<Option<String>> {
    from.text().map(|text| Some(text).filter(|text| !text.is_empty()))
}

/// A part that this worker reads, and its place in the chain.
struct OwnPart<'l> {
    link: usize,
    reading: PartReading<'l>,
}

impl<'a> TeamSearch<'a> {
    /// Begins the journal of this run. If there is a checkpoint its states are in the tables after this, those of its
    /// depth wait to be expanded, and its totals are returned.
    pub(super) fn resume<K: Key>(
        &mut self,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'a, K>,
        journal: &mut TeamJournal<'_>,
        callback: &dyn ProgressCallback,
    ) -> Result<Option<Totals>, Failure> {
        let survey = survey(exchange, journal).map_err(Failure::Error)?;
        let unusable = |why: String| {
            Failure::Error(ExploreError::Checkpoint(format!(
                "the checkpoint cannot be used: {why}\n  Nothing was searched."
            )))
        };
        let chain = survey.chain(journal.is_collapsed()).map_err(unusable)?;
        let (me, workers) = (exchange.index(), exchange.workers() as u64);
        let last = chain.as_ref().and_then(|chain| chain.links.last());
        let (after, first) = last.map_or((0, 0), |link| (link.run, link.last + 1));
        let head = PartHead { workers, after, first, commits: 0, collapsed: false, sizes: Vec::new() };
        let mut opened = self.open(me, &survey, chain.as_ref(), journal);
        if opened.is_ok() {
            let begun = journal.begin((survey.next_run(), me as u64), head);
            opened = begun.and(opened);
        }
        let totals = self.agreed_totals(exchange, &opened, chain.as_ref())?;
        let (Some(chain), Some(totals), Ok(mut own)) = (chain, totals, opened) else { return Ok(None) };
        self.known = (totals.stored, totals.all.steps);
        self.load(exchange, shard, &chain, &mut own, callback)?;
        self.check(exchange, shard, &totals)?;
        Ok(Some(totals))
    }

    /// Opens the parts that this worker reads.
    fn open(
        &self,
        me: usize,
        survey: &Survey,
        chain: Option<&Chain>,
        journal: &TeamJournal<'_>,
    ) -> Result<Vec<OwnPart<'a>>, ExploreError> {
        let mut own = Vec::new();
        for (link, ChainLink { run, workers, .. }) in
            chain.iter().flat_map(|chain| chain.links.iter().enumerate())
        {
            for worker in (0..*workers).filter(|&worker| survey.reader((*run, worker)) == Some(me)) {
                let reading = journal.open((*run, worker), self.travelling.space, self.question)?;
                own.push(OwnPart { link, reading });
            }
        }
        Ok(own)
    }

    /// The totals of the checkpoint, told by the worker that reads them; an error if a worker cannot go on.
    fn agreed_totals(
        &self,
        exchange: &mut dyn Exchange,
        opened: &Result<Vec<OwnPart<'_>>, ExploreError>,
        chain: Option<&Chain>,
    ) -> Result<Option<Totals>, Failure> {
        let wrong = || Failure::Error(refused("a worker told totals that make no sense here"));
        let mut out = MessageWriter::new(MessageKind::Totals);
        put_complaint(opened.as_ref().err(), &mut out);
        let depth = chain.and_then(|chain| chain.links.last()).map(|link| link.last);
        let newest = |part: &&OwnPart<'_>| {
            chain.is_some_and(|chain| part.link + 1 == chain.links.len())
                && depth == Some(part.reading.head.depth())
        };
        let told = opened.as_ref().ok().and_then(|own| own.iter().find(newest));
        out.bytes(told.map_or(&[][..], |part| &part.reading.totals));
        let (mut totals, mut refusal) = (None, None);
        for bytes in share(exchange, out.0) {
            let mut from = reader(&bytes).ok_or_else(wrong)?;
            refusal = refusal.or(take_complaint(&mut from).ok_or_else(wrong)?);
            let told = from.bytes().ok_or_else(wrong)?;
            if totals.is_none() && !told.is_empty() {
                totals = Some(Totals::read(told, self.travelling.space, self.question).ok_or_else(wrong)?);
            }
        }
        match refusal {
            Some(why) => Err(Failure::Error(ExploreError::Checkpoint(why))),
            None if totals.is_none() && chain.is_some() => Err(wrong()),
            None => Ok(totals),
        }
    }

    /// Brings the states to their owners, in one round for each depth.
    fn load<K: Key>(
        &self,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'a, K>,
        chain: &Chain,
        own: &mut [OwnPart<'a>],
        callback: &dyn ProgressCallback,
    ) -> Result<(), Failure> {
        let space = self.travelling.space;
        // They must be among what is read, and else the states are more than were counted.
        self.begin(shard);
        for (number, link) in chain.links.iter().enumerate() {
            for depth in link.first..=link.last {
                shard.hand_over();
                shard.next.retain(|_| depth == 0);
                shard.mark = depth + 1;
                shard.widen(&vec![0; space.shape().slots.len()], depth + 2);
                for part in own.iter_mut().filter(|part| part.link == number) {
                    if let Err(error) = self.read(exchange, shard, &mut part.reading, (depth, callback)) {
                        shard.halt(Halted::Checkpoint(error.to_string()));
                    }
                }
                shard.flush();
                shard.ship_all(exchange);
                exchange.finish_round(&mut |from, bytes| shard.receive(from, &bytes));
                shard.flush();
            }
        }
        shard.hand_over();
        shard.settled = 0;
        Ok(())
    }

    /// Reads the states of a depth from a part.
    fn read<K: Key>(
        &self,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'a, K>,
        part: &mut PartReading<'a>,
        (depth, callback): (u64, &dyn ProgressCallback),
    ) -> Result<(), ExploreError> {
        while !shard.is_over()
            && let Some(block) = part.block(depth)?
        {
            shard.read += block.count as u64;
            part.rows(&block, |row| shard.place(row, exchange))?;
            exchange.poll(&mut |from, bytes| shard.receive(from, &bytes));
            let held = shard.bytes() + self.travelling.space.bytes() as u64;
            if let Err(full) = shard.visited.beside(held) {
                shard.halt(full.limit().map_or(Halted::TooWide, Halted::Limit));
            }
            let progress = Progress {
                distinct_states: shard.visited.len(),
                transitions: self.known.1,
                depth,
                queue: 0,
                bytes: shard.visited.bytes(),
            };
            if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
                shard.halt(Halted::Limit(limit));
            }
        }
        Ok(())
    }

    /// That the states that were read are as many as were counted, and all different; unless a worker has halted.
    fn check<K: Key>(
        &self,
        exchange: &mut dyn Exchange,
        shard: &StateShard<'a, K>,
        totals: &Totals,
    ) -> Result<(), Failure> {
        let waiting = shard.next.iter().map(|chunk| chunk.keys.len() as u64).sum();
        let mut out = MessageWriter::new(MessageKind::Totals);
        out.numbers(&[u64::from(shard.is_over()), shard.read, shard.visited.len(), waiting]);
        let mut sums = [0; 4];
        for bytes in share(exchange, out.0) {
            let numbers = reader(&bytes).and_then(|mut from| from.numbers()).unwrap_or_default();
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        let [halted, read, different, waiting] = sums;
        let before: u64 = totals.level_sizes.iter().sum();
        if halted > 0 || [read, different, before + waiting] == [totals.stored; 3] {
            return Ok(());
        }
        Err(Failure::Error(ExploreError::Checkpoint(
            "the states of the checkpoint are not as many as were counted, or not those of this search\n  Nothing was \
             searched. Use another copy of the checkpoint if there is one, or begin anew with another directory."
                .to_string(),
        )))
    }
}
