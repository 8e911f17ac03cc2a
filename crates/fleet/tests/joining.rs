//! How workers come together over loopback, and how they do not.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};
use watchkeeper_explore::{Connect, Exchange};
use watchkeeper_fleet::{FleetError, Roster, hang_up, join};

/// So many workers that agree, each with its listener.
fn workers(count: usize, patience: Duration) -> Vec<(Roster, TcpListener)> {
    let listen = |_| TcpListener::bind("127.0.0.1:0").expect("a port");
    let listeners: Vec<TcpListener> = (0..count).map(listen).collect();
    let addresses: Vec<SocketAddr> =
        listeners.iter().map(|listener| listener.local_addr().expect("an address")).collect();
    let named = |(number, &address): (usize, &SocketAddr)| (format!("h{number}"), address);
    let roster = Roster {
        index: 0,
        workers: addresses.iter().enumerate().map(named).collect(),
        key: vec![7; 32],
        version: "1.2.3".into(),
        scenario: "check ring".into(),
        patience,
    };
    let listeners = listeners.into_iter().enumerate();
    listeners.map(|(index, listener)| (Roster { index, ..roster.clone() }, listener)).collect()
}

/// What joining comes to for each of them; a line that was made is used for two rounds.
fn joined(workers: Vec<(Roster, TcpListener)>) -> Vec<Result<Vec<u8>, FleetError>> {
    std::thread::scope(|scope| {
        let start = |(roster, listener): (Roster, TcpListener)| {
            scope.spawn(move || {
                let (team, connections) = join(&roster, listener)?;
                let mut heard = Vec::new();
                let talk = &mut |line: &mut dyn Exchange| {
                    for round in 0..2 {
                        for to in 0..line.workers() {
                            line.send(to, vec![10 * round + line.index() as u8; 70_000]);
                        }
                        line.finish_round(&mut |from, bytes| {
                            assert_eq!(bytes, vec![10 * round + from as u8; 70_000]);
                            heard.push(bytes[0]);
                        });
                    }
                };
                team.with(talk).expect("a line");
                hang_up();
                connections.finish();
                heard[..].sort_unstable();
                Ok(heard)
            })
        };
        let threads: Vec<_> = workers.into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn workers_that_agree_hear_each_other_round_by_round() {
    for heard in joined(workers(3, Duration::from_secs(30))) {
        assert_eq!(heard.expect("joined"), [0, 1, 2, 10, 11, 12]);
    }
}

#[test]
fn strangers_are_hung_up_on_and_disturb_nobody() {
    let all = workers(2, Duration::from_secs(30));
    let address = all[0].0.workers[0].1;
    // One says nothing, one talks nonsense.
    let _silent = TcpStream::connect(address).expect("it listens");
    let mut loud = TcpStream::connect(address).expect("it listens");
    std::io::Write::write_all(&mut loud, &[b'x'; 500]).expect("it takes bytes");
    for heard in joined(all) {
        assert_eq!(heard.expect("joined"), [0, 1, 10, 11]);
    }
}

#[test]
fn another_key_version_or_scenario_is_told_with_the_host() {
    let change = |change: &dyn Fn(&mut Roster)| {
        let mut all = workers(2, Duration::from_secs(1));
        change(&mut all[1].0);
        let told = joined(all).into_iter().map(|answer| answer.expect_err("refused").to_string());
        let told: Vec<String> = told.collect();
        (told[0].clone(), told[1].clone())
    };
    let (called, caller) = change(&|roster| roster.key = vec![8; 32]);
    assert!(called.contains("host h1") && called.contains("another key"), "{called}");
    assert!(caller.contains("host h0") && caller.contains("same key file"), "{caller}");
    let (called, caller) = change(&|roster| roster.version = "1.2.4".into());
    assert!(called.contains("host h1") && called.contains("1.2.4 there, 1.2.3 here"), "{called}");
    assert!(caller.contains("host h0") && caller.contains("1.2.3 there, 1.2.4 here"), "{caller}");
    let (called, _) = change(&|roster| roster.scenario = "check swim".into());
    assert!(called.contains("host h1") && called.contains("there: check swim"), "{called}");
    let (called, _) = change(&|roster| roster.workers[1].0 = "h7".into());
    assert!(called.contains("list of hosts"), "{called}");
}

#[test]
fn a_host_that_does_not_answer_is_named_in_time() {
    for absent in [0, 1] {
        let mut all = workers(2, Duration::from_millis(300));
        // The listener of the one that is absent stays open: it accepts and says nothing.
        let (_, _held) = all.remove(absent);
        let since = Instant::now();
        let told = joined(all).remove(0).expect_err("nobody is there").to_string();
        assert!(told.contains(&format!("host h{absent}")) && told.contains("does not answer"), "{told}");
        assert!(since.elapsed() < Duration::from_secs(20));
    }
}
