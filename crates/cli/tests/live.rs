//! Real processes on real sockets: clusters of nodes on this machine whose nodes are killed, stopped, cut off and
//! lied to. What they do is held against what the checker has proved. `docs/cluster.md` says how to run the long
//! versions.

#![cfg(target_os = "linux")]
#![allow(
    clippy::print_stdout,
    reason = "bounds and measured times side by side, and why something was skipped"
)]

mod binary;

mod live {
    mod consensus;
    mod deciding;
    mod fleet;
    mod grouped;
    mod growing;
    mod kill;
    mod lossy;
    mod membership;
    mod models;
    mod namespaces;
    mod pause;
    mod recordings;
    mod relay;
    mod replays;
    mod rotation;
    mod seeds;
    mod session;
    mod strangers;
}
