//! The bodies of relations: definitions are instantiated, their variables get sorts, and the formulas are checked.

use super::declare::FamilySource;
use super::facts::{self, FactsLoader};
use super::findings::{Checked, Findings, Reported};
use super::instantiate::{InstanceScope, Instantiation};
use super::signatures::Signatures;
use super::sorts::SortTable;
use super::statics::{Env, Statics};
use super::tree::{Body, Clause, Column, Formula, RelId, Term, TermKind, Var};
use super::typing::{ExpectedSort, Typing, infer};
use crate::diagnostic::Diagnostic;
use crate::sort::{Sorts, Value};
use crate::span::Sources;
use crate::syntax::ast::{self, Ident};
use std::rc::Rc;

/// Builds bodies with what the passes before have found.
pub(super) struct Bodies<'s, 'a> {
    pub statics: Statics<'s, 'a>,
    pub signatures: &'s Signatures,
    pub table: &'s mut SortTable,
    pub findings: &'s mut Findings,
    /// How many parts of formulas there are so far.
    pub parts: usize,
}

impl Bodies<'_, '_> {
    /// The bodies of all relations, but those with a mistake and those of the model, which have theirs.
    pub fn all(&mut self, loader: Option<FactsLoader>, sources: &mut Sources) -> Vec<(RelId, Body)> {
        let mut out = Vec::new();
        let (families, signatures) = (&self.statics.declarations.families, self.signatures);
        for ((at, family), instances) in families.iter().enumerate().zip(&signatures.instances) {
            for (values, &id) in &instances.by_indices {
                let relation = &signatures.relations[id.0 as usize];
                let body = match family.source {
                    FamilySource::Offered(_) => continue,
                    FamilySource::Facts { rows, .. } => Body::Facts(facts::literal(self, relation, rows)),
                    FamilySource::Input { .. } => {
                        let sorts = &self.table.sorts;
                        Body::Facts(facts::read(relation, sorts, loader, sources, self.findings))
                    }
                    FamilySource::Defined { kind, indices, clauses, .. } => {
                        let names = indices.iter().map(|index| index.name.name.clone());
                        let env = names.zip(values.iter().copied()).collect::<Vec<_>>();
                        let built = self.definition(&relation.columns, clauses, &env);
                        let Ok((vars, clauses)) = built else { continue };
                        Body::Defined { kind, order: at as u32, vars, clauses }
                    }
                };
                out.push((id, body));
            }
        }
        out
    }

    /// The variables and clauses of one instance of a definition.
    pub fn definition(
        &mut self,
        columns: &[Column],
        clauses: &[ast::ClauseDecl],
        env: &Env,
    ) -> Checked<(Vec<Var>, Vec<Clause>)> {
        let mut scope = InstanceScope::new(env);
        for Column { name, sort, span } in columns {
            let name = Ident { name: name.clone(), span: span.unwrap_or_default() };
            scope.declare(&name, Some(*sort), *span);
        }
        let mut out = Vec::new();
        let mut failed = false;
        for (position, clause) in clauses.iter().enumerate() {
            match self.clause(clause, position, &mut scope) {
                // Clauses are disjuncts: a static one that holds hides those behind it.
                Ok(clause) if matches!(clause.body, Formula::Const(true)) => {
                    out.push(clause);
                    break;
                }
                Ok(clause) => out.push(clause),
                Err(Reported) => failed = true,
            }
        }
        if failed {
            return Err(Reported);
        }
        // A variable that pruning left without any use has no sort, and no occurrence either.
        let var = |var: super::instantiate::OpenVar| Var {
            name: var.name,
            sort: var.sort.unwrap_or(Sorts::BOOL),
            span: var.span,
        };
        Ok((scope.vars.into_iter().map(var).collect(), out))
    }

    fn clause(
        &mut self,
        clause: &ast::ClauseDecl,
        position: usize,
        scope: &mut InstanceScope,
    ) -> Checked<Clause> {
        let mut instantiation = self.instantiation(std::mem::take(scope));
        let open = instantiation.formula(&clause.body);
        *scope = instantiation.scope;
        let open = open?;
        let (relations, sorts) = (&self.signatures.relations, &mut self.table.sorts);
        infer(&open, &mut scope.vars, relations, sorts);
        let body = Typing { sorts, relations, vars: &scope.vars, findings: self.findings }.formula(&open)?;
        let name = match &clause.label {
            Some(label) => label.name.clone(),
            None => Rc::from((position + 1).to_string()),
        };
        let span = clause.label.as_ref().map_or(clause.body.span, |label| label.span.to(clause.body.span));
        Ok(Clause { name, span, body })
    }

    /// A constant of a fact row.
    pub fn constant(&mut self, expr: &ast::Expr, expected: &ExpectedSort) -> Checked<Value> {
        let open = self.instantiation(InstanceScope::default()).term(expr)?;
        let (relations, sorts) = (&self.signatures.relations, &mut self.table.sorts);
        let term =
            Typing { sorts, relations, vars: &[], findings: self.findings }.term(&open, Some(expected))?;
        constant(&term).ok_or_else(|| {
            let help =
                "facts consist of numbers, true, false, names of enums, and records and vectors of them";
            let diagnostic = Diagnostic::error("fp::not_static", "a fact needs a constant");
            self.findings.add(diagnostic.label(expr.span, "not a constant").help(help))
        })
    }

    fn instantiation(&mut self, scope: InstanceScope) -> Instantiation<'_, '_> {
        let Bodies { statics, signatures, table, findings, parts } = self;
        Instantiation { statics: *statics, signatures, table, findings, parts, scope }
    }
}

/// The value of a term without variables, if it is a plain constant.
fn constant(term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Const(value) => Some(value.clone()),
        TermKind::Record(parts) => parts.iter().map(constant).collect::<Option<_>>().map(Value::Record),
        TermKind::Vector(parts) => parts.iter().map(constant).collect::<Option<_>>().map(Value::Vector),
        _ => None,
    }
}
