//! The least bound for which a property holds that holds for every greater one: by doubling, then by halving.
//! It knows nothing of what is searched; an answer that is neither yes nor no ends it.

pub(crate) mod answer;

/// What came of one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    Holds,
    Refuted,
    Unknown,
}

/// What came of all of them. Bounds stand for the questions about them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// It holds for this bound, and not for the one below; there is none below 0.
    Least(u32),
    /// It is refuted for this bound, above which nobody wanted to look.
    Beyond(u32),
    /// The question about this bound was not answered.
    Unknown(u32),
}

/// The least bound up to `most` for which the answer is yes.
pub(crate) fn least<E>(most: u32, mut ask: impl FnMut(u32) -> Result<Reply, E>) -> Result<Found, E> {
    // Below `low` it is refuted everywhere.
    let (mut low, mut guess) = (0, 1.min(most));
    let mut high = loop {
        match ask(guess)? {
            Reply::Holds => break guess,
            Reply::Unknown => return Ok(Found::Unknown(guess)),
            Reply::Refuted if guess == most => return Ok(Found::Beyond(most)),
            Reply::Refuted => (low, guess) = (guess + 1, guess.saturating_mul(2).min(most)),
        }
    };
    while low < high {
        let middle = low + (high - low) / 2;
        match ask(middle)? {
            Reply::Holds => high = middle,
            Reply::Refuted => low = middle + 1,
            Reply::Unknown => return Ok(Found::Unknown(middle)),
        }
    }
    Ok(Found::Least(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found if it holds from this bound on, and what was asked.
    fn asked(from: u32, most: u32) -> (Found, Vec<u32>) {
        let mut all = Vec::new();
        let found = least(most, |bound| {
            all.push(bound);
            Ok::<_, ()>(if bound >= from { Reply::Holds } else { Reply::Refuted })
        });
        (found.expect("no errors"), all)
    }

    #[test]
    fn every_bound_is_found_and_the_one_below_was_refuted() {
        for from in 0..200 {
            let (found, all) = asked(from, 1000);
            assert_eq!(found, Found::Least(from));
            assert!(all.contains(&from) && (from == 0 || all.contains(&(from - 1))), "{from}: {all:?}");
            assert!(all.len() <= 18, "{from}: {all:?}");
            let mut different = all.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), all.len(), "nothing is asked twice: {all:?}");
        }
        assert_eq!(asked(21, 1000).1, [1, 2, 4, 8, 16, 32, 24, 20, 22, 21]);
    }

    #[test]
    fn nothing_above_the_most_is_asked() {
        assert_eq!(asked(101, 100), (Found::Beyond(100), vec![1, 2, 4, 8, 16, 32, 64, 100]));
        assert_eq!(asked(100, 100).0, Found::Least(100));
        assert_eq!(asked(0, 0), (Found::Least(0), vec![0]));
        assert_eq!(asked(u32::MAX, u32::MAX).0, Found::Least(u32::MAX));
    }

    #[test]
    fn what_is_not_known_ends_it() {
        let unknown_at = |at| {
            least(1000, |bound| {
                let known = if bound >= 21 { Reply::Holds } else { Reply::Refuted };
                Ok::<_, ()>(if bound == at { Reply::Unknown } else { known })
            })
        };
        assert_eq!(unknown_at(24), Ok(Found::Unknown(24)));
        assert_eq!(unknown_at(8), Ok(Found::Unknown(8)));
        assert_eq!(unknown_at(25), Ok(Found::Least(21)));
    }
}
