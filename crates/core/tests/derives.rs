//! What the derives generate: the exact bytes, the labels, the slots.

use watchkeeper_core::{Kind, Malformed, Pack, Perm, Pid, ProcSet, Slot, Suspicion, packed, unpacked};

fn p(number: usize) -> Pid {
    Pid::at(number)
}

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
struct Unit;

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
struct Tuple(u16, Pid);

#[derive(Clone, PartialEq, Eq, Debug, Pack)]
struct Generic<A, const N: usize, B = bool>
where
    B: Clone,
{
    first: A,
    r#type: Option<B>,
}

#[derive(Clone, PartialEq, Eq, Debug, Pack, Kind)]
enum Msg<V> {
    #[kind("PRE-PARE")]
    Prepare,
    Propose(u32, V),
    Leave {
        who: Pid,
        left: ProcSet,
    },
    r#Yield,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Timer {
    Round,
    #[slot("give up")]
    GiveUp,
    r#Try,
}

#[test]
fn fields_are_laid_down_in_their_order() {
    assert_eq!(packed(&Unit), []);
    assert_eq!(packed(&Tuple(300, p(5))), [0xac, 2, 5]);
    let generic = Generic::<Pid, 3> { first: p(1), r#type: Some(true) };
    assert_eq!(packed(&generic), [1, 1, 1]);
    assert_eq!(unpacked(&[1, 1, 1]), Ok(generic));
}

#[test]
fn a_variant_is_one_byte_before_its_fields() {
    assert_eq!(packed(&Msg::<bool>::Prepare), [0]);
    assert_eq!(packed(&Msg::Propose(7, true)), [1, 7, 1]);
    assert_eq!(packed(&Msg::<bool>::Leave { who: p(2), left: ProcSet::only(p(1)) }), [2, 2, 2]);
    assert_eq!(packed(&Msg::<bool>::Yield), [3]);
    assert_eq!(unpacked::<Msg<bool>>(&[4]), Err(Malformed("no such variant")));
    assert_eq!(unpacked::<Msg<bool>>(&[1, 7]), Err(Malformed("too few bytes")));
    assert_eq!(unpacked::<Msg<bool>>(&[0, 0]), Err(Malformed("bytes left over")));
}

#[test]
fn renaming_reaches_every_field() {
    let turn = Perm::rotation(3, 1);
    assert_eq!(Unit.rename(&turn), Unit);
    assert_eq!(Tuple(1, p(2)).rename(&turn), Tuple(1, p(0)));
    let leave = Msg::<Pid>::Leave { who: p(0), left: ProcSet::only(p(2)) };
    assert_eq!(leave.rename(&turn), Msg::Leave { who: p(1), left: ProcSet::only(p(0)) });
    assert_eq!(Msg::Propose(1, p(1)).rename(&turn), Msg::Propose(1, p(2)));
    assert_eq!(Suspicion::Trust(p(2)).rename(&turn), Suspicion::Trust(p(0)));
}

#[test]
fn kinds_are_the_variants_and_labels_show_what_they_carry() {
    assert_eq!(Msg::<Pid>::KINDS, ["PRE-PARE", "Propose", "Leave", "Yield"]);
    let all =
        [Msg::Prepare, Msg::Propose(3, p(1)), Msg::Leave { who: p(0), left: ProcSet::first(2) }, Msg::Yield];
    let labels: Vec<String> = all.iter().map(Msg::label).collect();
    assert_eq!(labels, ["PRE-PARE", "Propose 3 p1", "Leave p0 {p0,p1}", "Yield"]);
    assert_eq!(all.map(|msg| msg.kind()), [0, 1, 2, 3]);
    assert_eq!(Suspicion::Suspect(p(4)).label(), "suspect p4");
    assert_eq!(Suspicion::Trust(p(4)).label(), "stop suspecting p4");
}

#[test]
fn slots_are_numbered_from_0_and_have_names() {
    assert_eq!(Timer::NAMES, ["Round", "give up", "Try"]);
    assert_eq!([Timer::Round, Timer::GiveUp, Timer::Try].map(Timer::index), [0, 1, 2]);
    for index in 0..3 {
        assert_eq!(Timer::from_index(index).map(Timer::index), Some(index));
    }
    assert_eq!(Timer::from_index(3), None);
}
