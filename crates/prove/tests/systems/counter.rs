//! A small system that tests and fuzz targets prove something about.

use watchkeeper_prove::{System, assign, assume, choose, either};

/// Counts to `n` by one or two, and begins again.
pub fn counter() -> System {
    let system = System::new("counter")
        .parameter("n", "where it ends")
        .assuming("n >= 2")
        .number("x", 0, "the count")
        .flag("done", "whether it has ended")
        .initially([assign("x", "0"), assign("done", "false")])
        .step(
            "count",
            [assume("not done"), choose("d", "1", "2"), assume("x + d <= n"), assign("x", "x + d")],
        )
        .step(
            "end",
            [
                assume("x = n and not done"),
                either([("stop", vec![assign("done", "true")]), ("again", vec![assign("x", "0")])]),
            ],
        );
    system.finished().expect("a system")
}
