"""What a run says, as objects."""

import json
from dataclasses import dataclass, field
from html import escape
from typing import Any, Optional


class Mistake(Exception):
    """A mistake in the usage or the input. `diagnostics` has the places, as docs/json.md describes them."""

    def __init__(self, message, diagnostics, text):
        super().__init__(text.strip() or message)
        self.message = message
        self.diagnostics = diagnostics


@dataclass
class Query:
    """The answer to a query. What a limit left open is None."""

    name: str
    columns: list
    holds: Optional[bool]
    count: Optional[int]
    tuples: Optional[list]
    complete: bool

    def frame(self):
        """The tuples as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.tuples or [], columns=[column["name"] for column in self.columns])

    def _repr_html_(self):
        if not self.columns:
            return f"<code>{escape(self.name)}</code>: {escape(str(self.holds).lower())}"
        head = "".join(f"<th>{escape(column['name'])}</th>" for column in self.columns)
        shown = (self.tuples or [])[:20]
        rows = "".join("<tr>" + "".join(f"<td>{escape(show(cell))}</td>" for cell in row) + "</tr>" for row in shown)
        more = "" if self.count is None or self.count <= len(shown) else f"<p>… {self.count} in all</p>"
        return f"<p><code>{escape(self.name)}</code></p><table><tr>{head}</tr>{rows}</table>{more}"


@dataclass
class Trace:
    """A run to an error. `json` is the whole of it, as docs/json.md describes it."""

    json: dict

    @property
    def steps(self):
        return self.json["steps"]

    @property
    def threads(self):
        return [thread["name"] for thread in self.json["threads"]]

    @property
    def error(self):
        return self.json.get("error")

    def __str__(self):
        return "\n".join(" ".join(part for part in row if part) for row in self._rows())

    def _rows(self):
        names = self.threads
        for step in self.steps:
            line = step.get("line")
            changes = ", ".join(f"{c['variable']} = {show(c['value'])}" for c in step.get("changes", []))
            place = "" if line is None else f"{step.get('procedure') or ''}:{line}"
            after = step.get("configuration") or ""
            yield names[step["thread"]], place, step.get("text", ""), f"[{changes}]" if changes else "", after
        error = self.error
        if isinstance(error, dict):
            yield names[error["thread"]], f"{error['procedure']}:{error['line']}", error["text"], "fails", ""

    def _repr_html_(self):
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows())
        return f"<table>{rows}</table>"


@dataclass
class Result:
    """What a run says. `json` is the whole of it, as docs/json.md describes it."""

    verdict: Optional[str]
    message: Optional[str]
    reason: Optional[str]
    params: dict
    queries: dict
    trace: Optional[Trace]
    warnings: list
    exit: int
    json: dict = field(repr=False)

    def __getitem__(self, name):
        return self.queries[name]

    def __str__(self):
        head = f"{self.verdict}: {self.message or self.reason}" if self.message or self.reason else f"{self.verdict}"
        return head if self.trace is None else f"{head}\n{self.trace}"

    def _repr_html_(self):
        parts = [f"<p><b>{escape(str(self.verdict))}</b> {escape(self.message or self.reason or '')}</p>"]
        parts += [query._repr_html_() for query in self.queries.values()]
        parts += [] if self.trace is None else [self.trace._repr_html_()]
        return "".join(parts)


def show(value: Any) -> str:
    """A value as fpsolve prints it, about."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return value["name"] if set(value) >= {"name", "line"} else ", ".join(f"{k}={show(v)}" for k, v in value.items())
    return "?" if value is None else json.dumps(value) if isinstance(value, list) else str(value)


def read(text, complaint, code):
    """The result of a run from what it printed and its exit code."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise RuntimeError(f"fpsolve ended with {code} and printed no JSON: {complaint or text}") from error
    if "error" in document:
        raise Mistake(document["error"], document.get("diagnostics", []), _told(document, complaint))
    trace = document.get("trace")
    queries = [_query(query) for query in document.get("queries", [])]
    return Result(
        verdict=document.get("verdict"),
        message=document.get("message"),
        reason=document.get("reason"),
        params=document.get("params") or (document.get("answered_by") or {}).get("params", {}),
        queries={query.name: query for query in queries},
        trace=None if trace is None else Trace(trace),
        warnings=document.get("warnings", []),
        exit=code,
        json=document,
    )


def _query(query):
    tuples, count = query["tuples"], query["count"]
    return Query(
        name=query["name"],
        columns=query["columns"],
        holds=query.get("holds"),
        count=None if count is None else int(count),
        tuples=None if tuples is None else [tuple(row) for row in tuples],
        complete=query["complete"],
    )


def _told(document, complaint):
    lines = [complaint] if complaint.strip() else []
    for diagnostic in document.get("diagnostics", []):
        place = f"{diagnostic['file']}:{diagnostic['line']}: " if diagnostic.get("line") else ""
        lines.append(f"{place}{diagnostic['message']}" + (f" ({diagnostic['help']})" if diagnostic.get("help") else ""))
    return "\n".join(lines)
