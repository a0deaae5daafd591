#!/usr/bin/env python3
"""Runs BenchExec on the tasks of contrib/benchexec, with limits, and compares its scores with the verdicts.

    benchexec.py --fpsolve target/release/fpsolve [--packages FOLDER] [--set summaries] [--containers]

Every task of the set must have the expected verdict, and with a limit on memory that nothing fits into, none has.
BenchExec runs in its no-container mode, with --containers in a container if the machine allows one; if there are no
cgroups, only wall time is limited, and the script says so. benchexec comes from PyPI. If it is missing it is installed
into the folder that --packages names; without such a folder, or without a network, the script says so and ends with 77.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "contrib/benchexec"
SKIPPED = 77

BARE = ["--no-container"]
# Without overlayfs the file system can still be shown read-only; the temporary folder, which a container hides, may be
# where the project is.
CONTAINERS = [[], ["--read-only-dir", "/", "--hidden-dir", "/home", "--read-only-dir", str(ROOT)]]
LIMITS = re.compile(r'timelimit="[^"]*" hardtimelimit="[^"]*" memlimit="[^"]*" cpuCores="[^"]*"')
SMALL = 'timelimit="30 s" hardtimelimit="40 s" memlimit="8 MB" cpuCores="1"'
WALL_ONLY = 'walltimelimit="30 s"'


class BenchExec:
    def __init__(self, arguments, folder):
        self.set, self.folder = arguments.set, folder
        packages = [str(arguments.packages)] if arguments.packages else []
        self.environment = dict(os.environ)
        self.environment["PYTHONPATH"] = os.pathsep.join([*packages, str(FOLDER), os.environ.get("PYTHONPATH", "")])
        self.environment["PATH"] = os.pathsep.join([str(arguments.fpsolve.resolve().parent), os.environ["PATH"]])
        self.runs = 0

    def is_there(self):
        command = [sys.executable, "-c", "import benchexec.benchexec"]
        return subprocess.run(command, env=self.environment, capture_output=True).returncode == 0

    def run(self, mode, limits=None):
        """What a run of a set prints. The definition stays in its folder: paths in it are relative."""
        self.runs += 1
        text = (FOLDER / "examples.xml").read_text()
        assert LIMITS.search(text), "examples.xml has other limits than this script knows"
        text = text.replace("<includesfile>", f"<includesfile>{FOLDER}/")
        text = text.replace("<propertyfile>", f"<propertyfile>{FOLDER}/")
        definition = self.folder / f"definition_{self.runs}.xml"
        definition.write_text(LIMITS.sub(limits, text) if limits else text)
        command = [sys.executable, "-m", "benchexec.benchexec", *mode, str(definition), "-r", self.set]
        command += ["--no-compress-results", "-o", f"{self.folder}/results_{self.runs}/"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with subprocess.Popen(command, env=self.environment, cwd=ROOT, start_new_session=True, **pipes) as process:
            try:
                return process.communicate(timeout=120)[0]
            except subprocess.TimeoutExpired:
                # The process that sets up a container may be stuck, and belongs to the same group.
                os.killpg(process.pid, signal.SIGKILL)
                return "Error: no answer in two minutes"


def install(folder):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "benchexec"]
    try:
        return subprocess.run(command, stdout=sys.stderr, timeout=240).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def score(told, what):
    found = re.search(rf"^ *{what}: +(\d+)", told, re.M)
    return int(found[1]) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fpsolve", required=True, type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path, help="a folder for benchexec")
    parser.add_argument("--set", default="summaries", help="a run definition of examples.xml")
    parser.add_argument("--containers", action="store_true", help="try containers first")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        benchexec = BenchExec(arguments, pathlib.Path(folder))
        if not benchexec.is_there() and not (
            arguments.packages and install(arguments.packages) and benchexec.is_there()
        ):
            print("skipped: benchexec is not there and cannot be installed")
            return SKIPPED
        containers = CONTAINERS if arguments.containers else []
        attempts = [(mode, None) for mode in [*containers, BARE]] + [(BARE, WALL_ONLY)]
        for mode, limits in attempts:
            told = benchexec.run(mode, limits)
            files = score(told, "Statistics")
            if files:
                break
            reason = next((line for line in told.splitlines() if "Error" in line or "error" in line), told[-300:])
            print(f"not possible here: benchexec {' '.join(mode)}: {reason.strip()}")
        else:
            print("skipped: benchexec does not run on this machine")
            return SKIPPED
        correct = score(told, "correct")
        limited = "limits on time and memory" if limits is None else "a limit on wall time only: no cgroups"
        print(f"benchexec {' '.join(mode) or 'in a container'}, {limited}: {correct} of {files} correct")
        right = correct == files and score(told, "incorrect") == 0
        if limits is None:
            starved = benchexec.run(mode, SMALL)
            unknown, files = score(starved, "unknown"), score(starved, "Statistics")
            print(f"with 8 MB of memory: {unknown} of {files} without an answer")
            right = right and "OUT OF MEMORY" in starved and unknown == files
        if not right:
            print(told)
        return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
