#!/usr/bin/env bash
# Builds the Debian package and the container image of a program that is there already, and checks them and everything else in deploy/.
#
#   checks/interop/packages/run.sh BINARY WORKDIR
#
# WORKDIR is an empty directory for everything this writes. Root is needed to install the package on a machine of its own and to start
# the image; the last line says what was left out. A green run ends with one line:
#   packages: N checks; …
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
binary=$(realpath "${1:?which binary?}")
work=$(realpath "${2:?which directory?}")

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/.. exec "$root/.cache/packages/venv/bin/python" "$here/check.py" "$binary" "$work"
