//! The language server, driven over its protocol as an editor does.

use crate::support::command_in;
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

const LIBRARY: &str = "//! Paths in a graph.\nrange Node = 0..3;\nrel edge(x, y: Node) = { (0, 1), (1, 2) };\n\
    // In one step or more.\nmu Path(x, y: Node) = edge(x, y) | exists z. Path(x, z) & edge(z, y);\n";
const FILE: &str = "use \"lib.fp\";\n\nmu Reach(x: Node) =\n    begin: x = 0\n  | step: exists y. Reach(y) & edge(y, x);\n\
    query Where(x: Node) = Reach(x) & Path(0, x);\nverdict unsafe if Reach(3);\nverdict safe;\n";
const PROGRAM: &str = "decl lock;\nvoid main() begin\n  decl mine;\n  mine := *;\nagain:\n  lock := mine;\n  \
    if (lock) then goto again; fi\n  assert(!lock);\nend\n";

struct Editor {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
    last: i64,
    /// What the server said of itself, and nobody has looked at yet.
    told: VecDeque<Json>,
}

impl Editor {
    fn begin(files: &[(&str, &str)]) -> Editor {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let mut server =
            command_in(folder.path(), "lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let to = server.stdin.take().unwrap();
        let from = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Editor { server, to, from, folder, last: 0, told: VecDeque::new() };
        let lens = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let hello = editor.ask("initialize", json!({ "capabilities": lens }));
        assert_eq!(hello["serverInfo"]["name"], "fpsolve");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Json) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn receive(&mut self) -> Json {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server went away");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap(),
                _ => break,
            }
        }
        let mut text = vec![0; length];
        self.from.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    fn tell(&mut self, method: &str, params: Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn response(&mut self, method: &str, params: Json) -> Json {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
            self.told.push_back(message);
        }
    }

    fn ask(&mut self, method: &str, params: Json) -> Json {
        let response = self.response(method, params);
        assert!(response["error"].is_null(), "{method}: {response}");
        response["result"].clone()
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().join(name).display())
    }

    /// Opens a file and gives its mistakes.
    fn open(&mut self, name: &str) -> Json {
        let text = fs::read_to_string(self.folder.path().join(name)).unwrap();
        let document = json!({ "uri": self.uri(name), "languageId": "fp", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.mistakes()
    }

    fn change(&mut self, name: &str, text: &str) -> Json {
        let document = json!({ "uri": self.uri(name), "version": 2 });
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
        self.mistakes()
    }

    fn mistakes(&mut self) -> Json {
        loop {
            let message = self.told.pop_front().unwrap_or_else(|| self.receive());
            if message["method"] == "textDocument/publishDiagnostics" {
                return message["params"]["diagnostics"].clone();
            }
        }
    }

    /// Asks about the place where some words stand in a text, from their first letter on.
    fn about(&mut self, method: &str, name: &str, text: &str, words: &str, more: Json) -> Json {
        let mut params =
            json!({ "textDocument": { "uri": self.uri(name) }, "position": position(text, words) });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.ask(&format!("textDocument/{method}"), params)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.ask("shutdown", Json::Null);
            self.tell("exit", Json::Null);
            assert!(self.server.wait().unwrap().success());
        }
    }
}

fn position(text: &str, words: &str) -> Json {
    let before = &text[..text.find(words).unwrap_or_else(|| panic!("no {words}"))];
    let line = before.matches('\n').count();
    json!({ "line": line, "character": before.len() - before.rfind('\n').map_or(0, |at| at + 1) })
}

/// The text at the ranges of an answer.
fn words(text: &str, range: &Json) -> String {
    let line = text.lines().nth(range["start"]["line"].as_u64().unwrap() as usize).unwrap();
    let at = |key: &str| range[key]["character"].as_u64().unwrap() as usize;
    line[at("start")..at("end")].into()
}

#[test]
fn mistakes_are_told_while_typing_and_mended() {
    let wrong = FILE.replace("& edge(y, x)", "& egde(y, x)");
    let mut editor = Editor::begin(&[("lib.fp", LIBRARY), ("a.fp", &wrong)]);
    let mistakes = editor.open("a.fp");
    assert_eq!(mistakes.as_array().unwrap().len(), 1, "{mistakes}");
    assert_eq!((&mistakes[0]["severity"], &mistakes[0]["code"]), (&json!(1), &json!("fp::unknown_name")));
    assert!(mistakes[0]["message"].as_str().unwrap().contains("did you mean `edge`?"));
    let range = mistakes[0]["range"].clone();
    let asked = json!({ "textDocument": { "uri": editor.uri("a.fp") }, "range": range, "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", asked);
    let edit = &actions[0]["edit"]["changes"][editor.uri("a.fp")][0];
    assert_eq!((words(&wrong, &edit["range"]), &edit["newText"]), ("egde".into(), &json!("edge")));
    assert_eq!(editor.change("a.fp", FILE), json!([]));
    assert_eq!(editor.change("a.fp", &FILE.replace("query", "query query"))[0]["code"], "fp::syntax");
    // What was known before is still answered.
    let symbols =
        editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": editor.uri("a.fp") } }));
    let names =
        symbols.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(names, ["Reach", "Where"]);
}

#[test]
fn names_are_found_across_files() {
    let mut editor = Editor::begin(&[("lib.fp", LIBRARY), ("a.fp", FILE)]);
    assert_eq!(editor.open("a.fp"), json!([]));
    assert_eq!(editor.open("lib.fp")[0]["code"], "fp::nothing_to_do");
    let definition = editor.about("definition", "a.fp", FILE, "Path(0", json!({}));
    assert_eq!(
        (definition["uri"].as_str().unwrap(), words(LIBRARY, &definition["range"])),
        (editor.uri("lib.fp").as_str(), "Path".into())
    );
    let definition = editor.about("definition", "a.fp", FILE, "y) & edge", json!({}));
    assert_eq!(
        (&definition["range"]["start"], words(FILE, &definition["range"])),
        (&position(FILE, "y. Reach"), "y".into())
    );
    let context = json!({ "context": { "includeDeclaration": true } });
    let references = editor.about("references", "lib.fp", LIBRARY, "edge(x, y:", context.clone());
    let places = references
        .as_array()
        .unwrap()
        .iter()
        .map(|place| place["uri"].as_str().unwrap() == editor.uri("lib.fp"));
    assert_eq!(places.collect::<Vec<_>>(), [true, true, true, false], "{references}");
    assert_eq!(editor.about("references", "a.fp", FILE, "Path(0", context), {
        let mut other = editor.about("references", "lib.fp", LIBRARY, "Path(x, y:", json!({}));
        other.as_array_mut().unwrap().sort_by_key(|place| place["uri"] != editor.uri("lib.fp"));
        other
    });
    let renamed = editor.about("rename", "a.fp", FILE, "Path(0", json!({ "newName": "Way" }));
    let edits = |name: &str| renamed["changes"][editor.uri(name)].as_array().unwrap().len();
    assert_eq!((edits("lib.fp"), edits("a.fp")), (2, 1), "{renamed}");
    for bad in ["exists", "a b", "", "1x", "Reach"] {
        let params = json!({ "textDocument": { "uri": editor.uri("a.fp") }, "position": position(FILE, "Path(0"), "newName": bad });
        assert!(editor.response("textDocument/rename", params)["error"]["message"].is_string(), "{bad}");
    }
}

#[test]
fn sorts_are_shown_and_names_offered() {
    let mut editor = Editor::begin(&[("lib.fp", LIBRARY), ("a.fp", FILE)]);
    editor.open("a.fp");
    let hover = |editor: &mut Editor, words: &str| {
        editor.about("hover", "a.fp", FILE, words, json!({}))["contents"]["value"]
            .as_str()
            .unwrap()
            .to_string()
    };
    assert_eq!(hover(&mut editor, "y. Reach"), "```fp\ny: Node\n```");
    let value =
        "```fp\nmu Reach(x: Node) =\n    begin: x = 0\n  | step: exists y. Reach(y) & edge(y, x);\n```";
    assert_eq!(hover(&mut editor, "Reach(y)"), value);
    let value = hover(&mut editor, "Path(0");
    assert!(value.starts_with("```fp\nmu Path(x, y: Node) = edge(x, y) | "), "{value}");
    assert!(value.contains(";\n```\n\nIn one step or more.\n\n"), "{value}");
    assert!(value.ends_with("lib.fp: Paths in a graph."), "{value}");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let inlays = editor.about("inlayHint", "a.fp", FILE, "use", json!({ "range": range }));
    assert_eq!((inlays.as_array().unwrap().len(), &inlays[0]["label"]), (1, &json!(": Node")), "{inlays}");
    let offered = editor.about("completion", "a.fp", FILE, "Reach(y)", json!({}));
    let labels =
        offered.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect::<Vec<_>>();
    assert!(
        ["Path", "Reach", "Node", "edge", "x", "y", "exists"].iter().all(|name| labels.contains(name)),
        "{labels:?}"
    );
    let offered = editor.about("completion", "a.fp", FILE, "verdict unsafe", json!({}));
    assert!(offered.as_array().unwrap().iter().all(|one| one["label"] != "y"), "y is not seen there");
    let untidy = FILE.replace("mu Reach(x: Node) =\n", "mu   Reach( x:Node ) =\n");
    editor.change("a.fp", &untidy);
    let edits = editor.ask(
        "textDocument/formatting",
        json!({ "textDocument": { "uri": editor.uri("a.fp") }, "options": {} }),
    );
    assert!(edits[0]["newText"].as_str().unwrap().contains("\nmu Reach(x: Node) =\n"), "{edits}");
}

#[test]
fn a_lens_runs_the_file() {
    let mut editor = Editor::begin(&[("lib.fp", LIBRARY), ("a.fp", FILE)]);
    editor.open("a.fp");
    let uri = json!({ "textDocument": { "uri": editor.uri("a.fp") } });
    let lens = editor.ask("textDocument/codeLens", uri.clone())[0]["command"].clone();
    assert_eq!(lens["title"], "run");
    editor.ask(
        "workspace/executeCommand",
        json!({ "command": lens["command"], "arguments": lens["arguments"] }),
    );
    let begin = Instant::now();
    let lenses = loop {
        let lenses = editor.ask("textDocument/codeLens", uri.clone());
        if lenses[0]["command"]["title"].as_str().unwrap().starts_with("run again: safe (") {
            break lenses;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{lenses}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(lenses[1]["command"]["title"], "2 tuples");
    let hover = editor.about("hover", "a.fp", FILE, "Where", json!({}));
    let value = hover["contents"]["value"].as_str().unwrap();
    assert!(value.ends_with("Where: 2 tuples  \n`1`  \n`2`"), "{value}");
}

#[test]
fn programs_have_names_too() {
    let mut editor = Editor::begin(&[("p.bp", PROGRAM)]);
    assert_eq!(editor.open("p.bp"), json!([]));
    let definition = editor.about("definition", "p.bp", PROGRAM, "again; fi", json!({}));
    assert_eq!(definition["range"]["start"], position(PROGRAM, "again:"));
    let references = editor.about("references", "p.bp", PROGRAM, "mine;\n  if", json!({}));
    assert_eq!(references.as_array().unwrap().len(), 3);
    let symbols =
        editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": editor.uri("p.bp") } }));
    assert_eq!((&symbols[1]["name"], &symbols[1]["children"][0]["name"]), (&json!("main"), &json!("again")));
    let mistakes = editor.change("p.bp", &PROGRAM.replace("lock := mine", "lokc := mine"));
    assert_eq!(
        (&mistakes[0]["code"], &mistakes[0]["range"]["start"]["line"]),
        (&json!("bp::undeclared_variable"), &json!(5))
    );
}

#[test]
fn nothing_ends_the_server_but_the_editor() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("algorithms/linear_interfaces.fp");
    let text = fs::read_to_string(path).unwrap();
    let mut editor = Editor::begin(&[("a.fp", &text)]);
    assert_eq!(editor.open("a.fp"), json!([]));
    let uri = editor.uri("a.fp");
    // Every place can be asked about.
    let methods = ["hover", "definition", "completion", "references", "prepareRename"];
    for line in (0..text.lines().count() + 2).step_by(3) {
        for (method, character) in methods.iter().zip([0, 7, 20, 33, 1000]) {
            let place = json!({ "line": line, "character": character });
            editor.ask(
                &format!("textDocument/{method}"),
                json!({ "textDocument": { "uri": uri }, "position": place }),
            );
        }
    }
    // Half a text is a text.
    for end in (0..text.len()).step_by(211).filter(|end| text.is_char_boundary(*end)) {
        editor.change("a.fp", &text[..end]);
    }
    let missing =
        editor.response("textDocument/hover", json!({ "textDocument": { "uri": "file:///nowhere.fp" } }));
    assert!(missing["error"]["message"].is_string());
    assert!(editor.response("workspace/nonsense", json!({}))["error"]["message"].is_string());
    assert_eq!(editor.change("a.fp", &text), json!([]));
}
