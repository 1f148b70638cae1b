#!/usr/bin/env bash
# Builds all fuzz targets, and runs each of them for a while: two at a time, since each keeps one core busy.
#
#   fuzz/run.sh SECONDS
#
# What a target found stays in fuzz/corpus, for the next run to begin with; an input that fails is
# written to fuzz/artifacts. What the targets print comes one after the other.
set -euo pipefail
export LC_ALL=C.UTF-8

cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")"
seconds=${1:?for how many seconds each?}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}
readonly AT_ONCE=2
# A gigabyte of memory, and how many seconds one input may take. The product's own bounds are lower; this build is slower.
readonly LIMITS=(-rss_limit_mb=1024 -timeout=15)
# Inputs that take long are changed less often: a bomb takes as long as a thousand others.
readonly SCHEDULE=(-entropic_scale_per_exec_time=1)

# What `cargo fuzz build --sanitizer none` asks the compiler for, without having to build that tool first: which branches an
# input takes is counted, and overflows panic. Without a sanitizer: what is fuzzed has no unsafe code, it is built in half the
# time so, and more is tried.
readonly COVERAGE=(
    -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-{level=4,inline-8bit-counters,pc-table,trace-compares,stack-depth}
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0 --cfg fuzzing -Cdebug-assertions -Ccodegen-units=16
)
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="${COVERAGE[*]}" cargo build --release --bins --locked --target "$host"
built=$CARGO_TARGET_DIR/$host/release

output=$(mktemp -d "${TMPDIR:-/tmp}/dockside-fuzz.XXXXXX")
trap 'rm -rf "$output"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM INT HUP

run() {
    local target=$1 status=0
    mkdir -p "corpus/$target" "artifacts/$target"
    local command=("$built/$target" "corpus/$target" "seeds/$target" -max_total_time="$seconds" "${LIMITS[@]}" "${SCHEDULE[@]}"
        -print_final_stats=1 -artifact_prefix="artifacts/$target/")
    {
        printf '$ %s\n' "${command[*]}"
        "${command[@]}" || status=$?
        ((status == 0)) || echo "$target failed with status $status"
    } >"$output/$target" 2>&1
    ((status == 0)) || touch "$output/failed"
}

for source in fuzz_targets/*.rs; do
    while (($(jobs -rp | wc -l) >= AT_ONCE)); do wait -n; done
    run "$(basename "$source" .rs)" &
done
wait
for source in fuzz_targets/*.rs; do cat "$output/$(basename "$source" .rs)"; done
[[ ! -e $output/failed ]]
