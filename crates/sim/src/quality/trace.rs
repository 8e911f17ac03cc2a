//! Measured delays and losses, in the order in which the messages were sent.

use crate::distribution::LONGEST;

/// The longest trace that is read, in messages.
const MOST: usize = 50_000_000;

/// What became of the messages of a link, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DelayTrace {
    /// How long each took, in nanoseconds; `None` for one that was lost.
    delays: Vec<Option<u64>>,
}

/// A trace that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// No header.
    #[error("line 1: expected the header `sent,received`")]
    Header,
    /// A line without two columns of numbers.
    #[error("line {0}: expected two numbers of seconds, `sent,received`, of which the second may be empty")]
    Line(usize),
    /// A message that arrives before it is sent.
    #[error("line {0}: the message was received before it was sent; both times must be of one clock")]
    BeforeSent(usize),
    /// Messages out of order.
    #[error("line {0}: the message was sent before the one above it; sort the lines by the time of sending")]
    Unsorted(usize),
    /// Not one message that arrives.
    #[error("no message of the trace arrives, so there is no delay to take from it")]
    Empty,
    /// More than anybody has measured.
    #[error("more than {MOST} messages; take a part of the trace")]
    TooLong,
}

impl DelayTrace {
    /// A trace of these delays in nanoseconds, `None` for what was lost. What takes longer than an hour takes an hour.
    pub fn of(mut delays: Vec<Option<u64>>) -> Result<DelayTrace, TraceError> {
        delays.iter_mut().flatten().for_each(|delay| *delay = (*delay).min(LONGEST));
        if delays.iter().all(Option::is_none) {
            return Err(TraceError::Empty);
        }
        if delays.len() > MOST {
            return Err(TraceError::TooLong);
        }
        Ok(DelayTrace { delays })
    }

    /// Reads comma-separated values with the header `sent,received`, in seconds of one clock; nothing in the second column
    /// is a message that was lost. Further columns are ignored.
    pub fn read(text: &str) -> Result<DelayTrace, TraceError> {
        let mut lines = text.lines().enumerate();
        let header = lines.next().map(|(_, line)| line.trim_start_matches('\u{feff}').trim());
        if !header.is_some_and(|line| line.split(',').map(str::trim).take(2).eq(["sent", "received"])) {
            return Err(TraceError::Header);
        }
        let mut delays = Vec::new();
        let mut last = f64::NEG_INFINITY;
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let number = number + 1;
            let seconds = |text: &str| text.trim().parse::<f64>().ok().filter(|seconds| seconds.is_finite());
            let mut columns = line.split(',');
            let sent = columns.next().and_then(seconds).ok_or(TraceError::Line(number))?;
            let received = columns.next().ok_or(TraceError::Line(number))?;
            if sent < last {
                return Err(TraceError::Unsorted(number));
            }
            last = sent;
            if received.trim().is_empty() {
                delays.push(None);
                continue;
            }
            let received = seconds(received).ok_or(TraceError::Line(number))?;
            if received < sent {
                return Err(TraceError::BeforeSent(number));
            }
            delays.push(Some(((received - sent) * 1e9).round() as u64));
        }
        DelayTrace::of(delays)
    }

    /// How many messages there are; never none.
    #[expect(clippy::len_without_is_empty, reason = "a trace is never empty")]
    pub fn len(&self) -> usize {
        self.delays.len()
    }

    /// The share of messages that were lost.
    pub fn loss(&self) -> f64 {
        self.delays.iter().filter(|delay| delay.is_none()).count() as f64 / self.len() as f64
    }

    /// The shortest delay.
    pub fn shortest(&self) -> u64 {
        self.delays.iter().flatten().copied().min().unwrap_or(0)
    }

    /// The longest delay.
    pub fn longest(&self) -> u64 {
        self.delays.iter().flatten().copied().max().unwrap_or(0)
    }

    /// What became of a message; the first follows upon the last.
    pub(super) fn at(&self, place: usize) -> Option<u64> {
        self.delays[place % self.delays.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_and_losses_are_read_in_their_order() {
        let trace = DelayTrace::read("sent,received,note\n0.5,0.75,x\n1,\n\n1.5,1.5\n").expect("a trace");
        assert_eq!(trace.delays, [Some(250_000_000), None, Some(0)]);
        assert_eq!((trace.longest(), trace.at(3)), (250_000_000, Some(250_000_000)));
    }

    #[test]
    fn what_goes_backwards_is_refused_with_its_line() {
        let read = |lines: &str| DelayTrace::read(&format!("sent,received\n{lines}"));
        assert_eq!(read("1,2\n3,2.5\n"), Err(TraceError::BeforeSent(3)));
        assert_eq!(read("1,2\n0.5,2.5\n"), Err(TraceError::Unsorted(3)));
        assert_eq!(read("1,2\n\n2,late\n"), Err(TraceError::Line(4)));
        assert_eq!(read("1,2\n2\n"), Err(TraceError::Line(3)));
        assert_eq!(read("1,\n"), Err(TraceError::Empty));
        assert_eq!(DelayTrace::read("1,2\n"), Err(TraceError::Header));
        assert_eq!(DelayTrace::read(""), Err(TraceError::Header));
    }
}
