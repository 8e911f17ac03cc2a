//! Numbers as bytes in the blocks of a journal: seven bits to a byte, the low ones first.

/// Appends a number.
pub(super) fn put(mut number: u128, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends the length of a list and its numbers; zeros at the end are left out.
pub(super) fn put_list(list: &[u64], out: &mut Vec<u8>) {
    let len = list.iter().rposition(|&number| number != 0).map_or(0, |last| last + 1);
    put(len as u128, out);
    list[..len].iter().for_each(|&number| put(number.into(), out));
}

/// Takes a number off the front; `None` if there is none.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0;
    for shift in (0..u128::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let low = u128::from(byte & 0x7f);
        if low << shift >> shift != low {
            return None;
        }
        number |= low << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Takes a number of one word.
pub(super) fn take_word(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes)?.try_into().ok()
}

/// Takes a list with room for so many numbers; those that were left out are 0.
pub(super) fn take_list(bytes: &mut &[u8], room: usize) -> Option<Vec<u64>> {
    let len = usize::try_from(take(bytes)?).ok().filter(|&len| len <= room)?;
    let mut list = (0..len).map(|_| take_word(bytes)).collect::<Option<Vec<u64>>>()?;
    list.resize(room, 0);
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_are_read_as_they_were_written() {
        let numbers = [0, 1, 127, 128, 300, u128::from(u64::MAX), u128::MAX >> 1, u128::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| put(number, &mut bytes));
        put_list(&[3, 0, 5, 0, 0], &mut bytes);
        let mut rest = &bytes[..];
        for number in numbers {
            assert_eq!(take(&mut rest), Some(number));
        }
        assert_eq!(take_list(&mut rest, 5), Some(vec![3, 0, 5, 0, 0]));
        assert!(rest.is_empty());
        assert_eq!(take(&mut rest), None, "nothing is left");
        assert_eq!(take(&mut &[0xff; 30][..]), None, "too long for a number");
        assert_eq!(take_list(&mut &[3, 1, 1, 1][..], 2), None, "longer than there is room");
    }
}
