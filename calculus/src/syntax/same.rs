//! Equality of syntax trees up to places and comments.

use super::ast::*;
use std::mem::discriminant;

/// The same items in the same order.
pub fn same(a: &File, b: &File) -> bool {
    all(&a.items, &b.items, |a, b| same_item(&a.kind, &b.kind))
}

fn all<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn both<T>(a: Option<&T>, b: Option<&T>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn name(a: &Ident, b: &Ident) -> bool {
    a.name == b.name
}

fn names(a: &[Ident], b: &[Ident]) -> bool {
    all(a, b, name)
}

fn text(a: &Text, b: &Text) -> bool {
    a.text == b.text
}

fn same_item(a: &ItemKind, b: &ItemKind) -> bool {
    use ItemKind::*;
    match (a, b) {
        (UseVocabulary { name: a }, UseVocabulary { name: b }) => name(a, b),
        (UseFile { path: a, name: n, fillings: f }, UseFile { path: b, name: m, fillings: g }) => {
            text(a, b) && both(n.as_ref(), m.as_ref(), name) && same_fillings(f, g)
        }
        (OpenSort { name: n }, OpenSort { name: m }) => name(n, m),
        (
            OpenRelation { name: n, indices: i, columns: c },
            OpenRelation { name: m, indices: j, columns: d },
        ) => name(n, m) && names(i, j) && columns(c, d),
        (Param { name: n, bounds: p, value: v }, Param { name: m, bounds: q, value: w }) => {
            let bounds = |a: &ParamBounds, b: &ParamBounds| {
                same_expr(&a.lo, &b.lo) && both(a.hi.as_ref(), b.hi.as_ref(), same_expr)
            };
            name(n, m) && both(p.as_ref(), q.as_ref(), bounds) && same_expr(v, w)
        }
        (Const { name: n, value: v }, Const { name: m, value: w }) => name(n, m) && same_expr(v, w),
        (Enum { keyed: k, name: n, values: v }, Enum { keyed: l, name: m, values: w }) => {
            k == l && name(n, m) && names(v, w)
        }
        (Range { keyed: k, name: n, lo: v, hi: w }, Range { keyed: l, name: m, lo: x, hi: y }) => {
            k == l && name(n, m) && same_expr(v, x) && same_expr(w, y)
        }
        (Symbol { keyed: k, name: n }, Symbol { keyed: l, name: m }) => k == l && name(n, m),
        (Alias { name: n, sort: s }, Alias { name: m, sort: t }) => name(n, m) && same_sort(s, t),
        (Record { name: n, fields: f }, Record { name: m, fields: g }) => name(n, m) && columns(f, g),
        (Facts { name: n, columns: c, rows: r }, Facts { name: m, columns: d, rows: s }) => {
            name(n, m) && columns(c, d) && all(r, s, |r, s| exprs(&r.values, &s.values))
        }
        (Input { name: n, columns: c }, Input { name: m, columns: d }) => name(n, m) && columns(c, d),
        (Definition(a), Definition(b)) => {
            let alternative = |a: &Alternative, b: &Alternative| {
                a.otherwise == b.otherwise && same_expr(&a.condition, &b.condition)
            };
            a.kind == b.kind
                && both(a.alternative.as_ref(), b.alternative.as_ref(), alternative)
                && name(&a.name, &b.name)
                && all(&a.indices, &b.indices, family_index)
                && columns(&a.columns, &b.columns)
                && clauses(&a.clauses, &b.clauses)
        }
        (Query { name: n, columns: c, clauses: f }, Query { name: m, columns: d, clauses: g }) => {
            name(n, m) && columns(c, d) && clauses(f, g)
        }
        (Trace { name: n, clauses: f }, Trace { name: m, clauses: g }) => name(n, m) && clauses(f, g),
        (Require { condition: c, message: t }, Require { condition: d, message: u }) => {
            same_expr(c, d) && text(t, u)
        }
        (Verdict { kind: k, message: t, condition: c }, Verdict { kind: l, message: u, condition: d }) => {
            name(k, l) && both(t.as_ref(), u.as_ref(), text) && both(c.as_ref(), d.as_ref(), same_expr)
        }
        (Hint { kind: k, names: n }, Hint { kind: l, names: m }) => name(k, l) && names(n, m),
        _ => false,
    }
}

/// The same fillings in the same order.
pub fn same_fillings(a: &[Filling], b: &[Filling]) -> bool {
    all(a, b, |a, b| name(&a.name, &b.name) && same_expr(&a.given, &b.given))
}

fn columns(a: &[ColumnDecl], b: &[ColumnDecl]) -> bool {
    all(a, b, |a, b| name(&a.name, &b.name) && same_sort(&a.sort, &b.sort))
}

fn indices(a: &[IndexBinder], b: &[IndexBinder]) -> bool {
    all(a, b, |a, b| name(&a.name, &b.name) && same_expr(&a.lo, &b.lo) && same_expr(&a.hi, &b.hi))
}

fn family_index(a: &FamilyIndex, b: &FamilyIndex) -> bool {
    match (a, b) {
        (FamilyIndex::Number(a), FamilyIndex::Number(b)) => {
            indices(std::slice::from_ref(a), std::slice::from_ref(b))
        }
        (FamilyIndex::Sort(a), FamilyIndex::Sort(b)) => name(a, b),
        (FamilyIndex::Relation(a), FamilyIndex::Relation(b)) => {
            name(&a.name, &b.name) && names(&a.indices, &b.indices) && all(&a.columns, &b.columns, same_sort)
        }
        _ => false,
    }
}

fn binder(a: &Binder, b: &Binder) -> bool {
    name(&a.name, &b.name) && both(a.sort.as_ref(), b.sort.as_ref(), same_sort)
}

fn clauses(a: &[ClauseDecl], b: &[ClauseDecl]) -> bool {
    all(a, b, |a, b| both(a.label.as_ref(), b.label.as_ref(), name) && same_expr(&a.body, &b.body))
}

/// The same sort expression.
pub fn same_sort(a: &SortExpr, b: &SortExpr) -> bool {
    match (&a.kind, &b.kind) {
        (SortKind::Bool, SortKind::Bool) => true,
        (SortKind::Name(a), SortKind::Name(b)) => name(a, b),
        (SortKind::Range(a, b), SortKind::Range(c, d)) => same_expr(a, c) && same_expr(b, d),
        (SortKind::Vector(s, a, b), SortKind::Vector(t, c, d)) => {
            same_sort(s, t) && same_expr(a, c) && same_expr(b, d)
        }
        _ => false,
    }
}

fn exprs(a: &[Expr], b: &[Expr]) -> bool {
    all(a, b, same_expr)
}

fn settings(a: &[(Ident, Expr)], b: &[(Ident, Expr)]) -> bool {
    all(a, b, |a, b| name(&a.0, &b.0) && same_expr(&a.1, &b.1))
}

/// The same expression.
pub fn same_expr(a: &Expr, b: &Expr) -> bool {
    use ExprKind::*;
    match (&a.kind, &b.kind) {
        (Bool(a), Bool(b)) => a == b,
        (Int(a), Int(b)) => a == b,
        (Text(a), Text(b)) => a == b,
        (Name(a), Name(b)) => name(a, b),
        (Field(a, f), Field(b, g)) => same_expr(a, b) && name(f, g),
        (Index(a, i), Index(b, j)) => same_expr(a, b) && same_expr(i, j),
        (Slice(v, a, b), Slice(w, c, d)) => {
            same_expr(v, w)
                && both(a.as_deref(), c.as_deref(), same_expr)
                && both(b.as_deref(), d.as_deref(), same_expr)
        }
        (Update(v, i, x), Update(w, j, y)) => same_expr(v, w) && same_expr(i, j) && same_expr(x, y),
        (With(r, f), With(s, g)) => same_expr(r, s) && settings(f, g),
        (Record(n, f), Record(m, g)) => name(n, m) && settings(f, g),
        (Vector(a), Vector(b)) | (And(a), And(b)) | (Or(a), Or(b)) => exprs(a, b),
        (Apply { name: n, indices: i, args: a }, Apply { name: m, indices: j, args: b }) => {
            name(n, m) && exprs(i, j) && exprs(a, b)
        }
        (Instance { name: n, indices: i }, Instance { name: m, indices: j }) => name(n, m) && exprs(i, j),
        (Comprehension { binders: x, body: a }, Comprehension { binders: y, body: b }) => {
            all(x, y, binder) && same_expr(a, b)
        }
        (Sort(a), Sort(b)) => same_sort(a, b),
        (Marked { follow: f, by: x, at: y, atom: a }, Marked { follow: g, by: z, at: w, atom: b }) => {
            f == g
                && both(x.as_deref(), z.as_deref(), same_expr)
                && both(y.as_deref(), w.as_deref(), same_expr)
                && same_expr(a, b)
        }
        (Not(a), Not(b)) | (Negate(a), Negate(b)) => same_expr(a, b),
        (Binary(o, a, b), Binary(p, c, d)) => o == p && same_expr(a, c) && same_expr(b, d),
        (
            Quantified { quantifier: q, binders: x, body: a },
            Quantified { quantifier: r, binders: y, body: b },
        ) => q == r && all(x, y, binder) && same_expr(a, b),
        (Unrolled { unroll: u, indices: i, body: a }, Unrolled { unroll: v, indices: j, body: b }) => {
            u == v && indices(i, j) && same_expr(a, b)
        }
        // A new kind of expression must be added above.
        (a, b) => {
            debug_assert!(discriminant(a) != discriminant(b), "two of the same kind fall through");
            false
        }
    }
}
