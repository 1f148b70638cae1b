#!/usr/bin/env bash
# Keeps files in a bucket: starts a server that speaks S3 and checks signatures, and leaves the rest to check.py.
#
#   checks/interop/files/run.sh BINARY WORKDIR TEST…
#
# TEST… is the command that runs the suite's tests of files. WORKDIR is an empty directory for everything this writes.
# A green run ends with one line:
#   files in a bucket: N objects, N starts
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)

binary=$(realpath "${1:?which binary?}")
work=$(realpath "${2:?which directory?}")
shift 2
(($#)) || { echo 'which tests?' >&2; exit 1; }

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/.. exec "$root/.cache/files/bin/python" "$here/check.py" \
    "$root/.cache/files" "$binary" "$work" "$@"
