//! `fpsolve batch [ALGO…] --programs DIR|GLOB…`: many programs, each in a process of its own.

use super::arguments::{DialectName, InlineName, Programs, ReorderName, Solving, StrategyName};
use super::output::{complain, print, reject, width};
use super::words::CheckName;
use super::{Exit, algorithm as algorithms, arguments, interrupt};
use crate::batch::child::{self, ChildLimits, Ended};
use crate::batch::plan::{BatchAlgorithm, Shard, programs};
use crate::batch::results::Results;
use crate::batch::{BatchRow, Label, RowKey, summary};
use crate::run::deepen::Deepening;
use crate::run::{Facts, Request, check, specimen};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::visible::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
pub struct Batch {
    /// Algorithms: bundled ones or .fp files, with settings behind a colon: adequacy:rounds=1..4; without one, each
    /// program is checked as `fpsolve PROGRAM` does
    #[arg(value_name = "ALGO", value_parser = BatchAlgorithm::parse)]
    pub algorithms: Vec<BatchAlgorithm>,
    /// Boolean programs: folders with everything below them, files, or patterns such as 'drivers/**/*.bp'
    #[arg(long, value_name = "DIR|GLOB", required_unless_present = "merge", num_args = 1..)]
    pub programs: Vec<String>,
    /// Where to keep the rows; those that are there already are not run again
    #[arg(long, value_name = "FILE.csv|FILE.json")]
    pub out: Option<PathBuf>,
    /// How many runs at a time; one per processor by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Run again what has no answer in the output: what ran out of resources, crashed or was refused
    #[arg(long)]
    pub retry: bool,
    /// Make only a part of the runs, such as 3/16: every sixteenth one, beginning with the third; the parts of a
    /// batch can run on different machines, each with its own output
    #[arg(long, value_name = "NUMBER/OF", value_parser = Shard::parse)]
    pub shard: Option<Shard>,
    /// Run nothing: put the rows of these outputs into one, as if one batch had made them
    #[arg(long, value_name = "FILE.csv|FILE.json", num_args = 1.., conflicts_with_all = ["algorithms", "programs", "shard", "retry"])]
    pub merge: Vec<PathBuf>,
    /// Leave time and memory out of the output: then equal input gives equal output, byte for byte
    #[arg(long)]
    pub no_times: bool,
    /// Set a parameter of every algorithm
    #[arg(long, value_name = "NAME=INT", value_parser = super::arguments::setting)]
    pub set: Vec<(String, i64)>,
    /// Raise a parameter of every algorithm until the verdict is unsafe or safe: rounds=1..4
    #[arg(long, value_name = "NAME=A..B", value_parser = Deepening::parse)]
    pub deepen: Option<Deepening>,
    #[command(flatten)]
    pub solving: Solving,
    #[command(flatten)]
    pub program: Programs,
}

/// What rows call the algorithms of the plan together, where none is named.
const PORTFOLIO: &str = "portfolio";

/// How often the file is written while the batch runs, and the bar drawn.
const SAVE: Duration = Duration::from_secs(1);
const PAINT: Duration = Duration::from_millis(100);

pub fn batch(arguments: &Batch) -> Exit {
    match run(arguments) {
        Ok(exit) => exit,
        Err(rejection) => reject(&rejection, false),
    }
}

/// One run that is to be made.
struct Task {
    key: RowKey,
    arguments: Vec<String>,
}

/// `--merge`: the rows of the parts, and the tables of them all.
fn merge(arguments: &Batch) -> Result<Exit, Rejection> {
    let results = Results::merged(&arguments.merge, arguments.out.as_deref(), !arguments.no_times)?;
    results.write()?;
    let names = results.rows.keys().map(|key| key.algorithm.clone()).collect::<BTreeSet<_>>();
    let rows = results.rows.values().collect::<Vec<_>>();
    Ok(tell(&Vec::from_iter(names), &rows, arguments.out.is_none()))
}

fn run(arguments: &Batch) -> Result<Exit, Rejection> {
    if !arguments.merge.is_empty() {
        return merge(arguments);
    }
    let algorithms = algorithms(arguments)?;
    let programs = programs(&arguments.programs)?;
    let mut results = Results::open(arguments.out.as_deref(), !arguments.no_times)?;
    let mut all = tasks(&algorithms, &programs, arguments);
    if let Some(shard) = arguments.shard {
        // In the order of the rows: the order of the words on the command line changes nothing.
        all.sort_by(|one, other| one.key.cmp(&other.key));
        let mut positions = 0..;
        all.retain(|_| positions.next().is_some_and(|position| shard.has(position)));
    }
    let done = |task: &&Task| match results.rows.get(&task.key) {
        Some(row) => !arguments.retry || row.label.is_answer(),
        None => false,
    };
    let (known, open) = all.iter().partition::<Vec<_>, _>(done);
    // A file that cannot be written is told now, not after hours.
    results.write()?;
    let finished = perform(&open, arguments, known.len(), &mut results);
    results.write()?;
    let finished = finished?;
    let rows = all.iter().filter_map(|task| results.rows.get(&task.key)).collect::<Vec<_>>();
    if !finished {
        let how = if arguments.out.is_some() { "; the same command goes on from here" } else { "" };
        print(&format!("interrupted: {} of {} rows are written{how}\n", rows.len(), all.len()));
        return Ok(Exit::Unknown);
    }
    let names = algorithms.iter().map(BatchAlgorithm::name).collect::<Vec<_>>();
    Ok(tell(&names, &rows, arguments.out.is_none()))
}

/// Prints the tables, and the rows too if no file has them.
fn tell(algorithms: &[String], rows: &[&BatchRow], listed: bool) -> Exit {
    let mut text = String::new();
    if listed {
        text += &summary::list(rows, algorithms.len() > 1);
        text.push('\n');
    }
    print(&(text + &summary::summary(algorithms, rows, listed, width())));
    exit(rows)
}

fn exit(rows: &[&BatchRow]) -> Exit {
    let any = |is: &dyn Fn(Label) -> bool| rows.iter().any(|row| is(row.label));
    if any(&|label| label == Label::Unsafe) {
        Exit::Unsafe
    } else if any(&|label| label == Label::Unknown || !label.is_answer()) {
        Exit::Unknown
    } else {
        Exit::Success
    }
}

/// The algorithms with all their settings. Each is checked once, before any program is looked at.
fn algorithms(arguments: &Batch) -> Result<Vec<BatchAlgorithm>, Rejection> {
    if arguments.algorithms.is_empty() {
        if !arguments.set.is_empty() || arguments.deepen.is_some() {
            let title = "`--set` and `--deepen` are about one algorithm, and none is named";
            let help = "name one: fpsolve batch ALGORITHM --programs DIR; `fpsolve list` shows them";
            return Err(Diagnostic::error("fp::usage", title).help(help).into());
        }
        return Ok(vec![BatchAlgorithm {
            file: PORTFOLIO.into(),
            set: Vec::new(),
            deepen: None,
            refine: None,
        }]);
    }
    let mut out: Vec<BatchAlgorithm> = Vec::new();
    for algorithm in &arguments.algorithms {
        let mut algorithm = algorithm.clone();
        algorithm.set.extend(arguments.set.iter().cloned());
        if let Some(deepening) = &arguments.deepen
            && let Some(own) = algorithm.deepen.replace(deepening.clone())
        {
            let title = format!("`{}` is deepened twice", own.param);
            return Err(Diagnostic::error("fp::usage", title).help("leave out --deepen").into());
        }
        let mut params = BTreeMap::new();
        let deepened = algorithm.deepen.iter().map(|deepening| (deepening.param.clone(), deepening.first));
        for (name, value) in algorithm.set.iter().cloned().chain(deepened) {
            if params.insert(name.clone(), value).is_some() {
                let title = format!("`{name}` is set twice for `{}`", algorithm.file);
                return Err(Diagnostic::error("fp::usage", title).help("keep one setting of it").into());
            }
        }
        let file = algorithms::find(&algorithm.file, None)?;
        let model = Some(specimen(&file));
        check(&Request { params, facts: Facts::Empty, model, specimen: true, ..Request::new(file) })?;
        if !out.iter().any(|other| other.name() == algorithm.name()) {
            out.push(algorithm);
        }
    }
    Ok(out)
}

/// Every program with every algorithm, or alone: then the algorithms of the plan run one at a time, since several programs
/// run at once; each to its end where equal input is to give equal output.
fn tasks(algorithms: &[BatchAlgorithm], programs: &[String], arguments: &Batch) -> Vec<Task> {
    let options = options(&arguments.solving, &arguments.program);
    let limits = limits(&arguments.solving.limits);
    let one_at_a_time = if arguments.no_times { "--deterministic" } else { "--jobs=1" };
    let tasks = programs.iter().flat_map(|program| {
        let (options, limits) = (&options, &limits);
        algorithms.iter().map(move |algorithm| {
            let mut words = algorithm.arguments();
            words.extend(options.iter().chain(limits).cloned());
            words.extend(["--format=json", "--end-with-stdin"].map(String::from));
            match arguments.algorithms.is_empty() {
                true => words.extend([one_at_a_time, "--", program].map(String::from)),
                false => words.extend(["--", &algorithm.file, program].map(String::from)),
            }
            let (program, algorithm) = (program.clone(), algorithm.name());
            Task { key: RowKey { program, algorithm, options: options.join(" ") }, arguments: words }
        })
    });
    tasks.collect()
}

/// The options of each run of a batch or a portfolio, spelled in one way and in one order.
pub fn options(solving: &Solving, program: &Programs) -> Vec<String> {
    let mut out = model_options(program);
    let mut say = |name: &str, values: &[String]| {
        out.extend(values.iter().map(|value| format!("--{name}={value}")));
    };
    say("keyed", &solving.keyed);
    say("symbolic", &solving.symbolic);
    say("order", solving.order.as_ref().map(|path| path.display().to_string()).as_slice());
    say("strategy", differs(name::<StrategyName>(solving.strategy), "semi-naive").as_slice());
    say("reorder", differs(name::<ReorderName>(solving.reorder), "auto").as_slice());
    let flags = [("--no-early-stop", solving.no_early_stop), ("--no-frames", solving.no_frames)];
    out.extend(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_string()));
    out
}

/// Those that say how a model is read.
pub fn model_options(program: &Programs) -> Vec<String> {
    let mut out = Vec::new();
    let mut say = |name: &str, values: &[String]| {
        out.extend(values.iter().map(|value| format!("--{name}={value}")));
    };
    say("init", program.init.as_slice());
    say("thread", &program.thread);
    say("replicate", &program.replicate);
    say("target", &program.target);
    say("initial", program.initial.as_slice());
    say("ltl", program.ltl.as_slice());
    say("dialect", program.dialect.map(name::<DialectName>).as_slice());
    say("copies", program.copies.map(|copies| copies.to_string()).as_slice());
    let check = program.words.check.iter().map(|check| name::<CheckName>(*check)).collect::<Vec<_>>();
    say("check", &check);
    say("havoc", &program.words.havoc);
    say("predicate", &program.words.predicate);
    say("inline", differs(name::<InlineName>(program.inline), "auto").as_slice());
    out.extend(program.no_simplify.then(|| "--no-simplify".to_string()));
    out
}

fn differs(given: String, usual: &str) -> Option<String> {
    (given != usual).then_some(given)
}

fn limits(limits: &arguments::LimitArguments) -> Vec<String> {
    let time = limits.resources.timeout.map(|timeout| format!("--timeout={}ms", timeout.as_millis()));
    let memory = limits.resources.memory.map(|memory| format!("--memory={memory}b"));
    let nodes = limits.max_nodes.map(|nodes| format!("--max-nodes={nodes}"));
    time.into_iter().chain(memory).chain(nodes).collect()
}

fn name<T: clap::ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
}

/// Makes the open runs, some at a time. Whether all were made: an interruption ends them.
fn perform(
    open: &[&Task],
    arguments: &Batch,
    known: usize,
    results: &mut Results,
) -> Result<bool, Rejection> {
    let interrupt = interrupt::install();
    let command = std::env::current_exe().map_err(|error| {
        Diagnostic::error("fp::unreadable_file", format!("cannot find the command itself: {error}"))
    })?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.map_or(processors, usize::from).min(open.len());
    let asked = &arguments.solving.limits.resources;
    let limits = ChildLimits { timeout: asked.timeout, memory: asked.memory };
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut bar = Bar::new(known, known + open.len());
    let mut problem = None;
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..jobs {
            let (sender, next, failed) = (sender.clone(), &next, &failed);
            let (interrupt, command) = (&interrupt, &command);
            scope.spawn(move || {
                while !interrupt.load(Ordering::SeqCst) && !failed.load(Ordering::SeqCst) {
                    let Some(task) = open.get(next.fetch_add(1, Ordering::SeqCst)) else { break };
                    let ended = child::run(Command::new(command).args(&task.arguments), limits, interrupt);
                    // Nobody listens only if the batch has ended.
                    let _ = sender.send((task.key.clone(), ended));
                }
            });
        }
        drop(sender);
        let mut saved = Instant::now();
        let mut pause = SAVE;
        loop {
            match receiver.recv_timeout(PAINT) {
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) | Ok((_, Ok(None))) => {}
                Ok((key, Ok(Some(ended)))) => {
                    let row = row(key, ended);
                    bar.count(row.label);
                    results.rows.insert(row.key.clone(), row);
                }
                Ok((_, Err(error))) => {
                    failed.store(true, Ordering::SeqCst);
                    problem = Some(Diagnostic::error("fp::usage", format!("cannot start a run: {error}")));
                }
            }
            bar.paint();
            if saved.elapsed() > pause {
                let begin = Instant::now();
                if let Err(unwritten) = results.write() {
                    failed.store(true, Ordering::SeqCst);
                    problem = Some(unwritten);
                }
                // Large files are written less often.
                pause = SAVE.max(begin.elapsed() * 20);
                saved = Instant::now();
            }
        }
    });
    bar.erase();
    match problem {
        Some(problem) => Err(problem.into()),
        None => Ok(!interrupt.load(Ordering::SeqCst)),
    }
}

fn row(key: RowKey, ended: Ended) -> BatchRow {
    let Ended { label, params, detail, measured, .. } = ended;
    BatchRow { key, label, params, detail, measured: Some(measured) }
}

/// The line on a terminal that tells how far the batch is.
struct Bar {
    done: usize,
    all: usize,
    counts: BTreeMap<Label, usize>,
    begin: Instant,
    /// Nothing unless the standard error is a terminal.
    width: Option<usize>,
    painted: Option<Instant>,
}

impl Bar {
    fn new(done: usize, all: usize) -> Bar {
        let width = io::stderr().is_terminal().then(|| {
            terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
        });
        Bar { done, all, counts: BTreeMap::new(), begin: Instant::now(), width, painted: None }
    }

    fn count(&mut self, label: Label) {
        self.done += 1;
        *self.counts.entry(label).or_default() += 1;
    }

    fn paint(&mut self) {
        let Some(width) = self.width else { return };
        if self.painted.is_none_or(|painted| painted.elapsed() > PAINT) {
            self.painted = Some(Instant::now());
            let line = self.line().chars().take(width.saturating_sub(1)).collect::<String>();
            complain(&format!("\r{}\x1b[K", visible(&line)));
        }
    }

    fn line(&self) -> String {
        const LENGTH: usize = 20;
        let full = (self.done * LENGTH).checked_div(self.all).unwrap_or(LENGTH);
        let bar = "#".repeat(full) + &"-".repeat(LENGTH - full);
        let counts = self.counts.iter().map(|(label, count)| format!("{count} {}", label.word()));
        let counts = counts.collect::<Vec<_>>().join(", ");
        format!("[{bar}] {}/{}, {} s  {counts}", self.done, self.all, self.begin.elapsed().as_secs())
    }

    fn erase(&self) {
        if self.painted.is_some() {
            complain("\r\x1b[K");
        }
    }
}
