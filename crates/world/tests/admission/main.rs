//! Which questions a world admits: what its reductions do not preserve is refused, by every engine, and a promise that a
//! protocol breaks is found wherever in a run it breaks it.

mod observers;
mod stages;
mod symmetry;
