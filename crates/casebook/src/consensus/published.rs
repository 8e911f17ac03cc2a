//! What the thesis reports: Table 4.1 and the text below it. Its table calls both columns Algorithm 10; the second
//! is Algorithm 11, by the text.

use super::{Algorithm, ConsensusRequirement};
use watchkeeper_report::{duration, thousands};

/// The report on three processes with different values: the states, the time to generate them, and the time that the
/// requirement took after that; of Algorithm 11 with a detector that is accurate
/// from the start, or that need not become accurate within three rounds.
pub fn published(algorithm: Algorithm, unstable: bool, requirement: ConsensusRequirement) -> Option<String> {
    let minutes = |minutes: u32, seconds: f64| f64::from(minutes) * 60.0 + seconds;
    let (states, generated, verified) = match (algorithm, unstable, requirement) {
        (Algorithm::Strong, false, ConsensusRequirement::Agreement) => {
            (2_504_196, minutes(4, 59.329), minutes(24, 30.543))
        }
        (Algorithm::Strong, false, ConsensusRequirement::Termination) => {
            (2_504_196, minutes(4, 59.329), minutes(6, 10.843))
        }
        (Algorithm::Rotating, false, ConsensusRequirement::Agreement) => {
            (1_021_214, minutes(3, 39.961), minutes(15, 34.880))
        }
        (Algorithm::Rotating, false, ConsensusRequirement::Termination) => {
            (1_021_214, minutes(3, 39.961), minutes(5, 39.798))
        }
        (Algorithm::Rotating, true, ConsensusRequirement::Agreement) => {
            (10_286_215, minutes(46, 8.652), minutes(155, 48.115))
        }
        _ => return None,
    };
    Some(format!("holds, {} states, {} + {}", thousands(states), duration(generated), duration(verified)))
}
