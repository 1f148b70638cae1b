#!/usr/bin/env bash
# Checks the client libraries in TypeScript and Python: packs them, installs the packages in clean environments, and has their
# examples and a journey use the program. On SQLite also: the generated parts are those of openapi.json, and the types are strict.
#
#   checks/interop/clients/run.sh sqlite BINARY WORKDIR
#   checks/interop/clients/run.sh postgres BINARY WORKDIR     (needs DOCKSIDE_TEST_POSTGRES)
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
tools=$root/.cache/clients

declare -a storage=(--data "$work/data")
case $engine in
    sqlite) ;;
    postgres)
        base=${DOCKSIDE_TEST_POSTGRES:?the address of a PostgreSQL server}
        database=clients_$$
        "$(postgres_bin)/psql" --no-psqlrc --quiet --command "CREATE DATABASE $database" "$base"
        storage+=(--database-url "${base%/*}/$database")
        ;;
    *) die "no such engine: $engine" ;;
esac

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here:$here/..:$here/../webhook_libraries:$here/../realtime_sdks exec \
    "$tools/venv/bin/python" "$here/check.py" "$engine" "$binary" "$root" "$work" "${storage[@]}"
