//! C programs with POSIX threads: the front end for `.c` and `.i`.
//!
//! ```text
//! text --preprocess--> --lang-c--> tree --unit--> by name --lower--> Program --boolean--> model
//! ```
//!
//! Numbers are words of a width. A run ends where a value leaves its word; these places are targets of the class `width`,
//! or are left out and told ([`Words`]). All calls are inlined, every statement of the program has at most one access to a
//! variable that others see, and everything behind the resolved program is that of Boolean programs.

mod access;
mod after;
mod arithmetic;
mod assignments;
mod barrier;
mod calls;
mod computed_type;
mod constant_locals;
mod constants;
mod declarations;
mod emit;
mod expressions;
mod harness;
mod initial;
mod library;
mod lower;
mod narrow;
mod order;
mod places;
mod preprocess;
mod recursion;
mod scan;
mod statements;
mod threads;
mod translate;
mod types;
mod typing;
mod unit;
mod unknowns;
mod unrolled;
mod value;
mod whole;

use super::boolean;
use super::options::{Check, Options, ProgramOptions, Words};
use super::program::{Loaded, predicate};
use super::{FrontEnd, Model};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use calculus::span::{FileId, Source, Sources, Span};
use calculus::vocabulary::Approximation;
use lang_c::driver::{Config, Flavor, parse_preprocessed};
pub use narrow::narrow;
use places::Places;
use preprocess::{PRELUDE, PRELUDE_NAME};
use std::collections::{BTreeMap, BTreeSet};
use unit::Unit;
use whole::Translated;

pub const FRONT_END: FrontEnd = FrontEnd {
    endings: &["c", "i"],
    what: "a C program",
    beside: &[],
    read: model,
    sequential: None,
    first_width: Some(first_width),
    harness: Some(harness::harness),
    translate: Some(translate::translate),
};

/// Brackets that are deeper inside each other are refused: parsers call themselves for each.
const DEEPEST: usize = 60;
/// So are longer statements.
const LONGEST: usize = 10_000;

/// What is known of a program's places besides.
pub struct Marked {
    /// Why values can leave their words, by the line.
    pub left_words: BTreeMap<usize, String>,
    /// Where something is looked for that is no assertion of the text.
    pub added: BTreeSet<Span>,
}

/// A C program as a resolved program; or why it cannot be one.
pub fn load(name: &str, text: &str, options: &Options) -> Result<(Loaded, Marked), Rejection> {
    let mut sources = Sources::default();
    let preprocessing = phase::enter("preprocessing the program");
    let preprocessed = match preprocess::preprocess(name, text) {
        Ok(preprocessed) => preprocessed,
        Err(mistake) => {
            sources.add(name, text);
            return Err(Rejection { sources, diagnostics: vec![mistake] });
        }
    };
    drop(preprocessing);
    let _parsing = phase::enter("translating the program");
    let preprocessed = places::with_standard_words(preprocessed);
    // A preprocessed text tells which lines of which file it was made of.
    let (shown, main, original) = match original(text) {
        Some((main, original)) => (main.clone(), main, original),
        None => (name.to_string(), preprocess::escaped(name), text.to_string()),
    };
    let file = sources.add(shown, original.as_str());
    let whole = format!("# 1 \"{PRELUDE_NAME}\"\n{PRELUDE}{preprocessed}");
    match translated(&whole, &main, &original, file, &sources, options) {
        Ok(Translated { program, cuts, added }) => {
            let source = sources.get(file);
            let left_words = cuts.into_iter().rev().map(|(span, why)| (source.line(span), why)).collect();
            Ok((Loaded { program, sources, warnings: Vec::new() }, Marked { left_words, added }))
        }
        Err(diagnostics) => Err(Rejection { sources, diagnostics }),
    }
}

/// What a preprocessed text was made of: the name of the file, and its text.
fn original(text: &str) -> Option<(String, String)> {
    if preprocess::has_directives(text) { None } else { places::reconstructed(text) }
}

fn translated(
    whole: &str,
    main: &str,
    original: &str,
    file: FileId,
    sources: &Sources,
    options: &Options,
) -> Result<Translated, Vec<Diagnostic>> {
    if !Source::fits(whole) {
        return Err(vec![Diagnostic::error("c::syntax", "the program is too large")]);
    }
    let places = Places::new(whole, main, file, original);
    if let Some(at) = too_deep(whole) {
        let title = format!("brackets are more than {DEEPEST} deep inside each other");
        let problem = Diagnostic::error("c::syntax", title).label(places.span(at, at + 1), "here");
        return Err(vec![problem.help("put a part into a function or a variable of its own")]);
    }
    if let Some(at) = too_long(whole) {
        let title = format!("a statement has more than {LONGEST} characters");
        let problem = Diagnostic::error("c::syntax", title).label(places.span(at, at + 1), "here");
        return Err(vec![problem.help("compute a part of it in a statement of its own")]);
    }
    let config = Config { flavor: Flavor::GnuC11, ..Config::with_gcc() };
    let parsed = parse_preprocessed(&config, whole.to_string()).map_err(|error| {
        let at = error.offset.min(whole.len());
        let mut expected = error.expected.into_iter().collect::<Vec<_>>();
        expected.sort_unstable();
        let title = "this is not C as fpsolve knows it";
        let problem = Diagnostic::error("c::syntax", title).label(places.span(at, at + 1), "not understood");
        let shown = expected.iter().take(6).map(|word| format!("`{word}`")).collect::<Vec<_>>();
        vec![problem.help(format!("expected here: {}; does a C compiler accept the file?", shown.join(", ")))]
    })?;
    let unit = Unit::new(&parsed.unit);
    whole::translate(&unit, &places, sources.get(file), options)
}

/// Where something is so long that a walk over its tree would be too deep.
fn too_long(text: &str) -> Option<usize> {
    let mut begin = 0;
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b';' | b'{' | b'}' | b'#') {
            begin = at;
        }
        if at - begin > LONGEST {
            return Some(at);
        }
    }
    None
}

/// Where brackets are nested too deeply for a parser that calls itself.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth: usize = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Some(at);
        }
    }
    None
}

fn model(name: &str, text: &str, options: &ProgramOptions) -> Result<Box<dyn Model>, Rejection> {
    let (loaded, marked) = load(name, text, &options.reading)?;
    let mut loaded = predicate::given(loaded, &options.reading.predicates)?;
    // A formula looks at values, and predicates do: at those of the variables that they mention.
    if options.formula.is_none() && !options.accesses {
        let whole = options.reading.words.checks(Check::Overflow);
        let mentioned = loaded.program.predicates.iter().flat_map(|predicate| &predicate.names);
        let mut named = options.named.clone();
        named.extend(mentioned.map(|mention| mention.name.clone()));
        narrow(&mut loaded.program, &named, whole);
    }
    let mut model = boolean::of(loaded, options)?;
    model.kind = FRONT_END.what;
    (model.left_words, model.added) = (marked.left_words, marked.added);
    model
        .notes
        .push(format!("words of {} bits; memory is sequentially consistent", options.reading.words.width));
    let left_out = model.program.approximations.iter();
    let left_out = left_out.map(|what| match what {
        Approximation::Fewer(what) => format!("left out: {what}"),
        Approximation::More(what) => format!("added: {what}"),
    });
    let left_out = left_out.collect::<Vec<_>>();
    model.notes.extend(left_out);
    // Control flow that is never taken is common in programs that macros have written.
    model.warnings.clear();
    Ok(Box::new(model))
}

/// The width to begin with: that of the constants in the text, as far as it is small.
pub fn first_width(name: &str, text: &str) -> u32 {
    let Ok(preprocessed) = preprocess::preprocess(name, text) else { return Words::LEAST };
    let preprocessed = places::with_standard_words(preprocessed);
    let whole = format!("# 1 \"{PRELUDE_NAME}\"\n{PRELUDE}{preprocessed}");
    let config = Config { flavor: Flavor::GnuC11, ..Config::with_gcc() };
    if too_deep(&whole).is_some() {
        return Words::LEAST;
    }
    let Ok(parsed) = parse_preprocessed(&config, whole) else { return Words::LEAST };
    let largest = scan::largest_literal(&Unit::new(&parsed.unit));
    // One more for the sign, and one number more for a loop that counts up to it.
    let bits = 128 - (largest + 1).leading_zeros() + 1;
    bits.clamp(Words::LEAST, 8)
}
