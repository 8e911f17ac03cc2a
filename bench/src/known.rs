//! Counts that the models have to reproduce, for the tests alone. Levels and local states were obtained with
//! other tools and other code; those for a crash at the start are what Spin and Stateright both find.

/// Blocking channels with buffer 1, a crash at any time: the states within 0, 1, 2, ... steps.
pub const BLOCKING_LEVELS: [u64; 15] =
    [1, 5, 17, 47, 120, 287, 641, 1357, 2744, 5315, 9933, 17989, 31674, 54403, 91346];

/// The further levels, up to the one with the first deadlock.
pub const BLOCKING_LATE: [u64; 6] = [150_235, 242_273, 383_474, 595_979, 909_922, 1_365_150];

/// Channels that ignore, process 1 crashed from the start: buffer, states, transitions.
pub const AT_START: [(u8, u64, u64); 3] = [(1, 9_000, 32_535), (2, 89_798, 348_908), (3, 422_918, 1_699_813)];

/// How many states processes 0, 1 and 2 have among themselves.
pub const LOCAL_STATES: [usize; 3] = [70, 71, 70];
