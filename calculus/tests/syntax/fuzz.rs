//! Whatever the text, the parser answers, every place it names is in the text, and what it accepts can be
//! formatted.

use crate::chance::Random;
use crate::{SAMPLES, effort, rendered};
use calculus::span::FileId;
use calculus::syntax::{parse, print, same};

const FRAGMENTS: [&str; 60] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    "..",
    ":",
    ":=",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "->",
    "<->",
    "=>",
    "&",
    "&&",
    "|",
    "||",
    "!",
    "~",
    "+",
    "++",
    "-",
    "*",
    "/",
    "%",
    "//",
    "/*",
    "*/",
    "\"",
    "\\",
    "'",
    "exists",
    "forall",
    "some",
    "each",
    "mu",
    "let",
    "in",
    "if",
    "with",
    "enum",
    "keyed",
    "rel",
    "query",
    " ",
    "\n",
    "0",
    "99999999999999999999",
    "ä",
    "∃",
    "\u{feff}",
];

/// Damages a text in one to three places, between characters.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(characters.len() + 1);
        let end = (at + random.below(12)).min(characters.len());
        match random.below(4) {
            0 => drop(characters.drain(at..end)),
            1 => drop(characters.splice(at..at, random.pick(&FRAGMENTS).chars())),
            2 => drop(characters.splice(at..end, random.pick(&FRAGMENTS).chars())),
            _ => {
                let from = random.below(characters.len());
                let piece: Vec<char> = characters[from..(from + 20).min(characters.len())].to_vec();
                characters.splice(at..at, piece);
            }
        }
    }
    characters.into_iter().collect()
}

#[test]
fn damaged_files_are_read_or_refused() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    // Single items, so that 20,000 of them take seconds, and every item of the samples has its turn.
    let items: Vec<&str> = SAMPLES.iter().flat_map(|text| text.split_inclusive(";\n")).collect();
    let mut accepted = 0;
    for round in 0..effort::cases(20_000) {
        let text = damaged(items[round % items.len()], &mut random);
        match parse(FileId(0), &text) {
            Ok(file) => {
                accepted += 1;
                let printed = print(&file, &text);
                let again =
                    parse(FileId(0), &printed).unwrap_or_else(|m| panic!("{}", rendered(&printed, &m)));
                assert!(same(&file, &again), "{text}\n----\n{printed}");
                assert_eq!(print(&again, &printed), printed, "{text}");
            }
            Err(mistakes) => {
                for mistake in &mistakes {
                    assert!(!mistake.labels.is_empty() && mistake.code.starts_with("fp::"));
                    for (span, _) in &mistake.labels {
                        assert!(
                            text.get(span.start as usize..span.end as usize).is_some(),
                            "{text}\n{mistake:?}"
                        );
                    }
                }
                if round % 20 == 0 {
                    assert!(!rendered(&text, &mistakes).is_empty());
                }
            }
        }
    }
    assert!(accepted > effort::cases(1_000), "only {accepted} were accepted");
}
