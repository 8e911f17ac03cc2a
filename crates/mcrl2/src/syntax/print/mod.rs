//! Expressions as texts that are read as the same trees, with no more brackets than that takes.

mod data;
mod formulas;
mod processes;
mod sorts;

use std::fmt::{self, Display, Formatter};

/// Things with commas between them.
fn list<T>(
    f: &mut Formatter<'_>,
    things: &[T],
    mut write: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, thing) in things.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write(f, thing)?;
    }
    Ok(())
}

/// Something, in brackets where that is necessary.
fn bracketed(f: &mut Formatter<'_>, brackets: bool, thing: &impl Display) -> fmt::Result {
    if brackets { write!(f, "({thing})") } else { write!(f, "{thing}") }
}
