//! Runs of open files, each in a process of its own: the verdict and the sizes are shown when it has ended.

use crossbeam_channel::Sender;
use lsp_server::{Message, Notification, Request};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The command that a lens gives.
pub const COMMAND: &str = "fpsolve.runHere";

/// The limit of a run that somebody waits for.
const TIME: &str = "--timeout=60s";

pub struct Runs {
    /// What equations are run on, if they use a model.
    model: Option<String>,
    to_editor: Sender<Message>,
    /// Whether the editor shows lenses again when it is asked to.
    refreshes: bool,
    ended: Mutex<BTreeMap<String, Arc<Run>>>,
}

/// A run that is going on or has ended.
pub struct Run {
    /// Nothing while it is going on.
    pub outcome: Option<Json>,
    pub seconds: f64,
}

impl Runs {
    pub fn new(model: Option<String>, to_editor: Sender<Message>, refreshes: bool) -> Runs {
        Runs { model, to_editor, refreshes, ended: Mutex::default() }
    }

    /// The last run of a text.
    pub fn of(&self, uri: &str) -> Option<Arc<Run>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get(uri).cloned()
    }

    fn set(&self, uri: &str, run: Run) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(uri.into(), Arc::new(run));
        if self.refreshes {
            let id = format!("lens {uri}").into();
            // Nobody listens only if the editor has gone.
            let _ =
                self.to_editor.send(Request::new(id, "workspace/codeLens/refresh".into(), Json::Null).into());
        }
    }

    /// Runs the file as it was saved. A run of the same text that is going on is left alone.
    pub fn begin(self: &Arc<Runs>, uri: &str, path: &str) {
        if self.of(uri).is_some_and(|run| run.outcome.is_none()) {
            return;
        }
        self.set(uri, Run { outcome: None, seconds: 0.0 });
        let (runs, uri, path) = (self.clone(), uri.to_string(), path.to_string());
        std::thread::spawn(move || {
            let begin = Instant::now();
            let outcome = runs.outcome(&path);
            let verdict = outcome["verdict"].as_str().or(outcome["error"].as_str()).unwrap_or("no verdict");
            let told = json!({ "type": 3, "message": format!("{path}: {verdict}") });
            let _ = runs.to_editor.send(Notification::new("window/logMessage".into(), told).into());
            runs.set(&uri, Run { outcome: Some(outcome), seconds: begin.elapsed().as_secs_f64() });
        });
    }

    fn outcome(&self, path: &str) -> Json {
        let equations = path.ends_with(".fp");
        let words =
            ["--format=json", "--end-with-stdin", TIME].into_iter().chain(equations.then_some("--stats"));
        let model = self.model.as_deref().filter(|_| equations);
        let command = std::env::current_exe().and_then(|command| {
            // The run ends when this process does: its standard input is closed then.
            let mut run = Command::new(command);
            run.args(words).arg("--").arg(path).args(model).stdin(Stdio::piped()).stderr(Stdio::null());
            let mut run = run.stdout(Stdio::piped()).spawn()?;
            let held = run.stdin.take();
            let output = run.wait_with_output();
            drop(held);
            output
        });
        match command {
            Ok(output) => {
                serde_json::from_slice(&output.stdout).unwrap_or(json!({ "error": "the run crashed" }))
            }
            Err(error) => json!({ "error": error.to_string() }),
        }
    }
}
