//! Proofs by k-induction: the least k of locks and drivers, k against time, threads against time; figures 12 and 13 of
//! Prabhu, Reps, Lal and Kidd.

use crate::Tabling;
use crate::generate::pump;
use crate::measure::{Job, Measured};
use crate::table::{Table, seconds};
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use std::path::Path;
use std::time::Duration;

/// The paper's figures and programs first, then other correct programs of examples/concurrent.
const PROGRAMS: [&str; 16] = [
    "constant_flag",
    "lock_pair",
    "bluetooth_pair",
    "dekker",
    "lock_unlock_2",
    "lock_unlock_3",
    "peterson_once",
    "peterson",
    "relay",
    "bakery",
    "bluetooth3",
    "lamport",
    "msmie",
    "producer_consumer",
    "readers_writers",
    "szymanski",
];
const ENVELOPES: [usize; 3] = [1, 2, 3];

/// A lock that is taken in one step, and a check that the holder is alone.
const MUTEX: &str = "
decl locked, busy;

init begin
  locked, busy := F, F;
end

thread worker[WORKERS] begin
  while (*) do
    atomic_begin; assume(!locked); locked := T; atomic_end;
    assert(!busy);
    busy := T;
    busy := F;
    locked := F;
  od
end
";

pub fn tables(tabling: &Tabling) -> Result<(), String> {
    let limit = tabling.limit(Duration::from_secs(60));
    let command = tabling.command(&format!("induction --limit {}s", limit.as_secs_f64()));
    let tables = [
        programs(&command, limit, tabling)?,
        pumps(&command, limit, tabling)?,
        threads(&command, limit, tabling)?,
    ];
    let text = tables.iter().map(Table::text).collect::<Vec<_>>().join("\n");
    print!("{text}");
    match &tabling.out {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
}

/// Algorithm 1 with an envelope.
fn deepened(text: &str, envelope: usize, limit: Duration, tabling: &Tabling) -> Result<Measured, String> {
    let mut job = Job::new("k_induction", limit, tabling.no_reordering());
    job.set = Some(format!("envelope={envelope}"));
    job.deepen = Some("k=1..".into());
    job.measure(text)
}

/// The k of the proof, or how far it came.
fn least(measured: &Measured) -> String {
    match measured.steps.iter().rfind(|step| step.verdict != "stopped") {
        Some(step) if step.verdict == "unknown" => format!(">{}", step.value),
        Some(step) if step.verdict == "safe" => step.value.to_string(),
        Some(step) => format!("{} at {}", step.verdict, step.value),
        None => "–".into(),
    }
}

fn programs(command: &str, limit: Duration, tabling: &Tabling) -> Result<Table, String> {
    let head = [
        "program",
        "threads",
        "shared",
        "k, envelope 1",
        "time",
        "k, envelope 2",
        "time",
        "k, envelope 3",
        "time",
    ];
    let mut table = Table::new(command.into(), &head);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/concurrent");
    for name in PROGRAMS {
        let path = folder.join(format!("{name}.bp"));
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}.bp: {error}"))?;
        let model = program(name, &text, &ProgramOptions::default());
        let cfg = model.map_err(|mistakes| format!("{mistakes:?}"))?.cfg;
        let mut row = vec![name.into(), cfg.singles.len().to_string(), cfg.shared.len().to_string()];
        for envelope in ENVELOPES {
            let measured = deepened(&text, envelope, limit, tabling)?;
            row.extend([least(&measured), measured.time()]);
        }
        table.row(row);
    }
    Ok(table)
}

/// For programs that need k epochs: the time for all of them one after the other, and for the last one alone.
fn pumps(command: &str, limit: Duration, tabling: &Tabling) -> Result<Table, String> {
    let mut table =
        Table::new(command.into(), &["points", "least k", "k = 1, 2, …", "least k alone", "peak nodes"]);
    for points in [4, 5, 6, 7, 8, 16, 32] {
        let text = pump::program(points);
        let measured = deepened(&text, 1, limit, tabling)?;
        let mut row = vec![points.to_string(), least(&measured), measured.time()];
        let mut job = Job::new("k_induction", limit, tabling.no_reordering());
        job.set = measured.steps.last().map(|step| format!("k={}", step.value));
        let alone = job.measure(&text)?;
        row.extend([alone.time(), alone.peak_nodes()]);
        table.row(row);
    }
    Ok(table)
}

fn threads(command: &str, limit: Duration, tabling: &Tabling) -> Result<Table, String> {
    let mut table = Table::new(command.into(), &["threads", "least k", "time", "k = 3", "peak nodes"]);
    for threads in [2, 3, 4, 5, 6, 7, 8, 10, 12] {
        let text = MUTEX.replace("WORKERS", &threads.to_string());
        let measured = deepened(&text, 1, limit, tabling)?;
        let mut job = Job::new("k_induction", limit, tabling.no_reordering());
        job.set = Some("k=3".into());
        let fixed = job.measure(&text)?;
        let mut row = vec![threads.to_string(), least(&measured), seconds(measured.solving)];
        row.extend([fixed.time(), fixed.peak_nodes()]);
        table.row(row);
    }
    Ok(table)
}
