//! Pushdown systems: CUBA's benchmarks by the depth of the stacks and by rounds, and how post* and pre* grow with the
//! number of rules.

use crate::Tabling;
use crate::generate;
use crate::measure::{Job, Measured};
use crate::table::{Table, grouped, seconds};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub fn tables(systems: &[PathBuf], tabling: &Tabling) -> Result<(), String> {
    if !systems.is_empty() {
        benchmarks(systems, tabling)?;
    }
    growth(tabling)
}

/// A system with the texts beside it.
struct System {
    name: String,
    text: String,
    initial: String,
    target: Option<String>,
}

impl System {
    /// Nothing if no file says where its runs begin.
    fn read(path: &Path) -> Result<Option<System>, String> {
        let read =
            |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
        let beside = |ending: &str| Some(path.with_extension(ending)).filter(|path| path.is_file());
        let Some(initial) = beside("init") else { return Ok(None) };
        Ok(Some(System {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            text: read(path)?,
            initial: read(&initial)?.trim().into(),
            target: beside("spec").map(|path| read(&path)).transpose()?.map(|text| text.trim().into()),
        }))
    }

    fn measure(
        &self,
        algorithm: &str,
        deepen: &str,
        relation: &str,
        complete: bool,
        tabling: &Tabling,
    ) -> Result<Measured, String> {
        let mut job = Job::new(algorithm, tabling.limit(Duration::from_secs(60)), tabling.no_reordering());
        job.deepen = Some(deepen.into());
        job.initial = Some(self.initial.clone());
        job.target = self.target.clone();
        job.relation = Some(relation.into());
        job.complete = complete;
        job.measure(&self.text)
    }
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) -> Result<(), String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut entries = entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>();
        entries.sort();
        return entries.iter().try_for_each(|entry| collect(entry, out));
    }
    if path.extension().is_some_and(|ending| ending == "pds" || ending == "cpds") {
        out.push(path.into());
    }
    Ok(())
}

fn benchmarks(systems: &[PathBuf], tabling: &Tabling) -> Result<(), String> {
    let mut files = Vec::new();
    systems.iter().try_for_each(|path| collect(path, &mut files))?;
    let head =
        ["system", "cuba_depth", "depth", "time", "MB", "visible", "cuba", "rounds", "time", "MB", "visible"];
    let mut table = Table::new(tabling.command("pushdown FOLDER"), &head);
    for path in files {
        let Some(system) = System::read(&path)? else {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let row = [name, "no .init".into()].into_iter().chain(std::iter::repeat("–".into()));
            table.row(row.take(head.len()).collect());
            continue;
        };
        let by_depth = system.measure("cuba_depth", "depth=2..4", "Visible", true, tabling)?;
        let by_rounds = system.measure("cuba", "rounds=1..6", "All", false, tabling)?;
        let row = [system.name.clone()].into_iter();
        let row = row.chain(cells(&by_depth, true)).chain(cells(&by_rounds, false));
        table.row(row.collect());
    }
    table.print(tabling.out.as_deref())
}

/// Verdict, bound, time, memory and visible states, which are not all there behind an early verdict unless they were
/// counted completely.
fn cells(measured: &Measured, complete: bool) -> [String; 5] {
    let none = || "–".to_string();
    let verdict = measured.verdict.clone();
    // Counting goes the same way once more, and may be ended by the limit.
    let bound =
        measured.steps.iter().map(|step| step.value).max().map_or_else(none, |value| value.to_string());
    let visible = measured.answered.as_ref().map_or_else(none, |answered| answered.tuples.clone());
    let memory = (measured.seen.memory >> 20).to_string();
    let complete = verdict.as_deref() == Some("safe") || complete && verdict.is_some();
    [verdict.unwrap_or_else(none), bound, measured.time(), memory, if complete { visible } else { none() }]
}

/// Generated systems of more and more rules; the time includes reading.
fn growth(tabling: &Tabling) -> Result<(), String> {
    let mut table = Table::new(
        tabling.command("pushdown"),
        &["rules", "reading", "post_star", "pre_star", "MB", "µs a rule"],
    );
    for rules in [12_500, 25_000, 50_000, 100_000] {
        let text = generate::pushdown::system(rules, 8, 1);
        let count = text.lines().filter(|line| line.contains("->")).count() as u64;
        let measure = |algorithm: &str| {
            let mut job =
                Job::new(algorithm, tabling.limit(Duration::from_secs(120)), tabling.no_reordering());
            job.initial = Some("0|1".into());
            job.target = Some("8|*".into());
            job.measure(&text)
        };
        let (post, pre) = (measure("post_star")?, measure("pre_star")?);
        let each = (post.total().max(pre.total()).as_micros() as f64) / count as f64;
        table.row(vec![
            grouped(count),
            seconds(post.reading),
            post.time(),
            pre.time(),
            (post.seen.memory.max(pre.seen.memory) >> 20).to_string(),
            format!("{each:.1}"),
        ]);
    }
    table.print(None)
}
