//! Runs a protocol on a network: the very value that a checker explores, on one UDP socket with authenticated
//! datagrams and a table of timers. The only room with a clock, a socket and entropy; it knows no checker and
//! writes nothing of a protocol again.

pub mod wire;
