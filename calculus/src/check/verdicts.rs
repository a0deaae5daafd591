//! What a file asks for: queries and verdicts, and what it requires.

use super::bodies::Bodies;
use super::declare::Declarations;
use super::findings::{Checked, Findings, Reported};
use super::messages::interpolate;
use super::signatures::Signatures;
use super::tree::{Body, Query, RelId, Relation, Unmet, Verdict, VerdictKind};
use crate::diagnostic::Diagnostic;
use crate::span::{Sources, Span};
use crate::syntax::ast::{ClauseDecl, DefKind, Expr, ExprKind, Ident, Item, ItemKind};

/// The queries, and the relations whose derivations are runs.
pub(super) fn queries<'i>(
    items: impl Iterator<Item = &'i Item>,
    declarations: &Declarations,
    signatures: &Signatures,
) -> (Vec<Query>, Vec<Query>) {
    let (mut queries, mut traces) = (Vec::new(), Vec::new());
    for item in items {
        let (name, out) = match &item.kind {
            ItemKind::Query { name, .. } => (name, &mut queries),
            ItemKind::Trace { name, .. } => (name, &mut traces),
            _ => continue,
        };
        let family = declarations.relation(&name.name);
        if let Some(relation) = family.and_then(|family| signatures.instances[family].only()) {
            out.push(Query { relation, name: name.name.clone(), span: name.span });
        }
    }
    (queries, traces)
}

/// What the verdicts and requirements of all files say.
#[derive(Default)]
pub(super) struct Verdicts {
    pub verdicts: Vec<Verdict>,
    pub refusals: Vec<Unmet>,
}

/// Conditions are passed over where names do not hold.
pub(super) fn verdicts<'i>(
    items: impl Iterator<Item = &'i Item>,
    names_hold: bool,
    bodies: &mut Bodies,
    sources: &Sources,
) -> Verdicts {
    let mut found = Verdicts::default();
    for item in items {
        match &item.kind {
            ItemKind::Verdict { kind, message, condition } => {
                let Ok(verdict) = verdict_kind(kind, bodies) else { continue };
                let text = |text| interpolate(text, bodies.statics, sources, bodies.findings).ok();
                let message = message.as_ref().and_then(text);
                found.warn_unreachable(kind, item.span, bodies.findings);
                let condition = match condition {
                    None => None,
                    Some(_) if !names_hold => continue,
                    Some(formula) => match condition_of(kind, formula, bodies) {
                        Ok(id) => Some(id),
                        Err(Reported) => continue,
                    },
                };
                found.verdicts.push(Verdict { kind: verdict, message, condition, span: item.span });
            }
            ItemKind::Require { condition, message } if names_hold => {
                let holds = bodies.statics.bool(condition, &[], bodies.findings);
                let message = interpolate(message, bodies.statics, sources, bodies.findings);
                if let (Ok(false), Ok(message)) = (holds, message) {
                    found.refusals.push(Unmet { message, span: condition.span });
                }
            }
            _ => {}
        }
    }
    found
}

fn verdict_kind(kind: &Ident, bodies: &mut Bodies) -> Checked<VerdictKind> {
    Ok(match &*kind.name {
        "unsafe" => VerdictKind::Unsafe,
        "safe" => VerdictKind::Safe,
        "bounded" => VerdictKind::Bounded,
        "unknown" => VerdictKind::Unknown,
        _ => {
            let known = ["unsafe", "safe", "bounded", "unknown"];
            return Err(bodies.statics.declarations.unknown("verdict", kind, known, bodies.findings));
        }
    })
}

impl Verdicts {
    fn warn_unreachable(&self, kind: &Ident, place: Span, findings: &mut Findings) {
        let mut before = self.verdicts.iter().filter(|verdict| verdict.span.file == place.file);
        if let Some(always) = before.find(|verdict| verdict.condition.is_none()) {
            findings.add(
                Diagnostic::warning("fp::unreachable", "this verdict is never reached")
                    .label(kind.span, "a verdict before it always holds")
                    .label(always.span, "this one has no condition")
                    .help("the first verdict whose condition holds is the answer: move this one before the other"),
            );
        }
    }
}

/// The relation without columns that a verdict's condition is: an existing one, or one made for it.
fn condition_of(kind: &Ident, formula: &Expr, bodies: &mut Bodies) -> Checked<RelId> {
    let Bodies { statics, signatures, .. } = bodies;
    if let ExprKind::Name(name) = &formula.kind
        && let Some(family) = statics.declarations.relation(&name.name)
        && let Some(id) = signatures.instances[family].only()
        && statics.declarations.families[family].column_count == 0
    {
        return Ok(id);
    }
    let clause = ClauseDecl { label: None, body: formula.clone() };
    let (vars, clauses) = bodies.definition(None, &[], std::slice::from_ref(&clause), &[])?;
    Ok(bodies.signatures.push(Relation {
        name: format!("verdict {}", kind.name).into(),
        indices: Vec::new(),
        columns: Vec::new(),
        body: Body::Defined { kind: DefKind::Let, order: u32::MAX, vars, clauses },
        span: formula.span,
    }))
}
