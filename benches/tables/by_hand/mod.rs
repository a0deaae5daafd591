//! What the calculus costs: three of the algorithms beside the same fixed points written in Rust, directly on BDDs, as
//! one would who needs only that one.
//!
//! Both read the program with the same front end and must come to the same verdict, rows and tuples; without that there
//! is no ratio. The time of reading is that of neither.

mod interfaces;
mod reachability;
mod statement;
mod summaries;

use crate::Tabling;
use crate::generate::{sequential, tokens};
use crate::measure::{Answered, Job, Measured, Stopwatch, peak_memory};
use crate::table::{Table, grouped};
use calculus::bdd::{Limits, Manager, ManagerSettings, Reorder, Stop, Var, count_all};
use calculus::vocabulary::Vocabulary;
use clap::ValueEnum;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::schema::TARGET;
use fpsolve::run::{files, handles_calls};
use statement::{AT, States, location, rows};
use std::io::Read;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    Reachability,
    Summaries,
    Interfaces,
}

impl Question {
    fn algorithm(self) -> &'static str {
        match self {
            Question::Reachability => "reachability",
            Question::Summaries => "summaries",
            Question::Interfaces => "linear_interfaces",
        }
    }

    /// The relation whose tuples both must have.
    fn relation(self) -> &'static str {
        match self {
            Question::Reachability => "Reach",
            Question::Summaries => "Path",
            Question::Interfaces => "TLI",
        }
    }
}

/// What a fixed point written by hand comes to.
pub struct Solved {
    reached: bool,
    rounds: u64,
    rows: usize,
    states: States,
    vars: Vec<Var>,
}

impl Solved {
    /// Locations may stand several times, once for each thread.
    fn new(states: States, rounds: u64, vocabulary: &Vocabulary, vars: Vec<Var>) -> Solved {
        let count = statement::locations(vocabulary);
        let mut targets = vec![false; count];
        rows(vocabulary, TARGET.name, 0).iter().for_each(|row| targets[location(row, AT)] = true);
        let known = states.of.iter().enumerate().filter(|(_, states)| states.is_some());
        Solved {
            reached: known.clone().any(|(at, _)| targets[at % count]),
            rounds,
            rows: known.count(),
            states,
            vars,
        }
    }
}

/// One of them, in a process of its own, which speaks like that of the algorithm.
pub fn one(question: Question, no_reordering: bool) -> Result<(), String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let file = files::find(question.algorithm(), &[]).map_err(|mistake| mistake.title)?;
    let options = ProgramOptions::default().for_file(handles_calls(&file));
    let watch = Stopwatch::start();
    let model = program("program.bp", &text, &options).map_err(|mistakes| format!("{mistakes:?}"))?;
    println!("read {}", watch.time().as_micros());
    let watch = Stopwatch::start();
    let reorder = if no_reordering { Reorder::Off } else { Reorder::Auto };
    let manager = Manager::new(ManagerSettings { reorder, limits: Limits::default() }).unwrap();
    let solve: fn(Manager, &Vocabulary) -> Result<Solved, Stop> = match question {
        Question::Reachability => reachability::solve,
        Question::Summaries => summaries::solve,
        Question::Interfaces => interfaces::solve,
    };
    let solved = solve(manager.clone(), &model.vocabulary).map_err(|stop| format!("{stop:?}"))?;
    let verdict = match (solved.reached, question) {
        (true, _) => "unsafe",
        (false, Question::Interfaces) => "bounded",
        (false, _) => "safe",
    };
    let time = watch.time().as_micros();
    let stats = manager.stats();
    println!("end {verdict} {time} {} {}", stats.peak_nodes, solved.rows);
    println!("sizes {} {} {}", solved.rounds, stats.memory_bytes, peak_memory("self").unwrap_or(0));
    println!("work {}", stats.cache_lookups);
    // Counting is no part of what was measured.
    println!("tuples {} {}", solved.rows, count_all(solved.states.of.iter().flatten(), &solved.vars));
    Ok(())
}

/// Programs on which each takes more than a second, and smaller ones that show how the ratio changes.
fn programs() -> Vec<(Question, String, String)> {
    use Question::*;
    let mut out = Vec::new();
    for (statements, registers) in [(2_000, 20), (20_000, 20), (4_000, 40)] {
        let size = tokens::Size { statements, registers, tokens: 5 };
        let name = format!("tokens, {statements} statements, {registers} registers");
        out.push((Reachability, name, tokens::program(&size, 1, false)));
    }
    for statements in [1_000, 5_000, 10_000] {
        let procedures = statements / 100;
        let size =
            sequential::Size { statements, globals: 60, procedures, requests: sequential::Requests::One };
        let name = format!("sequential, {statements} statements, 60 globals");
        out.push((Summaries, name, sequential::program(&size, 1, false)));
    }
    for (statements, registers) in [(2_000, 12), (20_000, 12), (4_000, 20)] {
        let size = tokens::Size { statements, registers, tokens: 2 };
        let name = format!("tokens, {statements} statements, {registers} registers");
        out.push((Interfaces, name, tokens::program(&size, 1, true)));
    }
    out
}

pub fn table(tabling: &Tabling) -> Result<(), String> {
    let limit = tabling.limit(Duration::from_secs(60));
    let head = [
        "algorithm",
        "program",
        "rows",
        "tuples",
        "by hand",
        "rounds",
        "look-ups",
        "fpsolve",
        "rounds",
        "look-ups",
        "ratio",
    ];
    let mut table = Table::new(tabling.command("by-hand"), &head);
    for (question, name, text) in programs() {
        let mut job = Job::new(question.algorithm(), limit, tabling.no_reordering());
        job.relation = Some(question.relation().into());
        job.set = match question {
            Question::Reachability => None,
            // As by hand, for the states of calls.
            Question::Summaries => Some("exact=1".into()),
            Question::Interfaces => Some("rounds=1".into()),
        };
        let by_hand = Job { by_hand: Some(question), ..job.clone() };
        // In turn, and the least of both: what else the machine does disturbs them alike.
        let begin = Instant::now();
        let (mut one, mut other) = (by_hand.measure(&text)?, job.measure(&text)?);
        while begin.elapsed() < Duration::from_secs(15) {
            let (again, also) = (by_hand.measure(&text)?, job.measure(&text)?);
            one = if again.solving < one.solving { again } else { one };
            other = if also.solving < other.solving { also } else { other };
        }
        let same = one.verdict == other.verdict && one.answered == other.answered;
        if one.verdict.is_some() && other.verdict.is_some() && !same {
            return Err(format!(
                "{name}: by hand {:?} {:?}, fpsolve {:?} {:?}",
                one.verdict, one.answered, other.verdict, other.answered
            ));
        }
        let Answered { rows, tuples } = one.answered.clone().unwrap_or_default();
        let ratio = other.solving.as_secs_f64() / one.solving.as_secs_f64();
        table.row(vec![
            question.algorithm().into(),
            name,
            grouped(rows),
            short(&tuples),
            one.time(),
            rounds(&one),
            lookups(&one),
            other.time(),
            rounds(&other),
            lookups(&other),
            if same { format!("{ratio:.2}") } else { "–".into() },
        ]);
    }
    table.print(tabling.out.as_deref())
}

fn rounds(measured: &Measured) -> String {
    measured.sizes.map_or("–".into(), |sizes| grouped(sizes.rounds))
}

/// Looks into CUDD's cache: how much work on diagrams there was, whatever the machine. Renamings are not in it.
fn lookups(measured: &Measured) -> String {
    measured.lookups.map_or("–".into(), |lookups| format!("{:.1} M", lookups as f64 / 1e6))
}

/// `1.2e34` for what has many digits.
fn short(digits: &str) -> String {
    match digits.len() {
        0..10 => digits.into(),
        length => format!("{}.{}e{}", &digits[..1], &digits[1..3], length - 1),
    }
}
