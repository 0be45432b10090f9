#!/usr/bin/env python3
"""Writes the licences of all that the binaries contain into a folder: `make install` calls it.

    scripts/licences.py FOLDER

The folder gets the project's own two licences and THIRD-PARTY.txt: for each package that is linked in, its version, its licence
(SPDX) and the texts that it comes with. Z3's licence is in the same file.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ["slam", "c2bp", "bebop", "getafix", "newton", "zing"]
TEXTS = re.compile(r"(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)

Z3 = """\
Z3 is distributed under the MIT License:

Copyright (c) Microsoft Corporation. All rights reserved.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def linked(cargo):
    """The foreign packages that the binaries are built from, by name and version; dependencies of tests are none."""
    tree = ["tree", "--locked", *(f"-p{tool}" for tool in TOOLS), "--edges", "normal", "--prefix", "none", "--format", "{p}"]
    names = set()
    for line in subprocess.run([cargo, *tree], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines():
        match = re.match(r"(\S+) v(\S+)(?: \((.*)\))?", line)
        if match and not (match[3] or "").startswith("/"):
            names.add((match[1], match[2]))
    metadata = subprocess.run(
        [cargo, "metadata", "--locked", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    packages = json.loads(metadata.stdout)["packages"]
    return sorted((p for p in packages if (p["name"], p["version"]) in names), key=lambda p: (p["name"], p["version"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cargo", default="cargo")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for own in sorted(ROOT.glob("LICENSE-*")):
        (arguments.folder / own.name).write_bytes(own.read_bytes())
    parts = [Z3]
    for package in linked(arguments.cargo):
        folder = pathlib.Path(package["manifest_path"]).parent
        texts = sorted(path for path in folder.iterdir() if path.is_file() and TEXTS.search(path.name))
        head = f"{package['name']} {package['version']}: {package['license'] or 'see below'}"
        authors = ", ".join(package["authors"])
        part = "=" * 78 + f"\n{head}\n" + (f"{authors}\n" if authors else "") + f"{package['repository'] or ''}\n"
        for path in texts:
            part += "\n" + path.read_text(encoding="utf-8", errors="replace").strip() + "\n"
        parts.append(part)
    (arguments.folder / "THIRD-PARTY.txt").write_text("\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
