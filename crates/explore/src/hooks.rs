//! Hooks for tests: they force in small spaces what otherwise only large ones do. Every answer must be the same with any of
//! them. They are no settings of a search, and no command line has them.

/// The parts of a search that behave as if its space were large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hooks {
    /// Starts all workers at every depth, however small it is, and gives each a few states at a time.
    pub threads: bool,
    /// The keys that rows are packed into.
    pub keys: KeyWidth,
    /// Begins with fields that are as narrow as the initial states allow, so that layouts widen on the way.
    pub narrow: bool,
    /// Begins with tables for a few states, so that they grow on the way.
    pub small_tables: bool,
}

/// The keys that rows are packed into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KeyWidth {
    /// The narrowest that suffice.
    #[default]
    Narrowest,
    /// Two words, even where one would do.
    TwoWords,
    /// Two words, and rows collapsed to a few slots, even where they would fit.
    Collapsed,
}
