//! The README shows what the program says: every verdict in it is compared with a run of the command that
//! stands before it.

mod binary;

use binary::watchkeeper;

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
            block.lines().filter_map(|line| line.strip_prefix("cargo run --release -p watchkeeper -- "));
        command = commands.next_back().or(command);
    }
    assert_eq!(compared, 2);
}
