#!/usr/bin/env bash
# test.sh WORDS...: `cargo test WORDS...`, and behind it the tests that were skipped since a tool is not installed and the thirty
# that took longest. `make test` calls it, with the binaries built and the Z3 library to be found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=$(mktemp)
skipped=$(mktemp)
trap 'rm -f "$log" "$skipped"' EXIT

# The test programs tell times only where they are said to be of an unstable compiler; nothing is compiled so.
host=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
export "CARGO_TARGET_${host}_RUNNER=env RUSTC_BOOTSTRAP=1"

export SKIPPED_TESTS=$skipped
cargo=${CARGO:-cargo}
status=0
"$cargo" test "$@" --tests -- -Z unstable-options --report-time 2>&1 | tee "$log" || status=$?
# Examples of the documentation, which have no times.
[ $status -ne 0 ] || "$cargo" test "$@" --doc || status=$?

if [ -s "$skipped" ]; then
    echo
    sort -u "$skipped"
fi
echo
echo "the slowest tests, in seconds (of $(grep -cE '^test .* \.\.\. ' "$log") tests):"
# To the end: who stops reading early ends the others with a signal.
sed -nE 's/^test (.*) \.\.\. [A-Za-z]+ <([0-9.]+)s>$/\2 \1/p' "$log" | sort -rn |
    awk 'NR <= 30 { printf "%8.1f  %s\n", $1, $2 }'
exit $status
