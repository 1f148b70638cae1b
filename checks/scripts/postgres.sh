#!/usr/bin/env bash
# A private PostgreSQL server for the tests: its own data directory, its own port on 127.0.0.1, gone
# when the tests are done. Works as root too, where the server runs as the user `postgres`.
#
#   checks/scripts/postgres.sh run COMMAND…          start one, run COMMAND against it, throw it away
#   checks/scripts/postgres.sh start DIR [TLS]       start one in the empty directory DIR; with server.crt, server.key and ca.crt
#                                            in TLS it takes encrypted connections only, has a database `shop`, and a
#                                            role `certified` that needs a certificate of that authority
#   checks/scripts/postgres.sh restart-immediate DIR kill it as a crash would, and start it again
#   checks/scripts/postgres.sh promote DIR           kill it, and start it again as a replica of itself that is promoted
#   checks/scripts/postgres.sh standby DIR PRIMARY   start one in the empty directory DIR that replicates the one in PRIMARY, which
#                                            does not wait for it
#   checks/scripts/postgres.sh cut-off DIR           end the replication into DIR; its server stays as it is
#   checks/scripts/postgres.sh take-over DIR         promote the standby in DIR
#   checks/scripts/postgres.sh stop DIR              stop it; DIR can be deleted then
#
# `start` leaves two things in DIR: `url`, the address to connect to, and `pg-ctl`, a program that
# takes `restart-immediate`. `run` and ./test export them as DOCKSIDE_TEST_POSTGRES and
# DOCKSIDE_TEST_PG_CTL.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=checks/scripts/tools.sh
source "$here/tools.sh"

# The caller's own PostgreSQL settings (PGHOST, PGPASSWORD, …) are for another server.
for name in "${!PG@}"; do unset "$name"; done

# initdb and postgres refuse to run as root.
server_user() {
    if ((EUID != 0)); then
        id -un
    elif id postgres &>/dev/null; then
        echo postgres
    else
        echo nobody
    fi
}

# Runs a command as the server's user. From /, because that user may not enter where we are.
as_server() {
    if ((EUID != 0)); then
        (cd / && "$@")
    else
        (cd / && setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "$@")
    fi
}

pg_ctl() {
    # --log also on a restart: without it the server keeps the caller's output open, and a test that
    # reads that output to its end waits for ever.
    as_server "$bin/pg_ctl" --silent --pgdata "$dir/server/data" --log "$dir/server/log" "$@"
}

init() {
    local -a collation=()
    # A language's collation, as a real server has, not C: what sorts the same on both engines must
    # do so because the product says how, not because the test server happens to agree with SQLite.
    if (($("$bin/postgres" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/') >= 15)); then
        collation=(--locale-provider=icu --icu-locale=en-US)
    fi
    as_server "$bin/initdb" --pgdata "$dir/server/data" --username postgres --encoding UTF8 \
        --locale C.UTF-8 "${collation[@]}" --no-instructions >"$dir/init.log" 2>&1 ||
        { cat "$dir/init.log" >&2 && die 'initdb failed'; }

    # Over TCP only the role the product uses gets in; the superuser only through the socket, which
    # lies in a directory that no other user may enter.
    as_server tee "$dir/server/data/pg_hba.conf" >/dev/null <<-'END'
		local all all                    trust
		local replication postgres       trust
		host  all dockside 127.0.0.1/32  trust
	END
    if [[ -n $tls ]]; then
        local file
        for file in server.crt server.key ca.crt; do
            (umask 077 && as_server tee "$dir/server/data/$file" >/dev/null) <"$tls/$file"
        done
        as_server tee "$dir/server/data/pg_hba.conf" >/dev/null <<-'END'
			local   all all                    trust
			hostssl all dockside  127.0.0.1/32 trust
			hostssl all certified 127.0.0.1/32 cert
		END
        as_server tee -a "$dir/server/data/postgresql.conf" >/dev/null <<-'END'
			ssl = on
			ssl_ca_file = 'ca.crt'
		END
    fi
    # fsync and synchronous_commit stay on, as they are by default: a test crashes this server.
    as_server tee -a "$dir/server/data/postgresql.conf" >/dev/null <<-END
		listen_addresses = '127.0.0.1'
		unix_socket_directories = '$dir/server'
		max_connections = 200
		shared_buffers = 256MB
	END
}

# Makes the server's own directory. The server's user must be able to pass through DIR to it.
make_room() {
    [[ -d $dir ]] || die "no such directory: $dir"
    chmod 0711 "$dir"
    mkdir -m 0700 "$dir/server"
    chown "$user" "$dir/server"
}

# Starts the server on a free port, which is in $port then.
launch() {
    # Another process may take the port between our look and the server's start: then try another.
    local attempt
    for attempt in 1 2 3; do
        port=$(free_port)
        echo "port = $port" | as_server tee -a "$dir/server/data/postgresql.conf" >/dev/null
        if pg_ctl --wait start 2>"$dir/start.log"; then
            break
        fi
        ((attempt < 3)) || { cat "$dir/start.log" "$dir/server/log" >&2 && die 'PostgreSQL did not start'; }
    done
}

start() {
    make_room
    init
    launch

    # Not a superuser: those are exempt from row level security, and the tests would not see a hole in it.
    as_server "$bin/psql" --no-psqlrc --quiet --host "$dir/server" --port "$port" --username postgres \
        --command 'CREATE ROLE dockside LOGIN CREATEDB NOSUPERUSER NOBYPASSRLS' postgres

    if [[ -n $tls ]]; then
        as_server "$bin/psql" --no-psqlrc --quiet --host "$dir/server" --port "$port" --username postgres \
            --command 'CREATE ROLE certified LOGIN' --command 'CREATE DATABASE certified OWNER certified' \
            --command 'CREATE DATABASE shop OWNER dockside' postgres
    fi

    echo "postgres://dockside@127.0.0.1:$port/postgres" >"$dir/url"
    # shellcheck disable=SC2016 # $1 is the written script's, not ours
    printf '#!/bin/sh\nexec %q "$1" %q\n' "$here/postgres.sh" "$dir" >"$dir/pg-ctl"
    chmod 0755 "$dir/pg-ctl"
}

# Replication is asynchronous, as it is by default: the primary commits without the standby.
standby() {
    local primary=$1 from
    # The fourth line of this file is the port.
    from="host=$primary/server port=$(sed -n 4p "$primary/server/data/postmaster.pid") user=postgres"
    make_room
    as_server "$bin/pg_basebackup" --dbname "$from" --pgdata "$dir/server/data" --checkpoint fast
    as_server tee -a "$dir/server/data/postgresql.conf" >/dev/null <<-END
		unix_socket_directories = '$dir/server'
		primary_conninfo = '$from'
	END
    as_server touch "$dir/server/data/standby.signal"
    launch
    echo "postgres://dockside@127.0.0.1:$port/postgres" >"$dir/url"
}

cut_off() {
    echo "primary_conninfo = ''" | as_server tee -a "$dir/server/data/postgresql.conf" >/dev/null
    pg_ctl reload
}

stop() {
    [[ -f $dir/server/data/postmaster.pid ]] || return 0
    # Nobody wants the data: no need to write it out first.
    pg_ctl --mode immediate --timeout 20 stop || kill -KILL "$(head -n 1 "$dir/server/data/postmaster.pid")" || true
}

# What a replica does that takes over: it goes on with the data on another timeline.
promote() {
    pg_ctl --wait --mode immediate stop
    as_server touch "$dir/server/data/standby.signal"
    pg_ctl --wait start
    pg_ctl --wait promote
}

run() {
    (($#)) || die 'run what?'
    dir=$(scratch_dir)
    tls=
    trap 'stop; rm -rf "$dir"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    start
    DOCKSIDE_TEST_POSTGRES=$(<"$dir/url") DOCKSIDE_TEST_PG_CTL=$dir/pg-ctl "$@"
}

main() {
    local action=${1-}
    case $action in
        run | start | stop | restart-immediate | promote | standby | cut-off | take-over) shift ;;
        *) die 'usage: postgres.sh run COMMAND… | start DIR [TLS] | restart-immediate DIR | promote DIR | standby DIR PRIMARY |
            cut-off DIR | take-over DIR | stop DIR' ;;
    esac
    if [[ $action == run || $action == start ]]; then
        ensure_debian postgres >&2
    fi
    bin=$(postgres_bin) || die 'PostgreSQL is not installed'
    user=$(server_user)

    if [[ $action == run ]]; then
        run "$@"
        return
    fi
    dir=${1:?which directory?}
    tls=${2-}
    case $action in
        start) start ;;
        stop) stop ;;
        promote) promote ;;
        standby) standby "${2:?of which directory?}" ;;
        cut-off) cut_off ;;
        take-over) pg_ctl --wait promote ;;
        restart-immediate) pg_ctl --wait --mode immediate restart ;;
    esac
}

main "$@"
