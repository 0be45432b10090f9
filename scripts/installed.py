#!/usr/bin/env python3
"""Runs the commands of the documents with installed tools, away from the checkout.

usage: scripts/installed.py PREFIX

Commands in blocks marked `console` have to print what the documents say (a line `…` stands for any lines). Other commands
of the tools, in blocks without a mark, have to be taken: they may say that a file is not there, but not that they are used
wrongly. They are run in a scratch folder that holds the examples and the rules, without the environment of the caller.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("slam", "c2bp", "bebop", "getafix", "newton", "zing")
USAGE, INTERNAL = 1, 6
LIMIT = 300

# What commands in the documents name and the examples do not have.
FILES = {"lock.c": "examples/spinlock_unsafe.c", "prog.c": "examples/loop_gap_safe.c"}


def blocks(text):
    """The fenced blocks: what they are marked with, and their lines."""
    mark, lines = None, []
    for line in text.splitlines():
        if line.startswith("```"):
            if mark is None:
                mark, lines = line[3:], []
            else:
                yield mark, lines
                mark = None
        elif mark is not None:
            lines.append(line)


def run(command, folder, environment):
    """Runs a command of a shell: what it prints, as on a terminal but messages first, and its exit code."""
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT,
        stdin=subprocess.DEVNULL, check=False,
    )
    return done.stderr + done.stdout, done.returncode


def printed(commands, folder, environment):
    """What commands joined by `&&` print, up to the first that fails."""
    out = ""
    for command in commands.split(" && "):
        text, code = run(command, folder, environment)
        out += text
        if code != 0:
            break
    return out


def without_times(text):
    return re.sub(r" *[0-9.]+ (ms|s)(?![0-9a-z])", " _", text)


def fits(text, expected):
    parts = "\n".join([*expected, ""]).split("…\n")
    pattern = "(?:.*\n)*?".join(re.escape(without_times(part)) for part in parts)
    return re.fullmatch(pattern, without_times(text)) is not None


def console(lines, folder, environment):
    """The commands of a block that do not print what it says; and how many there are."""
    wrong, number, k = [], 0, 0
    while k < len(lines):
        command = lines[k].removeprefix("$ ")
        k += 1
        expected = []
        while k < len(lines) and not lines[k].startswith("$ "):
            expected.append(lines[k])
            k += 1
        number += 1
        text = printed(command, folder, environment)
        if not fits(text, expected):
            wrong.append(f"{command}\n--- said\n" + "\n".join(expected) + f"\n--- printed\n{text}")
    return wrong, number


def plain(lines, folder, environment):
    """The commands of a block that are used wrongly; and how many there are."""
    wrong, number = [], 0
    for line in lines:
        command = re.split(r"\s{3,}", line.strip())[0]
        if not command.startswith(tuple(f"{tool} " for tool in TOOLS)) or re.search(r"…|\.\.\.|\b[A-Z]{3,}\b(?!\.)|[<|]", command):
            continue
        if command.startswith("slam lsp"):
            continue
        number += 1
        text, code = run(command, folder, environment)
        if code in (USAGE, INTERNAL) and not command.startswith("slam run"):
            wrong.append(f"{command}\n--- exit code {code}\n{text}")
    return wrong, number


def of_document(document, scratch, environment):
    """The failures of a document, and how many commands of each kind it has."""
    name = document.relative_to(ROOT)
    folder = scratch / "-".join(name.with_suffix("").parts)
    (folder / "out").mkdir(parents=True)
    for part in ("examples", "rules"):
        shutil.copytree(ROOT / part, folder / part)
    for part, source in FILES.items():
        shutil.copy(ROOT / source, folder / part)
    (folder / "my_rules").mkdir()
    shutil.copy(ROOT / "rules/linux/rwlock.slic", folder / "my_rules")
    failures, numbers = [], [0, 0]
    for mark, lines in blocks(document.read_text(encoding="utf-8")):
        kind = {"console": console, "": plain}.get(mark)
        if kind is None:
            continue
        wrong, number = kind(lines, folder, environment)
        numbers[kind is plain] += number
        failures += [f"{name}: {text}" for text in wrong]
    shutil.rmtree(folder)
    return failures, numbers


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    binaries = Path(sys.argv[1]).resolve() / "bin"
    environment = {"PATH": f"{binaries}:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    with tempfile.TemporaryDirectory(prefix="slam-installed-") as scratch:
        environment["HOME"] = scratch
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda document: of_document(document, Path(scratch), environment), documents))
    failures = [failure for failed, _ in found for failure in failed]
    numbers = [sum(each[k] for _, each in found) for k in range(2)]
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{numbers[0]} commands with their output and {numbers[1]} others, {len(failures)} failures")
    if not all(numbers):
        print("commands of one kind were not found at all", file=sys.stderr)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
