//! The longer texts of `--help`: what a command is for, examples that can be copied, the exit codes.

use crate::program::Program;
use crate::registry::{self, ProtocolEntry};
use watchkeeper::settings::SettingRow;

/// The width of the lines in the help of a flag.
const WIDTH: usize = 88;

/// The short help of a setting.
pub(crate) fn short(row: &SettingRow) -> String {
    let variable = row.variable.map_or(String::new(), |variable| format!(" [env: {variable}]"));
    format!("{}{variable}", row.help)
}

/// The long help of a setting: the items of its lists in columns.
pub(crate) fn long(row: &SettingRow) -> String {
    let mut out = short(row);
    for paragraph in row.details.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        out.push_str("\n\n");
        if !paragraph.starts_with("- ") {
            out.push_str(&paragraph.replace('\n', " "));
            continue;
        }
        let items = paragraph.trim_start_matches("- ").split("\n- ").map(|item| item.replace("\n  ", " "));
        let items: Vec<(String, String)> = items.map(|item| item_of(&item)).collect();
        let wide = items.iter().map(|(value, _)| value.len()).max().unwrap_or(0) + 2;
        let lines =
            items.iter().map(|(value, meaning)| format!("{value:wide$}{}", broken(meaning, wide, WIDTH)));
        out.push_str(&lines.collect::<Vec<_>>().join("\n"));
    }
    out
}

/// The value and the meaning of an item, which is written `` `VALUE`: meaning ``.
fn item_of(item: &str) -> (String, String) {
    let (value, meaning) = item.split_once("`: ").unwrap_or(("", item));
    (value.trim_start_matches('`').to_string(), meaning.to_string())
}

/// The text in lines of so many columns at most, all but the first behind an indentation.
pub(crate) fn broken(text: &str, indent: usize, width: usize) -> String {
    let (mut out, mut column) = (String::new(), indent);
    for word in text.split(' ') {
        let gap = usize::from(column > indent);
        if column + gap + word.chars().count() > width && gap > 0 {
            out.push_str(&format!("\n{}", " ".repeat(indent)));
            column = indent;
        } else if gap > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.chars().count();
    }
    out
}

/// What the program is.
pub(crate) const PROGRAM: &str = "\
Checks protocols that live on messages and timeouts.

A protocol is a state machine in Rust. You choose the number of processes, the network and the faults; the program \
searches every reachable state. The verdict is `holds`, `violated` with a shortest run drawn as a sequence chart, or \
`unknown` if a limit ended the search. Every verdict lists its assumptions.";

/// What `check` does.
pub(crate) const CHECK: &str = "\
Searches every state that a protocol can reach on a network of your choice.

--time chooses the model of time. Untimed, an armed timer may fire and a message may arrive at any moment, or \
never, so a property that holds does so for every timing. In ticks and in dense time, timers fire and messages arrive \
within their bounds; the states of dense time are zones, which hold whole sets of moments. A flag overrides an \
environment variable, and a variable overrides the scenario file.";

/// What `sweep` does.
pub(crate) const SWEEP: &str = "\
Searches a protocol for every value of one or two parameters, and shows where each property holds.

Give one or two parameters a range, such as --tmin 1..24 --tmax 1..24 or --param NAME=1..24; --n, --crashes, \
--loss, --duplicate and --round-trip can have a range too. Every cell is a check of its own, one property at a \
time; --workers cells are searched in parallel. A cell without a valid configuration, such as a tmin above tmax, stays \
blank. The report prints the simplest linear conditions that fit every cell as a conjecture: it is right about the cells \
that were searched, and a guess about all others. Ctrl-C and --timeout keep the cells that are done.";

/// What `bound` does.
pub(crate) const BOUND: &str = "\
Finds the least B for which detection:B holds: from B after the last crash on, the crashed processes are suspected.

Every step is a complete check of the scenario. By default time is dense and one process may crash. The report shows the \
bound, the run that refutes the next lower one, the verdict on accuracy (no process is suspected before it crashes) in \
the same scenario, and all assumptions.";

/// What `regions` does.
pub(crate) const REGIONS: &str = "\
Finds for which values of its unknown parameters a property holds, exactly, as a formula: not for a grid of values, but for all.

A parameter that is named without a value, --param tmin, is unknown; all others have their values. The search is symbolic, \
over the same code that runs, with durations that are linear expressions. The report says where the property holds, where it \
fails, with a run of whole numbers that `check` has found again, and what is undecided, if anything is, with a hint at the \
--where that would decide it.";

/// What `classify` does.
pub(crate) const CLASSIFY: &str = "\
Finds the strongest classes of failure detectors, after Chandra and Toueg (1996), that a protocol belongs to in a scenario.

It checks completeness (strong, weak) and accuracy (strong, weak, eventual strong, eventual weak) on infinite runs, all \
on one state graph; the classes P, S, Q, W, their eventual variants and leadership follow. A chart shows the run that \
refutes the next stronger class. If timeouts grow, the report names the timeout after which no correct process is \
suspected any more. By default one process may crash. Asynchrony is --time untimed; synchrony is --time ticks with a \
--delay; partial synchrony is --synchrony eventual or --synchrony unknown. The exit code is 0 if there is a class.";

/// What `cutoff` does.
pub(crate) const CUTOFF: &str = "\
Finds out whether two processes are enough (a cutoff): a property that holds for two then holds for any number.

This is a theorem for symmetric point-to-point algorithms (Tran, Konnov and Widder 2022): a process treats all others \
alike, keeps a separate state for each of them, and sends the same messages to all. The command checks on every reachable \
local state, under every renaming of processes, in small systems, whether the protocol is one. Then it checks the property \
with 2, 3 and up to --up-to processes. By default the property is accuracy, in ticks, with delays up to 1. The exit code \
is 0 only if the protocol is in the class and every check holds; it is 10 if the protocol is not in the class.";

/// What `prove` does.
pub(crate) const PROVE: &str = "\
Proves what is claimed of a model for all parameters at once, or that it fails for all of them.

A search settles one choice of the parameters. Here the parameters are unknowns of which only the assumptions are \
known, and an SMT solver shows by induction that no step leads out of an invariant that implies the property. The \
invariant is found: candidates from templates that are true of small instances, sifted until the rest is inductive, \
and cut down to what is needed. Every solver that is found (Z3, cvc5) has to discharge every obligation. What fails \
for all parameters is shown by a run that is written down once for all of them. The same system can be searched for \
some parameters with --at.";

/// What `cluster` does.
pub(crate) const CLUSTER: &str = "\
Starts all nodes of a protocol on this machine, each a process of its own, and shows who suspects whom.

Type `kill 3`, `pause 2`, `resume 2`, `restart 3`, `leave 4`, `say 2 7`, `status`, `help` or `quit`. A key, a node file for \
each node and their logs are written to a directory; `run --config` starts one of them alone, and `check` \
searches the very same scenario. Unless flags say otherwise, rounds last 10 units of time, timeouts grow up to \
20, and a message is supposed to take at most 4. All nodes end with this command, however it ends.";

/// What `run` does.
pub(crate) const RUN: &str = "\
Runs one node of a protocol on a network: the very code that `check` searches, on a UDP socket.

A node file is a scenario file with the tables [node], [peers] and [[keys]], so `check` checks what `run` runs. \
The log goes to standard error, one line for each event. SIGTERM and SIGINT leave gracefully, the second one ends \
at once; SIGHUP reads the keys of the file again. While the node runs, it measures what the verdict rests on, and \
tells which property is no longer guaranteed.";

/// What `replay` does.
pub(crate) const REPLAY: &str = "\
Finds out whether the recorded run of a node, or of a whole cluster, is a path of the model.

Every recorded step is given to the protocol again; the steps of all nodes are put into one order, at times that \
keep every bound on messages and timers, and executed like a counterexample is. The model is the one that the \
recordings name, and flags go over it. If the run leaves the model, the first step that is not possible is named \
with the assumption that it broke, and drawn. Crashes and restarts are counted, and refused only where \
--crashes, --crashable or --recoveries say so; losses are refused unless the model has them.";

/// What `casebook` does.
pub(crate) const CASEBOOK: &str = "\
Repeats a published result, and shows what is printed beside what is found.

Without a case it lists the cases with the names of their models. With a case alone it searches all its models and \
prints the published table with our figures beside it. With a model, it searches that one, and reports like `check`. \
`casebook CASE --help` shows the flags of a case.";

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

/// Below the help of `check`, of one protocol or of none.
pub(crate) fn after_check(program: &Program, entry: Option<&ProtocolEntry>) -> String {
    let name = &program.name;
    let protocol = entry.map_or(first(program), ProtocolEntry::name);
    let check = format!("{name} check {protocol}");
    let beats = entry.is_some_and(|entry| entry.has_param("tmin"));
    let hears = entry.is_some_and(|entry| entry.outline().hears_oracle());
    let proposes = entry.is_some_and(|entry| entry.has_param("values"));
    let (mut examples, keys) = match (beats, hears, proposes) {
        (true, ..) => (
            vec![
                (format!("{check} --tmin 4 --tmax 10 --property R1"), "one requirement, in dense time"),
                (format!("{check} --tmin 5 --corrected --time ticks"), "all three, corrected, tick by tick"),
            ],
            "tmin = 4\n  tmax = 10\n  time = \"ticks\"\n  property = [\"R1\"]",
        ),
        (_, true, true) => (
            vec![
                (format!("{check} --values binary"), "consensus: all assignments of two values"),
                (
                    format!("{check} --oracle none --property agreement,termination"),
                    "on a failure detector without accuracy",
                ),
            ],
            "n = 3\n  crashes = 1\n  oracle = \"S\"\n  values = [4, 7, 4]\n  property = [\"agreement\"]",
        ),
        (_, true, false) => (
            vec![
                (
                    format!("{check} --property consensus,synchrony --reduce order"),
                    "two requirements, with partial-order reduction",
                ),
                (
                    format!("{check} --param 'cliques=01|2' --property consensus"),
                    "two groups that find each other",
                ),
            ],
            "n = 3\n  crashes = 1\n  property = [\"synchrony\"]\n\n  [param]\n  cliques = \"01|2\"",
        ),
        _ => (
            vec![
                (format!("{check} --n 3 --crashes 1 --channel drop:1"), "one of three may crash"),
                (format!("{check} --channel block:1 --chart why.svg"), "draw a violation into a file"),
                (format!("{check} --channel block:3 --search beam:20000"), "look for a deep violation"),
            ],
            "n = 3\n  crashes = 1\n  channel = \"drop:1\"\n  property = [\"deadlock\"]",
        ),
    };
    examples.push((format!("{check} --json - --quiet"), "only JSON, for a script"));
    let file = format!("{name} check scenario.toml --workers 1");
    examples.push((file, "a scenario file, and a flag that overrides it"));
    let file = format!(
        "A scenario file has the flags as keys, without their dashes:\n\n  protocol = \"{protocol}\"\n  {keys}"
    );
    let about = entry.map_or(String::new(), |entry| format!("{}\n", registry::details(&[entry])));
    format!("{about}{}\n\n{file}\n\n{EXIT_CODES}", listed(&examples))
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

/// Below the help of `regions`.
pub(crate) fn after_regions(program: &Program) -> String {
    let mut examples = vec![(
        format!("{} regions {} --param delay", program.name, first(program)),
        "for which delays its properties hold",
    )];
    if program.casebook {
        let regions = format!("{} regions", program.name);
        examples = vec![
            (format!("{regions} binary --param tmin --param tmax"), "R1 to R3 for all tmin and tmax"),
            (
                format!("{regions} binary --corrected --param tmin --param tmax --where 'tmax <= 16*tmin'"),
                "the corrected protocol, where rounds are halved at most four times",
            ),
            (
                format!(
                    "{regions} ring --param round --param delay --channel unbounded:4 --property accuracy"
                ),
                "how long a round of the ring must be",
            ),
            (
                format!(
                    "{regions} chandra-toueg --n 2 --param period --param delay --param bound --crashes 1 --property detection"
                ),
                "the tightest bound on detection, as a formula",
            ),
        ];
    }
    let codes = "\
Exit codes:
    0  everything is decided
  150  bad input or configuration; nothing was searched, or an output was not written
  153  something is undecided: a limit or Ctrl-C ended the search
  255  internal error; no verdict";
    format!("{}\n\n{codes}", listed(&examples))
}

/// Below the help of `bound`.
pub(crate) fn after_bound(program: &Program) -> String {
    let bound = format!("{} bound {}", program.name, first(program));
    let mut examples = vec![(format!("{bound} --delay 0..1 --channel drop:2"), "one crash among three")];
    if program.casebook {
        let ring = format!("{} bound ring", program.name);
        let beats = format!("{} bound binary", program.name);
        examples = vec![
            (
                format!("{ring} --n 5 --param round=5 --delay 0..2 --channel drop:2 --tick 20ms"),
                "a ring of five, also in milliseconds",
            ),
            (format!("{beats} --tmin 2 --tmax 8 --corrected --loss 0"), "until both have stopped"),
        ];
    }
    let codes = "\
Exit codes:
    0  the bound was found and proved
   11  no bound: there is a time-lock
   12  no bound up to --most
  150  bad input or configuration; nothing was searched, or an output was not written
  153  unknown: a limit or Ctrl-C ended the search
  255  internal error; no verdict";
    format!("{}\n\n{codes}", listed(&examples))
}

/// Below the help of `classify`.
pub(crate) fn after_classify(program: &Program) -> String {
    let classify = format!("{} classify {}", program.name, first(program));
    let examples = [
        (format!("{classify} --channel drop:1"), "in asynchrony"),
        (format!("{classify} --channel drop:1 --time ticks --delay 0..1 --param round=3"), "in synchrony"),
        (format!("{classify} --channel drop:1 --time ticks --delay 0..1 --synchrony eventual"), "in the end"),
    ];
    format!("{}\n\n{EXIT_CODES}", listed(&examples))
}

/// Below the help of `cutoff`.
pub(crate) fn after_cutoff(program: &Program) -> String {
    let tells = program.entries.iter().find(|entry| entry.name() == "chandra-toueg");
    let protocol = tells.map_or(first(program), |entry| entry.name());
    let cutoff = format!("{} cutoff {protocol}", program.name);
    let examples = [
        (cutoff.clone(), "is it in the class, and is nobody suspected wrongly"),
        (format!("{cutoff} --crashes 1 --up-to 4"), "with a crash, and four processes too"),
        (format!("{cutoff} --time dense --delay 0..2"), "in dense time"),
    ];
    format!("{}\n\n{EXIT_CODES}", listed(&examples))
}

/// Below the help of `prove`.
pub(crate) fn after_prove(program: &Program) -> String {
    let prove = format!("{} prove", program.name);
    let own = "--property 'up0 => round <= tmax'";
    let examples = [
        (prove.clone(), "the subjects, and what is claimed of them"),
        (format!("{prove} binary-corrected R2"), "one theorem"),
        (format!("{prove} binary-corrected --certificate proofs.smt2"), "all of them, each proof in a file"),
        (format!("{prove} binary R2 --system"), "the variables that a property can speak of"),
        (format!("{prove} binary R2 {own}"), "a property of your own"),
        (format!("{prove} binary R2 {own} --invariant 'round <= tmax'"), "with an invariant of your own"),
        (format!("{prove} binary R2 --at tmin=2,tmax=5"), "the same system, searched at one point"),
    ];
    format!("{}\n\n{PROOF_CODES}", listed(&examples))
}

const PROOF_CODES: &str = "\
Exit codes:
    0  everything is proven as it is claimed
   12  a property is refuted that was claimed to hold, or an invariant that was given is not inductive
  150  bad input or configuration; nothing was proven, or an output was not written
  153  unknown: no solver, no answer in time, or no invariant was found
  255  internal error; no verdict";

/// Below the help of `recheck`.
pub(crate) fn after_recheck(program: &Program) -> String {
    let recheck = format!("{} recheck", program.name);
    let examples = [
        (format!("{recheck} proof.smt2"), "with all solvers that are found"),
        (format!("{recheck} proof.smt2 --solver cvc5"), "with the one that did not find the proof"),
    ];
    let codes = "\
Exit codes:
    0  every obligation is discharged by every solver that was asked
   12  an obligation is refuted, or the proof is about nothing
  150  the file is no certificate
  153  unknown: no solver, or no answer in time";
    format!("{}\n\n{codes}", listed(&examples))
}

/// Below the help of `cluster`.
pub(crate) fn after_cluster(program: &Program) -> String {
    let cluster = format!("{} cluster {}", program.name, first(program));
    let mut examples = vec![
        (format!("{cluster} --n 5"), "five nodes, until you type `quit`"),
        (format!("{cluster} --tick 20ms --dir demo --record"), "faster, and recorded for `replay`"),
        (format!("(sleep 5; echo kill 1; sleep 5) | {cluster} --n 5"), "a script: one line for each change"),
    ];
    if program.casebook {
        let beats = format!("{} cluster static --n 4 --tmin 4 --tmax 10 --corrected", program.name);
        examples.push((beats, "p0 and four participants; kill one, and all stop"));
    }
    listed(&examples)
}

/// Below the help of `run`.
pub(crate) fn after_run(program: &Program) -> String {
    let name = &program.name;
    let examples = [
        (format!("{name} key --out cluster.key"), "a key, for all nodes of the cluster"),
        (
            format!("{name} run --config node.toml --check-config"),
            "is the file right, and what rests on what",
        ),
        (format!("{name} check node.toml"), "check what will run"),
        (format!("{name} run --config node.toml"), "run it"),
        (format!("{name} run --config node.toml --record recordings"), "run it, and keep every step"),
        (format!("{name} status --config node.toml"), "ask it, from another terminal"),
    ];
    let codes = "\
Exit codes:
    0  the node was told to end, and has left
  130  SIGINT, and again: the node ended at once
  143  SIGTERM, and again: the node ended at once
  150  bad input or configuration, or an address in use; nothing was started
  255  internal error";
    format!("{}\n\n{codes}", listed(&examples))
}

/// Below the help of `status`.
pub(crate) fn after_status(program: &Program) -> String {
    let status = format!("{} status", program.name);
    let examples = [
        (format!("{status} http://127.0.0.1:7200"), "a table"),
        (format!("{status} --config node.toml --json"), "everything, for a script"),
    ];
    format!("{}\n\nExit codes: 0 if the node answers, 150 if not.", listed(&examples))
}

/// Below the help of `call`.
pub(crate) fn after_call(program: &Program) -> String {
    let call = format!("{} call", program.name);
    let examples = [
        (format!("{call} --config node.toml say 7"), "a word for all members of its group"),
        (
            format!("{call} --at 127.0.0.1:7200 leave"),
            "out of the group, but running; `return` brings it back",
        ),
    ];
    format!("{}\n\nExit codes: 0 if the node was asked, 150 if not.", listed(&examples))
}

/// Below the help of `key`.
pub(crate) fn after_key(program: &Program) -> String {
    let key = format!("{} key", program.name);
    listed(&[(format!("{key} --out cluster.key"), "a file that only you can read; copy it to all nodes")])
}

/// Below the help of `completions`.
pub(crate) fn after_completions(program: &Program) -> String {
    let name = &program.name;
    let completions = format!("{name} completions");
    listed(&[
        (
            format!("source <({completions} bash)"),
            "for this session of bash; put the line into ~/.bashrc for all",
        ),
        (format!("{completions} zsh > ~/.zfunc/_{name}"), "for zsh, where ~/.zfunc is in fpath"),
        (format!("{completions} fish > ~/.config/fish/completions/{name}.fish"), "for fish"),
    ])
}

/// Below the help of `man`.
pub(crate) fn after_man(program: &Program) -> String {
    let name = &program.name;
    listed(&[
        (format!("{name} man | man -l -"), "read the page of the program"),
        (
            format!("{name} man ~/.local/share/man/man1"),
            "install all pages; then `man {name}-check` finds one",
        ),
    ])
}

/// Below the help of `replay`.
pub(crate) fn after_replay(program: &Program) -> String {
    let replay = format!("{} replay", program.name);
    let examples = [
        (format!("{replay} recordings/"), "all incarnations of all nodes"),
        (format!("{replay} p0.ndjson p1.ndjson --loss any"), "two nodes, and messages may be lost"),
        (format!("{replay} recordings/ --delay 0..3 --precision 5ms"), "other bounds than were recorded"),
        (format!("{replay} recordings/ --time untimed"), "only whether the steps are possible in this order"),
        (format!("{replay} recordings/ --last 50 --svg why.svg"), "draw more of it, into a file"),
    ];
    let codes = "\
Exit codes:
    0  it follows the model
   10  it departs: an assumption of the model is broken
   12  it departs: a node did not do what the protocol does
  150  bad input or configuration; nothing was replayed, or an output was not written
  255  internal error; no answer";
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
