#!/usr/bin/env bash
# Measures in Chromium how the console shows a batch of 100,000 shipments that is bought meanwhile: on SQLite, on a machine that does nothing else.
#
#   checks/interop/console/long.sh target/release/dockside [SHIPMENTS]
#
# It fails if the first load has more than 120 kB or takes more than a second, an interaction more than 200 ms, or the tab more than 150 MiB.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
# shellcheck source=checks/scripts/tools.sh
source "$here/../../scripts/tools.sh"

binary=$(realpath "${1:?which program?}")
ensure_debian node chromium
ensure_console_tools "$root"
work=$(scratch_dir)
trap 'rm -rf "$work"' EXIT
export CONSOLE_PARTS=speed CONSOLE_SHIPMENTS=${2:-100000}
CHROMIUM=${CHROMIUM:-$(command -v chromium)} CONSOLE_TOOLS=$root/.cache/console node "$here/check.mjs" sqlite "$binary" "$work"
