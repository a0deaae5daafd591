//! Text to syntax tree, by the pest grammar.

use std::sync::Arc;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

use super::ast::File;
use super::diagnostic::{Problem, Problems};
use super::scan::{Scan, scan};
use super::source::{Source, Span};

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

pub fn parse(source: &Arc<Source>) -> Result<File, Problems> {
    let scanned = scan(source)?;
    if scanned.depth <= SHALLOW {
        return parse_scanned(source, &scanned);
    }
    let stack = (4 << 20) + scanned.depth * STACK_PER_LEVEL;
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(stack);
        match worker.spawn_scoped(scope, || parse_scanned(source, &scanned)) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                let title = format!("no memory for {} nested parentheses and blocks: {error}", scanned.depth);
                Err(Problem::error(source, "bp::too_deep", title).into())
            }
        }
    })
}

fn parse_scanned(source: &Arc<Source>, scanned: &Scan) -> Result<File, Problems> {
    match Grammar::parse(Rule::file, source.text()) {
        Ok(mut pairs) => build::file(source, pairs.next().expect("a parse has a root")),
        Err(error) => Err(syntax_errors(source, scanned, &error)),
    }
}

/// The first mistake of each declaration and procedure: they are parsed again one by one.
fn syntax_errors(source: &Arc<Source>, scanned: &Scan, whole: &pest::error::Error<Rule>) -> Problems {
    let mut problems = Vec::new();
    for item in &scanned.items {
        let text = &source.text()[item.start as usize..item.end as usize];
        if let Err(error) = Grammar::parse(Rule::chunk, text) {
            problems.push(syntax_error(source, &error, item.start as usize, item.end as usize));
        }
    }
    if problems.is_empty() {
        problems.push(syntax_error(source, whole, 0, source.text().len()));
    }
    Problems { problems }
}

fn syntax_error(
    source: &Arc<Source>,
    error: &pest::error::Error<Rule>,
    offset: usize,
    end: usize,
) -> Problem {
    let start = offset
        + match error.location {
            InputLocation::Pos(start) => start,
            InputLocation::Span((start, _)) => start,
        };
    let (found, length) = words::token_at(&source.text()[start..end.max(start)]);
    let place = Span::new(start, start + length);
    let rules: &[Rule] = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives,
        ErrorVariant::CustomError { .. } => &[],
    };
    let expected = words::expected(rules);
    let title = match found {
        "" => "the text ends too early".to_string(),
        found => format!("`{found}` is not expected here"),
    };
    let problem = Problem::error(source, "bp::syntax", title).label(place, format!("expected {expected}"));
    match words::hint(found, rules) {
        Some(hint) => problem.help(hint),
        None => problem,
    }
}
