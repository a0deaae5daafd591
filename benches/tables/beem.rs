//! Correct and buggy locks and buffers, with the number of contexts raised: Lal and Reps, figure 8.

use crate::Tabling;
use crate::measure::{Job, Measured};
use crate::table::Table;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use std::path::Path;
use std::time::Duration;

/// Those of examples/concurrent that the BEEM suite has too come first, then the others that are not recursive.
const PAIRS: [&str; 8] =
    ["anderson", "bakery", "dekker", "lamport", "msmie", "peterson", "szymanski", "producer_consumer"];

pub fn table(tabling: &Tabling) -> Result<(), String> {
    let mut table = Table::new(
        tabling.command("beem"),
        &[
            "program",
            "threads",
            "shared",
            "lazy_cba",
            "time",
            "peak nodes",
            "product_cba",
            "time",
            "peak nodes",
        ],
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/concurrent");
    for name in PAIRS.iter().flat_map(|pair| [pair.to_string(), format!("{pair}_bug")]) {
        let path = folder.join(format!("{name}.bp"));
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}.bp: {error}"))?;
        let model = program(&name, &text, &ProgramOptions::default());
        let cfg = model.map_err(|mistakes| format!("{mistakes:?}"))?.cfg;
        let mut row = vec![name, cfg.singles.len().to_string(), cfg.shared.len().to_string()];
        for algorithm in ["lazy_cba", "product_cba"] {
            let limit = tabling.limit(Duration::from_secs(20));
            let mut job = Job::new(algorithm, limit, tabling.no_reordering());
            job.deepen = Some("contexts=1..".into());
            let measured = job.measure(&text)?;
            row.extend([found(&measured), time(&measured), measured.peak_nodes()]);
        }
        table.row(row);
    }
    table.print(tabling.out.as_deref())
}

/// The last bound that was finished.
fn found(measured: &Measured) -> String {
    let finished = measured.steps.iter().rfind(|step| step.verdict != "stopped");
    match finished {
        Some(step) if step.verdict == "unsafe" => format!("unsafe at {}", step.value),
        Some(step) => format!("none up to {}", step.value),
        None => "–".into(),
    }
}

/// How long it took to come to that bound.
fn time(measured: &Measured) -> String {
    let finished = measured.steps.iter().rfind(|step| step.verdict != "stopped");
    finished.map_or("–".into(), |step| crate::table::seconds(step.time))
}
