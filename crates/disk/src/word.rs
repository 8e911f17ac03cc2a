//! The words that runs are made of: numbers of one machine word or two, which are ordered by their value.

/// A number that can be stored in a run.
pub trait Word: Copy + Ord + Send + Sync + std::fmt::Debug + 'static {
    /// Its bytes.
    const BYTES: usize;
    /// The smallest word.
    const LEAST: Self;
    /// The code of numbers that take all bytes.
    const WHOLE: u8;

    /// What is to be added to a smaller word, and one more, to come to this one.
    fn gap_after(self, before: Self) -> Self;

    /// The word that is so much, and one more, after this one.
    fn after_gap(self, gap: Self) -> Self;

    /// How many bytes hold this number, as a code of four bits; [`Word::length`] tells the bytes of a code.
    fn code(self) -> u8;

    /// The bytes of a number with this code.
    fn length(code: u8) -> usize;

    /// The number at the beginning of [`Word::BYTES`] bytes, of which only those that the code says belong to it.
    fn load(bytes: &[u8], code: u8) -> Self;

    /// Writes all bytes of the number to the beginning of a buffer that is long enough, the lowest first.
    fn put(self, buffer: &mut [u8]);

    /// Appends all bytes of the word, the lowest first.
    fn store(self, out: &mut Vec<u8>);

    /// Some neighbouring bits of the word, at most 16.
    fn digit(self, shift: u32, mask: usize) -> usize;
}

/// For each code, the bits of a word of 64 that belong to the number.
const MASKS: [u64; 16] = {
    let (mut masks, mut length) = ([u64::MAX; 16], 0);
    while length < 8 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

impl Word for u64 {
    const BYTES: usize = 8;
    const LEAST: u64 = 0;
    const WHOLE: u8 = 8;

    #[inline]
    fn gap_after(self, before: u64) -> u64 {
        self.wrapping_sub(before).wrapping_sub(1)
    }

    #[inline]
    fn after_gap(self, gap: u64) -> u64 {
        self.wrapping_add(gap).wrapping_add(1)
    }

    #[inline]
    fn code(self) -> u8 {
        (64 - self.leading_zeros()).div_ceil(8) as u8
    }

    #[inline]
    fn length(code: u8) -> usize {
        code as usize
    }

    #[inline]
    fn load(bytes: &[u8], code: u8) -> u64 {
        bytes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)) & MASKS[code as usize & 15]
    }

    #[inline]
    fn put(self, buffer: &mut [u8]) {
        buffer[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn store(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn digit(self, shift: u32, mask: usize) -> usize {
        (self >> shift) as usize & mask
    }
}

impl Word for u128 {
    const BYTES: usize = 16;
    const LEAST: u128 = 0;
    const WHOLE: u8 = 15;

    #[inline]
    fn gap_after(self, before: u128) -> u128 {
        self.wrapping_sub(before).wrapping_sub(1)
    }

    #[inline]
    fn after_gap(self, gap: u128) -> u128 {
        self.wrapping_add(gap).wrapping_add(1)
    }

    #[inline]
    fn code(self) -> u8 {
        ((128 - self.leading_zeros()).div_ceil(8) as u8).min(Self::WHOLE)
    }

    #[inline]
    fn length(code: u8) -> usize {
        if code == Self::WHOLE { 16 } else { code as usize }
    }

    #[inline]
    fn load(bytes: &[u8], code: u8) -> u128 {
        let whole = bytes.first_chunk().map_or(0, |&bytes| u128::from_le_bytes(bytes));
        if code == Self::WHOLE { whole } else { whole & ((1 << (8 * u32::from(code))) - 1) }
    }

    #[inline]
    fn put(self, buffer: &mut [u8]) {
        buffer[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn store(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn digit(self, shift: u32, mask: usize) -> usize {
        (self >> shift) as usize & mask
    }
}
