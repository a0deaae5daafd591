#!/usr/bin/env python3
"""Compares fpsolve with solvers that nobody here wrote.

Every question of the examples is exported, to Z3 as Horn clauses and to clingo as Datalog, and the answers are
compared: whether a query has a tuple (Z3), and how many it has (clingo). Questions that cannot be exported, and those
that the other solver does not decide in time, are counted and named with -v.

    compare.py --fpsolve target/release/fpsolve [--quick] [--only z3] [--timeout 20] [-v] [PATH...]

z3-solver and clingo come from PyPI. If they are missing they are installed into the folder that --packages names;
without such a folder, or without a network, the script says so and ends with 77.
"""

import argparse
import collections
import importlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
SOLVERS = ("z3", "clingo")

# Examples that both solvers decide within a second or so.
QUICK = [
    *(f"examples/calculus/{name}.fp" for name in (
        "bisimulation", "counter", "ctl", "cycle", "dominators", "numbers", "points_to", "reachability_game",
        "same_generation", "transitive_closure",
    )),
    "examples/concurrent/lock_pair.bp",
    "examples/programs/double_fetch.bp",
    "examples/programs/legacy_frames.bp",
]


def importable(folder):
    """Makes the packages importable; says whether they are."""
    if folder and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    # The folder may not have been there when Python looked first.
    importlib.invalidate_caches()
    try:
        import clingo  # noqa: F401
        import z3  # noqa: F401
    except ImportError:
        return False
    return True


def install(folder):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "z3-solver", "clingo"]
    try:
        return subprocess.run(command, stdout=sys.stderr, timeout=240).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class Question:
    """A run of fpsolve: its arguments, and what it is called."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments


def questions(path):
    """What is asked about a file: an .fp file itself, a program with the algorithms that its expectations name."""
    text = path.read_text()
    name = str(path.relative_to(ROOT))
    if path.suffix == ".fp":
        facts = re.search(r"^//@ facts=(\S+)", text, re.M)
        arguments = [str(path)] + (["--facts", str(path.parent / facts[1])] if facts else [])
        return [Question(name, arguments)]
    seen = {}
    for line in re.findall(r"^//@ (.*)$", text, re.M):
        settings = re.findall(r"(\w+)=(-?\d+)(?!\.)\s", line)
        algorithm = re.search(r"(\w+)(?:\.\w+)?\s*:", line)
        expected = line.split(":", 1)[1].strip()
        if ".." in line.split(":")[0] or expected.startswith("fp::"):
            continue
        arguments = [algorithm[1], str(path)]
        for key, value in settings:
            arguments += ["--set", f"{key}={value}"]
        label = " ".join([f"{key}={value}" for key, value in settings] + [algorithm[1], name])
        seen[label] = Question(label, arguments)
    return list(seen.values())


class Comparison:
    def __init__(self, arguments):
        self.fpsolve = str(pathlib.Path(arguments.fpsolve).resolve())
        self.timeout = arguments.timeout
        self.verbose = arguments.verbose
        self.solvers = [arguments.only] if arguments.only else list(SOLVERS)
        self.counts = collections.Counter()
        self.reasons = collections.Counter()

    def tell(self, solver, outcome, name, detail=""):
        self.counts[solver, outcome] += 1
        if self.verbose or outcome == "differs":
            print(f"{solver:7} {outcome:9} {name} {detail}".rstrip(), flush=True)

    def refuse(self, solver, name, diagnostic):
        """The title without the names and numbers in it is the reason."""
        lines = diagnostic.split("×")[-1].split("\n  help:")[0].split("\n")
        title = " ".join(re.sub(r"^ *│ *", "", line).strip() for line in lines if not re.match(r" *([╭╰·]|\d+ │)", line))
        self.reasons[solver, re.sub(r"`[^`]*`|\b\d+\b", "…", title.strip())] += 1
        self.tell(solver, "refused", name, title.strip())

    def run(self, *arguments):
        return subprocess.run([self.fpsolve, *arguments], capture_output=True, text=True)

    def compare(self, question):
        limit = f"{self.timeout}s"
        run = self.run(*question.arguments, "--no-early-stop", "--format", "json", "--timeout", limit)
        if run.returncode not in (0, 1, 3):
            raise SystemExit(f"fpsolve failed on {question.name}: {run.stdout}{run.stderr}")
        answer = json.loads(run.stdout)
        if answer["reason"]:
            return self.tell("fpsolve", "undecided", question.name)
        queries = {query["name"]: query for query in answer["queries"]}
        if "z3" in self.solvers:
            for query in queries.values():
                self.ask_z3(question, query)
        if "clingo" in self.solvers:
            self.ask_clingo(question, queries)

    def ask_z3(self, question, query):
        name = f"{question.name}: {query['name']}"
        exported = self.run("export", *question.arguments, "--to", "smt2", "--query", query["name"])
        if exported.returncode == 2 and "fp::not_exportable" in exported.stderr:
            return self.refuse("z3", name, exported.stderr)
        if exported.returncode != 0:
            raise SystemExit(f"cannot export {name}: {exported.stderr}")
        answer = z3_answer(exported.stdout, self.timeout)
        if answer not in ("sat", "unsat"):
            return self.tell("z3", "undecided", name, answer)
        holds = re.search(r"^; (sat|unsat): it holds", exported.stdout, re.M)[1] == answer
        expected = query["count"] != "0"
        self.tell("z3", "agrees" if holds == expected else "differs", name, f"({answer})")

    def ask_clingo(self, question, queries):
        exported = self.run("export", *question.arguments, "--to", "souffle")
        if exported.returncode == 2 and "fp::not_exportable" in exported.stderr:
            return self.refuse("clingo", question.name, exported.stderr)
        if exported.returncode != 0:
            raise SystemExit(f"cannot export {question.name}: {exported.stderr}")
        counts = clingo_counts(exported.stdout, self.timeout)
        if counts is None:
            return self.tell("clingo", "undecided", question.name)
        titles = dict(re.findall(r"^\.decl (\w+)\(.*\) // (.*)$", exported.stdout, re.M))
        for relation, count in counts.items():
            title = titles.get(relation, relation)
            if title in queries:
                same = queries[title]["count"] == str(count)
                detail = f"{count}, fpsolve {queries[title]['count']}"
                self.tell("clingo", "agrees" if same else "differs", f"{question.name}: {title}", detail)


def z3_answer(text, timeout):
    """In a process of its own: Z3 does not always mind its time limit."""
    program = "import sys, z3; s = z3.SolverFor('HORN'); s.from_string(sys.stdin.read()); print(s.check())"
    try:
        command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"]
        run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "timeout"
    return run.stdout.strip() or run.stderr.strip().split("\n")[-1]


def clingo_counts(text, timeout):
    """How many tuples each output has. The stable model of a stratified program is its meaning."""
    outputs = re.findall(r"^\.output (\w+)$", text, re.M)
    text = re.sub(r"//.*$", "", text, flags=re.M)
    text = re.sub(r"^\.(decl|output) .*$", "", text, flags=re.M)
    text = re.sub(r"!(?!=)", "not ", text)
    text = text.replace(" % ", " \\ ")
    program = (
        "import sys, json, clingo, collections\n"
        "c = clingo.Control(['--warn=none'])\n"
        "c.add('base', [], sys.stdin.read())\n"
        "c.ground([('base', [])])\n"
        "n = collections.Counter()\n"
        "def model(m): n.update(s.name for s in m.symbols(atoms=True))\n"
        "c.solve(on_model=model)\n"
        "print(json.dumps(n))\n"
    )
    try:
        command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{program}"]
        run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode != 0:
        raise SystemExit(f"clingo refuses the program: {run.stderr}")
    counts = json.loads(run.stdout)
    return {output: counts.get(output, 0) for output in outputs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fpsolve", required=True)
    parser.add_argument("--quick", action="store_true", help="only what takes about a second each")
    parser.add_argument("--only", choices=SOLVERS, help="ask one of the solvers")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for each question to another solver")
    parser.add_argument("--packages", type=pathlib.Path, help="a folder for z3-solver and clingo")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every question")
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if not importable(arguments.packages) and not (
        arguments.packages and install(arguments.packages) and importable(arguments.packages)
    ):
        print("skipped: z3-solver and clingo are not there and cannot be installed")
        return SKIPPED
    paths = arguments.paths or [ROOT / path for path in (QUICK if arguments.quick else ["examples"])]
    files = []
    for path in paths:
        path = path.resolve()
        files += sorted(f for f in path.rglob("*") if f.suffix in (".fp", ".bp")) if path.is_dir() else [path]
    comparison = Comparison(arguments)
    for file in files:
        for question in questions(file):
            comparison.compare(question)
    counts = comparison.counts
    for solver in comparison.solvers:
        parts = [f"{counts[solver, outcome]} {outcome}" for outcome in ("agrees", "differs", "undecided", "refused")]
        print(f"{solver}: {', '.join(parts)}")
        for (_, reason), count in comparison.reasons.most_common():
            if _ == solver:
                print(f"  {count} refused: {reason}")
    print(f"fpsolve: {counts['fpsolve', 'undecided']} undecided")
    wrong = any(counts[solver, "differs"] or not counts[solver, "agrees"] for solver in comparison.solvers)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
