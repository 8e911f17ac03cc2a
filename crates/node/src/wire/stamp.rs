//! The timestamps of a datagram, so that both ends can measure round trips without a common clock. A stamp is
//! sealed with the body: nobody on the way can read it or shift it.

/// How many bytes a stamp has.
pub const STAMP_LEN: usize = 24;

/// Three readings of the sender's clock, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stamp {
    /// When the datagram was sealed, by the sender's clock.
    pub sent: u64,
    /// The `sent` of the last datagram that the sender has had from the receiver; 0 if it has had none.
    pub echo: u64,
    /// How long the sender has held that one before it sealed this. The highest bit is set if this datagram answers
    /// that one; no node holds anything for 292 years.
    pub held: u64,
}

impl Stamp {
    pub(super) fn write(&self, bytes: &mut [u8; STAMP_LEN]) {
        for (field, value) in bytes.chunks_exact_mut(8).zip([self.sent, self.echo, self.held]) {
            field.copy_from_slice(&value.to_be_bytes());
        }
    }

    pub(super) fn read(bytes: &[u8; STAMP_LEN]) -> Stamp {
        let (fields, _) = bytes.as_chunks::<8>();
        Stamp {
            sent: u64::from_be_bytes(fields[0]),
            echo: u64::from_be_bytes(fields[1]),
            held: u64::from_be_bytes(fields[2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_three_numbers_highest_byte_first() {
        let stamp = Stamp { sent: 1, echo: 0x0203, held: u64::MAX - 1 };
        let mut bytes = [0; STAMP_LEN];
        stamp.write(&mut bytes);
        assert_eq!(bytes[..8], [0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(bytes[8..16], [0, 0, 0, 0, 0, 0, 2, 3]);
        assert_eq!(bytes[16..], [255, 255, 255, 255, 255, 255, 255, 254]);
        assert_eq!(Stamp::read(&bytes), stamp);
    }
}
