#!/usr/bin/env bash
# Fuzzes the parsers that meet foreign bytes: `scripts/fuzz.sh [TARGET|all] [SECONDS]`, all targets for ten minutes each
# unless told otherwise. What a fuzzer learns stays in fuzz/corpus, an input that breaks a promise in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${1:-all}"
seconds="${2:-600}"
all=$(cd crates/hostile/corpus && ls)
if [ "$target" = all ]; then
    targets=$all
elif grep -qx -- "$target" <<<"$all"; then
    targets=$target
else
    echo "there is no target $target: choose one of" $all >&2
    exit 1
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
    cargo install --locked cargo-fuzz
fi
# The stable compiler takes the unstable flags of coverage with this.
export RUSTC_BOOTSTRAP=1
# Twenty seconds or 2 GB for a few kilobytes are a finding, too.
limits=(-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=8192 -len_control=20 -print_final_stats=1)
for target in $targets; do
    mkdir -p "fuzz/corpus/$target"
    echo "== $target, for $seconds seconds"
    nice -n 19 cargo fuzz run --sanitizer "${SANITIZER:-none}" "$target" \
        "fuzz/corpus/$target" "crates/hostile/corpus/$target" -- -max_total_time="$seconds" "${limits[@]}"
done
