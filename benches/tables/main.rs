//! The tables of docs/measurements.md and docs/performance.md, and the generators of the programs in them.
//!
//! `cargo bench --bench tables -- COMMAND`; without a command it says how it is used, and does nothing: a plain
//! `cargo bench`, or a test run over all targets, must not take minutes.

mod beem;
mod bluetooth;
mod by_hand;
mod c_programs;
mod calculus_files;
mod explain;
mod generate;
mod induction;
mod interfaces;
mod measure;
mod nested;
mod parity;
mod petri;
mod portfolio;
mod pushdown;
mod random;
mod scaling;
mod sequential;
mod suite;
mod systems;
mod table;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Measures the bundled algorithms and prints the tables of docs/measurements.md and docs/performance.md
#[derive(Parser)]
#[command(name = "tables", bin_name = "cargo bench --bench tables --")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Task>,
    /// Cargo passes one of these.
    #[arg(long, hide = true, global = true)]
    bench: bool,
    #[arg(long, hide = true, global = true)]
    test: bool,
}

#[derive(Subcommand)]
enum Task {
    /// Print a generated program
    #[command(subcommand)]
    Generate(Generate),
    /// Time against size: summaries on generated sequential programs
    Sequential {
        #[command(flatten)]
        options: Sequential,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Time against threads and contexts: lazy_cba and eager_cba on a Bluetooth driver
    Bluetooth {
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Contexts within which bugs are found: lazy_cba and product_cba on locks and buffers
    Beem {
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Errors and proofs for any number of threads: linear_interfaces and adequacy on generated drivers
    Interfaces {
        #[command(flatten)]
        options: Interfaces,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// The least k, and time against k and threads: k_induction on locks and drivers
    Induction {
        #[command(flatten)]
        tabling: Tabling,
    },
    /// What traces cost: the examples with an unsafe verdict, without and with their trace
    Explain {
        #[command(flatten)]
        tabling: Tabling,
    },
    /// All algorithms in one table: time, memory, and ratios for other settings or another build
    Suite(suite::Options),
    /// What the calculus costs: three algorithms beside the same fixed points written in Rust
    ByHand {
        #[command(flatten)]
        tabling: Tabling,
    },
    /// How time grows with statements, variables, threads, contexts and rounds
    Scaling {
        #[command(flatten)]
        tabling: Tabling,
    },
    /// What nested fixed points gain from going on from their last values: an arbiter, and parity games
    Nested {
        /// Games in PGSolver's format, such as game.pg
        games: Vec<PathBuf>,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Equations over facts, on tuples and on diagrams: generated graphs, and files with their facts beside them
    Calculus {
        /// Files of equations, or folders with them
        files: Vec<PathBuf>,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Petri nets: the reachable markings, with the order of places that is found and with that of the file
    Petri {
        /// Nets in PNML
        nets: Vec<PathBuf>,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Print a Petri net in PNML as equations
    Net {
        /// The net, such as net.pnml
        net: PathBuf,
    },
    /// Pushdown systems: CUBA's benchmarks, and post* and pre* on generated ones with more and more rules
    Pushdown {
        /// The folder with the benchmarks, or files of it; without one only generated systems are measured
        systems: Vec<PathBuf>,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Any number of threads: views on the systems of a folder with a MANIFEST.tsv
    Systems {
        folder: PathBuf,
        /// SATABS' programs instead of thread transition systems
        #[arg(long)]
        programs: bool,
        /// All programs of the folder, which has no manifest, also by adequacy
        #[arg(long, conflicts_with = "programs")]
        examples: bool,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Programs alone: how many are decided rightly, and the time against the best algorithm of the plan
    Portfolio {
        /// Folders with programs that say what is expected, or a MANIFEST.tsv
        programs: Vec<PathBuf>,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// C programs alone: the verdicts beside those of a TASKS.tsv
    C {
        /// The folder with the programs and the TASKS.tsv
        folder: PathBuf,
        #[command(flatten)]
        tabling: Tabling,
    },
    /// Write a parity game in PGSolver's format as the facts of examples/calculus/parity_game.fp
    Facts {
        /// The game, such as game.pg
        game: PathBuf,
        /// The folder for owner.facts, priority.facts and edge.facts
        out: PathBuf,
    },
    /// One measurement, in a process of its own
    #[command(hide = true)]
    One(measure::Job),
}

#[derive(Subcommand)]
enum Generate {
    /// A sequential program: procedures, locks, a dispatch loop, one error label
    Sequential {
        #[arg(long, default_value_t = 1000)]
        statements: usize,
        #[arg(long, default_value_t = 60)]
        globals: usize,
        #[arg(long, default_value_t = 10)]
        procedures: usize,
        /// How many requests main dispatches
        #[arg(long, value_enum, default_value_t = generate::sequential::Requests::One)]
        requests: generate::sequential::Requests,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Let one procedure forget whether it has taken its lock
        #[arg(long)]
        buggy: bool,
    },
    /// A parameterized program: a kernel and any number of drivers; half of the seeds have a bug
    Driver {
        #[arg(long, default_value_t = 40)]
        statements: usize,
        #[arg(long, default_value_t = 4)]
        shared: usize,
        #[arg(long, default_value_t = 2)]
        locals: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Two threads that hand a turn to each other: a proof by induction needs an epoch for each time
    Pump {
        #[arg(long, default_value_t = 4)]
        points: usize,
    },
    /// A pushdown system with one stack: procedures that call each other and hand control states down
    Pushdown {
        #[arg(long, default_value_t = 1000)]
        rules: usize,
        #[arg(long, default_value_t = 8)]
        states: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// A thread that moves tokens between registers, without calls
    Tokens {
        #[arg(long, default_value_t = 1000)]
        statements: usize,
        #[arg(long, default_value_t = 20)]
        registers: usize,
        #[arg(long, default_value_t = 4)]
        tokens: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Any number of such threads
        #[arg(long)]
        copies: bool,
    },
}

#[derive(Args)]
struct Sequential {
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many requests main dispatches
    #[arg(long, value_enum, default_value_t = generate::sequential::Requests::One)]
    requests: generate::sequential::Requests,
}

#[derive(Args)]
struct Interfaces {
    /// How many programs of each size
    #[arg(long, default_value_t = 40)]
    seeds: u64,
}

/// How a table is made.
#[derive(Args)]
struct Tabling {
    /// Also write the table to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The time limit of each run, in seconds: 30 or 30s
    #[arg(long, value_name = "TIME", value_parser = time)]
    limit: Option<Duration>,
    /// When to look for a better order of the BDD variables
    #[arg(long, value_enum, default_value_t = Reordering::Auto)]
    reorder: Reordering,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reordering {
    Auto,
    Off,
}

impl Tabling {
    fn limit(&self, default: Duration) -> Duration {
        self.limit.unwrap_or(default)
    }

    fn no_reordering(&self) -> bool {
        self.reorder == Reordering::Off
    }

    /// The command line that makes the table again.
    fn command(&self, task: &str) -> String {
        let reorder = if self.no_reordering() { " --reorder off" } else { "" };
        format!("cargo bench --bench tables -- {task}{reorder}")
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>();
    let time = number.map(Duration::try_from_secs_f64);
    time.ok().and_then(Result::ok).ok_or("write seconds, such as 30s".into())
}

fn main() -> ExitCode {
    let Some(task) = Arguments::parse().command else {
        println!("{}", Arguments::command().render_long_help());
        return ExitCode::SUCCESS;
    };
    match perform(&task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: &Task) -> Result<(), String> {
    match task {
        Task::Generate(Generate::Sequential { statements, globals, procedures, requests, seed, buggy }) => {
            use generate::sequential::{Size, program};
            let size = Size {
                statements: *statements,
                globals: *globals,
                procedures: *procedures,
                requests: *requests,
            };
            print!("{}", program(&size, *seed, *buggy));
            Ok(())
        }
        Task::Generate(Generate::Driver { statements, shared, locals, seed }) => {
            use generate::driver::{Size, program};
            let size = Size { statements: *statements, shared: *shared, locals: *locals };
            print!("{}", program(&size, *seed));
            Ok(())
        }
        Task::Generate(Generate::Pump { points }) => {
            print!("{}", generate::pump::program(*points));
            Ok(())
        }
        Task::Generate(Generate::Pushdown { rules, states, seed }) => {
            print!("{}", generate::pushdown::system(*rules, *states, *seed));
            Ok(())
        }
        Task::Generate(Generate::Tokens { statements, registers, tokens, seed, copies }) => {
            use generate::tokens::{Size, program};
            let size = Size { statements: *statements, registers: *registers, tokens: *tokens };
            print!("{}", program(&size, *seed, *copies));
            Ok(())
        }
        Task::Sequential { options, tabling } => sequential::table(options, tabling),
        Task::Bluetooth { tabling } => bluetooth::table(tabling),
        Task::Beem { tabling } => beem::table(tabling),
        Task::Interfaces { options, tabling } => interfaces::table(options, tabling),
        Task::Induction { tabling } => induction::tables(tabling),
        Task::Nested { games, tabling } => nested::table(games, tabling),
        Task::Calculus { files, tabling } => calculus_files::table(files, tabling),
        Task::Petri { nets, tabling } => petri::table(nets, tabling),
        Task::Net { net } => petri::net(net).map(|net| print!("{}", net.equations())),
        Task::Pushdown { systems, tabling } => pushdown::tables(systems, tabling),
        Task::Explain { tabling } => explain::table(tabling),
        Task::Suite(options) => suite::table(options),
        Task::ByHand { tabling } => by_hand::table(tabling),
        Task::Scaling { tabling } => scaling::table(tabling),
        Task::Facts { game, out } => parity::write_facts(game, out),
        Task::Systems { folder, examples: true, tabling, .. } => systems::examples(folder, tabling),
        Task::Systems { folder, programs, tabling, .. } => systems::table(folder, *programs, tabling),
        Task::Portfolio { programs, tabling } => portfolio::table(programs, tabling),
        Task::C { folder, tabling } => c_programs::table(folder, tabling),
        Task::One(job) => job.one(),
    }
}
