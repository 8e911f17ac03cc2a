//! The tutorial builds this crate: its listings are the files of the crate, and its commands print what it shows. What
//! runs live, a cluster and the service, is not repeated here.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The blocks of the tutorial: what stands behind the opening fence, and the text.
fn blocks() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial.md");
    let tutorial = std::fs::read_to_string(path).expect("the tutorial");
    let blocks = tutorial.split("```").skip(1).step_by(2);
    blocks
        .map(|block| block.split_once('\n').expect("a fence has a line of its own"))
        .map(|(info, text)| (info.to_string(), text.to_string()))
        .collect()
}

fn listed(file: &str) -> String {
    let blocks = blocks();
    let of_file =
        blocks.iter().filter(|(info, _)| info.split_once(' ').is_some_and(|(_, name)| name == file));
    of_file.map(|(_, text)| text.as_str()).collect()
}

fn written(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect(file)
}

fn without_blanks(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

#[test]
fn the_listings_of_a_file_make_up_the_file() {
    for file in [
        "src/lib.rs",
        "src/description.rs",
        "src/tests.rs",
        "src/bin/sentinel-check.rs",
        "src/main.rs",
        "p0.toml",
    ] {
        let (listed, written) = (listed(file), written(file));
        let (listed, written) = (without_blanks(&listed), without_blanks(&written));
        let differ = listed.iter().zip(&written).find(|(shown, real)| shown != real);
        assert_eq!(differ, None, "{file} differs from its listings");
        assert_eq!(listed.len(), written.len(), "{file} is not listed whole");
    }
}

/// The crate in the tutorial names folders where this one inherits from its workspace, so only the names are compared.
#[test]
fn the_manifest_has_the_dependencies_features_and_programs_of_the_listing() {
    fn keys(manifest: &str) -> BTreeSet<String> {
        let mut section = "";
        let mut keys = BTreeSet::new();
        for line in without_blanks(manifest) {
            if line.starts_with('[') {
                section = line;
            } else if !matches!(section, "[package]" | "[lints]") {
                let key =
                    if section == "[[bin]]" { line } else { line.split([' ', '.']).next().unwrap_or(line) };
                keys.insert(format!("{section} {key}"));
            }
        }
        keys
    }
    assert_eq!(keys(&listed("Cargo.toml")), keys(&written("Cargo.toml")));
}

#[test]
fn the_commands_print_what_the_tutorial_shows() {
    let dir = std::env::temp_dir().join(format!("sentinel-tutorial-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    std::fs::write(dir.join("p0.toml"), written("p0.toml")).expect("a node file");
    let mut compared = 0;
    for (_, block) in blocks().into_iter().filter(|(info, _)| info.is_empty()) {
        let commands: Vec<&str> = block
            .lines()
            .filter_map(|line| line.strip_prefix("$ cargo run --bin sentinel-check -- "))
            .collect();
        let live = ["cluster", "replay"];
        if commands.iter().any(|command| live.contains(&command.split(' ').next().unwrap_or_default())) {
            continue;
        }
        let mut printed = String::new();
        for command in &commands {
            let ran = Command::new(env!("CARGO_BIN_EXE_sentinel-check"))
                .args(command.split(' '))
                .current_dir(&dir)
                .env_clear()
                .output();
            printed = String::from_utf8(ran.expect("it runs").stdout).expect("text");
        }
        if commands.is_empty() {
            continue;
        }
        let shown: Vec<&str> = block.lines().filter(|line| !line.starts_with("$ ")).collect();
        let mut rest = printed.as_str();
        for part in shown.join("\n").split("...").map(str::trim).filter(|part| !part.is_empty()) {
            let at = rest.find(part);
            let at =
                at.unwrap_or_else(|| panic!("the tutorial shows:\n{part}\n{commands:?} prints:\n{printed}"));
            rest = &rest[at + part.len()..];
        }
        compared += 1;
    }
    std::fs::remove_dir_all(&dir).expect("the folder goes");
    assert_eq!(compared, 7);
}
