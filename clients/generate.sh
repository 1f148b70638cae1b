#!/usr/bin/env bash
# Writes the generated parts of both client libraries from openapi.json. ./test clients compares them.
#
#   clients/generate.sh          in place
#   clients/generate.sh FOLDER   into this folder, in the same places
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
# shellcheck source=checks/scripts/tools.sh
source "$root/checks/scripts/tools.sh"

target=${1:-$here}
ensure_clients "$root"
document=$(mktemp)
trap 'rm -f "$document"' EXIT

export PYTHONDONTWRITEBYTECODE=1
"$root/.cache/clients/venv/bin/python" "$here/generate/document.py" "$root/openapi.json" "$document"
"$root/.cache/clients/venv/bin/python" "$here/generate/python.py" "$document" "$target/python/src/dockside/generated"
node "$here/generate/typescript.mjs" "$document" "$target/typescript/src/generated" "$root/.cache/clients"
