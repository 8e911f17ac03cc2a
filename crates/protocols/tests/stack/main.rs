//! Protocols on one another: what each combinator adds to a small protocol with a scripted environment, whole
//! systems on a network that loses, duplicates and reorders, and hostile bytes.

#[path = "../environment/effects.rs"]
mod effects;
mod hostile;
mod mailbox;
#[allow(dead_code, reason = "one tool for several suites")]
#[path = "../environment/network.rs"]
mod network;
mod notices;
mod reliable;
mod script;
mod series;
mod small;
