//! Any number of threads: `views` on the thread transition systems and the SATABS programs of a folder with a MANIFEST.tsv,
//! beside the verdicts that are known.

use crate::Tabling;
use crate::measure::{Job, Measured};
use crate::table::{Table, seconds};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A row of the manifest.
struct Listed<'a> {
    path: &'a str,
    lines: &'a str,
    expected: &'a str,
    initial: &'a str,
    target: &'a str,
}

/// The columns of the manifest that are used: path, format, lines, threads, expected, init, target.
const COLUMNS: [usize; 7] = [0, 1, 2, 4, 6, 10, 11];

pub fn table(folder: &Path, programs: bool, tabling: &Tabling) -> Result<(), String> {
    let limit = tabling.limit(Duration::from_secs(60));
    let kind = if programs { " --programs" } else { "" };
    let command = tabling.command(&format!("systems FOLDER{kind} --limit {}s", limit.as_secs_f64()));
    let head = ["system", "lines", "initial", "known", "views", "k", "time", "memory"];
    let mut table = Table::new(command, &head);
    let manifest = folder.join("MANIFEST.tsv");
    let manifest =
        fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    for listed in listed(&manifest, programs) {
        let text = fs::read_to_string(folder.join(listed.path))
            .map_err(|error| format!("{}: {error}", listed.path))?;
        for initial in listed.initial.split(" and ") {
            let mut job = Job::new("views", limit, tabling.no_reordering());
            job.deepen = Some("k=1..".into());
            job.threads = !programs;
            if !programs {
                job.initial = Some(initial.into());
                job.target = Some(listed.target.into());
            }
            let measured = job.measure(&text);
            table.row(row(&listed, initial, measured));
        }
    }
    table.print(tabling.out.as_deref())
}

/// The programs of a folder by views, and beside it by the adequacy check.
pub fn examples(folder: &Path, tabling: &Tabling) -> Result<(), String> {
    let limit = tabling.limit(Duration::from_secs(60));
    let command = tabling.command(&format!("systems FOLDER --examples --limit {}s", limit.as_secs_f64()));
    let head = ["program", "views", "k", "time", "memory", "adequacy", "rounds", "time"];
    let mut table = Table::new(command, &head);
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect::<Vec<_>>();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "bp"));
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let by = |algorithm: &str, deepened: &str| {
            let mut job = Job::new(algorithm, limit, tabling.no_reordering());
            job.deepen = Some(deepened.into());
            found(job.measure(&text))
        };
        let mut row = vec![file.file_stem().unwrap_or_default().to_string_lossy().into_owned()];
        row.extend(by("views", "k=1.."));
        row.extend(by("adequacy", "rounds=1..").into_iter().take(3));
        table.row(row);
    }
    table.print(tabling.out.as_deref())
}

fn listed(manifest: &str, programs: bool) -> Vec<Listed<'_>> {
    let rows = manifest.lines().skip(1).filter_map(|line| {
        let cells = line.split('\t').collect::<Vec<_>>();
        let [path, format, lines, threads, expected, initial, target] =
            COLUMNS.map(|at| cells.get(at).copied());
        let wanted = match programs {
            false => format == Some("tts"),
            true => {
                format == Some("satabs-concurrent")
                    && threads.is_some_and(|threads| threads.starts_with("unbounded"))
            }
        };
        let initial = initial.filter(|_| !programs).unwrap_or_default();
        wanted.then_some(Listed { path: path?, lines: lines?, expected: expected?, initial, target: target? })
    });
    rows.collect()
}

fn row(listed: &Listed, initial: &str, measured: Result<Measured, String>) -> Vec<String> {
    let known = listed.expected.split("; ").find(|known| known.ends_with(&format!("init {initial}")));
    let known = known.unwrap_or(listed.expected).split(' ').next().unwrap_or_default();
    // A bar would end the cell.
    let shown = initial.replace('|', "\\|");
    let mut row = [listed.path, listed.lines, &shown, known].map(String::from).to_vec();
    row.extend(found(measured));
    row
}

/// The verdict, the last value of what was deepened, the time and the memory.
fn found(measured: Result<Measured, String>) -> [String; 4] {
    match measured {
        Err(_) => ["refused", "–", "–", "–"].map(String::from),
        Ok(measured) => {
            let k = measured.steps.last().map_or("–".into(), |step| step.value.to_string());
            let verdict = measured.verdict.clone().unwrap_or_else(|| "–".into());
            let memory = format!(
                "{} MB",
                measured.seen.memory.max(measured.sizes.map_or(0, |sizes| sizes.process)) >> 20
            );
            let time = if measured.verdict.is_some() { seconds(measured.total()) } else { measured.time() };
            [verdict, k, time, memory]
        }
    }
}
