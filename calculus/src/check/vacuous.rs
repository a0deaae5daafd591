//! What says nothing although it looks as if it did: a recursion that never begins, a mark at no move.
//!
//! Both are decided on the text, for all parameters and all models at once: a clause that other parameters would
//! wake up is no reason for a warning.

use super::declare::{Declarations, Family, FamilySource};
use super::findings::Findings;
use super::names::mentions;
use crate::diagnostic::Diagnostic;
use crate::graph::components;
use crate::syntax::ast::{BinaryOp, DefKind, Expr, ExprKind, Follow, Ident, Unroll};
use std::rc::Rc;

pub(super) fn warn_vacuous(declarations: &Declarations, findings: &mut Findings) {
    for warning in declarations.rootless().into_iter().chain(declarations.idle_marks()) {
        findings.add(warning);
    }
}

impl<'a> Declarations<'a> {
    fn defined(&self, family: usize) -> (Option<DefKind>, impl Iterator<Item = &'a Expr> + use<'a>) {
        let (kind, clauses) = match self.families[family].source {
            // Some of its instances are greatest fixed points, or may be for other parameters.
            FamilySource::Defined { alternative: Some(_), clauses, .. } => (Some(DefKind::Nu), clauses),
            FamilySource::Defined { kind, clauses, .. } => (Some(kind), clauses),
            _ => (None, &[][..]),
        };
        (kind, clauses.iter().map(|clause| &clause.body))
    }

    /// The relation that a name stands for in a definition, unless it is one that the definition is indexed by.
    fn used_in(&self, family: usize, name: &str) -> Option<usize> {
        let own = self.families[family].indices().iter().any(|index| &*index.name().name == name);
        self.relation(name).filter(|_| !own)
    }

    /// Least fixed points that are empty because none of their clauses holds without a tuple of their own recursion.
    fn rootless(&self) -> Vec<Diagnostic> {
        let used = |family: usize| {
            let mut names: Vec<Rc<str>> = Vec::new();
            self.defined(family).1.for_each(|clause| mentions(clause, &mut names));
            names.iter().filter_map(|name| self.used_in(family, name)).collect::<Vec<_>>()
        };
        let parts = components(self.families.len(), used);
        let recursive = parts.into_iter().filter(|part| part.len() > 1 || used(part[0]).contains(&part[0]));
        let rootless = recursive.map(|part| self.never_begin(&part)).filter(|empty| !empty.is_empty());
        rootless.map(|empty| no_base_case(&empty)).collect()
    }

    /// The `mu` of one recursion that stay empty even if everything outside of it holds: what can hold at all is a
    /// least fixed point itself.
    fn never_begin(&self, part: &[usize]) -> Vec<&Family<'a>> {
        let mut begins = part.iter().map(|&f| self.defined(f).0 == Some(DefKind::Nu)).collect::<Vec<_>>();
        loop {
            let known = |family: usize, name: &Ident| {
                let inside = self.used_in(family, &name.name).and_then(|f| part.iter().position(|&p| p == f));
                inside.is_none_or(|at| begins[at])
            };
            let next = part.iter().zip(&begins).position(|(&family, begins)| {
                let known = |name: &Ident| known(family, name);
                !begins && self.defined(family).1.any(|clause| can_hold(clause, true, &known))
            });
            match next {
                Some(at) => begins[at] = true,
                None => break,
            }
        }
        let empty = part.iter().zip(begins).filter(|(_, begins)| !begins).map(|(&family, _)| family);
        let empty = empty.filter(|&family| self.defined(family).0 == Some(DefKind::Mu));
        empty.map(|family| &self.families[family]).collect()
    }

    /// `by` and `at` behind atoms that are no moves of a run.
    fn idle_marks(&self) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        for family in 0..self.families.len() {
            self.defined(family).1.for_each(|clause| self.collect_idle(clause, true, &mut out));
        }
        out
    }

    /// What is wrong with a mark at an atom of a family, if it marks nothing.
    fn idle_mark(
        &self,
        family: &Family,
        positive: bool,
        follow: Option<Follow>,
        word: &str,
        mark: &Expr,
    ) -> Option<Diagnostic> {
        let offered = match family.source {
            FamilySource::Offered(at) => self.model.and_then(|model| model.relations.get(at)),
            _ => None,
        };
        let moves = offered.is_some_and(|relation| relation.moves);
        let why = match follow {
            _ if !positive => "a negated atom is not a move of a run",
            Some(Follow::Given) => "`given` leaves it out of the run",
            _ if moves => return None,
            // The rounds inside are counted from this one.
            Some(Follow::Within) if word == "at" && offered.is_none() => return None,
            _ if offered.is_some() => "this relation of the model is not a move",
            _ => "only relations of the model are moves",
        };
        let warning = Diagnostic::warning("fp::idle_mark", format!("`{word}` marks nothing here"));
        let warning = warning.label(mark.span, why);
        let warning = match (moves, offered) {
            (true, _) => warning,
            (false, Some(_)) => warning.label(family.span, format!("`{}` comes from here", family.name)),
            (false, None) => warning.label(family.span, format!("`{}` is not one of them", family.name)),
        };
        Some(warning.help(match (word, follow) {
            ("at", None) if positive && offered.is_none() => {
                "write it at the move itself, as in `step(p, r, q, s) at k`; `within R(x) at k` counts the rounds \
                 inside from k"
            }
            _ => "write it at the move itself, as in `step(p, r, q, s) by t`, or leave it out",
        }))
    }

    fn collect_idle(&self, expr: &Expr, positive: bool, out: &mut Vec<Diagnostic>) {
        match &expr.kind {
            ExprKind::Marked { follow, by, at, atom } => {
                let ExprKind::Apply { name, .. } = &atom.kind else { return };
                let Some(family) = self.relation(&name.name).map(|family| &self.families[family]) else {
                    return;
                };
                let idle = |word, mark: &Expr| self.idle_mark(family, positive, *follow, word, mark);
                out.extend(by.as_ref().and_then(|mark| idle("by", mark)));
                out.extend(at.as_ref().and_then(|mark| idle("at", mark)));
            }
            ExprKind::Not(inner) => self.collect_idle(inner, !positive, out),
            ExprKind::Quantified { body, .. } | ExprKind::Unrolled { body, .. } => {
                self.collect_idle(body, positive, out)
            }
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                parts.iter().for_each(|part| self.collect_idle(part, positive, out))
            }
            ExprKind::Binary(BinaryOp::Implies, left, right) => {
                self.collect_idle(left, !positive, out);
                self.collect_idle(right, positive, out);
            }
            _ => {}
        }
    }
}

/// Whether a formula, or its negation, can hold as far as the relations go that are known not to begin.
fn can_hold(expr: &Expr, positive: bool, begins: &dyn Fn(&Ident) -> bool) -> bool {
    let can = |part: &Expr, positive| can_hold(part, positive, begins);
    match &expr.kind {
        ExprKind::Bool(value) => *value == positive,
        ExprKind::Name(name) | ExprKind::Apply { name, .. } => !positive || begins(name),
        ExprKind::Not(inner) => can(inner, !positive),
        ExprKind::Marked { atom: inner, .. } | ExprKind::Quantified { body: inner, .. } => {
            can(inner, positive)
        }
        ExprKind::And(parts) if positive => parts.iter().all(|part| can(part, true)),
        ExprKind::And(parts) => parts.iter().any(|part| can(part, false)),
        ExprKind::Or(parts) if positive => parts.iter().any(|part| can(part, true)),
        ExprKind::Or(parts) => parts.iter().all(|part| can(part, false)),
        ExprKind::Binary(BinaryOp::Implies, left, right) if positive => can(left, false) || can(right, true),
        ExprKind::Binary(BinaryOp::Implies, left, right) => can(left, true) && can(right, false),
        // Over no index at all, `each` holds and `some` does not.
        ExprKind::Unrolled { unroll: Unroll::Some, body, .. } if positive => can(body, true),
        ExprKind::Unrolled { unroll: Unroll::Each, body, .. } if !positive => can(body, false),
        _ => true,
    }
}

fn no_base_case(empty: &[&Family]) -> Diagnostic {
    let names = empty.iter().map(|family| format!("`{}`", family.name)).collect::<Vec<_>>();
    let (title, why) = match &names[..] {
        [name] => (
            format!("{name} is empty: it has no base case"),
            format!("no clause holds without a tuple of {name} itself"),
        ),
        _ => (
            format!("{} are empty: they have no base case", names.join(", ")),
            "no clause holds without a tuple of one of them".to_string(),
        ),
    };
    let warning = Diagnostic::warning("fp::no_base_case", title).label(empty[0].span, why);
    let warning =
        empty[1..].iter().fold(warning, |warning, family| warning.label(family.span, "and this one"));
    warning.help(
        "`mu` is the least solution: add a clause that does not need one, or write `nu` for the greatest",
    )
}
