//! The page of the explorer for a protocol of one's own: one call of `main_with` has it, and an exported run opens from disk.

use std::process::Command;

#[test]
fn a_counterexample_of_this_protocol_is_exported_as_a_folder() {
    let folder = std::env::temp_dir().join(format!("stop-and-wait-{}", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_stop-and-wait"));
    command.args(["explore", "--channel", "drop:2", "--property", "in-order"]);
    let said = command.arg("--export").arg(&folder).output().expect("the program starts");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file of the export");
    let (page, test, verdict) = (read("index.html"), read("run.rs"), read("verdict.json"));
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(page.contains("WATCHKEEPER_STATIC") && page.contains("stop-and-wait"));
    assert!(test.contains("StopAndWait") && test.contains(".assert_run(&["), "{test}");
    assert!(verdict.contains("\"verdict\": \"violated\""));
}
