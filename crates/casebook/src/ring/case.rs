//! Which model, on which channels, with which crash: the choices that a published table varies. A case
//! is checked when it is made, so every case has a space.

use super::network::RingNetwork;
use crate::names::{UnknownName, named};
use std::fmt;
use std::str::FromStr;

/// A published model of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingModel {
    /// The mCRL2 specification: appendix A of the report, D.1 of the thesis.
    ProcessAlgebra,
    /// The FDR2 specification: appendix B of the report, D.2 of the thesis.
    Csp,
    /// The UPPAAL automata of Task1 and Task2, every edge one step: figures 6.6 to 6.8 of the thesis.
    Tasks,
    /// The same automata, but what a task does under the mutex between two messages is one step.
    TasksAtomic,
}

impl RingModel {
    /// All models.
    pub const ALL: [RingModel; 4] =
        [RingModel::ProcessAlgebra, RingModel::Csp, RingModel::Tasks, RingModel::TasksAtomic];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            RingModel::ProcessAlgebra => "process-algebra",
            RingModel::Csp => "csp",
            RingModel::Tasks => "tasks",
            RingModel::TasksAtomic => "tasks-atomic",
        }
    }
}

/// What a channel does with a message when it is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FullChannel {
    /// The sender waits for room: channel type B of the thesis.
    Block,
    /// The channel reports an error, and the run ends: type R.
    Report,
    /// The channel ignores the message: type I.
    Ignore,
}

impl FullChannel {
    /// All kinds of channels.
    pub const ALL: [FullChannel; 3] = [FullChannel::Block, FullChannel::Report, FullChannel::Ignore];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            FullChannel::Block => "block",
            FullChannel::Report => "report",
            FullChannel::Ignore => "ignore",
        }
    }
}

/// When p1 crashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crash {
    /// Never.
    Never,
    /// At any time, or never: as published.
    AnyTime,
    /// Before the first step.
    AtStart,
}

impl Crash {
    /// All choices.
    pub const ALL: [Crash; 3] = [Crash::Never, Crash::AnyTime, Crash::AtStart];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Crash::Never => "never",
            Crash::AnyTime => "any-time",
            Crash::AtStart => "at-start",
        }
    }
}

/// One choice of model, channels and crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingCase {
    model: RingModel,
    when_full: FullChannel,
    buffer: u8,
    crash: Crash,
}

impl RingCase {
    /// The largest number of messages that a channel can be given room for.
    pub const MAX_BUFFER: u8 = 250;

    /// A case; a channel has room for 1 to [`RingCase::MAX_BUFFER`] messages.
    pub fn new(
        model: RingModel,
        when_full: FullChannel,
        buffer: u32,
        crash: Crash,
    ) -> Result<RingCase, RingCaseError> {
        match u8::try_from(buffer) {
            Ok(buffer @ 1..=RingCase::MAX_BUFFER) => Ok(RingCase { model, when_full, buffer, crash }),
            _ => Err(RingCaseError::Buffer(buffer)),
        }
    }

    /// The model.
    pub const fn model(&self) -> RingModel {
        self.model
    }

    /// What a full channel does.
    pub const fn when_full(&self) -> FullChannel {
        self.when_full
    }

    /// The number of messages that a channel has room for.
    pub const fn buffer(&self) -> u8 {
        self.buffer
    }

    /// When p1 crashes.
    pub const fn crash(&self) -> Crash {
        self.crash
    }

    /// The space of this case.
    pub fn space(&self) -> RingNetwork {
        RingNetwork::new(*self)
    }
}

impl fmt::Display for RingCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RingCase { model, when_full, buffer, crash } = self;
        write!(f, "{model}, channels of {buffer} that {when_full} when full, crash of p1 {crash}")
    }
}

/// A choice that is not in the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RingCaseError {
    /// A channel cannot have this much room.
    Buffer(u32),
    /// There is no such name.
    Name(UnknownName),
}

impl From<UnknownName> for RingCaseError {
    fn from(unknown: UnknownName) -> RingCaseError {
        RingCaseError::Name(unknown)
    }
}

impl fmt::Display for RingCaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RingCaseError::Buffer(given) => {
                write!(
                    f,
                    "a buffer of {given} is not possible: give a number from 1 to {}",
                    RingCase::MAX_BUFFER
                )
            }
            RingCaseError::Name(unknown) => unknown.fmt(f),
        }
    }
}

impl std::error::Error for RingCaseError {}

impl FromStr for RingModel {
    type Err = RingCaseError;

    fn from_str(text: &str) -> Result<RingModel, RingCaseError> {
        Ok(named("model", text, &RingModel::ALL, RingModel::name)?)
    }
}

impl FromStr for FullChannel {
    type Err = RingCaseError;

    fn from_str(text: &str) -> Result<FullChannel, RingCaseError> {
        Ok(named("channel", text, &FullChannel::ALL, FullChannel::name)?)
    }
}

impl FromStr for Crash {
    type Err = RingCaseError;

    fn from_str(text: &str) -> Result<Crash, RingCaseError> {
        Ok(named("crash", text, &Crash::ALL, Crash::name)?)
    }
}

impl fmt::Display for RingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for FullChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_has_room_for_1_to_250_messages() {
        let with = |buffer| RingCase::new(RingModel::Csp, FullChannel::Block, buffer, Crash::AnyTime);
        for buffer in [0, 251, 256, u32::MAX] {
            assert_eq!(with(buffer), Err(RingCaseError::Buffer(buffer)));
        }
        assert_eq!(with(250).map(|case| case.buffer()), Ok(250));
        let told = RingCaseError::Buffer(0).to_string();
        assert_eq!(told, "a buffer of 0 is not possible: give a number from 1 to 250");
    }

    #[test]
    fn names_are_read_as_they_are_written_and_others_are_told_what_there_is() {
        for model in RingModel::ALL {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        for when_full in FullChannel::ALL {
            assert_eq!(when_full.to_string().parse(), Ok(when_full));
        }
        for crash in Crash::ALL {
            assert_eq!(crash.to_string().parse(), Ok(crash));
        }
        let told = "drop".parse::<FullChannel>().map_err(|error| error.to_string());
        assert_eq!(told, Err("there is no channel `drop`: choose one of block, report, ignore".to_string()));
    }
}
