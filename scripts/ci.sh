#!/usr/bin/env bash
# Runs every check of the project and prints what each cost: `scripts/ci.sh [STEP...]`, all steps unless some are named.
#   format    the source is formatted
#   locks     the lock files of the workspace, the benchmark and the fuzz targets fit their manifests
#   deny      licences, sources and versions of all dependencies, and known vulnerabilities (deny.toml)
#   oldest    the workspace compiles with the oldest supported Rust
#   clippy    no warnings of the compiler or of Clippy, in any target
#   bench     the benchmarks compile
#   docs      no warnings of rustdoc, broken links among them
#   targets   the libraries compile for Windows and macOS
#   package   every public crate can be packaged
#   test      all tests (scripts/test.sh)
# A step that lacks a tool is skipped, with the reason; scripts/tools.sh installs the tools.
# shellcheck disable=SC2046
set -uo pipefail
cd "$(dirname "$0")/.."

all=(format locks deny oldest clippy bench docs targets package test)
foreign=(x86_64-pc-windows-msvc x86_64-pc-windows-gnu aarch64-apple-darwin)

# Ends a step that cannot run here.
skip() {
    echo "skipped: $*"
    exit 77
}

oldest_rust() { sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml; }

# Options of cargo that select the crates that are published.
public_packages() {
    grep -L '^publish = false' crates/*/Cargo.toml | xargs grep -hm1 '^name = ' | sed 's/name = "\(.*\)"/-p \1/'
}

step_format() { cargo fmt --all --check; }

step_locks() {
    local folder
    for folder in . bench fuzz; do
        cargo update --quiet --workspace --locked --manifest-path "$folder/Cargo.toml" ||
            { echo "run: cargo update --workspace --manifest-path $folder/Cargo.toml" && return 1; }
    done
}

step_deny() {
    cargo deny --version >/dev/null 2>&1 || skip "cargo-deny is not installed; scripts/tools.sh installs it"
    cargo deny --log-level error check licenses bans sources || return
    # The database of advisories is a git repository elsewhere.
    if ! cargo deny fetch db >/dev/null 2>&1; then
        echo "advisories were not checked: their database cannot be fetched from here"
        return
    fi
    cargo deny --log-level error check advisories
}

step_oldest() {
    local oldest
    oldest=$(oldest_rust)
    rustup run "$oldest" cargo --version >/dev/null 2>&1 ||
        skip "Rust $oldest is not installed (scripts/tools.sh); the lint incompatible_msrv of Clippy stands in for it"
    cargo "+$oldest" check --quiet --workspace --locked --target-dir target/oldest
}

step_clippy() { cargo clippy --quiet --workspace --all-targets --locked -- -D warnings; }

step_bench() { cargo check --quiet --workspace --all-targets --locked --manifest-path bench/Cargo.toml; }

step_docs() { RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps --locked; }

step_targets() {
    local target installed=()
    for target in "${foreign[@]}"; do
        if rustup target list --installed 2>/dev/null | grep -qx "$target"; then
            installed+=(--target "$target")
        else
            echo "not checked: $target is not installed (scripts/tools.sh)"
        fi
    done
    [ ${#installed[@]} -gt 0 ] || skip "no foreign target is installed"
    cargo check --quiet --locked $(public_packages | grep -v -- -cli) "${installed[@]}"
}

step_package() { cargo package --quiet --no-verify --allow-dirty --locked $(public_packages); }

step_test() { scripts/test.sh; }

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=("${all[@]}")
for step in "${steps[@]}"; do
    if ! declare -F "step_$step" >/dev/null; then
        echo "there is no step $step: choose among ${all[*]}" >&2
        exit 1
    fi
done

# One line of the table, from the moments before and after a step and the processor time of this shell's children.
row() {
    awk -v step="$1" -v result="$2" -v wall="$3" '
        FNR == 2 { gsub(/[ms]/, " "); cpu[++n] = $1 * 60 + $2 + $3 * 60 + $4 }
        END { printf "%-8s %8.1f %8.1f  %s\n", step, wall, cpu[2] - cpu[1], result }' "$scratch/before" "$scratch/after"
}

export LC_ALL=C
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
failed=0
for step in "${steps[@]}"; do
    echo "== $step"
    began=$EPOCHREALTIME
    times >"$scratch/before"
    ("step_$step")
    case $? in
        0) result=passed ;;
        77) result=skipped ;;
        *) result=FAILED failed=1 ;;
    esac
    times >"$scratch/after"
    row "$step" "$result" "$(awk -v now="$EPOCHREALTIME" -v then="$began" 'BEGIN { print now - then }')" |
        tee -a "$scratch/table"
done
printf '\n%-8s %8s %8s  %s\n' step seconds cpu result
cat "$scratch/table"
exit $failed
