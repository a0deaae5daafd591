#!/usr/bin/env python3
"""Talks to `fpsolve lsp` as an editor does, and prints the requests, the answers in short, and the times.

    lsp_exchange.py FPSOLVE FILE.fp NAME

NAME is a name in the file, which is asked about where it first stands.
"""

import json
import subprocess
import sys
import time
from pathlib import Path


class Editor:
    def __init__(self, command):
        self.server = subprocess.Popen([command, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.server.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.server.stdout.readline().strip()):
            length = int(line.split(b": ")[1])
        return json.loads(self.server.stdout.read(length))

    def tell(self, method, params, answered=False):
        begin = time.perf_counter()
        self.send({"method": method, "params": params})
        if answered:
            self.show(method, begin, self.receive()["params"]["diagnostics"])

    def ask(self, method, params):
        self.last += 1
        begin = time.perf_counter()
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.last and "method" not in message:
                self.show(method, begin, message.get("result"))
                return

    def show(self, method, begin, answer):
        text = json.dumps(answer, ensure_ascii=False)
        many = f"{len(answer)} entries: " if isinstance(answer, list) else ""
        short = text if len(text) < 160 else text[:157] + "…"
        print(f"{(time.perf_counter() - begin) * 1000:7.1f} ms  {method}\n            {many}{short}")


def main():
    command, path, name = sys.argv[1:]
    path = Path(path).resolve()
    text = path.read_text()
    before = text[: text.index(name)]
    place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
    uri = path.as_uri()
    document = {"textDocument": {"uri": uri}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}
    editor = Editor(command)
    editor.ask("initialize", {"capabilities": {}})
    editor.tell("initialized", {})
    opened = {"uri": uri, "languageId": "fp", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", {"textDocument": opened}, answered=True)
    changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text.replace(name, name + "x", 1)}]}
    editor.tell("textDocument/didChange", changed, answered=True)
    changed["contentChanges"] = [{"text": text}]
    editor.tell("textDocument/didChange", changed, answered=True)
    for method in ["hover", "definition", "references", "completion", "prepareRename"]:
        editor.ask(f"textDocument/{method}", {**document, "position": place, "context": {"includeDeclaration": True}})
    editor.ask("textDocument/rename", {**document, "position": place, "newName": name + "2"})
    for method in ["documentSymbol", "inlayHint", "codeAction", "codeLens", "formatting"]:
        editor.ask(f"textDocument/{method}", {**document, "range": whole, "options": {}, "context": {"diagnostics": []}})
    editor.ask("shutdown", None)
    editor.tell("exit", None)


main()
