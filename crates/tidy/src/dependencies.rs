//! The dependencies of the architecture: which crate of the workspace may depend on which, and on which foreign crates.
//! A dependency that is not in the table is forbidden.

use crate::manifest::{Manifest, Need};
use crate::{RuleViolation, SourceTree};

/// A row of the table: the dependencies that one crate may have.
#[derive(Clone, Copy, Debug)]
pub struct CrateRow {
    /// Its directory under `crates`.
    pub name: &'static str,
    /// The crates of the workspace that it may depend on.
    pub knows: &'static [&'static str],
    /// The foreign crates that it may use.
    pub foreign: &'static [&'static str],
}

/// The table. Tests may use any crate but cli, on which only hostile, which attacks it, may depend.
pub const CRATES: [CrateRow; 29] = [
    CrateRow { name: "derive", knows: &[], foreign: &["proc-macro2", "quote", "syn"] },
    CrateRow { name: "core", knows: &["derive"], foreign: &[] },
    CrateRow { name: "protocols", knows: &["core"], foreign: &["strum", "thiserror"] },
    CrateRow { name: "space", knows: &["core"], foreign: &["thiserror"] },
    CrateRow { name: "automaton", knows: &["core", "space"], foreign: &[] },
    CrateRow { name: "zones", knows: &[], foreign: &[] },
    CrateRow { name: "disk", knows: &[], foreign: &["crc32fast", "thiserror"] },
    CrateRow { name: "polyhedra", knows: &[], foreign: &[] },
    CrateRow { name: "logic", knows: &["core", "space"], foreign: &["strsim", "strum", "thiserror"] },
    CrateRow {
        name: "world",
        knows: &["automaton", "core", "space", "zones"],
        foreign: &["strum", "thiserror"],
    },
    CrateRow {
        name: "regions",
        knows: &["automaton", "core", "polyhedra", "world"],
        foreign: &["thiserror"],
    },
    CrateRow {
        name: "sim",
        knows: &["automaton", "core", "node", "world"],
        foreign: &["fastrand", "statrs", "strum", "thiserror"],
    },
    CrateRow { name: "mcrl2", knows: &["automaton", "space"], foreign: &["strsim", "thiserror"] },
    CrateRow {
        name: "explore",
        knows: &["disk", "space", "logic"],
        foreign: &["boxcar", "fastrand", "libc", "thiserror"],
    },
    CrateRow { name: "lts", knows: &["explore", "logic", "space"], foreign: &["strum", "thiserror"] },
    CrateRow {
        name: "fleet",
        knows: &["explore"],
        foreign: &["getrandom", "hmac", "serde", "sha2", "thiserror", "timely"],
    },
    CrateRow { name: "prove", knows: &["space", "logic"], foreign: &["rustix", "strum", "thiserror"] },
    CrateRow { name: "modal", knows: &["logic", "mcrl2", "space"], foreign: &["thiserror"] },
    CrateRow {
        name: "report",
        knows: &["core", "space", "logic"],
        foreign: &["serde_json", "unicode-width"],
    },
    CrateRow {
        name: "watchkeeper",
        knows: &[
            "core",
            "derive",
            "protocols",
            "space",
            "logic",
            "world",
            "explore",
            "node",
            "polyhedra",
            "regions",
            "report",
            "sim",
        ],
        foreign: &["rustix", "strsim", "strum"],
    },
    CrateRow {
        name: "casebook",
        knows: &["core", "protocols", "space", "logic", "world", "explore", "prove", "report", "watchkeeper"],
        foreign: &["strum", "thiserror"],
    },
    CrateRow {
        name: "node",
        knows: &["core"],
        foreign: &["chacha20poly1305", "fastrand", "hkdf", "serde", "sha2", "strum", "thiserror", "zeroize"],
    },
    CrateRow {
        name: "runtime",
        knows: &["core", "node"],
        foreign: &["getrandom", "nix", "rustix", "serde_json", "socket2", "thiserror", "tokio", "tracing"],
    },
    CrateRow {
        name: "web",
        knows: &["explore", "logic", "report", "space"],
        foreign: &["fastrand", "serde_json"],
    },
    CrateRow {
        name: "cli",
        knows: &[
            "core",
            "protocols",
            "space",
            "logic",
            "lts",
            "world",
            "disk",
            "explore",
            "fleet",
            "mcrl2",
            "modal",
            "polyhedra",
            "prove",
            "regions",
            "report",
            "sim",
            "watchkeeper",
            "casebook",
            "runtime",
            "web",
        ],
        foreign: &[
            "clap",
            "clap_complete",
            "clap_mangen",
            "fastrand",
            "http-body-util",
            "hyper",
            "hyper-util",
            "rustix",
            "serde",
            "serde_json",
            "signal-hook",
            "strum",
            "tokio",
            "toml",
            "tracing",
            "tracing-subscriber",
            "unicode-width",
            "zeroize",
        ],
    },
    CrateRow {
        name: "hostile",
        knows: &[
            "core",
            "protocols",
            "space",
            "logic",
            "lts",
            "mcrl2",
            "regions",
            "prove",
            "watchkeeper",
            "node",
            "web",
            "cli",
        ],
        foreign: &["serde_json"],
    },
    CrateRow { name: "races", knows: &["space"], foreign: &["loom"] },
    CrateRow { name: "tidy", knows: &[], foreign: &["toml"] },
    CrateRow {
        name: "differential",
        knows: &["core", "space", "logic", "world", "explore"],
        foreign: &["fastrand", "strum"],
    },
];

/// The package of the library, which has the name of the project.
const LIBRARY: &str = "watchkeeper";

/// Crates without a row in the table, or with dependencies that their row does not allow.
pub fn check(tree: &SourceTree, rows: &[CrateRow]) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    let workspace = match workspace(tree) {
        Ok(workspace) => workspace,
        Err(violation) => return vec![violation],
    };
    for (name, file) in tree.manifests() {
        let mut violation =
            |rule: String, remedy: &str| violations.push(RuleViolation::of_file(&file.path, rule, remedy));
        let manifest = match Manifest::parse(file) {
            Ok(manifest) => manifest,
            Err(broken) => {
                violations.push(broken);
                continue;
            }
        };
        if manifest.package().and_then(crate_of) != Some(name) {
            let expected = if name == LIBRARY { LIBRARY.to_string() } else { format!("{LIBRARY}-{name}") };
            violation(format!("the package in this directory is called {expected}"), "Rename one of the two");
        }
        let Some(row) = rows.iter().find(|row| row.name == name) else {
            violation(
                "every crate has a row in the table of dependencies".into(),
                "Add it to the table in tidy, with its dependencies",
            );
            continue;
        };
        for (package, need) in manifest.dependencies(&workspace) {
            match (crate_of(&package), need) {
                (Some("cli"), _) if !row.knows.contains(&"cli") => {
                    violation(
                        "nothing depends on cli".into(),
                        "Move what is needed into a crate that cli depends on",
                    );
                }
                (Some(other), Need::Crate) if !row.knows.contains(&other) => {
                    let rule = format!("{name} must not know {other}");
                    violation(
                        rule,
                        "Turn the dependency round, or pass what is needed through core or space",
                    );
                }
                (None, Need::Crate) if !row.foreign.contains(&package.as_str()) => {
                    let rule = format!("{name} does not use the foreign crate {package}");
                    violation(
                        rule,
                        "Do without, or add it to the table in tidy and say in the commit what it earns",
                    );
                }
                _ => {}
            }
        }
    }
    violations
}

/// Rows of the table that no crate has, and foreign crates that no row needs any more.
pub fn check_rows(tree: &SourceTree, rows: &[CrateRow]) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    let Ok(workspace) = workspace(tree) else { return violations };
    for row in rows {
        let path = format!("crates/{}/Cargo.toml", row.name);
        let Some(manifest) = tree.get(&path).and_then(|file| Manifest::parse(file).ok()) else {
            violations.push(RuleViolation::of_file(
                &path,
                "every row of the table is a crate",
                "Take the row out",
            ));
            continue;
        };
        let used = manifest.dependencies(&workspace);
        for foreign in row.foreign {
            if !used.iter().any(|(package, need)| package == foreign && *need == Need::Crate) {
                let rule = format!("a dependency that the table allows is used, and {foreign} is not");
                violations.push(RuleViolation::of_file(&path, rule, "Take it out of the row in tidy"));
            }
        }
    }
    violations
}

fn workspace(tree: &SourceTree) -> Result<Manifest, RuleViolation> {
    let missing = || RuleViolation::of_file("Cargo.toml", "the workspace has a manifest", "Look for it");
    Manifest::parse(tree.get("Cargo.toml").ok_or_else(missing)?)
}

/// The directory of the crate whose package this is, if it is one of the workspace.
fn crate_of(package: &str) -> Option<&str> {
    if package == LIBRARY { Some(LIBRARY) } else { package.strip_prefix(LIBRARY)?.strip_prefix('-') }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: [CrateRow; 3] = [
        CrateRow { name: "core", knows: &[], foreign: &[] },
        CrateRow { name: "world", knows: &["core"], foreign: &["libc"] },
        CrateRow { name: "cli", knows: &["core", "world"], foreign: &[] },
    ];

    fn violations(row: &str, manifest: &str) -> Vec<String> {
        let path = format!("crates/{row}/Cargo.toml");
        let tree = SourceTree::of(&[("Cargo.toml", "[workspace]"), (&path, manifest)]);
        check(&tree, &SMALL).into_iter().map(|violation| violation.rule).collect()
    }

    fn world(dependencies: &str) -> Vec<String> {
        violations("world", &format!("[package]\nname = \"watchkeeper-world\"\n{dependencies}"))
    }

    #[test]
    fn a_dependency_that_is_not_in_the_table_is_a_violation() {
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
        assert_eq!(violations("attic", attic), ["every crate has a row in the table of dependencies"]);
        let rule = "the package in this directory is called watchkeeper-core";
        assert_eq!(violations("core", attic), [rule]);
        assert_eq!(violations("cli", "[package]\nname = \"watchkeeper-cli\""), [""; 0]);
        let library = "[package]\nname = \"watchkeeper\"";
        assert_eq!(
            violations("watchkeeper", library),
            ["every crate has a row in the table of dependencies"]
        );
        assert!(violations("core", "[package")[0].starts_with("a manifest is TOML"));
        assert_eq!(check(&SourceTree::default(), &SMALL)[0].rule, "the workspace has a manifest");
    }

    #[test]
    fn rows_and_entries_that_nobody_needs_are_a_violation() {
        let found = |world: &str| -> Vec<String> {
            let named = |row: &str| format!("[package]\nname = \"watchkeeper-{row}\"\n");
            let tree = SourceTree::of(&[
                ("Cargo.toml", "[workspace]"),
                ("crates/core/Cargo.toml", &named("core")),
                ("crates/world/Cargo.toml", &format!("{}{world}", named("world"))),
            ]);
            check_rows(&tree, &SMALL).into_iter().map(|violation| violation.to_string()).collect()
        };
        let no_cli = "crates/cli/Cargo.toml: every row of the table is a crate. Take the row out.";
        assert_eq!(found("[dependencies]\nlibc = \"0\""), [no_cli]);
        let unused = "crates/world/Cargo.toml: a dependency that the table allows is used, and libc is not. Take \
                      it out of the row in tidy.";
        assert_eq!(found("[dev-dependencies]\nlibc = \"0\""), [unused, no_cli]);
    }
}
