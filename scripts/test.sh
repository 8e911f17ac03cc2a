#!/usr/bin/env bash
# Does all set-up and runs all tests: installs the SMT solvers that some of them ask, where they are missing, then
# `cargo test --workspace`. WATCHKEEPER_SOLVERS=none leaves the solvers and their tests out. With arguments, which go to
# cargo, it is one run of cargo.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${WATCHKEEPER_SOLVERS:-}" != none ]; then
    scripts/solvers.sh
    # Where no package could be installed, Z3 is where the script put it.
    if ! command -v z3 >/dev/null && [ -x target/solvers/bin/z3 ]; then
        export WATCHKEEPER_Z3="${WATCHKEEPER_Z3:-$PWD/target/solvers/bin/z3}"
    fi
fi
if [ $# -gt 0 ]; then
    exec cargo test --workspace "$@"
fi
cargo test --workspace --no-run
# Tests of live clusters wait most of the time, so they run beside all others, and tell afterwards. In a group of processes
# of their own, since a shell lets what runs beside it ignore Ctrl-C, which some of them test.
said=$(mktemp)
set -m
cargo test --quiet --workspace --lib --bins --tests --no-fail-fast live:: >"$said" 2>&1 &
live=$!
set +m
trap 'kill -- "-$live" 2>/dev/null; rm -f "$said"' EXIT
failed=0
cargo test --workspace --no-fail-fast -- --skip live:: || failed=$?
wait "$live" || failed=$?
echo "== live clusters"
grep -v '^running 0 tests$' "$said" | grep -vE '^test result: ok\. 0 passed|^$' || true
exit "$failed"
