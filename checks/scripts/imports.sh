#!/usr/bin/env bash
# Servers are killed while imports turn rows into orders, on both engines, one after the other: see tests/chaos/imports.rs.
#
#   checks/scripts/imports.sh            3 kills and 2 aborts at crash points on each engine, 4,300 orders
#   checks/scripts/imports.sh --long     20 kills on each engine, 40,000 orders and 300 more for the aborts
#
# DOCKSIDE_TEST_SEED repeats the moments of an earlier run.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."

case ${1-} in
    '') ;;
    --long) export IMPORT_KILLS=20 IMPORT_ORDERS=40000 ;;
    *)
        sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' checks/scripts/imports.sh
        [[ $1 == --help || $1 == -h ]]
        exit
        ;;
esac
exec checks/scripts/postgres.sh run \
    cargo test --workspace --test chaos --locked -- --nocapture --test-threads=1 every_row_of_an_import
