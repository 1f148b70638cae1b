#!/usr/bin/env bash
# Checks the program's webhooks with the official verifiers of PyPI and npm, and runs the receivers
# of the guide: starts the program on one engine and leaves the rest to check.py.
#
#   checks/interop/webhook_libraries/run.sh sqlite BINARY RUST_RECEIVER WORKDIR
#   checks/interop/webhook_libraries/run.sh postgres BINARY RUST_RECEIVER WORKDIR     (needs DOCKSIDE_TEST_POSTGRES)
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
receiver=$(realpath "${3:?which receiver in Rust?}")
work=$(realpath "${4:?which directory?}")
tools=$root/.cache/webhooks

declare -a storage=(--data "$work/data")
case $engine in
    sqlite) ;;
    postgres)
        base=${DOCKSIDE_TEST_POSTGRES:?the address of a PostgreSQL server}
        database=webhooks_$$
        "$(postgres_bin)/psql" --no-psqlrc --quiet --command "CREATE DATABASE $database" "$base"
        storage+=(--database-url "${base%/*}/$database")
        ;;
    *) die "no such engine: $engine" ;;
esac

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here:$here/.. exec "$tools/venv/bin/python" "$here/check.py" \
    "$engine" "$binary" "$receiver" "$tools" "$root/docs/guide/webhooks.md" "$work" "${storage[@]}"
