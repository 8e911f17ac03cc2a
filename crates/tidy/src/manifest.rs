//! What a manifest says of a crate's lints and dependencies, whichever of its many spellings it uses.

use crate::{RuleViolation, SourceFile};
use toml::{Table, Value};

/// One `Cargo.toml`.
pub struct Manifest(Table);

/// What a dependency is needed for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    /// The crate itself, or its build.
    Crate,
    /// Its tests and benchmarks only.
    Tests,
}

impl Manifest {
    /// Reads a manifest.
    pub fn parse(file: &SourceFile) -> Result<Manifest, RuleViolation> {
        let table = file.text.parse::<Table>().map_err(|error| {
            let what = error.message().to_string();
            RuleViolation::of_file(
                &file.path,
                format!("a manifest is TOML, and this is not: {what}"),
                "Mend it",
            )
        })?;
        Ok(Manifest(table))
    }

    /// The name of the package.
    pub fn package(&self) -> Option<&str> {
        self.0.get("package")?.get("name")?.as_str()
    }

    /// Whether it takes the lints of the workspace.
    pub fn takes_workspace_lints(&self) -> bool {
        let lints = self.0.get("lints").and_then(|lints| lints.get("workspace"));
        lints.and_then(Value::as_bool) == Some(true)
    }

    /// Whether the crate may be uploaded to a registry.
    pub fn is_published(&self) -> bool {
        self.0.get("package").and_then(|package| package.get("publish")) != Some(&Value::Boolean(false))
    }

    /// Whether its package has this key, a value of its own or one of the workspace.
    pub fn has_package_key(&self, key: &str) -> bool {
        self.0.get("package").is_some_and(|package| package.get(key).is_some())
    }

    /// The packages that it depends on, sorted. A dependency that the workspace names is looked up there.
    pub fn dependencies(&self, workspace: &Manifest) -> Vec<(String, Need)> {
        let shared = workspace.0.get("workspace").and_then(|table| table.get("dependencies"));
        let renamed = |entry: &Value| Some(entry.get("package")?.as_str()?.to_string());
        let package = |(name, entry, need): (&String, &Value, Need)| {
            let from_workspace = || renamed(shared?.get(name)?);
            (renamed(entry).or_else(from_workspace).unwrap_or_else(|| name.clone()), need)
        };
        let mut found: Vec<_> = self.entries().map(package).collect();
        found.sort();
        found.dedup();
        found
    }

    /// The names by which the code knows the dependencies, but for their hyphens.
    pub fn declared(&self) -> impl Iterator<Item = (&str, Need)> {
        self.entries().map(|(name, _, need)| (name.as_str(), need))
    }

    fn entries(&self) -> impl Iterator<Item = (&String, &Value, Need)> {
        let kinds = [
            ("dependencies", Need::Crate),
            ("build-dependencies", Need::Crate),
            ("dev-dependencies", Need::Tests),
        ];
        self.dependency_tables().flat_map(move |table| {
            kinds.into_iter().flat_map(|(key, need)| {
                let entries = table.get(key).and_then(Value::as_table).into_iter().flatten();
                entries.map(move |(name, entry)| (name, entry, need))
            })
        })
    }

    /// The table of the manifest itself, and those for single targets.
    fn dependency_tables(&self) -> impl Iterator<Item = &Table> {
        let targets = self.0.get("target").and_then(Value::as_table).into_iter().flatten();
        std::iter::once(&self.0).chain(targets.filter_map(|(_, target)| target.as_table()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(text: &str) -> Manifest {
        let file = SourceFile { path: "Cargo.toml".to_string(), text: text.to_string() };
        Manifest::parse(&file).expect("the text is TOML")
    }

    #[test]
    fn every_spelling_of_a_dependency_is_seen() {
        let workspace = manifest("[workspace.dependencies]\nshort = { package = \"long\", path = \"x\" }");
        let crate_text = "
            [package]
            name = 'a'
            [dependencies]
            plain = '1'
            short.workspace = true
            mine = { package = 'theirs', version = '1' }
            [dependencies.table]
            version = '1'
            [build-dependencies]
            build = '1'
            [dev-dependencies]
            plain = '1'
            [target.'cfg(unix)'.dependencies]
            unix = '1'
        ";
        let crate_manifest = manifest(crate_text);
        assert_eq!(crate_manifest.package(), Some("a"));
        let found = crate_manifest.dependencies(&workspace);
        let need = |need: Need| -> Vec<&str> {
            found.iter().filter(|(_, needs)| *needs == need).map(|(name, _)| name.as_str()).collect()
        };
        assert_eq!(need(Need::Crate), ["build", "long", "plain", "table", "theirs", "unix"]);
        assert_eq!(need(Need::Tests), ["plain"]);
    }
}
