//! Static values: parameters, constants, indices, facts of the model; and the sorts that depend on them.

use super::globals::{Global, GlobalKind, SortSource};
use super::words::kind_words;
use super::{Checked, Checker, MAX_KEYS, Reported, TOO_MANY_KEYS};
use crate::diagnostic::Diagnostic;
use crate::sort::{Sort, SortId, Sorts};
use crate::span::Span;
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Ident, IndexBinder, SortExpr, SortKind};
use std::rc::Rc;

const STATIC_VALUES: &str = "static values are numbers, parameters, constants, indices and facts of the model, \
                             with + - * / % min max";

/// How many scalars a value may consist of.
const MAX_LEAVES: usize = 10_000;

/// Indices in scope with their values, inner ones last.
pub(super) type Env = [(Rc<str>, i64)];

/// The values of the indices of one instance.
type Indices = Vec<(Rc<str>, i64)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Static {
    Int(i64),
    Bool(bool),
}

impl<'a> Checker<'a> {
    /// Computes every parameter, constant and named sort, so that mistakes in unused ones are found too.
    pub(super) fn evaluate_globals(&mut self) {
        let mut names =
            self.globals.iter().map(|(name, global)| (name.clone(), global.clone())).collect::<Vec<_>>();
        // In the order of the text, where most names rest on earlier ones.
        names.sort_by_key(|(_, global)| global.span);
        for (name, global) in names {
            match global.kind {
                GlobalKind::Param { .. } | GlobalKind::Const(_) => {
                    self.static_name(&name, global.span);
                }
                GlobalKind::Sort(_) => {
                    let _ = self.sort_named(&Ident { name, span: global.span });
                }
                _ => {}
            }
        }
    }

    /// The value of a parameter or constant; `None` if the name is neither or has a mistake.
    pub(super) fn static_name(&mut self, name: &str, used: Span) -> Option<i64> {
        let (key, global) = self.globals.get_key_value(name).map(|(k, g)| (k.clone(), g.clone()))?;
        match self.statics.get(&key) {
            Some(Some(value)) => return value.ok(),
            Some(None) => {
                self.report(
                    Diagnostic::error("fp::cyclic", format!("the value of `{name}` depends on itself"))
                        .label(used, "needed here again")
                        .label(global.span, "to compute this")
                        .help("give one of them a value without the others"),
                );
                return None;
            }
            None => {}
        }
        let (value, bounds) = match global.kind {
            GlobalKind::Param { value, bounds } => (value, bounds),
            GlobalKind::Const(value) => (value, None),
            _ => return None,
        };
        let Ok(()) = self.deeper(used) else { return None };
        self.statics.insert(key.clone(), None);
        let set = match global.kind {
            GlobalKind::Param { .. } => self.options.params.get(name).copied(),
            _ => None,
        };
        let mut result = match set {
            Some(value) => Ok(value),
            None => self.static_int(value, &[]),
        };
        if let (Ok(value), Some(bounds)) = (result, bounds) {
            let lo = self.static_int(&bounds.lo, &[]);
            let hi = bounds.hi.as_ref().map(|hi| self.static_int(hi, &[])).transpose();
            if let (Ok(lo), Ok(hi)) = (lo, hi)
                && (value < lo || hi.is_some_and(|hi| value > hi))
            {
                let allowed = hi.map_or(format!("at least {lo}"), |hi| format!("in {lo}..{hi}"));
                let place = bounds.lo.span.to(bounds.hi.as_ref().map_or(bounds.lo.span, |hi| hi.span));
                let (verb, help) = match set {
                    _ if hi.is_some_and(|hi| hi < lo) => ("is", "the smaller bound stands first".to_string()),
                    Some(_) => ("is set to", format!("for example: --set {name}={lo}")),
                    None => ("is", "change its value or its bounds".to_string()),
                };
                result = Err(self.report(
                    Diagnostic::error("fp::param_range", format!("the parameter `{name}` must be {allowed}"))
                        .label(global.span, format!("it {verb} {value}"))
                        .label(place, "its bounds")
                        .help(help),
                ));
            }
        }
        self.statics.insert(key, Some(result));
        self.depth -= 1;
        result.ok()
    }

    /// One more definition is opened inside others; whoever comes back takes one from `depth`.
    fn deeper(&mut self, place: Span) -> Checked<()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.report(
                Diagnostic::error(
                    "fp::too_deep",
                    format!("more than {MAX_DEPTH} definitions rest on each other, each on a later one"),
                )
                .label(place, "one level too deep")
                .help("put definitions before those that use them"),
            ));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn fact_value(&self, vocabulary: &str, fact: &str) -> Option<i64> {
        let global = self.globals.get(vocabulary)?;
        if !matches!(global.kind, GlobalKind::Vocabulary) {
            return None;
        }
        let model = self.options.model.as_ref()?;
        model.facts.iter().find(|(name, _)| name == fact).map(|(_, value)| *value)
    }

    pub(super) fn static_int(&mut self, expr: &Expr, env: &Env) -> Checked<i64> {
        match self.static_value(expr, env)? {
            Static::Int(value) => Ok(value),
            Static::Bool(_) => Err(self.report(
                Diagnostic::error("fp::not_static", "a number is needed here")
                    .label(expr.span, "this is true or false")
                    .help(STATIC_VALUES),
            )),
        }
    }

    pub(super) fn static_bool(&mut self, expr: &Expr, env: &Env) -> Checked<bool> {
        match self.static_value(expr, env)? {
            Static::Bool(value) => Ok(value),
            Static::Int(value) => Err(self.report(
                Diagnostic::error("fp::not_a_formula", "a formula is needed here")
                    .label(expr.span, format!("this is the number {value}"))
                    .help("compare it with something, for example `i = 1`"),
            )),
        }
    }

    fn not_static(&mut self, span: Span, label: &str) -> Reported {
        self.report(
            Diagnostic::error("fp::not_static", "a number known before solving is needed here")
                .label(span, label)
                .help(STATIC_VALUES),
        )
    }

    pub(super) fn static_value(&mut self, expr: &Expr, env: &Env) -> Checked<Static> {
        use Static::{Bool, Int};
        Ok(match &expr.kind {
            ExprKind::Bool(value) => Bool(*value),
            ExprKind::Int(value) => Int(*value),
            ExprKind::Name(name) => {
                if let Some((_, value)) = env.iter().rev().find(|(index, _)| *index == name.name) {
                    return Ok(Int(*value));
                }
                let kind = self.globals.get(&name.name).map(|global| global.kind.clone());
                match kind {
                    Some(GlobalKind::Param { .. } | GlobalKind::Const(_)) => {
                        return self.static_name(&name.name, name.span).map(Int).ok_or(Reported);
                    }
                    Some(kind) => {
                        let label = format!("this is {}", kind_words(&kind));
                        return Err(self.not_static(expr.span, &label));
                    }
                    None => {
                        let known = self.static_names(env);
                        let known = known.iter().map(|name| &**name).collect();
                        return Err(self.unknown("parameter, constant or index", name, known));
                    }
                }
            }
            ExprKind::Field(base, fact) => {
                if let ExprKind::Name(vocabulary) = &base.kind
                    && let Some(value) = self.fact_value(&vocabulary.name, &fact.name)
                {
                    return Ok(Int(value));
                }
                if self.missing_vocabulary {
                    return Err(Reported);
                }
                match &base.kind {
                    ExprKind::Name(name) if self.is_vocabulary(&name.name) => {
                        self.fact_use(name, fact);
                        return Err(Reported);
                    }
                    ExprKind::Name(name) if !self.globals.contains_key(&name.name) => {
                        return Err(self.unknown("vocabulary", name, Vec::new()));
                    }
                    _ => return Err(self.not_static(expr.span, "this is not a fact of the model")),
                }
            }
            ExprKind::Negate(inner) => {
                let value = self.static_int(inner, env)?;
                Int(value.checked_neg().ok_or(()).map_err(|()| self.overflow(expr.span))?)
            }
            ExprKind::Not(inner) => Bool(!self.static_bool(inner, env)?),
            ExprKind::And(parts) => {
                for part in parts {
                    if !self.static_bool(part, env)? {
                        return Ok(Bool(false));
                    }
                }
                Bool(true)
            }
            ExprKind::Or(parts) => {
                for part in parts {
                    if self.static_bool(part, env)? {
                        return Ok(Bool(true));
                    }
                }
                Bool(false)
            }
            ExprKind::Apply { name, indices, args } if indices.is_empty() && args.len() == 2 => {
                let (a, b) = (&args[0], &args[1]);
                match &*name.name {
                    "min" => Int(self.static_int(a, env)?.min(self.static_int(b, env)?)),
                    "max" => Int(self.static_int(a, env)?.max(self.static_int(b, env)?)),
                    _ => return Err(self.not_static(expr.span, "this is a formula")),
                }
            }
            ExprKind::Apply { name, .. } if matches!(&*name.name, "min" | "max") => {
                self.two_numbers(expr.span, name);
                return Err(Reported);
            }
            ExprKind::Binary(op, left, right) => self.static_binary(expr, *op, left, right, env)?,
            _ => return Err(self.not_static(expr.span, "this is not known before solving")),
        })
    }

    fn static_binary(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        env: &Env,
    ) -> Checked<Static> {
        use BinaryOp as Op;
        if matches!(op, Op::Implies | Op::Iff) {
            let left = self.static_bool(left, env)?;
            return Ok(Static::Bool(match op {
                Op::Implies => !left || self.static_bool(right, env)?,
                _ => left == self.static_bool(right, env)?,
            }));
        }
        let (a, b) = (self.static_int(left, env)?, self.static_int(right, env)?);
        let number = match op {
            Op::Eq => return Ok(Static::Bool(a == b)),
            Op::Ne => return Ok(Static::Bool(a != b)),
            Op::Lt => return Ok(Static::Bool(a < b)),
            Op::Le => return Ok(Static::Bool(a <= b)),
            Op::Gt => return Ok(Static::Bool(a > b)),
            Op::Ge => return Ok(Static::Bool(a >= b)),
            Op::Add => a.checked_add(b),
            Op::Sub => a.checked_sub(b),
            Op::Mul => a.checked_mul(b),
            Op::Div | Op::Rem if b == 0 => {
                return Err(self.report(
                    Diagnostic::error("fp::static_arithmetic", "division by zero")
                        .label(right.span, "this is 0")
                        .help("the divisor must not be 0; `max(1, …)` keeps it from that"),
                ));
            }
            Op::Div => a.checked_div_euclid(b),
            Op::Rem => a.checked_rem_euclid(b),
            Op::Concat | Op::Implies | Op::Iff => {
                return Err(self.not_static(expr.span, "this is not a number"));
            }
        };
        number.map(Static::Int).ok_or(()).map_err(|()| self.overflow(expr.span))
    }

    fn overflow(&mut self, span: Span) -> Reported {
        self.report(
            Diagnostic::error("fp::static_arithmetic", "the value does not fit into 64 bits")
                .label(span, "computed here")
                .help(format!("static numbers lie in {}..{}", i64::MIN, i64::MAX)),
        )
    }

    pub(super) fn static_names(&self, env: &Env) -> Vec<Rc<str>> {
        let globals = self
            .globals
            .iter()
            .filter(|(_, global)| matches!(global.kind, GlobalKind::Param { .. } | GlobalKind::Const(_)));
        env.iter().map(|(name, _)| name.clone()).chain(globals.map(|(name, _)| name.clone())).collect()
    }

    /// All values of nested indices: in `i in 1..k, j in 1..i` the second range depends on the first index.
    pub(super) fn index_tuples(
        &mut self,
        indices: &[IndexBinder],
        env: &mut Vec<(Rc<str>, i64)>,
    ) -> Checked<Vec<Indices>> {
        let Some((first, rest)) = indices.split_first() else { return Ok(vec![Vec::new()]) };
        let (lo, hi) = (self.static_int(&first.lo, env)?, self.static_int(&first.hi, env)?);
        if hi.saturating_sub(lo) > 200_000 {
            return Err(self.report(
                Diagnostic::error(
                    "fp::too_many_instances",
                    format!("the index `{}` has more than 200,000 values", first.name.name),
                )
                .label(first.lo.span.to(first.hi.span), format!("this is {lo}..{hi}"))
                .help("use a variable of a range sort instead of a static index"),
            ));
        }
        let mut out = Vec::new();
        for value in lo..=hi {
            env.push((first.name.name.clone(), value));
            let inner = self.index_tuples(rest, env);
            env.pop();
            if out.len() > 200_000 {
                let last = &indices[indices.len() - 1];
                return Err(self.report(
                    Diagnostic::error(
                        "fp::too_many_instances",
                        "the indices have more than 200,000 values together",
                    )
                    .label(first.name.span.to(last.hi.span), "these indices")
                    .help("use a variable of a range sort instead of a static index"),
                ));
            }
            for tail in inner? {
                out.push([(first.name.name.clone(), value)].into_iter().chain(tail).collect());
            }
        }
        Ok(out)
    }

    pub(super) fn sort(&mut self, sort: &SortExpr, env: &Env) -> Checked<SortId> {
        match &sort.kind {
            SortKind::Bool => Ok(Sorts::BOOL),
            SortKind::Name(name) => self.sort_named(name),
            SortKind::Range(lo, hi) => self.range_sort(None, lo, hi, env),
            SortKind::Vector(element, lo, hi) => {
                let element = self.sort(element, env)?;
                let (a, b) = (self.static_int(lo, env)?, self.static_int(hi, env)?);
                let place = lo.span.to(hi.span);
                // Far enough from the ends of the integers that `++` can add lengths.
                const FAR: i64 = 1 << 62;
                if a < -FAR || b > FAR {
                    return Err(self.report(
                        Diagnostic::error("fp::sort_too_large", "a vector's indices lie within -2^62..2^62")
                            .label(place, with_env(format!("this is {a}..{b}"), env))
                            .help("count the elements from 1"),
                    ));
                }
                if b < a.saturating_sub(1) {
                    return Err(self.report(
                        Diagnostic::error("fp::empty_sort", format!("there is no vector over {a}..{b}"))
                            .label(place, with_env(format!("this is {a}..{b}"), env))
                            .help("a vector's range may be empty (1..0), but not less than that; prune the instance"),
                    ));
                }
                let leaves =
                    (b as i128 - a as i128 + 1) as u128 * self.sorts.leaf_count(element).max(1) as u128;
                if leaves > MAX_LEAVES as u128 {
                    return Err(self.report(
                        Diagnostic::error("fp::sort_too_large", "the vector has more than 10,000 parts")
                            .label(place, with_env(format!("this is {a}..{b}"), env))
                            .help("a column with so many parts cannot be solved; make the range smaller"),
                    ));
                }
                let id = self.sorts.intern(Sort::Vector { element, lo: a, hi: b });
                self.not_too_large(id, sort.span)
            }
        }
    }

    fn range_sort(&mut self, name: Option<Rc<str>>, lo: &Expr, hi: &Expr, env: &Env) -> Checked<SortId> {
        let (a, b) = (self.static_int(lo, env), self.static_int(hi, env));
        let (a, b) = (a?, b?);
        let place = lo.span.to(hi.span);
        if b < a {
            return Err(self.report(
                Diagnostic::error("fp::empty_sort", format!("the range {a}..{b} has no value"))
                    .label(place, with_env(format!("this is {a}..{b}"), env))
                    .help("both ends are included, so the upper end must not be below the lower one"),
            ));
        }
        if b.checked_sub(a).is_none_or(|size| size >= 1 << 62) {
            return Err(self.report(
                Diagnostic::error("fp::sort_too_large", "a range has at most 2^62 values")
                    .label(place, with_env(format!("this is {a}..{b}"), env))
                    .help("make the range smaller"),
            ));
        }
        Ok(self.sorts.intern(Sort::Range { name, lo: a, hi: b }))
    }

    pub(super) fn sort_named(&mut self, name: &Ident) -> Checked<SortId> {
        match self.named_sorts.get(&name.name) {
            Some(Some(sort)) => return *sort,
            Some(None) => {
                let defined = self.globals.get(&name.name).map(|global| global.span);
                return Err(self.report(
                    Diagnostic::error("fp::cyclic", format!("the sort `{}` contains itself", name.name))
                        .label(name.span, "needed here again")
                        .label(defined.unwrap_or(name.span), "to know the values of this")
                        .help("sorts are finite; for a list, use a vector or a relation over a range"),
                ));
            }
            None => {}
        }
        let global = self.globals.get(&name.name).cloned();
        let Some(Global { kind: GlobalKind::Sort(source), .. }) = global else {
            if let Some(Global { span, kind }) = global {
                return Err(self.report(
                    Diagnostic::error("fp::not_a_sort", format!("`{}` is not a sort", name.name))
                        .label(name.span, "a sort is needed here")
                        .label(span, format!("{}, from here", kind_words(&kind)))
                        .help("sorts are bool, ranges, enums, records, vectors, and the sorts of the model"),
                ));
            }
            let known = self.globals.iter().filter(|(_, global)| matches!(global.kind, GlobalKind::Sort(_)));
            let known =
                known.map(|(name, _)| name.to_string()).chain(["bool".to_string()]).collect::<Vec<_>>();
            return Err(self.unknown("sort", name, known.iter().map(String::as_str).collect()));
        };
        self.deeper(name.span)?;
        self.named_sorts.insert(name.name.clone(), None);
        let sort = self.declared_sort(&name.name, source);
        self.named_sorts.insert(name.name.clone(), Some(sort));
        self.depth -= 1;
        sort
    }

    fn declared_sort(&mut self, name: &Rc<str>, source: SortSource<'a>) -> Checked<SortId> {
        match source {
            SortSource::Enum { values, keyed } => {
                let values = values.iter().map(|value| value.name.clone()).collect();
                let id = self.sorts.intern(Sort::Enum { name: name.clone(), values });
                self.sorts.set_keyed(id, keyed);
                Ok(id)
            }
            SortSource::Range { lo, hi, keyed } => {
                let id = self.range_sort(Some(name.clone()), lo, hi, &[])?;
                if keyed && self.sorts.scalar_size(id) > Some(MAX_KEYS) {
                    return Err(self.report(
                        Diagnostic::error(
                            "fp::bad_hint",
                            format!("`{name}` has too many values to be keyed"),
                        )
                        .label(lo.span.to(hi.span), "this range")
                        .help(TOO_MANY_KEYS),
                    ));
                }
                self.sorts.set_keyed(id, keyed);
                Ok(id)
            }
            SortSource::Record(fields) => {
                let sorts = fields
                    .iter()
                    .map(|field| Ok((field.name.name.clone(), self.sort(&field.sort, &[])?)))
                    .collect::<Checked<Vec<_>>>()?;
                let id = self.sorts.intern(Sort::Record { name: name.clone(), fields: sorts.into() });
                let place = self.globals.get(name).map(|global| global.span).unwrap_or_default();
                self.not_too_large(id, place)
            }
            SortSource::Offered(at) => {
                let offered = &self.options.model.as_ref().ok_or(Reported)?.sorts[at];
                let id = self.sorts.intern(Sort::Opaque { name: name.clone(), width: offered.width });
                self.sorts.set_keyed(id, offered.keyed);
                Ok(id)
            }
            SortSource::OfferedRecord(at) => {
                let offered = &self.options.model.as_ref().ok_or(Reported)?.records[at];
                let fields = offered
                    .fields
                    .iter()
                    .map(|(field, sort)| Ok((field.as_str().into(), self.offered_sort(sort)?)))
                    .collect::<Checked<Vec<_>>>()?;
                Ok(self.sorts.intern(Sort::Record { name: name.clone(), fields: fields.into() }))
            }
        }
    }

    /// Whoever walks a sort may recurse, and may list its leaves.
    fn not_too_large(&mut self, id: SortId, place: Span) -> Checked<SortId> {
        if self.sorts.leaf_count(id) > MAX_LEAVES {
            return Err(self.report(
                Diagnostic::error(
                    "fp::sort_too_large",
                    format!("a value of sort {} has more than 10,000 parts", self.sorts.show(id)),
                )
                .label(place, "records in it are counted with all their fields")
                .help("a column with so many parts cannot be solved; make the sort smaller"),
            ));
        }
        if self.sorts.height(id) > MAX_DEPTH {
            return Err(self.report(
                Diagnostic::error(
                    "fp::too_deep",
                    format!("more than {MAX_DEPTH} records or vectors stand inside each other"),
                )
                .label(place, "one level too deep")
                .help("put the fields of the inner records into the outer one"),
            ));
        }
        Ok(id)
    }

    /// A sort that the model's own declarations name.
    pub(super) fn offered_sort(&mut self, name: &str) -> Checked<SortId> {
        match name {
            "bool" => Ok(Sorts::BOOL),
            _ => self.sort_named(&Ident { name: name.into(), span: Span::default() }),
        }
    }
}

/// `text (for i = 1, j = 2)`
pub(super) fn with_env(text: String, env: &Env) -> String {
    if env.is_empty() {
        return text;
    }
    let values = env.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>();
    format!("{text} (for {})", values.join(", "))
}
