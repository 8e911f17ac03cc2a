//! How far lifelines stand apart, in any unit: far enough that every label has room on its arrow and all
//! words beside a lifeline end before the next, or, where the reader's width does not allow that, as far
//! as it does.

use super::tracks::Tracks;
use super::{Chart, LifelineMarks, LifelineSide, MessageOutcome};

/// The sizes of things in the unit of a renderer.
pub(super) struct Measures<'a> {
    /// How wide a text is.
    pub text: &'a dyn Fn(&str) -> usize,
    /// From a lifeline to its first track, and from each track to the next.
    pub track: (usize, usize),
    /// What a label needs beside itself on its arrow.
    pub label: usize,
    /// What words beside a lifeline need beside themselves.
    pub words: usize,
    /// The widest line of words beside a lifeline.
    pub line: usize,
    /// Words beside a lifeline are never broken into shorter lines than this.
    pub short: usize,
    /// The smallest room between two lifelines.
    pub gap: usize,
    /// What an arrow says, with all that is said on it.
    pub caption: &'a dyn Fn(usize) -> String,
}

/// The room left of the first lifeline, between lifelines, and right of the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Columns {
    pub left: usize,
    pub gaps: Vec<usize>,
    pub right: usize,
}

impl Measures<'_> {
    /// How far one has to go out from a lifeline to pass by so many tracks.
    pub(super) fn reach(&self, tracks: usize) -> usize {
        if tracks == 0 { 0 } else { self.track.0 + (tracks - 1) * self.track.1 }
    }
}

impl Columns {
    /// All the room that everything would like to have.
    pub(super) fn wished(chart: &Chart, tracks: &Tracks, measures: &Measures<'_>) -> Columns {
        let mut columns = Columns::least(chart, tracks, measures);
        for (row, content) in chart.rows.iter().enumerate() {
            for marks in &content.marks {
                let width = (measures.text)(&marks.text()).min(measures.line) + measures.words;
                columns.need(chart, tracks, measures, row, (marks.lifeline, marks.side), width);
            }
        }
        for (i, arrow) in chart.arrows.iter().enumerate() {
            let beside = (arrow.from, arrow.leaves());
            let width = (measures.text)(&(measures.caption)(i)) + measures.label;
            columns.need(chart, tracks, measures, arrow.start, beside, width);
            if let (None, Some(end), MessageOutcome::Received(_) | MessageOutcome::Swallowed(_)) =
                (tracks.of(i), arrow.later_end(), arrow.outcome)
            {
                let width = (measures.text)("#000") + measures.label;
                columns.need(chart, tracks, measures, end, (arrow.to, arrow.arrives()), width);
            }
        }
        columns
    }

    /// The least that is needed to tell one thing from another.
    pub(super) fn least(chart: &Chart, tracks: &Tracks, measures: &Measures<'_>) -> Columns {
        let half = |i: usize| (measures.text)(&chart.lifelines[i].name) / 2 + 1;
        let last = chart.lifelines.len().saturating_sub(1);
        let gap = |i: usize| {
            let right = measures.reach(tracks.count(i, LifelineSide::Right));
            let left = measures.reach(tracks.count(i + 1, LifelineSide::Left));
            (half(i) + half(i + 1)).max(right + left + measures.track.0).max(measures.gap)
        };
        let outer = |lifeline: usize, side| {
            let here = |marks: &&LifelineMarks| marks.lifeline == lifeline && marks.side == side;
            let spoken = chart.rows.iter().flat_map(|row| &row.marks).filter(here);
            let widest = spoken.map(|marks| (measures.text)(&marks.text())).max();
            let words = widest.map_or(0, |widest| widest.min(measures.short) + measures.words);
            half(lifeline).max(measures.reach(tracks.count(lifeline, side)) + words)
        };
        if chart.lifelines.is_empty() {
            return Columns { left: 0, gaps: Vec::new(), right: 0 };
        }
        Columns {
            left: outer(0, LifelineSide::Left),
            gaps: (0..last).map(gap).collect(),
            right: outer(last, LifelineSide::Right),
        }
    }

    /// The same, but the widest are made narrower, down to the least, until all of it fits into `total`.
    pub(super) fn within(mut self, total: usize, least: &Columns) -> Columns {
        while self.total() > total {
            let floors = std::iter::once(least.left).chain(least.gaps.iter().copied()).chain([least.right]);
            let rooms = std::iter::once(&mut self.left).chain(&mut self.gaps).chain([&mut self.right]);
            match rooms.zip(floors).filter(|(room, floor)| **room > *floor).max_by_key(|(room, _)| **room) {
                Some((room, _)) => *room -= 1,
                None => break,
            }
        }
        self
    }

    /// All of it together, lifelines not counted.
    pub(super) fn total(&self) -> usize {
        self.left + self.gaps.iter().sum::<usize>() + self.right
    }

    /// Asks for `width` beside a lifeline in a row, between the tracks that are in use there.
    fn need(
        &mut self,
        chart: &Chart,
        tracks: &Tracks,
        measures: &Measures<'_>,
        row: usize,
        (lifeline, side): (usize, LifelineSide),
        width: usize,
    ) {
        let near = measures.reach(tracks.extent(lifeline, side, row));
        let neighbour = match side {
            LifelineSide::Left => lifeline.checked_sub(1),
            LifelineSide::Right => Some(lifeline + 1).filter(|&next| next < chart.lifelines.len()),
        };
        let far = neighbour.map_or(0, |next| measures.reach(tracks.extent(next, side.opposite(), row)));
        let room = match (side, neighbour) {
            (LifelineSide::Left, None) => &mut self.left,
            (LifelineSide::Left, Some(previous)) => &mut self.gaps[previous],
            (LifelineSide::Right, None) => &mut self.right,
            (LifelineSide::Right, Some(next)) => &mut self.gaps[next - 1],
        };
        *room = (*room).max(near + width + far);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_give_way_first_and_nobody_below_the_least() {
        let wished = Columns { left: 10, gaps: vec![30, 20], right: 5 };
        let least = Columns { left: 4, gaps: vec![8, 18], right: 5 };
        let fitting = wished.clone().within(53, &least);
        assert_eq!(fitting, Columns { left: 10, gaps: vec![19, 19], right: 5 });
        assert_eq!(wished.clone().within(65, &least), wished);
        assert_eq!(wished.within(0, &least), least);
    }
}
