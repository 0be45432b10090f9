#!/usr/bin/env python3
"""What each method and each source of invariants is good for: tasks without it, with one source alone, with paths alone, and with all.

usage: ablation.py [--slam BIN] [--limit SECONDS] [--jobs 1|2] [--row NAME]... TASK...

A task is a C file, or a folder of them; one that ends with .list has a task in each line. What is right is told by the
first lines of a task (`//@ verdict: SAFE`) or by its name (`_bug`, `_unsafe`; `_safe`); of others no
answer counts as wrong. Prints a Markdown table with a row for each set of sources: tasks that are decided, wrong
answers, and seconds of processor time. The answers are the same each time, but for tasks near the time limit.
"""
import argparse
import concurrent.futures
import os
import re
import resource
import subprocess
import sys

SOURCES = ["observed", "computed", "conditions", "solved"]
METHODS = ["executions", "bounds", "unrolling", "induction"]
VERDICT = re.compile(r"^VERDICT: (SAFE|UNSAFE)\b", re.MULTILINE)
TOLD = re.compile(r"^//\s*@\s*verdict:\s*(safe|unsafe)\b(?:[ \t]+--check[ \t]+(\S+))?", re.IGNORECASE | re.MULTILINE)


def rows():
    """The rows of the table: a name, and the options of slam check."""
    yield "all", []
    yield "paths alone", ["--tune", "without=" + ",".join([*SOURCES, "bounds", "unrolling"])]
    for source in SOURCES:
        others = [other for other in SOURCES if other != source]
        yield f"only {source}", ["--tune", "without=" + ",".join(others)]
    for left_out in SOURCES + METHODS:
        yield f"without {left_out}", ["--tune", f"without={left_out}"]


def tasks(names):
    """The C files that the names stand for, in order."""
    out = []
    for name in names:
        if os.path.isdir(name):
            out += tasks(sorted(os.path.join(name, entry) for entry in os.listdir(name) if entry.endswith(".c")))
        elif name.endswith(".list"):
            with open(name, encoding="utf-8") as lines:
                out += tasks([line.strip() for line in lines if line.strip() and not line.startswith("#")])
        else:
            out.append(name)
    return out


def told(task):
    """What is right about a task, if that is known, and the options that it asks for."""
    with open(task, encoding="utf-8", errors="replace") as file:
        head = "".join(file.readline() for _ in range(12))
    found = TOLD.search(head)
    if found:
        return found[1].upper(), ["--check", found[2]] if found[2] else []
    stem = os.path.splitext(os.path.basename(task))[0]
    if stem.endswith(("_bug", "_unsafe", "_buggy")):
        return "UNSAFE", []
    return ("SAFE" if stem.endswith("_safe") else None), []


def check(slam, limit, options, task):
    """The verdict on a task, and the seconds of processor time."""
    expected, own = told(task)
    command = [slam, "check", "-q", "--threads", "1", "--time-limit", f"{limit}s", *own, *options, task]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with process.stdout:
        answer = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    found = VERDICT.search(answer)
    verdict = found[1] if found else None
    return verdict, verdict is not None and expected is not None and verdict != expected, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slam", default="target/release/slam")
    parser.add_argument("--limit", type=int, default=10, help="seconds for each task (10)")
    parser.add_argument("--jobs", type=int, choices=[1, 2], default=2)
    parser.add_argument("--row", action="append", choices=[name for name, _ in rows()], help="only these rows")
    parser.add_argument("tasks", nargs="+", metavar="TASK")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    all_tasks = tasks(given.tasks)
    print(f"{len(all_tasks)} tasks, {given.limit} s each\n")
    print("| sources | solved | wrong | CPU (s) |\n|---|---|---|---|")
    wrong_ones = []
    for name, options in rows():
        if given.row and name not in given.row:
            continue
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            answers = list(pool.map(lambda task: check(given.slam, given.limit, options, task), all_tasks))
        solved = sum(verdict is not None for verdict, _, _ in answers)
        wrong = [task for task, (_, is_wrong, _) in zip(all_tasks, answers) if is_wrong]
        wrong_ones += [f"{name}: {task}" for task in wrong]
        print(f"| {name} | {solved} | {len(wrong)} | {sum(seconds for _, _, seconds in answers):.1f} |", flush=True)
    for line in wrong_ones:
        print(f"wrong: {line}", file=sys.stderr)
    return 1 if wrong_ones else 0


if __name__ == "__main__":
    sys.exit(main())
