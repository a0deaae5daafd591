//! One table of all algorithms: what each case takes, and what it would take with other settings, or took in another
//! build, as ratios measured in the same run.
//!
//! Ratios are what counts: times depend on the machine, and what one change to the solver gains in one case it may
//! lose in another. Other settings are given up at a multiple of the time by default, and their ratio is then a lower
//! bound; it counts as that in the geometric mean.

mod cases;
mod plot;

use crate::measure::{Inlining, Job, Measured};
use crate::table::{Table, grouped, seconds};
use cases::{CASES, Case};
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::program::cfg::inline::Inline;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// Only small cases, each once
    #[arg(long)]
    quick: bool,
    /// Only the cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// How often each run is made at least; the median time counts
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    repeat: usize,
    /// No other settings
    #[arg(long)]
    default_only: bool,
    /// The `tables` of another build, measured in turn with this one
    #[arg(long, value_name = "EXECUTABLE")]
    against: Option<PathBuf>,
    /// Also write every measurement to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also draw the ratios
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Also write the table to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The time limit of each run, in seconds: 30 or 30s
    #[arg(long, value_name = "TIME", value_parser = crate::time, default_value = "30s")]
    limit: Duration,
}

/// A setting other than the default.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setting {
    SymbolicPc,
    Naive,
    NoReordering,
    InlineNever,
    InlineAlways,
}

use Setting::*;

const SETTINGS: [Setting; 5] = [SymbolicPc, Naive, NoReordering, InlineNever, InlineAlways];
const AGAINST: &str = "other build";

/// Other settings are given up at so many times the default, or at a second.
const PATIENCE: u32 = 8;
const LEAST: Duration = Duration::from_secs(1);
/// What takes less than this is measured three times, and the median counts.
const SHORT: Duration = Duration::from_millis(500);

impl Setting {
    fn name(self) -> &'static str {
        match self {
            SymbolicPc => "symbolic Pc",
            Naive => "naive",
            NoReordering => "no reordering",
            InlineNever => "inline never",
            InlineAlways => "inline always",
        }
    }

    fn apply(self, job: &mut Job) {
        match self {
            SymbolicPc => job.symbolic = true,
            Naive => job.naive = true,
            NoReordering => job.no_reordering = true,
            InlineNever => job.inline = Some(Inlining::Never),
            InlineAlways => job.inline = Some(Inlining::Always),
        }
    }
}

/// How many times as long as by default. With `bound`, at least so many times.
#[derive(Clone, Copy)]
pub struct Ratio {
    value: f64,
    bound: bool,
}

impl Ratio {
    fn cell(self) -> String {
        format!("{}{:.2}", if self.bound { ">" } else { "" }, self.value)
    }
}

/// A case with its ratios, one per column of `Suite::columns`.
pub struct Measurement {
    name: String,
    time: Duration,
    /// In this build or the other, whichever takes longer.
    longer: Duration,
    ratios: Vec<Option<Ratio>>,
}

pub struct Suite {
    columns: Vec<&'static str>,
    measurements: Vec<Measurement>,
}

/// What takes longer is not dominated by what every run needs.
const LONG: Duration = Duration::from_secs(1);

impl Suite {
    /// The geometric mean of a column; a bound if some of its ratios are.
    fn mean(&self, column: usize, least: Duration) -> Option<Ratio> {
        let long = self.measurements.iter().filter(|measurement| measurement.longer >= least);
        let ratios = long.filter_map(|measurement| measurement.ratios[column]).collect::<Vec<_>>();
        let logarithms = ratios.iter().map(|ratio| ratio.value.ln()).sum::<f64>();
        (!ratios.is_empty()).then(|| Ratio {
            value: (logarithms / ratios.len() as f64).exp(),
            bound: ratios.iter().any(|ratio| ratio.bound),
        })
    }

    fn mean_row(&self, title: &str, least: Duration) -> Vec<String> {
        let cases = self.measurements.iter().filter(|measurement| measurement.longer >= least).count();
        let mut row = vec![format!("{title} ({cases} cases)")];
        row.resize(7, String::new());
        row.extend((0..self.columns.len()).map(|column| cell(self.mean(column, least))));
        row
    }
}

fn cell(ratio: Option<Ratio>) -> String {
    ratio.map_or("–".into(), Ratio::cell)
}

pub fn table(options: &Options) -> Result<(), String> {
    let settings = if options.default_only { &[][..] } else { &SETTINGS };
    let mut columns = settings.iter().map(|setting| setting.name()).collect::<Vec<_>>();
    columns.extend(options.against.as_ref().map(|_| AGAINST));
    let head = ["case", "verdict", "time", "peak nodes", "peak memory", "÷ CUDD", "rounds"];
    let mut table = Table::new(command(options), &[&head[..], &columns[..]].concat());
    let mut lines =
        vec!["case,setting,verdict,seconds,peak_nodes,memory,cudd_memory,rounds,ratio,bound".to_string()];
    let mut suite = Suite { columns, measurements: Vec::new() };
    for case in CASES.iter().filter(|case| options.wants(case)) {
        let Some(text) = case.text()? else {
            eprintln!("{}: the program is not here", case.name());
            continue;
        };
        let measured = measure(case, &text, settings, options)?;
        table.row(measured.row());
        lines.extend(measured.lines(&suite.columns));
        suite.measurements.push(measured.measurement(options.against.is_some()));
    }
    if suite.measurements.is_empty() {
        return Err("there is no such case".into());
    }
    table.row(suite.mean_row("geometric mean", Duration::ZERO));
    if !options.quick {
        table.row(suite.mean_row("of those over 1 s", LONG));
    }
    for (path, text) in [(&options.csv, lines.join("\n") + "\n"), (&options.svg, plot::draw(&suite))] {
        if let Some(path) = path {
            std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    table.print(options.out.as_deref())
}

/// The command line that makes the table again.
fn command(options: &Options) -> String {
    let mut command = "cargo bench --bench tables -- suite".to_string();
    for (word, on) in [(" --quick", options.quick), (" --default-only", options.default_only)] {
        command += if on { word } else { "" };
    }
    command += if options.against.is_some() { " --against EXECUTABLE" } else { "" };
    command + &format!(" --limit {}s", options.limit.as_secs_f64())
}

impl Options {
    fn wants(&self, case: &Case) -> bool {
        (!self.quick || case.quick) && self.only.as_ref().is_none_or(|only| case.name().contains(only))
    }
}

/// One case under all settings.
struct Measurements {
    name: String,
    default: Measured,
    others: Vec<Option<(Measured, Ratio)>>,
}

fn measure(case: &Case, text: &str, settings: &[Setting], options: &Options) -> Result<Measurements, String> {
    let own = std::env::current_exe().map_err(|error| format!("this executable: {error}"))?;
    let job = case.job(options.limit);
    let first = job.measure(text).map_err(|why| format!("{}: {why}", case.name()))?;
    let repeat = !options.quick && first.verdict.is_some() && first.total() < SHORT;
    let again = options.repeat.saturating_sub(1).max(if repeat { 2 } else { 0 });
    let (mut defaults, mut against) = (vec![first], Vec::new());
    for number in 0..=again {
        if number > 0 {
            defaults.push(job.measure(text)?);
        }
        if let Some(executable) = &options.against {
            // An older build may not have the algorithm.
            against.extend(job.measure_with(executable, text));
        }
    }
    let default = median(defaults).ok_or("nothing was measured")?;
    let against = median(against);
    let calls = case.has_program() && has_calls(text);
    let limit = (default.total() * PATIENCE).clamp(LEAST.min(options.limit), options.limit);
    let mut others = Vec::new();
    for setting in settings {
        let applies = match setting {
            Naive | NoReordering => true,
            SymbolicPc => case.has_program(),
            InlineNever | InlineAlways => calls,
        };
        others.push(match applies {
            true => other(case, text, *setting, limit, again, &own, &default),
            false => None,
        });
    }
    if options.against.is_some() {
        // Times as both builds are seen from here: they need not measure themselves in the same way.
        let ratio = |other: &Measured| other.seen.on_core.as_secs_f64() / default.seen.on_core.as_secs_f64();
        others.push(against.map(|other| {
            let ratio = Ratio { value: ratio(&other), bound: other.verdict.is_none() };
            (other, ratio)
        }));
    }
    Ok(Measurements { name: case.name(), default, others })
}

/// The case with another setting; nothing if the algorithm refuses the program then.
fn other(
    case: &Case,
    text: &str,
    setting: Setting,
    limit: Duration,
    again: usize,
    own: &Path,
    default: &Measured,
) -> Option<(Measured, Ratio)> {
    let mut job = case.job(limit);
    setting.apply(&mut job);
    let mut all = vec![job.measure_with(own, text).ok()?];
    for _ in 0..if all[0].verdict.is_some() { again } else { 0 } {
        all.push(job.measure_with(own, text).ok()?);
    }
    let measured = median(all)?;
    // A run that was stopped took its limit, in which reading is included.
    let time = if measured.verdict.is_some() { measured.total() } else { limit };
    let ratio = Ratio {
        value: time.as_secs_f64() / default.total().as_secs_f64(),
        bound: measured.verdict.is_none(),
    };
    Some((measured, ratio))
}

/// Runs without an answer count as longer than all others.
fn median(mut all: Vec<Measured>) -> Option<Measured> {
    all.sort_by_key(|measured| (measured.verdict.is_none(), measured.total()));
    let middle = all.len() / 2;
    (middle < all.len()).then(|| all.swap_remove(middle))
}

/// Whether there is something to inline.
fn has_calls(text: &str) -> bool {
    let options = ProgramOptions { inline: Inline::Never, ..ProgramOptions::default() };
    program("program.bp", text, &options).is_ok_and(|model| model.cfg.facts().calls > 0)
}

/// Mebibytes with one digit behind the point.
fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

impl Measurements {
    fn row(&self) -> Vec<String> {
        let default = &self.default;
        let sizes = default.sizes;
        let factor = sizes.filter(|sizes| sizes.cudd > 0);
        let mut row = vec![
            self.name.clone(),
            default.verdict.clone().unwrap_or("–".into()),
            match default.verdict {
                Some(_) => seconds(default.total()),
                None => default.time(),
            },
            default.peak_nodes(),
            sizes.map_or("–".into(), |sizes| mebibytes(sizes.process)),
            factor.map_or("–".into(), |sizes| format!("{:.2}", sizes.process as f64 / sizes.cudd as f64)),
            sizes.map_or("–".into(), |sizes| grouped(sizes.rounds)),
        ];
        row.extend(self.others.iter().map(|other| cell(other.as_ref().map(|(_, ratio)| *ratio))));
        row
    }

    fn measurement(&self, against: bool) -> Measurement {
        let ratios = self.others.iter().map(|other| other.as_ref().map(|(_, ratio)| *ratio));
        let ratios = ratios.collect::<Vec<_>>();
        let other = ratios.last().copied().flatten().filter(|_| against);
        let slower = other.map_or(1.0, |ratio| ratio.value.max(1.0));
        let time = self.default.total();
        Measurement { name: self.name.clone(), time, longer: time.mul_f64(slower), ratios }
    }

    /// For the file with all numbers.
    fn lines(&self, columns: &[&str]) -> Vec<String> {
        let line = |setting: &str, measured: &Measured, ratio: Ratio| {
            let sizes = measured.sizes;
            let size = |of: fn(&crate::measure::Sizes) -> u64| {
                sizes.as_ref().map_or(String::new(), |sizes| of(sizes).to_string())
            };
            [
                format!("\"{}\"", self.name),
                setting.to_string(),
                measured.verdict.clone().unwrap_or_default(),
                format!("{:.6}", measured.total().as_secs_f64()),
                measured.numbers.map_or(String::new(), |numbers| numbers.peak_nodes.to_string()),
                sizes.map_or(measured.seen.memory, |sizes| sizes.process).to_string(),
                size(|sizes| sizes.cudd),
                size(|sizes| sizes.rounds),
                format!("{:.4}", ratio.value),
                ratio.bound.to_string(),
            ]
            .join(",")
        };
        let default = Ratio { value: 1.0, bound: self.default.verdict.is_none() };
        let mut lines = vec![line("default", &self.default, default)];
        for (column, other) in columns.iter().zip(&self.others) {
            lines.extend(other.as_ref().map(|(measured, ratio)| line(column, measured, *ratio)));
        }
        lines
    }
}
