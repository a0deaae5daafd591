//! Text to syntax tree, item by item: each broken item is one diagnostic, and the others are still read.

mod expected;
mod expressions;
mod items;
mod mistakes;
pub(super) mod precedence;
mod sorts;
mod tokens;

pub(crate) use expressions::{dotted, one_index};
pub use sorts::as_sort;

use super::ast::{File, Item};
use super::nesting::nesting;
use super::scan::{self, Token};
use crate::diagnostic::Diagnostic;
use crate::span::{FileId, Source, Span};
use pest::Parser;
use pest::iterators::Pair;

#[derive(pest_derive::Parser)]
#[grammar = "grammar.pest"]
struct Grammar;

/// How deep brackets may be nested, and how high an expression's tree may grow. Whoever walks a tree may
/// recurse: no tree is higher.
pub const MAX_DEPTH: usize = 100;

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Reads one file. Either all of it is understood, or every item that is not gives a diagnostic.
pub fn parse(id: FileId, text: &str) -> Result<File, Vec<Diagnostic>> {
    if !Source::fits(text) {
        return Err(vec![
            Diagnostic::error("fp::too_large", "files of 4 GiB and more are not read")
                .help("split the file, and let one file use the others"),
        ]);
    }
    let (tokens, comments) = scan::tokens(id, text);
    let (mut items, mut mistakes) = (Vec::new(), Vec::new());
    for range in scan::items(&tokens) {
        match item(id, text, &tokens[range]) {
            Ok(item) => items.push(item),
            Err(mistake) => mistakes.push(*mistake),
        }
    }
    if mistakes.is_empty() { Ok(File { id, items, comments }) } else { Err(mistakes) }
}

fn item(file: FileId, source: &str, tokens: &[Token<'_>]) -> Parsed<Item> {
    let nesting = nesting(tokens, MAX_DEPTH);
    tokens::lexical(file, tokens)?;
    if let Some(at) = nesting.too_deep {
        return Err(too_deep(tokens[at].span(file)));
    }
    tokens::beginning(file, tokens)?;
    let (start, end) = (tokens[0].start, tokens[tokens.len() - 1].end());
    let builder = Builder { file, offset: start };
    match Grammar::parse(Rule::entry, &source[start..end]) {
        Ok(mut pairs) => {
            let pair = pairs.next().expect("the grammar yields the item it accepted");
            Ok(Item { span: builder.span(&pair), kind: builder.item(pair)? })
        }
        Err(error) => Err(mistakes::syntax(file, tokens, &nesting, start, &error)),
    }
}

fn too_deep(place: Span) -> Box<Diagnostic> {
    // Of a bracket, the place of the opening one is enough.
    let place = if place.end - place.start > 12 { Span { end: place.start + 1, ..place } } else { place };
    Diagnostic::error("fp::too_deep", format!("more than {MAX_DEPTH} levels of nesting"))
        .label(place, "one level too deep")
        .help("give a part of it a name of its own with `let`")
        .into()
}

/// Makes trees of what the grammar accepted. It reads an item's text, which begins at `offset` in its file.
struct Builder {
    file: FileId,
    offset: usize,
}

impl Builder {
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span::new(self.file, self.offset + span.start(), self.offset + span.end())
    }
}
