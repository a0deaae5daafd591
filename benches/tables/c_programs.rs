//! C programs alone, as `fpsolve FILE.c` checks them, beside the verdicts that a TASKS.tsv has: folder, name, and whether the
//! error cannot be reached. A program that needs headers which are not there is taken in its preprocessed form.

use crate::Tabling;
use crate::portfolio::time_of_children;
use crate::table::{Table, seconds};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

pub fn table(folder: &Path, tabling: &Tabling) -> Result<(), String> {
    let limit = tabling.limit(Duration::from_secs(60));
    let command = tabling.command(&format!("c FOLDER --limit {}s", limit.as_secs_f64()));
    let mut table =
        Table::new(command, &["program", "known", "verdict", "right", "width", "algorithm", "time"]);
    let tasks = folder.join("TASKS.tsv");
    let tasks = fs::read_to_string(&tasks).map_err(|error| format!("{}: {error}", tasks.display()))?;
    for line in tasks.lines().skip(1) {
        let mut cells = line.split('\t');
        let (Some(group), Some(name), Some(holds)) = (cells.next(), cells.next(), cells.next()) else {
            continue;
        };
        let known = if holds == "true" { "safe" } else { "unsafe" };
        let path = folder.join(group).join(name);
        let (answer, time) = match run(&path.with_file_name(format!("{name}.c")), limit)? {
            (answer, _) if answer.get("error").is_some() => {
                run(&path.with_file_name(format!("{name}.i")), limit)?
            }
            ran => ran,
        };
        let refused = answer["error"].as_str().map(|why| format!("refused: {why}"));
        let verdict = refused.unwrap_or_else(|| answer["verdict"].as_str().unwrap_or("none").into());
        let right = match verdict.as_str() {
            "safe" | "unsafe" => {
                if verdict == known {
                    "yes"
                } else {
                    "NO"
                }
            }
            _ => "open",
        };
        let by = &answer["answered_by"];
        let command = by["command"].as_str().unwrap_or_default();
        let width = command.split("--width=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or("");
        let algorithm = by["algorithm"].as_str().unwrap_or_default();
        let row = [&format!("{group}/{name}"), known, &verdict, right, width, algorithm, &seconds(time)];
        table.row(row.map(String::from).to_vec());
    }
    table.print(tabling.out.as_deref())
}

/// The answer, and what it took on a core.
fn run(path: &Path, limit: Duration) -> Result<(Json, Duration), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fpsolve"));
    command.arg(path).args(["--format=json", &format!("--timeout={}ms", limit.as_millis())]);
    let before = time_of_children();
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot start fpsolve: {error}"))?;
    let time = time_of_children().saturating_sub(before);
    let answer = serde_json::from_slice(&output.stdout);
    Ok((answer.map_err(|error| format!("{}: no answer ({error})", path.display()))?, time))
}
