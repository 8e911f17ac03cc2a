//! What is known to be wrong in the engines and is being corrected. It is left out, so that what is not known is found;
//! with the correction the switch goes, and the case is drawn like any other.

/// A limit on states below the number of initial states.
pub const FEWER_STATES_THAN_STARTS: bool = false;

/// Any number of recoveries where no crashes are declared and someone has crashed at the start: one may be down then.
pub const RECOVERY_WITHOUT_CRASHES: bool = false;
