#!/usr/bin/env bash
# Stands in for rustdoc while `cargo test --doc` runs (RUSTDOC): builds the documentation of each crate, with warnings as errors,
# beside running the examples in it. `cargo doc` would check every dependency once more for that.
set -euo pipefail

documentation=()
is_test=''
skip=''
for word in "$@"; do
    if [[ -n $skip ]]; then
        skip=''
        continue
    fi
    case $word in
        --test) is_test=1 ;;
        --test-run-directory | --test-args) skip=1 ;;
        *) documentation+=("$word") ;;
    esac
done
if [[ -n $is_test ]]; then
    rustdoc "${documentation[@]}" --deny warnings --out-dir "${CARGO_TARGET_DIR:?}/doc"
fi
exec rustdoc "$@"
