#!/usr/bin/env python3
"""Writes a C program in which N threads work by themselves, each behind a lock of its own: `workers.py N > workers.c`.

With `--open K` worker number K (from 0) does one part of its work twice without the lock, beside a thread that does the same.
The time of `slam check --max-threads N workers.c` shows what threads that have nothing to do with each other cost.
"""

import argparse
import sys

WORKER = """
static pthread_mutex_t lock{n} = PTHREAD_MUTEX_INITIALIZER;
static int done{n};

static void *work{n}(void *unused) {{
    for (int i = 0; i < 3; i++) {{
        {take}pthread_mutex_lock(&lock{n});
        int seen = done{n};
        done{n} = seen + 1;
        {give}pthread_mutex_unlock(&lock{n});
    }}
    return 0;
}}
"""


def program(number, opened):
    out = ["#include <assert.h>\n#include <pthread.h>\n"]
    for n in range(number):
        comment = "// " if n == opened else ""
        out.append(WORKER.format(n=n, take=comment, give=comment))
    threads = [*range(number), *([] if opened is None else [opened])]
    out.append(f"\nint main(void) {{\n    pthread_t threads[{len(threads)}];\n")
    for t, n in enumerate(threads):
        out.append(f"    pthread_create(&threads[{t}], 0, work{n}, 0);\n")
    for t in range(len(threads)):
        out.append(f"    pthread_join(threads[{t}], 0);\n")
    for n in range(number):
        out.append(f"    assert(done{n} == {6 if n == opened else 3});\n")
    out.append("    return 0;\n}\n")
    return "".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", type=int, help="how many threads")
    parser.add_argument("--open", type=int, help="the worker that works without its lock, twice")
    given = parser.parse_args()
    if given.number < 1 or given.open is not None and not 0 <= given.open < given.number:
        parser.error("there is no such worker")
    sys.stdout.write(program(given.number, given.open))


if __name__ == "__main__":
    main()
