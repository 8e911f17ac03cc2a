//! Where the states of a search are kept, as people write it: `memory`, `disk:DIR`, `auto` or `auto:DIR`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use watchkeeper_explore::{DiskStore, Store};

/// Where a search keeps its states.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StoreChoice {
    /// In memory.
    Memory,
    /// In files of this directory.
    Disk(PathBuf),
    /// In memory as long as they fit, and then in files of this directory, or of a fresh one.
    Auto(Option<PathBuf>),
}

impl StoreChoice {
    /// The store, with a limit on the bytes of files.
    pub fn store(&self, max_bytes: Option<u64>) -> Store {
        let on = |directory| DiskStore { directory, shared: false, max_bytes };
        match self {
            StoreChoice::Memory => Store::Memory,
            StoreChoice::Disk(path) => Store::Disk(on(Some(path.clone()))),
            StoreChoice::Auto(path) => Store::Auto(on(path.clone())),
        }
    }
}

impl FromStr for StoreChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<StoreChoice, String> {
        let (word, path) = match text.split_once(':') {
            Some((word, path)) => (word, Some(path).filter(|path| !path.is_empty())),
            None => (text, None),
        };
        match (word, path) {
            ("memory", None) if !text.contains(':') => Ok(StoreChoice::Memory),
            ("disk", Some(path)) => Ok(StoreChoice::Disk(path.into())),
            ("disk", None) => Err("a store on disk needs a directory: write disk:DIR, or auto".to_string()),
            ("auto", Some(path)) => Ok(StoreChoice::Auto(Some(path.into()))),
            ("auto", None) if !text.contains(':') => Ok(StoreChoice::Auto(None)),
            _ => Err(format!("`{text}` is no store; write `memory`, `disk:DIR`, `auto` or `auto:DIR`")),
        }
    }
}

impl fmt::Display for StoreChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreChoice::Memory => f.write_str("memory"),
            StoreChoice::Disk(path) => write!(f, "disk:{}", path.display()),
            StoreChoice::Auto(None) => f.write_str("auto"),
            StoreChoice::Auto(Some(path)) => write!(f, "auto:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_read_and_written_as_they_are_spelled() {
        for text in ["memory", "disk:/tmp/a", "disk:a:b", "auto", "auto:there"] {
            assert_eq!(text.parse::<StoreChoice>().map(|store| store.to_string()).as_deref(), Ok(text));
        }
        for (wrong, says) in [
            ("disk", "needs a directory"),
            ("disk:", "needs a directory"),
            ("auto:", "no store"),
            ("", "no store"),
            ("memory:x", "no store"),
            ("memory:", "no store"),
            ("tape", "disk:DIR"),
        ] {
            let refused = wrong.parse::<StoreChoice>().expect_err("refused");
            assert!(refused.contains(says), "{wrong}: {refused}");
        }
    }
}
