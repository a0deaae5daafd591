//! Texts and the places in them, below everything else: one form for every kind of file that is read.

use crate::visible::visible;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Which of the loaded files a place belongs to; an index into [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A place in a source file: byte offsets, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file, if there is one.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

impl Span {
    /// Every front end refuses texts that [`Source::fits`] refuses before it makes a place in them.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let offset = |at| u32::try_from(at).expect("a larger text was refused");
        Span { file, start: offset(start), end: offset(end) }
    }

    /// From the beginning of this place to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.start), ..self }
    }
}

/// A loaded file: the name it is spoken of by, and its text.
#[derive(Clone, Debug)]
pub struct Source {
    /// What diagnostics call it, most often a path.
    pub name: String,
    /// Shared with the reports that show a part of it.
    pub text: Arc<str>,
    /// Where the lines begin, once somebody asked.
    lines: OnceLock<Vec<u32>>,
    /// The text as a terminal may see it, once somebody asked.
    shown: OnceLock<Arc<str>>,
}

impl Source {
    /// A text and the places of its lines.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Source {
        Source { name: name.into(), text: text.into(), lines: OnceLock::new(), shown: OnceLock::new() }
    }

    /// The text with a picture for each character that a terminal would obey; the text itself if it has none.
    pub fn shown(&self) -> &Arc<str> {
        self.shown.get_or_init(|| match visible(&self.text) {
            Cow::Borrowed(_) => Arc::clone(&self.text),
            Cow::Owned(shown) => shown.into(),
        })
    }

    /// Whether every offset in the text is one of a [`Span`].
    pub fn fits(text: &str) -> bool {
        u32::try_from(text.len()).is_ok()
    }

    /// The line a place begins on, counted from 1.
    pub fn line(&self, span: Span) -> usize {
        let lines = self.lines.get_or_init(|| {
            let ends = self.text.bytes().zip(0u32..).filter(|(byte, _)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(_, at)| at + 1)).collect()
        });
        lines.partition_point(|start| *start <= span.start)
    }

    /// The column a place begins at, counted from 1 in characters.
    pub fn column(&self, span: Span) -> usize {
        let before = &self.text[..span.start as usize];
        before[before.rfind('\n').map_or(0, |at| at + 1)..].chars().count() + 1
    }

    /// The text at a place, on one line, with its blanks squeezed.
    pub fn excerpt(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The whole line a place begins on, without surrounding blanks.
    pub fn line_text(&self, span: Span) -> &str {
        self.text.lines().nth(self.line(span) - 1).unwrap_or("").trim()
    }
}

/// The files of one run, in the order they were loaded.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Arc<Source>>,
}

impl Sources {
    /// Adds a text; its number is the next one.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("each file takes more than a byte"));
        self.files.push(Arc::new(Source::new(name, text)));
        id
    }

    /// The text of a number that was given by `add`.
    pub fn get(&self, id: FileId) -> &Arc<Source> {
        &self.files[id.0 as usize]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.files.iter()
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.file).text[span.start as usize..span.end as usize]
    }

    /// The line a place begins on, counted from 1.
    pub fn line(&self, span: Span) -> usize {
        self.get(span.file).line(span)
    }
}
