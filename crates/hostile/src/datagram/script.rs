//! How bytes are read as a script. Every sequence of bytes is one: what is missing at the end reads as zeros.

/// Bytes that are being read as a script.
pub(crate) struct AttackScript<'a> {
    rest: &'a [u8],
}

impl<'a> AttackScript<'a> {
    pub(crate) fn new(input: &'a [u8]) -> AttackScript<'a> {
        AttackScript { rest: input }
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Mostly a small number, now and then one of any size or one close to the largest.
    pub(crate) fn number(&mut self) -> u64 {
        match self.byte().unwrap_or(0) {
            small @ 0..240 => u64::from(small),
            240..248 => u64::from(self.byte().unwrap_or(0)) << 8 | u64::from(self.byte().unwrap_or(0)),
            248..254 => (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte().unwrap_or(0))),
            _ => u64::MAX - u64::from(self.byte().unwrap_or(0)),
        }
    }

    /// Some bytes, with their length before them.
    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let len = match self.byte().unwrap_or(0) {
            short @ 0..250 => usize::from(short),
            long => usize::from(long - 250) << 8 | usize::from(self.byte().unwrap_or(0)),
        };
        let (bytes, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.rest = rest;
        bytes
    }
}
