#!/usr/bin/env python3
"""Plots columns of a table of bench/results as an SVG: a line for each column, or for each value of a column.

usage: plot.py TABLE.tsv --x COLUMN --y COLUMN[,COLUMN...] [--by COLUMN] [--log] [--into FOLDER]

A table has comments (`# ...`), a line of column names, and rows, all separated by tabs. Rows without a number in a
plotted column are skipped. The plot is FOLDER/TABLE.svg.
"""
import argparse
import math
import pathlib
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 160, 20, 50
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b"]


def read(path):
    """The rows of a table, each a dictionary from column to text."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    if not lines:
        sys.exit(f"{path}: no line of column names")
    head = lines[0].split("\t")
    return head, [dict(zip(head, line.split("\t"))) for line in lines[1:]]


def number(text):
    """The number that a text is, or None."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def series(rows, x, columns, by, log):
    """Named lists of points in the order of x."""
    out = {}
    for row in rows:
        for column in columns:
            point = number(row.get(x)), number(row.get(column))
            if None in point or log and min(point) <= 0:
                continue
            parts = ([row.get(by, "")] if by else []) + ([column] if len(columns) > 1 or not by else [])
            out.setdefault(" ".join(parts), []).append(point)
    return {name: sorted(points) for name, points in out.items()}


class Axis:
    """A scale from values to pixels."""

    def __init__(self, values, start, end, log):
        self.log, self.start, self.end = log, start, end
        if log:
            self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        else:
            self.low, self.high = min(0, *values), max(values)
        if self.low == self.high:
            self.high = self.low + 1

    def __call__(self, value):
        value = math.log10(value) if self.log else value
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        if self.log:
            return [10.0**power for power in range(self.low, self.high + 1)]
        step = 10 ** math.floor(math.log10(self.high - self.low))
        step = next(s for s in (step / 5, step / 2, step, step * 2) if (self.high - self.low) / s <= 8)
        first = math.ceil(self.low / step)
        return [step * i for i in range(first, math.floor(self.high / step) + 1)]


def draw(lines, x, y, log):
    """The SVG text of the plot."""
    points = [point for line in lines.values() for point in line]
    across = Axis([p[0] for p in points], LEFT, WIDTH - RIGHT, log)
    up = Axis([p[1] for p in points], HEIGHT - BOTTOM, TOP, log)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for value in across.ticks():
        out.append(f'<path d="M{across(value):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(f'<text x="{across(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:g}</text>')
    for value in up.ticks():
        out.append(f'<path d="M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{up(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(x)}</text>')
    out.append(f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">{escape(y)}</text>')
    for i, (name, line) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        places = [(across(a), up(b)) for a, b in line]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in places]
        out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{TOP + 14 + 18 * i}" fill="{colour}">{escape(name)}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=pathlib.Path, metavar="TABLE.tsv")
    parser.add_argument("--x", required=True, metavar="COLUMN")
    parser.add_argument("--y", required=True, metavar="COLUMN[,COLUMN...]")
    parser.add_argument("--by", metavar="COLUMN", help="a line for each value of this column")
    parser.add_argument("--log", action="store_true", help="both axes are logarithmic")
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path("."), help="the folder of the SVG (here)")
    given = parser.parse_args()
    head, rows = read(given.table)
    columns = given.y.split(",")
    missing = [name for name in [given.x, *columns, *([given.by] if given.by else [])] if name not in head]
    if missing:
        sys.exit(f"{given.table}: no column {', '.join(missing)}; it has {', '.join(head)}")
    lines = series(rows, given.x, columns, given.by, given.log)
    if not lines:
        sys.exit(f"{given.table}: no row has numbers in these columns")
    given.into.mkdir(parents=True, exist_ok=True)
    file = given.into / f"{given.table.stem}.svg"
    file.write_text(draw(lines, given.x, ", ".join(columns), given.log), encoding="utf-8")
    print(file)


if __name__ == "__main__":
    main()
