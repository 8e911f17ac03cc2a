//! Delays and losses from the recordings of a run: every message that was sent and numbered, and when it was received. Times
//! can be compared where both ends read one clock, as nodes of one machine do.

use crate::recording_file;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_core::{Pid, RecordedInput, Recording};
use watchkeeper_sim::quality::DelayTrace;

/// A message by its sender, the sender's incarnation, its receiver and its number.
type MessageKey = (Pid, u64, Pid, u64);

/// When each message of a link was sent, and when it arrived if it did.
type LinkTimes = Vec<(u64, Option<u64>)>;

/// The trace of the recordings in a directory, link by link.
pub(super) fn trace(dir: &Path) -> Result<DelayTrace, Problem> {
    let origin = || SettingOrigin::Argument(format!("--trace {}", dir.display()));
    let recordings = recording_file::read(&[dir.to_path_buf()])?;
    delays(&recordings.list)
        .and_then(|delays| DelayTrace::of(delays).map_err(|why| why.to_string()))
        .map_err(|why| origin().refused(why))
}

fn delays(recordings: &[Recording]) -> Result<Vec<Option<u64>>, String> {
    let mut received: HashMap<MessageKey, u64> = HashMap::new();
    // The lives of each receiver, up to the last message that it received: what was sent later may be on its way, and what is
    // sent to a process that is down is not lost by the network.
    let mut lives: BTreeMap<(&str, Pid), Vec<Range<u64>>> = BTreeMap::new();
    for recording in recordings {
        let begins = recording.steps.first().map_or(0, |step| step.at);
        let mut life = begins..begins;
        for step in &recording.steps {
            if let RecordedInput::Receive { from, incarnation, number, .. } = step.input {
                received.insert((from, incarnation, recording.process, number), step.at);
                life.end = life.end.max(step.at);
            }
        }
        lives.entry((&recording.clock, recording.process)).or_default().push(life);
    }
    let mut links: BTreeMap<(Pid, Pid), LinkTimes> = BTreeMap::new();
    for recording in recordings {
        for step in &recording.steps {
            for send in &step.sends {
                let (Some(number), Some(lives)) =
                    (send.number, lives.get(&(recording.clock.as_str(), send.to)))
                else {
                    continue;
                };
                let key = (recording.process, recording.incarnation, send.to, number);
                let arrived = received.get(&key).copied();
                if let Some(arrived) = arrived.filter(|arrived| *arrived < step.at) {
                    let early = step.at - arrived;
                    return Err(format!(
                        "message {number} from {} to {} was received {early} ns before it was sent; a trace cannot go backwards",
                        recording.process, send.to
                    ));
                }
                if arrived.is_some() || lives.iter().any(|life| life.contains(&step.at)) {
                    links.entry((recording.process, send.to)).or_default().push((step.at, arrived));
                }
            }
        }
    }
    if links.is_empty() {
        return Err(
            "no message in it was sent and received by the same clock; record the nodes of one machine"
                .to_string(),
        );
    }
    let all = links.into_values().flat_map(|mut link| {
        link.sort_by_key(|(sent, _)| *sent);
        link
    });
    Ok(all.map(|(sent, arrived)| arrived.map(|arrived| arrived - sent)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::{RecordedSend, RecordedStep};

    fn recording(process: usize, steps: Vec<(u64, RecordedInput, Option<u64>)>) -> Recording {
        let to = Pid::at(1 - process);
        let step = |(at, input, number): (u64, RecordedInput, Option<u64>)| RecordedStep {
            at,
            input,
            picks: Vec::new(),
            sends: number
                .map(|number| RecordedSend { to, number: Some(number), reply: false, msg: Vec::new() })
                .into_iter()
                .collect(),
            outputs: Vec::new(),
            state: Vec::new(),
        };
        let steps = steps.into_iter().map(step).collect();
        Recording {
            process: Pid::at(process),
            incarnation: 7,
            clock: "a".into(),
            steps,
            stalls: Vec::new(),
            ended: None,
        }
    }

    fn received(number: u64) -> RecordedInput {
        RecordedInput::Receive { from: Pid::at(0), incarnation: 7, number, msg: Vec::new() }
    }

    #[test]
    fn what_never_came_is_lost_and_what_may_still_come_is_left_out() {
        let timer = || RecordedInput::Fire { slot: 0, due: 0 };
        let sender = (1..=4).map(|number| (100 * number, timer(), Some(number))).collect();
        let receiver =
            vec![(50, RecordedInput::Start, None), (130, received(1), None), (310, received(3), None)];
        let all = [recording(0, sender), recording(1, receiver)];
        assert_eq!(delays(&all), Ok(vec![Some(30), None, Some(10)]));
    }

    #[test]
    fn what_is_sent_to_a_process_that_is_down_is_not_lost_by_the_network() {
        let timer = || RecordedInput::Fire { slot: 0, due: 0 };
        let sender = (1..=6).map(|number| (100 * number, timer(), Some(number))).collect();
        let before = vec![(50, RecordedInput::Start, None), (130, received(1), None)];
        let after = vec![(450, RecordedInput::Start, None), (620, received(6), None)];
        let all = [recording(0, sender), recording(1, before), recording(1, after)];
        assert_eq!(delays(&all), Ok(vec![Some(30), None, Some(20)]), "2 to 4 came to nobody");
    }

    #[test]
    fn what_arrives_before_it_is_sent_is_refused() {
        let sender = vec![(100, RecordedInput::Start, Some(1))];
        let all = [recording(0, sender.clone()), recording(1, vec![(90, received(1), None)])];
        assert!(delays(&all).unwrap_err().contains("10 ns before it was sent"));
        assert!(delays(&[recording(0, sender)]).is_err(), "nobody received anything");
    }
}
