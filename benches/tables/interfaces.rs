//! Generated drivers with any number of threads, searched for errors and proved correct: the shape of table 1 of La
//! Torre, Madhusudan and Parlato.
//!
//! Three analyses, one after the other: all schedules of the kernel and one driver; four rounds of any number of
//! drivers; and, if there is no error in these, a proof with one to four rounds.

use crate::generate::driver::{Size, program};
use crate::measure::{Job, Measured};
use crate::table::{Table, seconds};
use crate::{Interfaces, Tabling};
use std::time::Duration;

const SIZES: [Size; 6] = [
    Size { statements: 20, shared: 2, locals: 1 },
    Size { statements: 30, shared: 3, locals: 1 },
    Size { statements: 40, shared: 4, locals: 2 },
    Size { statements: 60, shared: 5, locals: 2 },
    Size { statements: 80, shared: 6, locals: 3 },
    Size { statements: 120, shared: 8, locals: 3 },
];

/// How many programs of a class ended in which way.
#[derive(Clone, Debug, Default)]
struct Counts {
    programs: usize,
    two_threads: usize,
    unsafe_: usize,
    /// Of these, how many are safe with two threads.
    more_threads: usize,
    bounded: usize,
    bounded_timeout: usize,
    proved: usize,
    not_proved: usize,
    proof_timeout: usize,
    search_time: Duration,
    proof_time: Duration,
}

pub fn table(options: &Interfaces, tabling: &Tabling) -> Result<(), String> {
    let limit = tabling.limit(Duration::from_secs(30));
    let command = format!("interfaces --seeds {} --limit {}s", options.seeds, limit.as_secs_f64());
    let mut table = Table::new(
        tabling.command(&command),
        &[
            "statements / shared / locals",
            "programs",
            "2 threads: unsafe",
            "4 rounds: unsafe",
            "no error",
            "out of time",
            "time",
            "proved",
            "not proved",
            "out of time",
            "time",
        ],
    );
    let mut total = Counts::default();
    for (class, size) in SIZES.iter().enumerate() {
        let mut counts = Counts::default();
        for number in 0..options.seeds {
            // No two programs of the grid have the same seed.
            let seed = class as u64 * 1000 + number;
            counts
                .add(&program(size, seed), limit, tabling)
                .map_err(|why| format!("{size:?}, seed {seed}: {why}"))?;
        }
        table.row(counts.row(&format!("{} / {} / {}", size.statements, size.shared, size.locals)));
        total.sum(&counts);
    }
    table.row(total.row("all"));
    table.print(tabling.out.as_deref())
}

impl Counts {
    fn add(&mut self, text: &str, limit: Duration, tabling: &Tabling) -> Result<(), String> {
        let run = |algorithm: &str,
                   set: Option<&str>,
                   deepen: Option<&str>,
                   text: &str|
         -> Result<Measured, String> {
            let mut job = Job::new(algorithm, limit, tabling.no_reordering());
            job.set = set.map(str::to_string);
            job.deepen = deepen.map(str::to_string);
            job.measure(text)
        };
        self.programs += 1;
        let with_two = run("interleaving", None, None, &text.replace("thread driver*", "thread driver"))?;
        let with_two = with_two.verdict.as_deref();
        self.two_threads += usize::from(with_two == Some("unsafe"));
        let search = run("linear_interfaces", Some("rounds=4"), None, text)?;
        self.search_time += search.solving;
        match search.verdict.as_deref() {
            Some("unsafe") => {
                self.unsafe_ += 1;
                self.more_threads += usize::from(with_two == Some("safe"));
            }
            Some(_) => {
                self.bounded += 1;
                let proof = run("adequacy", None, Some("rounds=1..4"), text)?;
                self.proof_time += proof.solving;
                match proof.verdict.as_deref() {
                    Some("safe") => self.proved += 1,
                    Some("unknown") => self.not_proved += 1,
                    None => self.proof_timeout += 1,
                    Some(other) => {
                        return Err(format!("no error in four rounds, but adequacy says {other}\n{text}"));
                    }
                }
            }
            None => self.bounded_timeout += 1,
        }
        Ok(())
    }

    fn sum(&mut self, other: &Counts) {
        self.programs += other.programs;
        self.two_threads += other.two_threads;
        self.unsafe_ += other.unsafe_;
        self.more_threads += other.more_threads;
        self.bounded += other.bounded;
        self.bounded_timeout += other.bounded_timeout;
        self.proved += other.proved;
        self.not_proved += other.not_proved;
        self.proof_timeout += other.proof_timeout;
        self.search_time += other.search_time;
        self.proof_time += other.proof_time;
    }

    fn row(&self, name: &str) -> Vec<String> {
        vec![
            name.into(),
            self.programs.to_string(),
            self.two_threads.to_string(),
            format!("{} (+{})", self.unsafe_, self.more_threads),
            self.bounded.to_string(),
            self.bounded_timeout.to_string(),
            seconds(self.search_time),
            self.proved.to_string(),
            self.not_proved.to_string(),
            self.proof_timeout.to_string(),
            seconds(self.proof_time),
        ]
    }
}
