//! Tests that are found when they run: one per example and algorithm, or per program of a folder. They are listed, chosen,
//! run and reported as those of cargo's own harness. One that cannot be run here is `ignored`, with the reason.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;

/// A test that fails by panicking.
pub fn test(name: impl Into<String>, body: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
        body();
        Ok(())
    })
}

/// A test that may turn out not to be possible here; the error says why.
pub fn possible(
    name: impl Into<String>,
    body: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, || -> Result<Completion, Failed> {
        Ok(match body() {
            Ok(()) => Completion::Completed,
            Err(why) => Completion::ignored_with(why),
        })
    })
}

/// A test that is left out for a reason, which its result says, or that fails by panicking.
pub fn unless(
    left_out: Option<&'static str>,
    name: impl Into<String>,
    body: impl FnOnce() + Send + 'static,
) -> Trial {
    possible(name, move || match left_out {
        Some(why) => Err(why.into()),
        None => {
            body();
            Ok(())
        }
    })
}

/// Runs those that the command line chooses, in the order of their names.
pub fn run(mut trials: Vec<Trial>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    let threads = || std::env::var("RUST_TEST_THREADS").ok()?.parse().ok();
    arguments.test_threads = arguments.test_threads.or_else(threads);
    trials.sort_by(|a, b| a.name().cmp(b.name()));
    if let Some(twice) = trials.windows(2).find(|two| two[0].name() == two[1].name()) {
        panic!("two tests are called {}", twice[0].name());
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A number that depends on the name only (FNV-1a): what it chooses stays when other tests come and go.
pub fn hash(name: &str) -> usize {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as usize
}
