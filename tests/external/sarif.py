#!/usr/bin/env python3
"""Validates SARIF files against the schema of SARIF 2.1.0.

    sarif.py [--packages DIR] FILE...

The schema is that of the Rust package serde-sarif, which cargo fetches; jsonschema comes from PyPI and is installed
into the folder that --packages names if it is missing. If one of them cannot be had the script ends with 77.
"""

import argparse
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
MANIFEST = '[package]\nname = "schema"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nserde-sarif = "=0.8.0"\n'


def schema():
    """The schema, through a manifest that nothing is built from."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "src").mkdir()
        (folder / "src" / "lib.rs").touch()
        (folder / "Cargo.toml").write_text(MANIFEST)
        command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", str(folder / "Cargo.toml")]
        told = subprocess.run(command, capture_output=True, text=True, timeout=120)
        packages = json.loads(told.stdout)["packages"] if told.returncode == 0 else []
    for package in packages:
        if package["name"] == "serde-sarif":
            return json.loads((pathlib.Path(package["manifest_path"]).parent / "src" / "schema.json").read_text())
    return None


def validator(folder):
    if folder:
        sys.path.insert(0, str(folder))
    for attempt in range(2):
        # The folder may not have been there when Python looked first.
        importlib.invalidate_caches()
        try:
            import jsonschema

            return jsonschema
        except ImportError:
            if attempt or not folder:
                return None
            install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "jsonschema"]
            subprocess.run(install, stdout=sys.stderr, timeout=120)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        jsonschema, rules = validator(arguments.packages), schema()
    except (OSError, subprocess.TimeoutExpired):
        jsonschema, rules = None, None
    if not jsonschema or not rules:
        print("skipped: jsonschema or the schema cannot be had")
        return SKIPPED
    if rules["properties"]["version"]["enum"] != ["2.1.0"]:
        sys.exit("this is not the schema of SARIF 2.1.0")
    check = jsonschema.validators.validator_for(rules)(rules)
    wrong = 0
    for file in arguments.files:
        for error in check.iter_errors(json.loads(file.read_text())):
            wrong += 1
            print(f"{file}: {error.json_path}: {error.message}")
    print(f"{len(arguments.files)} files, {wrong} errors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
