//! Instances for sorts and relations: what a family is given, and whether it fits.

use super::super::arguments::{Argument, RelationArgument, Shown};
use super::super::declare::Family;
use super::super::findings::{Checked, Reported};
use super::super::tree::{Body, Clause, Column, RelId, Relation, Var};
use super::super::typing::{Typing, infer};
use super::super::words::count;
use super::{InstanceScope, Instantiation, OpenVar};
use crate::diagnostic::Diagnostic;
use crate::index::Id;
use crate::sort::{Sort, SortId};
use crate::span::Span;
use crate::syntax::ast::{
    Binder, DefKind, Expr, ExprKind, FamilyIndex, Ident, RelationIndex, SortExpr, SortKind,
};
use crate::syntax::{as_sort, expression, mentioned};
use std::rc::Rc;

/// The indices of a use: each with what is given for it, nothing for sorts that are left out.
struct Use<'e> {
    given: Vec<(&'e FamilyIndex, Option<&'e Expr>)>,
    /// What is known by now, in the same order.
    found: Vec<Option<Argument>>,
    place: Span,
}

impl Instantiation<'_, '_> {
    /// The instance of a family that is indexed by sorts or relations.
    pub(super) fn generic(&mut self, place: Span, family: usize, given: &[Expr]) -> Checked<RelId> {
        let declared = &self.statics.declarations.families[family];
        let mut usage = pair(declared, given, place);
        // Numbers first: sorts may mention them. Comprehensions last: their columns take their sorts from the others.
        self.fill(&mut usage, |index, given| match index {
            FamilyIndex::Number(_) => true,
            FamilyIndex::Sort(_) => given.is_some(),
            FamilyIndex::Relation(_) => false,
        })?;
        let named = |given: Option<&Expr>| {
            given.is_some_and(|given| !matches!(given.kind, ExprKind::Comprehension { .. }))
        };
        self.fill(&mut usage, |index, given| matches!(index, FamilyIndex::Relation(_)) && named(given))?;
        self.settle_sorts(&mut usage);
        self.fill(&mut usage, |index, _| matches!(index, FamilyIndex::Relation(_)))?;
        self.settle_sorts(&mut usage);
        let places = usage.given.iter().map(|(_, given)| given.map_or(place, |given| given.span));
        let places = places.collect::<Vec<_>>();
        let env = self.complete(usage, declared)?;
        self.fits(declared, &env, &places)?;
        let (statics, origin) = (self.statics, (self.inside, place));
        self.signatures.instance_for(family, env, origin, (statics, self.table, self.findings))
    }

    /// Evaluates the arguments that are chosen and not known yet.
    fn fill(&mut self, usage: &mut Use, chosen: impl Fn(&FamilyIndex, Option<&Expr>) -> bool) -> Checked<()> {
        for at in 0..usage.given.len() {
            let (index, given) = usage.given[at];
            if usage.found[at].is_some() || !chosen(index, given) {
                continue;
            }
            let given = given.ok_or(Reported)?;
            let found = match index {
                FamilyIndex::Number(_) => Argument::Number(self.index(given)?),
                FamilyIndex::Sort(_) => self.sort_argument(given)?,
                FamilyIndex::Relation(wanted) => self.relation_argument(given, wanted, usage)?,
            };
            usage.found[at] = Some(found);
        }
        Ok(())
    }

    fn sort_argument(&mut self, given: &Expr) -> Checked<Argument> {
        let Some(sort) = as_sort(given) else {
            return Err(self.findings.add(
                Diagnostic::error("fp::not_a_sort", "a sort is needed here")
                    .label(given.span, "this is not one")
                    .help("give the name of a sort, `bool`, or a vector of them; name a range with `range`"),
            ));
        };
        let sort = self.table.resolve(&sort, &self.scope.env, self.statics, self.findings)?;
        Ok(Argument::Sort(sort, Shown(self.table.sorts.show(sort).into())))
    }

    fn relation_argument(&mut self, given: &Expr, wanted: &RelationIndex, usage: &Use) -> Checked<Argument> {
        let (name, indices) = match &given.kind {
            ExprKind::Comprehension { binders, body } => {
                let expected = self.expected_columns(wanted, usage);
                let id = self.comprehension(given, binders, body, expected)?;
                return Ok(self.one(id));
            }
            ExprKind::Name(name) => (name, &[][..]),
            ExprKind::Instance { name, indices } => (name, &indices[..]),
            ExprKind::Index(base, index) => match &base.kind {
                ExprKind::Name(name) => (name, std::slice::from_ref(&**index)),
                _ => return Err(self.findings.add(not_a_relation(given.span))),
            },
            _ => return Err(self.findings.add(not_a_relation(given.span))),
        };
        let (family, mut values) = match self.scope.argument(&name.name) {
            Some(Argument::Relation(RelationArgument::One(id), _)) if indices.is_empty() => {
                return Ok(self.one(*id));
            }
            Some(Argument::Relation(RelationArgument::Family { family, given }, _)) => {
                (*family, given.clone())
            }
            Some(_) => return Err(self.findings.add(not_a_relation(given.span))),
            None => match self.statics.declarations.relation(&name.name) {
                Some(family) => (family, Vec::new()),
                None => return Err(self.findings.add(not_a_relation(given.span))),
            },
        };
        let declared = &self.statics.declarations.families[family];
        if declared.is_generic() {
            let id = self.generic(given.span, family, indices)?;
            return Ok(self.one(id));
        }
        if self.signatures.instances[family].broken {
            return Err(Reported);
        }
        let open = declared.index_count.checked_sub(values.len() + indices.len());
        if open != Some(wanted.indices.len()) {
            let has = count(declared.index_count - values.len(), "index", "indices");
            let wants = match wanted.indices.len() {
                0 => "one relation is wanted".to_string(),
                number => format!("a family with {} is wanted", count(number, "index", "indices")),
            };
            return Err(self.findings.add(
                Diagnostic::error("fp::wrong_indices", format!("`{}` does not fit here", name.name))
                    .label(given.span, format!("`{}` has {has}", name.name))
                    .label(wanted.span, wants)
                    .help("`R` is a family, and `R[1]` is one of its relations"),
            ));
        }
        for index in indices {
            values.push(Argument::Number(self.index(index)?));
        }
        if open == Some(0) {
            let id = self.instance(family, &values, indices)?;
            return Ok(self.one(id));
        }
        let shown = values.iter().map(|value| value.index().to_string()).collect::<Vec<_>>().join(", ");
        let shown = if values.is_empty() { shown } else { format!("[{shown}]") };
        let shown = Shown(format!("{}{shown}", declared.name).into());
        Ok(Argument::Relation(RelationArgument::Family { family, given: values }, shown))
    }

    fn one(&self, id: RelId) -> Argument {
        let shown = Shown(self.signatures.relations[id.index()].title().into());
        Argument::Relation(RelationArgument::One(id), shown)
    }

    /// The arguments that are known, by the names of their indices.
    fn known(usage: &Use) -> Vec<(Rc<str>, Argument)> {
        let named = usage.given.iter().zip(&usage.found);
        named.filter_map(|((index, _), found)| Some((index.name().name.clone(), found.clone()?))).collect()
    }

    /// The sorts that a relation must have, if those of the family are known by now.
    fn expected_columns(&mut self, wanted: &RelationIndex, usage: &Use) -> Option<Vec<SortId>> {
        let env = Self::known(usage);
        let open = |sort: &SortExpr| {
            let mut open = false;
            let sorts = usage.given.iter().filter(|(index, _)| matches!(index, FamilyIndex::Sort(_)));
            let names = sorts.map(|(index, _)| &index.name().name).collect::<Vec<_>>();
            let as_expr = Expr { kind: ExprKind::Sort(sort.clone()), span: sort.span };
            mentioned(&as_expr, &mut |name| {
                open |= names.contains(&&name.name) && !env.iter().any(|(known, _)| *known == name.name);
            });
            open
        };
        if wanted.columns.iter().any(open) {
            return None;
        }
        let resolve = |sort| self.table.resolve(sort, &env, self.statics, self.findings).ok();
        wanted.columns.iter().map(resolve).collect()
    }

    /// Takes the sorts that are left out from the columns of the relations that are given.
    fn settle_sorts(&mut self, usage: &mut Use) {
        for at in 0..usage.given.len() {
            let FamilyIndex::Relation(wanted) = usage.given[at].0 else { continue };
            let Some(argument) = &usage.found[at] else { continue };
            let Some(id) = self.signatures.relations_in(argument).first().copied() else { continue };
            let columns = self.signatures.relations[id.index()].columns.iter().map(|column| column.sort);
            for (declared, actual) in wanted.columns.iter().zip(columns.collect::<Vec<_>>()) {
                self.settle(declared, actual, usage);
            }
        }
    }

    fn settle(&mut self, declared: &SortExpr, actual: SortId, usage: &mut Use) {
        match (&declared.kind, self.table.sorts.get(actual)) {
            (SortKind::Name(name), _) => {
                let is_it = |(index, _): &(&FamilyIndex, _)| matches!(index, FamilyIndex::Sort(sort) if sort.name == name.name);
                if let Some(at) = usage.given.iter().position(is_it)
                    && usage.found[at].is_none()
                {
                    let shown = Shown(self.table.sorts.show(actual).into());
                    usage.found[at] = Some(Argument::Sort(actual, shown));
                }
            }
            (SortKind::Vector(element, ..), Sort::Vector { element: actual, .. }) => {
                self.settle(element, *actual, usage)
            }
            _ => {}
        }
    }

    /// All arguments, in order.
    fn complete(&mut self, usage: Use, declared: &Family) -> Checked<Vec<(Rc<str>, Argument)>> {
        let open = usage.given.iter().zip(&usage.found).find(|(_, found)| found.is_none());
        if let Some(((index, _), _)) = open {
            let name = index.name();
            return Err(self.findings.add(
                Diagnostic::error("fp::open_sort", format!("nothing determines the sort `{}`", name.name))
                    .label(usage.place, "it is left out here")
                    .label(name.span, format!("`{}` has an instance for each sort", declared.name))
                    .help(format!("give it: `{}[{}, …]`", declared.name, name.name)),
            ));
        }
        Ok(Self::known(&usage))
    }

    /// Whether the relations have the columns that the family wants, and the numbers are in their ranges.
    fn fits(&mut self, declared: &Family, env: &[(Rc<str>, Argument)], places: &[Span]) -> Checked<()> {
        for (at, (index, (_, argument))) in declared.indices().iter().zip(env).enumerate() {
            match index {
                FamilyIndex::Sort(_) => {}
                FamilyIndex::Number(binder) => {
                    let lo = self.statics.int(&binder.lo, &env[..at], self.findings)?;
                    let hi = self.statics.int(&binder.hi, &env[..at], self.findings)?;
                    if !matches!(argument, Argument::Number(value) if (lo..=hi).contains(value)) {
                        let shown = argument.index();
                        let title =
                            format!("`{}` has no instance for {} = {shown}", declared.name, binder.name.name);
                        let label = format!("in {lo}..{hi}");
                        return Err(self.findings.add(
                            Diagnostic::error("fp::index_range", title)
                                .label(places[at], format!("this is {shown}"))
                                .label(binder.name.span, label)
                                .help("a static condition before it prunes it: `i > 1 & R[i-1](…)`"),
                        ));
                    }
                }
                FamilyIndex::Relation(wanted) => {
                    for id in self.signatures.relations_in(argument) {
                        self.same_columns(wanted, id, env, places[at])?;
                    }
                }
            }
        }
        Ok(())
    }

    fn same_columns(
        &mut self,
        wanted: &RelationIndex,
        id: RelId,
        env: &[(Rc<str>, Argument)],
        place: Span,
    ) -> Checked<()> {
        let mut sorts = Vec::new();
        for sort in &wanted.columns {
            sorts.push(self.table.resolve(sort, env, self.statics, self.findings)?);
        }
        let relation = &self.signatures.relations[id.index()];
        let actual = relation.columns.iter().map(|column| column.sort).collect::<Vec<_>>();
        if actual == sorts {
            return Ok(());
        }
        let show = |sorts: &[SortId]| {
            let shown = sorts.iter().map(|sort| self.table.sorts.show(*sort)).collect::<Vec<_>>();
            format!("rel({})", shown.join(", "))
        };
        let title = format!("`{}` does not fit here", relation.title());
        let diagnostic = Diagnostic::error("fp::sort_mismatch", title)
            .label(place, format!("it is {}", show(&actual)))
            .label(wanted.span, format!("{} is wanted", show(&sorts)))
            .help("a comprehension can bring the columns into another order: `{ (x, y) | R(y, x) }`");
        Err(self.findings.add(diagnostic))
    }

    /// The relation that a comprehension stands for: a `let` of its own.
    fn comprehension(
        &mut self,
        expr: &Expr,
        binders: &[Binder],
        body: &Expr,
        expected: Option<Vec<SortId>>,
    ) -> Checked<RelId> {
        let mut names: Vec<Rc<str>> = Vec::new();
        mentioned(expr, &mut |name: &Ident| names.push(name.name.clone()));
        let env = self.scope.env.iter().filter(|(name, _)| names.contains(name)).cloned().collect::<Vec<_>>();
        let arguments = env.iter().map(|(_, argument)| argument.clone()).collect::<Vec<_>>();
        let key = (expr.span, arguments, expected.clone());
        if let Some(id) = self.signatures.comprehensions.get(&key) {
            return Ok(*id);
        }
        let mut scope = InstanceScope::new(&self.scope.env);
        for (at, Binder { name, sort }) in binders.iter().enumerate() {
            let written =
                sort.as_ref().map(|sort| self.table.resolve(sort, &env, self.statics, self.findings));
            let expected = expected.as_ref().and_then(|sorts| sorts.get(at).copied());
            scope.declare(name, written.transpose()?.or(expected), None);
        }
        let text = match &env[..] {
            [] => expression(expr),
            _ => {
                let values = env.iter().map(|(name, value)| format!("{name} = {}", value.index()));
                format!("{} ({})", expression(expr), values.collect::<Vec<_>>().join(", "))
            }
        };
        let (vars, clause) = self.closed(scope, binders.len(), body)?;
        let columns = binders.iter().zip(&vars).map(|(binder, var)| Column {
            name: binder.name.name.clone(),
            sort: var.sort,
            span: Some(binder.name.span),
        });
        let (columns, name) = (columns.collect(), self.signatures.unique_text(&text));
        let body = Body::Defined { kind: DefKind::Let, order: u32::MAX, vars, clauses: vec![clause] };
        let relation = Relation { name, indices: Vec::new(), columns, body, span: expr.span };
        let id = self.signatures.push(relation);
        self.signatures.remember(id, (self.inside, expr.span), Vec::new(), self.findings)?;
        self.signatures.comprehensions.insert(key, id);
        Ok(id)
    }

    /// The variables and the formula of a comprehension, in a scope of its own.
    fn closed(&mut self, scope: InstanceScope, columns: usize, body: &Expr) -> Checked<(Vec<Var>, Clause)> {
        let outer = std::mem::replace(&mut self.scope, scope);
        let open = self.formula(body);
        let mut scope = std::mem::replace(&mut self.scope, outer);
        let open = open?;
        let (relations, sorts) = (&self.signatures.relations, &mut self.table.sorts);
        infer(&open, &mut scope.vars, relations, sorts);
        for var in &scope.vars[..columns] {
            if var.sort.is_none() {
                return Err(self.findings.add(
                    Diagnostic::error("fp::open_sort", format!("the sort of `{}` is not known", var.name))
                        .label(var.span, "nothing determines its sort")
                        .help(format!("write its sort: `{{ ({}: T, …) | … }}`", var.name)),
                ));
            }
        }
        let vars = &scope.vars;
        let (varying, findings) = (&self.table.varying, &mut *self.findings);
        let model = self.statics.declarations.model;
        let (added, behind_dots) = Default::default();
        let mut typing = Typing { sorts, varying, relations, vars, findings, model, added, behind_dots };
        let body_formula = typing.formula(&open)?;
        let added = typing.added;
        scope.vars.extend(added);
        let clause = Clause { name: "1".into(), span: body.span, body: body_formula };
        Ok((scope.vars.into_iter().map(OpenVar::closed).collect(), clause))
    }
}

fn not_a_relation(place: Span) -> Diagnostic {
    Diagnostic::error("fp::not_a_relation", "a relation is needed here")
        .label(place, "this is not one")
        .help("give the name of a relation, an instance `R[1]`, or a comprehension `{ (x, y) | R(y, x) }`")
}

/// Which argument stands for which index. The numbers of both were compared before.
fn pair<'e>(declared: &Family<'e>, given: &'e [Expr], place: Span) -> Use<'e> {
    let indices = declared.indices();
    let all = given.len() == indices.len();
    let mut rest = given.iter();
    let mut argument = |index: &'e FamilyIndex| match index {
        FamilyIndex::Sort(_) if !all => (index, None),
        _ => (index, rest.next()),
    };
    let given = indices.iter().map(&mut argument).collect::<Vec<_>>();
    let found = vec![None; given.len()];
    Use { given, found, place }
}
