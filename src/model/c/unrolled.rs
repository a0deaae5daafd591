//! Functions that call themselves, in programs with threads: calls are inlined so deep as words are wide.
//!
//! Algorithms for several threads with calls give up after some context switches, and those for threads without calls
//! prove. Most recursions of C programs count down a number, so a wider word has room for deeper calls, too: a run that goes
//! deeper leaves the model as one does whose value leaves its word, and the search for a width that is enough goes on.

use super::lower::{Lower, Lowered, unsupported};
use super::places::Places;
use super::types::CType;
use super::unit::Unit;
use super::value::{Number, Value};
use crate::model::options::Words;
use calculus::span::Span;

/// Calls whose numbers are all known end by themselves: they may be so deep.
const MOST_KNOWN: usize = 64;
/// A program that gets more statements by calls inside each other is inlined less deep.
const MOST_STATEMENTS: usize = 2_000;

/// Translates a program: with procedures if it has one thread, and otherwise as deep as is possible.
pub fn translated<'a>(unit: &'a Unit<'a>, places: &'a Places, words: &'a Words) -> Lower<'a> {
    let mut deepest = if is_unrolled(unit) { 2 * words.width as usize } else { 0 };
    loop {
        let mut lower = Lower::new(unit, places, words, deepest);
        lower.threads();
        let statements = lower.procedures.iter().flatten().map(|procedure| procedure.statements.len());
        if deepest <= 2 || statements.sum::<usize>() <= MOST_STATEMENTS && lower.problems.is_empty() {
            return lower;
        }
        deepest /= 2;
    }
}

fn is_unrolled(unit: &Unit) -> bool {
    let main = unit.functions.get("main");
    !unit.recursive.is_empty()
        && main.is_some_and(|main| super::scan::makes_threads(unit, &main.node.statement))
}

impl<'a> Lower<'a> {
    /// Whether calls are so deep inside each other that the run leaves the model.
    pub fn is_too_deep(&mut self, name: &str, values: &[Value], span: Span) -> bool {
        let unit = self.unit;
        let frames = self.frames.iter().filter(|frame| unit.recursive.contains(frame.function.as_str()));
        let depth = frames.count();
        let known = |value: &Value| matches!(value, Value::Number(number) if number.known().is_some());
        let most = match values.iter().any(known) && values.iter().all(known) {
            true => MOST_KNOWN.max(self.deepest),
            false => self.deepest,
        };
        if depth >= most {
            self.cut(span, &format!("calls of `{name}` are more than {most} deep inside each other"));
            self.stop(span);
        }
        depth >= most
    }

    /// What a call gives that the run never comes back from.
    pub fn no_result(&mut self, name: &str, result: CType, span: Span) -> Lowered<Value> {
        match result {
            CType::Int(of) => Ok(Value::Number(Number::constant(0, of))),
            CType::Void => Ok(Value::Void),
            of => {
                let title = format!("`{name}` calls itself, and returns {}", of.words());
                Err(unsupported(span, title, "let it return a number"))
            }
        }
    }
}
