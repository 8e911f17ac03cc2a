//! What a shell knows of the program: completions, in a real bash where that is possible, and manual pages.

mod binary;

use binary::{Room, said, watchkeeper};
use std::process::Command;

#[test]
fn every_shell_gets_a_script_with_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = watchkeeper(&["completions", shell]);
        assert_eq!((script.code, script.err.as_str()), (0, ""), "{shell}");
        for part in ["check", "sweep", "casebook", "completions", "crashable"] {
            assert!(script.out.contains(part), "{part} is missing for {shell}");
        }
    }
    let unknown = watchkeeper(&["completions", "csh"]);
    assert_eq!(unknown.code, 150);
    assert!(unknown.err.contains("bash, elvish, fish, powershell, zsh"), "{}", unknown.err);
}

/// What bash offers for a line that ends in the word to complete.
fn offered(line: &str) -> Vec<String> {
    let script = r#"
        source <("$1" completions bash) || exit 1
        complete -p watchkeeper >/dev/null || exit 1
        read -ra COMP_WORDS <<<"$2"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _watchkeeper watchkeeper "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let program = env!("CARGO_BIN_EXE_watchkeeper");
    let said = said(Command::new("bash").args(["--norc", "-c", script, "bash", program, line]));
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}");
    said.out.lines().map(str::to_string).collect()
}

#[test]
fn bash_completes_commands_and_flags() {
    assert_eq!(offered("watchkeeper che"), ["check"]);
    assert_eq!(
        offered("watchkeeper c"),
        ["check", "classify", "cutoff", "call", "cluster", "compare", "choose", "casebook", "completions"]
    );
    assert_eq!(offered("watchkeeper check --crasha"), ["--crashable"]);
    assert_eq!(offered("watchkeeper completions z"), ["zsh"]);
    assert_eq!(offered("watchkeeper nonsense"), [""]);
}

#[test]
fn every_command_has_a_manual_page() {
    let room = Room::new("man");
    let written = watchkeeper(&["man", &room.arg("man1")]);
    assert_eq!((written.code, written.out.as_str(), written.err.as_str()), (0, "", ""));
    let help = watchkeeper(&["--help"]).out;
    let listed =
        help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("the commands");
    // A line that goes on with the text of the one before is indented further.
    let begun =
        listed.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = begun.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"check") && names.contains(&"man"), "{names:?}");
    for name in &names {
        let page = room.read(&format!("man1/watchkeeper-{name}.1"));
        assert!(page.contains(&format!(".TH watchkeeper-{name} 1")), "{page}");
    }
    assert!(room.read("man1/watchkeeper-check.1").contains(r"\-\-crashable"));
    let pages = std::fs::read_dir(room.path("man1")).expect("the directory").count();
    assert_eq!(pages, names.len() + 1, "one for each command, and one for the program");
    assert_eq!(watchkeeper(&["man"]).out, room.read("man1/watchkeeper.1"));
}

#[test]
fn a_directory_that_cannot_be_made_is_told() {
    let room = Room::new("man-file");
    let file = room.file("taken", "");
    let refused = watchkeeper(&["man", &file]);
    assert_eq!(refused.code, 150);
    assert!(refused.err.contains("cannot make the directory"), "{}", refused.err);
}
