"""Runs the command fpsolve and gives its JSON as objects.

The command is the one on the PATH, or the one that the variable FPSOLVE names.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from ._facts import write_facts
from ._result import Mistake, Query, Result, Trace, read

__all__ = ["run", "solve", "Mistake", "Query", "Result", "Trace"]


def run(file, model=None, *, facts=None, trace=False, deepen=None, timeout=None, memory=None, arguments=(), **params):
    """Runs a file of equations or a bundled algorithm, on a model if there is one; or a program alone.

    Any keyword that is not an option here is a parameter of the file: run("views", "prog.bp", k=2).
    Raises Mistake if the usage or the input is mistaken.
    """
    words = [str(file)] + ([] if model is None else [str(model)])
    return _run(words, None, facts, trace, deepen, timeout, memory, arguments, params)


def solve(text, model=None, *, facts=None, trace=False, deepen=None, timeout=None, memory=None, arguments=(), **params):
    """Runs equations that are given as a text."""
    words = ["-"] + ([] if model is None else [str(model)])
    return _run(words, text, facts, trace, deepen, timeout, memory, arguments, params)


def _run(words, text, facts, trace, deepen, timeout, memory, arguments, params):
    options = ["--format=json", "--all"] if not _is_program_alone(words) else ["--format=json"]
    options += ["--trace"] if trace else []
    options += [f"--set={name}={int(value)}" for name, value in params.items()]
    for name, value in [("deepen", deepen), ("timeout", timeout), ("memory", memory)]:
        options += [] if value is None else [f"--{name}={value}"]
    options += [str(word) for word in arguments]
    with tempfile.TemporaryDirectory(prefix="fpsolve-") as folder:
        if isinstance(facts, (str, os.PathLike)):
            options.append(f"--facts={facts}")
        elif facts is not None:
            write_facts(Path(folder), facts)
            options.append(f"--facts={folder}")
        command = [os.environ.get("FPSOLVE", "fpsolve"), *options, "--", *words]
        try:
            done = subprocess.run(command, input=text or "", capture_output=True, text=True, encoding="utf-8")
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"there is no command {command[0]!r}: put fpsolve on the PATH, or set FPSOLVE to where it is"
            ) from error
    return read(done.stdout, done.stderr, done.returncode)


def _is_program_alone(words):
    """Equations end with .fp or have no ending, as bundled algorithms do."""
    return len(words) == 1 and words[0] != "-" and Path(words[0]).suffix not in ("", ".fp")
