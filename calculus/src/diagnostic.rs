//! Mistakes and warnings as values, for every kind of file that is read: a stable code, a title, labelled
//! places and a way out.
//!
//! Every stage collects them; the command line renders them with miette. The text of an error is written
//! where the error is made.

use crate::span::{Source, Sources, Span};
use crate::visible::visible;
use miette::{LabeledSpan, NamedSource, SourceCode, SourceSpan};
use std::fmt;
use std::sync::Arc;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing is solved.
    Error,
    /// The answer stands, but may not be what was meant.
    Warning,
}

/// One mistake or warning, before it is bound to its source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A mistake or a warning.
    pub severity: Severity,
    /// Stable: `fp::unknown_name`
    pub code: &'static str,
    /// One sentence about what is wrong.
    pub title: String,
    /// The first is the place of the mistake.
    pub labels: Vec<(Span, String)>,
    /// The way out.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A mistake without places and help, to be completed.
    pub fn error(code: &'static str, title: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, title: title.into(), labels: Vec::new(), help: None }
    }

    /// A warning without places and help, to be completed.
    pub fn warning(code: &'static str, title: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, title) }
    }

    /// The same with another severity.
    pub fn severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Adds a place and what is to be said about it.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Says the way out.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Helps with the name that is nearest to what was written, and with the given words if none is near.
    pub fn suggest<'a>(
        self,
        written: &str,
        names: impl IntoIterator<Item = &'a str>,
        otherwise: &str,
    ) -> Self {
        match nearest(written, names) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None if otherwise.is_empty() => self,
            None => self.help(otherwise),
        }
    }

    /// Binds the diagnostic to its source. Labels in other files than the first one become a related
    /// diagnostic each, because a miette report shows one file.
    pub fn render(&self, sources: &Sources) -> Report {
        if !self.labels.iter().all(|(span, _)| can_be_drawn(sources, *span)) {
            return self.in_words(sources).render(sources);
        }
        let home = self.labels.first().map(|(span, _)| span.file);
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            self.labels.iter().partition(|(span, _)| Some(span.file) == home);
        Report {
            severity: match self.severity {
                Severity::Error => miette::Severity::Error,
                Severity::Warning => miette::Severity::Warning,
            },
            code: self.code,
            title: visible(&self.title).into_owned(),
            help: self.help.as_ref().map(|help| visible(help).into_owned()),
            source: home.map(|id| named(sources.get(id))),
            labels: here
                .into_iter()
                .enumerate()
                .map(|(at, label)| labeled(sources, label, at == 0))
                .collect(),
            related: elsewhere
                .into_iter()
                .map(|label| Report {
                    severity: miette::Severity::Advice,
                    code: "",
                    title: "the other place is in this file".into(),
                    help: None,
                    source: Some(named(sources.get(label.0.file))),
                    labels: vec![labeled(sources, label, true)],
                    related: Vec::new(),
                })
                .collect(),
        }
    }

    /// The same with its places told in the title.
    fn in_words(&self, sources: &Sources) -> Diagnostic {
        let places = self.labels.iter().map(|(span, text)| {
            let source = sources.get(span.file);
            format!("{}:{}:{}: {text}", source.name, source.line(*span), source.column(*span))
        });
        let title = format!("{} ({})", self.title, places.collect::<Vec<_>>().join("; "));
        Diagnostic { title, labels: Vec::new(), ..self.clone() }
    }
}

/// The longest line that is drawn, in bytes. Nobody reads a longer one, and miette gives up where a line, with its tabs
/// and controls written out, has more than 65,535 columns.
const LONGEST_LINE: usize = 5_000;

/// Whether the lines of a place, with one before and one behind, are short enough.
fn can_be_drawn(sources: &Sources, span: Span) -> bool {
    let text = &sources.get(span.file).text;
    let back = |at: usize| text[..at].rfind('\n').unwrap_or(0);
    let ahead = |at: usize| text[at..].find('\n').map_or(text.len(), |length| at + length);
    let end = ahead(span.end as usize);
    let lines = &text[back(back(span.start as usize))..ahead((end + 1).min(text.len()))];
    lines.split('\n').all(|line| line.len() <= LONGEST_LINE)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

/// A user's mistakes, and the texts they are in. At least one of them is an error.
#[derive(Debug)]
pub struct Rejection {
    /// The texts that the labels point into.
    pub sources: Sources,
    /// In the order they were found.
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejection {
    /// Whether this is one of the mistakes.
    pub fn is_about(&self, code: &str) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.code == code)
    }
}

impl From<Diagnostic> for Rejection {
    /// For a mistake that is in no text.
    fn from(diagnostic: Diagnostic) -> Self {
        Rejection { sources: Sources::default(), diagnostics: vec![diagnostic] }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut errors = self.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        match (errors.next(), errors.count()) {
            (None, _) => f.write_str("no mistake"),
            (Some(first), 0) => write!(f, "{first}"),
            (Some(first), more) => write!(f, "{first}, and {more} more"),
        }
    }
}

impl std::error::Error for Rejection {}

/// How many mistakes one run reports, and how many warnings.
pub const MAX_MISTAKES: usize = 100;

/// The first [`MAX_MISTAKES`] of these, all of one severity, and that there are more.
pub fn limited(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.len() > MAX_MISTAKES {
        diagnostics.truncate(MAX_MISTAKES);
        diagnostics.push(more(diagnostics[0].severity));
    }
    diagnostics
}

/// Stands behind `MAX_MISTAKES` others of its severity.
pub(crate) fn more(severity: Severity) -> Diagnostic {
    let what = match severity {
        Severity::Error => "mistakes",
        Severity::Warning => "warnings",
    };
    Diagnostic::error("fp::more", format!("there are more {what} than these"))
        .severity(severity)
        .help("correct these first, then check again")
}

fn named(source: &Arc<Source>) -> NamedSource<Arc<str>> {
    NamedSource::new(visible(&source.name), Arc::clone(source.shown()))
}

/// The primary label is the one whose line and column are named at the top.
fn labeled(sources: &Sources, (span, label): &(Span, String), primary: bool) -> LabeledSpan {
    // What is shown may take more bytes than what is there.
    let source = sources.get(span.file);
    let same = Arc::ptr_eq(source.shown(), &source.text);
    let shown = |at: u32| match source.text.split_at_checked(at as usize) {
        _ if same => at as usize,
        // The two halves of a line break belong together.
        Some((before, after)) if before.ends_with('\r') && after.starts_with('\n') => {
            visible(&before[..before.len() - 1]).len() + 1
        }
        Some((before, _)) => visible(before).len(),
        None => at as usize,
    };
    let (start, end) = (shown(span.start), shown(span.end));
    let (place, label) = (SourceSpan::new(start.into(), end - start), Some(visible(label).into_owned()));
    match primary {
        true => LabeledSpan::new_primary_with_span(label, place),
        false => LabeledSpan::new_with_span(label, place),
    }
}

/// A diagnostic with its source text: what miette prints.
#[derive(Debug)]
pub struct Report {
    severity: miette::Severity,
    code: &'static str,
    title: String,
    help: Option<String>,
    source: Option<NamedSource<Arc<str>>>,
    labels: Vec<LabeledSpan>,
    related: Vec<Report>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

impl std::error::Error for Report {}

impl miette::Diagnostic for Report {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        (!self.code.is_empty()).then(|| Box::new(self.code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|text| Box::new(text) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = _>>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        (!self.related.is_empty()).then(|| {
            Box::new(self.related.iter().map(|r| r as &dyn miette::Diagnostic)) as Box<dyn Iterator<Item = _>>
        })
    }
}

/// The name in `known` that is nearest to `name`, if it is near enough to be a slip of the finger.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = match length {
        0..=2 => 1,
        3..=5 => 2,
        6..=64 => 3,
        // Nobody types such a name, and comparing takes the square of the length.
        _ => return None,
    };
    let name = name.to_lowercase();
    known
        .into_iter()
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= allowed)
        .map(|candidate| (edit_distance(&name, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| distance <= allowed && distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance, where swapping two neighbours counts as one edit.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
