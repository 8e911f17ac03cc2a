//! Where the theorems about the consensus protocols end. Whoever asks for more than they promise is warned, with what
//! to expect; nothing is forbidden.

use watchkeeper_world::{OracleAccuracy, Scenario};

/// Beyond figure 5.
pub(super) fn of_strong(around: &Scenario) -> Option<(&'static str, String)> {
    let class = match around.oracle?.accuracy {
        OracleAccuracy::Weak | OracleAccuracy::Strong { mistakes: 0 } => return None,
        OracleAccuracy::Strong { .. } => "makes mistakes: nobody need be left alone from the start",
        OracleAccuracy::EventuallyStrong => "is only of class ◇P: it may suspect everyone for a while",
        OracleAccuracy::EventuallyWeak => "is only of class ◇S: it may suspect everyone for a while",
        OracleAccuracy::None => "has no accuracy at all: it may suspect everyone, for ever",
    };
    Some((
        "agreement",
        format!(
            "Chandra and Toueg (1996, figure 5) prove this protocol for detectors of class S, and this one {class}; \
             agreement need not hold, nor termination, while integrity and validity do not rest on the detector"
        ),
    ))
}

/// Beyond figure 6.
pub(super) fn of_rotating(around: &Scenario) -> Vec<(&'static str, String)> {
    let accuracy = around.oracle.map(|oracle| oracle.accuracy);
    let inaccurate = (accuracy == Some(OracleAccuracy::None)).then(|| {
        "Chandra and Toueg (1996, figure 6) prove termination of this protocol for detectors of class ◇S, and this one \
         has no accuracy at all; termination need not hold, while agreement, integrity and validity do not rest on the \
         detector"
            .to_string()
    });
    inaccurate.into_iter().chain(minority(around)).map(|warning| ("termination", warning)).collect()
}

/// Beyond figure 6, on a detector that is there.
pub(super) fn of_minority(around: &Scenario) -> Vec<(&'static str, String)> {
    minority(around).into_iter().map(|warning| ("termination", warning)).collect()
}

/// What is to be said where no majority need stay up.
fn minority(around: &Scenario) -> Option<String> {
    let (n, faults) = (around.n, &around.faults);
    let down = faults.crashes as usize + faults.crashed_at_start.len();
    (2 * down >= n).then(|| {
        format!(
            "Chandra and Toueg (1996, figure 6) prove termination of this protocol where fewer than half of the processes \
             crash, and here {down} of {n} may; termination need not hold, while agreement, integrity and validity do not \
             rest on how many crash"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_world::{Oracle, SuspicionMemory};

    fn around(n: usize, crashes: u32, accuracy: OracleAccuracy) -> Scenario {
        let mut scenario = Scenario::new(n);
        scenario.faults.crashes = crashes;
        scenario.oracle = Some(Oracle { accuracy, memory: SuspicionMemory::Momentary });
        scenario
    }

    #[test]
    fn a_majority_is_more_than_half() {
        for (n, crashes, warned) in
            [(2, 0, false), (2, 1, true), (3, 1, false), (3, 2, true), (4, 2, true), (5, 2, false)]
        {
            assert_eq!(
                minority(&around(n, crashes, OracleAccuracy::EventuallyWeak)).is_some(),
                warned,
                "{crashes} of {n}"
            );
        }
    }

    #[test]
    fn a_class_is_too_weak_for_one_protocol_and_enough_for_the_other() {
        let warned = |accuracy| {
            let around = around(3, 1, accuracy);
            (of_strong(&around).is_some(), of_rotating(&around).len())
        };
        assert_eq!(warned(OracleAccuracy::Weak), (false, 0));
        assert_eq!(warned(OracleAccuracy::EventuallyWeak), (true, 0));
        assert_eq!(warned(OracleAccuracy::None), (true, 1));
        assert_eq!(warned(OracleAccuracy::Strong { mistakes: 0 }), (false, 0));
        assert_eq!(warned(OracleAccuracy::Strong { mistakes: 1 }), (true, 0));
        assert_eq!(warned(OracleAccuracy::EventuallyStrong), (true, 0));
    }
}
