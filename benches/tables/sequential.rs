//! How `summaries` grows with the size of a sequential program.

use crate::generate::sequential::{Requests, Size, program};
use crate::measure::{Job, Measured};
use crate::table::{Table, grouped, seconds};
use crate::{Sequential, Tabling};
use std::time::Duration;

const SIZES: [usize; 5] = [1_000, 2_000, 5_000, 10_000, 20_000];
const GLOBALS: usize = 60;
/// Procedures stay as long as they are, and programs get more of them: so do real ones grow.
const STATEMENTS_PER_PROCEDURE: usize = 100;

pub fn table(options: &Sequential, tabling: &Tabling) -> Result<(), String> {
    let requests = if options.requests == Requests::Many { " --requests many" } else { "" };
    let mut table = Table::new(
        tabling.command(&format!("sequential --seed {}{requests}", options.seed)),
        &[
            "statements",
            "procedures",
            "verdict",
            "rows",
            "reading",
            "solving",
            "×",
            "peak nodes",
            "without reordering",
            "×",
            "peak nodes",
        ],
    );
    let limit = tabling.limit(Duration::from_secs(120));
    let (mut before, mut plain_before) = (None, None);
    for statements in SIZES {
        let procedures = statements / STATEMENTS_PER_PROCEDURE;
        let size = Size { statements, globals: GLOBALS, procedures, requests: options.requests };
        let text = program(&size, options.seed, false);
        let measured = Job::new("summaries", limit, tabling.no_reordering()).measure(&text)?;
        let plain = match tabling.no_reordering() {
            true => measured.clone(),
            false => Job::new("summaries", limit, true).measure(&text)?,
        };
        let verdict = measured.verdict.as_ref().or(plain.verdict.as_ref());
        let complete = if measured.verdict.is_some() { &measured } else { &plain };
        table.row(vec![
            grouped(statements as u64),
            procedures.to_string(),
            verdict.cloned().unwrap_or("–".into()),
            complete.rows(),
            seconds(measured.reading),
            measured.time(),
            growth(&mut before, &measured),
            measured.peak_nodes(),
            plain.time(),
            growth(&mut plain_before, &plain),
            plain.peak_nodes(),
        ]);
    }
    table.print(tabling.out.as_deref())
}

/// How many times the time of the row before; nothing if one of them was out of time.
fn growth(before: &mut Option<Duration>, measured: &Measured) -> String {
    let time = measured.verdict.as_ref().map(|_| measured.solving);
    let ratio = before.zip(time).map(|(before, now)| now.as_secs_f64() / before.as_secs_f64());
    *before = time;
    ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"))
}
