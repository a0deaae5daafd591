//! The programs under ../shared/benchmarks, read in place: one test for each and for each algorithm. Without that folder
//! there is one test, which is ignored.

#[path = "../calculus/tests/effort/mod.rs"]
mod effort;
#[path = "../calculus/tests/trials/mod.rs"]
mod trials;
mod benchmarks {
    pub mod algorithms;
    pub mod front_end;
    pub mod harnesses;
    pub mod interpreter;
    pub mod manifest;
    pub mod races;
}
#[path = "robustness/mangled.rs"]
mod mangled;
#[allow(dead_code, reason = "there are samples, too")]
mod mangling;
#[path = "c/shown.rs"]
#[allow(dead_code, reason = "programs are only made to fail here")]
mod shown;

use benchmarks::manifest::Row;
use benchmarks::{algorithms, front_end, harnesses, interpreter, manifest, races};
use libtest_mimic::Trial;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let Some(rows) = manifest::programs() else {
        let missing = || Err("no folder shared/benchmarks beside the project".to_string());
        return trials::run(vec![trials::possible("benchmarks", missing)]);
    };
    let kinds = [front_end::trials, interpreter::trials, algorithms::trials, races::trials, mangled_programs];
    trials::run(kinds.iter().flat_map(|kind| kind(&rows)).chain(harnesses::trials()).collect())
}

fn mangled_programs(rows: &[Arc<Row>]) -> Vec<Trial> {
    let texts = rows.iter().map(|row| row.text()).filter(|text| text.len() < 2_500).collect::<Vec<_>>();
    let rounds = effort::cases(20_000);
    vec![trials::test("mangled_programs_cause_no_panic", move || mangled::mangle(&texts, rounds))]
}
