//! The page in a real browser: runs the tests in `browser/`, which drive Chromium against the real program. They are node's,
//! because what drives a browser is; this file must never skip them without saying why.

#![expect(clippy::print_stdout, reason = "what the tests in the browser say, and why they are left out")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to do about a browser that is missing.
const REMEDY: &str = "run scripts/browser.sh, or set WATCHKEEPER_BROWSER=none";

/// How many files of tests run at a time.
const AT_ONCE: &str = "--test-concurrency=2";

/// The program that is the browser.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WATCHKEEPER_CHROMIUM").filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// The files of tests, in the order of their names.
fn files(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder).expect("the folder of the tests");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<OsString> = paths
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .map(PathBuf::into_os_string)
        .collect();
    files.sort();
    files
}

#[test]
fn the_page_does_in_a_browser_what_it_promises() {
    if std::env::var("WATCHKEEPER_BROWSER").is_ok_and(|value| value == "none") {
        println!("skipped: WATCHKEEPER_BROWSER=none leaves the tests in a browser out");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
    let browser = browser().unwrap_or_else(|| panic!("there is no browser: {REMEDY}"));
    for package in ["playwright-core", "axe-core"] {
        let there = tools.join("node_modules").join(package).is_dir();
        assert!(there, "{package} is missing under target/browser: {REMEDY}");
    }
    let files = files(&folder);
    assert!(!files.is_empty(), "no tests in {}", folder.display());
    let said = Command::new("node")
        .args(["--test", AT_ONCE, "--test-reporter=spec"])
        .args(files)
        .env("WATCHKEEPER_BIN", env!("CARGO_BIN_EXE_watchkeeper"))
        .env("WATCHKEEPER_CHROMIUM", browser)
        .env("WATCHKEEPER_BROWSER_TOOLS", tools)
        .output()
        .unwrap_or_else(|why| panic!("node does not start ({why}): {REMEDY}"));
    println!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "a test in the browser has failed; its name is above, after ✖");
}
