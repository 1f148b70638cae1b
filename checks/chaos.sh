#!/usr/bin/env bash
# Batches are bought while servers and carriers die, on both engines, one after the other: see tests/chaos.
#
#   checks/chaos.sh            100 kills and 2,500 charges on each engine
#   checks/chaos.sh --long     1,000 kills and 50,000 charges on each: 2,000 and 100,000 in all
#
# Shows how far it is on standard error. DOCKSIDE_TEST_SEED repeats the moments of an earlier run.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

case ${1-} in
    '') ;;
    --long) export CHAOS_KILLS=1000 CHAOS_CHARGES=50000 ;;
    *)
        sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' checks/chaos.sh
        [[ $1 == --help || $1 == -h ]]
        exit
        ;;
esac
CHAOS_BAR=1 exec checks/postgres.sh run \
    cargo test --workspace --test chaos --locked -- --nocapture --test-threads=1 nothing_is_bought_twice_or_lost
