//! What the derives generate: the exact bytes, the labels, the slots.

use watchkeeper_core::{Kind, Malformed, Never, Pack, Perm, Pid, ProcSet, Slot, Suspicion, packed, unpacked};

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

/// Every field of a slot is a slot, and the slots of another set can be among its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Layered<T> {
    #[slot("beat")]
    Beat,
    Wait {
        whom: Pid,
        long: bool,
    },
    Own(#[slot(inner)] T),
    Twice(bool, #[slot(inner)] T),
    Last(Never),
}

#[derive(Kind)]
enum Around<M> {
    #[kind(label = "{{{msg}}} #{number:03}")]
    Data {
        number: u32,
        #[kind(inner)]
        msg: M,
    },
    #[kind("got", label = "got {0:?} and {1}")]
    Got(Option<u8>, r#Pid),
    Sealed(u8, #[kind(skip)] Vec<u8>, Pid),
    Plain(bool, #[kind(inner)] Suspicion),
    #[kind(label = "of {type}")]
    Kept {
        r#type: u8,
        unnamed: u8,
    },
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
    assert_eq!(Timer::all().map(Slot::name).collect::<Vec<_>>(), ["Round", "give up", "Try"]);
    assert_eq!((Timer::COUNT, Timer::KINDS), (3, &["Round", "give up", "Try"][..]));
    assert_eq!([Timer::Round, Timer::GiveUp, Timer::Try].map(Timer::index), [0, 1, 2]);
    for index in 0..3 {
        assert_eq!(Timer::from_index(index).map(Timer::index), Some(index));
    }
    assert_eq!(Timer::from_index(3), None);
}

#[test]
fn slots_with_fields_are_numbered_without_gaps_and_named_after_what_they_hold() {
    type Timers = Layered<Timer>;
    assert_eq!(Timers::COUNT, 1 + 64 * 2 + 3 + 2 * 3);
    assert_eq!(Timers::KINDS, ["beat", "Wait", "Round", "give up", "Try", "Round", "give up", "Try", "Last"]);
    for index in 0..Timers::COUNT {
        let slot = Timers::from_index(index).expect("a slot");
        assert_eq!(slot.index(), index);
        assert!(slot.kind() < Timers::KINDS.len());
    }
    assert_eq!(Timers::all().count(), Timers::COUNT);
    assert_eq!(Timers::from_index(Timers::COUNT), None);
    let named = |slot: Timers| (slot.index(), slot.kind(), slot.name());
    assert_eq!(named(Layered::Beat), (0, 0, "beat".to_string()));
    assert_eq!(named(Layered::Wait { whom: p(3), long: true }), (8, 1, "Wait p3 true".to_string()));
    assert_eq!(named(Layered::Own(Timer::GiveUp)), (130, 3, "give up".to_string()));
    assert_eq!(named(Layered::Twice(true, Timer::Try)), (137, 7, "Try true".to_string()));
    assert_eq!((Layered::<Never>::COUNT, Layered::<Never>::KINDS), (129, &["beat", "Wait", "Last"][..]));
    assert_eq!(Never::COUNT + bool::COUNT + Pid::COUNT, 66);
}

#[test]
fn timers_of_a_process_go_where_its_name_goes() {
    let turn = Perm::rotation(3, 1);
    assert_eq!(Timer::GiveUp.rename(&turn), Timer::GiveUp);
    let wait = |whom| Layered::<Layered<Timer>>::Own(Layered::Wait { whom: p(whom), long: false });
    assert_eq!(wait(2).rename(&turn), wait(0));
    assert_eq!(wait(7).rename(&turn), wait(7));
    // What is renamed is a permutation of the slots.
    let mut places: Vec<usize> = Layered::<Timer>::all().map(|slot| slot.rename(&turn).index()).collect();
    places.sort_unstable();
    assert!(places.into_iter().eq(0..Layered::<Timer>::COUNT));
}

#[test]
fn labels_are_written_as_the_protocol_says() {
    let all: Vec<Around<Msg<bool>>> = vec![
        Around::Data { number: 7, msg: Msg::Propose(3, true) },
        Around::Got(None, p(1)),
        Around::Sealed(9, vec![0; 100], p(2)),
        Around::Plain(true, Suspicion::Trust(p(0))),
        Around::Kept { r#type: 4, unnamed: 5 },
    ];
    let labels: Vec<String> = all.iter().map(Kind::label).collect();
    assert_eq!(
        labels,
        ["{Propose 3 true} #007", "got None and p1", "Sealed 9 p2", "stop suspecting p0 true", "of 4"]
    );
    let kinds: Vec<&str> = all.iter().map(|value| Around::<Msg<bool>>::KINDS[value.kind()]).collect();
    assert_eq!(kinds, ["Propose", "got", "Sealed", "stop suspecting", "Kept"]);
    assert_eq!(Around::<Never>::KINDS, ["got", "Sealed", "suspect", "stop suspecting", "Kept"]);
}
