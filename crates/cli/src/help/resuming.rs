//! The help of `resume`.

use super::listed;
use crate::program::Program;

/// What `resume` is for.
pub(crate) const RESUME: &str = "\
Go on with a search that left checkpoints, after a kill, a limit or a loss of power.

`check --checkpoint DIR` and `casebook CASE --checkpoint DIR` leave checkpoints. The directory holds the command, so \
that nothing but the directory is named here; what a scenario file or the environment said is part of the command. \
The verdict, the counts and the length of a counterexample are those of a search that nobody interrupted. The time, \
the memory and the number of threads may differ, and are given anew; so may the store of the states, with --store, and \
of a search on several processes their number, with --processes or --hosts.

A checkpoint is refused if another build of the program wrote it, and if it is damaged: then nothing is searched.";

/// Below the help of `resume`.
pub(crate) fn after_resume(program: &Program) -> String {
    let name = &program.name;
    let first = super::first(program);
    let examples = [
        (format!("{name} check {first} --checkpoint saved"), "a checkpoint every 5 minutes"),
        (format!("{name} resume saved"), "goes on from the last one"),
        (format!("{name} resume saved --timeout 1h --json verdict.json"), "for an hour at most"),
        (format!("{name} resume saved --store disk:/scratch/states"), "on disk, where memory was full"),
        (format!("{name} resume saved --processes 2"), "of several processes, by two"),
    ];
    let codes = "\
Exit codes:
  those of the command that left the checkpoints, and
  150  there is no checkpoint, it is damaged, in use, or of another program; nothing was searched";
    format!("{}\n\n{codes}", listed(&examples))
}
