#!/usr/bin/env bash
# Does all set-up and runs all tests: installs the SMT solvers that some of them ask, where they are missing, then
# `cargo test --workspace`. WATCHKEEPER_SOLVERS=none leaves the solvers and their tests out. Arguments go to cargo.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${WATCHKEEPER_SOLVERS:-}" != none ]; then
    scripts/solvers.sh
    # Where no package could be installed, Z3 is where the script put it.
    if ! command -v z3 >/dev/null && [ -x target/solvers/bin/z3 ]; then
        export WATCHKEEPER_Z3="${WATCHKEEPER_Z3:-$PWD/target/solvers/bin/z3}"
    fi
fi
exec cargo test --workspace "$@"
