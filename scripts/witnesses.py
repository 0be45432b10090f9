#!/usr/bin/env python3
"""Whether witnesses hold what they promise: of each program a witness is written, its shape is checked, and it is validated, which
has to confirm it. Then it is changed so that it is wrong, and no change may be confirmed.

    scripts/witnesses.py --slam SLAM [--limit SECONDS] [--validate SECONDS] [--unsafe N] [--safe N] [--mutants N] [--lint LINT] FILE.c|FOLDER|TABLE.tsv ...

An interrupt (Ctrl-C) ends the work with what is known so far. Of a table the columns `file` and `data_model` are read; its files are beside FOLDER. LINT is a program that is called with
--program FILE.c WITNESS and succeeds where the witness is well-formed.

A change is known to be wrong without asking slam:
  value      an input is another one, and the program, compiled and run with these inputs, does not reach the error
  branch     a branch goes the other way, which is met once, while all inputs are given: the compiled program reaches the error with them
  target     the error is at a line where nothing is checked
  never      an invariant says 0 of a loop that the compiled program comes to
  constant   a number in an invariant is another one, and the compiled program comes to the loop with a state that it excludes
"""

import argparse
import collections
import contextlib
import csv
import pathlib
import random
import re
import subprocess
import sys
import tempfile

# What an input function returns, as the compiled program has it.
TYPES = {
    "int": "int", "uint": "unsigned int", "unsigned": "unsigned int", "unsigned_int": "unsigned int", "long": "long",
    "ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long", "char": "char",
    "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "bool": "_Bool", "_Bool": "_Bool",
}
REACHED, TOO_MANY, EXCLUDED = 107, 108, 109
RUNS = 8


def programs(given, rng):
    """The files with their data models, those of folders in a random order."""
    out = []
    for name in given:
        path = pathlib.Path(name)
        if path.suffix == ".tsv":
            rows = csv.DictReader(path.open(), delimiter="\t")
            out += [(row["file"], row["data_model"]) for row in rows]
        elif path.is_dir():
            own = sorted(p for p in path.rglob("*") if p.suffix in (".c", ".i"))
            rng.shuffle(own)
            out += [(str(p), "LP64") for p in own]
        else:
            out.append((name, "LP64"))
    return out


class Slam:
    """Calls of the checker."""

    def __init__(self, program, limit):
        self.program, self.limit = program, limit

    def check(self, model, *options):
        command = [self.program, "check", "--time-limit", f"{self.limit}s", "--data-model", model, *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        lines = done.stdout.strip().splitlines()
        return lines[-1].removeprefix("VERDICT: ") if lines else "none"

    def validated(self, model, file, text, folder):
        witness = folder / "changed.yml"
        witness.write_text(text)
        return self.check(model, "--validate-witness", str(witness), file)


class Waypoint:
    """A part of a witness: its stretch of the text, its type, line, column and value."""

    def __init__(self, text, start, end):
        self.start, self.end = start, end
        part = text[start:end]
        self.type = re.search(r"type: (\w+)", part)[1]
        self.line, self.column = (int(re.search(rf"{key}: (\d+)", part)[1]) for key in ("line", "column"))
        self.value = re.search(r'value: ("(?:[^"\\]|\\.)*"|.*)', part)

    def with_value(self, text, value):
        """The witness with another value here."""
        at = self.start + self.value.start(1)
        return text[:at] + value + text[self.start + self.value.end(1):]

    def with_line(self, text, line):
        at = re.search(r"line: (\d+)", text[self.start:self.end])
        return text[:self.start + at.start(1)] + str(line) + text[self.start + at.end(1):]


def parts(text):
    starts = [m.start() for m in re.finditer(r"- (waypoint|invariant):", text)]
    return [Waypoint(text, a, b) for a, b in zip(starts, starts[1:] + [len(text)])]


def inputs(text, waypoints, source):
    """The results of input functions in order, each with its type; None where they are not all."""
    lines = source.splitlines()
    out = []
    for w in waypoints:
        if w.type == "assumption":
            return None
        if w.type == "function_return":
            before = lines[w.line - 1][:w.column]
            called = re.findall(r"__VERIFIER_nondet_(\w+)\s*\(\s*\)$", before)
            number = re.search(r"== (-?\d+)", w.value[1])
            if not called or called[0] not in TYPES or not number:
                return None
            out.append((called[0], int(number[1])))
    return out


def harness(values, seed):
    """The definitions that the compiled program lacks: inputs from a list, then an end, or all of them drawn (None)."""
    numbers = ", ".join(f"{v % 2**64}ULL" for _, v in values or []) or "0"
    draw = f"""
static unsigned long long state = {seed}ULL;
static unsigned long long next(void) {{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    unsigned long long drawn = state >> 33;
    return drawn % 3 ? drawn % 9 : drawn % 2 ? drawn : -(drawn % 9);
}}"""
    given = f"""
static const unsigned long long given[] = {{{numbers}}};
static unsigned at;
static unsigned long long next(void) {{
    if (at == {len(values or [])}) _Exit({TOO_MANY});
    return given[at++];
}}"""
    functions = [f"{ty} __VERIFIER_nondet_{name}(void) {{ return ({ty}) next(); }}" for name, ty in TYPES.items()]
    ends = f"""
void __assert_fail(const char *a, const char *b, unsigned c, const char *d) {{ _Exit({REACHED}); }}
void __VERIFIER_assume(int c) {{ if (!c) _Exit(0); }}
void __VERIFIER_error(void) {{ _Exit({REACHED}); }}
__attribute__((weak)) void reach_error(void) {{ _Exit({REACHED}); }}
__attribute__((weak)) void abort(void) {{ _Exit(0); }}"""
    head = "extern void _Exit(int) __attribute__((noreturn));"
    return "\n".join([head, draw if values is None else given, *functions, ends, ""])


def compiled(source, model, more, folder):
    """The program that gcc makes of the text and of what it lacks; None where it makes none."""
    (folder / "program.c").write_text(source)
    (folder / "more.c").write_text(more)
    binary = folder / "program"
    binary.unlink(missing_ok=True)
    command = ["gcc", "-w", "-O0", "-fno-builtin", "-std=gnu11", "-m64" if model == "LP64" else "-m32", "-o", str(binary)]
    objects = []
    for name in ("program", "more"):
        made = subprocess.run([*command[:-2], "-c", "-o", str(folder / f"{name}.o"), str(folder / f"{name}.c")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if made.returncode:
            return None
        objects.append(str(folder / f"{name}.o"))
    # The program's own definitions of these end the run as well.
    weak = [f"--weaken-symbol={name}" for name in ("reach_error", "__VERIFIER_assume", "abort", "__VERIFIER_error")]
    subprocess.run(["objcopy", *weak, objects[0]], check=True)
    done = subprocess.run([*command, *objects], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return None if done.returncode else binary


def ends(binary):
    """The exit code of the compiled program; None where it does not come to its end."""
    try:
        return subprocess.run([str(binary)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=5).returncode
    except subprocess.TimeoutExpired:
        return None


def ends_with(values, source, model, folder):
    """How the compiled program ends with these inputs, if it asks for no others."""
    binary = compiled(source, model, harness(values, 0), folder)
    return None if binary is None else ends(binary)


OTHER_INPUTS = re.compile(r"\b(scanf|fscanf|getchar|getc|fgetc|fgets|gets|read|fread|getenv|time|rand|argv)\b")


def wrong_errors(text, source, model, folder, rng):
    """Witnesses of errors that no execution passes, each with what was changed."""
    waypoints = parts(text)
    values = inputs(text, waypoints, source)
    places = collections.Counter((w.type, w.line, w.column) for w in waypoints)
    once = [w for w in waypoints if places[(w.type, w.line, w.column)] == 1]
    lines = source.splitlines()
    target = waypoints[-1]
    empty = [n + 1 for n, line in enumerate(lines) if not line.strip()]
    if empty:
        yield "target", target.with_line(text, rng.choice(empty))
    # With these the program does what it does, and there are no other ones.
    if values is None or OTHER_INPUTS.search(source) or ends_with(values, source, model, folder) != REACHED:
        return
    returns = [w for w in waypoints if w.type == "function_return"]
    if all(w in once for w in returns):
        branches = [w for w in once if w.type == "branching"]
        for w in rng.sample(branches, min(2, len(branches))):
            yield "branch", w.with_value(text, '"false"' if "true" in w.value[1] else '"true"')
        for n in rng.sample(range(len(returns)), min(2, len(returns))):
            name, old = values[n]
            new = rng.choice([v for v in (0, 1, old + 1, max(0, old - 1), 7) if v != old])
            changed = values[:n] + [(name, new)] + values[n + 1:]
            if ends_with(changed, source, model, folder) == 0:
                yield "value", returns[n].with_value(text, f'"\\\\result == {new}"')


def excluded(w, condition, source, model, folder, rng):
    """Whether the compiled program comes to the loop in a state in which the condition is false."""
    lines = source.splitlines(keepends=True)
    at = sum(map(len, lines[:w.line - 1])) + w.column - 1
    head = re.compile(r"while\s*\(").match(source, at)
    if not head:
        return False
    test = f"(({condition}) ? (void) 0 : _Exit({EXCLUDED}), 1) && "
    depth, end = 1, head.end()
    while end < len(source) and depth:
        depth += {"(": 1, ")": -1}.get(source[end], 0)
        end += 1
    watched = source[:head.end()] + test + "(" + source[head.end():end - 1] + ")" + source[end - 1:]
    watched = "extern void _Exit(int) __attribute__((noreturn));\n" + watched
    for _ in range(RUNS):
        binary = compiled(watched, model, harness(None, rng.randrange(1, 2**40)), folder)
        if binary is None:
            return False
        if ends(binary) == EXCLUDED:
            return True
    return False


def unquoted(value):
    return value[1:-1].replace('\\"', '"').replace("\\\\", "\\") if value.startswith('"') else value


def wrong_proofs(text, source, model, folder, rng):
    """Witnesses of proofs with an invariant that fails, each with what was changed."""
    for w in parts(text):
        condition = unquoted(w.value[1].strip())
        if excluded(w, "0", source, model, folder, rng):
            yield "never", w.with_value(text, '"0"')
        numbers = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", condition))
        for m in rng.sample(numbers, min(2, len(numbers))):
            changed = condition[:m.start()] + str(int(m[0]) + rng.choice([1, 2, 5])) + condition[m.end():]
            if excluded(w, changed, source, model, folder, rng):
                yield "constant", w.with_value(text, f'"{changed}"')


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("files", nargs="+")
    ap.add_argument("--slam", required=True)
    ap.add_argument("--limit", type=int, default=10, help="seconds for an answer")
    ap.add_argument("--validate", type=int, help="seconds for a validation (as many)")
    ap.add_argument("--unsafe", type=int, default=10**9)
    ap.add_argument("--safe", type=int, default=10**9)
    ap.add_argument("--mutants", type=int, default=10**9)
    ap.add_argument("--lint")
    ap.add_argument("--beside", type=pathlib.Path, default=pathlib.Path("."), help="the folder that files of a table are in")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--keep", type=pathlib.Path, help="the folder for changed witnesses that are confirmed")
    given = ap.parse_args()
    rng = random.Random(given.seed)
    slam, validator = Slam(given.slam, given.limit), Slam(given.slam, given.validate or given.limit)
    wanted = {"UNSAFE": given.unsafe, "SAFE": given.safe}
    written, confirmed, malformed = collections.Counter(), collections.Counter(), 0
    tried, held = collections.Counter(), []
    failures = []
    with tempfile.TemporaryDirectory() as scratch, contextlib.suppress(KeyboardInterrupt):
        folder = pathlib.Path(scratch)
        for name, model in programs(given.files, rng):
            file = str(given.beside / name)
            if not any(written[word] < most for word, most in wanted.items()):
                break
            witness = folder / "witness.yml"
            witness.unlink(missing_ok=True)
            verdict = slam.check(model, "--write-witness", str(witness), file)
            word = re.match(r"\w*", verdict)[0]
            if word not in wanted or written[word] >= wanted[word] or not witness.exists():
                continue
            written[word] += 1
            text = witness.read_text()
            if given.lint:
                linted = subprocess.run([given.lint, "--program", file, str(witness)], stdout=subprocess.PIPE, text=True)
                malformed += linted.returncode != 0
                if linted.returncode:
                    failures.append(f"{file}: malformed: {linted.stdout.strip()}")
            answer = validator.check(model, "--validate-witness", str(witness), file)
            confirmed[word] += answer == "CONFIRMED"
            if answer != "CONFIRMED":
                failures.append(f"{file}: the witness of {verdict}: {answer}")
            source = pathlib.Path(file).read_text(errors="replace")
            wrong = wrong_errors if word == "UNSAFE" else wrong_proofs
            for what, changed in wrong(text, source, model, folder, rng):
                if sum(tried.values()) >= given.mutants:
                    break
                tried[what] += 1
                answer = validator.validated(model, file, changed, folder)
                if answer == "CONFIRMED":
                    held.append(what)
                    failures.append(f"{file}: confirmed though wrong ({what})")
                    if given.keep:
                        (given.keep / f"{len(held)}-{what}.yml").write_text(changed)
            print(f"{file}: {verdict}", file=sys.stderr)
    for line in failures:
        print(line)
    for word in wanted:
        print(f"{word}: {written[word]} written, {confirmed[word]} confirmed")
    if given.lint:
        print(f"malformed: {malformed}")
    each = ", ".join(f"{n} {what}" for what, n in sorted(tried.items()))
    print(f"wrong witnesses: {sum(tried.values())} tried ({each or 'none'}), {len(held)} confirmed")
    total = sum(written.values())
    sys.exit(1 if held or malformed or sum(confirmed.values()) < 0.95 * total else 0)


main()
