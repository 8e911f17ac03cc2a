//! What the live clusters run: each protocol with the parameters that the checker is asked about too, as keys of
//! a node file and as flags of a command.

use crate::binary::watchkeeper;
use std::time::Duration;

/// One unit of time. Long, since tests share their machine: a node that is late by half of it counts as stalled.
pub const TICK: Duration = Duration::from_millis(200);

/// A protocol with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub name: &'static str,
    /// The value of `--n`.
    pub n: usize,
    /// How many processes that makes.
    pub processes: usize,
    /// Flags without their dashes, which are keys of a file too.
    flags: &'static [(&'static str, &'static str)],
    params: &'static [(&'static str, &'static str)],
    /// How many units a round lasts at most.
    pub round: u32,
    /// How many units a message may take for everything that is assumed to hold.
    pub delay: u32,
    pub finds_out: FindsOut,
    /// One unit of time.
    pub tick: Duration,
}

/// What becomes of a crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindsOut {
    /// Its predecessor suspects it.
    Predecessor,
    /// Everyone suspects it.
    Everyone,
    /// Everyone stops.
    AllStop,
}

const RING: &[(&str, &str)] = &[("time", "dense"), ("delay", "0..4"), ("channel", "unbounded:4")];
const HEARTBEAT: &[(&str, &str)] = &[("tmin", "4"), ("tmax", "10"), ("corrected", "true"), ("loss", "0")];

const fn ring(
    name: &'static str,
    params: &'static [(&'static str, &'static str)],
    finds_out: FindsOut,
) -> Model {
    Model { name, n: 5, processes: 5, flags: RING, params, round: 10, delay: 4, finds_out, tick: TICK }
}

const fn heartbeat(name: &'static str, n: usize) -> Model {
    // A message and its answer take at most tmin, so each of them half of it is enough.
    let (round, delay) = (10, 2);
    Model {
        name,
        n,
        processes: n + 1,
        flags: HEARTBEAT,
        params: &[],
        round,
        delay,
        finds_out: FindsOut::AllStop,
        tick: TICK,
    }
}

/// Consensus on a detector whose timeouts grow, so that units of time may be short: what is late costs time and nothing else.
pub const CONSENSUS: Model = Model {
    name: "consensus-live",
    n: 3,
    processes: 3,
    flags: &[],
    params: &[],
    round: 12,
    delay: 4,
    finds_out: FindsOut::Everyone,
    tick: Duration::from_millis(20),
};

/// Membership on a detector that waits for a second at first: what is late costs time and nothing else.
pub const MEMBERSHIP: Model = Model {
    name: "membership-live",
    n: 5,
    processes: 5,
    flags: &[],
    params: &[("period", "2"), ("timeout", "20"), ("gather", "6"), ("probe", "20"), ("resend", "4")],
    round: 20,
    delay: 4,
    finds_out: FindsOut::Everyone,
    tick: Duration::from_millis(50),
};

/// The same, of nodes that begin alone.
pub const MEMBERSHIP_ALONE: Model = Model {
    params: &[
        ("cliques", "\"alone\""),
        ("period", "2"),
        ("timeout", "20"),
        ("gather", "6"),
        ("probe", "20"),
        ("resend", "4"),
    ],
    ..MEMBERSHIP
};

const ADAPTIVE: &[(&str, &str)] = &[("round", "10"), ("max-delta", "12")];

pub const WEAK_COMPLETENESS: Model = ring("ring", &[("round", "10")], FindsOut::Predecessor);
pub const STRONG_COMPLETENESS: Model =
    ring("ring-strong-completeness", &[("round", "10")], FindsOut::Everyone);
pub const ASKING_AGAIN: Model = ring("ring-asking-again", &[("round", "10")], FindsOut::Everyone);

/// All that a crash is tried on.
pub const ALL: [Model; 6] = [
    WEAK_COMPLETENESS,
    ring("ring-weak-accuracy", ADAPTIVE, FindsOut::Predecessor),
    ring("ring-strong-accuracy", ADAPTIVE, FindsOut::Predecessor),
    STRONG_COMPLETENESS,
    heartbeat("binary", 1),
    heartbeat("static", 4),
];

impl Model {
    /// The same with so many processes, of a protocol that counts them all.
    pub fn of_size(self, n: usize) -> Model {
        Model { n, processes: n, ..self }
    }

    /// The same with this unit of time.
    pub fn ticking(self, tick: Duration) -> Model {
        Model { tick, ..self }
    }

    /// The scenario as a file.
    pub fn scenario(&self) -> String {
        let mut text = format!("protocol = \"{}\"\nn = {}\n", self.name, self.n);
        for (key, value) in self.flags {
            text.push_str(&format!("{key} = \"{value}\"\n"));
        }
        for (i, (name, value)) in self.params.iter().enumerate() {
            text.push_str(if i == 0 { "[param]\n" } else { "" });
            text.push_str(&format!("{name} = {value}\n"));
        }
        text
    }

    /// The scenario as arguments of a command.
    pub fn args(&self) -> Vec<String> {
        let mut args = vec![self.name.to_string(), "--n".to_string(), self.n.to_string()];
        for (name, value) in self.flags {
            args.push(if *value == "true" { format!("--{name}") } else { format!("--{name}={value}") });
        }
        args.extend(self.params.iter().map(|(name, value)| format!("--param={name}={value}")));
        args
    }

    /// The time within which the checker proves that a crash is found out.
    pub fn bound(&self) -> Duration {
        let args = self.args();
        let mut all = vec!["bound"];
        all.extend(args.iter().map(String::as_str));
        all.extend(["--json", "-", "--quiet"]);
        let said = watchkeeper(&all);
        assert_eq!(said.code, 0, "{all:?}: {}{}", said.out, said.err);
        let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        let rows = json["rows"].as_array().expect("rows");
        let least = rows.iter().find(|row| row["asked"] == "detection" && row["verdict"] == "holds");
        let ticks = least.and_then(|row| row["bound"].as_str()?.parse().ok()).expect("a bound");
        assert!(
            rows.iter().any(|row| row["asked"] == "accuracy" && row["verdict"] == "holds"),
            "{}",
            said.out
        );
        TICK * ticks
    }

    /// How long a round is.
    pub fn round(&self) -> Duration {
        TICK * self.round
    }
}
