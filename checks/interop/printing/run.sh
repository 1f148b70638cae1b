#!/usr/bin/env bash
# Prints on printers that others wrote: ippeveprinter, as PDF and as PWG raster, a queue of CUPS, and a plain socket in a network of its own, which only the
# print agent reaches.
#
#   checks/interop/printing/run.sh BINARY WORKDIR
#
# WORKDIR is an empty directory for everything this writes. A green run ends with one line:
#   printing: N printers, N jobs, N barcodes read; …
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=$(realpath "${1:?which binary?}")
work=$(realpath "${2:?which directory?}")

# shellcheck source=checks/scripts/tools.sh
source "$here/../../scripts/tools.sh"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/.. exec "$(venv_python)" "$here/check.py" "$binary" "$work"
