//! Bytes that must be refused, and how many must not: exact counts over all short inputs, numbers out of
//! their shortest form, and lists that promise more than they bring.

use watchkeeper_core::{Malformed, Never, Pack, PerProc, Pid, ProcSet, Reader, Suspicion, packed, unpacked};

/// How many strings of at most two bytes are the form of a value.
fn accepted<T: Pack>() -> usize {
    let short = (0..=255u8).map(|a| vec![a]);
    let long = (0..=u16::MAX).map(|ab| ab.to_be_bytes().to_vec());
    let all = [Vec::new()].into_iter().chain(short).chain(long);
    all.filter(|bytes| match unpacked::<T>(bytes) {
        Ok(value) => {
            assert_eq!(packed(&value), *bytes);
            true
        }
        Err(_) => false,
    })
    .count()
}

#[test]
fn each_value_has_one_form_of_at_most_two_bytes() {
    assert_eq!(accepted::<()>(), 1);
    assert_eq!(accepted::<Never>(), 0);
    assert_eq!(accepted::<bool>(), 2);
    assert_eq!(accepted::<Pid>(), 64);
    assert_eq!(accepted::<Suspicion>(), 2 * 64);
    assert_eq!(accepted::<Option<bool>>(), 1 + 2);
    assert_eq!(accepted::<Option<Option<Pid>>>(), 1 + 1);
    assert_eq!(accepted::<u8>(), 256);
    assert_eq!(accepted::<u16>(), 1 << 14);
    assert_eq!(accepted::<i64>(), 1 << 14);
    assert_eq!(accepted::<ProcSet>(), 1 << 14);
    assert_eq!(accepted::<(bool, Pid)>(), 2 * 64);
    assert_eq!(accepted::<Vec<bool>>(), 1 + 2);
    assert_eq!(accepted::<PerProc<Pid>>(), 1 + 64);
    assert_eq!(accepted::<Vec<Vec<u8>>>(), 1 + 1);
}

#[test]
fn numbers_are_read_in_their_shortest_form_only() {
    let read = |bytes: &[u8]| unpacked::<u64>(bytes);
    assert_eq!(read(&[0x80, 0]), Err(Malformed("number not in its shortest form")));
    assert_eq!(read(&[0xff, 0x80, 0]), Err(Malformed("number not in its shortest form")));
    assert_eq!(read(&[0x80]), Err(Malformed("too few bytes")));
    let mut most = [0xff; 10];
    most[9] = 1;
    assert_eq!(read(&most), Ok(u64::MAX));
    most[9] = 2;
    assert_eq!(read(&most), Err(Malformed("number too large")));
    most[9] = 0x81;
    assert_eq!(read(&most), Err(Malformed("number too long")));
    assert_eq!(read(&[0x80; 4000]), Err(Malformed("number too long")));
}

#[test]
fn numbers_too_large_for_their_type_are_refused() {
    fn border<T: Pack + PartialEq + std::fmt::Debug>(most: T, beyond: u64) {
        assert_eq!(unpacked::<T>(&packed(&(beyond - 1))), Ok(most));
        assert_eq!(unpacked::<T>(&packed(&beyond)), Err(Malformed("number too large")));
    }
    border(u8::MAX, 1 << 8);
    border(u16::MAX, 1 << 16);
    border(u32::MAX, 1 << 32);
    for extreme in [i64::MIN, i64::MAX, -1, 0] {
        assert_eq!(unpacked(&packed(&extreme)), Ok(extreme));
    }
    assert_eq!(packed(&-1i64), [1], "small negative numbers are short");
    assert_eq!(packed(&i64::MIN).len(), 10);
}

#[test]
fn a_list_is_believed_only_as_far_as_its_bytes_go() {
    let longer = Err(Malformed("list longer than its bytes"));
    for len in [2, 1000, u64::from(u32::MAX), u64::MAX] {
        let bomb = [packed(&len), vec![0]].concat();
        assert_eq!(unpacked::<Vec<u64>>(&bomb), longer);
        assert_eq!(unpacked::<Vec<Vec<u64>>>(&[vec![1], bomb].concat()), Err(longer.clone().unwrap_err()));
    }
    assert!(unpacked::<Vec<()>>(&packed(&vec![(); 3])).is_err(), "values without bytes are not listed");
    assert_eq!(unpacked::<PerProc<u8>>(&[vec![64], vec![0; 64]].concat()).map(|values| values.len()), Ok(64));
    assert_eq!(
        unpacked::<PerProc<u8>>(&[vec![65], vec![0; 65]].concat()),
        Err(Malformed("more values than there can be processes"))
    );
}

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
struct Tree(Vec<Tree>);

/// A tree that is one path of this many nodes.
fn path(nodes: usize) -> Vec<u8> {
    [vec![1; nodes - 1], vec![0]].concat()
}

#[test]
fn a_list_of_lists_cannot_be_nested_without_end() {
    assert!(unpacked::<Tree>(&path(64)).is_ok());
    assert_eq!(unpacked::<Tree>(&path(65)), Err(Malformed("lists nested too deeply")));
    assert_eq!(unpacked::<Tree>(&path(1_000_000)), Err(Malformed("lists nested too deeply")));
    let wide = [vec![100], vec![0; 100]].concat();
    assert_eq!(unpacked::<Tree>(&wide).map(|tree| tree.0.len()), Ok(100), "siblings are not nested");
}

#[test]
fn a_reader_takes_no_more_than_there_is() {
    let mut reader = Reader::new(&[1, 2, 3]);
    assert_eq!(reader.take(4), Err(Malformed("too few bytes")));
    assert_eq!(reader.take(2), Ok(&[1, 2][..]));
    assert_eq!(reader.byte(), Ok(3));
    assert!(reader.is_empty());
    assert_eq!(reader.byte(), Err(Malformed("too few bytes")));
    assert_eq!(reader.take(0), Ok(&[][..]));
    assert_eq!(Malformed("too few bytes").to_string(), "malformed bytes: too few bytes");
}
