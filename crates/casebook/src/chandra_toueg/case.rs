//! The parameters of an instance: the bounds on delay and speed, the first timeout, whether the sender may
//! crash, and how the buffer is written down. A case is checked when it is made, so every case has a space.

use super::space::SenderReceiver;
use crate::names::{OutOfRange, UnknownName};
use std::fmt;
use strum::{Display, EnumString, VariantArray, VariantNames};

/// How the messages under way are written down: section 7.2 of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<Encoding>)]
pub enum Encoding {
    /// For each age whether there is a message of that age: a slot of its own.
    Predicate,
    /// One number whose bit k says whether there is a message of age k.
    Counter,
}

impl Encoding {
    /// Both.
    pub const ALL: [Encoding; 2] = [Encoding::Predicate, Encoding::Counter];
}

/// One instance of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChandraTouegCase {
    delta: u32,
    phi: u32,
    timeout: u32,
    /// How the buffer is written down.
    pub encoding: Encoding,
    crash: bool,
    ghost: bool,
}

impl ChandraTouegCase {
    /// The largest bound on the delay of a message; ages are bits of a number.
    pub const MAX_DELTA: u32 = 30;

    /// The largest bound on the relative speed.
    pub const MAX_PHI: u32 = 40;

    /// The longest first timeout.
    pub const MAX_TIMEOUT: u32 = 1000;

    /// An instance in which nobody crashes. A message that is `delta` global steps old is received with the next
    /// reception, a process acts at least once in `phi` global steps, and the receiver begins with `timeout`.
    pub fn new(
        delta: u32,
        phi: u32,
        timeout: u32,
        encoding: Encoding,
    ) -> Result<ChandraTouegCase, OutOfRange> {
        OutOfRange::check("delta", delta, 0, ChandraTouegCase::MAX_DELTA)?;
        OutOfRange::check("phi", phi, 1, ChandraTouegCase::MAX_PHI)?;
        OutOfRange::check("timeout", timeout, 0, ChandraTouegCase::MAX_TIMEOUT)?;
        Ok(ChandraTouegCase { delta, phi, timeout, encoding, crash: false, ghost: false })
    }

    /// The first timeout that the paper proves to be enough: 6Φ+Δ.
    pub const fn sufficient(delta: u32, phi: u32) -> u32 {
        6 * phi + delta
    }

    /// The same instance, in which the sender may crash: with the sub-round SCrash.
    #[must_use]
    pub const fn with_crash(self) -> ChandraTouegCase {
        ChandraTouegCase { crash: true, ..self }
    }

    /// The same instance with the ghost counter hLFSC of section 8.2, which counts the global steps since the
    /// crash in which the sender was not suspected; the sender may crash.
    #[must_use]
    pub const fn with_ghost(self) -> ChandraTouegCase {
        ChandraTouegCase { crash: true, ghost: true, ..self }
    }

    /// The bound on the delay, Δ.
    pub const fn delta(&self) -> u32 {
        self.delta
    }

    /// The bound on the relative speed, Φ.
    pub const fn phi(&self) -> u32 {
        self.phi
    }

    /// The first timeout.
    pub const fn timeout(&self) -> u32 {
        self.timeout
    }

    /// Whether the sender may crash.
    pub const fn crash(&self) -> bool {
        self.crash
    }

    /// Whether the ghost counter is there.
    pub const fn ghost(&self) -> bool {
        self.ghost
    }

    /// The most global steps after a crash in which a sender is not suspected, for a timeout: the constant of
    /// section 8.2. The last message arrives within 3Φ+Δ, then the receiver waits, then its check comes.
    pub(super) const fn overdue(&self, timeout: u32) -> u32 {
        (3 * self.phi + self.delta) + self.phi * timeout + 3 * self.phi
    }

    /// The space of this instance.
    pub fn space(&self) -> SenderReceiver {
        SenderReceiver::new(*self)
    }
}

impl fmt::Display for ChandraTouegCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChandraTouegCase { delta, phi, timeout, encoding, crash, ghost } = self;
        write!(f, "delta {delta}, phi {phi}, timeout {timeout}, {encoding} buffer")?;
        match (crash, ghost) {
            (_, true) => f.write_str(", the sender may crash, with hLFSC"),
            (true, false) => f.write_str(", the sender may crash"),
            (false, false) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_timeouts_that_cannot_be_are_refused_with_advice() {
        let case = |delta, phi, timeout| ChandraTouegCase::new(delta, phi, timeout, Encoding::Counter);
        let refused = |parameter, given, least, most| Err(OutOfRange { parameter, given, least, most });
        for given in [31, 256, u32::MAX] {
            assert_eq!(case(given, 4, 26), refused("delta", given, 0, 30));
        }
        for given in [0, 41, u32::MAX] {
            assert_eq!(case(2, given, 26), refused("phi", given, 1, 40));
        }
        for given in [1001, u32::MAX] {
            assert_eq!(case(2, 4, given), refused("timeout", given, 0, 1000));
        }
        assert!(case(30, 40, 1000).is_ok() && case(0, 1, 0).is_ok());
        let told = case(31, 4, 26).map_err(|error| error.to_string());
        assert_eq!(told, Err("a delta of 31 is not possible: give 0 to 30".to_string()));
    }

    #[test]
    fn encodings_are_read_as_they_are_written() {
        assert!(Encoding::ALL.iter().all(|choice| choice.to_string().parse() == Ok(*choice)));
        let told = "set".parse::<Encoding>().map_err(|error| error.to_string());
        assert_eq!(told, Err("there is no `set`: choose one of predicate, counter".to_string()));
    }

    #[test]
    fn a_case_says_what_it_is() {
        let case = ChandraTouegCase::new(2, 4, 26, Encoding::Predicate).expect("a case");
        assert_eq!(case.to_string(), "delta 2, phi 4, timeout 26, predicate buffer");
        assert!(case.with_ghost().to_string().ends_with("the sender may crash, with hLFSC"));
    }
}
