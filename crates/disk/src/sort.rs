//! Sorts words by their digits.

use crate::Word;

/// The bits of a digit.
const BITS: u32 = 8;
const DIGITS: usize = 1 << BITS;
/// Fewer words than these are sorted by comparison.
const FEW: usize = 1 << 9;

/// Sorts words of so many bits, and removes those that are there twice; `spare` is a buffer to use.
pub fn sort_dedup<W: Word>(words: &mut Vec<W>, spare: &mut Vec<W>, bits: u32) {
    if words.len() < FEW {
        words.sort_unstable();
    } else {
        radix_sort(words, spare, bits);
    }
    words.dedup();
}

fn radix_sort<W: Word>(words: &mut Vec<W>, spare: &mut Vec<W>, bits: u32) {
    let rounds = bits.min(8 * W::BYTES as u32).div_ceil(BITS) as usize;
    let mut counts = vec![[0u32; DIGITS]; rounds];
    for &word in words.iter() {
        for (round, counts) in counts.iter_mut().enumerate() {
            counts[word.digit(BITS * round as u32, DIGITS - 1)] += 1;
        }
    }
    spare.clear();
    spare.resize(words.len(), W::LEAST);
    for (round, counts) in counts.iter_mut().enumerate() {
        let shift = BITS * round as u32;
        if counts.iter().any(|&count| count as usize == words.len()) {
            continue;
        }
        let mut sum = 0;
        for count in counts.iter_mut() {
            sum += std::mem::replace(count, sum);
        }
        for &word in words.iter() {
            let place = &mut counts[word.digit(shift, DIGITS - 1)];
            spare[*place as usize] = word;
            *place += 1;
        }
        std::mem::swap(words, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_there_once() {
        let mut hash = 1u64;
        let mut draw = move || {
            hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5555;
            hash
        };
        for count in [0, 1, 2, FEW - 1, FEW, 3000] {
            for bits in [1, 7, 8, 9, 31, 48, 64] {
                let mut words: Vec<u64> = (0..count).map(|_| draw() >> (64 - bits)).collect();
                let mut known = words.clone();
                known.sort_unstable();
                known.dedup();
                sort_dedup(&mut words, &mut Vec::new(), bits);
                assert_eq!(words, known, "{count} words of {bits} bits");
                let wide = |_| (u128::from(draw()) << 64 | u128::from(draw())) >> (64 - bits);
                let mut words: Vec<u128> = (0..count).map(wide).collect();
                let mut known = words.clone();
                known.sort_unstable();
                known.dedup();
                sort_dedup(&mut words, &mut vec![1; 5], 64 + bits);
                assert_eq!(words, known, "{count} words of {} bits", 64 + bits);
            }
        }
    }
}
