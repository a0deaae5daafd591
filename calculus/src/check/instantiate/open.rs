//! What an instance is before the sorts of its variables are known.

use super::super::arguments::Argument;
use super::super::number::Arithmetic;
use super::super::statics::Env;
use super::super::tree::{Formula, Var, VarId};
use crate::sort::{SortId, Sorts};
use crate::span::Span;
use crate::syntax::ast::Ident;
use std::rc::Rc;

/// A formula whose variables may have no sorts yet.
pub(in crate::check) type OpenFormula = Formula<OpenTerm>;

/// A term as it is written, with its names resolved: which fields and elements it means depends on sorts.
#[derive(Clone, Debug)]
pub(in crate::check) struct OpenTerm {
    pub kind: OpenKind,
    pub span: Span,
    /// A number that is written with digits, not one that parameters or indices change.
    pub is_literal: bool,
    /// The indices around it, to say with which values a mistake happens.
    pub env: Rc<Env>,
}

#[derive(Clone, Debug)]
pub(in crate::check) enum OpenKind {
    Var(VarId),
    Int(i64),
    Bool(bool),
    /// Of which sort depends on its place, as with a number.
    Text(Rc<str>),
    Enum(SortId, u64),
    Field(Box<OpenTerm>, Ident),
    Index(Box<OpenTerm>, i64),
    Slice(Box<OpenTerm>, Option<i64>, Option<i64>),
    Update(Box<OpenTerm>, i64, Box<OpenTerm>),
    With(Box<OpenTerm>, Vec<(Ident, OpenTerm)>),
    Record(SortId, Vec<(Ident, OpenTerm)>),
    Vector(Vec<OpenTerm>),
    Concat(Box<OpenTerm>, Box<OpenTerm>),
    Arithmetic(Arithmetic, Box<[OpenTerm; 2]>),
}

/// A variable of the instance; its sort is inferred later unless it is written.
#[derive(Clone, Debug)]
pub(in crate::check) struct OpenVar {
    pub name: Rc<str>,
    pub span: Span,
    pub sort: Option<SortId>,
    /// Where the sort comes from.
    pub origin: Option<Span>,
}

impl OpenVar {
    /// After inference. A variable that pruning left without any use has no sort, and no occurrence either.
    pub fn closed(self) -> Var {
        Var { name: self.name, sort: self.sort.unwrap_or(Sorts::BOOL), span: self.span }
    }
}

/// What is in scope: static indices and variables.
#[derive(Clone, Debug, Default)]
pub(in crate::check) struct InstanceScope {
    pub env: Vec<(Rc<str>, Argument)>,
    /// The same, shared by the terms that are made under it.
    shared: Option<Rc<Env>>,
    pub bound: Vec<(Rc<str>, VarId)>,
    pub vars: Vec<OpenVar>,
}

impl InstanceScope {
    pub fn new(env: &Env) -> InstanceScope {
        InstanceScope { env: env.to_vec(), ..InstanceScope::default() }
    }

    pub fn shared_env(&mut self) -> Rc<Env> {
        self.shared.get_or_insert_with(|| self.env.as_slice().into()).clone()
    }

    /// Inside an unrolled part the indices have these values besides.
    pub fn enter(&mut self, indices: Vec<(Rc<str>, Argument)>) {
        self.env.extend(indices);
        self.shared = None;
    }

    /// Leaves the unrolled parts behind the first `depth` indices.
    pub fn leave(&mut self, depth: usize) {
        self.env.truncate(depth);
        self.shared = None;
    }

    pub fn declare(&mut self, name: &Ident, sort: Option<SortId>, origin: Option<Span>) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(OpenVar { name: name.name.clone(), span: name.span, sort, origin });
        self.bound.push((name.name.clone(), id));
        id
    }

    /// What an index stands for.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.env.iter().rev().find(|(index, _)| &**index == name).map(|(_, argument)| argument)
    }

    pub fn var(&self, name: &str) -> Option<VarId> {
        self.bound.iter().rev().find(|(bound, _)| &**bound == name).map(|(_, id)| *id)
    }
}
