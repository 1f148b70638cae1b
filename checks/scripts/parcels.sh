#!/usr/bin/env bash
# Random sequences from order to parcel against the reference model, on both engines, one after the other: see
# crates/dockside/tests/stock/parcels.
#
#   checks/scripts/parcels.sh            1,000 sequences on SQLite and 250 on PostgreSQL, as in the stage `stock`
#   checks/scripts/parcels.sh --long     12,000 sequences on SQLite and 3,000 on PostgreSQL
#
# Shows how far it is on standard error. DOCKSIDE_TEST_SEED repeats the sequences of an earlier run, PARCEL_SEED a single one.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."

sqlite=1000
postgres=250
case ${1-} in
    '') ;;
    --long)
        sqlite=12000
        postgres=3000
        ;;
    *)
        sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' checks/scripts/parcels.sh
        [[ $1 == --help || $1 == -h ]]
        exit
        ;;
esac
run=(cargo test --workspace --test stock --locked -- --nocapture --test-threads=1 parcels::)
TEST_PROGRESS_BAR=1 TEST_DB=sqlite PARCEL_SEQUENCES=$sqlite "${run[@]}"
TEST_PROGRESS_BAR=1 TEST_DB=postgres PARCEL_SEQUENCES=$postgres exec checks/scripts/postgres.sh run "${run[@]}"
