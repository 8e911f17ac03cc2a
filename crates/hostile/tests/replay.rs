//! Replays what the fuzzers learnt, and random changes of it from a fixed seed. What a fuzzer finds is put into the corpus, so
//! that it stays found.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use watchkeeper_hostile::{FuzzTarget, TARGETS};

/// Changes for each target. The seed is fixed: a failure is the same everywhere.
const CHANGES: usize = 400;

/// Far more than any input needs, on any machine that has other work too; what grows with the square of its input takes hours.
const SLOWEST: Duration = Duration::from_secs(90);

/// Inputs are short; what is long is made here.
const LONGEST: usize = 16 * 1024;

fn inputs(target: &FuzzTarget) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let entries = fs::read_dir(&directory).unwrap_or_else(|why| panic!("{}: {why}", directory.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
}

/// Runs one input, and says which one it was if it breaks something or takes for ever.
fn attack(target: &FuzzTarget, name: &str, input: &[u8]) {
    let begun = Instant::now();
    let broken = std::panic::catch_unwind(|| (target.attack)(input)).is_err();
    let shown = String::from_utf8_lossy(&input[..input.len().min(2_000)]).into_owned();
    assert!(!broken, "{}, {name}: {shown:?}", target.name);
    assert!(begun.elapsed() < SLOWEST, "{}, {name} takes {:?}: {shown:?}", target.name, begun.elapsed());
}

fn replayed(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let inputs = inputs(target);
    assert!(inputs.len() >= 5, "the corpus of {name} has {} inputs", inputs.len());
    for (path, input) in &inputs {
        attack(target, &path.display().to_string(), input);
    }
    let mut draw = draw(0x9e37_79b9_7f4a_7c15);
    for change in 0..CHANGES {
        let mut pick = |among: usize| (draw() % among.max(1) as u64) as usize;
        let mut input = inputs[pick(inputs.len())].1.clone();
        for _ in 0..=pick(4) {
            changed(&mut input, &inputs[pick(inputs.len())].1, &mut pick);
        }
        attack(target, &format!("change {change}"), &input);
    }
}

/// One change: bytes replaced, taken out, put in twice, or taken from another input; now and then very often.
fn changed(input: &mut Vec<u8>, other: &[u8], pick: &mut impl FnMut(usize) -> usize) {
    let at = pick(input.len() + 1);
    let len = pick(16).min(input.len() - at);
    match pick(8) {
        0 => input.splice(at..at + len, std::iter::empty()).for_each(drop),
        1 => input.splice(at..at + len, vec![pick(256) as u8; len.max(1)]).for_each(drop),
        2 => {
            let (from, piece) = (pick(other.len() + 1), pick(64));
            let piece = other[from..(from + piece).min(other.len())].to_vec();
            input.splice(at..at + len, piece).for_each(drop);
        }
        3 if len > 0 => {
            let piece = input[at..at + len].repeat(1 + pick(400));
            input.splice(at..at, piece).for_each(drop);
        }
        4 => input.truncate(at),
        5 if at < input.len() => input[at] ^= 1 << pick(8),
        _ => {
            let word = WORDS[pick(WORDS.len())];
            input.splice(at..at, word.bytes()).for_each(drop);
        }
    }
    input.truncate(LONGEST);
}

/// What parsers stumble over.
const WORDS: [&str; 16] = [
    "(",
    ")",
    "\"",
    "\\",
    "\n",
    "-1",
    "18446744073709551616",
    "1e999",
    "\u{0}",
    "\u{1b}[2J",
    "\u{feff}",
    "\u{202e}",
    "é",
    "[[",
    "::",
    "{}",
];

fn draw(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    }
}

#[test]
fn every_target_has_a_corpus_and_every_corpus_a_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut found: Vec<String> = fs::read_dir(corpus)
        .expect("a corpus")
        .map(|entry| entry.expect("a directory").file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, TARGETS.map(|target| target.name));
}

/// Much of one thing is refused or read in reasonable time, and without as much of an error.
#[test]
fn large_inputs_cost_what_their_size_says() {
    for target in &TARGETS {
        for piece in ["x", "(", "\"", "!", "a.", "[", "{\"a\":", "n = 1\n", "- ", "\n", "= \"x\" ", "é"] {
            let many = piece.repeat((1 << 19) / piece.len());
            let input = match target.name {
                "scenario" | "node" => format!("protocol = \"{many}\"\n"),
                "http" => format!("?GET /{many} HTTP/1.1\r\n\r\n"),
                "page-file" => format!("{{\"tool\":\"watchkeeper\",\"verdict\":1,\"command\":{many:?}}}"),
                "page-head" => format!("GET /\nh:{many}\n"),
                "page-link" => format!("#ring?run={many}&n={many}"),
                "page-request" => format!("resolve {{\"space\":0,\"run\":{many:?}}}"),
                _ => String::new(),
            };
            for input in [many, input] {
                attack(target, &format!("much of {piece:?}"), input.as_bytes());
            }
        }
    }
}

#[test]
fn certificates() {
    replayed("certificate");
}

#[test]
fn conditions() {
    replayed("condition");
}

#[test]
fn datagrams() {
    replayed("datagram");
}

#[test]
fn formulas() {
    replayed("formula");
}

#[test]
fn http() {
    replayed("http");
}

#[test]
fn formulas_of_mcrl2() {
    replayed("mcrl2-formula");
}

#[test]
fn specifications_of_mcrl2() {
    replayed("mcrl2-specification");
}

#[test]
fn node_files() {
    replayed("node");
}

#[test]
fn files_of_a_page() {
    replayed("page-file");
}

#[test]
fn heads_of_requests_to_a_page() {
    replayed("page-head");
}

#[test]
fn links_of_a_page() {
    replayed("page-link");
}

#[test]
fn requests_of_a_page() {
    replayed("page-request");
}

#[test]
fn recordings() {
    replayed("recording");
}

#[test]
fn scenario_files() {
    replayed("scenario");
}

#[test]
fn answers_of_solvers() {
    replayed("solver-answer");
}

#[test]
fn space_files() {
    replayed("space-file");
}

#[test]
fn terms() {
    replayed("term");
}

#[test]
fn traces() {
    replayed("trace");
}
