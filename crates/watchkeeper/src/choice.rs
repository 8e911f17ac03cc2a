//! Parameters for a target: the longest period, and with it the most patience, for which a detector still finds crashes in
//! time and errs rarely enough. Who answers these two questions, and how, is left to the caller.
//!
//! A longer period costs fewer messages, so periods are tried from the longest on, and the first that will do is the
//! cheapest. More patience makes fewer mistakes and finds crashes later, so of each period only the most patience that
//! still finds them in time is asked about mistakes. Both are stated with the answer.

use std::ops::RangeInclusive;

/// What came of a question about one pair of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetMet {
    /// The target is met.
    Yes,
    /// It is not.
    No,
    /// Nobody could tell.
    Unknown,
    /// There is no detector with these parameters.
    Refused,
}

/// A pair of parameters that was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriedParams {
    /// The period.
    pub period: u32,
    /// The most patience with which crashes are found in time; `None` if none is little enough, or nobody could tell.
    pub patience: Option<u32>,
    /// Whether it errs rarely enough; without patience, why there is none.
    pub accurate: TargetMet,
}

/// What came of all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceEnding {
    /// These meet the target, and no longer period of the range was seen to.
    Chosen {
        /// The period.
        period: u32,
        /// The patience.
        patience: u32,
    },
    /// With no period of the range crashes are found in time, not even with the least patience.
    TooSlow,
    /// Where crashes are found in time, there are too many mistakes.
    TooManyMistakes,
    /// There is no detector with any parameters of the range.
    Refused,
    /// Some question was not answered, and nothing that was answered meets the target.
    Unknown,
}

/// The search for parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterChoice {
    /// What came of it.
    pub ending: ChoiceEnding,
    /// What was tried, in order.
    pub tried: Vec<TriedParams>,
    /// Whether some question was not answered: what was not chosen may do as well.
    pub undecided: bool,
    /// Whether there is no detector with some of the parameters.
    pub refused: bool,
}

/// Chooses among these periods, the longest first, and this patience. `detects` says whether crashes are found in time,
/// `accurate` whether mistakes are rare enough.
pub fn choose<E>(
    periods: impl IntoIterator<Item = u32>,
    patience: RangeInclusive<u32>,
    mut detects: impl FnMut(u32, u32) -> Result<TargetMet, E>,
    mut accurate: impl FnMut(u32, u32) -> Result<TargetMet, E>,
) -> Result<ParameterChoice, E> {
    let mut tried: Vec<TriedParams> = Vec::new();
    let (mut undecided, mut refused) = (false, false);
    let mut guess = *patience.start();
    for period in periods {
        let mut answers = Vec::new();
        let most = most_patience(&patience, guess, |patience| {
            answers.push(detects(period, patience)?);
            Ok(answers.last() == Some(&TargetMet::Yes))
        })?;
        undecided |= answers.contains(&TargetMet::Unknown);
        refused |= answers.contains(&TargetMet::Refused);
        let answer = match most {
            Some(most) => {
                guess = most;
                accurate(period, most)?
            }
            None => {
                let reasons = [TargetMet::Unknown, TargetMet::No];
                reasons.into_iter().find(|why| answers.contains(why)).unwrap_or(TargetMet::Refused)
            }
        };
        undecided |= answer == TargetMet::Unknown;
        tried.push(TriedParams { period, patience: most, accurate: answer });
        if let (Some(patience), TargetMet::Yes) = (most, answer) {
            let ending = ChoiceEnding::Chosen { period, patience };
            return Ok(ParameterChoice { ending, tried, undecided, refused });
        }
    }
    let ending = match tried.iter().any(|tried| tried.patience.is_some()) {
        _ if undecided => ChoiceEnding::Unknown,
        true => ChoiceEnding::TooManyMistakes,
        false if tried.iter().all(|tried| tried.accurate == TargetMet::Refused) => ChoiceEnding::Refused,
        false => ChoiceEnding::TooSlow,
    };
    Ok(ParameterChoice { ending, tried, undecided, refused })
}

/// The most patience for which the answer is yes, looked for around a guess.
fn most_patience<E>(
    range: &RangeInclusive<u32>,
    guess: u32,
    mut holds: impl FnMut(u32) -> Result<bool, E>,
) -> Result<Option<u32>, E> {
    let (least, greatest) = (*range.start(), *range.end());
    // Below `low` it holds everywhere, from `high` on nowhere; both are one further than what was asked.
    let (mut low, mut high) = (least, greatest.saturating_add(1));
    let (mut at, mut stride) = (guess.clamp(least, greatest), 1);
    let upwards = holds(at)?;
    loop {
        if upwards {
            low = at + 1;
        } else {
            high = at;
        }
        let next = if upwards { at.saturating_add(stride) } else { at.saturating_sub(stride) };
        if low >= high || next >= high && upwards || next < low && !upwards {
            break;
        }
        (at, stride) = (next, stride.saturating_mul(2));
        if holds(at)? != upwards {
            if upwards {
                high = at;
            } else {
                low = at + 1;
            }
            break;
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok((low > least).then(|| low - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn met(yes: bool) -> Result<TargetMet, Infallible> {
        Ok(if yes { TargetMet::Yes } else { TargetMet::No })
    }

    #[test]
    fn the_most_patience_is_found_from_every_guess_in_few_questions() {
        for limit in 0..=70 {
            for guess in 5..=64 {
                let mut asked = Vec::new();
                let found = most_patience(&(5..=64), guess, |patience| {
                    asked.push(patience);
                    Ok::<bool, Infallible>(patience <= limit)
                });
                let expected = (limit >= 5).then(|| limit.min(64));
                assert_eq!(found, Ok(expected), "{limit} from {guess}: {asked:?}");
                assert!(asked.len() <= 14, "{limit} from {guess}: {asked:?}");
                let mut different = asked.clone();
                different.sort_unstable();
                different.dedup();
                assert_eq!(different.len(), asked.len(), "nothing is asked twice: {asked:?}");
            }
        }
    }

    /// The detector that finds a crash within period and patience together, and errs rarely with 3 periods of patience.
    fn chosen(within: u32, range: RangeInclusive<u32>) -> ParameterChoice {
        let detects = |period, patience| met(period + patience <= within);
        let accurate = |period, patience| met(patience >= 3 * period);
        choose((1..=within).rev(), range, detects, accurate).expect("no errors")
    }

    #[test]
    fn the_longest_period_that_will_do_is_chosen_with_the_most_patience() {
        let choice = chosen(100, 0..=1000);
        assert_eq!(choice.ending, ChoiceEnding::Chosen { period: 25, patience: 75 });
        assert_eq!(choice.tried.len(), 76);
    }

    #[test]
    fn what_cannot_be_met_is_told_by_its_reason() {
        assert_eq!(chosen(100, 200..=300).ending, ChoiceEnding::TooSlow);
        assert_eq!(chosen(100, 0..=2).ending, ChoiceEnding::TooManyMistakes);
        let unsure = choose([3, 2], 0..=9, |_, _| Ok::<_, Infallible>(TargetMet::Unknown), |_, _| met(true));
        assert_eq!(unsure.map(|choice| choice.ending), Ok(ChoiceEnding::Unknown));
        let refused = |_, _| Ok::<_, Infallible>(TargetMet::Refused);
        let none = choose([3, 2], 0..=9, refused, |_, _| met(true)).expect("no errors");
        assert_eq!((none.ending, none.refused, none.undecided), (ChoiceEnding::Refused, true, false));
        // Of period 3 there is none, and with period 2 it takes too long.
        let some =
            |period, _| Ok::<_, Infallible>(if period == 3 { TargetMet::Refused } else { TargetMet::No });
        let slow = choose([3, 2], 0..=9, some, |_, _| met(true)).expect("no errors");
        assert_eq!((slow.ending, slow.refused), (ChoiceEnding::TooSlow, true));
    }

    #[test]
    fn what_was_not_decided_is_told_with_the_choice() {
        let accurate =
            |period, _| Ok::<_, Infallible>(if period == 3 { TargetMet::Unknown } else { TargetMet::Yes });
        let choice = choose([3, 2], 0..=9, |_, _| met(true), accurate).expect("no errors");
        assert_eq!(choice.ending, ChoiceEnding::Chosen { period: 2, patience: 9 });
        assert!(choice.undecided && !choice.refused && !chosen(100, 0..=1000).undecided);
    }
}
