#!/usr/bin/env bash
# Puts the pinned Z3 library and its headers into third_party/z3/{lib,include}.
#
# The library comes out of the z3-solver wheel on PyPI: downloaded with pip, compared with the
# sha256 below, unpacked under a temporary name and renamed as the last step, so a directory of the
# final name is always complete. Nothing is downloaded when the pinned library is there already.
set -euo pipefail

version=4.15.4.0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
third_party=$root/third_party
dest=$third_party/z3
platform_name="$(uname -s)-$(uname -m)"

fail() {
    printf '\n%s\n\n' "setup-z3: $1" | fold -s -w 100 >&2
    exit 1
}

other_ways="Z3 can be had in two other ways. 'make Z3=vendored ...' builds it from source into the \
binaries (cargo feature vendored-z3 of the package smt; it needs CMake 3.26 or newer, a C++20 compiler whose library \
has <format>, such as gcc 13, and about half an hour). 'make Z3=system Z3_LIB_DIR=/path/to/lib ...' \
links a Z3 that you have installed (cargo feature system-z3; Z3 4.13.3 or newer). See \
docs/guide/building.md."

case "$platform_name" in
Linux-x86_64)
    wheel_platform=manylinux2014_x86_64
    sha256=7e103a6f203f505b8b8b8e5c931cc407c95b61556512d4921c1ddc0b3f41b08e
    ;;
Linux-aarch64)
    wheel_platform=manylinux_2_34_aarch64
    sha256=62c7e9cbdd711932301f29919ad9158de9b2f58b4d281dd259bbcd0a2f408ba1
    ;;
Darwin-x86_64)
    wheel_platform=macosx_13_0_x86_64
    sha256=00bd10c5a6a5f6112d3a9a810d0799227e52f76caa860dafa5e00966bb47eb13
    ;;
Darwin-arm64)
    wheel_platform=macosx_13_0_arm64
    sha256=407e825cc9211f95ef46bdc8d151bf630e7ab2d62a21d24cd74c09cc5b73f3aa
    ;;
*)
    fail "no Z3 library is pinned for $platform_name. $other_ways"
    ;;
esac
case "$platform_name" in
Linux-*)
    library=libz3.so
    if ldd --version 2>&1 | grep -qi musl; then
        fail "this system's C library is musl, and the pinned Z3 library needs glibc. $other_ways"
    fi
    ;;
Darwin-*) library=libz3.dylib ;;
esac

is_complete() {
    [ -f "$dest/wheel.sha256" ] && [ "$(cat "$dest/wheel.sha256")" = "$sha256" ] &&
        [ -e "$dest/lib/$library" ] && [ -f "$dest/include/z3.h" ]
}

if is_complete; then
    exit 0
fi

command -v python3 >/dev/null 2>&1 ||
    fail "python3 was not found. It is needed once, with pip, to download the pinned Z3 library \
(z3-solver $version from PyPI). Install it (Debian and Ubuntu: apt install python3 python3-pip) and \
run 'make setup' again. $other_ways"
python3 -m pip --version >/dev/null 2>&1 ||
    fail "python3 has no pip. It is needed once to download the pinned Z3 library (z3-solver \
$version from PyPI). Install it (Debian and Ubuntu: apt install python3-pip; elsewhere: python3 -m \
ensurepip) and run 'make setup' again. $other_ways"

mkdir -p "$third_party"
work=$(mktemp -d "$third_party/partial.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "setup-z3: downloading z3-solver $version ($wheel_platform)" >&2
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --platform "$wheel_platform" --dest "$work/download" \
    "z3-solver==$version" >"$work/pip.log" 2>&1; then
    cat "$work/pip.log" >&2
    fail "pip could not download z3-solver $version (its own message is above). Is the package \
index reachable from here? Without a network, download the wheel for $wheel_platform elsewhere, put \
it into a directory, set PIP_FIND_LINKS to that directory, and run 'make setup' again. $other_ways"
fi

wheels=("$work"/download/*.whl)
found=$(python3 -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "${wheels[0]}")
if [ "$found" != "$sha256" ]; then
    fail "the downloaded wheel is not the pinned one: its sha256 is $found, and $sha256 is \
expected. Nothing was installed. Look at what your package index serves for z3-solver $version."
fi

mkdir "$work/unpacked" "$work/z3" "$work/z3/lib"
python3 -m zipfile -e "${wheels[0]}" "$work/unpacked"
mv "$work/unpacked/z3/include" "$work/z3/include"
case "$library" in
libz3.so)
    # The wheel has the library twice; the linker asks for one name, the loader for the other.
    mv "$work/unpacked/z3/lib/libz3.so.4.15" "$work/z3/lib/libz3.so.4.15"
    chmod 755 "$work/z3/lib/libz3.so.4.15"
    ln -s libz3.so.4.15 "$work/z3/lib/libz3.so"
    ;;
libz3.dylib)
    # Its recorded name has no @rpath, so that the loader would not look beside the program.
    mv "$work/unpacked/z3/lib/libz3.dylib" "$work/z3/lib/libz3.dylib"
    chmod 755 "$work/z3/lib/libz3.dylib"
    install_name_tool -id @rpath/libz3.dylib "$work/z3/lib/libz3.dylib" ||
        fail "install_name_tool failed; it comes with the Xcode command line tools (xcode-select --install)."
    codesign --force --sign - "$work/z3/lib/libz3.dylib"
    ;;
esac
for licence in "$work"/unpacked/z3_solver-*.dist-info/licenses/LICENSE* \
    "$work"/unpacked/z3_solver-*.dist-info/LICENSE*; do
    if [ -f "$licence" ]; then
        cp "$licence" "$work/z3/"
    fi
done
printf '%s\n' "$sha256" >"$work/z3/wheel.sha256"

# Renaming a directory over a full one fails, so two runs at the same time cannot mix.
if [ -e "$dest" ] && ! is_complete; then
    rm -rf "$dest"
fi
if ! python3 -c 'import os, sys; os.rename(sys.argv[1], sys.argv[2])' "$work/z3" "$dest" 2>/dev/null; then
    is_complete || fail "could not move the unpacked library to $dest."
fi
echo "setup-z3: Z3 $version is in third_party/z3" >&2
