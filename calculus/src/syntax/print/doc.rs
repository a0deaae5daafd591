//! Text that knows where it may be broken, and its layout in lines of limited width.
//!
//! After Wadler's prettier printer, with fills (a line is broken only where the next piece does not fit) and
//! with comments that wait for the end of their line, whatever still follows on it.

/// Lines are broken before this column; brackets and semicolons may reach a little further.
const WIDTH: usize = 108;

/// A scope that begins behind this column and does not fit moves to a line of its own.
const FAR: usize = 60;

pub(super) struct Doc {
    kind: DocKind,
    /// The width on one line, if it may stand on one line.
    flat: Option<usize>,
}

enum DocKind {
    Text(String),
    Sequence(Vec<Doc>),
    /// Continuation lines begin at the column where this begins, or so many columns further.
    Aligned(usize, Box<Doc>),
    Fill {
        pieces: Vec<Piece>,
        /// Break all or none.
        together: bool,
    },
    /// A quantifier's variables and its scope.
    Scope(Box<Doc>, Box<Doc>),
    /// A comment for the end of the current line.
    Trailing(String),
    /// A comment on a line of its own; the line must end behind it.
    Comment(String),
    /// An end of the line; the next one is indented so much further.
    Break(usize),
}

/// A piece of a fill: in a line `{end} {sign}{doc}`; on a new line `{sign}{doc}`, and `{end}` before.
pub(super) struct Piece {
    pub end: &'static str,
    pub sign: &'static str,
    /// It begins a line in any case, below these comments.
    pub forced: bool,
    pub comments: Vec<String>,
    pub doc: Doc,
    /// Comments that end its last line.
    pub behind: Vec<String>,
}

impl Piece {
    /// It may stand on one line with the others, and has no comments.
    pub fn is_quiet(&self) -> bool {
        self.flat(true).is_some()
    }

    fn flat(&self, first: bool) -> Option<usize> {
        let width = self.sign.len() + self.doc.flat?;
        let fits = !self.forced && self.comments.is_empty() && self.behind.is_empty();
        fits.then_some(if first { width } else { width + self.end.len() + 1 })
    }
}

impl Doc {
    pub fn text(text: impl Into<String>) -> Doc {
        let text = text.into();
        Doc { flat: Some(text.chars().count()), kind: DocKind::Text(text) }
    }

    pub fn sequence(docs: Vec<Doc>) -> Doc {
        Doc { flat: docs.iter().map(|doc| doc.flat).sum(), kind: DocKind::Sequence(docs) }
    }

    pub fn aligned(self, further: usize) -> Doc {
        Doc { flat: self.flat, kind: DocKind::Aligned(further, Box::new(self)) }
    }

    pub fn fill(pieces: Vec<Piece>, together: bool) -> Doc {
        let flat = pieces.iter().enumerate().map(|(at, piece)| piece.flat(at == 0)).sum();
        Doc { flat, kind: DocKind::Fill { pieces, together } }
    }

    pub fn scope(head: Doc, body: Doc) -> Doc {
        let flat = head.flat.zip(body.flat).map(|(head, body)| head + body);
        Doc { flat, kind: DocKind::Scope(Box::new(head), Box::new(body)) }
    }

    pub fn line_end(further: usize) -> Doc {
        Doc { kind: DocKind::Break(further), flat: None }
    }

    pub fn comment(text: impl Into<String>) -> Doc {
        Doc { kind: DocKind::Comment(text.into()), flat: None }
    }

    /// With comments for the end of its last line.
    pub fn followed_by(self, comments: Vec<String>) -> Doc {
        if comments.is_empty() {
            return self;
        }
        let trailing =
            comments.into_iter().map(|comment| Doc { kind: DocKind::Trailing(comment), flat: None });
        Doc::sequence(std::iter::once(self).chain(trailing).collect())
    }

    /// The width on one line; 0 if it cannot stand on one.
    pub fn width(&self) -> usize {
        self.flat.unwrap_or(0)
    }

    pub fn is_flat(&self) -> bool {
        self.flat.is_some()
    }

    pub fn has_room(width: usize) -> bool {
        width <= WIDTH
    }

    /// Fits on one line that already has so many columns.
    pub fn fits(&self, column: usize) -> bool {
        self.flat.is_some_and(|width| Doc::has_room(column + width))
    }
}

#[derive(Default)]
struct Line {
    text: String,
    is_comment: bool,
    comment: Option<String>,
}

/// The lines so far, the current one last.
pub(super) struct LineWriter {
    lines: Vec<Line>,
    column: usize,
    /// Comments for the end of the current line; all but the first get lines of their own.
    waiting: Vec<String>,
    limited: bool,
}

impl LineWriter {
    pub fn new(limited: bool) -> LineWriter {
        LineWriter { lines: vec![Line::default()], column: 0, waiting: Vec::new(), limited }
    }

    pub fn draw(&mut self, doc: &Doc, indent: usize) {
        match &doc.kind {
            DocKind::Text(text) => self.text(text),
            DocKind::Sequence(docs) => docs.iter().for_each(|doc| self.draw(doc, indent)),
            DocKind::Aligned(further, inner) => self.draw(inner, self.column + further),
            DocKind::Fill { pieces, together } => self.fill(pieces, *together && !self.fits(doc), indent),
            DocKind::Scope(head, body) => {
                self.draw(head, indent);
                if self.column > FAR && !self.fits(body) {
                    self.end_line(indent + 4);
                }
                self.draw(body, self.column);
            }
            DocKind::Trailing(comment) => self.waiting.push(comment.clone()),
            DocKind::Comment(comment) => self.comment(comment),
            DocKind::Break(further) => self.end_line(indent + further),
        }
    }

    fn fits(&self, doc: &Doc) -> bool {
        if self.limited { doc.fits(self.column) } else { doc.flat.is_some() }
    }

    fn fill(&mut self, pieces: &[Piece], all: bool, indent: usize) {
        for (at, piece) in pieces.iter().enumerate() {
            if at > 0 {
                self.text(piece.end);
                let room = self.column + 1 + piece.sign.len();
                let fits = !self.limited || piece.doc.fits(room);
                if all || piece.forced || !fits || !self.waiting.is_empty() || !piece.comments.is_empty() {
                    self.end_line(indent);
                } else {
                    self.text(" ");
                }
            }
            for comment in &piece.comments {
                self.comment(comment);
                self.end_line(indent);
            }
            self.text(piece.sign);
            self.draw(&piece.doc, indent);
            self.waiting.extend(piece.behind.iter().cloned());
        }
    }

    fn text(&mut self, text: &str) {
        self.column += text.chars().count();
        self.current().text.push_str(text);
    }

    /// A whole line, or if the line has begun already, the end of it.
    fn comment(&mut self, comment: &str) {
        let line = self.current();
        if line.text.trim().is_empty() {
            line.text.push_str(comment);
            line.is_comment = true;
        } else {
            self.waiting.push(comment.into());
        }
    }

    fn current(&mut self) -> &mut Line {
        self.lines.last_mut().expect("there is always a current line")
    }

    pub fn end_line(&mut self, indent: usize) {
        let mut waiting = std::mem::take(&mut self.waiting).into_iter();
        let line = self.current();
        if !line.is_comment {
            line.comment = waiting.next();
        }
        let mut next = |text: String| self.lines.push(Line { text, ..Line::default() });
        for comment in waiting {
            next(" ".repeat(indent) + &comment);
        }
        next(" ".repeat(indent));
        self.column = indent;
    }

    /// The lines as text. Comments behind neighbouring lines begin at the same column.
    pub fn finish(mut self) -> String {
        self.end_line(0);
        let mut text = String::new();
        for run in self.lines.chunk_by(|a, b| a.comment.is_some() && b.comment.is_some()) {
            let width = run.iter().map(|line| line.text.trim_end().chars().count()).max().unwrap_or(0);
            for line in run {
                let code = line.text.trim_end();
                text.push_str(code);
                if let Some(comment) = &line.comment {
                    let pad = if code.is_empty() { 0 } else { width - code.chars().count() + 2 };
                    text.push_str(&" ".repeat(pad));
                    text.push_str(comment);
                }
                text.push('\n');
            }
        }
        let end = text.trim_end().len();
        text.truncate(end);
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}
