#!/usr/bin/env bash
# Installs what scripts/ci.sh needs besides a stable Rust toolchain, where it is missing: the oldest supported Rust and the
# foreign targets, with rustup, and cargo-deny, from its source. What cannot be had from here is named, and its step is skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

missing() { echo "cannot install $1 from here: $2" >&2; }

if command -v rustup >/dev/null; then
    oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    rustup run "$oldest" cargo --version >/dev/null 2>&1 ||
        timeout 240 rustup toolchain install "$oldest" --profile minimal --no-self-update >/dev/null 2>&1 ||
        missing "Rust $oldest" "rustup cannot fetch it"
    for target in x86_64-pc-windows-msvc x86_64-pc-windows-gnu aarch64-apple-darwin; do
        rustup target list --installed | grep -qx "$target" || timeout 120 rustup target add "$target" >/dev/null 2>&1 ||
            missing "the target $target" "rustup cannot fetch it"
    done
else
    missing "the oldest Rust and other targets" "rustup is not here"
fi

# Without optimisation: it is built once and runs for a second.
cargo deny --version 2>/dev/null || cargo install --quiet --locked --debug cargo-deny || missing cargo-deny "cargo failed"
