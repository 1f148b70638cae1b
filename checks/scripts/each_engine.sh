#!/usr/bin/env bash
# Runs a command once for each engine, both at the same time: for what mostly waits.
#
#   checks/scripts/each_engine.sh COMMAND…    in its words, {} stands for the engine
#
# What they print comes one after the other, SQLite's first. Fails where one of them does.
set -euo pipefail

output=$(mktemp -d "${TMPDIR:-/tmp}/dockside-each.XXXXXX")
trap 'rm -rf "$output"' EXIT
trap 'exit 143' TERM INT HUP

declare -A running=()
for engine in sqlite postgres; do
    "${@//\{\}/$engine}" >"$output/$engine" 2>&1 &
    running[$engine]=$!
done
status=0
for engine in sqlite postgres; do
    wait "${running[$engine]}" || status=$?
    cat "$output/$engine"
done
exit "$status"
