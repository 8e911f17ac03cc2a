//! What only some crates may do: print, draw charts, look at a clock, draw at random, open files and sockets. Everywhere
//! else results come back as values, so that a check can be repeated and a report can be told what to show.

use crate::code::lines_with;
use crate::{RuleViolation, SourceFile, SourceTree};

/// The crates that may print: the last one is a tool that people run by itself.
pub const PRINTING: [&str; 3] = ["report", "cli", "differential"];

const PRINTS: [&str; 5] = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];

/// The crates that own no clock and no entropy, their tests included.
pub const TIMELESS: [&str; 12] = [
    "core",
    "protocols",
    "space",
    "zones",
    "polyhedra",
    "logic",
    "world",
    "sim",
    "explore",
    "report",
    "casebook",
    "node",
];

const CLOCKS: [&str; 5] = ["Instant::now", "SystemTime", "thread_rng", "from_entropy", "getrandom"];

/// The crates with sockets: a running node, the command line that is asked over HTTP, and the line between the workers of a
/// search. The last one attacks the first two.
pub const SOCKETS: [&str; 4] = ["runtime", "cli", "fleet", "hostile"];

const NETWORK: [&str; 4] = ["UdpSocket", "TcpListener", "TcpStream", "tokio::net"];

/// The crates that read or write files: the command line, a recorder, blocks of a search on disk, the library that asks the
/// system how much memory there is, and what reads the sources of this project.
pub const FILES: [&str; 5] = ["cli", "runtime", "disk", "watchkeeper", "tidy"];

const FILING: [&str; 4] = ["std::fs", "fs::read", "SourceFile::open", "SourceFile::create"];

/// The marks of the formats that only `report` writes.
const FORMATS: [&str; 3] = ["<svg", "sequenceDiagram", "digraph "];

/// Printing outside the crates that may, their tests, and the benchmarks.
pub fn check_printing(tree: &SourceTree) -> Vec<RuleViolation> {
    let may = |file: &SourceFile| {
        file.crate_name().is_some_and(|crate_name| PRINTING.contains(&crate_name))
            || file.is_test()
            || file.path.starts_with("bench/")
            || file.path.contains("/benches/")
    };
    let remedy = "Return what should be shown, and let report or cli show it";
    confined(tree.rust().filter(|file| !may(file)), &PRINTS, "only report and cli print", remedy)
}

/// A clock or a source of randomness in a crate that has none.
pub fn check_clocks(tree: &SourceTree) -> Vec<RuleViolation> {
    let timeless =
        |file: &&SourceFile| file.crate_name().is_some_and(|crate_name| TIMELESS.contains(&crate_name));
    let rule = "this crate has no clock and no entropy";
    let remedy = "Let the caller pass the time, a seed or a watch";
    confined(tree.rust().filter(timeless), &CLOCKS, rule, remedy)
}

/// A socket in a crate that has none.
pub fn check_sockets(tree: &SourceTree) -> Vec<RuleViolation> {
    let remedy = "Let runtime, fleet or cli talk to the network, and pass on what it says";
    confined(outside(tree, &SOCKETS), &NETWORK, "only runtime, fleet and cli have sockets", remedy)
}

/// A file that is read or written in a crate that may not.
pub fn check_files(tree: &SourceTree) -> Vec<RuleViolation> {
    let remedy = "Take or return the content, and let cli read or write the file";
    confined(
        outside(tree, &FILES),
        &FILING,
        "only cli, runtime, disk and the library's look at memory open files",
        remedy,
    )
}

/// A chart or a graph that is drawn elsewhere than in `report`.
pub fn check_rendering(tree: &SourceTree) -> Vec<RuleViolation> {
    let remedy = "Give report the values, and show what it returns";
    confined(outside(tree, &["report", "tidy"]), &FORMATS, "only report draws charts and graphs", remedy)
}

/// The sources, without tests, of all crates but these.
fn outside<'a>(tree: &'a SourceTree, may: &[&str]) -> impl Iterator<Item = &'a SourceFile> {
    let asked = |file: &&SourceFile| {
        file.path.starts_with("crates/")
            && !file.is_test()
            && !file.crate_name().is_some_and(|name| may.contains(&name))
    };
    tree.rust().filter(asked).collect::<Vec<&SourceFile>>().into_iter()
}

/// A ledger of a search that is opened outside the engines: what it gives out is the evidence behind `holds`.
pub fn check_evidence(tree: &SourceTree) -> Vec<RuleViolation> {
    let may = |file: &SourceFile| {
        let engine = file.crate_name().is_some_and(|name| ENGINES.contains(&name));
        engine || file.is_test() || LEDGERS.contains(&file.path.as_str())
    };
    let remedy = "Ask an engine, and pass its verdict on";
    confined(
        tree.rust().filter(|file| !may(file)),
        &["Ledger::open", "Ledger::of_strategy"],
        "only engines keep a ledger",
        remedy,
    )
}

/// The crates with engines: searches of spaces, and of labelled transition systems.
const ENGINES: [&str; 2] = ["explore", "lts"];

/// Where ledgers are defined, and tested; and where a strategy is one that was verified at each of its positions.
const LEDGERS: [&str; 2] = ["crates/logic/src/evidence.rs", "crates/modal/src/space_check.rs"];

fn confined<'a>(
    files: impl Iterator<Item = &'a SourceFile>,
    words: &[&str],
    rule: &str,
    remedy: &str,
) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for file in files {
        for word in words {
            for line in lines_with(&file.text, word) {
                violations.push(RuleViolation::of_line(&file.path, line, format!("{rule}: {word}"), remedy));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_elsewhere_is_a_violation() {
        for word in PRINTS {
            let text = format!("// {word}()\nfn a() {{ {word}(\"b\"); }}\n");
            let tree = SourceTree::of(&[
                ("crates/explore/src/search.rs", &text),
                ("crates/explore/tests/exact.rs", &text),
                ("crates/derive/src/tests.rs", &text),
                ("crates/cli/src/main.rs", &text),
                ("bench/src/main.rs", &text),
                ("crates/runtime/benches/node.rs", &text),
                ("examples/own/src/main.rs", &text),
            ]);
            let found: Vec<_> = check_printing(&tree).into_iter().map(|b| (b.file, b.line)).collect();
            let violation = |file: &str| (file.to_string(), Some(2));
            assert_eq!(
                found,
                [violation("crates/explore/src/search.rs"), violation("examples/own/src/main.rs")]
            );
        }
    }

    #[test]
    fn evidence_that_no_engine_made_is_a_violation() {
        let text = "fn a() { let b = Ledger::open(); }\n";
        let tree = SourceTree::of(&[
            ("crates/explore/src/breadth.rs", text),
            ("crates/report/tests/verdicts.rs", text),
            ("crates/logic/src/evidence.rs", text),
            ("crates/casebook/src/ring/case.rs", text),
        ]);
        let found: Vec<_> = check_evidence(&tree).into_iter().map(|violation| violation.file).collect();
        assert_eq!(found, ["crates/casebook/src/ring/case.rs"]);
    }

    #[test]
    fn sockets_files_and_charts_elsewhere_are_violations() {
        type Rule = fn(&SourceTree) -> Vec<RuleViolation>;
        let rules: [(Rule, &[&str], &str); 3] = [
            (check_sockets, &NETWORK, "runtime"),
            (check_files, &FILING, "cli"),
            (check_rendering, &FORMATS, "report"),
        ];
        for (check, words, home) in rules {
            for word in words {
                let text = format!("fn a() {{ b(\"{word}\", {word}()); }}\n");
                let at_home = format!("crates/{home}/src/a.rs");
                let tree = SourceTree::of(&[
                    ("crates/world/src/a.rs", &text),
                    ("crates/world/tests/a.rs", &text),
                    (&at_home, &text),
                    ("bench/src/main.rs", &text),
                ]);
                let found: Vec<_> = check(&tree).into_iter().map(|violation| violation.file).collect();
                assert_eq!(found, ["crates/world/src/a.rs"], "{word}");
            }
        }
    }

    #[test]
    fn a_clock_in_a_timeless_crate_is_a_violation() {
        for (word, crate_name) in CLOCKS.iter().zip(TIMELESS.iter().cycle()) {
            let (text, path) = (format!("let a = std::{word}();"), format!("crates/{crate_name}/src/a.rs"));
            assert_eq!(check_clocks(&SourceTree::of(&[(&path, &text)])).len(), 1, "{word} in {crate_name}");
            assert_eq!(check_clocks(&SourceTree::of(&[("crates/cli/src/a.rs", &text)])), []);
        }
        for crate_name in TIMELESS {
            let path = format!("crates/{crate_name}/tests/a.rs");
            assert_eq!(check_clocks(&SourceTree::of(&[(&path, "Instant::now()")])).len(), 1, "{crate_name}");
        }
    }
}
