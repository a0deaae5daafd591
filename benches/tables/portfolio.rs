//! Programs alone, as `fpsolve PROGRAM` checks them, beside the verdicts that are known: how many are decided rightly, and what
//! that costs against the best algorithm of the plan.
//!
//! What is known comes from the expectations in the programs themselves (`//@ views: safe`), as far as they are about
//! algorithms of the plan, and from the column `expected` of a MANIFEST.tsv. Two times count: what a run takes on all cores,
//! with the processes that it starts, and how long one waits for it. An algorithm alone is asked for the run to the error too,
//! as the answer of a portfolio has it.

use crate::Tabling;
use crate::table::{Table, seconds};
use fpsolve::batch::plan::{BatchAlgorithm, programs};
use fpsolve::portfolio::plan::{BUNDLED, BUNDLED_NAME, Plan};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program whose verdict is known.
struct Known {
    group: String,
    path: String,
    verdict: &'static str,
    options: Vec<String>,
}

/// What the programs of a group came to.
#[derive(Default)]
struct Group {
    programs: usize,
    right: usize,
    bounded: usize,
    open: usize,
    wrong: usize,
    /// Of programs that the portfolio decided, and the best algorithm too.
    alone: Times,
    best: Times,
}

/// What runs took on all cores, and how long one waited for them.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    cores: Duration,
    waited: Duration,
}

impl AddAssign for Times {
    fn add_assign(&mut self, other: Times) {
        self.cores += other.cores;
        self.waited += other.waited;
    }
}

struct Ran {
    verdict: String,
    shape: String,
    by: String,
    times: Times,
}

pub fn table(paths: &[PathBuf], tabling: &Tabling) -> Result<(), String> {
    let plan = Plan::parse(BUNDLED_NAME, BUNDLED).map_err(|mistake| mistake.to_string())?;
    let limit = tabling.limit(Duration::from_secs(60));
    let mut all = Vec::new();
    for path in paths {
        let found = if path.ends_with("MANIFEST.tsv") { listed(path)? } else { expecting(path, &plan)? };
        all.extend(found);
    }
    let task = format!("portfolio PROGRAMS --limit {}s", limit.as_secs_f64());
    let head = ["programs", "number", "right", "bounded", "unknown", "wrong"];
    let head = [&head[..], &["waited", "best", "ratio", "on cores", "best", "ratio"]].concat();
    let mut table = Table::new(tabling.command(&task), &head);
    let mut groups = BTreeMap::<String, Group>::new();
    for known in &all {
        let ran = run(&[], known, limit)?;
        let members = plan.shapes.iter().find(|shape| shape.name == ran.shape);
        let members = members.into_iter().flat_map(|shape| &shape.members).map(|member| &member.algorithm);
        let best = best(members, known, &ran, limit)?;
        let told = [&ran.verdict, &ran.by].map(String::as_str).join(" by ");
        eprintln!("{}: {told}, known: {}, {:?}, best {best:?}", known.path, known.verdict, ran.times);
        for name in [known.group.as_str(), "all"] {
            groups.entry(name.into()).or_default().count(known, &ran, best);
        }
    }
    let whole = groups.remove("all");
    for (name, group) in groups.into_iter().chain(whole.map(|whole| ("all".to_string(), whole))) {
        table.row(group.row(name));
    }
    table.print(tabling.out.as_deref())
}

impl Group {
    fn count(&mut self, known: &Known, ran: &Ran, best: Option<Times>) {
        self.programs += 1;
        match ran.verdict.as_str() {
            verdict if verdict == known.verdict => self.right += 1,
            "safe" | "unsafe" => self.wrong += 1,
            "bounded" => self.bounded += 1,
            _ => self.open += 1,
        }
        if let Some(best) = best.filter(|_| ran.verdict == known.verdict) {
            self.alone += ran.times;
            self.best += best;
        }
    }

    fn row(&self, name: String) -> Vec<String> {
        let numbers = [self.programs, self.right, self.bounded, self.open, self.wrong];
        let ratio = |alone: Duration, best: Duration| match best.is_zero() {
            true => "–".into(),
            false => format!("{:.2}", alone.as_secs_f64() / best.as_secs_f64()),
        };
        let mut row = vec![name];
        row.extend(numbers.iter().map(usize::to_string));
        let (alone, best) = (self.alone, self.best);
        for (alone, best) in [(alone.waited, best.waited), (alone.cores, best.cores)] {
            row.extend([seconds(alone), seconds(best), ratio(alone, best)]);
        }
        row
    }
}

/// The least times in which an algorithm of the plan decides the program. They are only run where the portfolio does.
fn best<'a>(
    members: impl Iterator<Item = &'a BatchAlgorithm>,
    known: &Known,
    portfolio: &Ran,
    limit: Duration,
) -> Result<Option<Times>, String> {
    let mut best: Option<Times> = None;
    let mut members = members.filter(|_| portfolio.verdict == known.verdict).collect::<Vec<_>>();
    // The one that answered is likely the best one, and bounds what the others may take.
    members.sort_by_key(|algorithm| algorithm.file != portfolio.by);
    for algorithm in members {
        let mut arguments = algorithm.arguments();
        arguments.push(algorithm.file.clone());
        // The best so far is enough.
        let limit = best.map_or(limit, |best| best.waited.max(Duration::from_millis(100)));
        let ran = run(&arguments, known, limit)?;
        if ran.verdict == known.verdict && best.is_none_or(|best| ran.times.cores < best.cores) {
            best = Some(ran.times);
        }
    }
    Ok(best)
}

/// Runs an algorithm on a program, or the program alone.
fn run(algorithm: &[String], known: &Known, limit: Duration) -> Result<Ran, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fpsolve"));
    command.args(algorithm).arg(&known.path).args(&known.options);
    command.args(["--trace", "--format=json", &format!("--timeout={}ms", limit.as_millis())]);
    let (before, begin) = (time_of_children(), Instant::now());
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot start fpsolve: {error}"))?;
    let times = Times { cores: time_of_children().saturating_sub(before), waited: begin.elapsed() };
    let answer: Json = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{}: no answer ({error})", known.path))?;
    let word = |value: &Json| value.as_str().unwrap_or("none").to_string();
    Ok(Ran {
        verdict: word(&answer["verdict"]),
        shape: word(&answer["shape"]),
        by: word(&answer["answered_by"]["algorithm"]),
        times,
    })
}

/// What all processes that were started and have ended took on a core, in hundredths of a second.
pub fn time_of_children() -> Duration {
    let told = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name may have spaces; the numbers begin behind it.
    let numbers = told.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks = numbers.skip(13).take(2).filter_map(|number| number.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

/// The programs of a folder that say what an algorithm of the plan answers.
fn expecting(folder: &Path, plan: &Plan) -> Result<Vec<Known>, String> {
    let members = plan.shapes.iter().flat_map(|shape| &shape.members).map(|member| &member.algorithm.file);
    let members = members.collect::<Vec<_>>();
    let paths = programs(&[folder.to_string_lossy().into_owned()]).map_err(|mistake| mistake.title)?;
    let mut out = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let mut verdict = None;
        let lines = text.lines().map(str::trim);
        for line in lines.filter_map(|line| line.strip_prefix("//@").or(line.strip_prefix("#@"))) {
            let Some((settings, answer)) = line.split_once(": ") else { continue };
            let algorithm = settings.split(' ').next_back().unwrap_or_default();
            let is_member = members.iter().any(|member| member.as_str() == algorithm);
            verdict = match answer.trim() {
                "unsafe" if is_member => Some("unsafe"),
                "safe" if is_member => verdict.or(Some("safe")),
                _ => verdict,
            };
        }
        let parent = Path::new(&path).parent().and_then(Path::file_name).unwrap_or_default();
        let group = parent.to_string_lossy().into_owned();
        out.extend(verdict.map(|verdict| Known { group, path, verdict, options: Vec::new() }));
    }
    Ok(out)
}

/// The columns of a manifest that are used: path, format, expected, init, target.
const COLUMNS: [usize; 5] = [0, 1, 6, 10, 11];

/// The programs of a manifest with one known verdict.
fn listed(manifest: &Path) -> Result<Vec<Known>, String> {
    let text = fs::read_to_string(manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let rows = text.lines().skip(1).filter_map(|line| {
        let cells = line.split('\t').collect::<Vec<_>>();
        let [path, format, expected, initial, target] =
            COLUMNS.map(|at| cells.get(at).copied().unwrap_or_default());
        let verdict = match expected {
            "unsafe" | "reachable" => "unsafe",
            "safe" | "unreachable" => "safe",
            _ => return None,
        };
        let group = path.split('/').next().unwrap_or_default().to_string();
        let options = options(path, format, initial, target);
        Some(Known { group, path: folder.join(path).to_string_lossy().into_owned(), verdict, options })
    });
    Ok(rows.collect())
}

/// What the manifest says of a system, and what its README says of Getafix' programs: how their threads are meant.
fn options(path: &str, format: &str, initial: &str, target: &str) -> Vec<String> {
    let words: &[&str] = match () {
        () if format == "tts" => return vec![format!("--initial={initial}"), format!("--target={target}")],
        () if path.contains("multiround") => &["--init=init", "--replicate=main"],
        () if path.starts_with("getafix-cav10/") => &["--replicate=thread0", "--replicate=thread1"],
        () => &[],
    };
    words.iter().map(|word| word.to_string()).collect()
}
