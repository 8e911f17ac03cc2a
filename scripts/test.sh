#!/usr/bin/env bash
# Does all set-up and runs all tests: installs the SMT solvers and the browser that some of them ask, where they are missing,
# then does what `cargo test --workspace` does, with several test programs at a time, since tests of live clusters wait most of
# the time and some searches have one thread. WATCHKEEPER_SOLVERS=none leaves the solvers and their tests out,
# WATCHKEEPER_BROWSER=none the browser and its tests. With arguments, which go to cargo, it is one run of cargo.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${WATCHKEEPER_SOLVERS:-}" != none ]; then
    scripts/solvers.sh
    # Where no package could be installed, Z3 is where the script put it.
    if ! command -v z3 >/dev/null && [ -x target/solvers/bin/z3 ]; then
        export WATCHKEEPER_Z3="${WATCHKEEPER_Z3:-$PWD/target/solvers/bin/z3}"
    fi
fi
if [ "${WATCHKEEPER_BROWSER:-}" != none ]; then
    scripts/browser.sh
fi
if [ $# -gt 0 ]; then
    exec cargo test --workspace "$@"
fi

# The folder of its package and the path of every test program, as cargo tells them.
programs() {
    cargo test --workspace --no-run --message-format=json-render-diagnostics |
        sed -n 's/.*"manifest_path":"\([^"]*\)\/Cargo.toml".*"test":true},"features".*"executable":"\([^"]*\)".*/\1 \2/p'
}

# Runs test programs one after the other, each in its folder, and prints what each said when it has ended.
run_programs() {
    local said failed=0
    while [ $# -gt 1 ]; do
        said=$(cd "$1" && "$2" 2>&1) || failed=1
        printf '     Running %s\n%s\n' "${2##*/}" "$said"
        shift 2
    done
    return "$failed"
}
export -f run_programs
# Where programs look for the standard library that are tests of procedural macros.
libraries=$(rustc --print target-libdir)
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

list=$(programs)
# Live clusters make networks of their own, at which a browser drops its connections, and both mind a busy machine: one
# after the other. The longest first, so that nothing is left alone at the end.
alone='/(live|browser)-[0-9a-f]*$'
first='/(watchkeeper_world|watchkeeper_casebook|liveness|agree)-[0-9a-f]*$'
list=$(
    grep -E "$alone" <<<"$list" | paste -s -d ' '
    grep -E "$first" <<<"$list"
    grep -vE "$alone|$first" <<<"$list"
)
failed=0
xargs -P 3 -L 1 bash -c 'run_programs "$@"' run_programs <<<"$list" || failed=1
cargo test --workspace --doc || failed=1
if [ "$failed" -ne 0 ]; then
    echo "some tests have failed: look for FAILED above" >&2
fi
exit "$failed"
