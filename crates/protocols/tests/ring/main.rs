//! The ring detector against its paper: the published scenarios, its symmetry, a literal transcription
//! of the published algorithm, hostile inputs, and the room it leaves for the rest of its family.

mod figure1;
mod hostile;
mod policies;
mod scenarios;
mod script;
mod symmetry;
mod together;
