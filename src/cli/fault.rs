//! Failures on purpose, to see that a batch outlives them. Only a single run looks for them, never a batch itself:
//! `FPSOLVE_FAULTS=crash=a.bp,memory=b.bp,stuck=c.bp` makes the runs on programs with these endings crash, take memory
//! or wait until someone ends them. Only builds with the feature `faults` know this, as those for tests are.

/// Where the taking ends if nobody minds.
const ENOUGH: usize = 16 << 30;
const LONG: std::time::Duration = std::time::Duration::from_secs(300);
const CHUNK: usize = 8 << 20;

pub fn inject(program: &str) {
    let Ok(faults) = std::env::var("FPSOLVE_FAULTS") else { return };
    for (kind, ending) in faults.split(',').filter_map(|fault| fault.split_once('=')) {
        match kind {
            "crash" if program.ends_with(ending) => std::process::abort(),
            "stuck" if program.ends_with(ending) => std::thread::sleep(LONG),
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
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}
