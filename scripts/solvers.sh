#!/usr/bin/env bash
# Installs the SMT solvers that the tests of `prove` ask, Z3 and cvc5, where they are missing, and prints their
# versions. Where it may not install packages it puts Z3 under target/solvers, with Python, and says what is left to do.
set -euo pipefail
cd "$(dirname "$0")/.."

own=$PWD/target/solvers

# The program of a solver: where its variable says, or where Watchkeeper looks for it, or else where this script puts it.
program() {
    local path
    for path in "$2" "$(command -v "$1" || true)" "${HOME:-}/.local/bin/$1" "$own/bin/$1"; do
        if [ -n "$path" ] && [ -x "$path" ]; then
            echo "$path"
            return
        fi
    done
    return 1
}

find_z3() { program z3 "${WATCHKEEPER_Z3:-}"; }
find_cvc5() { program cvc5 "${WATCHKEEPER_CVC5:-}"; }

with_apt() {
    local as=() install
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as=(sudo -n)
    fi
    install=(env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@")
    echo "installing $* with apt-get" >&2
    # Without lists of packages, or with old ones, the first attempt fails.
    "${as[@]}" "${install[@]}" >/dev/null 2>&1 ||
        { "${as[@]}" apt-get update -qq >&2 && "${as[@]}" "${install[@]}" >&2; }
}

with_python() {
    echo "installing z3-solver from PyPI into target/solvers" >&2
    python3 -m venv "$own" >&2 && "$own/bin/pip" install --quiet --disable-pip-version-check z3-solver >&2
}

for variable in WATCHKEEPER_Z3 WATCHKEEPER_CVC5; do
    if [ -n "${!variable:-}" ] && [ ! -x "${!variable}" ]; then
        echo "$variable is set to ${!variable}, which is no program: correct it, or unset it" >&2
        exit 1
    fi
done

missing=()
find_z3 >/dev/null || missing+=(z3)
find_cvc5 >/dev/null || missing+=(cvc5)
if [ ${#missing[@]} -gt 0 ]; then
    with_apt "${missing[@]}" || true
    find_z3 >/dev/null || with_python || true
fi

left=0
if path=$(find_z3); then
    "$path" --version
    if [ "$path" = "$own/bin/z3" ]; then
        echo "export WATCHKEEPER_Z3=$path   # set this, so that it is found"
    fi
else
    echo "z3 is missing: install the package z3 (Debian: apt install z3; PyPI: pip install z3-solver)" >&2
    left=1
fi
if path=$(find_cvc5); then
    "$path" --version | sed -n 1p
else
    echo "cvc5 is missing: install the package cvc5 (Debian: apt install cvc5), or set WATCHKEEPER_CVC5 to the program;" \
        "to test with Z3 alone set WATCHKEEPER_SOLVERS=z3" >&2
    left=1
fi
exit $left
