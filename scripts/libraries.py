#!/usr/bin/env python3
"""How many questions about small public libraries are answered.

Each harness in `scripts/libraries/` gives one library arbitrary bytes. The libraries themselves are fetched into a folder outside of
the repository; nothing of them is kept here. One kind of check each:

    make build
    scripts/libraries.py --into FOLDER [--only NAME]… [--limit SECONDS] [--jobs N] [--tsv FILE] [-- OPTION…]

A library that is not in FOLDER yet is cloned. A table comes out: a row for each library, a column for each check, and how many
questions are answered. What follows `--` is given to `slam check` too.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
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


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--into", type=pathlib.Path, required=True, help="the folder of the libraries")
    reader.add_argument("--only", action="append", default=[], help="this library alone")
    reader.add_argument("--check", action="append", default=[], choices=CHECKS, help="this check alone")
    reader.add_argument("--limit", type=int, default=20, help="seconds for each question")
    reader.add_argument("--jobs", type=int, default=2, help="questions at a time")
    reader.add_argument("--slam", type=pathlib.Path, default=HERE.parent / "target" / "release" / "slam")
    reader.add_argument("--tsv", type=pathlib.Path, help="a line for each question goes to this file")
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


if __name__ == "__main__":
    main()
