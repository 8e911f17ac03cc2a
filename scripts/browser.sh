#!/usr/bin/env bash
# Installs what the tests of the page need, where it is missing, and prints the versions: a browser (Chromium, with the
# letters of its charts), as packages of the system, and what drives it (playwright-core and axe-core, in the versions of
# crates/cli/tests/browser/package.json), with npm under target/browser. WATCHKEEPER_CHROMIUM names another browser.
set -euo pipefail
cd "$(dirname "$0")/.."

own=$PWD/target/browser
manifest=crates/cli/tests/browser/package.json

# The browser: where its variable says, or where packages put it.
find_browser() {
    local name
    if [ -n "${WATCHKEEPER_CHROMIUM:-}" ]; then
        echo "$WATCHKEEPER_CHROMIUM"
        return
    fi
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" && return
    done
    return 1
}

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

with_npm() {
    echo "installing playwright-core and axe-core with npm into target/browser" >&2
    mkdir -p "$own"
    cp "$manifest" "$own/package.json"
    # The manifest has exact versions, and neither package has dependencies. Playwright's own browsers are not wanted.
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --prefix "$own" --no-package-lock --ignore-scripts --no-audit --no-fund \
        --loglevel error >&2
}

# The version of an installed package, if it is the one of the manifest.
driver() {
    local wanted found
    wanted=$(sed -n "s/^ *\"$1\": \"\(.*\)\".*/\1/p" "$manifest")
    found=$(sed -n 's/^ *"version": "\([0-9][^"]*\)".*/\1/p' "$own/node_modules/$1/package.json" 2>/dev/null | head -n 1)
    [ -n "$wanted" ] && [ "$found" = "$wanted" ] && echo "$1 $found"
}

if [ -n "${WATCHKEEPER_CHROMIUM:-}" ] && [ ! -x "$WATCHKEEPER_CHROMIUM" ]; then
    echo "WATCHKEEPER_CHROMIUM is set to $WATCHKEEPER_CHROMIUM, which is no program: correct it, or unset it" >&2
    exit 1
fi

missing=()
find_browser >/dev/null || missing+=(chromium fonts-dejavu-core)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
    with_apt "${missing[@]}" || true
fi
if command -v npm >/dev/null; then
    { driver playwright-core && driver axe-core; } >/dev/null || with_npm || true
fi

left=0
if path=$(find_browser); then
    "$path" --version 2>/dev/null
else
    echo "no browser: install the package chromium (Debian: apt install chromium), or set WATCHKEEPER_CHROMIUM" >&2
    left=1
fi
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "node or npm is missing: install them (Debian: apt install nodejs npm), version 20 or later" >&2
    left=1
elif ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)'; then
    echo "node $(node --version) is too old for the tests: install version 20 or later" >&2
    left=1
else
    echo "node $(node --version)"
fi
driver playwright-core && driver axe-core || {
    echo "playwright-core or axe-core is missing: npm could not install them into target/browser" >&2
    left=1
}
if [ "$left" -ne 0 ]; then
    echo "to leave the tests in a browser out, set WATCHKEEPER_BROWSER=none" >&2
fi
exit $left
