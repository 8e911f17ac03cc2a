//! The longer texts of `--help`: what a command is for, examples that can be copied, the exit codes.

use crate::program::Program;
use crate::registry::{self, Entry};

/// What the program is.
pub(crate) const PROGRAM: &str = "\
Checks protocols that live on messages and timeouts.

A protocol is a state machine in Rust. You say how many processes run it, what the network does to their \
messages and who may crash; every state that can then be reached is searched. The verdict is `holds`, \
`violated` with a shortest run drawn as a sequence chart, or `unknown` where a limit ended the search. \
Each says what it rests on.";

/// What `check` does.
pub(crate) const CHECK: &str = "\
Searches every state that a protocol can reach on a network of your choice.

Time passes as --time says. Untimed, an armed timer may fire and a message may arrive at any moment, or \
never, so whatever holds holds for every timing. In ticks or in dense time, timers fire and messages arrive \
within their bounds; dense time leaves no moment out, and its states are zones, whole sets of moments. A flag \
goes over an environment variable, and that over the scenario file.";

/// What `sweep` does.
pub(crate) const SWEEP: &str = "\
Searches a protocol for every value of one or two parameters, and shows where each property holds.

Give one or two parameters a range, such as --tmin 1..24 --tmax 1..24 or --param NAME=1..24; --n, --crashes, \
--loss, --duplicate and --round-trip can have one too. Every cell is searched like `check` does, one property \
at a time, as many cells side by side as there are --workers. Cells that are no configuration, such as a tmin \
above tmax, stay blank. The simplest linear conditions that fit every cell are printed as a conjecture: it is \
right about the cells that were searched, and about no others. Ctrl-C and --timeout keep what is done.";

/// What `casebook` does.
pub(crate) const CASEBOOK: &str = "\
Repeats a published result, and shows what is printed beside what is found.

Without a case it lists the cases. With a case alone it searches all its models and prints the published \
table with our figures beside it. With a model, it searches that one, and reports like `check`.";

const EXIT_CODES: &str = "\
Exit codes:
    0  holds: the whole space was searched
   10  an assumption of the model is broken
   11  violated: deadlock or time-lock
   12  violated: safety (an invariant or an observer)
   13  violated: liveness
  150  bad input or configuration; nothing was searched, or an output was not written
  153  unknown: a limit or Ctrl-C ended the search
  255  internal error; no verdict";

/// Below the help of the program.
pub(crate) fn after_program(program: &Program) -> String {
    let name = &program.name;
    let protocol = first(program);
    let mut examples = vec![
        (format!("{name} check {protocol} --n 3 --channel drop:1"), "3 processes, lossy channels"),
        (format!("{name} check {protocol} --help"), "all flags, and the properties"),
    ];
    if program.casebook {
        examples.insert(1, (format!("{name} check ring --crashes 1 --channel block:1"), "a deadlock, drawn"));
        let model = "--model process-algebra --channel block --buffer 1";
        examples.push((format!("{name} casebook ring {model}"), "a published model"));
    }
    format!("{}\n\n{EXIT_CODES}", listed(&examples))
}

/// Below the help of `check`.
pub(crate) fn after_check(program: &Program, entries: &[&Entry]) -> String {
    let name = &program.name;
    let protocol = entries.first().map_or("PROTOCOL", |entry| entry.name());
    let check = format!("{name} check {protocol}");
    let mut examples = vec![
        (format!("{check} --n 3 --crashes 1 --channel drop:1"), "one of three may crash"),
        (format!("{check} --channel block:1 --chart why.svg"), "draw a violation into a file"),
        (format!("{check} --channel block:3 --search beam:20000"), "look for a deep violation"),
        (format!("{check} --json - --quiet"), "only JSON, for a script"),
        (format!("{name} check scenario.toml --workers 1"), "a scenario file, one flag over it"),
    ];
    let beats = entries.iter().find(|entry| entry.params.iter().any(|param| param.name == "tmin"));
    if let Some(entry) = beats {
        let check = format!("{name} check {}", entry.name());
        let timed = [
            (format!("{check} --tmin 4 --tmax 10 --property R1"), "one requirement, in dense time"),
            (format!("{check} --tmin 5 --corrected --time ticks"), "all three, corrected, tick by tick"),
        ];
        let replaced = if entries.len() == 1 { 0..3 } else { examples.len()..examples.len() };
        examples.splice(replaced, timed);
    }
    let keys = match (beats, entries.len()) {
        (Some(_), 1) => "tmin = 4\n  tmax = 10\n  time = \"ticks\"\n  property = [\"R1\"]",
        _ => "n = 3\n  crashes = 1\n  channel = \"drop:1\"\n  property = [\"deadlock\"]",
    };
    let file = format!(
        "A scenario file has the flags as keys, without their dashes:\n\n  protocol = \"{protocol}\"\n  {keys}"
    );
    let about = indented(&registry::texts(entries));
    format!("Protocols:\n{about}\n{}\n\n{file}\n\n{EXIT_CODES}", listed(&examples))
}

/// Below the help of `sweep`.
pub(crate) fn after_sweep(program: &Program) -> String {
    let sweep = format!("{} sweep {}", program.name, first(program));
    let mut examples = vec![(format!("{sweep} --n 2..4 --loss 0..2 --channel drop:1"), "a small map")];
    if program.casebook {
        let grid = format!("{} sweep binary --tmin 1..24 --tmax 1..24", program.name);
        examples = vec![
            (format!("{grid} --property R1"), "where R1 holds, 300 cells"),
            (format!("{grid} --svg map.svg --csv map.csv"), "R1, R2 and R3, as a picture and a table"),
            (format!("{grid} --corrected"), "the same of the corrected protocol"),
        ];
    }
    let codes = "\
Exit codes:
    0  every cell was decided
  150  bad input or configuration; nothing was searched, or an output was not written
  153  a limit or Ctrl-C ended the search before every cell was decided
  255  internal error; no verdict";
    format!("{}\n\n{codes}", listed(&examples))
}

/// Below the help of `casebook`.
pub(crate) fn after_casebook(program: &Program) -> String {
    let ring = format!("{} casebook ring", program.name);
    let examples = [
        (ring.clone(), "the published table beside ours"),
        (format!("{ring} --model process-algebra --channel block --buffer 1"), "a deadlock of 20 steps"),
        (format!("{ring} --model process-algebra --channel ignore --buffer 1"), "385,861,073 states"),
        (format!("{ring} --model tasks --channel ignore --oscillations 2"), "suspected, trusted, twice"),
        (format!("{ring}-timed"), "what is claimed of the timed detectors, and what is found"),
        (format!("{ring}-timed --model weak-accuracy --chart why.svg"), "figure 6.13, with its times"),
        (format!("{} casebook heartbeats --csv cells.csv", program.name), "180 cells, in ticks and in zones"),
    ];
    format!("{}\n\n{EXIT_CODES}", listed(&examples))
}

fn first(program: &Program) -> &'static str {
    program.entries.first().map_or("PROTOCOL", |entry| entry.name())
}

/// Commands with what they do below the word `Examples`.
fn listed(examples: &[(String, &str)]) -> String {
    let lines: Vec<String> = examples.iter().map(|(line, does)| format!("  {line}\n      {does}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
