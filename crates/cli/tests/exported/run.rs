//! A run of ring, step by step: it fails with a chart where the protocol no longer takes a step of it. The crate
//! `watchkeeper` and the crate of the protocol are dev-dependencies.

#[test]
fn this_run_of_ring_is_possible() {
    watchkeeper::check_named::<watchkeeper_protocols::ring::Ring>("ring")
        .setting("channel", "block:1")
        .setting("crashes", "1")
        .setting("n", "3")
        .setting("property", "deadlock")
        .assert_run(&[
            "p1: Round fires",
            "p0: Round fires",
            "p0 receives ARE-YOU-ALIVE from p1",
            "p2: Round fires",
            "p2 receives ARE-YOU-ALIVE from p0",
            "p1 receives ARE-YOU-ALIVE from p2",
        ]);
}
