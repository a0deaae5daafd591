//! The text of a program and places in it.

use miette::{NamedSource, SourceSpan};

/// A half-open range of bytes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// From the beginning of this span to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.start) }
    }
}

impl From<Span> for SourceSpan {
    fn from(span: Span) -> SourceSpan {
        SourceSpan::from((span.start as usize, (span.end - span.start) as usize))
    }
}

/// Name and text of a file, with its line starts.
#[derive(Debug)]
pub struct Source {
    name: String,
    named: NamedSource<String>,
    lines: Vec<u32>,
}

impl Source {
    pub fn new(name: &str, text: &str) -> Source {
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        Source { name: name.to_string(), named: NamedSource::new(name, text.to_string()), lines }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        self.named.inner()
    }

    pub(super) fn named(&self) -> &NamedSource<String> {
        &self.named
    }

    /// The line of the first character of a span, counted from 1.
    pub fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|start| *start <= span.start)
    }

    /// The text of a span on one line, blanks squeezed.
    pub fn excerpt(&self, span: Span) -> String {
        let text = self.text().get(span.start as usize..span.end as usize).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The whole line a span begins in, without surrounding blanks.
    pub fn line_text(&self, span: Span) -> &str {
        self.text().lines().nth(self.line(span) - 1).unwrap_or("").trim()
    }
}
