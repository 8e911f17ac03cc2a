//! What nodes of an open cluster tell each other of its members: a number, a name, an address, and the version of all
//! this. Bytes that are no entry are refused, and nothing here decides which of two entries is believed.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use watchkeeper_core::Pid;

/// The most bytes of a member's name.
pub const LONGEST_NAME: usize = 64;

/// The name of a member of an open cluster: one to [`LONGEST_NAME`] bytes of printable text without blanks. It stays the
/// same from one incarnation to the next, and no two members have the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberName(Box<str>);

impl MemberName {
    /// The name as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MemberName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<MemberName, NameError> {
        match text.len() {
            0 => return Err(NameError::Empty),
            1..=LONGEST_NAME => {}
            length => return Err(NameError::Long { length }),
        }
        match text.chars().find(|letter| letter.is_control() || letter.is_whitespace()) {
            Some(letter) => Err(NameError::NotPrintable { letter }),
            None => Ok(MemberName(text.into())),
        }
    }
}

impl fmt::Display for MemberName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MemberName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// The reason why a text is no name of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It has no letters.
    #[error("a member needs a name: choose one that no other member of the cluster has")]
    Empty,
    /// It is too long.
    #[error("a name of {length} bytes is too long: choose one of at most {LONGEST_NAME}")]
    Long {
        /// How many bytes it has.
        length: usize,
    },
    /// It has a letter that cannot be shown.
    #[error("{letter:?} cannot be in a name: use printable letters without blanks")]
    NotPrintable {
        /// The letter.
        letter: char,
    },
}

/// What is known of one member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectoryEntry {
    /// Its number.
    pub number: Pid,
    /// How often this entry was made anew: by a return, or because its member contradicts what others say.
    pub version: u32,
    /// Its incarnation; 0 where that is not known yet.
    pub incarnation: u64,
    /// Whether it has said that it leaves.
    pub left: bool,
    /// Where it is reached, and what it is called.
    pub place: MemberPlace,
}

/// The address and the name of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberPlace {
    /// Where it is reached.
    pub address: SocketAddr,
    /// Its name.
    pub name: MemberName,
}

impl MemberPlace {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_address(self.address, out);
        out.push(self.name.0.len() as u8);
        out.extend_from_slice(self.name.0.as_bytes());
    }

    /// The place at the start of these bytes, which then begin behind it.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<MemberPlace> {
        let address = read_address(bytes)?;
        let length = usize::from(take::<1>(bytes)?[0]);
        let (name, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Some(MemberPlace { address, name: std::str::from_utf8(name).ok()?.parse().ok()? })
    }
}

impl DirectoryEntry {
    /// The most bytes that an entry has.
    pub const LONGEST: usize = 2 + 4 + 8 + 1 + 1 + 16 + 2 + 1 + LONGEST_NAME;

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.number.index() as u16).to_be_bytes());
        out.extend_from_slice(&self.version.to_be_bytes());
        out.extend_from_slice(&self.incarnation.to_be_bytes());
        out.push(u8::from(self.left));
        self.place.write(out);
    }

    /// The entry at the start of these bytes, which then begin behind it.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<DirectoryEntry> {
        let number = Pid::member(usize::from(u16::from_be_bytes(*take(bytes)?)))?;
        let version = u32::from_be_bytes(*take(bytes)?);
        let incarnation = u64::from_be_bytes(*take(bytes)?);
        let left = match take::<1>(bytes)?[0] {
            0 => false,
            1 => true,
            _ => return None,
        };
        Some(DirectoryEntry { number, version, incarnation, left, place: MemberPlace::read(bytes)? })
    }
}

pub(super) fn write_address(address: SocketAddr, out: &mut Vec<u8>) {
    match address.ip() {
        IpAddr::V4(ip) => {
            out.push(4);
            out.extend_from_slice(&ip.octets());
        }
        IpAddr::V6(ip) => {
            out.push(6);
            out.extend_from_slice(&ip.octets());
        }
    }
    out.extend_from_slice(&address.port().to_be_bytes());
}

pub(super) fn read_address(bytes: &mut &[u8]) -> Option<SocketAddr> {
    let ip = match take::<1>(bytes)?[0] {
        4 => IpAddr::V4(Ipv4Addr::from(*take::<4>(bytes)?)),
        6 => IpAddr::V6(Ipv6Addr::from(*take::<16>(bytes)?)),
        _ => return None,
    };
    let port = u16::from_be_bytes(*take(bytes)?);
    // Nothing can be sent to nowhere.
    (port != 0 && !ip.is_unspecified()).then(|| SocketAddr::new(ip.to_canonical(), port))
}

/// The first bytes of these, which then begin behind them.
pub(super) fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, address: &str) -> DirectoryEntry {
        let place = MemberPlace {
            address: address.parse().expect("an address"),
            name: name.parse().expect("a name"),
        };
        let number = Pid::member(300).expect("a member");
        DirectoryEntry { number, version: 7, incarnation: 1 << 60, left: true, place }
    }

    #[test]
    fn entries_are_read_as_written_and_bytes_that_are_none_are_refused() {
        let long = "x".repeat(LONGEST_NAME);
        for entry in [entry("web-3", "127.0.0.1:7003"), entry(&long, "[2001:db8::1]:65535")] {
            let mut bytes = Vec::new();
            entry.write(&mut bytes);
            assert!(bytes.len() <= DirectoryEntry::LONGEST);
            bytes.push(9);
            let mut rest = &bytes[..];
            assert_eq!((DirectoryEntry::read(&mut rest), rest), (Some(entry), &[9][..]));
            for short in 0..bytes.len() - 1 {
                assert_eq!(DirectoryEntry::read(&mut &bytes[..short]), None);
            }
        }
        let mut bytes = Vec::new();
        entry("web-3", "127.0.0.1:7003").write(&mut bytes);
        // The number, the mark, the family, the port and a letter of the name.
        for (place, wrong) in [(0, 0xff), (14, 2), (15, 5), (24, b'\n'), (24, 0xff)] {
            let mut changed = bytes.clone();
            changed[place] = wrong;
            assert_eq!(DirectoryEntry::read(&mut &changed[..]), None, "{place}");
        }
        bytes[20..22].copy_from_slice(&[0, 0]);
        assert_eq!(DirectoryEntry::read(&mut &bytes[..]), None, "no port");
    }

    #[test]
    fn names_are_short_and_printable() {
        let refused = |text: &str| text.parse::<MemberName>().expect_err("no name");
        assert_eq!(refused(""), NameError::Empty);
        assert_eq!(refused(&"x".repeat(65)), NameError::Long { length: 65 });
        assert_eq!(refused("web 3"), NameError::NotPrintable { letter: ' ' });
        assert_eq!(refused("web\u{7}"), NameError::NotPrintable { letter: '\u{7}' });
        assert_eq!("wéb-3".parse::<MemberName>().map(|name| name.to_string()), Ok("wéb-3".to_string()));
    }
}
