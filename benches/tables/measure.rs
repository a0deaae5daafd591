//! One measurement: an algorithm on a program, in a process of its own.
//!
//! A process of its own, because the solver cannot be stopped inside a reordering and because what one run leaves
//! in memory must not help or hinder the next. The process is this executable with the hidden command `one`; it
//! reads the program from its standard input and writes a line per step of a deepening and one at the end. Times are
//! those that the process had on a core, where the system tells: what else the machine does is not measured. Limits
//! are by the clock.

use crate::by_hand::{self, Question};
use crate::table::{grouped, seconds};
use calculus::bdd::{Limits, Reorder};
use calculus::diagnostic::Rejection;
use calculus::solve::Strategy;
use fpsolve::explain::{Traced, trace};
use fpsolve::model::boolean::program;
use fpsolve::model::options::Handles;
use fpsolve::model::pds::system;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::{Model, ProgramOptions, tts};
use fpsolve::run::deepen::{Deepening, deepen};
use fpsolve::run::{Conclusion, Outcome, Request, Settings, files, handles_calls, offered, run};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is to be measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Job {
    pub algorithm: String,
    /// NAME=VALUE, with commas between several
    #[arg(long)]
    pub set: Option<String>,
    /// NAME=FIRST..LAST
    #[arg(long)]
    pub deepen: Option<String>,
    /// In seconds.
    #[arg(long)]
    pub limit: f64,
    #[arg(long)]
    pub no_reordering: bool,
    /// Also find the run behind an unsafe verdict.
    #[arg(long)]
    pub trace: bool,
    /// There is no program.
    #[arg(long)]
    pub alone: bool,
    /// Keep control locations as bits of BDDs.
    #[arg(long)]
    pub symbolic: bool,
    #[arg(long)]
    pub naive: bool,
    #[arg(long, value_parser = Inlining::parse)]
    pub inline: Option<Inlining>,
    /// The procedure that is a single thread, and the one of which any number of copies run.
    #[arg(long)]
    pub thread: Option<String>,
    #[arg(long)]
    pub replicate: Option<String>,
    /// The text is a thread transition system.
    #[arg(long)]
    pub threads: bool,
    /// Where the runs of such a system begin. Otherwise the text is a pushdown system whose runs begin here, and not a
    /// Boolean program.
    #[arg(long)]
    pub initial: Option<String>,
    #[arg(long)]
    pub target: Option<String>,
    /// Tell the rows and tuples of this relation, or of all of this family.
    #[arg(long)]
    pub relation: Option<String>,
    /// Count what an early verdict would leave out too.
    #[arg(long)]
    pub complete: bool,
    /// Not the algorithm but what was written by hand instead.
    #[arg(long, value_enum)]
    pub by_hand: Option<Question>,
}

/// Which calls are inlined, where that is not left to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inlining {
    Never,
    Always,
}

/// A run that only has to be made.
type ReadyRun = (Request, Settings, Option<Box<dyn Model>>);

impl Inlining {
    fn parse(word: &str) -> Result<Inlining, String> {
        match word {
            "never" => Ok(Inlining::Never),
            "always" => Ok(Inlining::Always),
            _ => Err("never or always".into()),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Inlining::Never => "never",
            Inlining::Always => "always",
        }
    }
}

/// How a run ended. Without a `verdict` a limit was reached.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub verdict: Option<String>,
    /// The values of the deepened parameter that were finished, with the verdict and the time from the beginning.
    pub steps: Vec<Step>,
    /// Reading the program, and solving. Solving counts as the limit if it was reached.
    pub reading: Duration,
    pub solving: Duration,
    /// Finding the run behind the verdict, and how many steps it has.
    pub trace: Option<(Duration, u64)>,
    /// Nothing if the process had to be killed.
    pub numbers: Option<Numbers>,
    /// Nothing if the process was killed, or is that of an older build.
    pub sizes: Option<Sizes>,
    /// Looks into CUDD's cache.
    pub lookups: Option<u64>,
    /// Only if it was asked for.
    pub answered: Option<Answered>,
    /// What the process took as it is seen from here, where the system tells: it is looked at now and then.
    pub seen: Seen,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub value: i64,
    pub verdict: String,
    pub time: Duration,
}

#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pub peak_nodes: u64,
    /// Of the relations that the algorithm defines.
    pub rows: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// How often new rows were taken up, of all relations together.
    pub rounds: u64,
    /// What CUDD has for tables, cache and nodes at the end, in bytes.
    pub cudd: u64,
    /// The most that the process had in memory, in bytes.
    pub process: u64,
}

/// How large a relation is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    pub rows: u64,
    /// In decimal: there may be more than fit into a number.
    pub tuples: String,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub on_core: Duration,
    pub memory: u64,
}

impl Measured {
    /// Reading and solving.
    pub fn total(&self) -> Duration {
        self.reading + self.solving
    }

    /// The time of solving, or what the limit was: `>60 s`.
    pub fn time(&self) -> String {
        match self.verdict {
            Some(_) => seconds(self.solving),
            None => format!(">{} s", self.solving.as_secs_f64()),
        }
    }

    pub fn peak_nodes(&self) -> String {
        self.numbers.map_or("–".into(), |numbers| grouped(numbers.peak_nodes))
    }

    pub fn rows(&self) -> String {
        self.numbers.map_or("–".into(), |numbers| grouped(numbers.rows))
    }
}

/// A run past its limit is given this long to notice it by itself, which saves its statistics.
const GRACE: Duration = Duration::from_secs(2);
const MEMORY: u64 = 4 << 30;

impl Job {
    pub fn new(algorithm: &str, limit: Duration, no_reordering: bool) -> Job {
        let limit = limit.as_secs_f64();
        Job {
            algorithm: algorithm.into(),
            set: None,
            deepen: None,
            limit,
            no_reordering,
            trace: false,
            alone: false,
            symbolic: false,
            naive: false,
            inline: None,
            thread: None,
            replicate: None,
            threads: false,
            initial: None,
            target: None,
            relation: None,
            complete: false,
            by_hand: None,
        }
    }

    pub fn measure(&self, text: &str) -> Result<Measured, String> {
        let own = std::env::current_exe().map_err(|error| format!("this executable: {error}"))?;
        self.measure_with(&own, text)
    }

    /// The same in another build of this program, perhaps an older one.
    pub fn measure_with(&self, executable: &Path, text: &str) -> Result<Measured, String> {
        let mut child = self.start(executable).map_err(|error| format!("cannot start a process: {error}"))?;
        let mut input = child.stdin.take().ok_or("no standard input")?;
        let mut output = child.stdout.take().ok_or("no standard output")?;
        let reader = std::thread::spawn(move || {
            let mut told = String::new();
            output.read_to_string(&mut told).map(|_| told)
        });
        // A process that refuses its arguments does not read.
        let written = input.write_all(text.as_bytes()).map_err(|error| error.to_string());
        drop(input);
        let (finished, seen) = wait(&mut child, Duration::from_secs_f64(self.limit) + GRACE)?;
        written?;
        let told = reader.join().map_err(|_| "the reader failed")?.map_err(|error| error.to_string())?;
        let measured = Measured { seen, ..self.understand(&told)? };
        if finished && measured.numbers.is_none() {
            return Err(format!("{self:?} failed"));
        }
        Ok(measured)
    }

    fn start(&self, executable: &Path) -> std::io::Result<Child> {
        let mut command = Command::new(executable);
        command.args(["one", &self.algorithm, "--limit", &self.limit.to_string()]);
        let by_hand = self.by_hand.map(|question| format!("{question:?}").to_lowercase());
        let inline = self.inline.map(|inline| inline.word().to_string());
        for (option, value) in [
            ("--set", &self.set),
            ("--deepen", &self.deepen),
            ("--inline", &inline),
            ("--thread", &self.thread),
            ("--replicate", &self.replicate),
            ("--initial", &self.initial),
            ("--target", &self.target),
            ("--relation", &self.relation),
            ("--by-hand", &by_hand),
        ] {
            command.args(value.iter().flat_map(|value| [option, value]));
        }
        for (option, on) in [
            ("--no-reordering", self.no_reordering),
            ("--trace", self.trace),
            ("--alone", self.alone),
            ("--threads", self.threads),
            ("--complete", self.complete),
            ("--symbolic", self.symbolic),
            ("--naive", self.naive),
        ] {
            command.args(on.then_some(option));
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    }

    fn understand(&self, told: &str) -> Result<Measured, String> {
        let limit = Duration::from_secs_f64(self.limit);
        let mut measured = Measured { solving: limit, ..Measured::default() };
        for line in told.lines() {
            let odd = || format!("`{line}` is not understood");
            let words = line.split(' ').collect::<Vec<_>>();
            let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok()).ok_or_else(odd);
            let time = |at: usize| number(at).map(Duration::from_micros);
            match words[0] {
                "read" => measured.reading = time(1)?,
                "step" => measured.steps.push(Step {
                    value: number(1)? as i64,
                    verdict: words.get(3).ok_or_else(odd)?.to_string(),
                    time: time(2)?,
                }),
                "sizes" => {
                    measured.sizes =
                        Some(Sizes { rounds: number(1)?, cudd: number(2)?, process: number(3)? });
                }
                "work" => measured.lookups = Some(number(1)?),
                "tuples" => {
                    let tuples = words.get(2).ok_or_else(odd)?.to_string();
                    measured.answered = Some(Answered { rows: number(1)?, tuples });
                }
                "trace" => measured.trace = Some((time(1)?, number(2)?)),
                "end" => {
                    let verdict = words.get(1).ok_or_else(odd)?;
                    if *verdict != "stopped" {
                        measured.verdict = Some(verdict.to_string());
                        measured.solving = time(2)?;
                    }
                    measured.numbers = Some(Numbers { peak_nodes: number(3)?, rows: number(4)? });
                }
                _ => return Err(odd()),
            }
        }
        Ok(measured)
    }

    /// The process of its own.
    pub fn one(&self) -> Result<(), String> {
        if let Some(question) = self.by_hand {
            return by_hand::one(question, self.no_reordering);
        }
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
        let watch = Stopwatch::start();
        let (request, solving, model) =
            self.request(&text, watch.begin).map_err(|rejection| format!("{rejection:#?}"))?;
        println!("read {}", watch.time().as_micros());
        let watch = Stopwatch::start();
        let outcome = self.solve(&request, &solving).map_err(|rejection| format!("{rejection:#?}"))?;
        let statistics = &outcome.answer.statistics;
        let defined = statistics.relations.iter().filter(|relation| !relation.clauses.is_empty());
        println!(
            "end {} {} {} {}",
            word(&outcome.conclusion()),
            watch.time().as_micros(),
            statistics.bdd.as_ref().map_or(0, |bdd| bdd.peak_nodes),
            defined.clone().map(|relation| relation.rows).sum::<usize>(),
        );
        println!(
            "sizes {} {} {}",
            defined.map(|relation| relation.rounds).sum::<u64>(),
            statistics.bdd.as_ref().map_or(0, |bdd| bdd.memory_bytes),
            peak_memory("self").unwrap_or(0),
        );
        println!("work {}", statistics.bdd.as_ref().map_or(0, |bdd| bdd.cache_lookups));
        if let Some(name) = &self.relation {
            // Counting is no part of what was measured: it is done in another run.
            let counting = Settings { sizes: true, early_stop: !self.complete, ..solving.clone() };
            let counted = self.solve(&request, &counting).map_err(|rejection| format!("{rejection:#?}"))?;
            let statistics = &counted.answer.statistics;
            let family = format!("{name}[");
            let of = |title: &str| title == name || title.starts_with(&family);
            let relations = statistics.relations.iter().filter(|relation| of(&relation.title));
            let rows = relations.clone().map(|relation| relation.rows).sum::<usize>();
            let tuples = relations.map(|relation| relation.tuples.clone()).reduce(|one, other| one + other);
            // A part says nothing about the whole.
            if !matches!(counted.conclusion(), Conclusion::Stopped(_)) {
                println!("tuples {rows} {}", tuples.unwrap_or_default());
            }
        }
        let watch = Stopwatch::start();
        if self.trace {
            let model = model.as_ref().ok_or("there is no program to trace")?;
            match trace(&request, &solving, &**model, &outcome)
                .map_err(|rejection| format!("{rejection:#?}"))?
            {
                Some(Traced::Trace(run)) => {
                    println!("trace {} {}", watch.time().as_micros(), run.steps.len());
                }
                other => return Err(format!("no trace: {other:?}")),
            }
        }
        Ok(())
    }

    /// What `fpsolve ALGORITHM PROGRAM` would run. The limit is for reading and solving together.
    fn request(&self, text: &str, begin: Instant) -> Result<ReadyRun, Rejection> {
        let file = files::find(&self.algorithm, &[])?;
        let read = || -> Result<Box<dyn Model>, Rejection> {
            let options = self.options(handles_calls(&file));
            Ok(match self.initial {
                _ if self.threads => Box::new(tts::system("system.tts", text, &options)?),
                None => Box::new(program("program.bp", text, &options)?),
                Some(_) => Box::new(system("system.pds", text, &options)?),
            })
        };
        let model = if self.alone { None } else { Some(read()?) };
        let settings = self.set.iter().flat_map(|set| set.split(',')).filter_map(|set| set.split_once('='));
        let params = settings.map(|(name, value)| (name.to_string(), value.parse().expect("a number")));
        let request = Request {
            params: params.collect(),
            model: model.as_ref().map(|model| offered(&**model, &file)).transpose()?,
            keyed: self.symbolic.then(|| ("Pc".to_string(), false)).into_iter().collect(),
            ..Request::new(file)
        };
        let solving = Settings {
            strategy: if self.naive { Strategy::Naive } else { Strategy::SemiNaive },
            reorder: if self.no_reordering { Reorder::Off } else { Reorder::Auto },
            limits: Limits {
                begin,
                timeout: Some(Duration::from_secs_f64(self.limit)),
                memory: Some(MEMORY),
                ..Limits::default()
            },
            list: 0,
            sizes: false,
            ..Settings::default()
        };
        Ok((request, solving, model))
    }

    fn options(&self, handles: Handles) -> ProgramOptions {
        let mut options = ProgramOptions::default();
        options.reading.thread.extend(self.thread.clone());
        options.reading.replicate.extend(self.replicate.clone());
        options.reading.initial = self.initial.clone();
        options.reading.target.extend(self.target.clone());
        match self.inline {
            None => options.for_file(handles),
            Some(Inlining::Never) => ProgramOptions { inline: Inline::Never, ..options },
            Some(Inlining::Always) => ProgramOptions { inline: Inline::Always, ..options },
        }
    }

    fn solve(&self, request: &Request, solving: &Settings) -> Result<Outcome, Rejection> {
        let Some(deepening) = &self.deepen else { return run(request, solving) };
        let deepening = Deepening::parse(deepening).expect("a range");
        let watch = Stopwatch::start();
        deepen(request, &deepening, solving, &mut |step| {
            println!("step {} {} {}", step.value, watch.time().as_micros(), word(&step.conclusion));
        })
    }
}

/// Measures the time that this process has been on a core; where the system does not tell, the time by the clock.
pub struct Stopwatch {
    begin: Instant,
    on_core: Option<Duration>,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { begin: Instant::now(), on_core: time_on_core("self") }
    }

    pub fn time(&self) -> Duration {
        let before_and_now = self.on_core.zip(time_on_core("self"));
        before_and_now.map_or_else(|| self.begin.elapsed(), |(before, now)| now.saturating_sub(before))
    }
}

/// The time that a process has been on a core, where the system tells.
fn time_on_core(process: &str) -> Option<Duration> {
    let told = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// The most that a process had in memory so far, in bytes, where the system tells.
pub fn peak_memory(process: &str) -> Option<u64> {
    let told = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn word(conclusion: &Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Stopped(_) => "stopped",
        conclusion => conclusion.word().unwrap_or("none"),
    }
}

/// How often a running process is looked at: what it takes between the last look and its end is not seen.
const LOOK: Duration = Duration::from_millis(2);

/// Whether the process ended by itself, and well; and what was seen of it.
fn wait(child: &mut Child, limit: Duration) -> Result<(bool, Seen), String> {
    let begin = Instant::now();
    let process = child.id().to_string();
    let mut seen = Seen::default();
    loop {
        seen.on_core = time_on_core(&process).unwrap_or(seen.on_core).max(seen.on_core);
        seen.memory = peak_memory(&process).unwrap_or(0).max(seen.memory);
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok((true, seen)),
            Some(status) => return Err(format!("a run ended with {status}")),
            None if begin.elapsed() > limit => {
                child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
                return Ok((false, seen));
            }
            None => std::thread::sleep(LOOK),
        }
    }
}
