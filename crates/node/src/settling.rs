//! Whether a node knows of all members by now. A seed that has just started may have forgotten them: it gives out no
//! number before it knows, because others might have it. Nothing here asks anybody; it is told what came of asking.

const MS: u64 = 1_000_000;

/// How long a seed waits for somebody who knows more than it does. A member finds out within about 2.5 s that a seed has
/// forgotten it: it compares with it every second at the latest, waits a second for the answer, and greets it anew.
const ALONE: u64 = 3000 * MS;

/// How long at most it takes to agree with others. What is dropped here and not yet there can keep two from agreeing.
const LONGEST: u64 = 15_000 * MS;

/// How far a node has got in knowing what others know.
#[derive(Debug)]
pub(crate) struct Settling {
    /// From when on it is enough to have met nobody who knows.
    alone_at: u64,
    /// From when on it is enough in any case.
    latest: u64,
    /// Whether somebody was met who knows.
    met: bool,
    /// Whether such a one knew the same.
    agreed: bool,
}

impl Settling {
    pub(crate) fn new(now: u64, is_seed: bool) -> Settling {
        let alone_at = if is_seed { now.saturating_add(ALONE) } else { u64::MAX };
        Settling { alone_at, latest: now.saturating_add(LONGEST), met: false, agreed: false }
    }

    /// Whether the node knows what there is to be known.
    pub(crate) fn is_settled(&self, now: u64) -> bool {
        self.agreed || now >= self.latest || (now >= self.alone_at && !self.met)
    }

    /// Whether somebody who knows was met, and does not know the same yet.
    pub(crate) fn is_catching_up(&self, now: u64) -> bool {
        self.met && !self.is_settled(now)
    }

    /// All was compared with another member. What one says that does not know itself proves nothing.
    pub(crate) fn compared(&mut self, they_know: bool, agrees: bool) {
        self.met |= they_know;
        self.agreed |= they_know && agrees;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_that_is_alone_founds_and_one_that_is_not_has_to_agree() {
        let mut seed = Settling::new(5, true);
        assert!(!seed.is_settled(ALONE) && seed.is_settled(5 + ALONE));
        seed.compared(false, true);
        assert!(!seed.is_settled(ALONE), "another that has just started knows nothing");
        seed.compared(true, false);
        assert!(
            !seed.is_settled(5 + ALONE) && seed.is_catching_up(5 + ALONE) && seed.is_settled(5 + LONGEST)
        );
        seed.compared(true, true);
        assert!(seed.is_settled(6) && !seed.is_catching_up(6));
        assert!(!Settling::new(5, false).is_settled(5 + ALONE), "a member has not founded anything");
    }
}
