//! The sorts that the files and the model declare, and sorts written in place.

use super::arguments::Argument;
use super::constants::too_deep;
use super::declare::{Global, GlobalKind, SortSource};
use super::findings::{Checked, Findings, Reported};
use super::statics::{Env, Statics, is_literal};
use super::words::{kind_words, with_env};
use crate::diagnostic::Diagnostic;
use crate::sort::{Sort, SortId, Sorts, Width};
use crate::span::Span;
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{Expr, Ident, SortExpr, SortKind};
use crate::vocabulary::OPEN_SORT;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How many scalars a value may consist of.
const MAX_LEAVES: usize = 10_000;

/// How many values a sort may have whose columns are keys: a key that nothing binds is enumerated.
pub(super) const MAX_KEYS: u64 = 1 << 24;

pub(super) const TOO_MANY_KEYS: &str =
    "at most 2^24 values can be keys, because a key that nothing binds is enumerated; leave it symbolic";

/// All sorts, and which of them have names.
#[derive(Default)]
pub(super) struct SortTable {
    pub sorts: Sorts,
    /// The ranges whose bounds depend on parameters, indices or the model.
    pub varying: BTreeSet<SortId>,
    named: BTreeMap<Rc<str>, Checked<SortId>>,
}

/// Makes every declared sort, so that mistakes in unused ones are found too.
pub(super) fn declared_sorts(statics: Statics, findings: &mut Findings) -> SortTable {
    let mut pass = SortPass { statics, findings, table: SortTable::default(), open: BTreeSet::new() };
    let mut names = statics.declarations.globals.iter().collect::<Vec<_>>();
    names.sort_by_key(|(_, global)| global.span);
    names.into_iter().for_each(|(name, global)| pass.make(name, global.span));
    pass.table
}

impl SortTable {
    /// The sort that is written in place.
    pub fn resolve(
        &mut self,
        sort: &SortExpr,
        env: &Env,
        statics: Statics,
        findings: &mut Findings,
    ) -> Checked<SortId> {
        match &sort.kind {
            SortKind::Bool => Ok(Sorts::BOOL),
            SortKind::Name(name) => match env.iter().rev().find(|(index, _)| *index == name.name) {
                Some((_, Argument::Sort(sort, _))) => Ok(*sort),
                Some((_, argument)) => Err(findings.add(not_a_sort(name, argument))),
                None => self.named(name, statics, findings),
            },
            SortKind::Range(lo, hi) => self.range(None, [lo, hi], env, statics, findings),
            SortKind::Vector(element, lo, hi) => {
                let element = self.resolve(element, env, statics, findings)?;
                let (a, b) = (statics.int(lo, env, findings)?, statics.int(hi, env, findings)?);
                let leaves = self.sorts.leaf_count(element);
                if let Some(wrong) = wrong_vector(a, b, leaves, lo.span.to(hi.span), env) {
                    return Err(findings.add(wrong));
                }
                let id = self.sorts.intern(Sort::Vector { element, lo: a, hi: b });
                self.not_too_large(id, sort.span, findings)
            }
        }
    }

    /// The sort of this name.
    pub fn named(&mut self, name: &Ident, statics: Statics, findings: &mut Findings) -> Checked<SortId> {
        if let Some(sort) = self.named.get(&name.name) {
            return *sort;
        }
        let declarations = statics.declarations;
        if let Some(sort) = declarations.sort_behind_dot(&name.name) {
            return self.offered(sort, statics, findings);
        }
        match declarations.get(&name.name) {
            // It contains itself, which is reported, or it is made later, when others are not inside each other.
            Some(Global { kind: GlobalKind::Sort(_), .. }) => Err(Reported),
            Some(Global { span, kind }) => Err(findings.add(
                Diagnostic::error("fp::not_a_sort", format!("`{}` is not a sort", name.name))
                    .label(name.span, "a sort is needed here")
                    .label(*span, format!("{}, from here", kind_words(kind)))
                    .help("sorts are bool, ranges, enums, symbols, records, vectors, and the sorts of the model"),
            )),
            None => {
                let known = declarations.names(|kind| matches!(kind, GlobalKind::Sort(_)));
                let known = known.map(|name| &**name).chain(["bool"]);
                Err(declarations.unknown("sort", name, known, findings))
            }
        }
    }

    /// A sort that the model's own declarations name.
    pub fn offered(&mut self, name: &str, statics: Statics, findings: &mut Findings) -> Checked<SortId> {
        let ends = name.split_once("..").and_then(|(lo, hi)| Some((lo.parse().ok()?, hi.parse().ok()?)));
        match (name, ends) {
            ("bool", _) => Ok(Sorts::BOOL),
            (OPEN_SORT, _) => {
                Ok(self.sorts.intern(Sort::Opaque { name: OPEN_SORT.into(), width: Width::Values(1) }))
            }
            (_, Some((lo, hi))) => Ok(self.sorts.intern(Sort::Range { name: None, lo, hi })),
            _ => self.named(&Ident { name: name.into(), span: Span::default() }, statics, findings),
        }
    }

    fn range(
        &mut self,
        name: Option<Rc<str>>,
        [lo, hi]: [&Expr; 2],
        env: &Env,
        statics: Statics,
        findings: &mut Findings,
    ) -> Checked<SortId> {
        let (a, b) = (statics.int(lo, env, findings), statics.int(hi, env, findings));
        let (a, b) = (a?, b?);
        let label = || with_env(format!("this is {a}..{b}"), env);
        let place = lo.span.to(hi.span);
        if b < a {
            return Err(findings.add(
                Diagnostic::error("fp::empty_sort", format!("the range {a}..{b} has no value"))
                    .label(place, label())
                    .help("both ends are included, so the upper end must not be below the lower one"),
            ));
        }
        if b.checked_sub(a).is_none_or(|size| size >= 1 << 62) {
            return Err(findings.add(
                Diagnostic::error("fp::sort_too_large", "a range has at most 2^62 values")
                    .label(place, label())
                    .help("make the range smaller"),
            ));
        }
        let id = self.sorts.intern(Sort::Range { name, lo: a, hi: b });
        if !is_literal(lo) || !is_literal(hi) {
            self.varying.insert(id);
        }
        Ok(id)
    }

    /// Whoever walks a sort may recurse, and may list its leaves.
    fn not_too_large(&self, id: SortId, place: Span, findings: &mut Findings) -> Checked<SortId> {
        if self.sorts.leaf_count(id) > MAX_LEAVES {
            let shown = self.sorts.show(id);
            let title = format!("a value of sort {shown} has more than 10,000 parts");
            return Err(findings.add(
                Diagnostic::error("fp::sort_too_large", title)
                    .label(place, "records in it are counted with all their fields")
                    .help("a column with so many parts cannot be solved; make the sort smaller"),
            ));
        }
        if self.sorts.height(id) > MAX_DEPTH {
            let title = format!("more than {MAX_DEPTH} records or vectors are nested in each other");
            return Err(findings.add(
                Diagnostic::error("fp::too_deep", title)
                    .label(place, "one level too deep")
                    .help("put the fields of the inner records into the outer one"),
            ));
        }
        Ok(id)
    }
}

fn not_a_sort(name: &Ident, argument: &Argument) -> Diagnostic {
    let what = match argument {
        Argument::Number(_) => "a number",
        _ => "a relation",
    };
    Diagnostic::error("fp::not_a_sort", format!("`{}` is not a sort", name.name))
        .label(name.span, format!("this index is {what}"))
        .help(format!("an index that stands for a sort is declared as `{}: sort`", name.name))
}

/// Why there is no vector over `a..b` of elements with so many leaves, if there is none.
fn wrong_vector(a: i64, b: i64, leaves: usize, place: Span, env: &Env) -> Option<Diagnostic> {
    // Far enough from the ends of the integers that `++` can add lengths.
    const FAR: i64 = 1 << 62;
    let (code, title, help) = if a < -FAR || b > FAR {
        (
            "fp::sort_too_large",
            "a vector's indices lie within -2^62..2^62".into(),
            "count the elements from 1",
        )
    } else if b < a.saturating_sub(1) {
        let help = "a vector's range may be empty (1..0), but not less than that; prune the instance";
        ("fp::empty_sort", format!("there is no vector over {a}..{b}"), help)
    } else if (b as i128 - a as i128 + 1) as u128 * leaves.max(1) as u128 > MAX_LEAVES as u128 {
        let help =
            "a column with so many parts cannot be solved: make the range, or the parameter in it, smaller";
        ("fp::sort_too_large", "the vector has more than 10,000 parts".into(), help)
    } else {
        return None;
    };
    let label = with_env(format!("this is {a}..{b}"), env);
    Some(Diagnostic::error(code, title).label(place, label).help(help))
}

struct SortPass<'s, 'a> {
    statics: Statics<'s, 'a>,
    findings: &'s mut Findings,
    table: SortTable,
    /// Those that are being made, each inside the one that has it as a part.
    open: BTreeSet<Rc<str>>,
}

impl<'a> SortPass<'_, 'a> {
    /// Makes a sort, after its parts. A name that stands for something else is passed over.
    fn make(&mut self, name: &Rc<str>, used: Span) {
        if let Some(sort) = self.statics.declarations.sort_behind_dot(name) {
            return self.make(&sort.into(), used);
        }
        let Some(global) = self.statics.declarations.get(name) else { return };
        let GlobalKind::Sort(source) = &global.kind else { return };
        if self.table.named.contains_key(name) {
            return;
        }
        if self.open.contains(name) {
            self.findings.add(
                Diagnostic::error("fp::cyclic", format!("the sort `{name}` contains itself"))
                    .label(used, "contains it again here")
                    .label(global.span, "a value of this sort")
                    .help("sorts are finite; for a list, use a vector or a relation over a range"),
            );
            return;
        }
        if self.open.len() >= MAX_DEPTH {
            self.findings.add(too_deep(used));
            return;
        }
        self.open.insert(name.clone());
        let sort = self.declared(name, source);
        self.open.remove(name);
        self.table.named.insert(name.clone(), sort);
    }

    fn declared(&mut self, name: &Rc<str>, source: &SortSource<'a>) -> Checked<SortId> {
        let (statics, model) = (self.statics, self.statics.declarations.model);
        match source {
            SortSource::Enum { values, keyed } => {
                let values = values.iter().map(|value| value.name.clone()).collect();
                let id = self.table.sorts.intern(Sort::Enum { name: name.clone(), values });
                self.table.sorts.set_keyed(id, *keyed);
                Ok(id)
            }
            SortSource::Range { lo, hi, keyed } => {
                let id = self.table.range(Some(name.clone()), [lo, hi], &[], statics, self.findings)?;
                if *keyed && self.table.sorts.scalar_size(id) > Some(MAX_KEYS) {
                    let title = format!("`{name}` has too many values to be keyed");
                    return Err(self.findings.add(
                        Diagnostic::error("fp::bad_hint", title)
                            .label(lo.span.to(hi.span), "this range")
                            .help(TOO_MANY_KEYS),
                    ));
                }
                self.table.sorts.set_keyed(id, *keyed);
                Ok(id)
            }
            SortSource::Symbol { keyed } => {
                let id = self.table.sorts.intern(Sort::Symbol { name: name.clone() });
                self.table.sorts.set_keyed(id, *keyed);
                Ok(id)
            }
            SortSource::Record(fields) => {
                let mut parts = Vec::new();
                for field in *fields {
                    self.make_parts(&field.sort);
                    let sort = self.table.resolve(&field.sort, &[], statics, self.findings)?;
                    parts.push((field.name.name.clone(), sort));
                }
                let id = self.table.sorts.intern(Sort::Record { name: name.clone(), fields: parts.into() });
                let place = statics.declarations.get(name).map(|global| global.span).unwrap_or_default();
                self.table.not_too_large(id, place, self.findings)
            }
            SortSource::Alias(sort) => {
                self.make_parts(sort);
                self.table.resolve(sort, &[], statics, self.findings)
            }
            SortSource::Offered(at) => {
                let offered = &model.ok_or(Reported)?.sorts[*at];
                let sort = Sort::Opaque { name: name.clone(), width: offered.width };
                let id = self.table.sorts.intern(sort);
                // A model's wish is not the user's: a sort that is too large for keys is symbolic, which is as right.
                let few = self.table.sorts.scalar_size(id).is_some_and(|size| size <= MAX_KEYS);
                self.table.sorts.set_keyed(id, offered.keyed && few);
                Ok(id)
            }
            SortSource::OfferedSymbol(at) => {
                let offered = &model.ok_or(Reported)?.symbols[*at];
                let id = self.table.sorts.intern(Sort::Symbol { name: name.clone() });
                offered.texts.iter().for_each(|text| drop(self.table.sorts.text_value(id, text)));
                if offered.complete {
                    self.table.sorts.complete_texts(id);
                }
                self.table.sorts.set_keyed(id, offered.keyed);
                Ok(id)
            }
            SortSource::OfferedRecord(at) => {
                let mut parts = Vec::new();
                for (field, sort) in &model.ok_or(Reported)?.records[*at].fields {
                    self.make(&sort.as_str().into(), Span::default());
                    parts.push((field.as_str().into(), self.table.offered(sort, statics, self.findings)?));
                }
                Ok(self.table.sorts.intern(Sort::Record { name: name.clone(), fields: parts.into() }))
            }
        }
    }

    /// Makes the named sorts that a sort has as parts.
    fn make_parts(&mut self, sort: &SortExpr) {
        match &sort.kind {
            SortKind::Name(name) => self.make(&name.name, name.span),
            SortKind::Vector(element, ..) => self.make_parts(element),
            SortKind::Bool | SortKind::Range(..) => {}
        }
    }
}
