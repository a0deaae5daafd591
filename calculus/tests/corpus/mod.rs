//! The cases of diagnostics/*.txt, and a small model to check them against.

#![allow(dead_code, reason = "each test that shares this module uses a part of it")]

use calculus::sort::{Value, Width};
use calculus::vocabulary::{BitExpr, OfferedRecord, OfferedRelation, OfferedSort, Row, Show, Vocabulary};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

#[derive(Default)]
pub struct Case {
    pub name: String,
    /// The codes of all diagnostics, separated by blanks.
    pub codes: String,
    pub params: BTreeMap<String, i64>,
    pub model: bool,
    pub keyed: Vec<String>,
    pub main: String,
    pub files: Vec<(String, String)>,
    pub facts: Vec<(String, String)>,
    pub repeated: bool,
}

enum Part {
    Main,
    File,
    Facts,
}

pub fn cases(theme: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics").join(format!("{theme}.txt"));
    let text = std::fs::read_to_string(&path).expect("the cases of a theme");
    text.split("# case: ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case {
    let (name, text) = text.split_once('\n').expect("a case has lines");
    let mut case = Case { name: name.trim().to_string(), ..Case::default() };
    let (mut part, mut repeat) = (Part::Main, 0);
    for line in text.trim_end_matches('\n').split('\n') {
        let Some(header) = line.strip_prefix("# ") else {
            let into = match part {
                Part::Main => &mut case.main,
                Part::File => &mut case.files.last_mut().expect("a file was named").1,
                Part::Facts => &mut case.facts.last_mut().expect("an input was named").1,
            };
            into.push_str(line);
            into.push('\n');
            continue;
        };
        let (key, value) = header.split_once(':').unwrap_or((header, ""));
        let value = value.trim();
        match key {
            "code" => case.codes = value.to_string(),
            "set" => {
                let (name, number) = value.split_once('=').expect("NAME=INT");
                case.params.insert(name.to_string(), number.parse().expect("a number"));
            }
            "model" => case.model = true,
            "keyed" => case.keyed.push(value.to_string()),
            "repeat" => repeat = value.parse().expect("a number"),
            "file" => {
                case.files.push((value.to_string(), String::new()));
                part = Part::File;
            }
            "facts" => {
                case.facts.push((value.to_string(), String::new()));
                part = Part::Facts;
            }
            "main" => part = Part::Main,
            _ => panic!("{name}: what is {header:?}?"),
        }
    }
    if repeat > 0 {
        case.repeated = true;
        case.main = repeated(&case.main, repeat);
        case.facts.iter_mut().for_each(|(_, text)| *text = repeated(text, repeat));
    }
    case
}

fn repeated(text: &str, times: usize) -> String {
    let mut parts = text.split(['«', '»']);
    let mut out = parts.next().unwrap_or_default().to_string();
    while let (Some(inside), Some(behind)) = (parts.next(), parts.next()) {
        out += &inside.repeat(times);
        out += behind;
    }
    out
}

struct Plain;

impl Show for Plain {
    fn show(&self, _: &str, _: &Value) -> Option<String> {
        None
    }
}

/// A program of two threads and five control locations, as far as a checker can see.
pub fn program_model() -> Vocabulary {
    let text = |parts: &[(&str, &str)]| -> Vec<(String, String)> {
        parts.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
    };
    let relation = |name: &str, index: Option<(i64, i64)>, columns: &[(&str, &str)], rows: Vec<Row>| {
        let rows: Rc<[Row]> = rows.into();
        let instances = index.map_or(1, |(lo, hi)| (hi - lo + 1) as usize);
        let moves = name == "step";
        OfferedRelation {
            name: name.into(),
            index,
            columns: text(columns),
            instances: vec![rows; instances],
            moves,
        }
    };
    let at = |leaf: u16, location: u64| (leaf, Value::Name(location));
    let row = |fixed: Vec<(u16, Value)>| Row { fixed, core: BitExpr::Const(true), equal: Vec::new() };
    let states = || (0..5).map(|location| row(vec![at(0, location)])).collect::<Vec<_>>();
    Vocabulary {
        name: "program".into(),
        sorts: vec![
            OfferedSort { name: "Shared".into(), width: Width::Bits(2), keyed: false },
            OfferedSort { name: "Local".into(), width: Width::Bits(1), keyed: false },
            OfferedSort { name: "Pc".into(), width: Width::Values(5), keyed: true },
        ],
        symbols: Vec::new(),
        records: vec![OfferedRecord {
            name: "State".into(),
            fields: text(&[("pc", "Pc"), ("local", "Local")]),
        }],
        facts: vec![("threads".into(), 2), ("singles".into(), 2), ("calls".into(), 0)],
        relations: vec![
            relation("start", Some((1, 2)), &[("q", "State")], vec![row(vec![at(0, 0)])]),
            relation("target", None, &[("q", "State")], vec![row(vec![at(0, 4)])]),
            relation("yield", None, &[("q", "State"), ("s", "Shared")], states()),
            relation("Init", None, &[("s", "Shared")], vec![row(Vec::new())]),
            relation("initial", None, &[("s", "Shared")], vec![row(Vec::new())]),
            relation(
                "step",
                None,
                &[("q", "State"), ("s", "Shared"), ("q'", "State"), ("s'", "Shared")],
                (0..4).map(|location| row(vec![at(0, location), at(3, location + 1)])).collect(),
            ),
        ],
        approximations: Vec::new(),
        woven: Vec::new(),
        show: Rc::new(Plain),
        chapter: None,
    }
}
