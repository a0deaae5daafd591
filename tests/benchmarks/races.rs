//! `race` on programs of each dialect that has threads.
//!
//! None of the Getafix programs has a race: all that several threads access, they access inside atomic sections. Where the
//! product of the threads is small, `race` says so itself. For the others there is [`ALONE`], which may find races that are
//! none, but misses none.

use super::front_end::options;
use super::manifest::{Row, test};
use calculus::span::Source;
use fpsolve::explain::{self, Traced};
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::run::{Request, Settings, files, run};
use libtest_mimic::Trial;
use std::sync::Arc;

/// Each thread alone: wherever it can be interrupted, the shared values become any that another thread leaves.
const ALONE: &str = "use program;
use \"lib/init.fp\";
use \"lib/singles.fp\";
mu Alone[t in 1..n](q: State, s: Shared) =
    start:  Init(s) & start[t](q)
  | step:   exists p, r. Alone[t](p, r) & step(p, r, q, s)
  | others: (exists r. Alone[t](q, r) & yield(q, r))
            & some o in 1..n: o != t & exists p. Alone[o](p, s) & yield(p, s);
let At[t in 1..n](pc: Pc, s: Shared) = exists q. Alone[t](q, s) & yield(q, s) & q.pc = pc;
query Races(v: Var, w, a: Pc) =
    some i in 1..n, j in 1..n: i != j & exists s. At[i](w, s) & At[j](a, s) & shared(v)
                                                  & writes(w, v) & (reads(a, v) | writes(a, v));
verdict unknown if exists v, w, a. Races(v, w, a);
verdict safe;
";

/// The programs with a race, by dialect: labels that are names, and labels that are numbers.
const RACY: [&str; 4] =
    ["satabs-boppo/Simple4/main.bp", "satabs-boppo/Threads1/main.bp", "ucob/test6.bp", "ucob/test7.bp"];

pub fn trials(rows: &[Arc<Row>]) -> Vec<Trial> {
    let mut out = Vec::new();
    for row in rows {
        // What takes long is left out: the other programs of this stack are alike.
        let is_large = row.path.contains("SafeStack");
        if is_large && !row.path.contains("oneforloop") {
            continue;
        }
        let expected = match () {
            () if RACY.contains(&row.path.as_str()) => "unsafe",
            () if row.format == "getafix-concurrent" && row.threads.parse::<u32>().is_ok() => "safe",
            () => continue,
        };
        out.push(test(row, "race", move |row| assert_eq!(verdict(is_large, row), expected)));
    }
    assert!(out.len() >= RACY.len() + 8, "only {} programs", out.len());
    out
}

/// With at most one copy of each thread that is started. A run to a race replays.
fn verdict(is_large: bool, row: &Row) -> String {
    let mut reading = options(row);
    reading.copies = Some(1);
    let options = ProgramOptions { reading, inline: Inline::Always, ..ProgramOptions::default() };
    let text = row.text();
    let model = program(&row.path, &text, &options).unwrap_or_else(|rejection| panic!("{rejection}"));
    let file = match is_large {
        true => Source::new("alone.fp", ALONE),
        false => files::find("race", &[]).expect("it is bundled"),
    };
    let request = Request { model: Some(model.vocabulary.clone()), ..Request::new(file) };
    let settings = Settings { list: 0, ..Settings::default() };
    let outcome = run(&request, &settings).unwrap_or_else(|rejection| panic!("{rejection}"));
    let found = outcome.conclusion().word().expect("it has verdicts").to_string();
    if found == "unsafe" {
        let traced = explain::trace(&request, &settings, &model, &outcome).expect("it was checked before");
        assert!(matches!(traced, Some(Traced::Trace(_))), "{}: {traced:?}", row.path);
    }
    found
}
