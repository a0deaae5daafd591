//! The bodies of relations: definitions are instantiated, their variables get sorts, and the formulas are checked.

use super::declare::FamilySource;
use super::facts::{self, FactsLoader};
use super::findings::{Checked, Findings, Reported};
use super::instantiate::{InstanceScope, Instantiation, OpenVar};
use super::signatures::{Pending, Signatures};
use super::sorts::SortTable;
use super::statics::{Env, Statics};
use super::tree::{Body, Clause, Column, Formula, RelId, Term, TermKind, Var};
use super::typing::{ExpectedSort, Typing, infer};
use crate::diagnostic::Diagnostic;
use crate::index::Id;
use crate::sort::Value;
use crate::span::Sources;
use crate::syntax::ast::{self, Alternative, DefKind, Ident};
use std::rc::Rc;

/// Builds bodies with what the passes before have found.
pub(super) struct Bodies<'s, 'a> {
    pub statics: Statics<'s, 'a>,
    pub signatures: &'s mut Signatures,
    pub table: &'s mut SortTable,
    pub findings: &'s mut Findings,
    /// How many parts of formulas there are so far.
    pub parts: usize,
}

impl Bodies<'_, '_> {
    /// Makes the bodies of all relations, but of those with a mistake and those of the model, which have theirs. Inputs come
    /// first: the texts that they bring have the first numbers, whatever constants the equations have.
    pub fn all(&mut self, loader: Option<FactsLoader>, sources: &mut Sources) {
        self.inputs(loader, sources);
        for (at, family) in self.statics.declarations.families.iter().enumerate() {
            if family.is_generic() {
                continue;
            }
            let instances = self.signatures.instances[at].by_indices.clone();
            for (values, id) in instances {
                let relation = &self.signatures.relations[id.index()];
                let body = match family.source {
                    FamilySource::Offered(_) | FamilySource::Input { .. } => continue,
                    FamilySource::Facts { rows, .. } => {
                        let relation = relation.clone();
                        Body::Facts(facts::literal(self, &relation, rows))
                    }
                    FamilySource::Defined { indices, .. } => {
                        let names = indices.iter().map(|index| index.name().name.clone());
                        let env = names.zip(values).collect::<Vec<_>>();
                        let Ok(body) = self.defined(at, id, &env) else { continue };
                        body
                    }
                };
                self.signatures.relations[id.index()].body = body;
            }
        }
        self.pending();
    }

    fn inputs(&mut self, loader: Option<FactsLoader>, sources: &mut Sources) {
        for (at, family) in self.statics.declarations.families.iter().enumerate() {
            let FamilySource::Input { .. } = family.source else { continue };
            for (_, id) in self.signatures.instances[at].by_indices.clone() {
                let relation = &mut self.signatures.relations[id.index()];
                let sorts = &mut self.table.sorts;
                let rows = facts::read(relation, sorts, loader, sources, self.findings);
                relation.body = Body::Facts(rows);
            }
        }
    }

    /// Makes the bodies of the instances that were made where they are used, and of those that these use.
    pub fn pending(&mut self) {
        while let Some(Pending { family, id, env }) = self.signatures.pending.pop_front() {
            if let Ok(body) = self.defined(family, id, &env) {
                self.signatures.relations[id.index()].body = body;
            }
        }
    }

    fn defined(&mut self, family: usize, id: RelId, env: &Env) -> Checked<Body> {
        let family_source = self.statics.declarations.families[family].source;
        let FamilySource::Defined { kind, alternative, clauses, .. } = family_source else {
            return Err(Reported);
        };
        let kind = self.kind(kind, alternative, env)?;
        let columns = self.signatures.relations[id.index()].columns.clone();
        let (vars, clauses) = self.definition(Some(id), &columns, clauses, env)?;
        Ok(Body::Defined { kind, order: family as u32, vars, clauses })
    }

    /// The kind of one instance of a definition.
    fn kind(&mut self, kind: DefKind, alternative: Option<&Alternative>, env: &Env) -> Checked<DefKind> {
        let Some(Alternative { condition, otherwise }) = alternative else { return Ok(kind) };
        let holds = self.statics.bool(condition, env, self.findings)?;
        Ok(if holds { kind } else { *otherwise })
    }

    /// The variables and clauses of one instance of a definition.
    pub fn definition(
        &mut self,
        inside: Option<RelId>,
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
            match self.clause(inside, clause, position, &mut scope) {
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
        Ok((scope.vars.into_iter().map(OpenVar::closed).collect(), out))
    }

    fn clause(
        &mut self,
        inside: Option<RelId>,
        clause: &ast::ClauseDecl,
        position: usize,
        scope: &mut InstanceScope,
    ) -> Checked<Clause> {
        let mut instantiation = self.instantiation(inside, std::mem::take(scope));
        let open = instantiation.formula(&clause.body);
        *scope = instantiation.scope;
        let open = open?;
        let (relations, sorts) = (&self.signatures.relations, &mut self.table.sorts);
        infer(&open, &mut scope.vars, relations, sorts);
        let (varying, findings) = (&self.table.varying, &mut *self.findings);
        let model = self.statics.declarations.model;
        let (added, behind_dots) = Default::default();
        let mut typing =
            Typing { sorts, varying, relations, vars: &scope.vars, findings, model, added, behind_dots };
        let body = typing.formula(&open)?;
        let added = typing.added;
        scope.vars.extend(added);
        let name = match &clause.label {
            Some(label) => label.name.clone(),
            None => Rc::from((position + 1).to_string()),
        };
        let span = clause.label.as_ref().map_or(clause.body.span, |label| label.span.to(clause.body.span));
        Ok(Clause { name, span, body })
    }

    /// A constant of a fact row.
    pub fn constant(&mut self, expr: &ast::Expr, expected: &ExpectedSort) -> Checked<Value> {
        let open = self.instantiation(None, InstanceScope::default()).term(expr)?;
        let (relations, sorts) = (&self.signatures.relations, &mut self.table.sorts);
        let (varying, findings) = (&self.table.varying, &mut *self.findings);
        let model = self.statics.declarations.model;
        let (added, behind_dots) = Default::default();
        let mut typing = Typing { sorts, varying, relations, vars: &[], findings, model, added, behind_dots };
        let term = typing.term(&open, Some(expected))?;
        constant(&term).ok_or_else(|| {
            let help =
                "facts consist of numbers, true, false, names of enums, texts, and records and vectors of them";
            let diagnostic = Diagnostic::error("fp::not_static", "a fact needs a constant");
            self.findings.add(diagnostic.label(expr.span, "not a constant").help(help))
        })
    }

    fn instantiation(&mut self, inside: Option<RelId>, scope: InstanceScope) -> Instantiation<'_, '_> {
        let Bodies { statics, signatures, table, findings, parts } = self;
        Instantiation { statics: *statics, signatures, table, findings, parts, scope, inside }
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
