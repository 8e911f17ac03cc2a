//! The heartbeat family against its sources: each process by script, the published counterexamples with
//! their times, the requirements by hand-written observations and over all runs of small instances, the symmetry
//! of the participants, hostile inputs, and what is refused.

mod coordinator;
mod figures;
mod hostile;
mod participant;
mod play;
mod refusals;
mod requirements;
mod script;
mod symmetry;
mod tables;
