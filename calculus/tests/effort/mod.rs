//! How much the tests do. `FPSOLVE_TESTS=fast` (see `.ci/fast`) is for while one works: a twentieth of the random
//! cases and of the largest inputs. A number multiplies them, for a long search: `FPSOLVE_TESTS=10`.

#![allow(dead_code, reason = "each test binary uses a part of it")]

/// The number of random cases to try, where `full` are tried before anything lands.
pub fn cases(full: usize) -> usize {
    match setting().as_str() {
        "full" => full,
        "fast" => full.div_ceil(20),
        times => full * times.parse::<usize>().expect("FPSOLVE_TESTS is `fast`, `full` or a number"),
    }
}

/// Whether more than `least` of the full number of cases were of some kind. The fast profile tries too few to tell.
pub fn enough(found: usize, least: usize) -> bool {
    is_fast() || found > cases(least)
}

/// Whether too few random cases are tried for all kinds to be among them.
pub fn is_fast() -> bool {
    setting() == "fast"
}

fn setting() -> String {
    std::env::var("FPSOLVE_TESTS").unwrap_or_else(|_| "full".into())
}
