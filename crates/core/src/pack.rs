//! How values are laid down: as bytes, for the wire, for exact comparison and for files, and under a
//! renaming of processes. The byte form is canonical: equal values have equal bytes, and bytes that no
//! value has are refused, never repaired.

use crate::{Never, Perm, Pid, ProcSet};
use std::fmt;

/// A value with a canonical byte form. Derive it for structs and enums.
pub trait Pack: Sized {
    /// Appends the bytes of this value.
    fn pack(&self, out: &mut Vec<u8>);

    /// Reads one value from the front of `bytes`.
    fn unpack(bytes: &mut Reader<'_>) -> Result<Self, Malformed>;

    /// This value with every process in it renamed.
    fn rename(&self, perm: &Perm) -> Self;
}

/// The bytes of one value.
pub fn packed<T: Pack>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.pack(&mut out);
    out
}

/// The value of which these are all the bytes.
pub fn unpacked<T: Pack>(bytes: &[u8]) -> Result<T, Malformed> {
    let mut reader = Reader::new(bytes);
    let value = T::unpack(&mut reader)?;
    if reader.is_empty() { Ok(value) } else { Err(Malformed("bytes left over")) }
}

/// Bytes that are not the form of any value, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed bytes: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// The deepest nesting of lists that is read. Only a type that contains lists of itself can have more, and
/// without a limit a short datagram could nest it deeper than the stack is.
const MAX_NESTING: u32 = 64;

/// Bytes that are being read.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    nesting: u32,
}

impl<'a> Reader<'a> {
    /// Reads from the first of these bytes on.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, nesting: 0 }
    }

    /// Whether all bytes have been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let (&first, rest) = self.rest.split_first().ok_or(Malformed("too few bytes"))?;
        self.rest = rest;
        Ok(first)
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        if self.rest.len() < count {
            return Err(Malformed("too few bytes"));
        }
        let (head, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(head)
    }

    /// A number in groups of seven bits, lowest first, in its shortest form.
    pub fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let group = u64::from(byte & 0x7f);
            if shift == 63 && group > 1 {
                return Err(Malformed("number too large"));
            }
            value |= group << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    return Err(Malformed("number not in its shortest form"));
                }
                return Ok(value);
            }
        }
        Err(Malformed("number too long"))
    }
}

fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Numbers have no process in them, so a renaming leaves them alone.
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Pack for $number {
            fn pack(&self, out: &mut Vec<u8>) {
                put_varint(u64::from(*self), out);
            }

            fn unpack(bytes: &mut Reader<'_>) -> Result<$number, Malformed> {
                <$number>::try_from(bytes.varint()?).map_err(|_| Malformed("number too large"))
            }

            fn rename(&self, _: &Perm) -> $number {
                *self
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64);

impl Pack for i64 {
    fn pack(&self, out: &mut Vec<u8>) {
        put_varint((self << 1 ^ self >> 63) as u64, out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<i64, Malformed> {
        let folded = bytes.varint()?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }

    fn rename(&self, _: &Perm) -> i64 {
        *self
    }
}

impl Pack for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<bool, Malformed> {
        match bytes.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("neither false nor true")),
        }
    }

    fn rename(&self, _: &Perm) -> bool {
        *self
    }
}

impl Pack for () {
    fn pack(&self, _: &mut Vec<u8>) {}

    fn unpack(_: &mut Reader<'_>) -> Result<(), Malformed> {
        Ok(())
    }

    fn rename(&self, _: &Perm) {}
}

impl Pack for Never {
    fn pack(&self, _: &mut Vec<u8>) {
        match *self {}
    }

    fn unpack(_: &mut Reader<'_>) -> Result<Never, Malformed> {
        Err(Malformed("no such value"))
    }

    fn rename(&self, _: &Perm) -> Never {
        match *self {}
    }
}

impl Pack for Pid {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(self.index() as u8);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<Pid, Malformed> {
        Pid::new(usize::from(bytes.byte()?)).ok_or(Malformed("no such process"))
    }

    fn rename(&self, perm: &Perm) -> Pid {
        perm.apply(*self)
    }
}

impl Pack for ProcSet {
    fn pack(&self, out: &mut Vec<u8>) {
        put_varint(self.bits(), out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<ProcSet, Malformed> {
        bytes.varint().map(ProcSet::from_bits)
    }

    fn rename(&self, perm: &Perm) -> ProcSet {
        self.renamed(perm)
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<Option<T>, Malformed> {
        Ok(if bool::unpack(bytes)? { Some(T::unpack(bytes)?) } else { None })
    }

    fn rename(&self, perm: &Perm) -> Option<T> {
        self.as_ref().map(|value| value.rename(perm))
    }
}

/// A list of values that have no bytes of their own, such as `()`, cannot be read back: a length is only
/// believed as far as bytes have come for it, or a short datagram could ask for any amount of work.
impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        put_varint(self.len() as u64, out);
        for value in self {
            value.pack(out);
        }
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<Vec<T>, Malformed> {
        let len = bytes.varint()?;
        if len > bytes.rest.len() as u64 {
            return Err(Malformed("list longer than its bytes"));
        }
        if bytes.nesting == MAX_NESTING {
            return Err(Malformed("lists nested too deeply"));
        }
        bytes.nesting += 1;
        let values = (0..len).map(|_| T::unpack(bytes)).collect();
        bytes.nesting -= 1;
        values
    }

    fn rename(&self, perm: &Perm) -> Vec<T> {
        self.iter().map(|value| value.rename(perm)).collect()
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<(A, B), Malformed> {
        Ok((A::unpack(bytes)?, B::unpack(bytes)?))
    }

    fn rename(&self, perm: &Perm) -> (A, B) {
        (self.0.rename(perm), self.1.rename(perm))
    }
}
