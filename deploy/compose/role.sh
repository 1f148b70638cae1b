#!/bin/sh
# Makes Dockside's role and its database, when the PostgreSQL container starts for the first time. The role owns its database and is
# no superuser: row level security, which keeps organisations apart, does not bind superusers.
set -eu

psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres --set=password="$DOCKSIDE_PASSWORD" <<'END'
CREATE ROLE dockside LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE;
CREATE DATABASE dockside OWNER dockside;
END
