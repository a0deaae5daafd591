#!/usr/bin/env python3
"""Builds docs/book with mdBook, and looks whether every link leads somewhere and whether the search knows the chapters.

    book.py [--book DIR]      DIR is the folder with book.toml

Exit codes: 0 all is well; 1 something is wrong, and what; 77 there is no mdBook. Only Python's own library is used.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
# They repeat the chapters, or have no text.
PAGES_OF_MDBOOK = {"404.html", "index.html", "print.html", "toc.html"}


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        link = given.get("href") if tag == "a" else given.get("src") if tag == "img" else None
        if link:
            self.links.append(link)


def headings(text):
    """The anchors that code hosts make of the headings of a Markdown file."""
    for line in text.splitlines():
        if line.startswith("#"):
            kept = re.sub(r"[^\w\s-]", "", line.lstrip("#").strip())
            yield kept.replace(" ", "-").lower()


def broken(link, page, pages, built, book):
    """Why a link leads nowhere, if it does."""
    target, _, anchor = link.partition("#")
    inside = (built / target).resolve() if target else built / page
    if inside.is_relative_to(built):
        if not inside.is_file():
            return "no such page"
        known = pages.get(str(inside.relative_to(built)))
        return "no such place" if anchor and known and anchor not in known.anchors else None
    # A file of the project, seen from where the book is built, with what pages.js makes of such links.
    path = (book / "book" / re.sub(r"\.html$", ".md", re.sub("^../docs/", "../../", target))).resolve()
    if not path.exists():
        return f"the project has no {target}"
    if anchor and path.suffix == ".md" and anchor not in headings(path.read_text()):
        return "no such heading"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--book", type=Path, default=PROJECT / "docs/book")
    book = parser.parse_args().book.resolve()
    if not shutil.which("mdbook"):
        print("skipped: no mdbook here; `cargo install mdbook` installs it")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder).resolve()
        done = subprocess.run(["mdbook", "build", str(book), "--dest-dir", folder], capture_output=True, text=True)
        told = done.stdout + done.stderr
        if done.returncode != 0 or re.search(r"\b(WARN|ERROR)\b", told):
            sys.exit(f"mdbook build:\n{told}")
        names = sorted(path.name for path in built.glob("*.html") if path.name not in PAGES_OF_MDBOOK)
        pages = {name: Page((built / name).read_text()) for name in names}
        links = [(name, link) for name in names for link in pages[name].links if not re.match(r"[a-z]+:", link)]
        wrong = [(name, link, broken(link, name, pages, built, book)) for name, link in links]
        wrong = [f"{name}: {link}: {why}" for name, link, why in wrong if why]
        index = "".join(path.read_text() for path in built.glob("searchindex*.js"))
        wrong += [f"the search does not know {name}" for name in names if name not in index]
    print("\n".join(wrong))
    print(f"{len(names)} pages, {len(links)} links, {len(wrong)} broken")
    sys.exit(1 if wrong else 0)


main()
