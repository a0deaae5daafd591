//! How numbers of C programs are modelled: the width of words, and the search for one that is enough.
//!
//! A question is first asked with all places where a value leaves its word as errors. If the answer is `safe`, no value
//! does, and the width is enough. If one does, the question is asked once more without these places: an error that is
//! still found is one of the program, and otherwise the answer holds for values within the width.

use crate::model::options::{Check, Words};
use crate::run::files;
use clap::{Args, ValueEnum};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "C programs (MODEL.c)")]
pub struct WordArguments {
    /// How many bits the numbers of a C program have: N, or FIRST.. or FIRST..LAST to raise it until it is enough
    #[arg(long, value_name = "BITS", value_parser = widths)]
    pub width: Option<Widths>,
    /// What else counts as an error of a C program: overflow of signed numbers, division by zero, unlocking a mutex that
    /// the thread does not hold or ending while it holds one
    #[arg(long, value_enum, value_name = "WHAT,…", value_delimiter = ',')]
    pub check: Vec<CheckName>,
    /// A function of a C program without a body, which may return anything; what is found may depend on that
    #[arg(long, value_name = "FUNCTION")]
    pub havoc: Vec<String>,
    /// A condition that numbers are abstracted by, for the algorithms in abstraction/: 's == l'; with the variable of
    /// another thread: 'l != other.l'
    #[arg(long, value_name = "CONDITION", help_heading = "Predicates (views_abstract and others)")]
    pub predicate: Vec<String>,
}

/// How a C program has predicates in its text. Who abstracts numbers needs no small ones.
const IN_TEXT: &str = "__CPROVER_predicate";

/// The widths to try, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    pub first: u32,
    pub last: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckName {
    Overflow,
    Div,
    Lock,
}

impl WordArguments {
    pub fn words(&self) -> Words {
        let check = |name: &CheckName| match name {
            CheckName::Overflow => Check::Overflow,
            CheckName::Div => Check::Division,
            CheckName::Lock => Check::Lock,
        };
        let width = self.width.map_or(Words::default().width, |widths| widths.first);
        let (checks, havoc) = (self.check.iter().map(check).collect(), self.havoc.clone());
        Words { width, left_out: None, checks, havoc }
    }

    /// The widths to try for a program; nothing if it is not about words.
    pub fn widths(&self, program: &str) -> Option<Widths> {
        let (text, front_end) = files::model_text(program).ok()?;
        let first = front_end.first_width?;
        let otherwise = match !self.predicate.is_empty() || text.contains(IN_TEXT) {
            true => Widths { first: Words::MOST, last: Words::MOST },
            false => Widths { first: first(program, &text), last: Words::MOST },
        };
        Some(self.width.unwrap_or(otherwise))
    }
}

impl Widths {
    pub fn next(self) -> Option<Widths> {
        // Small steps first: every bit costs.
        let step = if self.first < 8 { 1 } else { self.first / 4 };
        let first = (self.first + step).min(self.last);
        (first > self.first).then_some(Widths { first, ..self })
    }
}

fn widths(text: &str) -> Result<Widths, String> {
    let range = Words::LEAST..=Words::MOST;
    let number = |text: &str| {
        let number = text.trim().parse::<u32>().map_err(|_| format!("`{text}` is not a number of bits"))?;
        match range.contains(&number) {
            true => Ok(number),
            false => Err(format!("a width is from {} to {}", range.start(), range.end())),
        }
    };
    let (first, last) = match text.split_once("..") {
        None => (number(text)?, number(text)?),
        Some((first, "")) => (number(first)?, Words::MOST),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if last < first {
        return Err(format!("`{text}` has no values"));
    }
    Ok(Widths { first, last })
}

/// What is said where the answer holds within a width only.
pub fn left_out(width: u32, place: Option<(usize, String)>) -> String {
    let at = place.map_or(String::new(), |(line, why)| format!("; line {line}: {why}"));
    format!("values within {width} bits{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_a_number_or_a_range() {
        assert_eq!(widths("4"), Ok(Widths { first: 4, last: 4 }));
        assert_eq!(widths("3.."), Ok(Widths { first: 3, last: Words::MOST }));
        assert_eq!(widths("3..6"), Ok(Widths { first: 3, last: 6 }));
        for wrong in ["", "1", "33", "6..3", "x", "3..x"] {
            assert!(widths(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_width_is_larger_than_the_one_before_up_to_the_last() {
        let mut widths = Some(Widths { first: 2, last: 32 });
        let mut seen = Vec::new();
        while let Some(now) = widths {
            seen.push(now.first);
            widths = now.next();
        }
        assert_eq!(seen, [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 32]);
    }
}
