//! A user's mistake: a code, a title, labelled places, help.

use std::fmt;
use std::sync::Arc;

use calculus::diagnostic::nearest;
use miette::{Diagnostic, LabeledSpan, SourceCode};

use super::source::{Source, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// One mistake (or oddity) in a program.
#[derive(Clone, Debug)]
pub struct Problem {
    pub code: &'static str,
    pub severity: Severity,
    pub title: String,
    pub labels: Vec<(Span, String)>,
    pub help: Option<String>,
    source: Arc<Source>,
}

impl Problem {
    pub fn error(source: &Arc<Source>, code: &'static str, title: impl Into<String>) -> Problem {
        let source = Arc::clone(source);
        Problem {
            code,
            severity: Severity::Error,
            title: title.into(),
            labels: Vec::new(),
            help: None,
            source,
        }
    }

    pub fn warning(source: &Arc<Source>, code: &'static str, title: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::error(source, code, title) }
    }

    pub fn as_warning(self) -> Problem {
        Problem { severity: Severity::Warning, ..self }
    }

    pub fn label(mut self, span: Span, text: impl Into<String>) -> Problem {
        self.labels.push((span, text.into()));
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Problem {
        self.help = Some(text.into());
        self
    }

    /// Adds "did you mean" if one of the names is close to what was written, and the given help otherwise.
    pub fn suggest<'a>(
        self,
        written: &str,
        names: impl Iterator<Item = &'a str>,
        otherwise: &str,
    ) -> Problem {
        match nearest(written, names) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None if otherwise.is_empty() => self,
            None => self.help(otherwise),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|text| Box::new(text) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        if self.labels.is_empty() { None } else { Some(self.source.named()) }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = |(span, text): &(Span, String)| LabeledSpan::new_with_span(Some(text.clone()), *span);
        Some(Box::new(self.labels.iter().map(label)))
    }
}

/// All mistakes of one file; at least one of them is an error.
#[derive(Clone, Debug)]
pub struct Problems {
    pub problems: Vec<Problem>,
}

impl Problems {
    pub fn errors(&self) -> usize {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems { problems: vec![problem] }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.problems.first(), self.errors()) {
            (Some(first), 0 | 1) => write!(f, "{first}"),
            (Some(first), n) => write!(f, "{first}, and {} more", n - 1),
            (None, _) => f.write_str("no problem"),
        }
    }
}

impl std::error::Error for Problems {}

impl Diagnostic for Problems {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}
