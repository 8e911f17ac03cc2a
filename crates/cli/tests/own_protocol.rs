//! A protocol of one's own with the command line of this project.

#[path = "../../watchkeeper/tests/tickets/mod.rs"]
mod tickets;

use tickets::Tickets;
use watchkeeper_cli::Program;

#[test]
fn the_same_command_line_by_one_call() {
    let run = |args: &[&str]| Program::only::<Tickets>().run([&["tickets"], args].concat()).0;
    assert_eq!(run(&["check", "--property", "different", "--quiet"]), 0);
    assert_eq!(run(&["check", "tickets", "--property", "none", "--quiet"]), 12);
    assert_eq!(run(&["check", "--property", "deadlock", "--quiet"]), 11);
    assert_eq!(run(&["check", "ring", "--quiet"]), 150);
    assert_eq!(run(&["casebook"]), 150, "the casebook belongs to the program of this project");
    assert_eq!(run(&["list"]), 0);
    assert_eq!(run(&["completions", "fish"]), 0);
}

#[test]
fn a_panic_in_a_protocol_is_an_internal_error_and_not_a_crash() {
    let program = Program::only::<Tickets>();
    assert_eq!(program.run(["tickets", "check", "--param", "panics-at=2", "--quiet"]).0, 255);
}
