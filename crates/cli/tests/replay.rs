//! Recorded runs against the model: runs of a simulated cluster follow it, and one that has a mistake planted
//! in it departs at that step, with the assumption one expects.

#![expect(clippy::print_stdout, reason = "how long a long run takes is worth knowing")]

mod binary;
#[path = "replay/command.rs"]
mod command;
#[path = "replay/simulator.rs"]
mod simulator;

use simulator::{Cluster, Deed, MS};
use watchkeeper_core::{Bound, Pid, RecordedInput, Recording, Stall};
use watchkeeper_protocols::heartbeat::Heartbeat;
use watchkeeper_protocols::heartbeat::HeartbeatVariant;
use watchkeeper_protocols::ring::Ring;
use watchkeeper_world::{
    ANY_NUMBER, BrokenAssumption, Capacity, Conformance, DeliveryOrder, Deviation, FaultLimits, Network,
    RecordedRun, Scenario, Timing, TypedWorld, WorldTime,
};

/// Rounds of 10 ticks; a tick is 20 ms, and a message takes at most one.
fn ring(n: usize) -> TypedWorld<Ring> {
    let scenario = Scenario {
        network: Network { capacity: Capacity::Unbounded { cap: 8 }, ..Network::default() },
        time: WorldTime::Dense(Timing::per_message(Bound::within(1))),
        ..Scenario::new(n)
    };
    TypedWorld::new(Ring::new(n, 10).expect("a ring"), scenario).expect("a world")
}

fn changed<P: watchkeeper_core::Promises + Clone>(
    world: &TypedWorld<P>,
    change: impl FnOnce(&mut Scenario),
) -> TypedWorld<P> {
    let mut scenario = world.scenario().clone();
    change(&mut scenario);
    TypedWorld::new(world.protocol().clone(), scenario).expect("a world")
}

fn recorded(recordings: Vec<Recording>) -> RecordedRun {
    let (tick, precision) = (20 * MS, 10 * MS);
    RecordedRun {
        recordings,
        tick,
        precision,
        limits: FaultLimits::default(),
        shown: 20,
        confirm: RecordedRun::CONFIRM,
    }
}

fn follows<P: watchkeeper_core::Promises + Clone>(world: &TypedWorld<P>, run: &RecordedRun) -> Conformance {
    match world.follow(run) {
        Ok(followed) => followed,
        Err(deviation) => panic!(
            "{deviation}\n{:#?}",
            deviation.trace.steps.iter().map(|s| (&s.at, &s.action)).collect::<Vec<_>>()
        ),
    }
}

fn departs<P: watchkeeper_core::Promises + Clone>(world: &TypedWorld<P>, run: &RecordedRun) -> Deviation {
    match world.follow(run) {
        Ok(_) => panic!("it follows"),
        Err(deviation) => *deviation,
    }
}

#[test]
fn quiet_rings_follow_with_any_seed() {
    for seed in 1..30 {
        let world = ring(3 + seed as usize % 3);
        let n = world.scenario().n;
        let run = recorded(Cluster::new(n, seed).run(world.protocol()));
        let followed = follows(&world, &run);
        assert_eq!(
            (followed.incarnations, followed.crashes, followed.lost, followed.late),
            (n, 0, 0, 0),
            "seed {seed}"
        );
        assert!(followed.steps > 60 && followed.whole && followed.timed, "{}", followed.steps);
        assert!(followed.slowest.is_some_and(|ns| ns <= 15 * MS as i64));
        assert!(followed.latest.is_some_and(|ns| ns <= 3 * MS as i64));
    }
}

#[test]
fn short_runs_are_confirmed_in_dense_time() {
    let world = ring(3);
    let cluster = Cluster { lasts: 600 * MS, ..Cluster::new(3, 5) };
    assert!(follows(&world, &recorded(cluster.run(world.protocol()))).confirmed);
}

#[test]
fn crashes_restarts_and_late_starts_follow() {
    for seed in 1..20 {
        let world = ring(4);
        let mut cluster = Cluster::new(4, seed);
        cluster.script.retain(|(_, deed)| *deed != Deed::Boot(3));
        cluster.script.extend([
            (350 * MS + seed, Deed::Boot(3)),
            (703 * MS + 7 * seed * MS, Deed::Kill(1)),
            (1404 * MS, Deed::Boot(1)),
            (1700 * MS, Deed::Stop(2)),
        ]);
        let followed = follows(&world, &recorded(cluster.run(world.protocol())));
        let counts = (followed.incarnations, followed.crashes, followed.restarts, followed.late);
        assert_eq!(counts, (5, 2, 1, 1), "seed {seed}");
        assert!(followed.confirmed, "{} steps", followed.steps);
    }
}

#[test]
fn hosts_with_clocks_of_their_own_follow() {
    for seed in 1..20 {
        let world = ring(4);
        let mut cluster = Cluster::new(4, seed);
        cluster.offsets = vec![0, 7_000_000 * MS, 123_456_789, 7_000_000 * MS];
        cluster.script.push((900 * MS, Deed::Kill(2)));
        let followed = follows(&world, &recorded(cluster.run(world.protocol())));
        assert_eq!((followed.clocks, followed.crashes), (3, 1), "seed {seed}");
    }
}

#[test]
fn losses_follow_where_they_are_allowed_and_only_there() {
    let strict = ring(3);
    let lossy = changed(&strict, |scenario| scenario.network.losses = ANY_NUMBER);
    for seed in 1..15 {
        let cluster = Cluster { loss: 30, ..Cluster::new(3, seed) };
        let run = recorded(cluster.run(strict.protocol()));
        let followed = follows(&lossy, &run);
        match strict.follow(&run) {
            Ok(_) => assert_eq!(followed.lost, 0, "seed {seed}"),
            Err(deviation) => {
                assert!(matches!(deviation.broken, BrokenAssumption::Loss { .. }), "{deviation}")
            }
        }
    }
}

/// The second message that p1 sends to p2 in a quiet ring, and the step that receives it.
fn letter(recordings: &[Recording], from: usize, to: usize, wanted: u64) -> (usize, u64) {
    let receiver =
        recordings.iter().find(|incarnation| incarnation.process == Pid::at(to)).expect("a recording");
    let found = receiver.steps.iter().enumerate().find_map(|(i, step)| match &step.input {
        RecordedInput::Receive { from: sender, number, .. }
            if *sender == Pid::at(from) && *number == wanted =>
        {
            Some((i + 1, step.at))
        }
        _ => None,
    });
    found.expect("the message arrived")
}

#[test]
fn a_slow_message_is_named_with_its_bound() {
    let world = ring(3);
    // The fourth message after the start of three: each sends one question and one answer in a round.
    let cluster = Cluster { slow: [(8, 45 * MS)].into(), ..Cluster::new(3, 3) };
    let recordings = cluster.run(world.protocol());
    let deviation = departs(&world, &recorded(recordings.clone()));
    let BrokenAssumption::Delay { from, to, number, took, most, measured, .. } = deviation.broken.clone()
    else {
        panic!("{deviation}")
    };
    assert_eq!((most, measured), (20 * MS as i64, true));
    assert!((46..=60).contains(&(took / MS as i64)), "{took}");
    let (step, at) = letter(&recordings, from.index(), to.index(), number);
    assert_eq!((deviation.process, deviation.step, deviation.at), (to, step, at), "{deviation}");
    let text = deviation.to_string();
    assert!(text.contains(" ms (") && text.contains("20 ms (1 tick)") && text.contains("--delay"), "{text}");
    let last = deviation.trace.steps.last().expect("a step");
    assert_eq!(last.action, deviation.action, "the chart ends with the step that is not possible");
}

#[test]
fn a_slow_message_between_two_hosts_is_found_by_the_others() {
    let world = ring(3);
    let cluster = Cluster {
        slow: [(14, 80 * MS)].into(),
        offsets: vec![0, 5_000 * MS, 900 * MS],
        ..Cluster::new(3, 3)
    };
    let deviation = departs(&world, &recorded(cluster.run(world.protocol())));
    let BrokenAssumption::Delay { took, most, measured, .. } = deviation.broken else {
        panic!("{deviation}")
    };
    assert!(!measured && took > most, "{deviation}");
    assert!(deviation.to_string().contains("took at least"), "{deviation}");
}

#[test]
fn a_lost_message_is_named_where_it_was_sent() {
    let world = ring(3);
    let cluster = Cluster { lose: [9].into(), ..Cluster::new(3, 3) };
    let recordings = cluster.run(world.protocol());
    let deviation = departs(&world, &recorded(recordings.clone()));
    let BrokenAssumption::Loss { from, to, number, allowed, .. } = deviation.broken.clone() else {
        panic!("{deviation}")
    };
    assert_eq!((deviation.process, allowed), (from, 0));
    let sender = recordings.iter().find(|incarnation| incarnation.process == from).expect("a recording");
    let sends = &sender.steps[deviation.step - 1].sends;
    assert!(sends.iter().any(|send| send.to == to && send.number == number), "{deviation}");
    let lossy = changed(&world, |scenario| scenario.network.losses = 1);
    assert_eq!(follows(&lossy, &recorded(recordings)).lost, 1);
}

#[test]
fn a_late_timer_is_the_speed_of_its_process() {
    let world = ring(3);
    let cluster = Cluster { late_timer: Some((1, 3, 33 * MS)), ..Cluster::new(3, 3) };
    let mut recordings = cluster.run(world.protocol());
    let deviation = departs(&world, &recorded(recordings.clone()));
    let BrokenAssumption::Speed { process, late, allowed, stall, .. } = deviation.broken.clone() else {
        panic!("{deviation}")
    };
    assert_eq!((process, allowed, stall), (Pid::at(1), 10 * MS as i64, None));
    assert!((30..=36).contains(&(late / MS as i64)), "{late}");
    let own = recordings.iter().find(|incarnation| incarnation.process == process).expect("a recording");
    // Whatever the node does first after the moment at which its timer was due is too late.
    let fires = |incarnation: &Recording| {
        let fired = incarnation
            .steps
            .iter()
            .enumerate()
            .filter(|(_, s)| matches!(s.input, RecordedInput::Fire { .. }));
        fired.map(|(i, _)| i + 1).collect::<Vec<_>>()
    };
    assert_eq!(deviation.process, process);
    assert!(deviation.step <= fires(own)[2] && deviation.step > fires(own)[1], "{deviation}");
    let precise = RecordedRun { precision: 40 * MS, ..recorded(recordings.clone()) };
    assert!(world.follow(&precise).is_ok(), "a larger precision allows it");
    let stalled =
        recordings.iter_mut().find(|incarnation| incarnation.process == process).expect("a recording");
    stalled.stalls.push(Stall { at: deviation.at, lasted: 31 * MS });
    let deviation = departs(&world, &recorded(recordings));
    assert!(
        matches!(deviation.broken, BrokenAssumption::Speed { stall: Some(31_000_000), .. }),
        "{deviation}"
    );
    assert!(deviation.to_string().contains("it has recorded a stall of 31 ms (1.55 ticks)"), "{deviation}");
}

#[test]
fn a_changed_byte_of_a_state_is_other_code() {
    let world = ring(3);
    let mut recordings = Cluster::new(3, 3).run(world.protocol());
    recordings[2].steps[7].state[0] ^= 1;
    let process = recordings[2].process;
    let deviation = departs(&world, &recorded(recordings));
    assert!(matches!(deviation.broken, BrokenAssumption::Protocol { .. }), "{deviation}");
    assert_eq!((deviation.process, deviation.step), (process, 8));
    assert!(deviation.to_string().contains("its state is"), "{deviation}");
}

#[test]
fn a_forged_message_is_in_no_recording() {
    let world = ring(3);
    let mut recordings = Cluster::new(3, 3).run(world.protocol());
    let place = recordings[0].steps.iter().position(|s| matches!(s.input, RecordedInput::Receive { .. }));
    let place = place.expect("a receive") + 4;
    let place = place
        + recordings[0].steps[place..]
            .iter()
            .position(|s| matches!(s.input, RecordedInput::Receive { .. }))
            .expect("another");
    if let RecordedInput::Receive { number, .. } = &mut recordings[0].steps[place].input {
        *number += 500;
    }
    // Whoever says when it ended has recorded all that it sent.
    recordings.iter_mut().for_each(|incarnation| incarnation.ended = Some(2000 * MS));
    let process = recordings[0].process;
    let deviation = departs(&world, &recorded(recordings));
    let BrokenAssumption::Forged { number, .. } = deviation.broken else { panic!("{deviation}") };
    assert!(number > 500);
    assert_eq!((deviation.process, deviation.step), (process, place + 1));
}

#[test]
fn overtaking_is_only_possible_where_channels_are_in_any_order() {
    let world = ring(2);
    let fifo = changed(&world, |scenario| scenario.network.order = DeliveryOrder::Fifo);
    // An answer and a question of one process at nearly the same time, the first of them slower.
    for letter in 1..60 {
        let cluster = Cluster { delay: (MS, 2 * MS), slow: [(letter, 17 * MS)].into(), ..Cluster::new(2, 3) };
        let run = recorded(cluster.run(world.protocol()));
        follows(&world, &run);
        if let Err(deviation) = fifo.follow(&run) {
            let BrokenAssumption::Order { number, overtaken_number, .. } = deviation.broken else {
                panic!("{deviation}")
            };
            assert_eq!(overtaken_number + 1, number);
            assert!(deviation.action.contains("receives"), "{deviation}");
            return;
        }
    }
    panic!("no message overtook another");
}

#[test]
fn crashes_and_recoveries_are_only_limited_where_somebody_says_so() {
    let world = ring(3);
    let mut cluster = Cluster::new(3, 3);
    cluster.script.extend([(500 * MS, Deed::Kill(1)), (900 * MS, Deed::Boot(1)), (1400 * MS, Deed::Kill(2))]);
    let run = recorded(cluster.run(world.protocol()));
    assert_eq!(follows(&world, &run).crashes, 2);
    let limited = |limits: FaultLimits| RecordedRun { limits, ..run.clone() };
    let deviation = departs(&world, &limited(FaultLimits { crashes: Some(1), ..FaultLimits::default() }));
    assert!(matches!(deviation.broken, BrokenAssumption::Crashes { allowed: 1, .. }), "{deviation}");
    assert_eq!(deviation.process, Pid::at(2));
    let deviation = departs(&world, &limited(FaultLimits { recoveries: Some(0), ..FaultLimits::default() }));
    assert!(matches!(deviation.broken, BrokenAssumption::Recoveries { allowed: 0, .. }), "{deviation}");
    assert_eq!((deviation.process, deviation.step), (Pid::at(1), 1));
}

#[test]
fn heartbeats_follow_with_their_round_trips() {
    for (variant, n) in [
        (HeartbeatVariant::Binary, 1),
        (HeartbeatVariant::Static, 3),
        (HeartbeatVariant::Expanding, 2),
        (HeartbeatVariant::Revised, 1),
    ] {
        for seed in 1..8 {
            for corrected in [false, true] {
                let beats = Heartbeat::new(variant, 3, 20, n).expect("a heartbeat");
                let beats = if corrected { beats.corrected() } else { beats };
                let world = TypedWorld::new(beats, watchkeeper_casebook::heartbeats::environment(&beats))
                    .expect("a world");
                let mut cluster =
                    Cluster { delay: (MS, 25 * MS), lasts: 6000 * MS, ..Cluster::new(n + 1, seed) };
                if seed % 2 == 0 {
                    cluster.script.push((2000 * MS, Deed::Kill(1)));
                }
                let followed = follows(&world, &recorded(cluster.run(&beats)));
                assert!(
                    followed.lost == 0 && followed.confirmed && followed.crashes <= 1,
                    "{variant:?} {seed}: {followed:?}"
                );
            }
        }
    }
}

#[test]
fn a_late_reply_breaks_the_round_trip() {
    let beats = Heartbeat::new(HeartbeatVariant::Binary, 3, 20, 1).expect("a heartbeat");
    let scenario = watchkeeper_casebook::heartbeats::environment(&beats);
    let world = TypedWorld::new(beats, scenario).expect("a world");
    let cluster =
        Cluster { delay: (MS, 20 * MS), lasts: 4000 * MS, slow: [(6, 60 * MS)].into(), ..Cluster::new(2, 3) };
    let deviation = departs(&world, &recorded(cluster.run(&beats)));
    let BrokenAssumption::RoundTrip { from, to, took, most, .. } = deviation.broken else {
        panic!("{deviation}")
    };
    assert_eq!((from, to, most), (Pid::at(1), Pid::at(0), 60 * MS as i64));
    assert!(took > 60 * MS as i64 && deviation.process == to, "{deviation}");
}

#[test]
fn one_recording_alone_is_checked_by_itself() {
    let world = ring(4);
    let cluster = Cluster { late_timer: Some((2, 4, 50 * MS)), ..Cluster::new(4, 9) };
    let all = cluster.run(world.protocol());
    for (process, good) in [(0, true), (1, true), (2, false)] {
        let own: Vec<Recording> =
            all.iter().filter(|incarnation| incarnation.process == Pid::at(process)).cloned().collect();
        match world.follow(&recorded(own)) {
            Ok(followed) => assert!(good && !followed.whole && followed.recorded.len() == 1),
            Err(deviation) => {
                assert!(!good && matches!(deviation.broken, BrokenAssumption::Speed { .. }), "{deviation}")
            }
        }
    }
}

#[test]
fn an_untimed_model_asks_only_for_the_order() {
    let world = changed(&ring(3), |scenario| scenario.time = WorldTime::Untimed);
    let cluster =
        Cluster { slow: [(8, 300 * MS)].into(), late_timer: Some((1, 3, 90 * MS)), ..Cluster::new(3, 3) };
    let followed = follows(&world, &recorded(cluster.run(world.protocol())));
    assert!(!followed.timed && followed.whole);
}

#[test]
fn long_runs_are_followed_in_seconds() {
    let world = ring(5);
    let cluster =
        Cluster { lasts: 800_000 * MS, offsets: vec![0, 0, 77 * MS, 77 * MS, 5 * MS], ..Cluster::new(5, 1) };
    let mut cluster = cluster;
    for k in 1..40 {
        cluster.script.push((20_000 * k * MS + 111, Deed::Kill(k as usize % 5)));
        cluster.script.push((20_000 * k * MS + 3_000 * MS, Deed::Boot(k as usize % 5)));
    }
    let recordings = cluster.run(world.protocol());
    let steps: usize = recordings.iter().map(|incarnation| incarnation.steps.len()).sum();
    let began = std::time::Instant::now();
    let followed = follows(&world, &recorded(recordings));
    println!("{steps} steps of {} incarnations followed in {:?}", followed.incarnations, began.elapsed());
    assert_eq!((followed.steps, followed.restarts), (steps, 39));
    assert!(steps > 50_000, "{steps}");
    let late = Cluster { slow: [(30_000, 90 * MS)].into(), ..cluster };
    let began = std::time::Instant::now();
    let deviation = departs(&world, &recorded(late.run(world.protocol())));
    println!("step {} found after {:?}", deviation.number, began.elapsed());
    assert!(
        matches!(deviation.broken, BrokenAssumption::Delay { .. }) && deviation.number > 20_000,
        "{deviation}"
    );
}
