#!/usr/bin/env python3
"""How many questions about small public libraries are answered.

Each harness in `scripts/libraries/` gives one library arbitrary bytes. The libraries themselves are fetched into a folder outside of
the repository; nothing of them is kept here. One kind of check each:

    make build
    scripts/libraries.py --into FOLDER [--only NAME]… [--limit SECONDS] [--jobs N] [--tsv FILE] [-- OPTION…]

A library that is not in FOLDER yet is cloned. A table comes out: a row for each library, a column for each check, and how many
questions are answered. What follows `--` is given to `slam check` too.

With `--runs N`, whatever is SAFE is also compiled by clang with the sanitizers that look for such errors, and executed N times with
random inputs; an execution that they stop refutes the answer, and the script ends with 1.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CHECKS = ["null", "bounds", "overflow", "div0", "free", "uninit"]

# The harness's name, the repository, its sources, the folder of its headers, and macros.
LIBRARIES = [
    ("jsmn", "zserge/jsmn", [], ".", []),
    ("regex", "kokke/tiny-regex-c", ["re.c"], ".", []),
    ("tinyexpr", "codeplea/tinyexpr", ["tinyexpr.c"], ".", []),
    ("heatshrink", "atomicobject/heatshrink", ["heatshrink_encoder.c"], ".", []),
    ("inih", "benhoyt/inih", ["ini.c"], ".", []),
    ("sds", "antirez/sds", ["sds.c"], ".", []),
    ("base64", "B-Con/crypto-algorithms", ["base64.c"], ".", []),
    ("sha256", "B-Con/crypto-algorithms", ["sha256.c"], ".", []),
    ("vec", "rxi/vec", ["src/vec.c"], "src", []),
    ("list", "clibs/list", ["src/list.c", "src/list_node.c", "src/list_iterator.c"], "src", []),
    ("buffer", "clibs/buffer", ["buffer.c"], ".", []),
    ("ring", "AndersKaloer/Ring-Buffer", ["ringbuffer.c"], ".", []),
    ("levenshtein", "wooorm/levenshtein.c", ["levenshtein.c"], ".", []),
    ("aes", "kokke/tiny-AES-c", ["aes.c"], ".", []),
]

# What looks for the errors of a check when the program runs.
SANITIZERS = {
    "null": "null,pointer-overflow",
    "bounds": "address,bounds",
    "overflow": "signed-integer-overflow,shift",
    "div0": "integer-divide-by-zero",
    "free": "address",
    "uninit": "memory",
}

# Inputs at random: small ones, any, and the largest and the smallest.
INPUTS = """
#include <stdlib.h>
static unsigned long long state;
__attribute__((constructor)) static void start(void) {
    state = strtoull(getenv("SEED"), 0, 10) * 0x9e3779b97f4a7c15ull + 1;
}
static unsigned long long bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
static unsigned long long input(void) {
    unsigned long long kind = bits() % 8, value = bits();
    return kind < 3 ? value % 4 : kind < 5 ? value % 128 : kind == 5 ? -(value % 4) : value;
}
#define INPUT(name, type) type __VERIFIER_nondet_##name(void) { return (type)input(); }
INPUT(bool, _Bool) INPUT(char, char) INPUT(uchar, unsigned char) INPUT(short, short) INPUT(ushort, unsigned short)
INPUT(int, int) INPUT(uint, unsigned) INPUT(long, long) INPUT(ulong, unsigned long)
"""

# Executions longer than this are stopped, and say nothing.
SECONDS = 1


def place_of(repository, folder):
    """The folder of the repository's sources."""
    return folder / repository.replace("/", "+")


def lay_out(repository, folder):
    """Clones the repository if it is not there yet."""
    into = place_of(repository, folder)
    if not into.exists():
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"https://github.com/{repository}", str(into)], check=True)


def asked(question):
    """What `slam check` answers to one question: the verdict line's words, and the seconds it took."""
    slam, folder, limit, options, (name, repository, sources, headers, macros), check = question
    place = place_of(repository, folder)
    command = [str(slam), "check", str(HERE / "libraries" / f"{name}.c")]
    command += [str(place / source) for source in sources]
    command += ["-I", str(place / headers), "--check", check, "--time-limit", f"{limit}s"]
    command += [f"-D{macro}" for macro in macros] + options
    started = time.monotonic()
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        done = subprocess.run(command + ["--json", result.name], capture_output=True, text=True)
        try:
            answer = json.load(open(result.name))
            verdict = answer["verdict"]
            reason = answer["verdict_line"].removeprefix("VERDICT: ")
        except (ValueError, KeyError):
            verdict, reason = "refused", (done.stderr.strip().splitlines() or [""])[0]
    return name, check, verdict, reason, time.monotonic() - started


def stopped(question, runs):
    """How many of so many executions the sanitizers for the question's check stop, and how many ended."""
    _, folder, _, _, (name, repository, sources, headers, macros), check = question
    place = place_of(repository, folder)
    with tempfile.TemporaryDirectory() as scratch:
        inputs = pathlib.Path(scratch) / "inputs.c"
        inputs.write_text(INPUTS)
        program = str(pathlib.Path(scratch) / "program")
        command = ["clang", "-w", "-g", "-O1", f"-fsanitize={SANITIZERS[check]}", "-fno-sanitize-recover=all", "-o", program]
        command += [str(HERE / "libraries" / f"{name}.c"), str(inputs)] + [str(place / source) for source in sources]
        command += ["-I", str(place / headers), "-lm"] + [f"-D{macro}" for macro in macros]
        subprocess.run(command, check=True)
        failures, ended = 0, 0
        for seed in range(1, runs + 1):
            # Every failure has a status that no program returns by itself here.
            own = {"SEED": str(seed), "ASAN_OPTIONS": "exitcode=99:detect_leaks=0:allocator_may_return_null=1",
                   "MSAN_OPTIONS": "exitcode=99:allocator_may_return_null=1", "UBSAN_OPTIONS": "abort_on_error=1"}
            try:
                done = subprocess.run([program], env=os.environ | own, capture_output=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                continue
            ended += 1
            failures += done.returncode == 99 or done.returncode < 0
    return failures, ended


def refuted(questions, answers, runs, jobs):
    """Executes what is SAFE; whether some execution says otherwise."""
    safe = [question for question, answer in zip(questions, answers) if answer[2] == "SAFE"]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        counts = list(pool.map(lambda question: stopped(question, runs), safe))
    print(f"{sum(ended for _, ended in counts)} executions of {len(safe)} that are SAFE, with sanitizers.")
    wrong = [(question, count) for question, (count, _) in zip(safe, counts) if count]
    for (*_, library, check), count in wrong:
        print(f"REFUTED: {library[0]}, {check}: {count} of {runs} executions are stopped")
    return bool(wrong)


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--into", type=pathlib.Path, required=True, help="the folder of the libraries")
    reader.add_argument("--only", action="append", default=[], help="this library alone")
    reader.add_argument("--check", action="append", default=[], choices=CHECKS, help="this check alone")
    reader.add_argument("--limit", type=int, default=20, help="seconds for each question")
    reader.add_argument("--jobs", type=int, default=2, help="questions at a time")
    reader.add_argument("--slam", type=pathlib.Path, default=HERE.parent / "target" / "release" / "slam")
    reader.add_argument("--tsv", type=pathlib.Path, help="a line for each question goes to this file")
    reader.add_argument("--runs", type=int, default=0, help="executions with sanitizers of what is SAFE")
    reader.add_argument("options", nargs="*", help="options of slam check")
    options = reader.parse_args()

    libraries = [library for library in LIBRARIES if not options.only or library[0] in options.only]
    checks = options.check or CHECKS
    for library in libraries:
        lay_out(library[1], options.into)
    questions = [(options.slam, options.into, options.limit, options.options, library, check)
                 for library in libraries for check in checks]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = list(pool.map(asked, questions))

    table = collections.defaultdict(dict)
    for name, check, verdict, reason, seconds in answers:
        words = re.sub(r"UNKNOWN\((.*)\)", r"\1", reason)
        table[name][check] = f"{words}, {seconds:.1f} s"
    print("| library | " + " | ".join(checks) + " |")
    print("|---" * (len(checks) + 1) + "|")
    for name, row in table.items():
        print(f"| {name} | " + " | ".join(row[check] for check in checks) + " |")
    counts = collections.Counter(verdict for _, _, verdict, _, _ in answers)
    print(f"\n{counts['SAFE'] + counts['UNSAFE']} of {len(answers)} questions answered: "
          f"{counts['SAFE']} SAFE, {counts['UNSAFE']} UNSAFE.")
    if options.tsv:
        options.tsv.write_text("".join(f"{name}\t{check}\t{verdict}\t{reason}\t{seconds:.2f}\n"
                                       for name, check, verdict, reason, seconds in answers))
    if options.runs and refuted(questions, answers, options.runs, options.jobs):
        sys.exit(1)


if __name__ == "__main__":
    main()
