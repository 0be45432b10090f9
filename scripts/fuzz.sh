#!/usr/bin/env bash
# fuzz.sh [SECONDS]: builds the fuzz target with counters for coverage, and runs it that long from the project's own texts.
# An input that ends it is kept in the folder of the build, which the last lines name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')

# What `-Zsanitizer` would add, but with the stable compiler; with `--target`, build scripts are without it.
counters="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-trace-compares \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1"
(cd fuzz && RUSTFLAGS="$counters" CARGO_TARGET_DIR="$target" cargo build --locked --release --target "$host")

seeds=$target/seeds
corpus=$target/corpus
rm -rf "$seeds"
mkdir -p "$seeds" "$corpus" "$target/found"
# The first byte says who reads the rest.
add() {
    local kind=$1 file n=0
    shift
    while IFS= read -r file; do
        n=$((n + 1))
        { printf %s "$kind"; "${@:2}" "$file"; } >"$seeds/$kind$n" 2>/dev/null || true
    done < <(find examples rules tests/golden crates/cfront/tests/programs -name "$1" -size -20k | sort)
}
add c '*.c' cc -E -P -w
add b '*.bp' cat
add z '*.zn' cat
add s '*.slic' cat
add p '*.preds' cat

ulimit -s 1000000 2>/dev/null || true
LD_LIBRARY_PATH="$root/third_party/z3/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    "$target/$host/release/fuzz" -max_total_time="$seconds" -timeout=30 -max_len=6000 -rss_limit_mb=4096 \
    -print_final_stats=1 -artifact_prefix="$target/found/" "$corpus" "$seeds"
