//! A language server for equations and Boolean programs, over the standard input and output.
//!
//! Mistakes come from the real checker. Everything else is answered from the names of a text ([`outline`]), which one
//! form serves for both languages. A run is made by the command itself, in a process of its own.
//!
//! | file | what it does |
//! |---|---|
//! | `text` | places and addresses as editors count them |
//! | `outline`, `equations`, `programs` | the names in a text |
//! | `document` | a text with its names and its mistakes |
//! | `answers` | what is asked about names: definitions, references, completions |
//! | `told` | what is told about a text: mistakes, hover, inlay hints, lenses |
//! | `runs` | running what is open |

mod answers;
mod document;
mod equations;
mod outline;
mod programs;
mod runs;
mod text;
mod told;

use document::Document;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use runs::Runs;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the server can do, in the words of the protocol.
fn capabilities() -> Json {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 1, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "completionProvider": { "triggerCharacters": ["."] },
        "renameProvider": { "prepareProvider": true },
        "documentFormattingProvider": true,
        "documentSymbolProvider": true,
        "inlayHintProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "codeLensProvider": { "resolveProvider": false },
        "executeCommandProvider": { "commands": [runs::COMMAND] },
    })
}

/// Serves one editor until it says good-bye. The error is for the log of the editor.
pub fn serve() -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let (id, begin) = connection.initialize_start().map_err(|error| said(&error))?;
    let info = json!({ "name": "fpsolve", "version": env!("CARGO_PKG_VERSION") });
    let hello = json!({ "capabilities": capabilities(), "serverInfo": info });
    connection.initialize_finish(id, hello).map_err(|error| said(&error))?;
    let model = begin["initializationOptions"]["model"].as_str().filter(|model| !model.is_empty());
    let refreshes = begin["capabilities"]["workspace"]["codeLens"]["refreshSupport"].as_bool() == Some(true);
    let runs = Arc::new(Runs::new(model.map(str::to_string), connection.sender.clone(), refreshes));
    let mut server = Server { documents: BTreeMap::new(), runs };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).map_err(|error| said(&error))? {
                    break;
                }
                let answer = server.answer(&request);
                connection.sender.send(answer.into()).map_err(|error| said(&error))?;
            }
            Message::Notification(notification) => {
                for told in server.notified(&notification) {
                    connection.sender.send(told.into()).map_err(|error| said(&error))?;
                }
            }
            Message::Response(_) => {}
        }
    }
    drop(connection);
    drop(server);
    threads.join().map_err(|error| said(&error))
}

struct Server {
    /// The open texts, by the addresses that the editor gives them.
    documents: BTreeMap<String, Document>,
    runs: Arc<Runs>,
}

impl Server {
    fn notified(&mut self, notification: &Notification) -> Vec<Notification> {
        let given = &notification.params;
        let uri = given["textDocument"]["uri"].as_str().unwrap_or_default().to_string();
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let content = given["textDocument"]["text"].as_str().unwrap_or_default();
                self.documents.insert(uri.clone(), Document::open(text::path(&uri), content.into()));
                vec![self.mistakes(&uri)]
            }
            "textDocument/didChange" => {
                let content = given["contentChanges"].as_array().and_then(|changes| changes.last());
                let content = content.and_then(|change| change["text"].as_str());
                match (self.documents.get_mut(&uri), content) {
                    (Some(document), Some(content)) => {
                        document.change(content.into());
                        vec![self.mistakes(&uri)]
                    }
                    _ => Vec::new(),
                }
            }
            // What the others use may have changed.
            "textDocument/didSave" => {
                let others =
                    self.documents.keys().filter(|other| **other != uri).cloned().collect::<Vec<_>>();
                let again = |other: &String| {
                    let document = self.documents.get_mut(other)?;
                    document.change(document.text.clone());
                    Some(self.mistakes(other))
                };
                others.iter().filter_map(again).collect()
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                vec![publish(&uri, json!([]))]
            }
            _ => Vec::new(),
        }
    }

    fn mistakes(&self, uri: &str) -> Notification {
        publish(uri, self.documents.get(uri).map_or(json!([]), |document| told::mistakes(document, uri)))
    }

    fn answer(&self, request: &Request) -> Response {
        let given = &request.params;
        if request.method == "workspace/executeCommand" {
            let uri = given["arguments"][0].as_str().unwrap_or_default();
            self.runs.begin(uri, &text::path(uri));
            return Response::new_ok(request.id.clone(), Json::Null);
        }
        let uri = given["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(document) = self.documents.get(uri) else {
            let why = format!("the text {uri} is not open");
            return Response::new_err(request.id.clone(), ErrorCode::InvalidParams as i32, why);
        };
        let at = text::offset(&document.text, &given["position"]);
        let answer = match request.method.as_str() {
            "textDocument/definition" => answers::definition(document, uri, at),
            "textDocument/references" => {
                let own = given["context"]["includeDeclaration"].as_bool() != Some(false);
                answers::references(&self.documents, document, uri, at, own)
            }
            "textDocument/completion" => answers::completion(document, at),
            "textDocument/prepareRename" => answers::renamable(document, at),
            "textDocument/rename" => {
                let name = given["newName"].as_str().unwrap_or_default();
                match answers::rename(&self.documents, document, uri, at, name) {
                    Ok(edits) => edits,
                    Err(why) => {
                        return Response::new_err(request.id.clone(), ErrorCode::RequestFailed as i32, why);
                    }
                }
            }
            "textDocument/documentSymbol" => answers::symbols(document),
            "textDocument/formatting" => told::formatting(document),
            "textDocument/hover" => told::hover(document, at, self.runs.of(uri).as_ref()),
            "textDocument/inlayHint" => told::inlays(document, &given["range"]),
            "textDocument/codeAction" => told::actions(document, uri, &given["range"]),
            "textDocument/codeLens" => told::lenses(document, uri, self.runs.of(uri).as_ref()),
            other => {
                let why = format!("{other} is not offered");
                return Response::new_err(request.id.clone(), ErrorCode::MethodNotFound as i32, why);
            }
        };
        Response::new_ok(request.id.clone(), answer)
    }
}

fn publish(uri: &str, mistakes: Json) -> Notification {
    let given = json!({ "uri": uri, "diagnostics": mistakes });
    Notification::new("textDocument/publishDiagnostics".into(), given)
}
