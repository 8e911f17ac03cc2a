//! Which model, on which channels, with which crash: the choices that a published table varies. A case
//! is checked when it is made, so every case has a space.

use super::network::Network;
use crate::names::{UnknownName, named};
use std::fmt;
use std::str::FromStr;

/// A published model of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// The mCRL2 specification: appendix A of the report, D.1 of the thesis.
    ProcessAlgebra,
    /// The FDR2 specification: appendix B of the report, D.2 of the thesis.
    Csp,
    /// The UPPAAL automata of Task1 and Task2, every edge one step: figures 6.6 to 6.8 of the thesis.
    Tasks,
    /// The same automata, but what a task does under the mutex between two messages is one step.
    TasksAtomic,
}

impl Model {
    /// All models.
    pub const ALL: [Model; 4] = [Model::ProcessAlgebra, Model::Csp, Model::Tasks, Model::TasksAtomic];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Model::ProcessAlgebra => "process-algebra",
            Model::Csp => "csp",
            Model::Tasks => "tasks",
            Model::TasksAtomic => "tasks-atomic",
        }
    }
}

/// What a channel does with a message when it is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// The sender waits for room: channel type B of the thesis.
    Block,
    /// The channel reports an error, and the run ends: type R.
    Report,
    /// The channel ignores the message: type I.
    Ignore,
}

impl WhenFull {
    /// All kinds of channels.
    pub const ALL: [WhenFull; 3] = [WhenFull::Block, WhenFull::Report, WhenFull::Ignore];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            WhenFull::Block => "block",
            WhenFull::Report => "report",
            WhenFull::Ignore => "ignore",
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
pub struct Case {
    model: Model,
    when_full: WhenFull,
    buffer: u8,
    crash: Crash,
}

impl Case {
    /// The largest number of messages that a channel can be given room for.
    pub const MAX_BUFFER: u8 = 250;

    /// A case; a channel has room for 1 to [`Case::MAX_BUFFER`] messages.
    pub fn new(model: Model, when_full: WhenFull, buffer: u32, crash: Crash) -> Result<Case, CaseError> {
        match u8::try_from(buffer) {
            Ok(buffer @ 1..=Case::MAX_BUFFER) => Ok(Case { model, when_full, buffer, crash }),
            _ => Err(CaseError::Buffer(buffer)),
        }
    }

    /// The model.
    pub const fn model(&self) -> Model {
        self.model
    }

    /// What a full channel does.
    pub const fn when_full(&self) -> WhenFull {
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
    pub fn space(&self) -> Network {
        Network::new(*self)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { model, when_full, buffer, crash } = self;
        write!(f, "{model}, channels of {buffer} that {when_full} when full, crash of p1 {crash}")
    }
}

/// A choice that is not in the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CaseError {
    /// A channel cannot have this much room.
    Buffer(u32),
    /// There is no such name.
    Name(UnknownName),
}

impl From<UnknownName> for CaseError {
    fn from(unknown: UnknownName) -> CaseError {
        CaseError::Name(unknown)
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaseError::Buffer(given) => {
                write!(f, "a buffer of {given} is not possible: give a number from 1 to {}", Case::MAX_BUFFER)
            }
            CaseError::Name(unknown) => unknown.fmt(f),
        }
    }
}

impl std::error::Error for CaseError {}

impl FromStr for Model {
    type Err = CaseError;

    fn from_str(text: &str) -> Result<Model, CaseError> {
        Ok(named("model", text, &Model::ALL, Model::name)?)
    }
}

impl FromStr for WhenFull {
    type Err = CaseError;

    fn from_str(text: &str) -> Result<WhenFull, CaseError> {
        Ok(named("channel", text, &WhenFull::ALL, WhenFull::name)?)
    }
}

impl FromStr for Crash {
    type Err = CaseError;

    fn from_str(text: &str) -> Result<Crash, CaseError> {
        Ok(named("crash", text, &Crash::ALL, Crash::name)?)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for WhenFull {
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
        let with = |buffer| Case::new(Model::Csp, WhenFull::Block, buffer, Crash::AnyTime);
        for buffer in [0, 251, 256, u32::MAX] {
            assert_eq!(with(buffer), Err(CaseError::Buffer(buffer)));
        }
        assert_eq!(with(250).map(|case| case.buffer()), Ok(250));
        let told = CaseError::Buffer(0).to_string();
        assert_eq!(told, "a buffer of 0 is not possible: give a number from 1 to 250");
    }

    #[test]
    fn names_are_read_as_they_are_written_and_others_are_told_what_there_is() {
        for model in Model::ALL {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        for when_full in WhenFull::ALL {
            assert_eq!(when_full.to_string().parse(), Ok(when_full));
        }
        for crash in Crash::ALL {
            assert_eq!(crash.to_string().parse(), Ok(crash));
        }
        let told = "drop".parse::<WhenFull>().map_err(|error| error.to_string());
        assert_eq!(told, Err("there is no channel `drop`: choose one of block, report, ignore".to_string()));
    }
}
