#!/usr/bin/env bash
# Takes the pictures of docs/explorer.md anew: the tests of the page write one of each view, at 1280 and at 400 pixels.
# Look at each before you commit it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/browser.sh >&2
cargo build --release -p watchkeeper-cli
export WATCHKEEPER_SCREENSHOTS=$PWD/docs/pictures
node --test --test-concurrency=2 crates/cli/tests/browser/*.test.mjs
ls -l docs/pictures/explorer-*.png
