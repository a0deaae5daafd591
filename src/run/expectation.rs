//! Expectations: comments in a file that say what its answers are.
//!
//! ```text
//! //@ Hit: true
//! //@ rounds=2 Where: 3 tuples
//! //@ facts=small verdict: safe
//! //@ rounds=0 error: fp::param_range
//! ```
//! Settings come first: values of parameters, a range of values to deepen one through (`rounds=1..4`), and a
//! folder with facts (relative to the file), a file with a formula (`ltl=always.ltl`), or predicates, each without blanks
//! (`predicate=s<t`). In a model the subject is an algorithm and, behind a dot, a query of it; where comments begin with
//! `#`, so does the line: `#@ rounds=2 cba: unsafe`.
//!
//! ```text
//! //@ summaries: unsafe
//! //@ contexts=2 lazy_cba: bounded
//! //@ rounds=1..4 adequacy: safe
//! //@ dead_code.Dead: 3 tuples
//! //@ reachability: fp::refused
//! ```

use super::deepen::Deepening;
use calculus::span::FileId;
use calculus::syntax::ast::Comment;
use std::collections::BTreeMap;

/// What is set for a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The algorithm that a program is the model of.
    pub algorithm: Option<String>,
    pub params: BTreeMap<String, i64>,
    pub deepen: Option<Deepening>,
    pub facts: Option<String>,
    /// The file with the formula that runs are checked for.
    pub formula: Option<String>,
    /// What numbers are abstracted by.
    pub predicates: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Verdict,
    /// The code of a mistake.
    Error,
    Query(String),
}

/// One expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    pub settings: Variant,
    pub subject: Subject,
    /// The expected word: `true`, `3 tuples`, `safe`, `fp::code`
    pub expected: String,
}

/// A `//@` comment: its line, its text, and what it means or why it means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationLine {
    pub number: usize,
    pub text: String,
    pub meaning: Result<Expectation, String>,
}

/// The expectations of an `.fp` file, in the order of the text.
pub fn expectations(text: &str) -> Vec<ExpectationLine> {
    let comments = calculus::syntax::comments(FileId::default(), text);
    let marked = comments.into_iter().filter_map(|Comment { text: comment, span, .. }| {
        let rest = comment.strip_prefix("//@")?.trim().to_string();
        let number = text[..span.start as usize].matches('\n').count() + 1;
        Some(ExpectationLine { number, meaning: parse(&rest, subject), text: rest })
    });
    marked.collect()
}

/// The expectations of a model: lines that are nothing but such a comment, which begins with `//` or with `#`.
pub fn expectations_of_program(text: &str) -> Vec<ExpectationLine> {
    let marked = (1..).zip(text.lines()).filter_map(|(number, line)| {
        let line = line.trim();
        let rest = line.strip_prefix("//@").or_else(|| line.strip_prefix("#@"))?.trim().to_string();
        Some(ExpectationLine { number, meaning: parse(&rest, algorithm), text: rest })
    });
    marked.collect()
}

/// Settings, then what `subject` reads: the subject and the expected word.
fn parse(
    text: &str,
    subject: impl Fn(&str, &str, &mut Variant) -> Result<(Subject, String), String>,
) -> Result<Expectation, String> {
    let mut settings = Variant::default();
    let mut rest = text;
    while let Some((name, value)) = rest.split_whitespace().next().and_then(|word| word.split_once('=')) {
        let set = match name {
            "facts" if !value.is_empty() => settings.facts.replace(value.into()).is_some(),
            "ltl" if value.ends_with(".ltl") => settings.formula.replace(value.into()).is_some(),
            "ltl" => return Err("a formula stands in a file: ltl=always.ltl".into()),
            "predicate" if !value.is_empty() => {
                let known = settings.predicates.iter().any(|predicate| predicate == value);
                settings.predicates.push(value.into());
                known
            }
            "" | "facts" | "predicate" => return Err("a setting is written name=value".into()),
            _ if value.contains("..") => {
                let deepening = Deepening::parse(&format!("{name}={value}"))?;
                settings.deepen.replace(deepening).is_some()
            }
            _ => {
                let value =
                    value.parse().map_err(|_| format!("`{value}` is not a number to set `{name}` to"))?;
                settings.params.insert(name.into(), value).is_some()
            }
        };
        if set {
            return Err(format!("`{name}` is set twice"));
        }
        rest = rest[name.len() + 1 + value.len()..].trim_start();
    }
    let shape =
        "write `Query: true`, `Query: 3 tuples`, `verdict: safe` or `error: fp::code`, settings first";
    let (about, expected) = rest.split_once(':').ok_or(shape)?;
    let (about, expected) = (about.trim(), expected.trim());
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.' | '/');
    if about.is_empty() || !about.chars().all(is_name) {
        return Err(shape.into());
    }
    let (subject, expected) = subject(about, expected, &mut settings)?;
    Ok(Expectation { settings, subject, expected })
}

fn subject(about: &str, expected: &str, _: &mut Variant) -> Result<(Subject, String), String> {
    Ok(match about {
        "verdict" => (Subject::Verdict, verdict(expected)?),
        "error" => (Subject::Error, code(expected)?),
        query => (Subject::Query(query.into()), answer(expected)?),
    })
}

/// `ALGORITHM: verdict`, `ALGORITHM: fp::code` or `ALGORITHM.Query: answer`.
fn algorithm(about: &str, expected: &str, settings: &mut Variant) -> Result<(Subject, String), String> {
    let (name, query) = match about.split_once('.') {
        Some((name, query)) => (name, Some(query)),
        None => (about, None),
    };
    settings.algorithm = Some(name.into());
    Ok(match query {
        Some(query) => (Subject::Query(query.into()), answer(expected)?),
        None if expected.contains("::") => (Subject::Error, code(expected)?),
        None => (Subject::Verdict, verdict(expected)?),
    })
}

fn verdict(text: &str) -> Result<String, String> {
    match text {
        "unsafe" | "safe" | "bounded" | "unknown" | "none" => Ok(text.into()),
        _ => Err(format!("`{text}` is not a verdict: write unsafe, safe, bounded, unknown or none")),
    }
}

fn code(text: &str) -> Result<String, String> {
    match ["fp::", "bp::", "pds::", "ltl::"].iter().find_map(|prefix| text.strip_prefix(prefix)) {
        Some(name) if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            Ok(text.into())
        }
        _ => Err(format!("`{text}` is not a code: write fp::name")),
    }
}

/// `true`, `false`, or a number of tuples, which may have commas between its digits.
fn answer(text: &str) -> Result<String, String> {
    if matches!(text, "true" | "false") {
        return Ok(text.into());
    }
    let bad = || format!("`{text}` is not an answer: write true, false or a number of tuples");
    let number = text.strip_suffix("tuples").or(text.strip_suffix("tuple")).ok_or_else(bad)?.trim_end();
    let digits = number.replace(',', "");
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return Err(bad());
    }
    Ok(match digits.trim_start_matches('0') {
        "" => "0 tuples".into(),
        "1" => "1 tuple".into(),
        digits => format!("{digits} tuples"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(text: &str) -> Result<Expectation, String> {
        let lines = expectations(&format!("//! header\n{text}\nquery A = true; // no\n"));
        assert_eq!((lines.len(), lines[0].number), (1, 2));
        lines[0].meaning.clone()
    }

    #[test]
    fn settings_come_first() {
        let found = meaning("  //@ rounds=2 low=-1 facts=small/facts Hit': true").unwrap();
        assert_eq!(found.settings.params, BTreeMap::from([("low".into(), -1), ("rounds".into(), 2)]));
        assert_eq!(found.settings.facts.as_deref(), Some("small/facts"));
        assert_eq!((found.subject, found.expected), (Subject::Query("Hit'".into()), "true".into()));
    }

    #[test]
    fn predicates_may_have_an_equals_sign() {
        let found = meaning("//@ predicate=s==l predicate=l!=other.l Hit: true").unwrap();
        assert_eq!(found.settings.predicates, ["s==l", "l!=other.l"]);
    }

    #[test]
    fn counts_may_have_commas() {
        assert_eq!(meaning("//@ Where: 1,048,576 tuples").unwrap().expected, "1048576 tuples");
        assert_eq!(meaning("//@Where:1 tuples").unwrap().expected, "1 tuple");
        assert_eq!(meaning("//@ Where: 00 tuples").unwrap().expected, "0 tuples");
    }

    #[test]
    fn what_means_nothing_says_why() {
        for text in [
            "//@",
            "//@ Hit",
            "//@ Hit: maybe",
            "//@ Where: tuples",
            "//@ Where: x tuples",
            "//@ verdict: fine",
            "//@ error: unknown_name",
            "//@ rounds=x Hit: true",
            "//@ rounds=1 rounds=2 Hit: true",
            "//@ a b: true",
            "//@ =2 Hit: true",
            "//@ predicate= Hit: true",
            "//@ predicate=s<t predicate=s<t Hit: true",
        ] {
            assert!(meaning(text).is_err(), "{text}");
        }
    }
}
