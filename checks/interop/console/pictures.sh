#!/usr/bin/env bash
# Draws the pictures of the guide anew, with a program that was built:
#
#   checks/interop/console/pictures.sh target/release/dockside
#
# To see every page in both themes instead, run the stage `./test console`, and then lay its pictures on one sheet:
#
#   checks/interop/console/pictures.sh --sheet target/test-logs/console-pictures sheet.png
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
# shellcheck source=checks/scripts/tools.sh
source "$here/../../scripts/tools.sh"

ensure_debian node chromium
ensure_console_tools "$root"
export CHROMIUM=${CHROMIUM:-$(command -v chromium)} CONSOLE_TOOLS=$root/.cache/console
if [[ ${1:?which program?} == --sheet ]]; then
    exec node "$here/sheet.mjs" "${@:2}"
fi
work=$(scratch_dir)
trap 'rm -rf "$work"' EXIT
node "$here/pictures.mjs" "$(realpath "$1")" "$work" "$root/docs/guide/pictures"
