//! What the ring detector says of itself on the command line. It goes the way of every user's protocol.

use crate::problem::Problem;
use crate::subject::{Param, Params, Subject, Suspects};
use watchkeeper_protocols::ring::Ring;

impl Subject for Ring {
    const NAME: &'static str = "ring";

    const ABOUT: &'static str =
        "Failure detector on a ring, weak completeness (Larrea, Arévalo, Fernández 1999)";

    const PARAMS: &'static [Param] = &[Param {
        name: "round",
        about: "units of time a round lasts; untimed checks ignore it",
        default: "1",
    }];

    const SUSPECTS: Option<Suspects<Ring>> = Some(Ring::suspects);

    fn build(n: usize, params: &Params) -> Result<Ring, Problem> {
        Ring::new(n, params.get("round")?).map_err(|why| params.refuse("round", why))
    }
}
