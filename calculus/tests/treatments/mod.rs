//! The ways to solve a file, none of which may change its answer.

use crate::oracle::{self, Answers};
use crate::random::TEXTS;
use calculus::bdd::Reorder;
use calculus::check::tree::System;
use calculus::check::{self, FactsFile, LoadedFiles, Options};
use calculus::elaborate::elaborate;
use calculus::solve::{self, Ending, Explicit, Settings, Strategy};
use calculus::sort::{Sorts, Value, Width};
use calculus::span::FileId;
use calculus::syntax;
use calculus::syntax::ast::ItemKind;
use calculus::vocabulary::{OfferedSort, Vocabulary};
use std::collections::BTreeSet;

/// Which sorts are kept as explicit keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    AsWritten,
    None,
    All,
}

#[derive(Clone, Copy, Debug)]
pub struct Treatment {
    pub strategy: Strategy,
    pub reorder: Reorder,
    pub keys: Keys,
    /// Which components are solved on tuples.
    pub explicit: Explicit,
    /// Solve what the formatter makes of the file.
    pub reparsed: bool,
    pub early_stop: bool,
    /// Inner fixed points go on from what is known of them.
    pub recycle: bool,
}

/// So much is looked at before a component that was begun on tuples is given to diagrams.
const SOON: Explicit = Explicit::Within(200);

/// Every combination, but tuples and diagrams only where that makes a difference.
pub fn all() -> Vec<Treatment> {
    let explicit = [Explicit::Auto, Explicit::Within(u64::MAX), SOON];
    explicit.into_iter().flat_map(solved).collect()
}

fn solved(explicit: Explicit) -> Vec<Treatment> {
    let mut out = Vec::new();
    for strategy in [Strategy::SemiNaive, Strategy::Naive] {
        for reorder in [Reorder::Off, Reorder::Auto, Reorder::Always] {
            for keys in [Keys::AsWritten, Keys::None, Keys::All] {
                for reparsed in [false, true] {
                    for (early_stop, recycle) in [(false, false), (false, true), (true, false), (true, true)]
                    {
                        let differs = strategy == Strategy::SemiNaive && !reparsed && !recycle;
                        if explicit == Explicit::Auto || differs && reorder == Reorder::Off {
                            out.push(Treatment {
                                strategy,
                                reorder,
                                keys,
                                explicit,
                                reparsed,
                                early_stop,
                                recycle,
                            });
                        }
                    }
                }
            }
        }
    }
    out
}

/// A few treatments for the case of this number, every one of them sooner or later. Constant reordering takes
/// most of the time, so it is chosen less often. The last one begins on tuples.
pub fn some(case: usize) -> impl Iterator<Item = Treatment> {
    let (explicit, others): (Vec<_>, Vec<_>) =
        all().into_iter().partition(|treatment| treatment.explicit != Explicit::Auto);
    let (seldom, often): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|treatment| treatment.reorder == Reorder::Always);
    let on_tuples = explicit[case % explicit.len()];
    let others = (0..4).map(move |at| {
        let number = mixed((case * 4 + at) as u64);
        let choices = if number.is_multiple_of(8) { &seldom } else { &often };
        choices[(number / 8) as usize % choices.len()]
    });
    others.chain([on_tuples])
}

/// Neighbouring numbers become unrelated ones (the last step of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// A file that does not get past the parser or the checker.
#[derive(Debug)]
pub struct Rejected(pub String);

/// What separates a text from that of `library.fp`, which it may use.
pub const LIBRARY: &str = "\n// library.fp\n";

fn load(text: &str) -> Result<LoadedFiles, Rejected> {
    let (text, library) = text.split_once(LIBRARY).unwrap_or((text, ""));
    let loader = |_: &str, path: &str| Ok((path.to_string(), library.to_string()));
    let (program, mistakes) = check::load("random.fp", text, &loader);
    if mistakes.is_empty() { Ok(program) } else { Err(rejected(&program, &mistakes)) }
}

fn rejected(program: &LoadedFiles, mistakes: &[calculus::diagnostic::Diagnostic]) -> Rejected {
    let shown = mistakes.iter().map(|mistake| {
        let place = mistake.labels.first().map(|(span, _)| program.sources.text(*span)).unwrap_or_default();
        format!("{}: {} at `{place}`", mistake.code, mistake.title)
    });
    Rejected(shown.collect::<Vec<_>>().join("\n"))
}

/// The checked system of a file, with the model it uses.
pub fn checked(text: &str, model: Option<&Vocabulary>, keys: Keys) -> Result<System, Rejected> {
    let mut program = load(text)?;
    let mut keyed = Vec::new();
    if keys != Keys::AsWritten {
        for item in program.files.iter().flat_map(|file| &file.items) {
            if let ItemKind::Enum { name, .. }
            | ItemKind::Range { name, .. }
            | ItemKind::Symbol { name, .. } = &item.kind
            {
                keyed.push((name.name.to_string(), keys == Keys::All));
            }
        }
        let numbered = |sort: &&OfferedSort| matches!(sort.width, Width::Values(_));
        let offered = model.iter().flat_map(|model| model.sorts.iter().filter(numbered));
        keyed.extend(offered.map(|sort| (sort.name.clone(), keys == Keys::All)));
    }
    let facts = |name: &str| Ok(random_facts(name));
    let options = Options { keyed, model: model.cloned(), facts: Some(&facts), ..Options::default() };
    match check::check(&mut program, &options) {
        Ok((system, _)) => Ok(system),
        Err(mistakes) => Err(rejected(&program, &mistakes)),
    }
}

/// The facts of an input of a random file: its name says how many columns it has, and chooses among texts.
fn random_facts(name: &str) -> FactsFile {
    let numbers = name.strip_prefix("input").and_then(|rest| rest.split_once('w'));
    let Some((seed, width)) = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse::<u64>().ok()?)))
    else {
        return FactsFile::named(format!("{name}.facts"), "");
    };
    let seed: u64 = seed;
    let text = |at: u64| TEXTS[(mixed(seed * 1000 + at) % TEXTS.len() as u64) as usize];
    let is_csv = seed.is_multiple_of(2);
    let field = |text: &str| match is_csv {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    };
    let row = |row: u64| (0..width).map(|at| field(text(row * width + at))).collect::<Vec<_>>();
    let (sign, ending) = if is_csv { (",", "csv") } else { ("\t", "facts") };
    let rows = (0..seed % 6).map(|at| row(at).join(sign) + "\n").collect::<String>();
    FactsFile::named(format!("{name}.{ending}"), rows)
}

/// What the formatter makes of a file.
pub fn printed(text: &str) -> Result<String, Rejected> {
    load(text)?;
    let print = |text| syntax::print(&syntax::parse(FileId(0), text).expect("it was read before"), text);
    Ok(text.split(LIBRARY).map(print).collect::<Vec<_>>().join(LIBRARY))
}

/// Compares the solver's answer under one treatment with the oracle's; the error says where they differ.
pub fn compare(
    text: &str,
    model: Option<&Vocabulary>,
    expected: &Answers,
    treatment: Treatment,
) -> Result<(), String> {
    let printed = if treatment.reparsed { printed(text).map_err(|why| why.0)? } else { text.to_string() };
    let system =
        checked(&printed, model, treatment.keys).map_err(|why| format!("no longer accepted: {}", why.0))?;
    let (core, _) = elaborate(&system);
    let settings = Settings {
        strategy: treatment.strategy,
        early_stop: treatment.early_stop,
        recycle: treatment.recycle,
        reorder: treatment.reorder,
        explicit: treatment.explicit,
        list: usize::MAX,
        ..Settings::default()
    };
    let answer = solve::solve(&system, &core, &settings);
    let (found, early) = match answer.ending {
        Ending::Verdict { number, kind, early } if kind == system.verdicts[number].kind => {
            (Some(number), early)
        }
        Ending::NoVerdictHolds if !system.verdicts.is_empty() => (None, false),
        Ending::NoVerdicts if system.verdicts.is_empty() => (None, false),
        ending => return Err(format!("ends with {ending:?}")),
    };
    if found != expected.verdict {
        return Err(format!("verdict {found:?}, the oracle has {:?}", expected.verdict));
    }
    if early && !treatment.early_stop {
        return Err("stopped early without being asked to".into());
    }
    let expected_words = &expected.worded;
    for (number, (query, expected)) in system.queries.iter().zip(&expected.queries).enumerate() {
        let Some(found) = answer.queries.iter().find(|answer| answer.query == number) else {
            return Err(format!("nothing is said about query {}", query.name));
        };
        let partial = found.partial;
        if partial && !early {
            return Err(format!("query {} is partial at the end of the run", query.name));
        }
        let Some(found) = &found.tuples else {
            if early {
                continue;
            }
            return Err(format!("query {} was not solved", query.name));
        };
        // Texts are compared as such, because another form of the file may number them in another order.
        if let Some(worded) = &expected_words[number] {
            let rows = found.rows.iter().filter_map(|row| oracle::words(&system, query.relation, row));
            let rows = rows.collect::<BTreeSet<_>>();
            let counted = rows.len() == found.rows.len() && found.count == rows.len().into();
            if counted && (rows == *worded || partial && rows.is_subset(worded)) {
                continue;
            }
            return Err(format!("query {}: {rows:?}, the oracle has {worded:?}", query.name));
        }
        let expected = expected.iter().map(|tuple| flat(tuple)).collect::<Vec<_>>();
        // What is found before an early end is right, if not all.
        if partial && found.rows.iter().all(|row| expected.contains(row)) {
            continue;
        }
        if found.rows != expected || found.count != expected.len().into() {
            return Err(format!(
                "query {}: {} tuples {:?}, the oracle has {} {expected:?}",
                query.name,
                found.count,
                found.rows,
                expected.len()
            ));
        }
    }
    Ok(())
}

fn flat(tuple: &[Value]) -> Vec<Value> {
    let mut out = Vec::new();
    tuple.iter().for_each(|value| Sorts::flatten(value, &mut out));
    out
}

/// Solver and oracle agree on this file under every treatment; its answers.
pub fn agree(text: &str) -> Answers {
    let system = checked(text, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}\n{text}", why.0));
    let answers = oracle::answers(&system, u64::MAX).expect("no limit");
    for treatment in all() {
        if let Err(why) = compare(text, None, &answers, treatment) {
            panic!("{treatment:?}: {why}\n{text}");
        }
    }
    answers
}
