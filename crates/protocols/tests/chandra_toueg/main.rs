//! The detector of Chandra and Toueg against its paper: runs seen from one process, a literal transcription of
//! the published algorithm, all renamings of processes, and hostile inputs.

mod hostile;
mod literal;
mod scenarios;
mod script;
mod symmetry;
