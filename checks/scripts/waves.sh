#!/usr/bin/env bash
# Servers are killed while waves turn orders into shipments, on both engines, one after the other: see tests/chaos/waves.rs.
#
#   checks/scripts/waves.sh            3 kills and 3 aborts at crash points on each engine, 390 orders
#   checks/scripts/waves.sh --long     40 kills on each engine, 4,000 orders and 150 more for the aborts
#
# DOCKSIDE_TEST_SEED repeats the moments of an earlier run.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."

case ${1-} in
    '') ;;
    --long) export WAVE_KILLS=40 WAVE_ORDERS=4000 ;;
    *)
        sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' checks/scripts/waves.sh
        [[ $1 == --help || $1 == -h ]]
        exit
        ;;
esac
exec checks/scripts/postgres.sh run \
    cargo test --workspace --test chaos --locked -- --nocapture --test-threads=1 every_order_of_a_wave
