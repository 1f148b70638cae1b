#!/usr/bin/env bash
# Has tools that others wrote read the labels: zbar, zxing, poppler, and a renderer of ZPL.
#
#   checks/interop/labels/run.sh SAMPLES COUNT WORKDIR
#
# SAMPLES is the program of the example label_samples, COUNT how many shipments it draws, and WORKDIR an empty directory
# for everything this writes.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)

samples=$(realpath "${1:?which program?}")
count=${2:?how many shipments?}
work=$(realpath "${3:?which directory?}")
tools=$root/.cache/labels

PYTHONDONTWRITEBYTECODE=1 exec "$tools/venv/bin/python" "$here/check.py" "$samples" "$count" "$tools/fonts" "$tools" "$work"
