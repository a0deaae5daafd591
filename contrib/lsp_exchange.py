#!/usr/bin/env python3
"""Talks to `fpsolve lsp` as an editor does, and prints the requests, the answers in short, and the times.

    lsp_exchange.py FPSOLVE FILE.fp NAME [MODEL]

NAME is a name in the file, which is asked about where it first stands. The file is run on MODEL.
"""

import json
import subprocess
import sys
import time
from pathlib import Path


# So many characters of an answer are printed.
SHOWN = 330
# How long the run takes at most, in seconds.
RUN = 5


class Editor:
    def __init__(self, command, folder):
        self.folder = folder
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
            answer = self.receive()["params"]["diagnostics"]
            self.show(method, begin, answer)
            return answer

    def ask(self, method, params):
        self.last += 1
        begin = time.perf_counter()
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.last and "method" not in message:
                self.show(method, begin, message.get("result"))
                return message.get("result")

    def show(self, method, begin, answer):
        text = json.dumps(answer, ensure_ascii=False).replace(self.folder, "file:///…")
        many = f"{len(answer)} entries: " if isinstance(answer, list) else ""
        short = text if len(text) < SHOWN else text[:SHOWN] + "…"
        print(f"{(time.perf_counter() - begin) * 1000:7.1f} ms  {method}\n            {many}{short}")


def main():
    command, path, name = sys.argv[1:4]
    model = str(Path(sys.argv[4]).resolve()) if len(sys.argv) > 4 else ""
    path = Path(path).resolve()
    text = path.read_text()
    before = text[: text.index(name)]
    place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
    uri = path.as_uri()
    document = {"textDocument": {"uri": uri}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}
    editor = Editor(command, path.parent.as_uri())
    editor.ask("initialize", {"capabilities": {}, "initializationOptions": {"model": model}})
    editor.tell("initialized", {})
    opened = {"uri": uri, "languageId": "fp", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", {"textDocument": opened}, answered=True)
    changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text.replace(name, name + "x", 1)}]}
    for mistake in editor.tell("textDocument/didChange", changed, answered=True):
        asked = {"range": mistake["range"], "context": {"diagnostics": [mistake]}}
        editor.ask("textDocument/codeAction", {**document, **asked})
    changed["contentChanges"] = [{"text": text}]
    editor.tell("textDocument/didChange", changed, answered=True)
    for method in ["hover", "definition", "references", "completion", "prepareRename"]:
        editor.ask(f"textDocument/{method}", {**document, "position": place, "context": {"includeDeclaration": True}})
    editor.ask("textDocument/rename", {**document, "position": place, "newName": name + "2"})
    for method in ["documentSymbol", "inlayHint", "formatting"]:
        editor.ask(f"textDocument/{method}", {**document, "range": whole, "options": {}})
    lens = editor.ask("textDocument/codeLens", document)[0]["command"]
    editor.ask("workspace/executeCommand", {"command": lens["command"], "arguments": lens["arguments"]})
    # The run is a process of its own; the server answers as before.
    editor.ask("textDocument/hover", {**document, "position": place})
    time.sleep(RUN)
    for lens in editor.ask("textDocument/codeLens", document)[1:]:
        editor.ask("textDocument/hover", {**document, "position": lens["range"]["start"]})
    editor.ask("shutdown", None)
    editor.tell("exit", None)


main()
