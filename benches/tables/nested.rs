//! What nested fixed points gain from going on from their last values when the outer ones change: synthesis of an arbiter,
//! and parity games, with and without it.

use crate::Tabling;
use crate::parity::{self, Game};
use crate::table::{Table, grouped, seconds};
use calculus::bdd::Limits;
use calculus::check::{self, FactsFile, Options};
use calculus::elaborate::elaborate;
use calculus::solve::{Ending, Settings, solve};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const CLIENTS: [i64; 4] = [5, 10, 15, 20];

/// A file with its settings and facts.
struct Subject {
    title: String,
    file: &'static str,
    params: BTreeMap<String, i64>,
    keyed: Vec<(String, bool)>,
    game: Option<Game>,
}

pub fn table(games: &[PathBuf], tabling: &Tabling) -> Result<(), String> {
    let mut table = Table::new(
        tabling.command("nested"),
        &["system", "rounds anew", "anew", "rounds going on", "going on", "ratio"],
    );
    let arbiters = CLIENTS.into_iter().map(|clients| {
        Ok(Subject {
            title: format!("arbiter, {clients} clients"),
            file: "arbiter.fp",
            params: BTreeMap::from([("clients".into(), clients)]),
            keyed: Vec::new(),
            game: None,
        })
    });
    for subject in arbiters.chain(games.iter().map(|path| of_game(path))) {
        let subject = subject?;
        let limit = tabling.limit(Duration::from_secs(300));
        let (rounds_anew, anew) = run(&subject, false, limit)?;
        let (rounds_going_on, going_on) = run(&subject, true, limit)?;
        let time = |time: Option<Duration>| time.map_or(format!("> {}", seconds(limit)), seconds);
        let ratio = match (anew, going_on) {
            (Some(anew), Some(going_on)) => format!("{:.2}", going_on.as_secs_f64() / anew.as_secs_f64()),
            _ => "–".into(),
        };
        let rounds = [rounds_anew, rounds_going_on].map(grouped);
        table.row(vec![
            subject.title,
            rounds[0].clone(),
            time(anew),
            rounds[1].clone(),
            time(going_on),
            ratio,
        ]);
    }
    table.print(tabling.out.as_deref())
}

fn of_game(path: &Path) -> Result<Subject, String> {
    let game = parity::game(path)?;
    let (last, top) = (game.last as i64, game.top as i64);
    Ok(Subject {
        title: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        file: "parity_game.fp",
        params: BTreeMap::from([("last".into(), last), ("top".into(), top)]),
        keyed: vec![("Node".into(), true)],
        game: Some(game),
    })
}

/// The rounds of all relations, and the time if the limit allows for it.
fn run(subject: &Subject, recycle: bool, limit: Duration) -> Result<(u64, Option<Duration>), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/calculus").join(subject.file);
    let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let (mut program, mistakes) = check::load(subject.file, &text, &|_, _| Err("no such file".into()));
    assert!(mistakes.is_empty(), "the examples can be read");
    let facts = |name: &str| {
        let inputs = subject.game.iter().flat_map(|game| &game.facts);
        let rows = inputs.filter(|(input, _)| *input == name).map(|(_, rows)| rows.clone()).next();
        Ok(FactsFile::named(format!("{name}.facts"), rows.ok_or_else(|| format!("no facts for {name}"))?))
    };
    let options = Options {
        params: subject.params.clone(),
        keyed: subject.keyed.clone(),
        facts: Some(&facts),
        ..Options::default()
    };
    let (system, _) = check::check(&mut program, &options).map_err(|mistakes| mistakes[0].title.clone())?;
    let (core, _) = elaborate(&system);
    let limits = Limits { timeout: Some(limit), ..Limits::default() };
    let settings = Settings { recycle, limits, sizes: false, list: 0, ..Settings::default() };
    let answer = solve(&system, &core, &settings);
    let rounds = answer.statistics.relations.iter().map(|relation| relation.rounds).sum();
    let time = answer.statistics.time;
    Ok((rounds, (!matches!(answer.ending, Ending::Stopped(_))).then_some(time)))
}
