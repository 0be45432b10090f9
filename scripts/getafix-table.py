#!/usr/bin/env python3
"""Programs of the shapes of the suites of [LMP09 Fig. 2], and the figure's columns for our engines.

usage: getafix-table.py [--getafix BIN] [--bebop BIN] [--suite NAME]... [--limit SECONDS] [--keep DIR]

Regression: small programs with a few procedures. Driver: 150 procedures, 10,000 lines, few globals, many small
locals, calls downwards. Terminator: 4 procedures with loops over many globals and locals, which the calls pass on.
All are made from fixed seeds. Times are CPU seconds of the whole process.
"""
import argparse, os, random, re, subprocess, tempfile


class Text:
    def __init__(self):
        self.lines = []

    def __call__(self, line):
        self.lines.append(line)

    def text(self):
        return "\n".join(self.lines) + "\n"


def condition(rng, names):
    one = lambda: rng.choice(["", "!"]) + rng.choice(names)
    return rng.choice([one(), f"({one()} & {one()})", f"({one()} | {one()})", "*"])


def value(rng, names):
    one = lambda: rng.choice(["", "!"]) + rng.choice(names)
    return rng.choice([one(), one(), f"{one()} & {one()}", f"{one()} ^ {one()}", f"choose[{one()}, {one()}]", "*", "0", "1", "0", "1", "0", "1"])


def statements(rng, w, indent, count, names, targets, callees, depth):
    pad = "  " * indent
    while count > 0:
        kind = rng.random()
        if kind < 0.12 and callees:
            callee, formals, returns = rng.choice(callees)
            args = ", ".join(rng.choice(names + ["0", "1"]) for _ in range(formals))
            results = rng.sample(targets, returns) if len(targets) >= returns else []
            left = ", ".join(results) + " := " if results else ""
            w(f"{pad}{left}{callee}({args});")
            count -= 1
        elif kind < 0.30 and depth > 0 and count > 4:
            inside = min(count - 3, rng.randint(2, 8))
            w(f"{pad}if ({condition(rng, names)}) then")
            statements(rng, w, indent + 1, inside, names, targets, callees, depth - 1)
            w(f"{pad}else")
            statements(rng, w, indent + 1, 1, names, targets, callees, 0)
            w(f"{pad}fi")
            count -= inside + 4
        elif kind < 0.34 and depth > 0 and count > 4:
            inside = min(count - 2, rng.randint(2, 6))
            w(f"{pad}while (*) do")
            statements(rng, w, indent + 1, inside, names, targets, callees, depth - 1)
            w(f"{pad}od")
            count -= inside + 2
        elif kind < 0.42:
            w(f"{pad}assume({condition(rng, names)} | *);")
            count -= 1
        elif kind < 0.80:
            w(f"{pad}skip;")
            count -= 1
        else:
            n = min(len(targets), rng.choice([1, 1, 2]))
            chosen = rng.sample(targets, n)
            w(f"{pad}{', '.join(chosen)} := {', '.join(value(rng, names) for _ in chosen)};")
            count -= 1


def layered(seed, procs, lines, globals_, locals_, formals, returns, reach):
    """Procedures that call those below them; an automaton in two globals is what the goal asks about."""
    rng = random.Random(seed)
    w = Text()
    gs = [f"g{i}" for i in range(globals_)]
    w(f"decl s0, s1, {', '.join(gs)};" if gs else "decl s0, s1;")
    shapes = [("main", 0, 0)]
    for p in range(1, procs):
        # Most procedures are small, as in drivers: the largest numbers are rare.
        few = lambda most: rng.choice([0, 0, 0, min(1, most), min(1, most), rng.randint(0, most)])
        shapes.append((f"p{p}", few(formals), few(returns)))
    for p, (name, n, r) in enumerate(shapes):
        fs = [f"a{i}" for i in range(n)]
        ls = [f"l{i}" for i in range(max(r, 1, rng.choice([1, 1, 1, 2, 2, rng.randint(1, locals_)])))]
        w("")
        w(f"{'void' if r == 0 else f'bool<{r}>'} {name}({', '.join(fs)}) begin")
        w(f"  decl {', '.join(ls)};")
        if p == 0:
            w("  s0, s1 := 0, 0;")
        below = shapes[p + 1 : p + 1 + 12]
        # Every procedure is called by the one above it, so all are reachable.
        if below:
            callee, m, k = below[0]
            left = ", ".join(ls[:k]) + " := " if 0 < k <= len(ls) else ""
            w(f"  {left}{callee}({', '.join(rng.choice(fs + ls + gs) for _ in range(m))});")
        body = max(4, lines // procs - 12)
        names = fs + ls + gs
        statements(rng, w, 1, body, names, fs + ls + gs, below, 2)
        if p == 0:
            w("  s0 := 0;")
        # A lock: taken and given back.
        w("  if (!s0) then s0 := 1;")
        w("    if (s1) then L%d: skip; fi" % p)
        w("  fi")
        if not (reach and p == procs - 1):
            w("  s0 := 0;")
        else:
            w("  s1 := s0;")
        if r:
            w(f"  return {', '.join(rng.choice(names) for _ in range(r))};")
        w("end")
    text = w.text()
    # The goal: in main, after the calls.
    return re.sub(r"\bL0: skip;", "GOAL: skip;", text)


def terminator(seed, globals_, locals_, lines, formals, returns, reach):
    """Copies of variables that loops and recursive calls change alike; the goal asks whether they differ."""
    rng = random.Random(seed)
    w = Text()
    half = globals_ // 2
    gs = [f"g{i}" for i in range(half)] + [f"h{i}" for i in range(half)]
    w(f"decl bad, {', '.join(gs)};")
    procs = 4
    shapes = [(f"p{i}", formals, returns) for i in range(1, procs)]
    w("void main() begin")
    w(f"  {', '.join(gs[:half])}, {', '.join(gs[half:])}, bad := {', '.join(['0'] * len(gs))}, 0;")
    w(f"  p1({', '.join(['0'] * formals)});")
    differ = " | ".join(f"(g{i} != h{i})" for i in range(half))
    w(f"  if ({differ} | bad) then GOAL: skip; fi")
    w("end")
    pairs = locals_ // 2
    for p, (name, n, r) in enumerate(shapes):
        fs = [f"a{i}" for i in range(n)]
        w("")
        w(f"{'void' if r == 0 else f'bool<{r}>'} {name}({', '.join(fs)}) begin")
        w("  decl t, u" + "".join(f", x{i}, y{i}" for i in range(pairs)) + ";")
        for i in range(pairs):
            w(f"  t := *; x{i}, y{i} := t, t;")
        w("  while (*) do")
        for _ in range(max(4, lines // procs - pairs - 8)):
            k = rng.random()
            i, j = rng.randrange(pairs), rng.randrange(pairs)
            if k < 0.3:
                w(f"    if (*) then x{i}, y{i} := !x{i}, !y{i}; fi")
            elif k < 0.5 and i != j:
                w(f"    x{i}, x{j}, y{i}, y{j} := x{j}, x{i}, y{j}, y{i};")
            elif k < 0.7:
                op = rng.choice("^&|")
                w(f"    x{i}, y{i} := x{i} {op} x{j}, y{i} {op} y{j};")
            elif k < 0.85:
                g = rng.randrange(half)
                w(f"    g{g}, h{g} := x{i}, y{i};")
            elif fs and k < 0.92:
                w(f"    t := {rng.choice(fs)}; x{i}, y{i} := x{i} ^ t, y{i} ^ t;")
            else:
                callee, m, q = rng.choice(shapes)
                args = ", ".join(rng.choice(["t", "0", "1"] + fs) for _ in range(m))
                results = ["t", "u"][:q]
                left = ", ".join(results) + " := " if results and q <= 2 else ""
                w(f"    if (*) then {left}{callee}({args}); fi")
        if reach and p == 2:
            w("    if (x0 & g0) then y0 := !y0; fi")
        w("  od")
        w("  if (" + " | ".join(f"(x{i} != y{i})" for i in range(pairs)) + ") then bad := 1; fi")
        if r:
            w(f"  return {', '.join(rng.choice(fs + ['t', 'u']) for _ in range(r))};")
        w("end")
    return w.text()


def suites():
    yield "Regression, positive", [layered(s, 7, 330, 1, 3, 2, 2, True) for s in range(1, 9)]
    yield "Regression, negative", [layered(s, 7, 220, 2, 4, 2, 2, False) for s in range(21, 29)]
    yield "Driver A, positive", [layered(s, 150, 10000, 4, 6, 4, 2, True) for s in range(41, 43)]
    yield "Driver B, positive", [layered(s, 103, 17000, 5, 8, 5, 2, True) for s in range(51, 52)]
    yield "Driver C, negative", [layered(s, 116, 10000, 8, 6, 4, 2, False) for s in range(61, 63)]
    yield "Driver D, positive", [layered(s, 158, 12000, 14, 9, 6, 3, True) for s in range(71, 72)]
    yield "Terminator-A", [terminator(81, 8, 24, 284, 4, 2, True)]
    yield "Terminator-B", [terminator(82, 14, 14, 471, 3, 1, False)]
    yield "Terminator-C", [terminator(83, 22, 6, 908, 0, 0, False)]


def run(command, limit):
    out = subprocess.run(command, capture_output=True, text=True)
    stat = lambda name: next((m[1] for m in [re.search(rf"STAT {name}: (\S+)", out.stdout)] if m), "")
    verdict = re.search(r"VERDICT: (.*)", out.stdout)
    return verdict[1] if verdict else "?", float(stat("cpu-ms") or 0) / 1000, stat("bdd-nodes"), stat("top-rounds")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--getafix", default="target/release/getafix")
    ap.add_argument("--bebop", default="target/release/bebop")
    ap.add_argument("--suite", action="append")
    ap.add_argument("--limit", type=int, default=60)
    ap.add_argument("--engine", action="append")
    ap.add_argument("--keep")
    z = ap.parse_args()
    folder = z.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    print("| suite | programs | LOC | globals | procedures | answer | nodes | rounds EF | rounds EF-opt | EF (s) | EF-opt (s) | bebop (s) |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    totals = [0.0, 0.0, 0.0]
    for name, programs in suites():
        if z.suite and not any(s in name for s in z.suite):
            continue
        sums, nodes, rounds, answers = [0.0, 0.0, 0.0], [], [[], []], set()
        for i, text in enumerate(programs):
            path = os.path.join(folder, re.sub(r"\W+", "-", name) + f"-{i}.bp")
            with open(path, "w") as f:
                f.write(text)
            tail = ["--label", "GOAL", "--no-trace", "--stats", "--time-limit", f"{z.limit}s"]
            runs = [
                run([z.getafix, path, "--algorithm", "ef"] + tail, z.limit),
                run([z.getafix, path, "--algorithm", "ef-opt"] + tail, z.limit),
                run([z.bebop, path] + tail, z.limit),
            ]
            for k, (verdict, cpu, size, top) in enumerate(runs):
                sums[k] += cpu
                answers.add(verdict)
                if k < 2:
                    rounds[k].append(int(top or 0))
            nodes.append(int(runs[0][2] or 0))
        totals = [a + b for a, b in zip(totals, sums)]
        n = len(programs)
        mean = lambda xs: sum(xs) // max(1, len(xs))
        loc = mean([sum(1 for l in t.splitlines() if l.strip()) for t in programs])
        gl = mean([t.splitlines()[0].count(",") + 1 for t in programs])
        pr = mean([t.count("begin") for t in programs])
        print(f"| {name} | {n} | {loc} | {gl} | {pr} | {', '.join(sorted(answers))} | {mean(nodes)} | {mean(rounds[0])} | {mean(rounds[1])} | "
              + " | ".join(f"{s / n:.2f}" for s in sums) + " |", flush=True)
    print(f"| total | | | | | | | | | {totals[0]:.1f} | {totals[1]:.1f} | {totals[2]:.1f} |")


if __name__ == "__main__":
    main()
