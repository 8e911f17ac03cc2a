//! Datagrams that let nobody in: how they are laid out, sealed and opened, which of the authentic ones are new, and
//! how many never came. Nothing here owns a socket or a clock, nothing is stored for a datagram that is refused, and
//! nothing grows: what a stranger sends costs a comparison of a few bytes, and nothing else.
//!
//! # Nonces
//! Datagrams are sealed with XChaCha20-Poly1305, whose security ends when one key seals two texts under one nonce.
//! Nonces are not drawn, they are counted: the sender's incarnation, the number of the datagram, sender, receiver, kind and
//! a part of the cluster's id. Numbers count per receiver within one incarnation of the sender, and all kinds share the
//! counter, so within an incarnation no nonce comes twice and there is no birthday to fear, however many datagrams there
//! are. Two incarnations of one node differ because an incarnation is the microsecond of the boot and 12 random bits; they could
//! only be equal if a clock that was set back met the same microsecond again, and the random bits too. An incarnation that
//! was [outlived](Sessions::outlive) goes on in a place that depends on its own number, for the same reason.
//!
//! One attempt to forge a datagram of at most [`MAX_DATAGRAM`] bytes succeeds with a probability of at most
//! 8 · 89 / 2^106, about 2^-96 (Bernstein, *The Poly1305-AES message-authentication code*, 2005: 8⌈L/16⌉ / 2^106; a
//! header of 3 blocks, a body of 85 and one of lengths). A million attempts a second for a year succeed with 2^-51.
//!
//! # What is not defended
//! Whoever has the key can be any node, and can tell every node that it was outlived. Whoever sees the network learns
//! who talks to whom, when, how much, and when nodes boot. Whoever can hold datagrams back can deliver them late, each
//! once, as long as the incarnations of both its ends last; the measured round trips show it. A machine that is copied while
//! it runs (a snapshot that is resumed twice) counts the same numbers twice, and the two copies leak to each other's
//! observers: restart a node after resuming it from a snapshot.
//!
//! The bytes, the handshake and the rotation of keys are described in `docs/wire.md`.

mod cluster;
mod codec;
mod gaps;
mod header;
mod key;
mod refusal;
mod sessions;
mod stamp;
mod window;

pub use cluster::ClusterId;
pub use codec::{Codec, DatagramTooLong, LEAST_DATAGRAM, MAX_DATAGRAM, TAG_LEN};
pub use gaps::Gaps;
pub use header::{DatagramHeader, DatagramKind, HEADER_LEN, VERSION};
pub use key::{ClusterKey, KeyError, KeyId, KeyRing, MAX_KEYS};
pub use refusal::DatagramRefusal;
pub use sessions::{Admission, AdmissionError, HandshakeHint, Sessions};
pub use stamp::{STAMP_LEN, Stamp};
pub use window::WINDOW;
