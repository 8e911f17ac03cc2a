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
}

/// A pair of parameters that was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriedParams {
    /// The period.
    pub period: u32,
    /// The most patience with which crashes are found in time; `None` if none is little enough, or nobody could tell.
    pub patience: Option<u32>,
    /// Whether it errs rarely enough; not asked without patience.
    pub accurate: TargetMet,
}

/// What came of all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceEnding {
    /// These meet the target, and no longer period of the range does.
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
    let mut unknown = false;
    let mut guess = *patience.start();
    for period in periods {
        let (most, unsure) = most_patience(&patience, guess, |patience| detects(period, patience))?;
        unknown |= unsure;
        let answer = match most {
            None if unsure => TargetMet::Unknown,
            None => TargetMet::No,
            Some(most) => {
                guess = most;
                accurate(period, most)?
            }
        };
        unknown |= answer == TargetMet::Unknown;
        tried.push(TriedParams { period, patience: most, accurate: answer });
        if let (Some(patience), TargetMet::Yes) = (most, answer) {
            return Ok(ParameterChoice { ending: ChoiceEnding::Chosen { period, patience }, tried });
        }
    }
    let ending = match tried.iter().any(|tried| tried.patience.is_some()) {
        _ if unknown => ChoiceEnding::Unknown,
        true => ChoiceEnding::TooManyMistakes,
        false => ChoiceEnding::TooSlow,
    };
    Ok(ParameterChoice { ending, tried })
}

/// The most patience for which the answer is yes, looked for around a guess, and whether an answer was missing on the way.
fn most_patience<E>(
    range: &RangeInclusive<u32>,
    guess: u32,
    mut ask: impl FnMut(u32) -> Result<TargetMet, E>,
) -> Result<(Option<u32>, bool), E> {
    let mut unsure = false;
    let mut holds = |patience: u32| {
        let answer = ask(patience)?;
        unsure |= answer == TargetMet::Unknown;
        Ok::<bool, E>(answer == TargetMet::Yes)
    };
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
    Ok(((low > least).then(|| low - 1), unsure))
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
                    met(patience <= limit)
                });
                let expected = (limit >= 5).then(|| limit.min(64));
                assert_eq!(found, Ok((expected, false)), "{limit} from {guess}: {asked:?}");
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
    }
}
