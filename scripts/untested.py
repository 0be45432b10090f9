#!/usr/bin/env python3
"""Looks for tests that `cargo test` would pass over.

Libraries and binaries without unit tests are not compiled for them (`test = false` in their manifests), and documentation is not
searched for examples where there are none (`doctest = false`). Whoever adds one has to change the manifest; this script says so.
"""

import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNIT = re.compile(r"#\[test\]|\bcfg\(.*\btest\b")
# A fenced block in a documentation comment; what is marked as something else than Rust is no example.
FENCE = re.compile(r"^\s*//[/!]\s*(?:```|~~~)\s*(.*)$")
OTHER = {"text", "c", "console", "json", "toml", "ignore"}


def has_example(text):
    """Whether some fenced block of the documentation is an example that can be run."""
    is_open = False
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence is None:
            continue
        if not is_open and not OTHER & set(re.split(r"[\s,]+", fence.group(1))):
            return True
        is_open = not is_open
    return False


def passed_over(manifest):
    """What of a package `cargo test` passes over."""
    package = tomllib.loads(manifest.read_text())
    sources = {file: file.read_text() for file in sorted((manifest.parent / "src").rglob("*.rs"))}
    library = package.get("lib", {})
    binaries = package.get("bin", [])
    main = manifest.parent / "src" / "main.rs"
    for file, text in sources.items():
        is_tested = any(b.get("test", True) for b in binaries) if file == main else library.get("test", True)
        if not is_tested and UNIT.search(text):
            yield f"{file.relative_to(ROOT)} has a unit test, which {manifest.relative_to(ROOT)} switches off"
        if file != main and not library.get("doctest", True) and has_example(text):
            yield f"{file.relative_to(ROOT)} has an example, which {manifest.relative_to(ROOT)} switches off"


def main():
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    manifests = [manifest for member in members for manifest in sorted(ROOT.glob(f"{member}/Cargo.toml"))]
    if len(manifests) < 20:
        sys.exit("untested: the packages are not found")
    found = [what for manifest in manifests for what in passed_over(manifest)]
    for what in found:
        print(f"untested: {what}", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
