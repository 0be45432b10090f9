#!/usr/bin/env python3
"""Looks for packages of the tools that `cargo test` would compile once more.

A dependency of tests alone can switch on a feature of a package that the tools share with it. Cargo then builds that package, and
all that depend on it, a second time for the tests: minutes that nobody sees. This script compares the two plans of the build.
"""

import json
import os
import subprocess
import sys

# The plan of a build is an output that cargo does not promise to keep; nothing is compiled with the variable.
ENVIRONMENT = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
COMMON = ["--unit-graph", "-Z", "unstable-options", "--locked", "--release", "--workspace"]


def units(*words):
    """For each unit of a plan that is compiled for use, by package, target and platform, its features."""
    command = [os.environ.get("CARGO", "cargo"), *words, *COMMON]
    plan = json.loads(subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout)
    found = {}
    for unit in plan["units"]:
        if unit["mode"] == "build":
            key = (unit["pkg_id"].rsplit("/", 1)[-1], unit["target"]["name"], tuple(unit["target"]["kind"]), unit["platform"])
            found.setdefault(key, set()).add(tuple(unit["features"]))
    return found


def main():
    tools, tests = units("build", "--bins"), units("test", "--no-run")
    wrong = [(key[0], features, tests.get(key, set())) for key, features in tools.items() if features - tests.get(key, set())]
    for package, features, others in wrong:
        listed = ["+".join(each) or "none" for each in [*features, *others]]
        print(f"twice: {package} is compiled again for the tests (features: {'; '.join(listed)})", file=sys.stderr)
    if len(tools) < 100:
        print(f"twice: the plan of the tools has {len(tools)} units only", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
