//! The longer help of `explore`.

use super::{first, listed};
use crate::program::Program;

/// What `explore` does.
pub(crate) const EXPLORE: &str = "\
Serves a page on which you step through a protocol, on the loopback interface, and prints its address.

The page shows the present state, with a panel for each process and the messages in flight, and every enabled step with what \
it will change. Step forward and back, take another branch, walk at random, or search for the nearest state in which a \
formula holds; the sequence chart grows beside it, with times where there is time. Any check can be asked from the page, \
and every step of its counterexample is a place to stand on. Instead of a protocol, name a verdict that `check --json` wrote, a \
trace in the Informal Trace Format, the recordings of a cluster, or a link that somebody copied from a page. The address has a \
token: whoever has it can use the page, and nobody else.";

/// Below the help of `explore`.
pub(crate) fn after_explore(program: &Program) -> String {
    let explore = format!("{} explore", program.name);
    let protocol = first(program);
    let examples = [
        (format!("{explore} {protocol} --n 3 --crashes 1 --channel block:1"), "step through it"),
        (format!("{explore} verdict.json"), "open the counterexample of a verdict"),
        (
            format!("{explore} recordings/"),
            "open the recorded run of a cluster, and see where it leaves the model",
        ),
        (
            format!("{explore} 'http://127.0.0.1:7000/#{protocol}?n=3&run=...'"),
            "open a link from another machine",
        ),
        (
            format!("{explore} {protocol} --property deadlock --export report"),
            "write the counterexample as a folder",
        ),
    ];
    let codes = "\
Exit codes:
    0  the page was served until Ctrl-C, or the folder was written
  150  bad input or configuration; nothing was served, or an output was not written
  255  internal error";
    format!("{}\n\n{codes}", listed(&examples))
}
