//! Limits that hold even while the solver cannot look at them.
//!
//! The solver polls its limits, but CUDD does not while it moves one block of variables in a reordering, which
//! can take minutes. Whoever set a limit wants an answer by then: a while after a limit was passed, the
//! watchdog gives it and ends the process. The statistics are the solver's own, so they are lost then.

use super::Exit;
use super::arguments::RunFormat;
use super::output::print;
use crate::report::sarif;
use crate::run::Solving;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the solver has to notice a limit by itself.
const GRACE: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(50);

/// Watches until it is dropped.
pub struct Watchdog {
    done: Arc<AtomicBool>,
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.done.store(true, Ordering::SeqCst);
    }
}

/// Begins to watch over the limits of a run of this file.
pub fn watch(solving: &Solving, file: &str, format: RunFormat) -> Watchdog {
    let done = Arc::new(AtomicBool::new(false));
    let watchdog = Watchdog { done: done.clone() };
    let (solving, file, begin) = (solving.clone(), file.to_string(), Instant::now());
    let watch = move || {
        let mut passed: Option<Instant> = None;
        while !done.load(Ordering::SeqCst) {
            match (reached(&solving, begin), passed) {
                (Some(reason), Some(since)) if since.elapsed() > GRACE => give_up(&file, &reason, format),
                (Some(_), None) => passed = Some(Instant::now()),
                (None, _) => passed = None,
                _ => {}
            }
            std::thread::sleep(POLL);
        }
    };
    // Without the thread the solver's own polling is all there is.
    let _ = std::thread::Builder::new().name("watchdog".into()).spawn(watch);
    watchdog
}

/// Which limit has been passed.
fn reached(solving: &Solving, begin: Instant) -> Option<String> {
    if solving.interrupt.load(Ordering::SeqCst) {
        return Some("interrupted".into());
    }
    if let Some(timeout) = solving.timeout.filter(|timeout| begin.elapsed() > *timeout) {
        return Some(format!("time limit of {} s reached", timeout.as_secs_f64()));
    }
    let limit = solving.memory?;
    (resident()? > limit).then(|| format!("memory limit of {} MiB reached", limit >> 20))
}

/// The resident memory of this process in bytes, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

fn give_up(file: &str, reason: &str, format: RunFormat) -> ! {
    super::progress::erase();
    match format {
        RunFormat::Json => {
            let answer = serde_json::json!({
                "schema": 1, "file": file, "verdict": "unknown", "message": null, "reason": reason,
                "params": {}, "queries": [], "warnings": [], "relations": [], "bdd": null, "time": {},
            });
            print(&format!("{answer:#}\n"));
        }
        RunFormat::Sarif => print(&sarif::stopped(file, reason, Exit::Unknown as u8)),
        RunFormat::Text => print(&format!(
            "verdict: unknown ({reason})\n\nno statistics: the solver was inside a reordering of the BDD \
             variables; --reorder off avoids it\n"
        )),
    }
    std::process::exit(Exit::Unknown as i32)
}
