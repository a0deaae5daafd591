#!/usr/bin/env python3
"""Writes a BenchExec task definition for every example program whose verdict is known, and the sets of tasks.

The verdicts are those of the expectations in the programs (`//@ summaries: unsafe`), which the tests of fpsolve check.
With --check nothing is written, and the exit code says whether something would change.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"

# An algorithm that decides the programs of a folder, and the ending of its expectations.
SETS = {"programs": "summaries", "concurrent": "interleaving", "parameterized": "adequacy"}

TASK = """\
format_version: '2.0'

input_files: ../../../examples/{folder}/{program}

properties:
  - property_file: ../unreach-call.prp
    expected_verdict: {verdict}
"""


def verdict(program, algorithm):
    """Whether the program is safe, by the expectations of the algorithm that decide it."""
    lines = re.findall(rf"^//@ (?:\S+=\S+ )*{algorithm}: (safe|unsafe)\s*$", program.read_text(), re.M)
    verdicts = set(lines)
    if len(verdicts) > 1:
        sys.exit(f"{program} is safe and unsafe")
    return verdicts.pop() if verdicts else None


def files():
    """What is to be written: names and texts."""
    out = {}
    for folder, algorithm in SETS.items():
        tasks = []
        for program in sorted((EXAMPLES / folder).glob("*.bp")):
            answer = verdict(program, algorithm)
            if answer:
                name = f"{folder}-{program.stem}.yml"
                known = "true" if answer == "safe" else "false"
                out[f"tasks/{name}"] = TASK.format(folder=folder, program=program.name, verdict=known)
                tasks.append(f"tasks/{name}\n")
        out[f"{folder}.set"] = "".join(tasks)
    return out


def main():
    wanted = files()
    present = {str(path.relative_to(HERE)) for path in [*HERE.glob("*.set"), *HERE.glob("tasks/*.yml")]}
    changed = [name for name, text in wanted.items() if name not in present or (HERE / name).read_text() != text]
    stale = sorted(present - set(wanted))
    if "--check" in sys.argv:
        for name in changed + stale:
            print(f"out of date: {name}")
        return 1 if changed or stale else 0
    (HERE / "tasks").mkdir(exist_ok=True)
    for name in changed:
        (HERE / name).write_text(wanted[name])
    for name in stale:
        (HERE / name).unlink()
    print(f"{len(wanted)} files, {len(changed)} written, {len(stale)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
