//! The configuration of SWIM, with the defaults of memberlist on a local network, and what is not possible.

use super::SwimFlaw;
use super::table::MAX_INCARNATION;
use strum::{Display, EnumString};
use watchkeeper_core::MAX_MEMBERS;

/// The most news in one message: with the largest numbers they are 832 bytes.
pub const MAX_NEWS: usize = 64;

/// The most grains that a suspect can have to refute.
pub const MAX_GRAINS: u16 = u16::MAX - 1;

/// The configuration. The default is that of memberlist on a local network, in units of 50 ms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwimConfig {
    /// The protocol period: the time between two probes.
    pub period: u32,
    /// How long the target of a probe has before others are asked for help; shorter than the period.
    pub timeout: u32,
    /// How many are asked for help.
    pub indirect: u8,
    /// How many periods a suspected member has to refute, times the logarithm of the number of members if that is more
    /// than 1.
    pub suspicion: u32,
    /// The unit in which that time is counted. It should divide that time, which is at most so much longer then.
    pub grain: u32,
    /// How often news is sent, times the number of digits of the number of members.
    pub retransmit: u8,
    /// The time between two messages that carry nothing but news, while there is news; 0 if other messages have to do.
    pub spread: u32,
    /// How many members such a message goes to.
    pub fanout: u8,
    /// How much news there is in a message at most.
    pub gossip: u8,
    /// Whom a process probes next.
    pub order: ProbeOrder,
    /// Whom a process knows at first.
    pub start: FirstMembers,
    /// Whether the dead are asked and told again, so that whoever is not dead comes back.
    pub reclaim: bool,
    /// Which members count as suspects of the failure detector.
    pub suspects: SuspectSet,
    /// The largest incarnation. Who has reached it cannot refute any more.
    pub cap: u32,
    /// A planted mistake.
    pub flaw: Option<SwimFlaw>,
}

impl Default for SwimConfig {
    fn default() -> SwimConfig {
        SwimConfig {
            period: 20,
            timeout: 10,
            indirect: 3,
            suspicion: 4,
            grain: 5,
            retransmit: 4,
            spread: 4,
            fanout: 3,
            gossip: 16,
            order: ProbeOrder::Auto,
            start: FirstMembers::All,
            reclaim: true,
            suspects: SuspectSet::Dead,
            cap: MAX_INCARNATION,
            flaw: None,
        }
    }
}

impl SwimConfig {
    /// This configuration for `n` members, if it is possible.
    pub(super) fn checked(self, n: usize) -> Result<SwimConfig, SwimError> {
        let SwimConfig { period, timeout, .. } = self;
        match self {
            _ if !(1..=MAX_MEMBERS).contains(&n) => Err(SwimError::Size { n }),
            _ if timeout == 0 => Err(SwimError::NoTimeout),
            _ if timeout >= period => Err(SwimError::Timeout { timeout, period }),
            SwimConfig { suspicion: 0, .. } => Err(SwimError::NoSuspicion),
            SwimConfig { grain: 0, .. } => Err(SwimError::NoGrain),
            SwimConfig { retransmit: 0, .. } => Err(SwimError::NoRetransmit),
            SwimConfig { gossip, .. } if !(1..=MAX_NEWS).contains(&usize::from(gossip)) => {
                Err(SwimError::Gossip { gossip })
            }
            config => Ok(SwimConfig { cap: config.cap.min(MAX_INCARNATION), ..config }),
        }
    }
}

/// Whom a process probes next. Either way it probes each member once before it probes one again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownChoice, parse_err_fn = UnknownChoice::order)]
pub enum ProbeOrder {
    /// As in a ring in groups that a search can have, up to [`SMALL_GROUP`], and at random in larger ones: there the
    /// neighbours of a ring would tell each other news that never gets far.
    Auto,
    /// The next in the ring of numbers; and helpers are the next after the target.
    Ring,
    /// In an order that is drawn anew for each traversal; helpers are drawn as well, and first moments are spread over a
    /// period.
    Random,
}

/// The most members of which a group is small.
pub const SMALL_GROUP: usize = 8;

impl ProbeOrder {
    /// Whether a table of so many places is traversed at random.
    pub(super) fn is_random(self, span: usize) -> bool {
        match self {
            ProbeOrder::Auto => span > SMALL_GROUP,
            ProbeOrder::Ring => false,
            ProbeOrder::Random => true,
        }
    }
}

/// Whom a process knows at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownChoice, parse_err_fn = UnknownChoice::start)]
pub enum FirstMembers {
    /// All, which are all that there will ever be.
    All,
    /// Itself and the seed, p0, of which it asks the others.
    Seed,
}

/// Which members count as suspects of the failure detector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownChoice, parse_err_fn = UnknownChoice::suspects)]
pub enum SuspectSet {
    /// Those who are declared dead, which is what users of a group see.
    Dead,
    /// Those who are suspected as well.
    Suspected,
}

/// A word that is none of the possible ones.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is none of the choices: write {choices}")]
pub struct UnknownChoice {
    /// The word.
    pub text: String,
    /// The possible ones.
    pub choices: &'static str,
}

impl UnknownChoice {
    fn order(text: &str) -> UnknownChoice {
        UnknownChoice { text: text.to_string(), choices: "auto, ring or random" }
    }

    fn start(text: &str) -> UnknownChoice {
        UnknownChoice { text: text.to_string(), choices: "all or seed" }
    }

    fn suspects(text: &str) -> UnknownChoice {
        UnknownChoice { text: text.to_string(), choices: "dead or suspected" }
    }
}

/// An invalid configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SwimError {
    /// The number of members is not possible.
    #[error("{n} members are not possible: choose from 1 to {max}", max = MAX_MEMBERS)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// The timeout is 0.
    #[error("a timeout of 0 asks for help before an answer can come: choose 1 or more")]
    NoTimeout,
    /// The timeout leaves no time for help.
    #[error(
        "a timeout of {timeout} leaves no time for help in a period of {period}: choose less than {period}"
    )]
    Timeout {
        /// The timeout.
        timeout: u32,
        /// The period.
        period: u32,
    },
    /// Nobody has time to refute.
    #[error("0 periods leave nobody time to refute a suspicion: choose 1 or more")]
    NoSuspicion,
    /// Time is measured in nothing.
    #[error("a grain of 0 measures no time: choose 1 or more")]
    NoGrain,
    /// The time to refute is more grains than are counted.
    #[error(
        "a suspect can have {longest} units of time to refute, which is more than {MAX_GRAINS} grains of {grain}: choose a grain of at least {least}, or fewer periods"
    )]
    Uncountable {
        /// The longest time that a suspect can have.
        longest: u64,
        /// The grain.
        grain: u32,
        /// The smallest grain that would do.
        least: u64,
    },
    /// No news is sent.
    #[error("news that is sent 0 times reaches nobody: choose 1 or more")]
    NoRetransmit,
    /// There is no news in a message, or more than a datagram should have.
    #[error("{gossip} pieces of news in a message are not possible: choose from 1 to {MAX_NEWS}")]
    Gossip {
        /// The number that was asked for.
        gossip: u8,
    },
}
