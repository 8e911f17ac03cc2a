//! The longer help of the commands about state spaces.

use super::{first, listed};
use crate::program::Program;

/// What `space` does.
pub(crate) const SPACE: &str = "\
Explores the whole state space of a model, as a labelled transition system: counts it, reduces it, writes it and draws it.

A step has the label of its action, with arguments; parallel steps with equal labels count once. --only, --hide, --show and \
--rename say what is seen of labels: an action that is not seen becomes the internal step, tau. --reduce gives the smallest space \
that is the same modulo an equivalence. A file .aut is read by the mCRL2 toolset, CADP and LTSmin, and read here again.";

/// What `refine` does.
pub(crate) const REFINE: &str = "\
Finds out whether every behaviour of an implementation is a behaviour of a specification.

Either may be a protocol, a scenario file, a space in a file, a specification of mCRL2, or a model of the casebook; in quotation marks it has its own flags, \
those of `space`: 'ring --n 3 --channel drop:1 --hide send'. --hide, --show, --rename and --only outside of the quotation marks \
hold for both. Labels are compared by their texts.

In traces, nothing happens that the specification does not do. In failures, moreover, where the implementation rests it offers at \
least what the specification offers in one of its resting states. In failures and divergences, moreover, it never goes on for ever \
without being seen unless the specification may. A violation is a run of the implementation with the fewest steps, drawn as a chart.";

/// Below the help of `space`.
pub(crate) fn after_space(program: &Program) -> String {
    let space = format!("{} space {}", program.name, first(program));
    let examples = [
        (format!("{space} --n 3 --channel drop:1 --out ring.aut"), "for other tools, and for later"),
        (
            format!("{space} --n 2 --show suspect,trust --reduce branching --out ring.svg"),
            "what can be seen of a detector, as a picture",
        ),
        (format!("{} space ring.aut --reduce strong --out small.aut", program.name), "a file, reduced"),
    ];
    format!("{}\n\n{CODES}", listed(&examples))
}

/// Below the help of `refine`.
pub(crate) fn after_refine(program: &Program) -> String {
    let refine = format!("{} refine", program.name);
    let protocol = first(program);
    let examples = [
        (
            format!(
                "{refine} '{protocol} --n 2 --channel drop:1' '{protocol} --n 2 --channel drop:2' --show suspect"
            ),
            "the same with other channels",
        ),
        (format!("{refine} ring.aut wanted.aut --model failures"), "two files, in stable failures"),
    ];
    format!("{}\n\n{REFINE_CODES}", listed(&examples))
}

const CODES: &str = "\
Exit codes:
    0  explored, and everything was written
  150  bad input or configuration, or an output was not written
  153  a limit was reached
  255  internal error";

const REFINE_CODES: &str = "\
Exit codes:
    0  it refines
   12  it does not, and here is a shortest run that shows it
  150  bad input or configuration, or an output was not written
  153  a limit was reached, or a cap of a model cut steps away
  255  internal error";
