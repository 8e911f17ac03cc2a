//! The longer texts of `--help`: what a command is for, examples that can be copied, the exit codes.

mod about;
mod exploring;
mod measuring;
mod resuming;
mod spaces;

use about::EXIT_CODES;
pub(crate) use about::{
    BOUND, CASEBOOK, CHECK, CLASSIFY, CLUSTER, CUTOFF, LIST, PROGRAM, PROVE, REGIONS, REPLAY, RUN, SIMULATE,
    SWEEP,
};

pub(crate) use exploring::{EXPLORE, after_explore};
pub(crate) use measuring::{CHOOSE, COMPARE, MEASURE, after_choose, after_compare, after_measure};
pub(crate) use resuming::{RESUME, after_resume};
pub(crate) use spaces::{REFINE, SPACE, after_refine, after_space};

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

/// Below the help of `simulate`.
pub(crate) fn after_simulate(program: &Program) -> String {
    let simulate = format!("{} simulate {}", program.name, first(program));
    let examples = [
        (format!("{simulate} --n 5"), "a thousand runs of five processes"),
        (format!("{simulate} --n 3..7 --seeds 0..1000000"), "a million, of three to seven"),
        (format!("{simulate} --nemesis stall,partition"), "nothing else goes wrong"),
        (format!("{simulate} --seeds 7..8 --record run"), "one run, for `replay run`"),
    ];
    let codes = "\
Exit codes:
    0  no run fails
   12  a run fails; it is shortened and drawn
  150  bad input or configuration, or an output was not written
  153  unknown: --timeout or Ctrl-C ended it, and no run had failed
  255  internal error";
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
    listed(&[
        (format!("{key} --out cluster.key"), "a file that only you can read; copy it to all nodes"),
        (
            format!("{key} rotate /etc/watchkeeper"),
            "another key for all nodes in this directory, while they run",
        ),
        (
            format!("{key} rotate --step add node.toml"),
            "the first of three steps, where nodes are on several machines",
        ),
    ])
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

/// Below the help of `list`.
pub(crate) fn after_list(program: &Program) -> String {
    let list = format!("{} list", program.name);
    let protocol = first(program);
    let examples = [
        (list.clone(), "all protocols"),
        (format!("{list} {protocol}"), "one, with its actions and propositions"),
        (
            format!("{list} {protocol} --crashes 1 --loss 1 --time ticks"),
            "those that it has in this scenario",
        ),
    ];
    format!("{}\n\nExit codes: 0, or 150 if there is no such protocol or scenario.", listed(&examples))
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
