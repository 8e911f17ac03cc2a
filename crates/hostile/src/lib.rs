//! Every parser that meets foreign bytes, with what must hold of its answer whatever the bytes are: not only that nothing
//! panics, but that what is read prints and is read back as the same, that errors stay short, and that nothing is accepted for
//! what it is not. Fuzzers (`fuzz/`) look for inputs that break this, and `tests/replay.rs` replays what they learnt.
//! Nothing here knows a fuzzer, a clock or a source of randomness: a target is a function of its input.

mod certificate;
mod condition;
mod datagram;
mod formula;
mod http;
mod mcrl2;
mod node;
mod page_file;
mod page_head;
mod page_link;
mod page_request;
mod page_runs;
mod program;
mod quoting;
mod recording;
mod scenario;
mod solver_answer;
mod space_file;
mod term;
mod trace;

pub use datagram::Attack;

/// One parser under attack.
#[derive(Clone, Copy, Debug)]
pub struct FuzzTarget {
    /// Its name: of the fuzz target, and of the directory of its inputs.
    pub name: &'static str,
    /// Puts an input to it.
    ///
    /// # Panics
    /// If a promise is broken: that is what is looked for.
    pub attack: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [FuzzTarget; 18] = [
    FuzzTarget { name: "certificate", attack: certificate::attack },
    FuzzTarget { name: "condition", attack: condition::attack },
    FuzzTarget { name: "datagram", attack: datagram::attack },
    FuzzTarget { name: "formula", attack: formula::attack },
    FuzzTarget { name: "http", attack: http::attack },
    FuzzTarget { name: "mcrl2-formula", attack: mcrl2::attack_formula },
    FuzzTarget { name: "mcrl2-specification", attack: mcrl2::attack_specification },
    FuzzTarget { name: "node", attack: node::attack },
    FuzzTarget { name: "page-file", attack: page_file::attack },
    FuzzTarget { name: "page-head", attack: page_head::attack },
    FuzzTarget { name: "page-link", attack: page_link::attack },
    FuzzTarget { name: "page-request", attack: page_request::attack },
    FuzzTarget { name: "recording", attack: recording::attack },
    FuzzTarget { name: "scenario", attack: scenario::attack },
    FuzzTarget { name: "solver-answer", attack: solver_answer::attack },
    FuzzTarget { name: "space-file", attack: space_file::attack },
    FuzzTarget { name: "term", attack: term::attack },
    FuzzTarget { name: "trace", attack: trace::attack },
];

/// Puts an input to the target of this name.
///
/// # Panics
/// If there is no such target, or a promise is broken.
pub fn attack(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("no target is called {name}")).attack)(input);
}
