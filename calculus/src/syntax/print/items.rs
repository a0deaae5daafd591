//! Items: a line each where they fit, clauses and long lists on lines of their own where they do not.

use super::super::ast::*;
use super::super::same::same_sort;
use super::Printer;
use super::comments::Pieces;
use super::doc::Doc;
use super::expressions::Surroundings;
use crate::span::Span;
use crate::texts::quoted;

/// ClauseDecl bodies begin here, `|` two columns before.
const INDENT: usize = 4;

impl Printer<'_> {
    pub(super) fn item(&mut self, item: &Item) -> Doc {
        let doc = match &item.kind {
            ItemKind::UseVocabulary { name } => Doc::text(format!("use {};", name.name)),
            ItemKind::UseFile { path, name, fillings } => self.used(path, name.as_ref(), fillings),
            ItemKind::Param { name, bounds, value } => {
                let mut parts = vec![Doc::text(format!("param {}", name.name))];
                if let Some(ParamBounds { lo, hi }) = bounds {
                    parts.extend([Doc::text(" in "), self.bound(lo), Doc::text("..")]);
                    parts.extend(hi.as_ref().map(|hi| self.bound(hi)));
                }
                parts.push(Doc::text(" = "));
                parts.push(self.expression(value, Surroundings::ALONE));
                ended(parts)
            }
            ItemKind::Const { name, value } => {
                let name = Doc::text(format!("const {} = ", name.name));
                ended(vec![name, self.expression(value, Surroundings::ALONE)])
            }
            ItemKind::Enum { keyed, name, values } => {
                let mut pieces = Pieces::new(",", "");
                for value in values {
                    let before = pieces.before(&mut self.comments, value.span);
                    let forced = self.begins_line(value.span);
                    let doc = Doc::text(&*value.name);
                    pieces.add(&mut self.comments, value.span, before, forced, doc);
                }
                let head = Doc::text(format!("{}enum {} {{", keyed_word(*keyed), name.name));
                self.block(head, pieces, "}", item)
            }
            ItemKind::Range { keyed, name, lo, hi } => {
                let head = Doc::text(format!("{}range {} = ", keyed_word(*keyed), name.name));
                ended(vec![head, self.range(lo, hi)])
            }
            ItemKind::Symbol { keyed, name } => {
                Doc::text(format!("{}symbol {};", keyed_word(*keyed), name.name))
            }
            ItemKind::Record { name, fields } => {
                let head = Doc::text(format!("record {} {{", name.name));
                let pieces = self.sorted(fields.iter().map(|field| (&field.name, Some(&field.sort))), true);
                self.block(head, pieces, "}", item)
            }
            ItemKind::Alias { name, sort } => {
                ended(vec![Doc::text(format!("sort {} = ", name.name)), self.sort(sort)])
            }
            ItemKind::OpenSort { name } => Doc::text(format!("sort {};", name.name)),
            ItemKind::OpenRelation { name, indices, columns } => {
                let names = indices.iter().map(|index| &*index.name).collect::<Vec<_>>().join(", ");
                let indices = if indices.is_empty() { names } else { format!("[{names}]") };
                let columns = self.parenthesized(columns);
                ended(vec![Doc::text(format!("rel {}{indices}", name.name)), columns])
            }
            ItemKind::Facts { name, columns, rows } => {
                let columns = self.parenthesized(columns);
                let head =
                    Doc::sequence(vec![Doc::text(format!("rel {}", name.name)), columns, Doc::text(" = {")]);
                let pieces = self.rows(rows);
                self.block(head, pieces, "};", item)
            }
            ItemKind::Input { name, columns } => {
                let columns = self.parenthesized(columns);
                ended(vec![Doc::text(format!("input {}", name.name)), columns])
            }
            ItemKind::Definition(definition) => {
                let Definition { kind, alternative, name, indices, columns, clauses } = definition;
                let mut head = vec![Doc::text(format!("{} ", kind.word()))];
                if let Some(Alternative { condition, otherwise }) = alternative {
                    let condition = self.expression(condition, Surroundings::ALONE);
                    head.extend([Doc::text("if "), condition]);
                    head.push(Doc::text(format!(" else {} ", otherwise.word())));
                }
                head.push(Doc::text(name.name.to_string()));
                if !indices.is_empty() {
                    head.extend([Doc::text("["), self.family_indices(indices), Doc::text("]")]);
                }
                self.equation(head, name, columns, clauses)
            }
            ItemKind::Query { name, columns, clauses } => {
                let head = vec![Doc::text(format!("query {}", name.name))];
                self.equation(head, name, columns, clauses)
            }
            ItemKind::Trace { name, clauses } => {
                let head = vec![Doc::text(format!("trace {}", name.name))];
                self.equation(head, name, &[], clauses)
            }
            ItemKind::Require { condition, message } => {
                let condition = self.expression(condition, Surroundings::ALONE);
                ended(vec![
                    Doc::text("require "),
                    condition,
                    Doc::text(format!(" {}", quoted(&message.text))),
                ])
            }
            ItemKind::Verdict { kind, message, condition } => {
                let mut parts = vec![Doc::text(format!("verdict {}", kind.name))];
                parts
                    .extend(message.as_ref().map(|message| Doc::text(format!(" {}", quoted(&message.text)))));
                if let Some(condition) = condition {
                    parts.extend([Doc::text(" if "), self.expression(condition, Surroundings::ALONE)]);
                }
                ended(parts)
            }
            ItemKind::Hint { kind, names } => {
                let names: Vec<_> = names.iter().map(|name| &*name.name).collect();
                let blank = if names.is_empty() { "" } else { " " };
                Doc::text(format!("hint {}{blank}{};", kind.name, names.join(", ")))
            }
        };
        // What no part of the item took: behind it, or on lines of its own below it.
        let rest = self.comments.between(item.span.end);
        let mut all = vec![doc.followed_by(rest.behind)];
        for comment in rest.before {
            all.extend([Doc::line_end(0), Doc::comment(comment)]);
        }
        Doc::sequence(all)
    }

    /// `use "lib/ctl.fp" as ctl with State = Node, step = edge;`
    fn used(&mut self, path: &Text, name: Option<&Ident>, fillings: &[Filling]) -> Doc {
        let mut parts = vec![Doc::text(format!("use {}", quoted(&path.text)))];
        parts.extend(name.map(|name| Doc::text(format!(" as {}", name.name))));
        if !fillings.is_empty() {
            parts.push(Doc::text(" with "));
            let mut pieces = Pieces::new(",", "");
            for Filling { name, given } in fillings {
                let span = name.span.to(given.span);
                let before = pieces.before(&mut self.comments, span);
                let forced = self.begins_line(span);
                let given = self.expression(given, Surroundings::ALONE);
                let doc = Doc::sequence(vec![Doc::text(format!("{} = ", name.name)), given]);
                pieces.add(&mut self.comments, span, before, forced, doc);
            }
            parts.push(pieces.finish(false).aligned(0));
        }
        ended(parts)
    }

    /// `mu R(x: T) = …;` on one line, or the clauses on lines of their own.
    fn equation(
        &mut self,
        mut head: Vec<Doc>,
        name: &Ident,
        columns: &[ColumnDecl],
        clauses: &[ClauseDecl],
    ) -> Doc {
        if !columns.is_empty() {
            head.push(self.parenthesized(columns));
        }
        head.push(Doc::text(" ="));
        let labels = clauses.iter().filter_map(|clause| clause.label.as_ref());
        let width = labels.map(|label| label.name.chars().count() + 2).max().unwrap_or(0);
        let begin = clauses.first().map_or(Span::default(), clause_span);
        // Comments behind the `=`.
        let between = self.comments.between(begin.start);
        let own_line = !between.behind.is_empty()
            || !between.before.is_empty()
            || (width > 0 && clauses.len() > 1)
            || self.line_breaks(self.header_end(name, columns), begin.start) > 0;

        let mut before = between.before;
        let mut pieces = Pieces::new("", "");
        for (at, clause) in clauses.iter().enumerate() {
            if at > 0 {
                before = pieces.before(&mut self.comments, clause_span(clause));
            }
            let place = match (&clause.body.kind, clauses.len()) {
                _ if width > 0 => Surroundings::ALONE,
                // Without the parentheses, its disjuncts would be the clauses.
                (ExprKind::Or(_), 1) => Surroundings::disjunct(true),
                (_, 1) => Surroundings::ALONE,
                (_, count) => Surroundings::disjunct(at + 1 == count),
            };
            let body = self.expression(&clause.body, place);
            let label = match &clause.label {
                Some(label) if own_line => format!("{:width$}", format!("{}:", label.name)),
                Some(label) => format!("{}: ", label.name),
                None => String::new(),
            };
            let doc = Doc::sequence(vec![Doc::text(label), body]);
            pieces.add(&mut self.comments, clause_span(clause), std::mem::take(&mut before), false, doc);
        }
        pieces.clauses(Doc::sequence(head).followed_by(between.behind), own_line, INDENT)
    }

    /// Where the columns end, or the name if there are none.
    fn header_end(&self, name: &Ident, columns: &[ColumnDecl]) -> u32 {
        columns.last().map_or(name.span.end, |column| column.sort.span.end)
    }

    /// `{ … }` on one line, or its parts on indented lines.
    fn block(&mut self, head: Doc, mut pieces: Pieces, close: &'static str, item: &Item) -> Doc {
        let rest = self.comments.between(item.span.end);
        pieces.behind(rest.behind);
        pieces.block(head, rest.before, close, INDENT)
    }

    fn rows(&mut self, rows: &[FactRow]) -> Pieces {
        let mut pieces = Pieces::new(",", "");
        for FactRow { values, span } in rows {
            let before = pieces.before(&mut self.comments, *span);
            let forced = self.begins_line(*span);
            let doc = match &values[..] {
                [one] => self.expression(one, Surroundings::ALONE),
                _ => {
                    let values = self.list(values, Surroundings::ALONE);
                    Doc::sequence(vec![Doc::text("("), values, Doc::text(")")])
                }
            };
            pieces.add(&mut self.comments, *span, before, forced, doc);
        }
        pieces
    }

    fn parenthesized(&mut self, columns: &[ColumnDecl]) -> Doc {
        let columns = self.columns(columns.iter().map(|column| (&column.name, Some(&column.sort))));
        Doc::sequence(vec![Doc::text("("), columns, Doc::text(")")])
    }

    /// `x, y: T, z: U`
    pub(super) fn columns<'a>(
        &mut self,
        columns: impl Iterator<Item = (&'a Ident, Option<&'a SortExpr>)>,
    ) -> Doc {
        self.sorted(columns, false).finish(false).aligned(0)
    }

    fn sorted<'a>(
        &mut self,
        columns: impl Iterator<Item = (&'a Ident, Option<&'a SortExpr>)>,
        lines: bool,
    ) -> Pieces {
        let mut pieces = Pieces::new(",", "");
        let mut columns = columns.peekable();
        while let Some((name, sort)) = columns.next() {
            // Those that were written with one sort share it again.
            let shared = match (sort, columns.peek()) {
                (Some(sort), Some((_, Some(next)))) => sort.span == next.span && same_sort(sort, next),
                _ => false,
            };
            let sort = sort.filter(|_| !shared);
            let span = sort.map_or(name.span, |sort| name.span.to(sort.span));
            let before = pieces.before(&mut self.comments, span);
            let forced = lines && self.begins_line(span);
            let mut parts = vec![Doc::text(&*name.name)];
            if let Some(sort) = sort {
                parts.extend([Doc::text(": "), self.sort(sort)]);
            }
            pieces.add(&mut self.comments, span, before, forced, Doc::sequence(parts));
        }
        pieces
    }

    /// The source has only blanks before it on its line.
    fn begins_line(&self, span: Span) -> bool {
        let before = self.source.get(..span.start as usize).unwrap_or("");
        before.trim_end_matches([' ', '\t', '\r']).ends_with('\n')
    }
}

fn ended(mut parts: Vec<Doc>) -> Doc {
    parts.push(Doc::text(";"));
    Doc::sequence(parts)
}

fn clause_span(clause: &ClauseDecl) -> Span {
    clause.label.as_ref().map_or(clause.body.span, |label| label.span.to(clause.body.span))
}

fn keyed_word(keyed: bool) -> &'static str {
    if keyed { "keyed " } else { "" }
}
