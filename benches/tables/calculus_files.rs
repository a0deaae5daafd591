//! Equations over facts: on tuples and on diagrams, with and without reordering. Generated graphs, and files of a folder,
//! each with its facts beside it.

use crate::Tabling;
use crate::measure::Stopwatch;
use crate::random::Random;
use crate::table::{Table, grouped, seconds};
use calculus::bdd::{Limits, Reorder};
use calculus::check::{self, FactsFile, Options};
use calculus::elaborate::elaborate;
use calculus::solve::{Ending, Explicit, Settings, solve};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Equations with their facts.
struct Subject {
    title: String,
    text: String,
    facts: Facts,
}

enum Facts {
    /// The edges of a graph, whatever the input is called.
    Edges(String),
    Folder(PathBuf),
}

const REACH: &str = "
    input edge(x, y: Node);
    mu R(y: Node) = y = 0 | exists z. R(z) & edge(z, y);
    query Reach(y: Node) = R(y);
";
const CLOSURE: &str = "
    input edge(x, y: Node);
    mu Path(x, y: Node) = edge(x, y) | exists z. Path(x, z) & edge(z, y);
    query Closure(x, y: Node) = Path(x, y);
";
const GENERATION: &str = "
    input edge(x, y: Node);
    mu Same(x, y: Node) = exists p. edge(p, x) & edge(p, y) | exists p, q. Same(p, q) & edge(p, x) & edge(q, y);
    query Generation(x, y: Node) = Same(x, y);
";
/// Hardly any work but reading.
const READING: &str = "
    input edge(x, y: Node);
    query Loop(x: Node) = edge(x, x);
";

pub fn table(files: &[PathBuf], tabling: &Tabling) -> Result<(), String> {
    let head = ["equations", "tuples", "time", "memory of CUDD", "on diagrams", "not reordered", "ratio"];
    let mut table = Table::new(tabling.command("calculus FOLDER"), &head);
    let mut found = Vec::new();
    files.iter().try_for_each(|path| collect(path, &mut found))?;
    let generated = [
        graph("reachability, 100,000 nodes", REACH, 100_000, &mut |random, at| (at, random.below(100_000))),
        graph("a million facts read", READING, 1_000_001, &mut |random, at| (random.below(1_000_001), at)),
        graph("reachability, 1,000,000 nodes", REACH, 1_000_001, &mut |random, at| (random.below(at), at)),
        graph("closure, 500 nodes", CLOSURE, 500, &mut |random, _| (random.below(500), random.below(500))),
        graph("same generation, 1,000 nodes", GENERATION, 1000, &mut |random, at| (random.below(at), at)),
    ];
    for subject in generated.into_iter().map(Ok).chain(found.iter().map(|path| of_file(path))) {
        let subject = subject?;
        let limit = tabling.limit(Duration::from_secs(60));
        let usual = run(&subject, Explicit::Auto, Reorder::Auto, limit)?;
        let diagrams = run(&subject, Explicit::Never, Reorder::Auto, limit)?;
        let plain = run(&subject, Explicit::Never, Reorder::Off, limit)?;
        let time = |time: Option<Duration>| time.map_or(format!("> {}", seconds(limit)), seconds);
        let ratio = |time: Duration| usual.time.map(|usual| time.as_secs_f64() / usual.as_secs_f64());
        table.row(vec![
            subject.title,
            usual.tuples,
            time(usual.time),
            format!("{} MiB", usual.memory >> 20),
            time(diagrams.time),
            time(plain.time),
            plain.time.and_then(ratio).map_or("–".into(), |ratio| format!("{ratio:.2}")),
        ]);
    }
    table.print(tabling.out.as_deref())
}

/// A graph with an edge for each node but the first.
fn graph(
    title: &str,
    equations: &str,
    nodes: usize,
    edge: &mut dyn FnMut(&mut Random, usize) -> (usize, usize),
) -> Subject {
    let mut random = Random::new(1);
    let edges = (1..nodes).map(|at| edge(&mut random, at));
    let edges = edges.map(|(from, to)| format!("{from}\t{to}\n")).collect();
    let text = format!("range Node = 0..{};{equations}", nodes - 1);
    Subject { title: title.into(), text, facts: Facts::Edges(edges) }
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) -> Result<(), String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut entries = entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>();
        entries.sort();
        return entries.iter().try_for_each(|entry| collect(entry, out));
    }
    if path.extension().is_some_and(|ending| ending == "fp") {
        out.push(path.into());
    }
    Ok(())
}

fn of_file(path: &Path) -> Result<Subject, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Subject { title: format!("{}/{}", name(&folder), name(path)), text, facts: Facts::Folder(folder) })
}

struct Run {
    /// Nothing if the limit was reached.
    time: Option<Duration>,
    tuples: String,
    memory: u64,
}

fn run(subject: &Subject, explicit: Explicit, reorder: Reorder, limit: Duration) -> Result<Run, String> {
    let watch = Stopwatch::start();
    let (mut program, mistakes) = check::load("table.fp", &subject.text, &|_, _| Err("no such file".into()));
    if let Some(mistake) = mistakes.first() {
        return Err(format!("{}: {}", subject.title, mistake.title));
    }
    let facts = |name: &str| {
        let file = format!("{name}.facts");
        let rows = match &subject.facts {
            Facts::Edges(edges) => edges.clone(),
            Facts::Folder(folder) => fs::read_to_string(folder.join(&file)).map_err(|why| why.to_string())?,
        };
        Ok(FactsFile::named(file, rows))
    };
    let options = Options { facts: Some(&facts), ..Options::default() };
    let (system, _) = check::check(&mut program, &options).map_err(|mistakes| mistakes[0].title.clone())?;
    let (core, _) = elaborate(&system);
    let limits = Limits { timeout: Some(limit), ..Limits::default() };
    let settings = Settings { explicit, reorder, limits, list: 0, ..Settings::default() };
    let answer = solve(&system, &core, &settings);
    let counts = answer.queries.iter().filter_map(|query| query.tuples.as_ref());
    let counts = counts.map(|tuples| grouped(tuples.count.to_string().parse().unwrap_or(u64::MAX)));
    Ok(Run {
        time: (!matches!(answer.ending, Ending::Stopped(_))).then(|| watch.time()),
        tuples: counts.collect::<Vec<_>>().join(" + "),
        memory: answer.statistics.bdd.map_or(0, |bdd| bdd.memory_bytes),
    })
}
