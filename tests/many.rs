//! A batch of 500 generated drivers of which two crash and two take too much memory: 496 answers, and four rows that say
//! why not. It takes a minute or two: `cargo test --release --test many -- --ignored`.

#![allow(dead_code, reason = "the generators can do more")]

#[path = "../benches/tables/generate/mod.rs"]
mod generate;
#[path = "../benches/tables/random.rs"]
mod random;

use generate::driver::{Size, program};
use std::process::Command;

#[test]
#[ignore = "takes minutes: 500 programs, each in a process of its own"]
fn a_batch_outlives_what_goes_wrong_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = [("small", 20, 2, 1), ("medium", 30, 3, 1)];
    for (name, statements, shared, locals) in sizes {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        for seed in 1..=250 {
            let text = program(&Size { statements, shared, locals }, seed);
            std::fs::write(folder.path().join(format!("{name}/{seed}.bp")), text).unwrap();
        }
    }
    let faults = "crash=small/17.bp,crash=medium/44.bp,memory=small/100.bp,memory=medium/200.bp";
    let arguments =
        "batch adequacy:rounds=1..3 --programs . --timeout 60s --memory 512MiB --out rows.csv --no-times";
    let run = |arguments: &str, faults: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fpsolve"))
            .args(arguments.split(' '))
            .env("FPSOLVE_FAULTS", faults)
            .current_dir(folder.path())
            .output()
            .unwrap();
        println!("{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(folder.path().join("rows.csv")).unwrap()
    };
    let count = |rows: &str, words: &[&str]| {
        rows.lines().skip(1).filter(|row| words.contains(&row.split(',').nth(3).unwrap())).count()
    };
    let rows = run(arguments, faults);
    assert_eq!(count(&rows, &["unsafe", "safe", "unknown"]), 496);
    assert_eq!(count(&rows, &["crash"]), 2);
    assert_eq!(count(&rows, &["memory"]), 2);
    let retried = run(&format!("{arguments} --retry"), "");
    assert_eq!(count(&retried, &["unsafe", "safe", "unknown"]), 500);
    let kept = rows.lines().filter(|row| retried.contains(row)).count();
    assert_eq!(kept, 497, "the head and the rows with an answer stay as they are");
}
