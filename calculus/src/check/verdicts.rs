//! What a file asks for: queries and verdicts, what it requires, the messages of both; and what nobody asks for.

use super::globals::{FamilySource, Global, GlobalKind};
use super::names::mentions;
use super::tree::{Body, Query, Refusal, RelId, Relation, Verdict, VerdictKind};
use super::{Checked, Checker, Reported};
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::Span;
use crate::syntax::ast::{self, Clause, DefKind, Expr, ExprKind, File, Ident, Item, ItemKind};
use std::collections::BTreeSet;
use std::rc::Rc;

impl<'a> Checker<'a> {
    pub(super) fn collect_queries(
        &mut self,
        items: impl Iterator<Item = &'a Item>,
        traces: bool,
    ) -> Vec<Query> {
        items
            .filter_map(|item| {
                let name = match &item.kind {
                    ItemKind::Query { name, .. } if !traces => name,
                    ItemKind::Trace { name, .. } if traces => name,
                    _ => return None,
                };
                let GlobalKind::Relation(family) = self.globals.get(&name.name)?.kind else { return None };
                let relation = *self.families[family].instances.get(&Vec::new())?;
                Some(Query { relation, name: name.name.clone(), span: name.span })
            })
            .collect()
    }

    pub(super) fn collect_verdicts(
        &mut self,
        items: impl Iterator<Item = &'a Item>,
        names_hold: bool,
    ) -> (Vec<Verdict>, Vec<Refusal>) {
        let (mut verdicts, mut refusals): (Vec<Verdict>, _) = (Vec::new(), Vec::new());
        for item in items {
            match &item.kind {
                ItemKind::Verdict { kind, message, condition } => {
                    let Ok(parsed) = self.verdict_kind(kind) else { continue };
                    let message = message.as_ref().and_then(|text| self.interpolate(text).ok());
                    let always = verdicts
                        .iter()
                        .find(|verdict| verdict.condition.is_none() && verdict.span.file == item.span.file);
                    if let Some(always) = always.map(|verdict| verdict.span) {
                        self.report(
                            Diagnostic::warning("fp::unreachable", "this verdict is never reached")
                                .label(kind.span, "a verdict before it always holds")
                                .label(always, "this one has no condition")
                                .help("the first verdict whose condition holds is the answer; put this one before"),
                        );
                    }
                    let condition = match condition {
                        None => None,
                        Some(_) if !names_hold => continue,
                        Some(formula) => match self.condition(kind, formula) {
                            Ok(id) => Some(id),
                            Err(Reported) => continue,
                        },
                    };
                    verdicts.push(Verdict { kind: parsed, message, condition, span: item.span });
                }
                ItemKind::Require { condition, message } if names_hold => {
                    if let (Ok(false), Ok(message)) =
                        (self.static_bool(condition, &[]), self.interpolate(message))
                    {
                        refusals.push(Refusal { message, span: condition.span });
                    }
                }
                _ => {}
            }
        }
        (verdicts, refusals)
    }

    fn verdict_kind(&mut self, kind: &Ident) -> Checked<VerdictKind> {
        Ok(match &*kind.name {
            "unsafe" => VerdictKind::Unsafe,
            "safe" => VerdictKind::Safe,
            "bounded" => VerdictKind::Bounded,
            "unknown" => VerdictKind::Unknown,
            _ => return Err(self.unknown("verdict", kind, vec!["unsafe", "safe", "bounded", "unknown"])),
        })
    }

    /// The relation without columns that a verdict's condition is: an existing one, or one made for it.
    fn condition(&mut self, kind: &Ident, formula: &'a Expr) -> Checked<RelId> {
        if let ExprKind::Name(name) = &formula.kind
            && let Some(Global { kind: GlobalKind::Relation(family), .. }) = self.globals.get(&name.name)
            && let Some(&id) = self.families[*family].instances.get(&Vec::new())
            && self.families[*family].column_count == 0
        {
            return Ok(id);
        }
        let id = RelId(self.relations.len() as u32);
        self.relations.push(Relation {
            name: format!("verdict {}", kind.name).into(),
            indices: Vec::new(),
            columns: Vec::new(),
            body: Body::Facts(Vec::new()),
            span: formula.span,
        });
        let clause = Clause { label: None, body: formula.clone() };
        let (vars, clauses) = self.build_definition(id, std::slice::from_ref(&clause), &[])?;
        let order = u32::MAX;
        self.relations[id.0 as usize].body = Body::Defined { kind: DefKind::Let, order, vars, clauses };
        Ok(id)
    }

    /// Replaces `{name}` and `{vocabulary.fact}` by their static values.
    fn interpolate(&mut self, text: &ast::Text) -> Checked<String> {
        let mut out = String::new();
        let mut rest = text.text.as_str();
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let Some(close) = rest[open..].find('}') else {
                let place = self.in_message(text, &rest[open..]);
                return Err(self.report(
                    Diagnostic::error("fp::bad_message", "a `{` in this message is not closed")
                        .label(place, "a `}` is missing behind this")
                        .help("write {rounds} to show the value of the parameter `rounds`"),
                ));
            };
            let name = &rest[open + 1..open + close];
            let value = match name.split_once('.') {
                Some((vocabulary, fact)) => self.fact_value(vocabulary, fact),
                None => self.static_name(name, text.span),
            };
            // A value with a mistake of its own was reported where it stands.
            if let Some(Some(Err(reported))) = self.statics.get(name) {
                return Err(*reported);
            }
            let Some(value) = value else {
                let place = self.in_message(text, &rest[open..open + close + 1]);
                let known = self.static_names(&[]);
                let help = match nearest(name, known.iter().map(|name| &**name)) {
                    Some(near) => format!("did you mean `{{{near}}}`?"),
                    None => "the name of a parameter, a constant or a fact of the model can stand in braces"
                        .into(),
                };
                let title = format!("there is no parameter or constant `{name}`");
                return Err(self.report(
                    Diagnostic::error("fp::unknown_name", title).label(place, "not defined").help(help),
                ));
            };
            out.push_str(&value.to_string());
            rest = &rest[open + close + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }

    /// The place of a part of a message, or of the message if escapes hide the part.
    fn in_message(&self, text: &ast::Text, part: &str) -> Span {
        match self.sources.text(text.span).find(part) {
            Some(at) => {
                let start = text.span.start + at as u32;
                Span { start, end: start + part.len() as u32, ..text.span }
            }
            None => text.span,
        }
    }

    /// A definition that no query and no verdict needs. Used files are libraries: they may offer more.
    pub(super) fn warn_unneeded(&mut self, files: &[File], queries: &[Query], verdicts: &[Verdict]) {
        let Some(main) = files.last() else { return };
        if queries.is_empty() && verdicts.is_empty() {
            let title = match main.items[..] {
                [] => "the file is empty: there is nothing to solve",
                _ => "the file asks for nothing: it has no query and no verdict",
            };
            self.report(
                Diagnostic::warning("fp::nothing_to_do", title)
                    .help("add a query, for example: query Answer(x: Node) = Reach(x);"),
            );
            return;
        }
        let needed = self.needed(files);
        let unneeded = self
            .families
            .iter()
            .filter(|family| {
                family.span.file == main.id && !matches!(family.source, FamilySource::Offered(_))
            })
            .filter(|family| !needed.contains(&family.name))
            .map(|family| (family.name.clone(), family.span))
            .collect::<Vec<_>>();
        for (name, span) in unneeded {
            self.report(
                Diagnostic::warning("fp::unneeded", format!("nobody needs `{name}`"))
                    .label(span, "no query or verdict rests on it")
                    .help("it is checked but not solved; add a query for it, or remove it"),
            );
        }
    }

    /// The relations that queries and verdicts rest on by what the text says. Pruning does not count: with
    /// other parameters it may go another way.
    fn needed(&self, files: &[File]) -> BTreeSet<Rc<str>> {
        let mut needed = BTreeSet::new();
        let mut work = Vec::new();
        for item in files.iter().flat_map(|file| &file.items) {
            match &item.kind {
                ItemKind::Query { name, .. } | ItemKind::Trace { name, .. } => work.push(name.name.clone()),
                ItemKind::Verdict { condition: Some(condition), .. } => mentions(condition, &mut work),
                _ => {}
            }
        }
        while let Some(name) = work.pop() {
            let Some(GlobalKind::Relation(family)) = self.globals.get(&name).map(|global| &global.kind)
            else {
                continue;
            };
            if needed.insert(name)
                && let FamilySource::Defined { clauses, .. } = self.families[*family].source
            {
                clauses.iter().for_each(|clause| mentions(&clause.body, &mut work));
            }
        }
        needed
    }
}
