//! What the program and each of its commands do, as the long help says it. Only words; examples and exit codes follow in
//! `help`.

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

/// What `list` does.
pub(crate) const LIST: &str = "\
Shows the protocols with their parameters and properties.

With a protocol it also shows what formulas can say of it: the propositions, which are true or false in a state, and the \
actions that happen in steps, with the sorts of their arguments. Both depend on the scenario: nothing can be lost where the \
network loses nothing. A step of a process that receives, sends and announces has all of these actions at once.";

/// What `sweep` does.
pub(crate) const SWEEP: &str = "\
Searches a protocol for every value of one or two parameters, and shows where each property holds.

Give one or two parameters a range, such as --tmin 1..24 --tmax 1..24 or --param NAME=1..24; --n, --crashes, \
--loss, --duplicate and --round-trip can have a range too, and the capacity of channels, as in --channel drop:1..4. Every cell is a check of its own, one property at a \
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

/// What `simulate` does.
pub(crate) const SIMULATE: &str = "\
Simulates whole clusters of a protocol in virtual time: one run for each seed, with faults that the seed draws.

Every run is held against the model by the code of `replay`: it follows the model, or breaks an assumption that the \
simulator knows to be broken. The requirements of the protocol are asked where the run follows the model, and always \
where they rest on nothing. A run that fails is shortened to the faults that matter, and drawn. The same seed draws \
the same run. --n 3..7 draws the size, too. Unless flags say otherwise, the settings are those of `cluster`.";

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

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
    0  holds: the whole space was searched
   10  an assumption of the model is broken
   11  violated: deadlock or time-lock
   12  violated: safety (an invariant or an observer)
   13  violated: liveness
  150  bad input or configuration; nothing was searched, or an output was not written
  153  unknown: a limit or Ctrl-C ended the search
  255  internal error; no verdict";
