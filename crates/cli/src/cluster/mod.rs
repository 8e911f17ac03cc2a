//! A whole cluster on this machine, to look at and to play with: one process of the operating system for each
//! process of the protocol, each a `run` of this very program. Nothing here knows a protocol or reads a
//! datagram; nodes are written files for, started, sent signals, and asked over their own endpoints.

pub(crate) mod asking;
mod changes;
mod children;
mod commands;
mod kills;
mod layout;
mod live;
mod observer;
mod outcome;
mod relay;
mod screen;
mod session;
mod table;

pub(crate) use children::become_node;
pub(crate) use kills::{Kill, drawn};
pub(crate) use layout::{ClusterLayout, Wanted, quoted};
pub(crate) use live::{LiveCluster, LiveDesk, LiveRefusal};
pub(crate) use relay::{LinkSockets, MOST_RELAYED};
pub(crate) use session::{ClusterSchedule, LiveEnd, hold};
