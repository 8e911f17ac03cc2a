//! The README and the page on stop-and-wait show what the program says: every verdict in them is compared with a run of
//! the command that stands before it.

mod binary;
#[path = "../../../examples/stop-and-wait/src/lib.rs"]
mod stop_and_wait;

use binary::{Room, watchkeeper};
use stop_and_wait::StopAndWait;
use watchkeeper_report::{RunFacts, Style, render_verdict};

#[test]
fn verdicts_in_the_readme_are_those_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(path).expect("the README");
    let (mut command, mut compared) = (None, 0);
    for block in readme.split("```").skip(1).step_by(2) {
        let text = block.trim_start_matches('\n');
        if text.starts_with("HOLDS") || text.starts_with("VIOLATED") {
            let line: &str = command.expect("a command before the verdict");
            let said = watchkeeper(&line.split_whitespace().collect::<Vec<_>>());
            let shown = text.trim_end().trim_end_matches("...").trim_end();
            assert!(said.out.starts_with(shown), "README shows:\n{shown}\n`{line}` says:\n{}", said.out);
            compared += 1;
        }
        let mut commands =
            block.lines().filter_map(|line| line.strip_prefix("cargo run --release -p watchkeeper-cli -- "));
        command = commands.next_back().or(command);
    }
    assert_eq!(compared, 5);
}

#[test]
fn pictures_in_the_documentation_are_those_of_the_program() {
    let drawn = |args: &str, flag: &str, name: &str| {
        let room = Room::new(&format!("picture-{name}"));
        let path = room.arg("drawn.svg");
        let args: Vec<&str> = args.split(' ').chain([flag, path.as_str(), "--quiet"]).collect();
        let said = watchkeeper(&args);
        assert!([0, 12].contains(&said.code), "{args:?}: {}", said.err);
        let shown = format!("{}/../../docs/pictures/{name}.svg", env!("CARGO_MANIFEST_DIR"));
        let shown = std::fs::read_to_string(shown).expect(name);
        assert!(shown == room.read("drawn.svg"), "docs/pictures/{name}.svg is not what {args:?} draws");
    };
    for name in ["binary", "binary-corrected", "expanding", "dynamic"] {
        let (protocol, corrected) =
            name.split_once('-').map_or((name, ""), |(protocol, _)| (protocol, " --corrected"));
        drawn(&format!("sweep {protocol} --tmin 1..24 --tmax 1..24{corrected}"), "--svg", name);
    }
    let r1 = "check binary --tmin 5 --tmax 10 --crashes 0 --property R1";
    drawn(r1, "--chart", "r1-binary-5-10");
}

/// Stop-and-wait has a program of its own, so the library is asked the same. What the command line
/// adds to a verdict, the line to repeat it, is not compared.
#[test]
fn verdicts_on_the_page_of_stop_and_wait_are_those_of_its_protocol() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/stop-and-wait.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (mut said, mut compared) = (String::new(), 0);
    for block in page.split("```").skip(1).step_by(2) {
        let first = block.trim_start().lines().next().unwrap_or_default();
        if let Some(flags) = first.strip_prefix("$ cargo run -p stop-and-wait -- check ") {
            said = checked(flags);
        }
        let Some(start) = block.find("VIOLATED: ").or_else(|| block.find("HOLDS: ")) else { continue };
        let shown = block[start..].split("\nAgain\n").next().unwrap_or_default();
        let mut rest = said.as_str();
        for part in shown.split("...").map(str::trim_end).filter(|part| !part.trim().is_empty()) {
            let at = rest.find(part);
            let at = at.unwrap_or_else(|| panic!("the page shows:\n{part}\n`{first}` says:\n{said}"));
            rest = &rest[at + part.len()..];
        }
        compared += 1;
    }
    assert_eq!(compared, 4);
}

fn checked(flags: &str) -> String {
    let words: Vec<&str> = flags.split_whitespace().collect();
    let flag = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1]);
    let stamps = flag("--param").and_then(|param| param.strip_prefix("stamps="));
    let stamps = stamps.map_or(2, |stamps| stamps.parse().expect("a number"));
    let check = watchkeeper::check(StopAndWait { stamps })
        .channel(flag("--channel").expect("a channel").parse().expect("a channel"));
    let order = flag("--order").unwrap_or("any").parse().expect("an order");
    let verdict = check.order(order).run().expect("a verdict");
    render_verdict(&verdict, &RunFacts::default(), &Style::default())
}
