//! The comments of a file on their way into its printed form.
//!
//! Pieces (items, clauses, conjuncts, rows, …) are printed in the order of the text. A comment on its own line
//! goes before the piece that follows it, a comment behind something stays behind the piece it follows.

use super::super::ast::Comment;
use super::doc::{Doc, Piece};
use crate::span::Span;

pub(super) struct Comments<'f> {
    rest: &'f [Comment],
}

/// The comments between two pieces: those behind the first, and those before the second.
pub(super) struct Between {
    pub behind: Vec<String>,
    pub before: Vec<String>,
}

impl<'f> Comments<'f> {
    pub fn new(comments: &'f [Comment]) -> Comments<'f> {
        Comments { rest: comments }
    }

    /// All comments that begin before a place and were not taken yet.
    pub fn until(&mut self, place: u32) -> &'f [Comment] {
        let count = self.rest.partition_point(|comment| comment.span.start < place);
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    pub fn between(&mut self, place: u32) -> Between {
        let taken = self.until(place);
        let behind = taken.iter().take_while(|comment| !comment.own_line).count();
        let texts = |list: &[Comment]| list.iter().map(|comment| comment.text.clone()).collect();
        Between { behind: texts(&taken[..behind]), before: texts(&taken[behind..]) }
    }
}

/// Collects the pieces of a list, with the comments that belong to each.
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    /// Comments before the first piece, on the line of what opens the list.
    opening: Vec<String>,
    end: &'static str,
    sign: &'static str,
}

impl Pieces {
    /// Every piece but the first follows `end` and begins with `sign`.
    pub fn new(end: &'static str, sign: &'static str) -> Pieces {
        Pieces { pieces: Vec::new(), opening: Vec::new(), end, sign }
    }

    /// Call before the piece at `span` is made.
    pub fn before(&mut self, comments: &mut Comments<'_>, span: Span) -> Vec<String> {
        let between = comments.between(span.start);
        self.behind(between.behind);
        between.before
    }

    /// Adds the piece at `span`. Comments inside it that no part of it took stand behind it or before it.
    pub fn add(
        &mut self,
        comments: &mut Comments<'_>,
        span: Span,
        mut before: Vec<String>,
        forced: bool,
        doc: Doc,
    ) {
        let mut behind = Vec::new();
        match comments.until(span.end) {
            [one] if !one.own_line => behind.push(one.text.clone()),
            inside => before.extend(inside.iter().map(|comment| comment.text.clone())),
        }
        let (end, sign) = if self.pieces.is_empty() { ("", "") } else { (self.end, self.sign) };
        self.pieces.push(Piece { end, sign, forced, comments: before, doc, behind });
    }

    /// Comments behind the last piece so far.
    pub fn behind(&mut self, texts: Vec<String>) {
        match self.pieces.last_mut() {
            Some(piece) => piece.behind.extend(texts),
            None => self.opening.extend(texts),
        }
    }

    pub fn finish(mut self, together: bool) -> Doc {
        if let Some(first) = self.pieces.first_mut() {
            first.comments.splice(0..0, self.opening);
        }
        Doc::fill(self.pieces, together)
    }

    /// `head … close` on one line, or the pieces on lines of their own, with these comments below them.
    pub fn block(self, head: Doc, below: Vec<String>, close: &str, indent: usize) -> Doc {
        if self.pieces.is_empty() && self.opening.is_empty() && below.is_empty() && head.is_flat() {
            return Doc::sequence(vec![head, Doc::text(close)]);
        }
        let list = !self.pieces.is_empty();
        let pieces = Doc::fill(self.pieces, false);
        if self.opening.is_empty() && below.is_empty() && head.is_flat() && pieces.fits(head.width() + 2) {
            return Doc::sequence(vec![head, Doc::text(" "), pieces, Doc::text(" "), Doc::text(close)]);
        }
        let mut all = vec![head.followed_by(self.opening)];
        if list {
            all.extend([Doc::line_end(indent), pieces.aligned(0), Doc::text(",")]);
        }
        for comment in below {
            all.extend([Doc::line_end(indent), Doc::comment(comment)]);
        }
        all.extend([Doc::line_end(0), Doc::text(close)]);
        Doc::sequence(all)
    }

    /// The clauses behind `head`, on its line or on lines of their own.
    pub fn clauses(self, head: Doc, own_lines: bool, indent: usize) -> Doc {
        let flat: usize = self.pieces.iter().map(|piece| piece.doc.width() + 3).sum();
        let quiet = self.pieces.iter().all(Piece::is_quiet);
        let one_line = !own_lines && quiet && head.is_flat() && Doc::has_room(head.width() + flat);
        let mut all = vec![head];
        for (at, piece) in self.pieces.into_iter().enumerate() {
            if one_line {
                all.push(Doc::text(if at == 0 { " " } else { " | " }));
            } else {
                for comment in piece.comments {
                    all.extend([Doc::line_end(indent), Doc::comment(comment)]);
                }
                all.push(Doc::line_end(if at == 0 { indent } else { indent - 2 }));
                all.push(Doc::text(if at == 0 { "" } else { "| " }));
            }
            all.push(piece.doc.followed_by(piece.behind));
        }
        all.push(Doc::text(";"));
        Doc::sequence(all)
    }
}
