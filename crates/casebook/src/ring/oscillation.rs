//! How often a crashed process can be trusted again: the monitor of figure 6.11 of the thesis with one
//! oscillation, two, three, until it finds nothing any more.

use super::RingCase;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::{Monitor, Outcome, Question, Verdict};
use watchkeeper_space::Space;

/// What the monitor says for one number of oscillations.
#[derive(Clone, Debug)]
pub struct Oscillation {
    /// The number of oscillations that would be an error.
    pub times: u32,
    /// What was found.
    pub verdict: Verdict,
}

/// Asks for 1, 2, 3, ... oscillations, at most `most`, and ends with the first that is not violated.
///
/// An oscillation is that p0 comes to suspect p1 after its crash and then stops. Only a message from p1
/// can end the suspicion, and a crashed process sends none, so their number is bounded by what p1 has left
/// behind.
pub fn oscillations(
    case: &RingCase,
    most: u32,
    search: &Search,
    watch: &impl ProgressCallback,
) -> Result<Vec<Oscillation>, ExploreError> {
    let space = case.space();
    let atom = |name: &str| space.shape().atom(name).expect("every network has this atom");
    let (crashed, suspected) = (atom("crashed(p1)"), atom("suspects(p0,p1)"));
    let mut found = Vec::new();
    for times in 1..=most {
        let monitor = Some(Monitor::oscillation(crashed, suspected, times));
        let verdict = check(&space, &Question { monitor, ..Question::default() }, search, watch)?;
        let violated = matches!(verdict.outcome, Outcome::Violated(_));
        found.push(Oscillation { times, verdict });
        if !violated {
            break;
        }
    }
    Ok(found)
}
