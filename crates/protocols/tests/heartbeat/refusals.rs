//! What there is no heartbeat protocol for, what the messages say, and the names that reports use.

use crate::script::{heartbeat, p};
use watchkeeper_core::{Kind, MAX_PROCESSES, Promises, Protocol, Slot, Symmetry, Tone};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatCall, HeartbeatError, HeartbeatMsg, HeartbeatOutput, HeartbeatRequirement,
    HeartbeatTimer, HeartbeatVariant, UnknownHeartbeatVariant,
};

fn refusal(variant: HeartbeatVariant, tmin: u32, tmax: u32, n: usize) -> String {
    Heartbeat::new(variant, tmin, tmax, n).expect_err("no such protocol").to_string()
}

#[test]
fn protocols_that_cannot_be_are_refused_with_advice() {
    for variant in HeartbeatVariant::ALL {
        assert_eq!(
            refusal(variant, 0, 10, 1),
            "a tmin of 0 leaves messages no time: choose a tmin of 1 or more"
        );
        assert_eq!(
            refusal(variant, 11, 10, 1),
            "a tmin of 11 is above a tmax of 10: choose a tmin of at most 10, or a tmax of 11 or more"
        );
        assert_eq!(
            refusal(variant, 1, u32::MAX / 3 + 1, 1),
            "a tmax of 1431655766 is too long to count: choose a tmax of at most 1431655765"
        );
        assert_eq!(refusal(variant, 1, 10, 0), "0 participants are not possible: choose n between 1 and 63");
        assert_eq!(
            refusal(variant, 1, 10, MAX_PROCESSES),
            "64 participants are not possible: choose n between 1 and 63"
        );
        let many = Heartbeat::new(variant, 1, 10, MAX_PROCESSES - 1);
        match variant {
            HeartbeatVariant::Static | HeartbeatVariant::Expanding | HeartbeatVariant::Dynamic => {
                assert_eq!(many.map(|heartbeat| heartbeat.processes()), Ok(MAX_PROCESSES));
            }
            _ => assert_eq!(many, Err(HeartbeatError::OnlyOne { variant, n: MAX_PROCESSES - 1 })),
        }
    }
    assert_eq!(
        refusal(HeartbeatVariant::TwoPhase, 1, 10, 2),
        "the two-phase heartbeat protocol is for one participant, not 2: \
         choose an n of 1, or the static protocol"
    );
}

#[test]
fn the_longest_times_can_be_counted() {
    let most = u32::MAX / 3;
    for variant in HeartbeatVariant::ALL {
        for tmin in [1, most / 2, most] {
            let published = heartbeat(variant, tmin, most, 1);
            for heartbeat in [published, published.corrected()] {
                assert!(heartbeat.patience() >= 2 * most);
                assert!(heartbeat.coordinator_bound() >= 2 * most);
            }
        }
    }
}

#[test]
fn each_protocol_has_a_name_that_is_read_back() {
    let names = ["binary", "revised", "two-phase", "static", "expanding", "dynamic"];
    assert_eq!(HeartbeatVariant::ALL.map(|variant| variant.to_string()), names);
    for variant in HeartbeatVariant::ALL {
        assert_eq!(variant.to_string().parse(), Ok(variant));
    }
    assert_eq!(
        "two phase".parse::<HeartbeatVariant>(),
        Err(UnknownHeartbeatVariant("two phase".to_string()))
    );
    assert_eq!(
        UnknownHeartbeatVariant("Binary".to_string()).to_string(),
        "no heartbeat protocol is called \"Binary\": \
         choose one of binary, revised, two-phase, static, expanding, dynamic"
    );
    assert_eq!(HeartbeatRequirement::ALL.map(|requirement| requirement.to_string()), ["R1", "R2", "R3"]);
}

#[test]
fn a_protocol_tells_how_it_was_made() {
    let published = heartbeat(HeartbeatVariant::Expanding, 2, 7, 3);
    assert_eq!(
        (published.variant(), published.tmin(), published.tmax()),
        (HeartbeatVariant::Expanding, 2, 7)
    );
    assert_eq!((published.participants(), published.processes()), (3, 4));
    assert!(!published.is_corrected());
    assert!(published.corrected().is_corrected());
    assert_eq!(published.symmetry(), Symmetry::Fixing(p(0)));
    assert_eq!(published.meaning(&HeartbeatOutput::Inactivated).tone(), Tone::Alarm);
}

#[test]
fn reports_use_the_names_of_the_sources() {
    assert_eq!(HeartbeatMsg::KINDS, ["beat", "leave"]);
    assert_eq!(HeartbeatTimer::all().map(Slot::name).collect::<Vec<_>>(), ["Round", "GiveUp", "Join"]);
    assert_eq!(HeartbeatCall::KINDS, ["leave"]);
    assert_eq!(HeartbeatOutput::KINDS, ["inactivated"]);
}
