#!/usr/bin/env bash
# Uses the console as people do, in a real browser against the real program: signs in by the link of the welcome, goes from orders to a manifest, packs by scanner, does it
# by the keyboard alone, and as each role; signs in with a passkey; attacks sessions and sign-ins. On SQLite also: hostile texts in every field, speed, and axe on every page in both themes.
#
#   checks/interop/console/run.sh sqlite BINARY WORKDIR
#   checks/interop/console/run.sh postgres BINARY WORKDIR     (needs DOCKSIDE_TEST_POSTGRES)
#
# WORKDIR is an empty directory for everything this writes, also a picture of every page. A green run ends with one line:
#   console on ENGINE: N steps, N pages judged, N role checks, N attacks refused, N XSS payloads in N fields, N pictures
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
# shellcheck source=checks/scripts/tools.sh
source "$here/../../scripts/tools.sh"

engine=${1:?which engine: sqlite or postgres?}
binary=$(realpath "${2:?which binary?}")
work=$(realpath "${3:?which directory?}")

declare -a database=()
case $engine in
    sqlite) ;;
    postgres)
        base=${DOCKSIDE_TEST_POSTGRES:?the address of a PostgreSQL server}
        "$(postgres_bin)/psql" --no-psqlrc --quiet --command "CREATE DATABASE console_$$" "$base"
        database=(--database-url "${base%/*}/console_$$")
        ;;
    *) die "no such engine: $engine" ;;
esac

ensure_console_tools "$root"
if [[ $engine == sqlite ]]; then
    node "$here/vendored.mjs" "$root/crates/console/vendor" "$root/.cache/console"
    node "$root/.cache/console/node_modules/typescript/bin/tsc" --project "$here/tsconfig.json"
fi
CHROMIUM=${CHROMIUM:-$(command -v chromium)} CONSOLE_TOOLS=$root/.cache/console exec node "$here/check.mjs" "$engine" "$binary" "$work" "${database[@]}"
