//! How much the tests do. `FPSOLVE_TESTS=fast` is for work in progress: a tenth of the random cases, and what is known to be
//! slow is ignored. A number multiplies the random cases, for a long search: `FPSOLVE_TESTS=10`.

#![allow(dead_code, reason = "each test binary uses a part of it")]

/// The number of random cases to try, where `full` are tried before anything lands.
pub fn cases(full: usize) -> usize {
    match setting().as_str() {
        "full" => full,
        "fast" => full.div_ceil(10),
        times => full * times.parse::<usize>().expect("FPSOLVE_TESTS is `fast`, `full` or a number"),
    }
}

/// Whether slow tests are left out.
pub fn is_fast() -> bool {
    setting() == "fast"
}

fn setting() -> String {
    std::env::var("FPSOLVE_TESTS").unwrap_or_else(|_| "full".into())
}
