//! On a network that loses, duplicates and reorders, everything arrives once and in order, and then there is
//! silence.

use crate::network::{Conditions, Network};
use crate::script::{Effect, hear, p, start, step};
use crate::small::{Courier, CourierCall, CourierMsg, CourierOutput};
use watchkeeper_core::{Bound, Input, Kind, Never, Pid, Protocol, Slot};
use watchkeeper_protocols::ring::RingTimer;
use watchkeeper_protocols::stack::{Reliable, ReliableError, ReliableMsg, ReliableTimer};

type Msg = ReliableMsg<CourierMsg>;

const RESEND: u32 = 9;

fn links() -> Reliable<Courier> {
    Reliable::new(Courier, 3, RESEND).expect("links")
}

fn data(number: u64, behind: u64, expects: u64, msg: CourierMsg) -> Msg {
    ReliableMsg::Data { number, behind, expects, msg }
}

fn say(number: u64) -> CourierMsg {
    CourierMsg::Say(number)
}

const ARM: Effect<Msg, ReliableTimer<Never>, CourierOutput> =
    Effect::Arm(ReliableTimer::Resend, Bound::exactly(RESEND));

#[test]
fn kinds_slots_and_labels_are_those_inside_and_one_more() {
    assert_eq!(Msg::KINDS, ["Say", "Echo", "received"]);
    let msg = data(4, 0, 0, CourierMsg::Echo(7));
    assert_eq!((msg.kind(), msg.label()), (1, "Echo 7 #4".to_string()));
    let received = Msg::Received { expects: 5 };
    assert_eq!((received.kind(), received.label()), (2, "received below #5".to_string()));
    assert_eq!(ReliableTimer::<RingTimer>::all().map(Slot::name).collect::<Vec<_>>(), ["Round", "resend"]);
    for index in 0..2 {
        assert_eq!(ReliableTimer::<RingTimer>::from_index(index).map(Slot::index), Some(index));
    }
    assert_eq!(ReliableTimer::<RingTimer>::from_index(2), None);
}

#[test]
fn what_is_not_acknowledged_is_sent_again_and_then_no_more() {
    let links = links();
    let (mut state, asked) = start(&links, p(0));
    assert_eq!(asked, []);
    let call = |value| CourierCall::Say(p(1), value);
    let asked = step(&links, p(0), &mut state, Input::Call(&call(10)));
    assert_eq!(asked, [Effect::Send(p(1), data(0, 0, 0, say(10))), ARM]);
    let asked = step(&links, p(0), &mut state, Input::Call(&call(20)));
    assert_eq!(asked, [Effect::Send(p(1), data(1, 1, 0, say(20)))], "the timer is armed already");
    let again = [Effect::Send(p(1), data(0, 0, 0, say(10))), Effect::Send(p(1), data(1, 1, 0, say(20))), ARM];
    for _ in 0..3 {
        assert_eq!(step(&links, p(0), &mut state, Input::Fire(ReliableTimer::Resend)), again);
    }
    assert_eq!(hear(&links, p(0), &mut state, p(1), Msg::Received { expects: 1 }), []);
    let asked = step(&links, p(0), &mut state, Input::Fire(ReliableTimer::Resend));
    assert_eq!(asked, [Effect::Send(p(1), data(1, 0, 0, say(20))), ARM]);
    let asked = hear(&links, p(0), &mut state, p(1), Msg::Received { expects: 2 });
    assert_eq!(asked, [Effect::Disarm(ReliableTimer::Resend)]);
    assert!(!state.waits());
    // An old acknowledgement, and one of what was never sent.
    for expects in [0, 1, 3, u64::MAX] {
        assert_eq!(hear(&links, p(0), &mut state, p(1), Msg::Received { expects }), []);
    }
    assert_eq!(state.link(p(1)).map(|link| link.done()), Some(2));
}

#[test]
fn an_acknowledgement_rides_on_an_answer_or_goes_alone() {
    let links = links();
    let (mut state, _) = start(&links, p(0));
    let got = |value| Effect::Emit(CourierOutput::Got(p(1), say(value)));
    let received = |expects| Effect::Send(p(1), Msg::Received { expects });
    let asked = hear(&links, p(0), &mut state, p(1), data(0, 0, 0, say(3)));
    let echo = Effect::Send(p(1), data(0, 0, 1, CourierMsg::Echo(3)));
    assert_eq!(asked, [got(3), echo, ARM]);
    assert_eq!(hear(&links, p(0), &mut state, p(1), data(1, 0, 0, say(4))), [got(4), received(2)]);
    assert_eq!(hear(&links, p(0), &mut state, p(1), data(1, 0, 0, say(4))), [received(2)], "twice");
    assert_eq!(hear(&links, p(0), &mut state, p(1), data(0, 0, 0, say(3))), [received(2)], "an older one");
    assert_eq!(hear(&links, p(0), &mut state, p(1), data(3, 1, 0, say(6))), [], "too early");
    assert_eq!(hear(&links, p(0), &mut state, p(1), data(2, 0, 0, say(5))), [got(5), received(3)]);
    // The sender has given up number 3, and can go back no further than 4.
    let asked = hear(&links, p(0), &mut state, p(1), data(4, 0, 1, say(7)));
    assert_eq!(asked, [got(7), received(5), Effect::Disarm(ReliableTimer::Resend)]);
}

#[test]
fn the_window_holds_back_what_is_sent_when_there_is_room() {
    let links = links().limited(2, 8).expect("limits");
    let (mut state, _) = start(&links, p(0));
    let mut sent = Vec::new();
    for value in 0..5 {
        sent.extend(step(&links, p(0), &mut state, Input::Call(&CourierCall::Say(p(2), value))));
    }
    assert_eq!(sent.len(), 3, "two messages and the timer: {sent:?}");
    let asked = hear(&links, p(0), &mut state, p(2), Msg::Received { expects: 3 });
    assert_eq!(asked, [], "nobody can have heard what was not on the wire");
    let asked = hear(&links, p(0), &mut state, p(2), Msg::Received { expects: 1 });
    assert_eq!(asked, [Effect::Send(p(2), data(2, 1, 0, say(2)))]);
    let asked = hear(&links, p(0), &mut state, p(2), Msg::Received { expects: 3 });
    assert_eq!(asked, [Effect::Send(p(2), data(3, 0, 0, say(3))), Effect::Send(p(2), data(4, 1, 0, say(4)))]);
    assert_eq!(hear(&links, p(0), &mut state, p(2), Msg::Received { expects: 5 }).len(), 1);
}

/// What each process got from each other, in order.
fn got(system: &Network<Reliable<Courier>>, to: Pid, from: Pid) -> Vec<u64> {
    let said = |output: &CourierOutput| match output {
        CourierOutput::Got(sender, CourierMsg::Say(value)) if *sender == from => Some(*value),
        CourierOutput::Got(..) => None,
    };
    system.announced_by(to).iter().filter_map(said).collect()
}

/// Every link of three processes carries 40 messages, and a third of them are answered on the link back.
#[test]
fn everything_arrives_once_and_in_order_and_then_there_is_silence() {
    for seed in 0..60 {
        for (lost, window) in [(0, 4), (30, 1), (30, 4), (60, 16)] {
            let conditions = Conditions { lost, twice: 20, delay: 1..=12 };
            let links = links().limited(window, 256).expect("limits");
            let mut system = Network::new(links, 3, conditions, seed);
            for value in 0..40 {
                for from in Pid::all(3) {
                    for to in Pid::all(3).filter(|to| *to != from) {
                        system.call(from, CourierCall::Say(to, value));
                    }
                }
                for _ in 0..system.dice.below(12) {
                    system.turn();
                }
            }
            while system.turn() {
                assert!(system.now < 100_000, "no silence");
            }
            assert!(system.is_silent());
            for from in Pid::all(3) {
                for to in Pid::all(3).filter(|to| *to != from) {
                    assert_eq!(got(&system, to, from), (0..40).collect::<Vec<_>>(), "{from} to {to}");
                }
                let echoes = system.announced_by(from).len() - 2 * 40;
                assert_eq!(echoes, 2 * 14, "0, 3, ..., 39 come back from two");
                assert!(!system.states[from.index()].waits());
            }
        }
    }
}

/// On a perfect network nothing is sent twice: a message and its acknowledgement.
#[test]
fn on_a_good_network_a_message_costs_two() {
    let conditions = Conditions { lost: 0, twice: 0, delay: 1..=1 };
    let mut system = Network::new(links(), 3, conditions, 1);
    for value in [1, 2, 4, 5, 7] {
        system.call(p(0), CourierCall::Say(p(1), value));
        while system.turn() {}
    }
    assert_eq!((system.sent, got(&system, p(1), p(0)).len()), (10, 5));
}

#[test]
fn for_a_peer_that_does_not_answer_only_so_much_is_kept() {
    let conditions = Conditions { lost: 100, twice: 0, delay: 1..=3 };
    let mut system = Network::new(links().limited(2, 4).expect("limits"), 3, conditions, 5);
    for value in 0..1000 {
        system.call(p(0), CourierCall::Say(p(1), 1 + 3 * value));
        system.turn();
        let waiting = system.states[0].link(p(1)).expect("a link").waiting().len();
        assert!(waiting <= 4, "{waiting}");
    }
    // The peer is back after all: it gets what is left, and everything from then on.
    system.conditions.lost = 0;
    system.call(p(0), CourierCall::Say(p(1), 5000));
    while system.turn() {
        assert!(system.now < 100_000, "no silence");
    }
    assert_eq!(got(&system, p(1), p(0)), [1 + 3 * 997, 1 + 3 * 998, 1 + 3 * 999, 5000]);
    system.call(p(0), CourierCall::Say(p(1), 5002));
    while system.turn() {}
    assert_eq!(got(&system, p(1), p(0)).last(), Some(&5002));
}

#[test]
fn what_goes_to_nobody_is_dropped() {
    let links = links();
    let (mut state, _) = start(&links, p(0));
    assert_eq!(step(&links, p(0), &mut state, Input::Call(&CourierCall::Say(p(7), 1))), []);
    assert_eq!(hear(&links, p(0), &mut state, p(7), data(0, 0, 0, say(1))), []);
}

#[test]
fn links_that_cannot_be_are_refused_with_advice() {
    let refused = |error: ReliableError| error.to_string();
    let new = |n, resend| Reliable::new(Courier, n, resend).map(|_| ()).map_err(refused);
    assert_eq!(new(1, 3), Err("1 processes are not possible: choose from 2 to 64".to_string()));
    assert!(new(65, 3).is_err() && new(64, 1).is_ok());
    assert!(new(3, 0).is_err_and(|why| why.ends_with("choose 1 or more")));
    let limited = |window, most| links().limited(window, most).map(|_| ()).map_err(refused);
    assert!(limited(0, 3).is_err_and(|why| why.ends_with("choose 1 or more")));
    assert_eq!(
        limited(4, 3),
        Err("keeping 3 messages is less than the window: choose 4 or more".to_string())
    );
    assert_eq!(limited(4, 4), Ok(()));
    const { assert!(Reliable::<Courier>::SELECTIVE_RECEIVE.is_none()) };
}
