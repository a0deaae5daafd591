//! What the passes find: each place once, and not too many.

use crate::diagnostic::{Diagnostic, MAX_MISTAKES, Severity, more};
use crate::span::Span;
use std::collections::BTreeSet;

/// A mistake has been reported; what depends on it is passed over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

pub(super) type Checked<T> = Result<T, Reported>;

/// The diagnostics found so far.
#[derive(Default)]
pub(super) struct Findings {
    diagnostics: Vec<Diagnostic>,
    /// How many there are, those that are not kept included.
    mistakes: usize,
    warnings: usize,
    seen: BTreeSet<(&'static str, Span)>,
    /// Something is too large.
    large: bool,
}

/// A parameter that is too large makes many definitions too large, so only the first of these is told.
const TOO_LARGE: [&str; 2] = ["fp::too_many_instances", "fp::sort_too_large"];

impl Findings {
    /// Adds a diagnostic, once per code and place: the instances of a family repeat mistakes.
    pub fn add(&mut self, diagnostic: Diagnostic) -> Reported {
        let place = diagnostic.labels.first().map(|(span, _)| *span).unwrap_or_default();
        let new = diagnostic.labels.is_empty() || self.seen.insert((diagnostic.code, place));
        let large = TOO_LARGE.contains(&diagnostic.code);
        if !new || large && std::mem::replace(&mut self.large, true) {
            return Reported;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.mistakes,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_MISTAKES {
            self.diagnostics.push(diagnostic);
        } else if *count == MAX_MISTAKES + 1 {
            self.diagnostics.push(more(diagnostic.severity));
        }
        Reported
    }

    /// How many mistakes there are; warnings are none.
    pub fn mistakes(&self) -> usize {
        self.mistakes
    }

    /// No further mistake will be shown, so none needs to be worded.
    pub fn is_full(&self) -> bool {
        self.mistakes > MAX_MISTAKES
    }

    pub fn has(&self, code: &'static str, place: Span) -> bool {
        self.seen.contains(&(code, place))
    }

    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}
