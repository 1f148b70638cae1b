#!/usr/bin/env bash
# Tests the real program against its own OpenAPI document: starts it, makes a token in each of two
# organisations, and lets Schemathesis send what the document allows and what it forbids. README.md says how requests come to
# name what exists, and what to do about a failure.
#
#   checks/interop/schemathesis/run.sh sqlite BINARY WORKDIR [brief]
#   checks/interop/schemathesis/run.sh postgres BINARY WORKDIR [brief]     (needs DOCKSIDE_TEST_POSTGRES)
#
# A brief run leaves out the phase "coverage" on SQLite: the limits of every field, one after the other, are two thirds of a run,
# and the code that holds values to them knows no engine. PostgreSQL, which takes fewer values, goes through all of them.
#
# The seed of the generated requests is always the same, so that a change fails for what it changes and not for other requests.
# TEST_SEED=random tries others, and TEST_SEED=NUMBER repeats a run, which prints its seed.
#
# WORKDIR is a directory for everything this writes. A green run ends with one line:
#   schemathesis on ENGINE: N operations, N cases, seed N
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
# shellcheck source=checks/scripts/tools.sh
source "$here/../../scripts/tools.sh"

engine=${1:?which engine: sqlite or postgres?}
binary=$(realpath "${2:?which binary?}")
work=$(realpath "${3:?which directory?}")
phases=examples,coverage,fuzzing,stateful
[[ ${4-} != brief || $engine != sqlite ]] || phases=examples,fuzzing,stateful
venv=$root/.cache/schemathesis-$SCHEMATHESIS_VERSION
seed=${TEST_SEED:-1}
[[ $seed != random ]] || seed=$((RANDOM << 15 | RANDOM))
server=

stop_server() {
    [[ -n $server ]] || return 0
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" || true
    server=
}
trap stop_server EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints the HTTP status of the request "METHOD PATH" with further header lines, or nothing while nobody
# answers.
status_of() {
    local status
    { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 0
    { printf '%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n' "$1" && printf '%s\r\n' "${@:2}" ''; } >&3
    read -r -t 10 _ status _ <&3 && echo "$status"
    exec 3>&-
}

start_server() {
    port=$(free_port)
    "$binary" serve --listen "127.0.0.1:$port" --public-url "http://localhost:$port" "${storage[@]}" >"$work/server.log" 2>&1 &
    server=$!
    local tenth
    for ((tenth = 0; tenth < 1200; tenth++)); do
        # In a subshell: it opens a connection that may not be there.
        [[ $(status_of "GET /readyz") != 200 ]] || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/server.log" >&2
    die "the server on $engine was not ready within 120 seconds"
}

# One entry of the file that tells Schemathesis who it may be. It is provisioned to receive events, since
# much would be refused otherwise.
identity() {
    local name=$1 organisation=$2 user=$3 token
    token=$("$binary" token create --organisation "$organisation" --create-organisation --user "$user" --test "${storage[@]}")
    [[ $token =~ ^[[:graph:]]+$ ]] || die "\`token create\` printed something other than a token: $token"
    [[ $(status_of "POST /events/provision" 'Content-Length: 0' "Authorization: Bearer $token") == 204 ]] ||
        die "$organisation could not be provisioned on $engine"
    printf -- '- name: %s\n  fixedHeaders:\n  - name: Authorization\n    value: "Bearer %s"\n' "$name" "$token"
}

run_schemathesis() {
    # In WORKDIR, because wfc.yaml is looked for there. A proxy from the environment must not get
    # between it and the loopback address. On Python 3.11 more than one worker is not reliable. Every check is on by default;
    # `--checks all` would turn those on again that schemathesis.toml turns off for an operation.
    (
        cd "$work"
        unset "${!HYPOTHESIS_@}"
        LIVE=$("$binary" token create --organisation Alice --user a@example.com "${storage[@]}")
        export LIVE
        SERVER=http://127.0.0.1:$port ALICE=$(awk '/Bearer/ { print substr($3, 1, length($3) - 1); exit }' wfc.yaml) \
            OWN_TOKENS=$("$binary" token list "${storage[@]}" | awk '{ print $1 }') \
            SCHEMATHESIS_HOOKS=hooks PYTHONPATH=$here \
            PYTHONDONTWRITEBYTECODE=1 NO_PROXY='*' no_proxy='*' \
            "$venv/bin/st" --no-color --config-file "$here/schemathesis.toml" run \
            "http://127.0.0.1:$port/openapi.json" \
            --phases "$phases" --max-examples 15 --seed "$seed" --workers 1 --request-timeout 60 \
            --generation-database none --report json --report-json-path "$work/report.json"
    )
}

# Lines of the server's log that tell of a server error: a request's status (status=500, "status":500;
# not the query of a request for ?status=500), or a panic.
readonly STATUS='(^|[ {,"])status"?[=:] ?"?'
server_errors() {
    grep -nE "${STATUS}5[0-9]{2}\b|panicked at" "$work/server.log" | head -n 20
}

# A log without requests in it would let every server error pass, so it fails too.
check_log() {
    grep -qE "${STATUS}[1-5][0-9]{2}\b" "$work/server.log" ||
        die "the server's log has no request lines (status=NNN or \"status\":NNN), so server errors cannot be looked for in it"
    if server_errors | grep .; then
        die "the server on $engine answered with a server error (above, from its log)"
    fi
}

declare -a storage=(--data "$work/data")
mkdir -p "$work/data"
case $engine in
    sqlite) ;;
    postgres)
        base=${DOCKSIDE_TEST_POSTGRES:?the address of a PostgreSQL server}
        database=schemathesis_$$
        "$(postgres_bin)/psql" --no-psqlrc --quiet --command "CREATE DATABASE $database" "$base"
        storage+=(--database-url "${base%/*}/$database")
        ;;
    *) die "no such engine: $engine" ;;
esac

echo "schemathesis seed on $engine: TEST_SEED=$seed"
start_server
{
    echo 'auth:'
    identity alice Alice a@example.com
    identity bob Bob b@example.com
} >"$work/wfc.yaml"
if ! run_schemathesis; then
    server_errors || true
    die "schemathesis found something on $engine (above)"
fi
kill -0 "$server" 2>/dev/null || die "the server on $engine did not survive the run"
stop_server
check_log

"$venv/bin/python" - "$engine" "$work/report.json" "$seed" <<'END'
import json, sys
report = json.load(open(sys.argv[2]))
operations, cases = report["operations"], report["test_cases"]
if not report["complete"] or operations["tested"] != operations["total"] or cases["generated"] == 0:
    sys.exit(f"schemathesis did not get through the whole API: {operations}, {cases}")
print(f"schemathesis on {sys.argv[1]}: {operations['tested']} operations, {cases['generated']} cases, seed {sys.argv[3]}")
END
