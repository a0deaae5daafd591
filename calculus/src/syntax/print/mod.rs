//! Syntax tree to text: the formatter.
//!
//! The house style: one labelled clause per line, its body aligned with those of the others; long clauses broken at
//! `&`, below the beginning of the scope. All comments stay, and so do single blank lines between items, line
//! breaks between rows, and a body's own line. Formatting twice changes nothing.

mod comments;
mod doc;
mod expressions;
mod items;

use super::ast::{Comment, Expr, File};
use super::parse::parse;
use comments::Comments;
use doc::{Doc, LineWriter};
use expressions::Surroundings;

/// Prints a file in the house style. `source` is the text it was parsed from, which knows where blank lines
/// were; for a tree that was not parsed it is empty.
pub fn print(file: &File, source: &str) -> String {
    let mut text = draw(file, source);
    // A comment in an odd place moves to where the layout takes it into account, which changes the layout.
    let moves = if file.comments.is_empty() { 0 } else { MOVES };
    for _ in 0..moves {
        let again = match parse(file.id, &text) {
            Ok(again) => draw(&again, &text),
            Err(_) => break,
        };
        if again == text {
            break;
        }
        text = again;
    }
    text
}

/// After one move, no comment has been seen to move again.
const MOVES: usize = 4;

fn draw(file: &File, source: &str) -> String {
    let mut printer = Printer { source, comments: Comments::new(&file.comments) };
    let mut layout = LineWriter::new(true);
    // Where the last printed thing ended in the source.
    let mut end = None;
    for item in &file.items {
        printer.own_lines(&mut layout, &mut end, item.span.start);
        printer.separate(&mut layout, end, item.span.start);
        let doc = printer.item(item);
        layout.draw(&doc, 0);
        end = Some(item.span.end);
    }
    printer.own_lines(&mut layout, &mut end, u32::MAX);
    layout.finish()
}

/// Prints an expression on one line, for messages.
pub fn expression(expr: &Expr) -> String {
    let mut printer = Printer { source: "", comments: Comments::new(&[]) };
    let mut layout = LineWriter::new(false);
    layout.draw(&printer.expression(expr, Surroundings::ALONE), 0);
    layout.finish().trim_end().to_owned()
}

struct Printer<'f> {
    source: &'f str,
    comments: Comments<'f>,
}

impl Printer<'_> {
    /// The comments up to a place: behind the item before, or on lines of their own.
    fn own_lines(&mut self, layout: &mut LineWriter, end: &mut Option<u32>, place: u32) {
        for Comment { text, span, own_line } in self.comments.until(place) {
            if *own_line || end.is_none() {
                self.separate(layout, *end, span.start);
                layout.draw(&Doc::comment(text), 0);
            } else {
                layout.draw(&Doc::text("").followed_by(vec![text.clone()]), 0);
            }
            *end = Some((*end).unwrap_or(0).max(span.end));
        }
    }

    /// Ends the line, and leaves a blank one where the source has some.
    fn separate(&self, layout: &mut LineWriter, end: Option<u32>, start: u32) {
        if let Some(end) = end {
            layout.end_line(0);
            if self.line_breaks(end, start) > 1 {
                layout.end_line(0);
            }
        }
    }

    fn line_breaks(&self, from: u32, to: u32) -> usize {
        self.source.get(from as usize..to as usize).map_or(0, |between| between.matches('\n').count())
    }
}
