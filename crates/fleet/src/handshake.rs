//! Who is at the other end of a connection: both ends prove that they have the key, over numbers that both have drawn for
//! this connection, before they tell each other what they are about to do. The key itself never travels, and a proof of one
//! end is none of the other. What is sent later is neither encrypted nor signed: see docs/distributed.md.

use crate::error::FleetError;
use crate::roster::Roster;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// What every connection begins with: the name of the protocol and its version.
const MAGIC: &[u8; 8] = b"WKFLEET1";
/// The longest text that is read.
const LONGEST: usize = 1 << 16;

/// Which end of a connection this is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The one that called.
    Caller,
    /// The one that was called.
    Called,
}

/// How a handshake failed.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The connection broke, or nothing came in time, or it was none of this program.
    Broken,
    /// The other end has another key.
    Key,
    /// The other end is a worker, and differs.
    Differs(FleetError),
}

impl From<io::Error> for Failed {
    fn from(_: io::Error) -> Failed {
        Failed::Broken
    }
}

/// Shakes hands; the number of the worker at the other end.
pub(crate) fn shake(
    stream: &mut TcpStream,
    roster: &Roster,
    end: End,
    expected: Option<usize>,
) -> Result<usize, Failed> {
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).map_err(|_| Failed::Broken)?;
    let mut hello = MAGIC.to_vec();
    hello.extend_from_slice(&(roster.index as u32).to_le_bytes());
    hello.extend_from_slice(&nonce);
    stream.write_all(&hello)?;
    let mut answer = [0; 44];
    stream.read_exact(&mut answer)?;
    if !answer.starts_with(MAGIC) {
        return Err(Failed::Broken);
    }
    let mut index = [0; 4];
    index.copy_from_slice(&answer[8..12]);
    let other = u32::from_le_bytes(index) as usize;
    let (caller, called) =
        if end == End::Caller { (&hello[..], &answer[..]) } else { (&answer[..], &hello[..]) };
    let proof = |of: End, about: &[u8]| {
        // A key of any length is a key.
        let mut mac = Hmac::<Sha256>::new_from_slice(&roster.key).map_err(|_| Failed::Key)?;
        let role: &[u8] = if of == End::Caller { b"caller" } else { b"called" };
        for piece in [role, caller, called, about] {
            mac.update(&(piece.len() as u64).to_le_bytes());
            mac.update(piece);
        }
        Ok::<_, Failed>(mac)
    };
    let theirs = if end == End::Caller { End::Called } else { End::Caller };
    stream.write_all(&proof(end, b"key")?.finalize().into_bytes())?;
    let mut told = [0; 32];
    stream.read_exact(&mut told)?;
    // In constant time.
    proof(theirs, b"key")?.verify_slice(&told).map_err(|_| Failed::Key)?;
    if expected.is_some_and(|expected| expected != other) || other >= roster.workers.len() {
        return Err(Failed::Differs(FleetError::Roster { host: roster.name(expected.unwrap_or(other)) }));
    }
    let claims = [roster.version.as_str(), &roster.scenario, &roster.listed()];
    for ours in claims {
        stream.write_all(&(ours.len() as u32).to_le_bytes())?;
        stream.write_all(ours.as_bytes())?;
        stream.write_all(&proof(end, ours.as_bytes())?.finalize().into_bytes())?;
    }
    let mut differs = None;
    for (number, ours) in claims.into_iter().enumerate() {
        let mut len = [0; 4];
        stream.read_exact(&mut len)?;
        let mut text = vec![0; (u32::from_le_bytes(len) as usize).min(LONGEST)];
        stream.read_exact(&mut text)?;
        stream.read_exact(&mut told)?;
        proof(theirs, &text)?.verify_slice(&told).map_err(|_| Failed::Key)?;
        if text != ours.as_bytes() {
            let host = roster.name(other);
            let (theirs, ours) = (String::from_utf8_lossy(&text).into_owned(), ours.to_string());
            differs.get_or_insert(match number {
                0 => FleetError::Version { host, theirs, ours },
                1 => FleetError::Scenario { host, theirs, ours },
                _ => FleetError::Roster { host },
            });
        }
    }
    differs.map_or(Ok(other), |differs| Err(Failed::Differs(differs)))
}
