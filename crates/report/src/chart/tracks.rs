//! Places beside the lifelines for messages that are on their way while other things happen: such a
//! message goes across at once, waits on a track close to its destination, and turns in when it is
//! received. Two of them cross if and only if one overtakes the other, as long as there are tracks
//! enough.

use super::{Chart, LifelineSide};

/// Which message waits on which track; tracks are counted from the lifeline outwards.
pub(super) struct Tracks {
    of: Vec<Option<usize>>,
    spans: Vec<Span>,
}

struct Span {
    lifeline: usize,
    side: LifelineSide,
    start: usize,
    end: usize,
    track: usize,
}

impl Tracks {
    /// Gives out at most `most` tracks on each side of a lifeline. Messages that find none have none.
    pub(super) fn assign(chart: &Chart, most: usize) -> Tracks {
        let mut tracks = Tracks { of: vec![None; chart.arrows.len()], spans: Vec::new() };
        for (i, arrow) in chart.arrows.iter().enumerate() {
            let Some(end) = arrow.later_end() else { continue };
            let (lifeline, side, start) = (arrow.to, arrow.arrives(), arrow.start);
            let taken: Vec<usize> = tracks.at(lifeline, side, start).map(|span| span.track).collect();
            // Outside of all others nothing is crossed on the way in; a gap between them is second best.
            let outside = taken.iter().max().map_or(0, |track| track + 1);
            let free = (outside < most).then_some(outside);
            let free = free.or_else(|| (0..most).find(|track| !taken.contains(track)));
            if let Some(track) = free {
                tracks.of[i] = Some(track);
                tracks.spans.push(Span { lifeline, side, start, end, track });
            }
        }
        tracks
    }

    /// The track of an arrow.
    pub(super) fn of(&self, arrow: usize) -> Option<usize> {
        self.of[arrow]
    }

    /// How many tracks, counted from the lifeline, are needed at all.
    pub(super) fn count(&self, lifeline: usize, side: LifelineSide) -> usize {
        let here = self.spans.iter().filter(|span| span.lifeline == lifeline && span.side == side);
        here.map(|span| span.track + 1).max().unwrap_or(0)
    }

    /// How many tracks, counted from the lifeline, one has to go out to pass by all that are in use in
    /// this row.
    pub(super) fn extent(&self, lifeline: usize, side: LifelineSide, row: usize) -> usize {
        self.at(lifeline, side, row).map(|span| span.track + 1).max().unwrap_or(0)
    }

    /// All tracks in use in this row: lifeline, side, track.
    pub(super) fn in_use(&self, row: usize) -> impl Iterator<Item = (usize, LifelineSide, usize)> {
        let here = self.spans.iter().filter(move |span| span.start <= row && row <= span.end);
        here.map(|span| (span.lifeline, span.side, span.track))
    }

    fn at(&self, lifeline: usize, side: LifelineSide, row: usize) -> impl Iterator<Item = &Span> {
        let here = move |span: &&Span| span.lifeline == lifeline && span.side == side;
        self.spans.iter().filter(here).filter(move |span| span.start <= row && row <= span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lifeline, MessageArrow, MessageOutcome};
    use super::*;

    fn chart(spans: &[(usize, usize)]) -> Chart {
        let arrow = |&(start, end): &(usize, usize)| MessageArrow {
            from: 0,
            to: 1,
            label: String::new(),
            number: None,
            kind: 0,
            start,
            copy: false,
            outcome: MessageOutcome::Received(end),
        };
        let lifelines = vec![Lifeline::new(String::new()); 2];
        Chart { lifelines, rows: Vec::new(), arrows: spans.iter().map(arrow).collect(), repeated: None }
    }

    fn assigned(spans: &[(usize, usize)], most: usize) -> Vec<Option<usize>> {
        Tracks::assign(&chart(spans), most).of
    }

    #[test]
    fn later_messages_wait_further_out() {
        assert_eq!(assigned(&[(0, 5), (1, 6), (7, 9)], 9), [Some(0), Some(1), Some(0)]);
        assert_eq!(assigned(&[(0, 3), (1, 9), (4, 10)], 9), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn a_message_received_at_once_needs_none() {
        assert_eq!(assigned(&[(0, 0)], 9), [None]);
    }

    #[test]
    fn gaps_are_filled_when_tracks_run_out_and_then_there_are_none() {
        assert_eq!(assigned(&[(0, 3), (1, 9), (4, 10), (5, 6)], 2), [Some(0), Some(1), Some(0), None]);
    }

    #[test]
    fn the_extent_is_that_of_the_outermost_in_use() {
        let tracks = Tracks::assign(&chart(&[(0, 3), (1, 9)]), 9);
        let extents: Vec<usize> =
            [0, 1, 3, 4, 9, 10].map(|row| tracks.extent(1, LifelineSide::Left, row)).into();
        assert_eq!(extents, [1, 2, 2, 2, 2, 0]);
        assert_eq!(tracks.extent(1, LifelineSide::Right, 1), 0);
        assert_eq!(tracks.count(1, LifelineSide::Left), 2);
    }
}
