//! NameCheck, numbers of arguments, and quantified variables, on the syntax alone.
//!
//! This pass sees all of the text, also what static conditions prune.

use super::declare::{Declarations, FamilySource, GlobalKind};
use super::findings::Findings;
use super::words::{VARIABLE, count, kind_words};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::{
    Binder, ClauseDecl, ColumnDecl, Definition, Expr, ExprKind, FamilyIndex, File, Ident, IndexBinder, Item,
    ItemKind, RelationIndex, SortExpr, SortKind,
};
use crate::syntax::mentioned;
use std::collections::BTreeSet;
use std::rc::Rc;

/// NameCheck bound around an expression, inner ones last.
#[derive(Default)]
struct NameScope {
    bound: Vec<BoundName>,
    /// Variables before this one are outside of a comprehension, and not seen in it.
    closed: usize,
}

struct BoundName {
    name: Rc<str>,
    span: Span,
    used: bool,
    kind: LocalKind,
}

/// What a bound name stands for.
#[derive(Clone, Copy)]
enum LocalKind {
    /// A column or a quantified variable.
    Variable,
    /// An index that is a number.
    Number,
    /// An index that is a sort.
    Sort,
    /// An index that is a relation with so many indices and columns.
    Relation { indices: usize, columns: usize },
}

/// Whether all names of all items hold.
pub(super) fn check_names<'i>(
    items: impl Iterator<Item = &'i Item>,
    declarations: &Declarations,
    findings: &mut Findings,
) -> bool {
    let before = findings.mistakes();
    let mut names = NameCheck { declarations, findings, wanted: VARIABLE, reported: BTreeSet::new() };
    items.for_each(|item| names.item(item));
    findings.mistakes() == before && !declarations.missing_names && declarations.doubled.is_empty()
}

struct NameCheck<'d, 'a> {
    declarations: &'d Declarations<'a>,
    findings: &'d mut Findings,
    /// What a name can stand for in this item.
    wanted: &'static str,
    /// The unknown variables of this item: each is reported once.
    reported: BTreeSet<Rc<str>>,
}

impl NameCheck<'_, '_> {
    fn item(&mut self, item: &Item) {
        let scope = &mut NameScope::default();
        self.reported.clear();
        self.wanted = match &item.kind {
            ItemKind::Facts { .. } => "value",
            ItemKind::Require { .. } => "parameter or constant",
            _ => VARIABLE,
        };
        match &item.kind {
            ItemKind::Definition(d) => {
                d.indices.iter().for_each(|index| self.bind_family_index(index, scope));
                if let Some(alternative) = &d.alternative {
                    self.kind_condition(d, &alternative.condition, scope);
                }
                self.bind_columns(&d.columns, scope);
                self.clause_names(&d.clauses, scope);
            }
            ItemKind::Query { columns, clauses, .. } => {
                self.bind_columns(columns, scope);
                self.clause_names(clauses, scope);
            }
            ItemKind::Trace { clauses, .. } => self.clause_names(clauses, scope),
            ItemKind::Facts { rows, .. } => {
                rows.iter().flat_map(|row| &row.values).for_each(|value| self.expr_names(value, scope))
            }
            ItemKind::Verdict { condition: Some(condition), .. } | ItemKind::Require { condition, .. } => {
                self.expr_names(condition, scope)
            }
            _ => {}
        }
    }

    /// The kind of an instance is decided by its indices: columns and relations are not known then.
    fn kind_condition(&mut self, definition: &Definition, condition: &Expr, scope: &mut NameScope) {
        let mut names = Vec::new();
        mentions(condition, &mut names);
        let column = definition.columns.iter().find(|column| names.contains(&column.name.name));
        let relation = names.iter().find(|name| self.declarations.relation(name).is_some());
        let (place, what) = match (column, relation) {
            (Some(column), _) => (column.name.span, format!("`{}` is a column", column.name.name)),
            (None, Some(name)) => (self.declarations.globals[name].span, format!("`{name}` is a relation")),
            (None, None) => {
                let wanted = std::mem::replace(&mut self.wanted, "parameter, constant or index");
                self.expr_names(condition, scope);
                self.wanted = wanted;
                return;
            }
        };
        let title = format!("the kind of `{}` must be known before solving", definition.name.name);
        self.findings.add(
            Diagnostic::error("fp::not_static", title)
                .label(condition.span, "this decides between `mu` and `nu`")
                .label(place, what)
                .help("a condition on the indices, parameters and constants decides, such as `i % 2 = 1`"),
        );
    }

    fn clause_names(&mut self, clauses: &[ClauseDecl], scope: &mut NameScope) {
        let mut labels: Vec<&Ident> = Vec::new();
        for clause in clauses {
            if let Some(label) = &clause.label {
                if let Some(first) = labels.iter().find(|first| first.name == label.name) {
                    self.findings.add(
                        Diagnostic::error(
                            "fp::defined_twice",
                            format!("two clauses are called `{}`", label.name),
                        )
                        .label(label.span, "again here")
                        .label(first.span, "first here")
                        .help("rename one of them: statistics and traces refer to clauses by name"),
                    );
                }
                labels.push(label);
            }
            self.expr_names(&clause.body, scope);
        }
    }

    /// Two columns of one name are reported where they are declared.
    fn bind_columns(&mut self, columns: &[ColumnDecl], scope: &mut NameScope) {
        let first = scope.bound.len();
        for column in columns {
            self.sort_names(&column.sort, scope);
            if !scope.bound[first..].iter().any(|bound| bound.name == column.name.name) {
                self.bind(&column.name, LocalKind::Variable, scope);
            }
        }
    }

    fn bind(&mut self, name: &Ident, kind: LocalKind, scope: &mut NameScope) {
        let visible = |(at, bound): &(usize, &BoundName)| {
            bound.name == name.name && (*at >= scope.closed || !matches!(bound.kind, LocalKind::Variable))
        };
        let outer = scope.bound.iter().enumerate().rfind(visible).map(|(_, bound)| bound.span);
        let global = self.declarations.globals.get(&name.name).filter(|global| {
            matches!(
                global.kind,
                GlobalKind::Param { .. }
                    | GlobalKind::Const(_)
                    | GlobalKind::EnumValue { .. }
                    | GlobalKind::Vocabulary
                    | GlobalKind::Module
            )
            // What another file binds or defines does not clash with what this one does.
            && global.span.file == name.span.file
        });
        if let Some(first) = outer.or(global.map(|global| global.span)) {
            self.findings.add(
                Diagnostic::error("fp::shadowed", format!("`{}` already means something here", name.name))
                    .label(name.span, "bound again here")
                    .label(first, "its first meaning")
                    .help("choose another name; primes are allowed, as in `x'`"),
            );
        }
        scope.bound.push(BoundName { name: name.name.clone(), span: name.span, used: false, kind });
    }

    fn bind_index(&mut self, index: &IndexBinder, scope: &mut NameScope) {
        self.expr_names(&index.lo, scope);
        self.expr_names(&index.hi, scope);
        self.bind(&index.name, LocalKind::Number, scope);
    }

    fn bind_family_index(&mut self, index: &FamilyIndex, scope: &mut NameScope) {
        match index {
            FamilyIndex::Number(index) => self.bind_index(index, scope),
            FamilyIndex::Sort(name) => self.bind(name, LocalKind::Sort, scope),
            FamilyIndex::Relation(RelationIndex { name, indices, columns, .. }) => {
                columns.iter().for_each(|sort| self.sort_names(sort, scope));
                let kind = LocalKind::Relation { indices: indices.len(), columns: columns.len() };
                self.bind(name, kind, scope);
            }
        }
    }

    fn sort_names(&mut self, sort: &SortExpr, scope: &mut NameScope) {
        match &sort.kind {
            SortKind::Bool | SortKind::Name(_) => {}
            SortKind::Range(lo, hi) => [lo, hi].into_iter().for_each(|end| self.expr_names(end, scope)),
            SortKind::Vector(element, lo, hi) => {
                self.sort_names(element, scope);
                [lo, hi].into_iter().for_each(|end| self.expr_names(end, scope));
            }
        }
    }

    fn expr_names(&mut self, expr: &Expr, scope: &mut NameScope) {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Text(_) => {}
            ExprKind::Name(name) => self.name_use(name, scope),
            ExprKind::Field(base, field) => match &base.kind {
                ExprKind::Name(name)
                    if self.declarations.is_vocabulary(&name.name) && scope.find(&name.name).is_none() =>
                {
                    self.fact_use(name, field)
                }
                _ => self.expr_names(base, scope),
            },
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.expr_names(inner, scope),
            ExprKind::Index(base, at) => [base, at].into_iter().for_each(|part| self.expr_names(part, scope)),
            ExprKind::Slice(base, lo, hi) => {
                self.expr_names(base, scope);
                [lo, hi].into_iter().flatten().for_each(|end| self.expr_names(end, scope));
            }
            ExprKind::Update(base, at, value) => {
                [base, at, value].into_iter().for_each(|part| self.expr_names(part, scope))
            }
            ExprKind::With(base, fields) => {
                self.expr_names(base, scope);
                fields.iter().for_each(|(_, value)| self.expr_names(value, scope));
            }
            ExprKind::Record(_, fields) => fields.iter().for_each(|(_, value)| self.expr_names(value, scope)),
            ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => {
                parts.iter().for_each(|part| self.expr_names(part, scope))
            }
            ExprKind::Apply { name, indices, args } => {
                self.relation_use(expr.span, name, indices.len(), args.len(), scope);
                self.argument_names(name, indices, scope);
                args.iter().for_each(|part| self.expr_names(part, scope));
            }
            // Only the arguments of families are like this. Elsewhere that is said when the formula is built.
            ExprKind::Instance { indices, .. } => {
                indices.iter().for_each(|index| self.expr_names(index, scope));
            }
            ExprKind::Comprehension { binders, body } => self.comprehension(binders, body, scope),
            ExprKind::Sort(sort) => self.sort_names(sort, scope),
            ExprKind::Marked { by, at, atom, .. } => {
                [Some(atom), by.as_ref(), at.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|part| self.expr_names(part, scope));
            }
            ExprKind::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|side| self.expr_names(side, scope))
            }
            ExprKind::Quantified { binders, body, .. } => self.quantified(binders, body, scope),
            ExprKind::Unrolled { indices, body, .. } => {
                let depth = scope.bound.len();
                indices.iter().for_each(|index| self.bind_index(index, scope));
                self.expr_names(body, scope);
                scope.bound.truncate(depth);
            }
        }
    }

    /// What is bound must be used.
    fn quantified(&mut self, binders: &[Binder], body: &Expr, scope: &mut NameScope) {
        let depth = scope.bound.len();
        for binder in binders {
            if let Some(sort) = &binder.sort {
                self.sort_names(sort, scope);
            }
            self.bind(&binder.name, LocalKind::Variable, scope);
        }
        self.expr_names(body, scope);
        for bound in scope.bound.split_off(depth) {
            if !bound.used {
                self.findings.add(
                    Diagnostic::error(
                        "fp::unused_variable",
                        format!("`{}` is quantified but never used", bound.name),
                    )
                    .label(bound.span, "never used")
                    .help("remove it, or use it in the formula"),
                );
            }
        }
    }

    fn name_use(&mut self, name: &Ident, scope: &mut NameScope) {
        if let Some(at) = scope.find(&name.name) {
            scope.bound[at].used = true;
            match scope.bound[at].kind {
                LocalKind::Variable if at < scope.closed => {
                    self.findings.add(open_comprehension(name, scope.bound[at].span));
                }
                LocalKind::Variable | LocalKind::Number => {}
                LocalKind::Sort => {
                    self.findings.add(
                        Diagnostic::error("fp::not_a_value", format!("`{}` is not a value", name.name))
                            .label(name.span, "a value or formula is needed here")
                            .label(scope.bound[at].span, "this index is a sort")
                            .help(format!(
                                "a sort stands behind a colon, as in `exists x: {}. …`",
                                name.name
                            )),
                    );
                }
                LocalKind::Relation { .. } => self.local_relation(name.span, name, [0, 0], &scope.bound[at]),
            }
            return;
        }
        match self.declarations.globals.get(&name.name).map(|global| (global.kind.clone(), global.span)) {
            Some((GlobalKind::Param { .. } | GlobalKind::Const(_) | GlobalKind::EnumValue { .. }, _)) => {}
            Some((GlobalKind::Relation(family), _)) => self.relation_use_of(name.span, name, family, 0, 0),
            Some((kind @ (GlobalKind::Sort(_) | GlobalKind::Vocabulary | GlobalKind::Module), span)) => {
                let help = match kind {
                    GlobalKind::Sort(_) => {
                        format!("a sort is written after a colon, as in `exists x: {}. …`", name.name)
                    }
                    GlobalKind::Module => {
                        format!("what the file defines has names such as `{}.R`", name.name)
                    }
                    _ => format!("its facts are numbers: `{}.NAME`", name.name),
                };
                self.findings.add(
                    Diagnostic::error("fp::not_a_value", format!("`{}` is not a value", name.name))
                        .label(name.span, "a value or formula is needed here")
                        .label(span, format!("{}, from here", kind_words(&kind)))
                        .help(help),
                );
            }
            None if self.findings.is_full() || !self.reported.insert(name.name.clone()) => {}
            None => {
                let names = scope.bound.iter().map(|bound| &*bound.name);
                let names = names.chain(self.declarations.globals.keys().map(|name| &**name));
                self.declarations.unknown(self.wanted, name, names, self.findings);
            }
        }
    }

    fn fact_use(&mut self, vocabulary: &Ident, fact: &Ident) {
        if self.declarations.fact_value(&vocabulary.name, &fact.name).is_none() {
            self.declarations.unknown_fact(vocabulary, fact, self.findings);
        }
    }

    fn relation_use(&mut self, span: Span, name: &Ident, indices: usize, args: usize, scope: &NameScope) {
        if matches!(&*name.name, "min" | "max") && !self.declarations.globals.contains_key(&name.name) {
            if args != 2 || indices != 0 {
                self.findings.add(two_numbers(span, name));
            }
            return;
        }
        if let Some(at) = scope.find(&name.name) {
            if let LocalKind::Relation { .. } = scope.bound[at].kind {
                self.local_relation(span, name, [indices, args], &scope.bound[at]);
                return;
            }
            self.findings.add(
                Diagnostic::error("fp::not_a_relation", format!("`{}` is not a relation", name.name))
                    .label(name.span, "used as a relation")
                    .label(scope.bound[at].span, "but it is a variable or an index")
                    .help("a variable is a value; relations are defined with `let`, `mu` or `nu`"),
            );
            return;
        }
        match self.declarations.globals.get(&name.name).map(|global| (global.kind.clone(), global.span)) {
            Some((GlobalKind::Relation(family), _)) => {
                self.relation_use_of(span, name, family, indices, args)
            }
            Some((kind, defined)) => {
                let help = match kind {
                    GlobalKind::Sort(_) => {
                        format!(
                            "a formula does not test sorts; give a variable its sort where it is bound, as in `exists x: {}. …`",
                            name.name
                        )
                    }
                    _ => "only relations have columns".to_string(),
                };
                self.findings.add(
                    Diagnostic::error("fp::not_a_relation", format!("`{}` is not a relation", name.name))
                        .label(name.span, "used as a relation")
                        .label(defined, format!("{}, from here", kind_words(&kind)))
                        .help(help),
                );
            }
            None if self.findings.is_full() => {}
            None if self.no_file_behind(name) => {}
            None => {
                let known = self.declarations.names(|kind| matches!(kind, GlobalKind::Relation(_)));
                self.declarations.unknown("relation", name, known.map(|name| &**name), self.findings);
            }
        }
    }

    /// Reports `x.R` where no file is used behind the name `x`.
    fn no_file_behind(&mut self, name: &Ident) -> bool {
        let Some((file, _)) = name.name.rsplit_once('.') else { return false };
        if self.declarations.get(file).is_some_and(|global| matches!(global.kind, GlobalKind::Module)) {
            return false;
        }
        self.findings.add(
            Diagnostic::error("fp::unknown_name", format!("there is no relation `{}`", name.name))
                .label(name.span, format!("no file is used behind the name `{file}`"))
                .help(format!(
                    "write `use \"…\" as {file};`; or, if the dot ends the variables of a quantifier, a space after it"
                )),
        );
        true
    }

    /// A relation that a family is indexed by, used with so many indices and arguments.
    fn local_relation(&mut self, span: Span, name: &Ident, [indices, args]: [usize; 2], bound: &BoundName) {
        let LocalKind::Relation { indices: wanted_indices, columns } = bound.kind else { return };
        let index = |number| count(number, "index", "indices");
        let (code, given, wanted) = if indices != wanted_indices {
            ("fp::wrong_indices", index(indices), index(wanted_indices))
        } else if args != columns {
            let given = count(args, "argument", "arguments");
            ("fp::wrong_arity", given, count(columns, "column", "columns"))
        } else {
            return;
        };
        self.findings.add(
            Diagnostic::error(code, format!("`{}` has {wanted}, but is used with {given}", name.name))
                .label(span, format!("used with {given}"))
                .label(bound.span, format!("declared with {wanted}"))
                .help("the declaration in the brackets says which indices and columns it has"),
        );
    }

    /// What a family is given in its brackets: numbers, sorts, relations.
    fn argument_names(&mut self, name: &Ident, given: &[Expr], scope: &mut NameScope) {
        let local = scope.find(&name.name).is_some();
        let family = self.declarations.relation(&name.name).filter(|_| !local);
        let indices = family.map_or(&[][..], |family| self.declarations.families[family].indices());
        let all = given.len() == indices.len();
        let wanted = indices.iter().filter(|index| all || !matches!(index, FamilyIndex::Sort(_)));
        let wanted = wanted.map(Some).chain(std::iter::repeat(None));
        for (given, wanted) in given.iter().zip(wanted) {
            match wanted {
                // Whether it is a sort is seen when the instance is made.
                Some(FamilyIndex::Sort(_)) => {}
                Some(FamilyIndex::Relation(_)) => self.relation_argument(given, scope),
                Some(FamilyIndex::Number(_)) | None => self.expr_names(given, scope),
            }
        }
    }

    fn relation_argument(&mut self, given: &Expr, scope: &mut NameScope) {
        let (name, indices) = match &given.kind {
            ExprKind::Name(name) => (name, &[][..]),
            ExprKind::Instance { name, indices } => (name, &indices[..]),
            ExprKind::Index(base, index) => match &base.kind {
                ExprKind::Name(name) => (name, std::slice::from_ref(&**index)),
                _ => return self.expr_names(given, scope),
            },
            _ => return self.expr_names(given, scope),
        };
        if let Some(at) = scope.find(&name.name) {
            let bound = &mut scope.bound[at];
            bound.used = true;
            if !matches!(bound.kind, LocalKind::Relation { .. }) {
                self.findings.add(
                    Diagnostic::error("fp::not_a_relation", format!("`{}` is not a relation", name.name))
                        .label(name.span, "a relation is needed here")
                        .label(bound.span, "this stands for a value or a sort")
                        .help("give the name of a relation, an instance `R[1]`, or `{ (x, y) | R(y, x) }`"),
                );
            }
        } else if let Some(family) = self.declarations.relation(&name.name) {
            let family = &self.declarations.families[family];
            // The indices that are left open are counted when the instance is made.
            if family.is_generic() {
                self.relation_use(given.span, name, indices.len(), family.column_count, scope);
            }
        } else {
            self.relation_use(given.span, name, 0, 0, scope);
        }
        self.argument_names(name, indices, scope);
    }

    /// A comprehension is closed: it mentions its own variables, and what is static.
    fn comprehension(&mut self, binders: &[Binder], body: &Expr, scope: &mut NameScope) {
        let depth = scope.bound.len();
        let outer = std::mem::replace(&mut scope.closed, depth);
        for binder in binders {
            if let Some(sort) = &binder.sort {
                self.sort_names(sort, scope);
            }
            self.bind(&binder.name, LocalKind::Variable, scope);
        }
        self.expr_names(body, scope);
        scope.bound.truncate(depth);
        scope.closed = outer;
    }

    fn relation_use_of(&mut self, span: Span, name: &Ident, family: usize, indices: usize, args: usize) {
        let usage = self.declarations.usage(family);
        let family = &self.declarations.families[family];
        let defined = family.span;
        let offered = matches!(family.source, FamilySource::Offered(_));
        let from = if offered { "offered by the model" } else { "defined" };
        let left_out = family.index_count - family.sort_count();
        let (code, given, wanted) = if self.declarations.doubled.contains(&name.name) {
            return;
        } else if indices != family.index_count && indices != left_out {
            let words = |number| count(number, "index", "indices");
            ("fp::wrong_indices", words(indices), words(family.index_count))
        } else if args != family.column_count {
            let given = count(args, "argument", "arguments");
            ("fp::wrong_arity", given, count(family.column_count, "column", "columns"))
        } else {
            return;
        };
        self.findings.add(
            Diagnostic::error(code, format!("`{}` has {wanted}, but is used with {given}", name.name))
                .label(span, format!("used with {given}"))
                .label(defined, format!("{from} with {wanted}"))
                .help(match (code, usage.split_once('(')) {
                    ("fp::wrong_arity", Some((_, columns))) if args == 0 => {
                        let columns = columns.trim_end_matches(')');
                        format!("write `{usage}`, or `exists {columns}. {usage}` if any tuple will do")
                    }
                    _ => format!("write `{usage}`"),
                }),
        );
    }
}

impl NameScope {
    fn find(&self, name: &str) -> Option<usize> {
        self.bound.iter().rposition(|bound| &*bound.name == name)
    }
}

fn open_comprehension(name: &Ident, bound: Span) -> Diagnostic {
    let title = format!("the variable `{}` is outside of this comprehension", name.name);
    Diagnostic::error("fp::open_comprehension", title)
        .label(name.span, "a comprehension is a relation of its own")
        .label(bound, "bound here, outside of it")
        .help("make it a column: of the comprehension, and of the relation that the family wants")
}

/// `min` and `max` are functions of numbers.
pub(super) fn two_numbers(span: Span, name: &Ident) -> Diagnostic {
    Diagnostic::error("fp::wrong_arity", format!("`{}` takes two numbers", name.name))
        .label(span, "not two numbers")
        .help(format!("write `{}(a, b)`", name.name))
}

/// Whether a definition or query of a file mentions a relation.
pub fn mentions_relation(file: &File, name: &str) -> bool {
    let mut names = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Definition(Definition { clauses, .. })
            | ItemKind::Query { clauses, .. }
            | ItemKind::Trace { clauses, .. } => {
                clauses.iter().for_each(|clause| mentions(&clause.body, &mut names));
            }
            _ => {}
        }
    }
    names.iter().any(|mentioned| &**mentioned == name)
}

/// The names that an expression mentions.
pub(super) fn mentions(expr: &Expr, out: &mut Vec<Rc<str>>) {
    mentioned(expr, &mut |name| out.push(name.name.clone()));
}
