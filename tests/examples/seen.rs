//! What was seen before: a snapshot for each folder and algorithm, with a line for each example.
//!
//! A test looks at its own line only, so that one that differs fails alone. It then shows insta the snapshot with its line put
//! right: `INSTA_UPDATE` and `cargo insta` work as they do elsewhere, also for a part of the tests.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

pub struct Table {
    name: String,
    /// What stands before the colon of each line, in order.
    keys: Vec<String>,
    recorded: BTreeMap<String, String>,
    /// The lines that differ.
    found: Mutex<BTreeMap<String, String>>,
}

impl Table {
    pub fn new(name: &str, keys: Vec<String>) -> Table {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/examples__{name}.snap"));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines = text.splitn(3, "---\n").nth(2).unwrap_or_default().lines();
        let recorded = lines.map(|line| line.split_once(": ").expect("a line has a colon"));
        Table {
            name: name.to_string(),
            keys,
            recorded: recorded.map(|(key, answer)| (key.to_string(), answer.to_string())).collect(),
            found: Mutex::default(),
        }
    }

    /// The answer is the recorded one.
    pub fn expect(&self, key: &str, answer: String) {
        if self.recorded(key) != Some(&answer) {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.insert(key.to_string(), answer);
            self.show(&found);
        }
    }

    /// What the snapshot says about an example.
    pub fn recorded(&self, key: &str) -> Option<&str> {
        self.recorded.get(key).map(String::as_str)
    }

    /// No line is about an example that is gone, and none stands twice.
    pub fn expect_no_other_lines(&self) {
        self.show(&self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn show(&self, found: &BTreeMap<String, String>) {
        let lines = self.keys.iter().filter_map(|key| {
            let answer = found.get(key).or_else(|| self.recorded.get(key))?;
            Some(format!("{key}: {answer}"))
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("examples__{}", self.name), text);
        });
    }
}
