//! Text to syntax tree, by the pest grammar.

use std::ops::Range;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

use super::ast::File;
use super::scan::{Scan, scan};
use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Span};

mod build;
mod words;

#[derive(pest_derive::Parser)]
#[grammar = "model/program/grammar.pest"]
struct Grammar;

type Node<'a> = Pair<'a, Rule>;

/// Nesting that the stack of any thread can take.
const SHALLOW: usize = 100;
/// Stack for one more level of nesting, generously.
const STACK_PER_LEVEL: usize = 16 << 10;

/// Names that the language gives a meaning: the constants, what is assigned to and forgotten, and the procedure to begin with.
pub const MEANINGS: [&str; 4] = ["T", "F", "_", "main"];

/// Whether a text is a name as it stands, without braces: the grammar reads all of it as one, and it has no other meaning.
pub fn is_plain_name(text: &str) -> bool {
    let whole =
        |mut pairs: pest::iterators::Pairs<Rule>| pairs.next().is_some_and(|name| name.as_str() == text);
    !text.starts_with('{') && !MEANINGS.contains(&text) && Grammar::parse(Rule::name, text).is_ok_and(whole)
}

pub fn parse(file: FileId, text: &str) -> Result<File, Vec<Diagnostic>> {
    let scanned = scan(file, text).map_err(|mistake| vec![mistake])?;
    if scanned.depth <= SHALLOW {
        return parse_scanned(file, text, &scanned);
    }
    let stack = (4 << 20) + scanned.depth * STACK_PER_LEVEL;
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(stack);
        match worker.spawn_scoped(scope, || parse_scanned(file, text, &scanned)) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                let title = format!("no memory for {} nested parentheses and blocks: {error}", scanned.depth);
                Err(vec![Diagnostic::error("bp::too_deep", title)])
            }
        }
    })
}

fn parse_scanned(file: FileId, text: &str, scanned: &Scan) -> Result<File, Vec<Diagnostic>> {
    match Grammar::parse(Rule::file, text) {
        Ok(mut pairs) => build::file(file, pairs.next().expect("a parse has a root")),
        Err(error) => Err(syntax_errors(file, text, scanned, &error)),
    }
}

/// The first mistake of each declaration and procedure: they are parsed again one by one.
fn syntax_errors(
    file: FileId,
    text: &str,
    scanned: &Scan,
    whole: &pest::error::Error<Rule>,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for item in &scanned.items {
        let chunk = &text[item.start as usize..item.end as usize];
        if let Err(error) = Grammar::parse(Rule::chunk, chunk) {
            problems.push(syntax_error(file, text, &error, item.start as usize..item.end as usize));
        }
    }
    if problems.is_empty() {
        problems.push(syntax_error(file, text, whole, 0..text.len()));
    }
    problems
}

fn syntax_error(
    file: FileId,
    text: &str,
    error: &pest::error::Error<Rule>,
    part: Range<usize>,
) -> Diagnostic {
    let start = part.start
        + match error.location {
            InputLocation::Pos(start) => start,
            InputLocation::Span((start, _)) => start,
        };
    let (found, length) = words::token_at(&text[start..part.end.max(start)]);
    let place = Span::new(file, start, start + length);
    let rules: &[Rule] = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives,
        ErrorVariant::CustomError { .. } => &[],
    };
    let expected = words::expected(rules);
    let title = match found {
        "" => "the text ends too early".to_string(),
        found => format!("`{found}` is not expected here"),
    };
    let problem = Diagnostic::error("bp::syntax", title).label(place, format!("expected {expected}"));
    match words::hint(&text[part.start..start], found, rules) {
        Some(hint) => problem.help(hint),
        None => problem,
    }
}
