//! Batches: every run is a row, whatever becomes of it.

use crate::support::{command_in, exit, stdout, transcript};
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const FAULTS: &str = "crash=b/crash.bp,memory=b/memory.bp";
const BATCH: &str = "batch summaries --programs a b --memory 96MiB --no-times";

/// Six programs in two folders: two answers in each, and two in b that a fault is for.
fn programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    fs::create_dir(folder.path().join("b")).unwrap();
    let safe = "decl x; void main() begin x := T; assert(x); end\n";
    write("a/safe.bp", safe);
    write("a/unsafe.bp", "decl x; void main() begin assert(x); end\n");
    write("a/mistaken.bp", "void main() begin y := T; end\n");
    write("a/notes.txt", "no program\n");
    write("b/crash.bp", safe);
    write("b/memory.bp", safe);
    write("b/threads.bp", "decl x; thread one begin skip; end thread two begin skip; end\n");
    folder
}

fn run(folder: &Path, arguments: &str, faults: &str) -> Output {
    command_in(folder, arguments).env("FPSOLVE_FAULTS", faults).output().unwrap()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn every_run_is_a_row() {
    let folder = programs();
    let arguments = format!("{BATCH} --out rows.csv");
    let output = run(folder.path(), &arguments, FAULTS);
    let seen = transcript(&arguments, &output) + "--- rows.csv\n" + &read(folder.path(), "rows.csv");
    insta::assert_snapshot!(seen);
}

#[test]
fn without_an_output_the_rows_are_listed() {
    let folder = programs();
    let arguments = "batch lazy_cba:contexts=1 lazy_cba:contexts=2 --programs b/t*.bp a/safe.bp";
    insta::assert_snapshot!(transcript(arguments, &run(folder.path(), arguments, "")));
}

#[test]
fn without_an_algorithm_each_program_is_checked_alone() {
    let folder = programs();
    let alone = "batch --programs a b/threads.bp --no-times --out rows.csv";
    assert_eq!(exit(&run(folder.path(), alone, "")), 1);
    let rows = read(folder.path(), "rows.csv");
    let rows = rows.lines().skip(1).map(|row| row.split(',').take(4).collect::<Vec<_>>().join(" "));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            "a/mistaken.bp portfolio  refused",
            "a/safe.bp portfolio  safe",
            "a/unsafe.bp portfolio  unsafe",
            "b/threads.bp portfolio  safe",
        ]
    );
    assert!(read(folder.path(), "rows.csv").contains("a/unsafe.bp:1: assert(x) can fail (summaries)"));
    let set = run(folder.path(), "batch --programs a --set k=2", "");
    assert_eq!(exit(&set), 2, "no algorithm has the parameter");
}

#[test]
fn equal_batches_have_equal_output() {
    let folder = programs();
    for (name, jobs) in [("one.csv", 1), ("three.csv", 3), ("one.json", 1), ("three.json", 3)] {
        run(folder.path(), &format!("{BATCH} --out {name} --jobs {jobs}"), FAULTS);
    }
    assert_eq!(read(folder.path(), "one.csv"), read(folder.path(), "three.csv"));
    assert_eq!(read(folder.path(), "one.json"), read(folder.path(), "three.json"));
    let object: serde_json::Value = serde_json::from_str(&read(folder.path(), "one.json")).unwrap();
    let rows = object["rows"].as_array().unwrap();
    let csv = read(folder.path(), "one.csv");
    for (row, line) in rows.iter().zip(csv.lines().skip(1)) {
        assert!(line.starts_with(&format!("{},", row["program"].as_str().unwrap())), "{line}");
        assert!(line.contains(&format!(",{},", row["verdict"].as_str().unwrap())), "{line}");
    }
    assert_eq!((rows.len(), csv.lines().count()), (6, 7));
}

#[test]
fn shards_make_one_batch() {
    let folder = programs();
    let whole = run(folder.path(), &format!("{BATCH} --out whole.csv"), FAULTS);
    for shard in 1..=4 {
        // The order of the words changes nothing, nor does the form of the file.
        let programs = if shard % 2 == 0 { "b a" } else { "a b" };
        let out = if shard == 3 { "json" } else { "csv" };
        let arguments = format!(
            "batch summaries --programs {programs} --memory 96MiB --no-times --shard {shard}/4 --out part{shard}.{out}"
        );
        run(folder.path(), &arguments, FAULTS);
    }
    assert_eq!(read(folder.path(), "part1.csv").lines().count(), 3);
    assert_eq!(read(folder.path(), "part4.csv").lines().count(), 2);
    // A part may come twice, and what is there already does not count.
    fs::write(folder.path().join("merged.csv"), "not a table\n").unwrap();
    let arguments = "batch --merge part1.csv part2.csv part3.json part4.csv part1.csv --out merged.csv";
    let merged = run(folder.path(), arguments, "");
    assert_eq!(read(folder.path(), "merged.csv"), read(folder.path(), "whole.csv"));
    assert_eq!((exit(&merged), stdout(&merged)), (exit(&whole), stdout(&whole)));
}

#[test]
fn a_row_with_an_answer_replaces_one_without() {
    let folder = programs();
    run(folder.path(), &format!("{BATCH} --out first.csv"), FAULTS);
    run(folder.path(), &format!("{BATCH} --shard 4/6 --out again.csv"), "");
    run(folder.path(), "batch --merge first.csv again.csv --out one.csv", "");
    run(folder.path(), "batch --merge again.csv first.csv --out other.csv", "");
    let rows = read(folder.path(), "one.csv");
    assert!(rows.contains("b/crash.bp,summaries,,safe,"), "{rows}");
    assert_eq!(rows, read(folder.path(), "other.csv"));
}

#[test]
fn rows_that_are_there_are_not_run_again() {
    let folder = programs();
    let arguments = format!("{BATCH} --out rows.csv");
    run(folder.path(), &arguments, FAULTS);
    let whole = read(folder.path(), "rows.csv");
    // Were it run again, it would crash now.
    let again = run(folder.path(), &arguments, "crash=a/safe.bp");
    assert_eq!((exit(&again), read(folder.path(), "rows.csv")), (1, whole.clone()));
    // As if the batch had been ended in between.
    let half = whole.lines().filter(|row| !row.starts_with("a/")).collect::<Vec<_>>().join("\n") + "\n";
    fs::write(folder.path().join("rows.csv"), half).unwrap();
    run(folder.path(), &arguments, "");
    assert_eq!(read(folder.path(), "rows.csv"), whole);
    let retried = run(folder.path(), &format!("{arguments} --retry"), "");
    assert!(stdout(&retried).contains("without an answer: 2\n"), "{}", stdout(&retried));
    assert!(read(folder.path(), "rows.csv").contains("b/crash.bp,summaries,,safe,"));
    // Another setting is another row.
    run(folder.path(), &format!("{arguments} --inline never"), "");
    assert_eq!(read(folder.path(), "rows.csv").lines().count(), 13);
}

#[test]
fn times_stand_in_the_last_columns() {
    let folder = programs();
    run(folder.path(), "batch summaries --programs a/safe.bp --out rows.csv", "");
    let rows = read(folder.path(), "rows.csv");
    let mut lines = rows.lines();
    assert!(lines.next().unwrap().ends_with(",detail,seconds,memory_mib"));
    let seconds = lines.next().unwrap().split(',').nth(6).unwrap().parse::<f64>().unwrap();
    assert!((0.0..60.0).contains(&seconds), "{rows}");
}

#[test]
fn mistakes_are_told_before_anything_runs() {
    let folder = programs();
    fs::write(folder.path().join("other.csv"), "name,value\nx,1\n").unwrap();
    let runs = [
        "batch sumaries --programs a",
        "batch adequacy:rnds=2 --programs a",
        "batch adequacy:rounds=1..2 --deepen rounds=1..4 --programs a",
        "batch adequacy:rounds=2 --set rounds=3 --programs a",
        "batch adequacy:rounds=two --programs a",
        "batch summaries --programs nowhere",
        "batch summaries --programs a/**/*.c",
        "batch summaries --programs a/notes.txt",
        "batch summaries --programs a --out rows.txt",
        "batch summaries --programs a --out other.csv",
        "batch summaries --programs a --out nowhere/rows.csv",
        "batch summaries --programs a --shard 5/4",
        "batch summaries --merge other.csv",
        "batch --merge other.csv --out rows.csv",
        "batch --merge missing.csv --out rows.csv",
        "batch --merge one.csv two.csv --out rows.csv",
    ];
    let one = "program,algorithm,options,verdict,params,detail\na.bp,views,,safe,,\n";
    fs::write(folder.path().join("one.csv"), one).unwrap();
    fs::write(folder.path().join("two.csv"), one.replace("safe", "unsafe")).unwrap();
    let seen = runs.map(|arguments| transcript(arguments, &run(folder.path(), arguments, "")));
    insta::assert_snapshot!(seen.join("\n"));
    assert_eq!(read(folder.path(), "other.csv"), "name,value\nx,1\n");
}

/// Far more than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// The processes that have these words in their command line, where the system tells.
fn processes(words: &[&str]) -> Vec<String> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let commands = all.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    commands.filter(|command| words.iter().all(|word| command.contains(word))).collect()
}

#[test]
fn repro_two_batches_on_one_output_lose_nothing() {
    let folder = programs();
    let arguments = "batch summaries --programs a/safe.bp b/memory.bp --out rows.csv --no-times --jobs 1";
    let mut first = command_in(folder.path(), arguments)
        .env("FPSOLVE_FAULTS", "stuck=b/memory.bp")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the first row is written", || {
        fs::read_to_string(folder.path().join("rows.csv")).is_ok_and(|rows| rows.contains("a/safe.bp"))
    });
    let second = "batch summaries --programs a/unsafe.bp --out rows.csv --no-times";
    let refused = run(folder.path(), second, "");
    assert_eq!(exit(&refused), 2);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("another batch is writing `rows.csv`"), "{why}");
    // A batch that cannot say good-bye leaves no lock behind.
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(exit(&run(folder.path(), second, "")), 1);
    let rows = read(folder.path(), "rows.csv");
    assert!(
        rows.contains("a/safe.bp,summaries,,safe,") && rows.contains("a/unsafe.bp,summaries,,unsafe,"),
        "{rows}"
    );
    assert!(!folder.path().join("rows.csv.lock").exists(), "the lock is taken away");
}

#[test]
fn repro_a_killed_batch_leaves_no_run_behind() {
    let folder = programs();
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let arguments = format!("batch summaries --programs ../{name}/b/memory.bp");
    let mut batch = command_in(folder.path(), &arguments)
        .env("FPSOLVE_FAULTS", "stuck=b/memory.bp")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The batch has a pattern of its own words in its command line, its run the option as well.
    let runs = || processes(&["--end-with-stdin", name]);
    if Path::new("/proc/self/cmdline").exists() {
        wait_until("the run has begun", || !runs().is_empty());
    }
    batch.kill().unwrap();
    batch.wait().unwrap();
    wait_until("its run ends with it", || runs().is_empty());
}
