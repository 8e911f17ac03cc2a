//! Golden files: the expected output, to the byte. `WATCHKEEPER_BLESS=1` writes them anew; what changed
//! is then for a person to look at.

use std::path::PathBuf;

/// Compares with `tests/golden/<name>`.
pub fn check(name: &str, actual: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "golden", name].iter().collect();
    if std::env::var_os("WATCHKEEPER_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, actual).expect("the golden file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|why| {
        panic!("{}: {why}; run the tests with WATCHKEEPER_BLESS=1 and look at what it writes", path.display())
    });
    assert!(
        expected == actual,
        "{name} is not as expected; if the new one is right, run the tests with WATCHKEEPER_BLESS=1\n\
         --- expected\n{expected}\n--- actual\n{actual}"
    );
}
