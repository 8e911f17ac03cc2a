//! The form of a block of ascending words. After a header come the gaps between the words: four bits for the length of
//! each, and then their bytes, so that a reader computes a word without a branch. A checksum covers all of it, and a salt
//! that differs from segment to segment, so that a block of another run is no block of this one.

use crate::Word;
use crc32fast::Hasher;

/// The bytes of checksum, number of words and length of the payload, before the first word.
const FIXED: usize = 12;

/// Where a block is, and what its header must say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockMark<W> {
    pub first: W,
    pub at: u64,
    pub bytes: u32,
    pub words: u32,
}

/// The bytes of a header.
pub(crate) fn header_bytes<W: Word>() -> usize {
    FIXED + W::BYTES
}

/// Appends a block; the words are not empty and ascend.
pub(crate) fn encode<W: Word>(words: &[W], salt: u64, out: &mut Vec<u8>) {
    let begin = out.len();
    out.resize(begin + FIXED, 0);
    words[0].store(out);
    let codes = out.len();
    out.resize(codes + (words.len() - 1).div_ceil(2), 0);
    let data = out.len();
    // Every number is written whole, over the end of the one before.
    let mut at = data;
    let mut before = words[0];
    out.resize(data + (words.len() - 1) * W::BYTES + W::BYTES, 0);
    let (head, tail) = out.split_at_mut(data);
    let codes = &mut head[codes..];
    for (i, &word) in words[1..].iter().enumerate() {
        assert!(word > before, "the words of a run ascend");
        let gap = word.gap_after(before);
        let code = gap.code();
        codes[i / 2] |= code << (4 * (i % 2));
        gap.put(&mut tail[at - data..]);
        at += W::length(code);
        before = word;
    }
    // A reader loads whole words, also at the end.
    out.truncate(at);
    out.resize(at + W::BYTES, 0);
    let payload = (out.len() - begin - header_bytes::<W>()) as u32;
    out[begin + 4..begin + 8].copy_from_slice(&(words.len() as u32).to_le_bytes());
    out[begin + 8..begin + 12].copy_from_slice(&payload.to_le_bytes());
    let sum = checksum(&out[begin + 4..], salt);
    out[begin..begin + 4].copy_from_slice(&sum.to_le_bytes());
}

/// The words of a block, or how it is damaged.
pub(crate) fn decode<W: Word>(
    block: &[u8],
    mark: &BlockMark<W>,
    salt: u64,
    out: &mut Vec<W>,
) -> Result<(), &'static str> {
    let number = |at: usize| block.get(at..at + 4).and_then(|bytes| bytes.first_chunk()).copied();
    let [Some(sum), Some(words), Some(payload)] = [0, 4, 8].map(|at| number(at).map(u32::from_le_bytes))
    else {
        return Err("the block is shorter than its header");
    };
    if checksum(&block[4..], salt) != sum {
        return Err("the checksum differs");
    }
    let first = block.get(FIXED..header_bytes::<W>()).map(|bytes| W::load(bytes, W::WHOLE));
    let whole = block.len() == header_bytes::<W>() + payload as usize;
    if !whole || words != mark.words || words == 0 || first != Some(mark.first) {
        return Err("it is not the block that was written here");
    }
    let (codes, data) = block[header_bytes::<W>()..]
        .split_at_checked((words as usize - 1).div_ceil(2))
        .ok_or("the block is shorter than its words")?;
    out.clear();
    out.resize(words as usize, W::LEAST);
    out[0] = mark.first;
    let (mut at, mut word) = (0, mark.first);
    for (pair, &codes) in out[1..].chunks_mut(2).zip(codes) {
        let mut codes = codes;
        for place in pair {
            let bytes = data.get(at..at + W::BYTES).ok_or("the block is shorter than its words")?;
            word = word.after_gap(W::load(bytes, codes & 15));
            at += W::length(codes & 15);
            *place = word;
            codes >>= 4;
        }
    }
    Ok(())
}

fn checksum(bytes: &[u8], salt: u64) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&salt.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark<W: Word>(words: &[W], block: &[u8]) -> BlockMark<W> {
        BlockMark { first: words[0], at: 0, bytes: block.len() as u32, words: words.len() as u32 }
    }

    fn there_and_back<W: Word>(words: &[W]) {
        let mut block = vec![7; 3];
        encode(words, 5, &mut block);
        let block = &block[3..];
        let mark = mark(words, block);
        let mut out = vec![W::LEAST; 2];
        assert_eq!(decode(block, &mark, 5, &mut out), Ok(()));
        assert_eq!(out, words);
        assert!(decode(block, &mark, 6, &mut out).is_err(), "the block of another segment");
        let mut other = block.to_vec();
        for bit in 0..8 * block.len() {
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&other, &mark, 5, &mut out).is_err(), "bit {bit} of {words:?}");
            other[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..block.len() {
            assert!(decode(&block[..length], &mark, 5, &mut out).is_err(), "{length} bytes of {words:?}");
        }
    }

    #[test]
    fn words_survive_and_every_flipped_bit_and_every_cut_is_noticed() {
        there_and_back::<u64>(&[0]);
        there_and_back::<u64>(&[u64::MAX]);
        there_and_back::<u64>(&[0, u64::MAX]);
        there_and_back::<u128>(&[0, u128::MAX]);
        let mut narrow: Vec<u64> =
            (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]).collect();
        narrow.sort_unstable();
        narrow.dedup();
        there_and_back(&narrow);
        let gaps: Vec<u64> = (0..8).map(|byte| 1u64 << (8 * byte)).collect();
        let sums: Vec<u64> = (1..=8).map(|n| gaps[..n].iter().sum()).collect();
        there_and_back(&sums);
        let mut wide: Vec<u128> = (0..128).flat_map(|bit| [1 << bit, (1 << bit) + 1]).collect();
        wide.dedup();
        there_and_back(&wide);
    }

    #[test]
    fn the_block_of_another_place_is_noticed() {
        let (mut block, mut out) = (Vec::new(), Vec::new());
        encode(&[1u64, 2, 3], 5, &mut block);
        let right = mark(&[1u64, 2, 3], &block);
        for wrong in [BlockMark { first: 2, ..right }, BlockMark { words: 2, ..right }] {
            assert!(decode(&block, &wrong, 5, &mut out).is_err());
        }
    }

    #[test]
    fn words_that_follow_each_other_cost_half_a_byte() {
        let words: Vec<u64> = (1 << 40..).take(4096).collect();
        let mut block = Vec::new();
        encode(&words, 0, &mut block);
        assert!(block.len() < 4096 / 2 + 40, "{}", block.len());
    }
}
