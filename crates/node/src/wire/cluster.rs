//! Which cluster a datagram belongs to. The id only keeps neighbours apart that were configured alike; it is no
//! secret and authenticates nothing.

use std::fmt;

/// A cluster, as datagrams name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterId(u64);

impl ClusterId {
    /// The id of the cluster with this name: FNV-1a of its bytes, the same on every machine and in every version.
    pub const fn of_name(name: &str) -> ClusterId {
        ClusterId(fnv1a(name.as_bytes()))
    }

    /// The id as a number.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Fowler, Noll and Vo's hash in its 1a form, 64 bits wide: stable and quick, and no defence against anybody.
pub(crate) const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_published_vectors() {
        // From the test vectors of the hash's authors.
        assert_eq!(ClusterId::of_name("").to_string(), "cbf29ce484222325");
        assert_eq!(ClusterId::of_name("a").to_string(), "af63dc4c8601ec8c");
        assert_eq!(ClusterId::of_name("foobar").to_string(), "85944171f73967e8");
        assert_ne!(ClusterId::of_name("staging"), ClusterId::of_name("production"));
    }
}
