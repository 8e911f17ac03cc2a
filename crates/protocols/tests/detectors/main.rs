//! The detectors that count time: one process in virtual time against literal transcriptions of the papers, the silences of
//! the systems that are in use, renamings, and hostile inputs.

#[path = "../environment/effects.rs"]
mod effects;

mod hostile;
mod kubernetes;
mod nfd_e;
mod nfd_s;
mod phi;
mod renaming;
mod watcher;
