//! Membership with a scripted environment: what cannot be is refused and changes nothing, what is good afterwards is
//! delivered, and no bytes make it panic.

mod apart;
mod hostile;
mod refusals;
#[path = "../stack/script.rs"]
mod script;
