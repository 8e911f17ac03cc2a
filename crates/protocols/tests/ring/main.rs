//! The ring detectors against their paper: the published scenarios, their symmetry, a literal
//! transcription of the published algorithms, hostile inputs, and what each of the four policies adds.

#[allow(dead_code, reason = "one tool for several suites")]
#[path = "../environment/effects.rs"]
mod effects;
mod figures;
mod hostile;
#[allow(dead_code, reason = "one tool for several suites")]
#[path = "../environment/network.rs"]
mod network;
mod policies;
mod scenarios;
mod script;
mod symmetry;
mod together;
