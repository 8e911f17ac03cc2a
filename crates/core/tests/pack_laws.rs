//! The laws of packing, on random values, random bytes and random renamings: what is packed is read back,
//! what is read packs to the bytes it was read from, and renamings act as a group.

use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Debug;
use watchkeeper_core::{Pack, PerProc, Perm, Pid, ProcSet, Reader, Suspicion, packed, unpacked};

/// The renamings act on this many processes; values name others too, which keep their names.
const N: usize = 4;

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
struct Unit;

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
struct Tuple(i64, bool, Pid);

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
struct Pair<A, B> {
    first: A,
    rest: Vec<B>,
}

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
enum Shape {
    Empty,
    Tuple(Pid, u64),
    Named { set: ProcSet, list: Vec<Suspicion> },
    Deep(Pair<Option<Tuple>, Shape>),
    Unit(Unit, ()),
}

fn pid() -> impl Strategy<Value = Pid> + Clone {
    prop_oneof![4 => 0..N, 1 => 0..64usize].prop_map(Pid::at)
}

fn set() -> impl Strategy<Value = ProcSet> + Clone {
    prop_oneof![4 => 0..1u64 << N, 1 => any::<u64>()].prop_map(ProcSet::from_bits)
}

fn suspicion() -> impl Strategy<Value = Suspicion> + Clone {
    (pid(), any::<bool>()).prop_map(|(p, yes)| if yes { Suspicion::Suspect(p) } else { Suspicion::Trust(p) })
}

fn tuple() -> impl Strategy<Value = Tuple> + Clone {
    (any::<i64>(), any::<bool>(), pid()).prop_map(|(a, b, c)| Tuple(a, b, c))
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Empty),
        Just(Shape::Unit(Unit, ())),
        (pid(), any::<u64>()).prop_map(|(p, number)| Shape::Tuple(p, number)),
        (set(), vec(suspicion(), 0..4)).prop_map(|(set, list)| Shape::Named { set, list }),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        (prop::option::of(tuple()), vec(inner, 0..4))
            .prop_map(|(first, rest)| Shape::Deep(Pair { first, rest }))
    })
}

fn per_proc() -> impl Strategy<Value = PerProc<ProcSet>> {
    vec(set(), N).prop_map(|sets| {
        let mut values = PerProc::new(N, ProcSet::EMPTY);
        for (p, set) in Pid::all(N).zip(sets) {
            values[p] = set;
        }
        values
    })
}

fn perm() -> impl Strategy<Value = Perm> {
    let all = Perm::all(N);
    (0..all.len()).prop_map(move |i| all[i].clone())
}

/// The renaming that does `first` and then `second`.
fn after(second: &Perm, first: &Perm) -> Perm {
    let does = |perm: &Perm| Pid::all(N).all(|p| perm.apply(p) == second.apply(first.apply(p)));
    Perm::all(N).into_iter().find(does).expect("renamings are closed under composition")
}

/// The laws that every value must keep.
fn keep<T: Pack + PartialEq + Debug>(value: &T, a: &Perm, b: &Perm) -> Result<(), TestCaseError> {
    let bytes = packed(value);
    prop_assert_eq!(&unpacked::<T>(&bytes).expect("what is packed can be read"), value);
    for len in 0..bytes.len() {
        prop_assert!(unpacked::<T>(&bytes[..len]).is_err(), "no value is the beginning of another");
    }
    prop_assert!(unpacked::<T>(&[&bytes[..], &[0]].concat()).is_err());
    prop_assert_eq!(&value.rename(&Perm::identity(N)), value);
    prop_assert_eq!(&value.rename(a).rename(&a.inverse()), value);
    prop_assert_eq!(value.rename(a).rename(b), value.rename(&after(b, a)));
    Ok(())
}

/// Bytes are refused, or they begin with the canonical form of what was read from them.
fn canonical<T: Pack>(bytes: &[u8]) -> Result<(), TestCaseError> {
    let mut reader = Reader::new(bytes);
    let Ok(value) = T::unpack(&mut reader) else { return Ok(()) };
    let again = packed(&value);
    prop_assert!(bytes.starts_with(&again), "{:?} was read, {:?} is packed", bytes, again);
    prop_assert!(reader.take(bytes.len() - again.len()).is_ok() && reader.is_empty());
    Ok(())
}

proptest! {
    #[test]
    fn numbers_keep_the_laws(a: u8, b: u16, c: u32, d: u64, e: i64, f: bool, x in perm(), y in perm()) {
        keep(&a, &x, &y)?;
        keep(&b, &x, &y)?;
        keep(&c, &x, &y)?;
        keep(&d, &x, &y)?;
        keep(&e, &x, &y)?;
        keep(&f, &x, &y)?;
        keep(&((), (a, e)), &x, &y)?;
    }

    #[test]
    fn processes_keep_the_laws(p in pid(), s in set(), o in suspicion(), x in perm(), y in perm()) {
        keep(&p, &x, &y)?;
        keep(&s, &x, &y)?;
        keep(&o, &x, &y)?;
        keep(&Some((p, s)), &x, &y)?;
        prop_assert_eq!(s.rename(&x).contains(p.rename(&x)), s.contains(p));
    }

    #[test]
    fn values_for_processes_keep_the_laws(values in per_proc(), p in 0..N, x in perm(), y in perm()) {
        keep(&values, &x, &y)?;
        let p = Pid::at(p);
        prop_assert_eq!(values.rename(&x)[x.apply(p)], values[p].rename(&x));
    }

    #[test]
    fn derived_values_keep_the_laws(value in shape(), tuple in tuple(), x in perm(), y in perm()) {
        keep(&value, &x, &y)?;
        keep(&Unit, &x, &y)?;
        keep(&Pair { first: tuple.clone(), rest: vec![Some(value.clone()), None] }, &x, &y)?;
        keep(&tuple, &x, &y)?;
    }

    #[test]
    fn bytes_are_read_in_one_form_only(bytes in vec(prop_oneof![0u8..6, any::<u8>()], 0..40)) {
        canonical::<u8>(&bytes)?;
        canonical::<u16>(&bytes)?;
        canonical::<u32>(&bytes)?;
        canonical::<u64>(&bytes)?;
        canonical::<i64>(&bytes)?;
        canonical::<ProcSet>(&bytes)?;
        canonical::<Vec<Pid>>(&bytes)?;
        canonical::<PerProc<Option<bool>>>(&bytes)?;
        canonical::<Shape>(&bytes)?;
        canonical::<Pair<Tuple, Shape>>(&bytes)?;
    }

    /// Equal bytes are equal values, so stores may compare bytes in place of values.
    #[test]
    fn different_values_have_different_bytes(a in shape(), b in shape()) {
        prop_assert_eq!(packed(&a) == packed(&b), a == b);
    }
}
