//! Mutated files: whatever comes out is accepted or explained, and solving what is accepted ends. No input
//! may panic. The inputs are the same in every run.

mod chance;
mod corpus;
mod effort;

use calculus::bdd::Limits;
use calculus::check::{self, FactsFile, Options};
use calculus::diagnostic::Diagnostic;
use calculus::elaborate;
use calculus::solve::{Settings, Strategy, solve};
use calculus::span::{FileId, Sources};
use calculus::syntax::{parse, print, same};
use chance::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "..",
    ":=",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&",
    "|",
    "!",
    "->",
    "<->",
    "++",
    "+",
    "-",
    "*",
    "/",
    "%",
    "0",
    "1",
    "2",
    "7",
    "-1",
    "9223372036854775807",
    "true",
    "false",
    "exists x.",
    "forall y.",
    "exists x: bool.",
    "some i in 1..3:",
    "each j in 0..2:",
    "mu",
    "nu",
    "let",
    "query",
    "rel",
    "input",
    "enum",
    "range",
    "record",
    "keyed",
    "hint keyed",
    "hint symbolic",
    "verdict safe",
    "verdict unsafe if",
    "require",
    "use",
    "param",
    "const",
    "in",
    "if",
    "with",
    "bool",
    "bool[1..2]",
    "0..3",
    "x",
    "y",
    "x'",
    "i",
    "Node",
    "[x]",
    "[1..2]",
    "[..1]",
    "[1 := x]",
    "{ x with f = y }",
    "min(1, 2)",
    "program.threads",
    "\"text\"",
    "\"{x}\"",
    "a: ",
    "| b:",
    "// c\n",
    "\n",
];

const CHARACTERS: &[char] = &[
    '\0', ' ', '\t', '\r', '\n', '"', '\'', '\\', '/', '(', '}', '.', '9', 'x', '_', 'é', '∃', '\u{feff}',
    '🦀',
];

fn seeds() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = Vec::new();
    for folder in [folder.join("../examples/calculus"), folder.join("tests/syntax")] {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .expect("a folder of files")
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let files = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "fp"));
        out.extend(files.map(|path| std::fs::read_to_string(path).expect("a text")));
    }
    for theme in
        ["names", "sorts", "indices", "statics", "recursion", "facts", "model", "verdicts", "warnings"]
    {
        out.extend(corpus::cases(theme).into_iter().filter(|case| !case.repeated).map(|case| case.main));
    }
    out
}

/// Words, numbers, blanks and single signs.
fn tokens(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '_' | '0'..='9' | '\'' => 1,
        ' ' | '\n' => 2,
        _ => 0,
    };
    let mut out = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().skip(1) {
        let before = text[..at].chars().next_back().map_or(0, class);
        if class(c) == 0 || class(c) != before {
            out.push(&text[start..at]);
            start = at;
        }
    }
    out.push(&text[start..]);
    out
}

fn mutated(text: &str, other: &str, random: &mut Random) -> String {
    let mut tokens = tokens(text);
    let others = self::tokens(other);
    for _ in 0..1 + random.below(3) {
        let at = random.below(tokens.len());
        match random.below(8) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at]),
            2 => {
                let other = random.below(tokens.len());
                tokens.swap(at, other);
            }
            3 => tokens.insert(at, random.pick(TOKENS)),
            4 => tokens[at] = random.pick(TOKENS),
            5 => tokens[at] = random.pick(&others),
            6 => {
                let end = (at + random.below(12)).min(tokens.len());
                tokens.drain(at..end);
            }
            _ => {
                let from = random.below(others.len());
                let to = (from + random.below(12)).min(others.len());
                tokens.splice(at..at, others[from..to].iter().copied());
            }
        }
        if tokens.is_empty() {
            tokens.push(" ");
        }
    }
    let mut text = tokens.concat();
    if random.below(4) == 0 && !text.is_empty() {
        let mut characters: Vec<char> = text.chars().collect();
        let at = random.below(characters.len());
        match random.below(3) {
            0 => drop(characters.remove(at)),
            1 => characters.insert(at, random.pick(CHARACTERS)),
            _ => characters[at] = random.pick(CHARACTERS),
        }
        text = characters.into_iter().collect();
    }
    text
}

/// Places lie in their files, and between characters.
fn check_places(diagnostics: &[Diagnostic], sources: &Sources) {
    for (place, _) in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
        sources.text(*place);
    }
    if let Some(first) = diagnostics.first() {
        let _ = format!("{:?}", miette::Report::new(first.render(sources)));
    }
}

fn run(text: &str, number: usize, solved: &mut usize) {
    let (mut program, mistakes) = check::load("case.fp", text, &|_, path| {
        if path.len() > 3 {
            Ok((path.into(), "let Library(x: bool) = x;".into()))
        } else {
            Err("none".into())
        }
    });
    check_places(&mistakes, &program.sources);
    if !mistakes.is_empty() {
        return;
    }
    let tree = parse(FileId(0), text).expect("it was read before");
    let printed = print(&tree, text);
    let again = parse(FileId(0), &printed).unwrap_or_else(|_| panic!("printed as {printed}"));
    assert!(same(&tree, &again), "printed as {printed}");
    assert_eq!(print(&again, &printed), printed, "printed twice");
    let facts = |name: &str| match number % 3 {
        0 => Err("none".to_string()),
        1 => Ok(FactsFile::named(format!("{name}.facts"), "0\t1\n1\t2\nx\ntrue\n")),
        _ => Ok(FactsFile::named(format!("{name}.csv"), "p,A\nq,\"B\"\ns,\"p\n\n")),
    };
    let options = Options {
        model: number.is_multiple_of(2).then(corpus::program_model),
        facts: Some(&facts),
        // Not where the nodes are a million: keys are enumerated.
        keyed: if number.is_multiple_of(5) && !text.contains("_") {
            vec![("Node".into(), true)]
        } else {
            Vec::new()
        },
        ..Default::default()
    };
    let (system, core) = match check::check(&mut program, &options) {
        Err(mistakes) => return check_places(&mistakes, &program.sources),
        Ok((system, warnings)) => {
            let (core, more) = elaborate::elaborate(&system);
            check_places(&warnings, &program.sources);
            check_places(&more, &program.sources);
            (system, core)
        }
    };
    // Each manager takes a while to set up, so some of them do.
    if !number.is_multiple_of(4) || core.relations.len() > 100 {
        return;
    }
    *solved += 1;
    let limits =
        Limits { timeout: Some(Duration::from_millis(100)), max_nodes: Some(50_000), ..Default::default() };
    let strategy = if number.is_multiple_of(8) { Strategy::Naive } else { Strategy::SemiNaive };
    solve(&system, &core, &Settings { strategy, limits, list: 10, ..Default::default() });
}

/// One of the shards that together are the inputs.
fn fuzz(shard: u64, inputs: usize) {
    let seeds = seeds();
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (shard << 32 | 0xface));
    let (mut failed, mut solved, mut slowest) = (Vec::new(), 0, (Duration::ZERO, String::new()));
    for number in 0..inputs {
        // Examples come up as often as all the small cases together.
        let at = if random.below(2) == 0 { random.below(14) } else { random.below(seeds.len()) };
        let text = mutated(&seeds[at], &seeds[random.below(seeds.len())], &mut random);
        let begin = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| run(&text, number, &mut solved))).is_err() {
            failed.push(text.clone());
        }
        if begin.elapsed() > slowest.0 {
            slowest = (begin.elapsed(), text);
        }
    }
    println!("{solved} solved; the slowest took {:?}:\n{}", slowest.0, slowest.1);
    assert!(failed.is_empty(), "{} inputs panic, for example\n{}", failed.len(), failed.join("\n=======\n"));
}

#[test]
fn mutated_files_do_not_panic_1() {
    fuzz(1, effort::cases(6_000));
}

#[test]
fn mutated_files_do_not_panic_2() {
    fuzz(2, effort::cases(6_000));
}

#[test]
fn mutated_files_do_not_panic_3() {
    fuzz(3, effort::cases(6_000));
}

#[test]
fn mutated_files_do_not_panic_4() {
    fuzz(4, effort::cases(6_000));
}
