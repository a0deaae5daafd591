//! How `summaries` grows with the size of a sequential program.

use crate::generate::sequential::{Size, program};
use crate::measure::Job;
use crate::table::{Table, grouped, seconds};
use crate::{Sequential, Tabling};
use std::time::Duration;

const SIZES: [usize; 5] = [1_000, 2_000, 5_000, 10_000, 20_000];
const GLOBALS: usize = 60;
/// Procedures stay as long as they are, and programs get more of them: so do real ones grow.
const STATEMENTS_PER_PROCEDURE: usize = 100;

pub fn table(options: &Sequential, tabling: &Tabling) -> Result<(), String> {
    let mut table = Table::new(
        tabling.command(&format!("sequential --seed {}", options.seed)),
        &[
            "statements",
            "procedures",
            "verdict",
            "reading",
            "solving",
            "peak nodes",
            "rows",
            "size ×",
            "time ×",
        ],
    );
    let mut before: Option<(usize, Duration)> = None;
    for statements in SIZES {
        let procedures = statements / STATEMENTS_PER_PROCEDURE;
        let size = Size { statements, globals: GLOBALS, procedures };
        let text = program(&size, options.seed, false);
        let job = Job::new("summaries", tabling.limit(Duration::from_secs(120)), tabling.no_reordering());
        let measured = job.measure(&text)?;
        let time = measured.reading + measured.solving;
        let ratio = |ratio: f64| format!("{ratio:.1}");
        let size_ratio = before.map(|(size, _)| ratio(statements as f64 / size as f64));
        let time_ratio = before.map(|(_, before)| ratio(time.as_secs_f64() / before.as_secs_f64()));
        table.row(vec![
            grouped(statements as u64),
            procedures.to_string(),
            measured.verdict.clone().unwrap_or("–".into()),
            seconds(measured.reading),
            measured.time(),
            measured.peak_nodes(),
            measured.rows(),
            size_ratio.unwrap_or_default(),
            time_ratio.unwrap_or_default(),
        ]);
        before = Some((statements, time));
    }
    table.print(tabling.out.as_deref())
}
