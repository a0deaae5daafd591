//! The names of all files, and the order in which they are checked.

use super::tree::{Body, Column, RelId, Relation, System};
use super::{Checked, Checker, Reported};
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::Span;
use crate::syntax::ast::{self, Clause, DefKind, Expr, File, Ident, IndexBinder, Item, ItemKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a name of the file stands for.
#[derive(Clone)]
pub(super) struct Global<'a> {
    pub span: Span,
    pub kind: GlobalKind<'a>,
}

#[derive(Clone)]
pub(super) enum GlobalKind<'a> {
    Param { value: &'a Expr, bounds: Option<&'a ast::ParamBounds> },
    Const(&'a Expr),
    Sort(SortSource<'a>),
    EnumValue { sort: Rc<str>, position: u64 },
    Relation(usize),
    Vocabulary,
}

#[derive(Clone)]
pub(super) enum SortSource<'a> {
    Enum {
        values: &'a [Ident],
        keyed: bool,
    },
    Range {
        lo: &'a Expr,
        hi: &'a Expr,
        keyed: bool,
    },
    Record(&'a [ast::Column]),
    /// Positions in the model's vocabulary.
    Offered(usize),
    OfferedRecord(usize),
}

/// A relation or a family of relations, before and after it is instantiated.
pub(super) struct Family<'a> {
    pub name: Rc<str>,
    pub span: Span,
    pub column_count: usize,
    pub index_count: usize,
    pub source: FamilySource<'a>,
    pub instances: BTreeMap<Vec<i64>, RelId>,
    /// Some header could not be built; uses of it are passed over.
    pub broken: bool,
}

#[derive(Clone, Copy)]
pub(super) enum FamilySource<'a> {
    Facts { columns: &'a [ast::Column], rows: &'a [ast::FactRow] },
    Input { columns: &'a [ast::Column] },
    Defined { kind: DefKind, indices: &'a [IndexBinder], columns: &'a [ast::Column], clauses: &'a [Clause] },
    Offered(usize),
}

impl<'a> Checker<'a> {
    pub(super) fn run(&mut self, files: &'a [File]) -> Option<System> {
        let items = || files.iter().flat_map(|file| file.items.iter());
        items().for_each(|item| self.declare(item));
        self.check_settings();
        let names_hold = self.check_names(items());
        self.evaluate_globals();
        self.build_headers();
        self.apply_hints(items());
        if names_hold {
            (0..self.families.len()).for_each(|family| self.build_bodies(family));
        }
        let mut queries = self.collect_queries(items(), false);
        let mut traces = self.collect_queries(items(), true);
        let (mut verdicts, refusals) = self.collect_verdicts(items(), names_hold);
        // A used file is a library: its queries are relations like others, its verdicts are not about this file.
        if let Some(main) = files.last() {
            queries.retain(|query| query.span.file == main.id);
            // Its runs are runs of this file, unless this file says what its own are.
            traces.sort_by_key(|trace| trace.span.file != main.id);
            verdicts.retain(|verdict| verdict.span.file == main.id);
        }
        if !self.diagnostics.iter().any(|d| d.severity == crate::diagnostic::Severity::Error) {
            self.check_positivity();
            self.warn_unneeded(files, &queries, &verdicts);
            if self.mistakes == 0 {
                self.warn_vacuous();
            }
        }
        let params = self
            .globals
            .iter()
            .filter(|(_, global)| matches!(global.kind, GlobalKind::Param { .. }))
            .filter_map(|(name, _)| Some((name.to_string(), (*self.statics.get(name)?)?.ok()?)))
            .collect();
        Some(System {
            traces,
            sorts: std::mem::take(&mut self.sorts),
            relations: std::mem::take(&mut self.relations),
            queries,
            verdicts,
            params,
            vocabulary: self.options.model.clone(),
            refusals,
        })
    }

    fn declare(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::UseVocabulary { name } => self.declare_vocabulary(name),
            ItemKind::Param { name, bounds, value } => {
                self.define(name, GlobalKind::Param { value, bounds: bounds.as_ref() })
            }
            ItemKind::Const { name, value } => self.define(name, GlobalKind::Const(value)),
            ItemKind::Enum { keyed, name, values } => {
                self.define(name, GlobalKind::Sort(SortSource::Enum { values, keyed: *keyed }));
                for (position, value) in values.iter().enumerate() {
                    let kind = GlobalKind::EnumValue { sort: name.name.clone(), position: position as u64 };
                    self.define(value, kind);
                }
            }
            ItemKind::Range { keyed, name, lo, hi } => {
                self.define(name, GlobalKind::Sort(SortSource::Range { lo, hi, keyed: *keyed }))
            }
            ItemKind::Record { name, fields } => {
                self.distinct(fields.iter().map(|field| &field.name), "field");
                self.define(name, GlobalKind::Sort(SortSource::Record(fields)))
            }
            ItemKind::Facts { name, columns, rows } => {
                self.define_family(name, columns, 0, FamilySource::Facts { columns, rows })
            }
            ItemKind::Input { name, columns } => {
                self.define_family(name, columns, 0, FamilySource::Input { columns })
            }
            ItemKind::Definition(d) => {
                let (kind, indices, columns, clauses) = (d.kind, &d.indices, &d.columns, &d.clauses);
                let source = FamilySource::Defined { kind, indices, columns, clauses };
                self.define_family(&d.name, columns, indices.len(), source)
            }
            ItemKind::Query { name, columns, clauses } => {
                let source = FamilySource::Defined { kind: DefKind::Let, indices: &[], columns, clauses };
                self.define_family(name, columns, 0, source)
            }
            ItemKind::Trace { name, clauses } => {
                let (kind, columns) = (DefKind::Let, &[][..]);
                self.define_family(
                    name,
                    columns,
                    0,
                    FamilySource::Defined { kind, indices: &[], columns, clauses },
                )
            }
            ItemKind::UseFile { .. }
            | ItemKind::Require { .. }
            | ItemKind::Verdict { .. }
            | ItemKind::Hint { .. } => {}
        }
    }

    fn define(&mut self, name: &Ident, kind: GlobalKind<'a>) {
        if let Some(other) = self.globals.get(&name.name) {
            let first = other.span;
            let from_model = matches!(other.kind, GlobalKind::Vocabulary)
                || matches!(
                    other.kind,
                    GlobalKind::Sort(SortSource::Offered(_) | SortSource::OfferedRecord(_))
                )
                || matches!(other.kind, GlobalKind::Relation(f) if matches!(self.families[f].source, FamilySource::Offered(_)));
            let there =
                if from_model { "the model offers it through this `use`" } else { "first defined here" };
            self.report(
                Diagnostic::error("fp::defined_twice", format!("`{}` is defined twice", name.name))
                    .label(name.span, "defined again here")
                    .label(first, there)
                    .help("names of sorts, values, parameters and relations share one space; rename one of them"),
            );
            return;
        }
        self.globals.insert(name.name.clone(), Global { span: name.span, kind });
    }

    fn define_family(
        &mut self,
        name: &Ident,
        columns: &'a [ast::Column],
        indices: usize,
        source: FamilySource<'a>,
    ) {
        self.distinct(columns.iter().map(|column| &column.name), "column");
        self.define(name, GlobalKind::Relation(self.families.len()));
        self.families.push(Family {
            name: name.name.clone(),
            span: name.span,
            column_count: columns.len(),
            index_count: indices,
            source,
            instances: BTreeMap::new(),
            broken: false,
        });
    }

    fn distinct(&mut self, names: impl Iterator<Item = &'a Ident>, what: &str) {
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for name in names {
            if let Some(&first) = seen.get(&*name.name) {
                self.report(
                    Diagnostic::error("fp::defined_twice", format!("two {what}s are called `{}`", name.name))
                        .label(name.span, "again here")
                        .label(first, "first here")
                        .help(format!("give each {what} a name of its own")),
                );
            }
            seen.insert(&name.name, name.span);
        }
    }

    fn declare_vocabulary(&mut self, name: &Ident) {
        let Some(model) = self.options.model.as_ref() else {
            self.missing_vocabulary = true;
            self.report(
                Diagnostic::error(
                    "fp::no_model",
                    format!("`use {};` needs a model, and none is given", name.name),
                )
                .label(name.span, "the vocabulary of a model")
                .help("name a model after the file: fpsolve FILE.fp MODEL"),
            );
            return;
        };
        if *model.name != *name.name {
            self.missing_vocabulary = true;
            let help = match nearest(&name.name, [model.name.as_str()]) {
                Some(near) => format!("did you mean `{near}`? That is what this model offers"),
                None => format!("this model offers `{}`", model.name),
            };
            self.report(
                Diagnostic::error("fp::vocabulary", format!("the model does not offer `{}`", name.name))
                    .label(name.span, "not offered")
                    .help(help),
            );
            return;
        }
        if self.globals.contains_key(&name.name) {
            return;
        }
        self.define(name, GlobalKind::Vocabulary);
        let offered = |text: &str| Ident { name: text.into(), span: name.span };
        for (at, sort) in model.sorts.iter().enumerate() {
            self.define(&offered(&sort.name), GlobalKind::Sort(SortSource::Offered(at)));
        }
        for (at, record) in model.records.iter().enumerate() {
            self.define(&offered(&record.name), GlobalKind::Sort(SortSource::OfferedRecord(at)));
        }
        for (at, relation) in model.relations.iter().enumerate() {
            self.define(&offered(&relation.name), GlobalKind::Relation(self.families.len()));
            self.families.push(Family {
                name: relation.name.as_str().into(),
                span: name.span,
                column_count: relation.columns.len(),
                index_count: usize::from(relation.index.is_some()),
                source: FamilySource::Offered(at),
                instances: BTreeMap::new(),
                broken: false,
            });
        }
    }

    /// `--set` may only name parameters.
    fn check_settings(&mut self) {
        let params = || self.globals.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Param { .. }));
        let mut found = Vec::new();
        for name in self.options.params.keys() {
            if params().any(|(param, _)| **param == **name) {
                continue;
            }
            let known = params().map(|(param, _)| &**param).collect::<Vec<_>>();
            let constant = self.globals.get(name.as_str());
            let constant = constant.filter(|global| matches!(global.kind, GlobalKind::Const(_)));
            let help = match (nearest(name, known.iter().copied()), known.is_empty()) {
                _ if constant.is_some() => format!("to set it, define it as `param {name} = …;`"),
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => {
                    "the file has no parameters; `--set` and `--deepen` are for those".to_string()
                }
                (None, false) => format!("its parameters are: {}", known.join(", ")),
            };
            let title = format!("the file has no parameter `{name}` to set");
            let diagnostic = Diagnostic::error("fp::unknown_param", title).help(help);
            found.push(match constant {
                Some(global) => diagnostic.label(global.span, "a constant, not a parameter"),
                None => diagnostic,
            });
        }
        found.into_iter().for_each(|diagnostic| {
            self.report(diagnostic);
        });
    }

    /// Creates the relation of every instance of every family, with its columns.
    fn build_headers(&mut self) {
        for at in 0..self.families.len() {
            let source = self.families[at].source;
            let built = match source {
                FamilySource::Facts { columns, .. } | FamilySource::Input { columns } => {
                    self.build_header(at, Vec::new(), columns, &[])
                }
                FamilySource::Defined { indices, columns, .. } => self.build_family(at, indices, columns),
                FamilySource::Offered(offered) => self.build_offered(at, offered),
            };
            self.families[at].broken |= built.is_err();
        }
    }

    fn build_family(
        &mut self,
        at: usize,
        indices: &'a [IndexBinder],
        columns: &'a [ast::Column],
    ) -> Checked<()> {
        let span = self.families[at].span;
        for env in self.index_tuples(indices, &mut Vec::new())? {
            if self.relations.len() >= 200_000 {
                return Err(self.report(
                    Diagnostic::error(
                        "fp::too_many_instances",
                        "the families have more than 200,000 instances",
                    )
                    .label(span, "while instantiating this one")
                    .help("make the index ranges smaller"),
                ));
            }
            let values = env.iter().map(|(_, value)| *value).collect();
            self.build_header(at, values, columns, &env)?;
        }
        Ok(())
    }

    fn build_header(
        &mut self,
        at: usize,
        indices: Vec<i64>,
        columns: &'a [ast::Column],
        env: &[(Rc<str>, i64)],
    ) -> Checked<()> {
        let sorts = columns.iter().map(|column| self.sort(&column.sort, env)).collect::<Vec<_>>();
        let sorts = sorts.into_iter().collect::<Checked<Vec<_>>>()?;
        let columns = columns
            .iter()
            .zip(sorts)
            .map(|(column, sort)| Column {
                name: column.name.name.clone(),
                sort,
                span: Some(column.name.span),
            })
            .collect();
        self.add_instance(at, indices, columns, Body::Facts(Vec::new()));
        Ok(())
    }

    fn build_offered(&mut self, at: usize, offered: usize) -> Checked<()> {
        let model = self.options.model.as_ref().ok_or(Reported)?;
        let relation = &model.relations[offered];
        let columns = relation
            .columns
            .iter()
            .map(|(name, sort)| {
                Ok(Column { name: name.as_str().into(), sort: self.offered_sort(sort)?, span: None })
            })
            .collect::<Checked<Vec<_>>>()?;
        let indices = match relation.index {
            None => vec![Vec::new()],
            Some((lo, hi)) => (lo..=hi).map(|value| vec![value]).collect(),
        };
        for (indices, rows) in indices.into_iter().zip(&relation.instances) {
            self.add_instance(at, indices, columns.clone(), Body::Model(rows.clone()));
        }
        Ok(())
    }

    fn add_instance(&mut self, at: usize, indices: Vec<i64>, columns: Vec<Column>, body: Body) {
        let id = RelId(self.relations.len() as u32);
        let family = &mut self.families[at];
        family.instances.insert(indices.clone(), id);
        self.relations.push(Relation {
            name: family.name.clone(),
            indices,
            columns,
            body,
            span: family.span,
        });
    }

    fn build_bodies(&mut self, at: usize) {
        let source = self.families[at].source;
        let instances = self.families[at].instances.clone();
        match source {
            FamilySource::Facts { rows, .. } => instances.values().for_each(|&id| self.build_facts(id, rows)),
            FamilySource::Input { .. } => instances.values().for_each(|&id| self.read_facts(id)),
            FamilySource::Offered(_) => {}
            FamilySource::Defined { kind, indices, clauses, .. } => {
                for (values, id) in instances {
                    let env =
                        indices.iter().map(|index| index.name.name.clone()).zip(values).collect::<Vec<_>>();
                    if let Ok((vars, clauses)) = self.build_definition(id, clauses, &env) {
                        let body = Body::Defined { kind, order: at as u32, vars, clauses };
                        self.relations[id.0 as usize].body = body;
                    }
                }
            }
        }
    }

    /// `hint keyed S;`, `hint symbolic S;`, and the command line's wishes, which come last.
    fn apply_hints(&mut self, items: impl Iterator<Item = &'a Item>) {
        for item in items {
            let ItemKind::Hint { kind, names } = &item.kind else { continue };
            let keyed = match &*kind.name {
                "keyed" => true,
                "symbolic" => false,
                _ => {
                    self.unknown("hint", kind, vec!["keyed", "symbolic"]);
                    continue;
                }
            };
            if names.is_empty() {
                self.report(
                    Diagnostic::error("fp::bad_hint", "the hint does not say for what")
                        .label(kind.span, "for which sorts?")
                        .help(format!("name them behind it: `hint {} Node;`", kind.name)),
                );
            }
            for name in names {
                let Ok(sort) = self.sort_named(name) else { continue };
                if let Err((why, help)) = self.choose_keyed(sort, keyed) {
                    let title = format!("the hint `{}` does not apply to `{}`", kind.name, name.name);
                    self.report(Diagnostic::error("fp::bad_hint", title).label(name.span, why).help(help));
                }
            }
        }
        for (name, keyed) in &self.options.keyed {
            let ident = Ident { name: name.as_str().into(), span: Span::default() };
            let chosen = match self.globals.get(&*ident.name).map(|global| &global.kind) {
                Some(GlobalKind::Sort(_)) => self
                    .sort_named(&ident)
                    .map(|sort| self.choose_keyed(sort, *keyed).is_ok())
                    .unwrap_or(true),
                _ => false,
            };
            if !chosen {
                let sorts = self.globals.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Sort(_)));
                let sorts = sorts.map(|(sort, _)| &**sort).collect::<Vec<_>>();
                let help = match nearest(name, sorts.iter().copied().filter(|sort| sort != name)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name a range, an enum, or a numbered sort of the model".to_string(),
                };
                let title = format!("there is no sort `{name}` whose columns can be keys or not");
                self.report(Diagnostic::error("fp::bad_hint", title).help(help));
            }
        }
    }

    /// Why a hint does not apply to a sort, and what to do, if it does not.
    fn choose_keyed(
        &mut self,
        sort: crate::sort::SortId,
        keyed: bool,
    ) -> Result<(), (&'static str, &'static str)> {
        use crate::sort::{Sort, Width};
        match self.sorts.get(sort) {
            Sort::Record { .. } | Sort::Vector { .. } => {
                return Err(("this sort has parts", "give the hint for the sorts of its parts"));
            }
            Sort::Opaque { width: Width::Bits(_), .. } if keyed => {
                let help = "only ranges, enums and numbered sorts of the model can be keys";
                return Err(("this sort is made of bits", help));
            }
            _ if keyed && self.sorts.scalar_size(sort) > Some(super::MAX_KEYS) => {
                return Err(("this sort has too many values", super::TOO_MANY_KEYS));
            }
            _ => {}
        }
        self.sorts.set_keyed(sort, keyed);
        Ok(())
    }

    pub(super) fn relation_names(&self) -> Vec<&str> {
        self.globals
            .iter()
            .filter(|(_, global)| matches!(global.kind, GlobalKind::Relation(_)))
            .map(|(name, _)| &**name)
            .collect()
    }
}
