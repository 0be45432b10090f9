#!/usr/bin/env bash
# Checks which package may depend on which (docs/design/architecture.md, "The crates").
#
# Each package lists the packages of this workspace that it may contain, directly or through
# others, and each outside library that only some packages may know is looked for everywhere else.
# This is about the libraries: the command lines of tools are a default feature, left out here.
# Positive controls come first, so that a change of cargo's output cannot make every check pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failures=0
complain() {
    echo "arrows: $1" >&2
    failures=$((failures + 1))
}

# The names of the packages that cargo tree lists, one a line.
tree() {
    cargo tree --locked --quiet --no-default-features -e normal --prefix none --format '{p}' "$@" |
        awk '{ print $1 }' | sort -u
}

cargo metadata --locked --no-deps --format-version 1 |
    python3 -c 'import json, sys; print(*sorted(p["name"] for p in json.load(sys.stdin)["packages"]), sep="\n")' \
        >"$work/packages"
mkdir "$work/all" "$work/direct"
while read -r package; do
    tree -p "$package" >"$work/all/$package"
    tree -p "$package" --depth 1 >"$work/direct/$package"
done <"$work/packages"

# Whether package $1 contains $2, directly or through others.
contains() {
    [ -f "$work/all/$1" ] || complain "there is no package $1"
    grep -qx -e "$2" "$work/all/$1"
}

# Package $1 may contain the packages $2 of this workspace and itself, no others of it.
allow() {
    local used
    for used in $(comm -12 "$work/packages" "$work/all/$1"); do
        case " $1 $2 " in
        *" $used "*) ;;
        *) complain "$1 must not contain $used" ;;
        esac
    done
}

# Package $1 must not contain any of the libraries $2.
never() {
    local library
    for library in $2; do
        if contains "$1" "$library"; then
            complain "$1 must not contain $library"
        fi
    done
}

# Only the packages $2 may name the library $1 among their own dependencies.
only() {
    local package
    while read -r package; do
        case " $2 " in
        *" $package "*) continue ;;
        esac
        if grep -qx -e "$1" "$work/direct/$package"; then
            complain "$package must not depend on $1"
        fi
    done <"$work/packages"
}

control() {
    contains "$1" "$2" || complain "the control failed: $1 contains $2"
}
control smt z3-sys
control c2bp z3-sys
control cfront lang-c
control bebop biodivine-lib-bdd
control bebop bdd
control slam bebop
grep -qx z3-sys "$work/direct/smt" || complain "the control failed: smt depends on z3-sys"

allow base ""
allow ieee ""
allow children ""
allow testing ""
allow results ""
allow ir "base ieee"
allow interp "base ieee ir"
allow alias "base ieee ir"
allow passes "base ieee ir interp alias"
allow cfront "base ieee children ir interp alias passes"
allow slic "base ieee ir interp alias passes"
allow bp "base"
allow check "base bp"
allow dataflow "base ieee ir alias bp"
allow smt "base ieee"
allow bdd "base bp"
allow cli "base children"
allow encoding "base ieee ir alias smt"
allow predicates "base ieee ir interp alias smt encoding"
allow zones "base ieee ir alias"
allow executions "base ieee ir interp alias smt encoding zones"
allow bmc "base ieee ir interp alias smt encoding predicates"
allow certificate "base ieee ir alias smt encoding"
allow c2bp "base ieee ir interp alias passes bp smt encoding predicates"
allow bebop "base bp bdd check"
allow zing "base bp check"
allow newton "base ieee ir interp alias smt encoding predicates"
allow verify "base ieee children ir interp alias passes cfront slic bp bdd check smt encoding predicates zones executions bmc \
    certificate c2bp bebop newton"
allow interleave "base bp check"
allow getafix "base bp bdd check"

never bebop "z3-sys z3 cat_solver lang-c"
never getafix "z3-sys z3 cat_solver lang-c"
never interleave "z3-sys z3 cat_solver lang-c cli"
never zing "z3-sys z3 cat_solver lang-c biodivine-lib-bdd oxidd"
never bp "z3-sys z3 cat_solver lang-c biodivine-lib-bdd"
never passes "z3-sys z3 cat_solver lang-c biodivine-lib-bdd"
never slic "z3-sys z3 cat_solver lang-c biodivine-lib-bdd"
never zones "z3-sys z3 cat_solver lang-c biodivine-lib-bdd"
never dataflow "z3-sys z3 cat_solver lang-c biodivine-lib-bdd"
never cfront "z3-sys z3 cat_solver biodivine-lib-bdd"
never encoding "lang-c biodivine-lib-bdd"
never predicates "lang-c biodivine-lib-bdd"
never c2bp "lang-c biodivine-lib-bdd"
never newton "lang-c biodivine-lib-bdd"
never verify "clap serde_json indicatif"
never results "z3-sys z3 cat_solver lang-c biodivine-lib-bdd clap"

# The binaries on boolean programs have a command line, but no C.
for binary in bebop getafix zing; do
    if cargo tree --locked --quiet -p "$binary" -e normal --prefix none --format '{p}' | grep -q '^lang-c '; then
        complain "the binary $binary must not contain lang-c"
    fi
done
cargo tree --locked --quiet -p c2bp -e normal --prefix none --format '{p}' | grep '^lang-c ' >/dev/null ||
    complain "the control failed: the binary c2bp contains lang-c"

only z3-sys "smt"
only cat_solver "smt"
only rustc_apfloat "ieee"
only z3 ""
only lang-c "cfront"
only biodivine-lib-bdd "bdd"
only clap "cli c2bp bebop getafix zing newton slam"
only lsp-server "slam"
only serde_path_to_error "results"

if [ "$failures" -gt 0 ]; then
    echo "arrows: $failures failures" >&2
    exit 1
fi
echo "arrows: as in docs/design/architecture.md"
