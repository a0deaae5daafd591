"""Colours the samples of editors/vscode with its grammars, as an editor does, and compares with the snapshots; and looks
whether the book colours as editors do."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

EXTENSION = Path(__file__).resolve().parents[2] / "editors/vscode"
PACKAGES = ["vscode-oniguruma@2.0.1", "vscode-textmate@9.1.0"]


def impossible(why):
    print(f"skipped: {why}")
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", required=True, type=Path, help="where packages that are missing are installed")
    folder = parser.parse_args().packages
    if not shutil.which("node") or not shutil.which("npm"):
        impossible("no Node")
    shutil.rmtree(folder / "vscode", ignore_errors=True)
    shutil.copytree(EXTENSION, folder / "vscode", ignore=shutil.ignore_patterns("node_modules"))
    # The tests need two packages, not what the extension itself is made of.
    (folder / "vscode/package.json").unlink()
    if not (folder / "node_modules/vscode-textmate").exists():
        (folder / "package.json").write_text("{}\n")
        install = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", *PACKAGES]
        done = subprocess.run(install, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            impossible("npm cannot install what reads grammars")
    done = subprocess.run(["node", "test/grammar.js"], cwd=folder / "vscode")
    # The book colours with the same grammars.
    project = EXTENSION.parents[1]
    files = sorted([*(project / "algorithms").rglob("*.fp"), *(project / "examples").rglob("*.[fb]p")])
    book = ["node", folder / "vscode/test/grammar.js", "--book", project / "docs/book/colours.js", *files]
    sys.exit(done.returncode or subprocess.run(book).returncode)


main()
