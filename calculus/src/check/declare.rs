//! The names of all files: parameters, constants, sorts, values and relations, and what the model offers.

use super::findings::{Findings, Reported};
use super::modules::FilledRelation;
use super::words;
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::Span;
use crate::syntax::ast::{self, Alternative, ClauseDecl, DefKind, Expr, FamilyIndex, Ident, Item, ItemKind};
use crate::vocabulary::Vocabulary;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// All names, and what they stand for.
pub(super) struct Declarations<'a> {
    pub globals: BTreeMap<Rc<str>, Global<'a>>,
    /// In the order of the text.
    pub families: Vec<Family<'a>>,
    /// Its names are among the globals only where a file uses it.
    pub model: Option<&'a Vocabulary>,
    /// A `use` failed, or what it gives is missing: unknown names are most likely those.
    pub missing_names: bool,
    /// Defined twice: which definition a use means is not known.
    pub doubled: BTreeSet<Rc<str>>,
}

/// What a name of the file stands for.
#[derive(Clone)]
pub(super) struct Global<'a> {
    pub span: Span,
    pub kind: GlobalKind<'a>,
}

#[derive(Clone)]
pub(super) enum GlobalKind<'a> {
    Param {
        value: &'a Expr,
        bounds: Option<&'a ast::ParamBounds>,
    },
    Const(&'a Expr),
    Sort(SortSource<'a>),
    EnumValue {
        sort: Rc<str>,
        position: u64,
    },
    Relation(usize),
    Vocabulary,
    /// A file that is used behind this name.
    Module,
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
    Symbol {
        keyed: bool,
    },
    Record(&'a [ast::ColumnDecl]),
    Alias(&'a ast::SortExpr),
    /// Positions in the model's vocabulary.
    Offered(usize),
    OfferedSymbol(usize),
    OfferedRecord(usize),
}

impl SortSource<'_> {
    fn is_offered(&self) -> bool {
        matches!(self, SortSource::Offered(_) | SortSource::OfferedSymbol(_) | SortSource::OfferedRecord(_))
    }
}

/// A relation or a family of relations, as it is declared.
pub(super) struct Family<'a> {
    pub name: Rc<str>,
    pub span: Span,
    pub column_count: usize,
    pub index_count: usize,
    pub source: FamilySource<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum FamilySource<'a> {
    Facts {
        columns: &'a [ast::ColumnDecl],
        rows: &'a [ast::FactRow],
    },
    Input {
        columns: &'a [ast::ColumnDecl],
    },
    Defined {
        kind: DefKind,
        alternative: Option<&'a Alternative>,
        indices: &'a [FamilyIndex],
        columns: &'a [ast::ColumnDecl],
        clauses: &'a [ClauseDecl],
    },
    Offered(usize),
}

impl<'a> Family<'a> {
    /// What it is indexed by, if it is a definition.
    pub fn indices(&self) -> &'a [FamilyIndex] {
        match self.source {
            FamilySource::Defined { indices, .. } => indices,
            _ => &[],
        }
    }

    /// Whether it has instances for sorts or relations: those are made where they are used.
    pub fn is_generic(&self) -> bool {
        self.indices().iter().any(|index| !matches!(index, FamilyIndex::Number(_)))
    }

    /// How many of its indices are sorts, which may be left out.
    pub fn sort_count(&self) -> usize {
        self.indices().iter().filter(|index| matches!(index, FamilyIndex::Sort(_))).count()
    }
}

/// A query or a trace.
fn formula<'a>(columns: &'a [ast::ColumnDecl], clauses: &'a [ClauseDecl]) -> FamilySource<'a> {
    FamilySource::Defined { kind: DefKind::Let, alternative: None, indices: &[], columns, clauses }
}

impl<'a> Declarations<'a> {
    pub fn get(&self, name: &str) -> Option<&Global<'a>> {
        self.globals.get(name)
    }

    /// The family of a relation.
    pub fn relation(&self, name: &str) -> Option<usize> {
        match self.get(name)?.kind {
            GlobalKind::Relation(family) => Some(family),
            _ => None,
        }
    }

    pub fn is_vocabulary(&self, name: &str) -> bool {
        self.get(name).is_some_and(|global| matches!(global.kind, GlobalKind::Vocabulary))
    }

    /// Whether it is a parameter or a constant.
    pub fn is_constant(&self, name: &str) -> bool {
        let constant = |kind: &GlobalKind| matches!(kind, GlobalKind::Param { .. } | GlobalKind::Const(_));
        self.get(name).is_some_and(|global| constant(&global.kind))
    }

    /// The value of `vocabulary.fact`.
    pub fn fact_value(&self, vocabulary: &str, fact: &str) -> Option<i64> {
        let model = self.model.filter(|_| self.is_vocabulary(vocabulary))?;
        model.facts_of(vocabulary).iter().find(|(name, _)| name == fact).map(|(_, value)| *value)
    }

    /// Whether a file has a sort of texts.
    pub fn has_symbols(&self) -> bool {
        let symbols = |kind: &GlobalKind| {
            matches!(kind, GlobalKind::Sort(SortSource::Symbol { .. } | SortSource::OfferedSymbol(_)))
        };
        self.names(symbols).next().is_some()
    }

    /// The names that stand for something of the given kind.
    pub fn names(&self, kind: impl Fn(&GlobalKind) -> bool) -> impl Iterator<Item = &Rc<str>> {
        self.globals.iter().filter(move |(_, global)| kind(&global.kind)).map(|(name, _)| name)
    }

    /// The sort of what stands behind a dot: `Shared.n` is that of `s.n`.
    pub fn sort_behind_dot(&self, name: &str) -> Option<&'a str> {
        let GlobalKind::Relation(family) = self.get(name)?.kind else { return None };
        let FamilySource::Offered(at) = self.families[family].source else { return None };
        let [(_, owner), (_, value)] = &self.model?.relations[at].columns[..] else { return None };
        name.strip_prefix(owner.as_str()).filter(|rest| rest.starts_with('.')).map(|_| value.as_str())
    }

    /// Reports a name that stands for nothing, unless it is most likely a name of a model that is missing.
    pub fn unknown<'k>(
        &self,
        what: &str,
        name: &Ident,
        known: impl IntoIterator<Item = &'k str>,
        findings: &mut Findings,
    ) -> Reported {
        if self.missing_names || findings.is_full() {
            return Reported;
        }
        let offered = self.model.is_some_and(|model| model.names().any(|known| *known == *name.name));
        let known = known.into_iter().collect::<Vec<_>>();
        findings.add(words::unknown(what, name, &known, offered, self.has_symbols()))
    }

    /// Reports a fact that the model does not have.
    pub fn unknown_fact(&self, vocabulary: &Ident, fact: &Ident, findings: &mut Findings) -> Reported {
        let known = self.model.iter().flat_map(|model| model.facts_of(&vocabulary.name));
        let known = known.map(|(name, _)| name.as_str());
        self.unknown(&format!("fact of `{}` called", vocabulary.name), fact, known, findings)
    }
}

/// Collects the names of all items, and of what used files are given.
pub(super) fn declare<'a>(
    items: impl Iterator<Item = &'a Item>,
    filled: &'a [FilledRelation],
    model: Option<&'a Vocabulary>,
    findings: &mut Findings,
) -> Declarations<'a> {
    let (globals, families) = (BTreeMap::new(), Vec::new());
    let found = Declarations { globals, families, model, missing_names: false, doubled: BTreeSet::new() };
    let mut collector = Collector { found, findings };
    items.for_each(|item| collector.declare(item));
    collector.fill(filled.iter().filter(|filled| filled.given.name != filled.name.name).collect());
    collector.found
}

struct Collector<'a, 'r> {
    found: Declarations<'a>,
    findings: &'r mut Findings,
}

impl<'a> Collector<'a, '_> {
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
            ItemKind::Symbol { keyed, name } => {
                self.define(name, GlobalKind::Sort(SortSource::Symbol { keyed: *keyed }))
            }
            ItemKind::Record { name, fields } => {
                self.distinct(fields.iter().map(|field| &field.name), "field");
                self.define(name, GlobalKind::Sort(SortSource::Record(fields)))
            }
            ItemKind::Alias { name, sort } => self.define(name, GlobalKind::Sort(SortSource::Alias(sort))),
            ItemKind::Facts { name, columns, rows } => {
                self.define_family(name, columns, 0, FamilySource::Facts { columns, rows })
            }
            ItemKind::Input { name, columns } => {
                self.define_family(name, columns, 0, FamilySource::Input { columns })
            }
            ItemKind::Definition(d) => {
                let (kind, indices, columns, clauses) = (d.kind, &d.indices, &d.columns, &d.clauses);
                let alternative = d.alternative.as_ref();
                let source = FamilySource::Defined { kind, alternative, indices, columns, clauses };
                self.define_family(&d.name, columns, indices.len(), source)
            }
            ItemKind::Query { name, columns, clauses } => {
                self.define_family(name, columns, 0, formula(columns, clauses))
            }
            ItemKind::Trace { name, clauses } => self.define_family(name, &[], 0, formula(&[], clauses)),
            ItemKind::UseFile { name: Some(name), .. } => {
                // Two files may use the same one behind the same name.
                let again =
                    self.found.get(&name.name).is_some_and(|other| matches!(other.kind, GlobalKind::Module));
                if !again {
                    self.define(name, GlobalKind::Module);
                }
            }
            // Those that nothing is given for were reported when the files were put together.
            ItemKind::UseFile { .. }
            | ItemKind::OpenSort { .. }
            | ItemKind::OpenRelation { .. }
            | ItemKind::Require { .. }
            | ItemKind::Verdict { .. }
            | ItemKind::Hint { .. } => {}
        }
    }

    /// The open relations of used files are the relations that they are given.
    fn fill(&mut self, mut filled: Vec<&'a FilledRelation>) {
        loop {
            let before = filled.len();
            filled.retain(|filled| {
                match self.found.get(&filled.given.name).map(|global| global.kind.clone()) {
                    Some(GlobalKind::Relation(family)) => {
                        self.define(&filled.name, GlobalKind::Relation(family));
                        false
                    }
                    _ => true,
                }
            });
            if filled.len() == before {
                break;
            }
        }
        for FilledRelation { name, given, .. } in &filled {
            if filled.iter().any(|other| other.name.name == given.name) {
                self.findings.add(
                    Diagnostic::error("fp::cyclic", format!("`{}` is given itself", name.name))
                        .label(given.span, "this one is given what it is given for, through other files")
                        .help("give one of them a relation that is defined"),
                );
                continue;
            }
            let what =
                self.found.get(&given.name).map(|global| (words::kind_words(&global.kind), global.span));
            match what {
                Some((kind, place)) => {
                    self.findings.add(
                        Diagnostic::error(
                            "fp::not_a_relation",
                            format!("`{}` is not a relation", given.name),
                        )
                        .label(given.span, format!("given for the relation `{}`", name.name))
                        .label(place, format!("{kind}, from here"))
                        .help("give the name of a relation, or `{ (x, y) | … }`"),
                    );
                }
                None => {
                    let known = self.found.names(|kind| matches!(kind, GlobalKind::Relation(_)));
                    self.found.unknown("relation", given, known.map(|name| &**name), self.findings);
                }
            }
        }
        self.found.missing_names |= !filled.is_empty();
    }

    fn define(&mut self, name: &Ident, kind: GlobalKind<'a>) {
        self.define_from(name, kind, None)
    }

    /// `source`: where the relation is from, if it is one of the file.
    fn define_from(&mut self, name: &Ident, kind: GlobalKind<'a>, source: Option<&FamilySource<'a>>) {
        if let Some(other) = self.found.globals.get(&name.name) {
            let first = other.span;
            let from_model = matches!(other.kind, GlobalKind::Vocabulary)
                || matches!(&other.kind, GlobalKind::Sort(source) if source.is_offered())
                || matches!(other.kind, GlobalKind::Relation(f) if matches!(self.found.families[f].source, FamilySource::Offered(_)));
            let there =
                if from_model { "the model offers it through this `use`" } else { "first defined here" };
            let help = match (&other.kind, &kind) {
                (GlobalKind::Relation(first), GlobalKind::Relation(_)) if !from_model => {
                    match (&self.found.families[*first].source, source) {
                        (FamilySource::Defined { .. }, Some(FamilySource::Defined { .. })) => {
                            "join the clauses with `|` in one definition, or rename one of them"
                        }
                        (FamilySource::Facts { .. }, Some(FamilySource::Facts { .. })) => {
                            "write all rows in one `rel`, or rename one of them"
                        }
                        _ => "rename one of them",
                    }
                }
                _ => "rename one of them: a sort, a value, a parameter and a relation cannot share a name",
            };
            let help = match first.file == name.span.file || from_model {
                true => help.to_string(),
                false => {
                    "rename one of them, or put one of the files behind a name: `use \"…\" as other;`".into()
                }
            };
            self.findings.add(
                Diagnostic::error("fp::defined_twice", format!("`{}` is defined twice", name.name))
                    .label(name.span, "defined again here")
                    .label(first, there)
                    .help(help),
            );
            self.found.doubled.insert(name.name.clone());
            return;
        }
        self.found.globals.insert(name.name.clone(), Global { span: name.span, kind });
    }

    fn define_family(
        &mut self,
        name: &Ident,
        columns: &'a [ast::ColumnDecl],
        indices: usize,
        source: FamilySource<'a>,
    ) {
        self.distinct(columns.iter().map(|column| &column.name), "column");
        self.define_from(name, GlobalKind::Relation(self.found.families.len()), Some(&source));
        self.found.families.push(Family {
            name: name.name.clone(),
            span: name.span,
            column_count: columns.len(),
            index_count: indices,
            source,
        });
    }

    fn distinct(&mut self, names: impl Iterator<Item = &'a Ident>, what: &str) {
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for name in names {
            if let Some(&first) = seen.get(&*name.name) {
                self.findings.add(
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
        let Some(model) = self.found.model else {
            self.found.missing_names = true;
            self.findings.add(
                Diagnostic::error(
                    "fp::no_model",
                    format!("`use {};` needs a model, and none is given", name.name),
                )
                .label(name.span, "the vocabulary of a model")
                .help("name a model after the file: fpsolve FILE.fp MODEL"),
            );
            return;
        };
        if !model.names().any(|known| *known == *name.name) {
            self.found.missing_names = true;
            let help = match nearest(&name.name, model.names()) {
                Some(near) => format!("did you mean `{near}`? That is what this model offers"),
                None => format!("this model offers `{}`", model.name),
            };
            self.findings.add(
                Diagnostic::error("fp::vocabulary", format!("the model does not offer `{}`", name.name))
                    .label(name.span, "not offered")
                    .help(help),
            );
            return;
        }
        if self.found.globals.contains_key(&name.name) {
            return;
        }
        // A chapter has columns of the model's sorts.
        if *model.name != *name.name {
            self.declare_vocabulary(&Ident { name: model.name.as_str().into(), span: name.span });
        }
        self.define(name, GlobalKind::Vocabulary);
        let offered = |text: &str| Ident { name: text.into(), span: name.span };
        let (sorts, relations) = model.belonging(&name.name);
        for at in sorts {
            self.define(&offered(&model.sorts[at].name), GlobalKind::Sort(SortSource::Offered(at)));
        }
        let main = *model.name == *name.name;
        for (at, symbol) in model.symbols.iter().enumerate().filter(|_| main) {
            self.define(&offered(&symbol.name), GlobalKind::Sort(SortSource::OfferedSymbol(at)));
        }
        for (at, record) in model.records.iter().enumerate().filter(|_| main) {
            self.define(&offered(&record.name), GlobalKind::Sort(SortSource::OfferedRecord(at)));
        }
        for at in relations {
            let relation = &model.relations[at];
            self.define(&offered(&relation.name), GlobalKind::Relation(self.found.families.len()));
            self.found.families.push(Family {
                name: relation.name.as_str().into(),
                span: name.span,
                column_count: relation.columns.len(),
                index_count: usize::from(relation.index.is_some()),
                source: FamilySource::Offered(at),
            });
        }
    }
}
