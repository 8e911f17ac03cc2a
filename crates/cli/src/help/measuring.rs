//! The longer help of `measure`, `compare` and `choose`.

use super::listed;
use crate::program::Program;

/// What `measure` does.
pub(crate) const MEASURE: &str = "\
Measures the quality of service of a failure detector on a network, after Chen, Toueg and Aguilera.

Detection time: from a crash until it is suspected for good. Mistake recurrence: from one wrong suspicion of a process to \
the next. Mistake duration: how long a wrong suspicion lasts. Query accuracy: how often the answer about a process that has \
not crashed is right. Each has a mean and an interval. The protocol is simulated in virtual time, alone: the same code \
that `check` searches and `run` deploys. Rare mistakes are found by splitting runs. Beside the detection time stands the \
bound that a search of the model proves.";

/// Below the help of `measure`.
pub(crate) fn after_measure(program: &Program) -> String {
    let detector = program.entries.iter().find(|entry| entry.outline().suspects);
    let measure = format!("{} measure {}", program.name, detector.map_or("PROTOCOL", |entry| entry.name()));
    let examples = [
        (format!("{measure} --delay exp:20ms --loss 1%"), "messages take 20 ms on average"),
        (format!("{measure} --param round=200ms --json -"), "a parameter with its unit, figures as JSON"),
        (format!("{measure} --trace trace.csv --precision 5%"), "delays as they were measured"),
        (format!("{measure} --n 5 --slow 1:blocked=exp:2s,normal=exp:1s"), "one member is too slow"),
    ];
    format!("{}\n\n{CODES}", listed(&examples))
}

/// What `choose` does.
pub(crate) const CHOOSE: &str = "\
Chooses the parameters of a failure detector for a target: within which time every crash shall be detected, and how \
often a process may suspect another one wrongly.

Periods are tried from the longest on, since a longer one costs fewer messages. Of each, the most patience is taken with which a \
search of the model finds every crash in time, and the mistakes that are left are measured on the network that is \
given. The first period with few enough mistakes is measured again with another seed. If no period will do, it says why.";

/// Below the help of `choose`.
pub(crate) fn after_choose(program: &Program) -> String {
    let detector = program.entries.iter().find(|entry| entry.outline().tuned.is_some());
    let choose = format!("{} choose {}", program.name, detector.map_or("PROTOCOL", |entry| entry.name()));
    let examples = [
        (format!("{choose} --detect 5s --mistakes 1/month --delay lognormal:20ms,1.2 --loss 1%"), "a target"),
        (
            format!("{choose} --detect 2s --mistakes 1/day --trace recordings"),
            "on the network of a recorded cluster",
        ),
    ];
    let codes = "\
Exit codes:
    0  chosen
   12  no parameters of the range meet the target; the report says why
  150  bad input or configuration, or an output was not written
  153  a limit or Ctrl-C ended it before it was decided
  255  internal error";
    format!("{}\n\n{codes}", listed(&examples))
}

/// What `compare` does.
pub(crate) const COMPARE: &str = "\
Measures several failure detectors on the same network and with the same seeds, and puts their figures side by side.

The figures are those of `measure`, each detector with parameters of its own: the median and the 99th percentile of the \
detection time, the mistake recurrence, the query accuracy, the messages of a node in a second, the bound on detection that a \
search of the model proves, and the class of Chandra and Toueg. --timeout and --bound are for each detector.

With --modulo KIND it compares the state spaces of two models instead: equivalent, or a shortest trace that only one of them has, \
or a formula of the modal \u{b5}-calculus that is true of the first and false of the second. A model is named as for `refine`; only \
--hide, --show, --rename, --only, --timeout, --json and --quiet go with it. Exit code 0: equivalent; 12: different; 153: unknown.";

/// Below the help of `compare`.
pub(crate) fn after_compare(program: &Program) -> String {
    let detectors: Vec<&str> =
        program.entries.iter().filter(|entry| entry.outline().suspects).map(|entry| entry.name()).collect();
    let compare = format!("{} compare {}", program.name, detectors[..detectors.len().min(2)].join(" "));
    let examples = [
        (format!("{compare} --delay lognormal:5ms,0.8 --loss 0.1%"), "on a network with a long tail"),
        (format!("{compare} --n 5 --markdown --svg plot.svg"), "a table for a document, and a plot"),
        (
            format!("{} compare a.aut b.aut --modulo branching", program.name),
            "two state spaces, and a formula if they differ",
        ),
    ];
    format!("{}\n\n{CODES}", listed(&examples))
}

const CODES: &str = "\
Exit codes:
    0  measured; whether as exactly as asked, the report says
  150  bad input or configuration, or an output was not written
  153  Ctrl-C ended it; the figures are those of the batches until then
  255  internal error";
