//! The manifest of the benchmark folder.

use crate::trials;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One row.
pub struct Row {
    pub path: String,
    pub format: String,
    pub threads: String,
    pub expected: String,
    pub file: PathBuf,
}

impl Row {
    pub fn text(&self) -> String {
        std::fs::read_to_string(&self.file).unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }

    /// Whether a verdict is known, and then whether a target is reachable.
    pub fn reachable(&self) -> Option<bool> {
        match self.expected.as_str() {
            "unsafe" | "reachable" => Some(true),
            "safe" | "unreachable" => Some(false),
            _ => None,
        }
    }
}

/// A test about a program: `satabs-boppo/Deep1/main.bp::summaries`
pub fn test(row: &Arc<Row>, about: &str, body: impl FnOnce(&Row) + Send + 'static) -> Trial {
    let row = Arc::clone(row);
    trials::test(format!("{}::{about}", row.path), move || body(&row))
}

/// The folder, if there is one.
pub fn folder() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1).find_map(|parent| {
        let folder = parent.join("shared/benchmarks");
        folder.join("MANIFEST.tsv").is_file().then_some(folder)
    })
}

/// The Boolean programs of the manifest, or nothing if the folder is absent.
pub fn programs() -> Option<Vec<Arc<Row>>> {
    let folder = folder()?;
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).expect("the manifest can be read");
    let rows = manifest.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |index: usize| cells.get(index).unwrap_or(&"").to_string();
        Arc::new(Row {
            path: cell(0),
            format: cell(1),
            threads: cell(4),
            expected: cell(6),
            file: folder.join(cell(0)),
        })
    });
    let rows: Vec<_> = rows.filter(|row| row.path.ends_with("bp")).collect();
    assert!(rows.len() > 80, "the manifest lists the Boolean programs");
    Some(rows)
}
