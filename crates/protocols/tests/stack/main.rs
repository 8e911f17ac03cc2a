//! Protocols on one another: what each combinator adds to a small protocol with a scripted environment, whole
//! systems on a network that loses, duplicates and reorders, and hostile bytes.

mod hostile;
mod mailbox;
mod network;
mod notices;
mod reliable;
mod script;
mod series;
mod small;
