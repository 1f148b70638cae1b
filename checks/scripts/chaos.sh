#!/usr/bin/env bash
# Batches are bought while servers and carriers die, on both engines, one after the other, and while a standby of PostgreSQL is
# promoted: see tests/chaos.
#
#   checks/scripts/chaos.sh            100 kills, 2,500 charges and 240 of EasyPost on each engine, and a promotion
#   checks/scripts/chaos.sh --long     1,000 kills, 50,000 charges and 5,000 of EasyPost on each: 2,000, 100,000 and 10,000 in all; and
#                              20 promotions
#
# Shows how far it is on standard error. DOCKSIDE_TEST_SEED repeats the moments of an earlier run.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."

case ${1-} in
    '') ;;
    --long) export CHAOS_KILLS=1000 CHAOS_CHARGES=50000 CHAOS_EASYPOST=5000 CHAOS_PROMOTIONS=20 ;;
    *)
        sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' checks/scripts/chaos.sh
        [[ $1 == --help || $1 == -h ]]
        exit
        ;;
esac
TEST_PROGRESS_BAR=1 exec checks/scripts/postgres.sh run \
    cargo test --workspace --test chaos --locked -- --nocapture --test-threads=1 nothing_is_bought_twice
