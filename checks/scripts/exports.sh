#!/usr/bin/env bash
# The real binary exports many rows, on both engines, one after the other, and its memory is measured: see
# tests/attacks/exports.rs.
#
#   checks/scripts/exports.sh            100,000 rows
#   checks/scripts/exports.sh --long     1,000,000 rows
#   checks/scripts/exports.sh --sqlite   1,000,000 rows, on SQLite alone
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."

run=(cargo test --workspace --test attacks --locked -- --nocapture --test-threads=1 an_export_takes_little_memory)
case ${1-} in
    '') ;;
    --long) export EXPORT_ROWS=1000000 ;;
    --sqlite)
        export EXPORT_ROWS=1000000 TEST_DB=sqlite
        exec "${run[@]}"
        ;;
    *)
        sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' checks/scripts/exports.sh
        [[ $1 == --help || $1 == -h ]]
        exit
        ;;
esac
TEST_DB=sqlite "${run[@]}"
exec checks/scripts/postgres.sh run "${run[@]}"
