//! What a trace costs: for every example with an unsafe verdict, the run alone and the run with `--trace`.

use crate::Tabling;
use crate::measure::{Job, Measured};
use crate::table::{Table, grouped};
use fpsolve::run::deepen::Deepening;
use fpsolve::run::expectation::{Subject, Variant, expectations_of_program};
use fpsolve::run::files;
use std::path::Path;
use std::time::Duration;

/// Of so many runs the fastest counts: other work on the machine only adds.
const RUNS: usize = 3;

/// Runs below this are mostly start-up: reading the program, checking the file, making room for BDDs.
const SHORT: Duration = Duration::from_millis(50);

pub fn table(tabling: &Tabling) -> Result<(), String> {
    let mut table = Table::new(
        tabling.command("explain"),
        &["program", "algorithm", "steps", "run", "run with trace", "ratio"],
    );
    let (mut ratios, mut long) = (Vec::new(), Vec::new());
    for folder in ["programs", "concurrent", "parameterized"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(folder);
        let names = files::walk(&[path.to_string_lossy().into_owned()], &["bp"]);
        for name in names.map_err(|rejection| format!("{rejection:#?}"))? {
            let text = std::fs::read_to_string(&name).map_err(|error| format!("{name}: {error}"))?;
            let program = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for line in expectations_of_program(&text) {
                let expectation = line.meaning?;
                if expectation.subject != Subject::Verdict || expectation.expected != "unsafe" {
                    continue;
                }
                let (job, shown) = job(&expectation.settings, tabling);
                let Some((plain, traced, steps)) = fastest(&job, &text)? else { continue };
                let ratio = traced.as_secs_f64() / plain.as_secs_f64();
                ratios.push(ratio);
                long.extend((plain >= SHORT).then_some(ratio));
                table.row(vec![
                    format!("{folder}/{program}"),
                    shown,
                    grouped(steps),
                    milliseconds(plain),
                    milliseconds(traced),
                    format!("{ratio:.2}"),
                ]);
            }
        }
    }
    table.print(tabling.out.as_deref())?;
    for (what, ratios) in [("all runs", &ratios), ("runs of 50 ms and more", &long)] {
        let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64;
        let largest = ratios.iter().copied().fold(0.0, f64::max);
        println!("{what}: {}, geometric mean {:.2}, largest {largest:.2}", ratios.len(), mean.exp());
    }
    Ok(())
}

fn job(settings: &Variant, tabling: &Tabling) -> (Job, String) {
    let algorithm = settings.algorithm.as_deref().unwrap_or_default();
    let limit = tabling.limit(Duration::from_secs(60));
    let mut job = Job { trace: true, ..Job::new(algorithm, limit, tabling.no_reordering()) };
    let set = settings.params.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    job.set = (!set.is_empty()).then(|| set.join(","));
    job.deepen = settings.deepen.as_ref().map(|Deepening { param, first, last, .. }| {
        format!("{param}={first}..{}", last.map_or(String::new(), |last| last.to_string()))
    });
    let shown = [Some(algorithm), job.set.as_deref(), job.deepen.as_deref()];
    (job.clone(), shown.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The time of the run, that of the run with its trace, and how long the trace is; nothing if a limit was reached.
fn fastest(job: &Job, text: &str) -> Result<Option<(Duration, Duration, u64)>, String> {
    let mut best: Option<(Duration, Duration, u64)> = None;
    for _ in 0..RUNS {
        let Measured { verdict: Some(_), reading, solving, trace, .. } = job.measure(text)? else {
            return Ok(None);
        };
        let Some((tracing, steps)) = trace else { return Err(format!("{job:?} gives no trace")) };
        let (plain, all) = (reading + solving, reading + solving + tracing);
        best = Some(best.map_or((plain, all, steps), |(p, a, _)| (plain.min(p), all.min(a), steps)));
    }
    Ok(best)
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
