//! The C programs of the benchmark folder that are wrong: each has a harness, and fails when that runs.

use super::manifest::folder;
use crate::shown::{fails, made};
use crate::trials;
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let Some(folder) = folder().map(|folder| folder.join("c")) else { return Vec::new() };
    let tasks = std::fs::read_to_string(folder.join("TASKS.tsv")).expect("the tasks can be read");
    let mut out = Vec::new();
    for line in tasks.lines().skip(1) {
        let cells = line.split('\t').collect::<Vec<_>>();
        let [of, task, "false", ..] = cells[..] else { continue };
        let program = folder.join(of).join(format!("{task}.i"));
        out.push(trials::test(format!("c/{of}/{task}::harness"), move || {
            let folder = tempfile::tempdir().unwrap();
            let binary = made(folder.path(), &program, &["--quiet", "--timeout", "120s"]);
            fails(&binary.expect("it is unsafe"), 5);
        }));
    }
    assert!(out.len() >= 10, "only {} programs", out.len());
    out
}
