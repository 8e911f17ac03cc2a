#!/usr/bin/env bash
# Does all set-up and runs all tests: installs the SMT solvers that some of them ask, where they are missing, then does what
# `cargo test --workspace` does, with several test programs at a time, since tests of live clusters wait most of the time and
# some searches have one thread. WATCHKEEPER_SOLVERS=none leaves the solvers and their tests out. With arguments, which go to
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

# The folder of its package and the path of every test program, as cargo tells them.
programs() {
    cargo test --workspace --no-run --message-format=json-render-diagnostics |
        sed -n 's/.*"manifest_path":"\([^"]*\)\/Cargo.toml".*"test":true},"features".*"executable":"\([^"]*\)".*/\1 \2/p'
}

# Runs one test program in its folder, and prints what it said when it has ended.
run_program() {
    local said failed=0
    said=$(cd "$1" && "$2" 2>&1) || failed=$?
    printf '     Running %s\n%s\n' "${2##*/}" "$said"
    return "$failed"
}
export -f run_program
# Where programs look for the standard library that are tests of procedural macros.
libraries=$(rustc --print target-libdir)
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

list=$(programs)
# The longest first, so that nothing is left alone at the end.
first='/(live|watchkeeper_world|watchkeeper_casebook|liveness|agree)-[0-9a-f]*$'
list=$(grep -E "$first" <<<"$list" && grep -vE "$first" <<<"$list")
failed=0
xargs -P 3 -L 1 bash -c 'run_program "$0" "$1" || exit 1' <<<"$list" || failed=1
cargo test --workspace --doc || failed=1
if [ "$failed" -ne 0 ]; then
    echo "some tests have failed: look for FAILED above" >&2
fi
exit "$failed"
