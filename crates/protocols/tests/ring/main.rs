//! The ring detectors against their paper: the published scenarios, their symmetry, a literal
//! transcription of the published algorithms, hostile inputs, and what each of the four policies adds.

mod figures;
mod hostile;
mod policies;
mod scenarios;
mod script;
mod symmetry;
mod together;
