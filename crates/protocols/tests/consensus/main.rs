//! Consensus seen from one process, in random runs of many, and under hostile inputs. That the requirements hold in
//! all runs is for a checker to say.

mod hostile;
mod rotating;
mod runs;
mod script;
mod strong;
