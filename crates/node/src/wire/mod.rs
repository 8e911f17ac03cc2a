//! Datagrams that let nobody in: how they are laid out, sealed and opened, how sessions open and end, which datagrams are
//! new, and how many never came. Nothing here owns a socket, a clock or entropy, nothing is stored for a datagram that is
//! refused, and nothing grows: what a stranger sends costs a comparison of a few bytes, and nothing else.
//!
//! # Keys
//! Cluster keys seal greetings, and session keys come from them. A session key is made of a cluster key and fresh
//! randomness of both ends, so it ends with either incarnation and with the cluster key. Everything but greetings is sealed
//! with a session key: ChaCha20-Poly1305 under numbers that count up, so no nonce comes twice and there is no birthday to
//! fear. Greetings are sealed with XChaCha20-Poly1305 under 16 random bytes of the incarnation and a number.
//!
//! One attempt to forge a datagram of at most [`MAX_DATAGRAM`] bytes succeeds with a probability of at most
//! 8 · 88 / 2^106, about 2^-96 (Bernstein, *The Poly1305-AES message-authentication code*, 2005: 8⌈L/16⌉ / 2^106; a
//! header of 2 blocks, a body of 85 and one of lengths). A million attempts a second for a year succeed with 2^-51.
//!
//! # What is not defended
//! Whoever has a key of the ring can be any node, as long as it is there. Whoever sees the network learns who talks to
//! whom, when, how much, and when nodes start. Whoever can hold datagrams back can deliver them late, each once, as long
//! as their session lasts; the measured round trips show it. A machine that is copied while it runs (a snapshot that is
//! resumed twice) counts the same numbers twice, and the two copies leak to each other's observers: restart a node after
//! resuming it from a snapshot.
//!
//! The bytes, the handshake and the rotation of keys are described in `docs/wire.md`.

mod challenge;
mod cipher;
mod cluster;
mod entry;
mod gaps;
mod header;
mod join;
mod key;
mod opened;
mod refusal;
mod sessions;
mod stamp;
mod window;

pub use challenge::Challenge;
pub use cipher::{DatagramTooLong, GREETING_LEN, Hello, LEAST_DATAGRAM, MAX_DATAGRAM, SALT_LEN, TAG_LEN};
pub use cluster::ClusterId;
pub(crate) use cluster::fnv1a;
pub use entry::{DirectoryEntry, LONGEST_NAME, MemberName, MemberPlace, NameError};
pub use gaps::Gaps;
pub use header::{DatagramHeader, DatagramKind, HEADER_LEN, VERSION};
pub use join::{JOIN_LEN, JoinAnswer, JoinRequest, JoinVerdict};
pub use key::{ClusterKey, KeyError, KeyId, KeyRing, MAX_KEYS};
pub use opened::{GreetingOutcome, OpenedDatagram, Opening, SealError};
pub use refusal::DatagramRefusal;
pub use sessions::{LAST_NUMBER, Sessions};
pub use stamp::{STAMP_LEN, Stamp};
pub use window::WINDOW;
