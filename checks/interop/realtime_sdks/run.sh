#!/usr/bin/env bash
# Checks the program's realtime streams with the official SDKs of npm and PyPI and with a plain websocket, and runs the
# programs of the guide: makes what the engine needs and leaves the rest to check.py.
#
#   checks/interop/realtime_sdks/run.sh sqlite BINARY WORKDIR
#   checks/interop/realtime_sdks/run.sh postgres BINARY WORKDIR     (needs DOCKSIDE_TEST_POSTGRES)
#
# WORKDIR is an empty directory for everything this writes.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
# shellcheck source=checks/scripts/tools.sh
source "$here/../../scripts/tools.sh"

engine=${1:?which engine: sqlite or postgres?}
binary=$(realpath "${2:?which binary?}")
work=$(realpath "${3:?which directory?}")
tools=$root/.cache/realtime

declare -a databases=()
case $engine in
    sqlite) ;;
    postgres)
        base=${DOCKSIDE_TEST_POSTGRES:?the address of a PostgreSQL server}
        for database in "realtime_sdks_$$" "realtime_wire_$$"; do
            "$(postgres_bin)/psql" --no-psqlrc --quiet --command "CREATE DATABASE $database" "$base"
            databases+=("${base%/*}/$database")
        done
        ;;
    *) die "no such engine: $engine" ;;
esac

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here:$here/.. exec "$tools/venv/bin/python" "$here/check.py" \
    "$engine" "$binary" "$tools" "$root/docs/guide/realtime.md" "$work" "${databases[@]}"
