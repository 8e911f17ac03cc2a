//! One order for the steps of all nodes: that of their times, but a step never before the one before it in its
//! node, a receive never before its send, and nothing that an incarnation received before the incarnation began.

use super::incarnations::Incarnations;
use super::messages::RecordedMessages;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use watchkeeper_core::RecordedInput;

/// The steps in their order, and the place of each.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) steps: Vec<usize>,
    pub(crate) place: Vec<usize>,
}

/// The order of the steps by these times. The incarnations in `together` begin with the run, before everything else.
/// If there is no such order, a step that waits for something that waits for it.
pub(crate) fn sequence(
    run: &Incarnations<'_>,
    messages: &RecordedMessages<'_>,
    together: &[bool],
    times: &[i64],
) -> Result<Sequence, usize> {
    let count = run.steps();
    // The steps that wait for a step: the next one of its process, those that receive what it sent, and those that
    // sent what an incarnation that it begins received.
    let after = |step: usize, then: &mut dyn FnMut(usize)| {
        let incarnation = run.incarnation(step);
        match run.is_last(step) {
            true => run.next(incarnation).into_iter().for_each(|next| then(run.start(next))),
            false => then(step + 1),
        }
        messages.sent(step).filter_map(|message| messages.list[message].received).for_each(&mut *then);
        if run.start(incarnation) == step && !together[incarnation] {
            let read = (step..=run.last(incarnation)).filter_map(|step| messages.read[step]);
            read.for_each(|message| then(messages.list[message].by));
        }
    };
    let mut waits = vec![0usize; count];
    (0..count).for_each(|step| after(step, &mut |next| waits[next] += 1));
    // A message that is due comes before a timeout of the same moment.
    let key = |step: usize| {
        let incarnation = run.incarnation(step);
        if together[incarnation] && run.start(incarnation) == step {
            return (i64::MIN, 0, step);
        }
        let rank = match run.step(step).input {
            RecordedInput::Receive { .. } => 0,
            RecordedInput::Start | RecordedInput::Call { .. } => 1,
            RecordedInput::Fire { .. } => 2,
        };
        (times[step], rank, step)
    };
    let mut ready: BinaryHeap<_> =
        (0..count).filter(|&step| waits[step] == 0).map(|step| Reverse(key(step))).collect();
    let mut sequence = Sequence { steps: Vec::with_capacity(count), place: vec![usize::MAX; count] };
    while let Some(Reverse((_, _, step))) = ready.pop() {
        sequence.place[step] = sequence.steps.len();
        sequence.steps.push(step);
        after(step, &mut |next| {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(Reverse(key(next)));
            }
        });
    }
    let stuck = (0..count).filter(|&step| waits[step] > 0 && messages.read[step].is_some());
    match sequence.steps.len() == count {
        true => Ok(sequence),
        false => Err(stuck.min_by_key(|&step| (times[step], step)).unwrap_or(0)),
    }
}
