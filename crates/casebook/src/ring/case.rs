//! Which model, on which channels, with which crash: the choices that a published table varies. The capacity of a
//! channel is checked when a case is made, so every case has a space.

use super::network::RingNetwork;
use crate::names::{OutOfRange, UnknownName};
use std::fmt;
use strum::{Display, EnumString, VariantArray, VariantNames};

/// A published model of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<RingModel>)]
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

/// What a channel does with a message when it is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<FullChannel>)]
pub enum FullChannel {
    /// The sender waits for room: channel type B of the thesis.
    Block,
    /// The channel reports an error, and the run ends: type R.
    Report,
    /// The channel ignores the message: type I.
    Ignore,
}

/// When p1 crashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<Crash>)]
pub enum Crash {
    /// Never.
    Never,
    /// At any time, or never: as published.
    AnyTime,
    /// Before the first step.
    AtStart,
}

/// One choice of model, channels and crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingCase {
    /// The model.
    pub model: RingModel,
    /// What a full channel does.
    pub when_full: FullChannel,
    /// When p1 crashes.
    pub crash: Crash,
    buffer: u8,
}

impl RingCase {
    /// The largest capacity of a channel.
    pub const MAX_BUFFER: u8 = 250;

    /// A case; a channel has room for 1 to [`RingCase::MAX_BUFFER`] messages.
    pub fn new(
        model: RingModel,
        when_full: FullChannel,
        buffer: u32,
        crash: Crash,
    ) -> Result<RingCase, OutOfRange> {
        let buffer = OutOfRange::check("buffer", buffer, 1, RingCase::MAX_BUFFER.into())? as u8;
        Ok(RingCase { model, when_full, crash, buffer })
    }

    /// The number of messages that a channel has room for.
    pub const fn buffer(&self) -> u8 {
        self.buffer
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_has_room_for_1_to_250_messages() {
        let with = |buffer| RingCase::new(RingModel::Csp, FullChannel::Block, buffer, Crash::AnyTime);
        for buffer in [0, 251, 256, u32::MAX] {
            let error = OutOfRange { parameter: "buffer", given: buffer, least: 1, most: 250 };
            assert_eq!(with(buffer), Err(error));
        }
        assert_eq!(with(250).map(|case| case.buffer()), Ok(250));
        let told = with(0).map_err(|error| error.to_string());
        assert_eq!(told, Err("a buffer of 0 is not possible: give 1 to 250".to_string()));
    }

    #[test]
    fn names_are_read_as_they_are_written_and_others_are_told_what_there_is() {
        for &model in <RingModel as VariantArray>::VARIANTS {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        for &when_full in <FullChannel as VariantArray>::VARIANTS {
            assert_eq!(when_full.to_string().parse(), Ok(when_full));
        }
        for &crash in <Crash as VariantArray>::VARIANTS {
            assert_eq!(crash.to_string().parse(), Ok(crash));
        }
        let told = "drop".parse::<FullChannel>().map_err(|error| error.to_string());
        assert_eq!(told, Err("there is no `drop`: choose one of block, report, ignore".to_string()));
    }
}
