//! The text files of the workspace, found by walking it. Build results and the history of the
//! repository are not looked at, nor are links followed.

use std::path::Path;
use std::{fs, io};

/// Directories that hold nothing written by hand.
const SKIPPED: [&str; 3] = ["target", ".git", "out"];

/// The workspace as text.
#[derive(Clone, Debug, Default)]
pub struct SourceTree {
    files: Vec<SourceFile>,
}

/// One text file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path from the root of the workspace, with `/` between the parts.
    pub path: String,
    /// Its contents.
    pub text: String,
}

impl SourceTree {
    /// The workspace at this root. Files that are not UTF-8 text are left out.
    pub fn read(root: &Path) -> io::Result<SourceTree> {
        let mut tree = SourceTree::default();
        tree.walk(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// A workspace of these paths and texts.
    pub fn of(files: &[(&str, &str)]) -> SourceTree {
        let file =
            |&(path, text): &(&str, &str)| SourceFile { path: path.to_string(), text: text.to_string() };
        SourceTree { files: files.iter().map(file).collect() }
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The Rust files of the crates, the examples and the benchmarks.
    pub fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        let ours = |file: &&SourceFile| matches!(file.parts().next(), Some("crates" | "examples" | "bench"));
        self.files().filter(ours).filter(|file| file.path.ends_with(".rs"))
    }

    /// The manifests of the crates, with the names of their directories.
    pub fn manifests(&self) -> impl Iterator<Item = (&str, &SourceFile)> {
        self.files().filter_map(|file| match file.parts().collect::<Vec<_>>()[..] {
            ["crates", crate_name, "Cargo.toml"] => Some((crate_name, file)),
            _ => None,
        })
    }

    /// The file at this path.
    pub fn get(&self, path: &str) -> Option<&SourceFile> {
        self.files().find(|file| file.path == path)
    }

    fn walk(&mut self, directory: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
                self.walk(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file()
                && let Ok(text) = String::from_utf8(fs::read(entry.path())?)
            {
                self.files.push(SourceFile { path, text });
            }
        }
        Ok(())
    }
}

impl SourceFile {
    /// The parts of the path: directories, and the name of the file.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.path.split('/')
    }

    /// The directory of the crate that the file belongs to.
    pub fn crate_name(&self) -> Option<&str> {
        let mut parts = self.parts();
        (parts.next() == Some("crates")).then(|| parts.next()).flatten()
    }

    /// Whether the file is a test as a whole: in a directory of tests, or beside the code it tests.
    pub fn is_test(&self) -> bool {
        self.parts().any(|part| part == "tests" || part == "tests.rs" || part.ends_with("_tests.rs"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_finds_this_file_and_nothing_that_was_built() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let tree = SourceTree::read(root).expect("this crate can be read");
        assert!(tree.get("src/tree.rs").is_some_and(|file| file.text.contains("a_walk_finds_this_file")));
        assert!(tree.get("Cargo.toml").is_some());
        assert!(tree.files().all(|file| !file.parts().any(|part| SKIPPED.contains(&part))));
        assert!(SourceTree::read(&root.join("no such directory")).is_err());
    }

    #[test]
    fn files_know_their_crate() {
        let tree = SourceTree::of(&[
            ("crates/core/src/pid.rs", ""),
            ("crates/core/src/pid_tests.rs", ""),
            ("crates/core/tests/laws.rs", ""),
            ("crates/core/Cargo.toml", ""),
            ("bench/src/main.rs", ""),
            ("docs/a.rs", ""),
        ]);
        let crates: Vec<_> = tree.rust().map(|file| (file.crate_name(), file.is_test())).collect();
        assert_eq!(
            crates,
            [(Some("core"), false), (Some("core"), true), (Some("core"), true), (None, false)]
        );
        assert_eq!(tree.manifests().map(|(crate_name, _)| crate_name).collect::<Vec<_>>(), ["core"]);
    }
}
