//! Which room may know which: the arrows of the architecture, and the foreign crates that each room has
//! earned. Whatever is not in the table is forbidden.

use crate::manifest::{Manifest, Need};
use crate::{Breach, Tree};

/// One room: what it may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Its directory under `crates`.
    pub name: &'static str,
    /// The rooms that it may know.
    pub knows: &'static [&'static str],
    /// The foreign crates that it may use.
    pub foreign: &'static [&'static str],
}

/// The house. Tests may use any foreign crate and any room but cli, which nothing may know but what attacks it.
pub const HOUSE: [Room; 18] = [
    Room { name: "derive", knows: &[], foreign: &["proc-macro2", "quote", "syn"] },
    Room { name: "core", knows: &["derive"], foreign: &[] },
    Room { name: "protocols", knows: &["core"], foreign: &[] },
    Room { name: "space", knows: &["core"], foreign: &["thiserror"] },
    Room { name: "zones", knows: &[], foreign: &[] },
    Room { name: "logic", knows: &["core", "space"], foreign: &["strsim", "strum", "thiserror"] },
    Room { name: "world", knows: &["core", "space", "zones"], foreign: &["strum", "thiserror"] },
    Room {
        name: "explore",
        knows: &["space", "logic"],
        foreign: &["boxcar", "fastrand", "libc", "thiserror"],
    },
    Room { name: "prove", knows: &["space", "logic"], foreign: &["rustix", "strum", "thiserror"] },
    Room { name: "report", knows: &["core", "space", "logic"], foreign: &["serde_json", "unicode-width"] },
    Room {
        name: "watchkeeper",
        knows: &["core", "protocols", "space", "logic", "world", "explore", "report"],
        foreign: &["rustix"],
    },
    Room {
        name: "casebook",
        knows: &["core", "protocols", "space", "logic", "world", "explore", "prove", "report", "watchkeeper"],
        foreign: &["strum", "thiserror"],
    },
    Room {
        name: "runtime",
        knows: &["core"],
        foreign: &["chacha20poly1305", "getrandom", "rustix", "tokio"],
    },
    Room {
        name: "cli",
        knows: &[
            "core",
            "protocols",
            "space",
            "logic",
            "world",
            "explore",
            "prove",
            "report",
            "watchkeeper",
            "casebook",
            "runtime",
        ],
        foreign: &[
            "clap",
            "clap_complete",
            "clap_mangen",
            "http-body-util",
            "hyper",
            "hyper-util",
            "rustix",
            "serde_json",
            "signal-hook",
            "strum",
            "tokio",
            "toml",
            "unicode-width",
        ],
    },
    Room {
        name: "hostile",
        knows: &["core", "protocols", "space", "logic", "prove", "watchkeeper", "runtime", "cli"],
        foreign: &[],
    },
    Room { name: "races", knows: &["space"], foreign: &["loom"] },
    Room { name: "tidy", knows: &[], foreign: &["toml"] },
    Room {
        name: "differential",
        knows: &["core", "space", "logic", "world", "explore"],
        foreign: &["fastrand", "strum"],
    },
];

/// The package of the library, which has the name of the project.
const LIBRARY: &str = "watchkeeper";

/// Crates without a row in the house, or with dependencies that their row does not allow.
pub fn check(tree: &Tree, house: &[Room]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let workspace = match workspace(tree) {
        Ok(workspace) => workspace,
        Err(breach) => return vec![breach],
    };
    for (name, file) in tree.manifests() {
        let mut breach =
            |rule: String, remedy: &str| breaches.push(Breach::of_file(&file.path, rule, remedy));
        let manifest = match Manifest::parse(file) {
            Ok(manifest) => manifest,
            Err(broken) => {
                breaches.push(broken);
                continue;
            }
        };
        if manifest.package().and_then(room_of) != Some(name) {
            let expected = if name == LIBRARY { LIBRARY.to_string() } else { format!("{LIBRARY}-{name}") };
            breach(format!("the package in this directory is called {expected}"), "Rename one of the two");
        }
        let Some(room) = house.iter().find(|room| room.name == name) else {
            breach(
                "every crate is a room of the house".into(),
                "Add it to the table in tidy, with its arrows",
            );
            continue;
        };
        for (package, need) in manifest.dependencies(&workspace) {
            match (room_of(&package), need) {
                (Some("cli"), _) if !room.knows.contains(&"cli") => {
                    breach("nothing depends on cli".into(), "Move what is needed into a room behind it");
                }
                (Some(other), Need::Crate) if !room.knows.contains(&other) => {
                    let rule = format!("{name} must not know {other}");
                    breach(rule, "Turn the dependency round, or pass what is needed through core or space");
                }
                (None, Need::Crate) if !room.foreign.contains(&package.as_str()) => {
                    let rule = format!("{name} does not use the foreign crate {package}");
                    breach(
                        rule,
                        "Do without, or add it to the table in tidy and say in the commit what it earns",
                    );
                }
                _ => {}
            }
        }
    }
    breaches
}

/// Rows of the house that no crate has, and foreign crates that no row needs any more.
pub fn check_rows(tree: &Tree, house: &[Room]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let Ok(workspace) = workspace(tree) else { return breaches };
    for room in house {
        let path = format!("crates/{}/Cargo.toml", room.name);
        let Some(manifest) = tree.get(&path).and_then(|file| Manifest::parse(file).ok()) else {
            breaches.push(Breach::of_file(&path, "every row of the house is a crate", "Take the row out"));
            continue;
        };
        let used = manifest.dependencies(&workspace);
        for foreign in room.foreign {
            if !used.iter().any(|(package, need)| package == foreign && *need == Need::Crate) {
                let rule = format!("what the house allows is used, and {foreign} is not");
                breaches.push(Breach::of_file(&path, rule, "Take it out of the row in tidy"));
            }
        }
    }
    breaches
}

fn workspace(tree: &Tree) -> Result<Manifest, Breach> {
    let missing = || Breach::of_file("Cargo.toml", "the workspace has a manifest", "Look for it");
    Manifest::parse(tree.get("Cargo.toml").ok_or_else(missing)?)
}

/// The room whose package this is, if it is one of the house.
fn room_of(package: &str) -> Option<&str> {
    if package == LIBRARY { Some(LIBRARY) } else { package.strip_prefix(LIBRARY)?.strip_prefix('-') }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: [Room; 3] = [
        Room { name: "core", knows: &[], foreign: &[] },
        Room { name: "world", knows: &["core"], foreign: &["libc"] },
        Room { name: "cli", knows: &["core", "world"], foreign: &[] },
    ];

    fn breaches(room: &str, manifest: &str) -> Vec<String> {
        let path = format!("crates/{room}/Cargo.toml");
        let tree = Tree::of(&[("Cargo.toml", "[workspace]"), (&path, manifest)]);
        check(&tree, &SMALL).into_iter().map(|breach| breach.rule).collect()
    }

    fn world(dependencies: &str) -> Vec<String> {
        breaches("world", &format!("[package]\nname = \"watchkeeper-world\"\n{dependencies}"))
    }

    #[test]
    fn an_arrow_that_is_not_in_the_table_is_a_breach() {
        assert_eq!(world("[dependencies]\nwatchkeeper-core.workspace = true\nlibc = \"0\""), [""; 0]);
        assert_eq!(world("[dependencies]\nwatchkeeper-logic = \"0\""), ["world must not know logic"]);
        assert_eq!(world("[build-dependencies]\nwatchkeeper-logic = \"0\""), ["world must not know logic"]);
        let renamed = "[dependencies]\ninnocent = { package = \"watchkeeper-logic\" }";
        assert_eq!(world(renamed), ["world must not know logic"]);
        assert_eq!(world("[dev-dependencies]\nwatchkeeper-logic = \"0\"\nproptest = \"1\""), [""; 0]);
    }

    #[test]
    fn nothing_knows_cli_not_even_tests() {
        assert_eq!(world("[dev-dependencies]\nwatchkeeper-cli = \"0\""), ["nothing depends on cli"]);
    }

    #[test]
    fn a_foreign_crate_must_be_in_the_row() {
        assert_eq!(world("[dependencies]\nrand = \"0\""), ["world does not use the foreign crate rand"]);
        let target = "[target.'cfg(unix)'.dependencies]\nrand = \"0\"";
        assert_eq!(world(target), ["world does not use the foreign crate rand"]);
    }

    #[test]
    fn a_crate_needs_a_row_and_its_own_name() {
        let attic = "[package]\nname = \"watchkeeper-attic\"";
        assert_eq!(breaches("attic", attic), ["every crate is a room of the house"]);
        let rule = "the package in this directory is called watchkeeper-core";
        assert_eq!(breaches("core", attic), [rule]);
        assert_eq!(breaches("cli", "[package]\nname = \"watchkeeper-cli\""), [""; 0]);
        let library = "[package]\nname = \"watchkeeper\"";
        assert_eq!(breaches("watchkeeper", library), ["every crate is a room of the house"]);
        assert!(breaches("core", "[package")[0].starts_with("a manifest is TOML"));
        assert_eq!(check(&Tree::default(), &SMALL)[0].rule, "the workspace has a manifest");
    }

    #[test]
    fn rows_and_entries_that_nobody_needs_are_a_breach() {
        let found = |world: &str| -> Vec<String> {
            let named = |room: &str| format!("[package]\nname = \"watchkeeper-{room}\"\n");
            let tree = Tree::of(&[
                ("Cargo.toml", "[workspace]"),
                ("crates/core/Cargo.toml", &named("core")),
                ("crates/world/Cargo.toml", &format!("{}{world}", named("world"))),
            ]);
            check_rows(&tree, &SMALL).into_iter().map(|breach| breach.to_string()).collect()
        };
        let no_cli = "crates/cli/Cargo.toml: every row of the house is a crate. Take the row out.";
        assert_eq!(found("[dependencies]\nlibc = \"0\""), [no_cli]);
        let unused = "crates/world/Cargo.toml: what the house allows is used, and libc is not. Take it out of the \
                      row in tidy.";
        assert_eq!(found("[dev-dependencies]\nlibc = \"0\""), [unused, no_cli]);
    }
}
