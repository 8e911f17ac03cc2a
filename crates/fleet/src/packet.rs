//! Bytes with an address, in the form in which they cross a connection: the bytes in one piece, not one by one.

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Bytes from one worker to another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Packet {
    pub(crate) to: u64,
    pub(crate) from: u64,
    pub(crate) bytes: Vec<u8>,
}

/// Bytes in one piece.
struct Piece<B>(B);

impl Serialize for Piece<&[u8]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de> Deserialize<'de> for Piece<Vec<u8>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Piece<Vec<u8>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Piece(bytes.to_vec()))
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Self::Value, E> {
                Ok(Piece(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Whole)
    }
}

impl Serialize for Packet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(3)?;
        tuple.serialize_element(&self.to)?;
        tuple.serialize_element(&self.from)?;
        tuple.serialize_element(&Piece(&self.bytes[..]))?;
        tuple.end()
    }
}

impl<'de> Deserialize<'de> for Packet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = Packet;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a packet")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Packet, A::Error> {
                let cut = || A::Error::custom("it is cut off");
                let to = parts.next_element()?.ok_or_else(cut)?;
                let from = parts.next_element()?.ok_or_else(cut)?;
                let Piece(bytes) = parts.next_element()?.ok_or_else(cut)?;
                Ok(Packet { to, from, bytes })
            }
        }
        deserializer.deserialize_tuple(3, Parts)
    }
}
