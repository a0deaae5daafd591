//! The names in a Boolean program, from its tree. Parameters, locals and labels are seen inside their procedure, the
//! variables of a thread block inside it.

use super::outline::{Kind, Mention, Outline};
use crate::model::program::ast::{Declaration, DomainForm, Expr, File, Form, Name, Procedure, TokenKind};
use calculus::span::Span;

pub fn outline(file: &File) -> Outline {
    let mut out = Outline::default();
    declarations(&mut out, &file.shared, None);
    // A thread block is seen as far as its procedures reach.
    for thread in &file.threads {
        let bodies = thread.procedures.iter().chain([&thread.body]).map(|at| file.procedures[*at].span);
        let seen = bodies.chain([thread.name.span]).reduce(|one, other| Span {
            start: one.start.min(other.start),
            end: one.end.max(other.end),
            ..one
        });
        declarations(&mut out, &thread.own, seen);
    }
    for procedure in &file.procedures {
        if !procedure.name.text.is_empty() {
            out.declare(&procedure.name.text, Kind::Procedure, procedure.name.span, procedure.span, None);
        }
    }
    file.procedures.iter().for_each(|procedure| body(&mut out, procedure));
    resolve(&mut out);
    out
}

fn declarations(out: &mut Outline, declared: &[Declaration], seen: Option<Span>) {
    for Declaration { name, domain, .. } in declared {
        out.declare(&name.text, Kind::Variable, name.span, name.span, seen);
        if let Some(DomainForm::Names(values)) = domain.as_ref().map(|domain| &domain.form) {
            for value in values {
                out.declare(&value.text, Kind::Value, value.span, value.span, None);
            }
        }
    }
}

fn body(out: &mut Outline, procedure: &Procedure) {
    let seen = Some(procedure.span);
    declarations(out, &procedure.parameters, seen);
    declarations(out, &procedure.locals, seen);
    procedure.enforce.iter().for_each(|expr| expression(out, expr));
    for statement in &procedure.statements {
        for label in &statement.labels {
            out.declare(&label.text, Kind::Label, label.span, statement.span, seen);
        }
        let names = |out: &mut Outline, names: &[Name]| {
            names.iter().for_each(|name| mention(out, &name.text, name.span))
        };
        let exprs = |out: &mut Outline, all: &[Expr]| all.iter().for_each(|expr| expression(out, expr));
        match &statement.form {
            Form::Skip | Form::AtomicBegin | Form::AtomicEnd | Form::EndThread => {}
            Form::Assign { targets, values, constrain } => {
                names(out, targets);
                exprs(out, values);
                constrain.iter().for_each(|expr| expression(out, expr));
            }
            Form::Constrain(expr) | Form::Assume(expr) | Form::AbortIf(expr) | Form::Assert(expr) => {
                expression(out, expr);
            }
            Form::If { condition, .. } | Form::While { condition, .. } => expression(out, condition),
            Form::Dead(dead) => names(out, dead),
            Form::Call { callee, arguments, targets } => {
                names(out, std::slice::from_ref(callee));
                names(out, targets);
                exprs(out, arguments);
            }
            Form::StartCall { callee, arguments } => {
                names(out, std::slice::from_ref(callee));
                exprs(out, arguments);
            }
            Form::Return(values) | Form::Print(values) => exprs(out, values),
            Form::Goto(places) => names(out, places),
            Form::StartGoto(place) | Form::Sync(place) => names(out, std::slice::from_ref(place)),
        }
    }
}

fn expression(out: &mut Outline, expr: &Expr) {
    for token in &expr.tokens {
        match &token.kind {
            TokenKind::Name(name) => mention(out, name, token.span),
            // Behind the prime.
            TokenKind::Primed(name) => mention(out, name, Span { start: token.span.start + 1, ..token.span }),
            _ => {}
        }
    }
}

fn mention(out: &mut Outline, name: &str, span: Span) {
    out.mentions.push(Mention { name: name.into(), span, means: None });
}

/// The innermost declaration that is seen where a name stands.
fn resolve(out: &mut Outline) {
    for at in 0..out.mentions.len() {
        let Mention { name, span, .. } = &out.mentions[at];
        let known = out.declarations.iter().enumerate();
        let known = known.filter(|(_, known)| known.name == *name);
        let sees =
            |seen: Option<Span>| seen.is_none_or(|seen| seen.start <= span.start && span.end <= seen.end);
        let size = |seen: Option<Span>| seen.map_or(u32::MAX, |seen| seen.end - seen.start);
        let found = known.filter(|(_, known)| sees(known.seen)).min_by_key(|(_, known)| size(known.seen));
        out.mentions[at].means = found.map(|(number, _)| number);
    }
}
