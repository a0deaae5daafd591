//! Failures on purpose, to see that limits hold everywhere and that a batch outlives its runs. `FPSOLVE_FAULTS` lists
//! them, separated by commas. Only builds with the feature `faults` know this, as those for tests are.
//!
//! `crash=a.bp`, `memory=b.bp` and `stuck=c.bp` make single runs on programs with these endings crash, take memory, or wait
//! until someone ends them. A batch itself does not look for them.
//!
//! The others strike once, where the phase with these words begins, in whatever command: `stay=PHASE` does not go on,
//! `late=PHASE` goes on after seconds, `grow=PHASE` takes memory and does not go on, `press=PHASE` is interrupted and does not
//! go on, `panic=PHASE` panics.

use calculus::phase::{self, Phase};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Where the taking ends if nobody minds.
const ENOUGH: usize = 16 << 30;
const LONG: Duration = Duration::from_secs(300);
const LATE: Duration = Duration::from_millis(2_500);
const CHUNK: usize = 8 << 20;
/// How much memory a phase takes that grows.
const GROWTH: usize = 128 << 20;

/// Waits for the phases that are to fail.
pub fn prepare() {
    // A second call changes nothing.
    let _ = phase::ENTERED.set(entered);
}

/// The kinds of faults, and what they are for.
fn faults() -> &'static [(String, String)] {
    static FAULTS: OnceLock<Vec<(String, String)>> = OnceLock::new();
    FAULTS.get_or_init(|| {
        let list = std::env::var("FPSOLVE_FAULTS").unwrap_or_default();
        let faults = list.split(',').filter_map(|fault| fault.split_once('='));
        faults.map(|(kind, place)| (kind.to_string(), place.to_string())).collect()
    })
}

fn entered(phase: &Phase) {
    static STRUCK: AtomicBool = AtomicBool::new(false);
    let fault = faults().iter().find(|(_, place)| place == phase.doing && !place.is_empty());
    let Some((kind, _)) = fault.filter(|_| !STRUCK.swap(true, Ordering::SeqCst)) else { return };
    match kind.as_str() {
        "stay" => sleep(LONG),
        "late" => sleep(LATE),
        "grow" => {
            let _taken = std::hint::black_box(vec![1u8; GROWTH]);
            sleep(LONG);
        }
        "press" => {
            let _ = Command::new("kill").args(["-INT", &std::process::id().to_string()]).status();
            sleep(LONG);
        }
        "panic" => panic!("a fault on purpose while {phase}"),
        _ => {}
    }
}

/// The faults of single runs.
pub fn inject(program: &str) {
    for (kind, ending) in faults() {
        match kind.as_str() {
            "crash" if program.ends_with(ending) => std::process::abort(),
            "stuck" if program.ends_with(ending) => sleep(LONG),
            "memory" if program.ends_with(ending) => take(),
            _ => {}
        }
    }
}

fn take() {
    let mut taken = Vec::new();
    while taken.len() * CHUNK < ENOUGH {
        // Bytes that are not zero are really there.
        taken.push(std::hint::black_box(vec![1u8; CHUNK]));
        sleep(Duration::from_millis(2));
    }
}
