//! Smaller drafts that may fail in the same way.

use super::draft::{Declared, Definition, Draft, Formula, Item, Term};

/// Every draft one step smaller, the largest steps first.
pub fn smaller(draft: &Draft) -> Vec<Draft> {
    let mut out = Vec::new();
    let with_items = |items: Vec<Item>| Draft { sorts: draft.sorts.clone(), items };
    for at in 0..draft.items.len() {
        let mut rest = draft.items.clone();
        let gone = rest.remove(at);
        match name(&gone) {
            None => out.push(with_items(rest)),
            Some(name) => {
                for value in [false, true] {
                    let rest = rest.iter().map(|item| without(item, name, value)).collect();
                    out.push(with_items(rest));
                }
            }
        }
    }
    for at in 0..draft.sorts.len() {
        let mut sorts = draft.sorts.clone();
        sorts.remove(at);
        out.push(Draft { sorts, items: draft.items.clone() });
    }
    for (at, item) in draft.items.iter().enumerate() {
        for smaller in smaller_items(item) {
            let mut items = draft.items.clone();
            items[at] = smaller;
            out.push(with_items(items));
        }
        for column in 0..columns(item) {
            out.push(with_items(
                draft.items.iter().map(|other| drop_column(other, name(item), column)).collect(),
            ));
        }
    }
    for at in 0..draft.sorts.len() {
        let mut push = |change: &dyn Fn(&mut super::draft::SortItem)| {
            let mut sorts = draft.sorts.clone();
            change(&mut sorts[at]);
            out.push(Draft { sorts, items: draft.items.clone() });
        };
        match &draft.sorts[at].declared {
            Declared::Enum(values) if values.len() > 1 => push(&|item| {
                if let Declared::Enum(values) = &mut item.declared {
                    values.pop();
                }
            }),
            Declared::Range(lo, hi) if lo < hi => push(&|item| {
                if let Declared::Range(_, hi) = &mut item.declared {
                    *hi -= 1;
                }
            }),
            Declared::Record(fields) if fields.len() > 1 => push(&|item| {
                if let Declared::Record(fields) = &mut item.declared {
                    fields.pop();
                }
            }),
            _ => {}
        }
        if draft.sorts[at].keyed {
            push(&|item| item.keyed = false);
        }
    }
    out
}

fn name(item: &Item) -> Option<&str> {
    match item {
        Item::Facts { name, .. } | Item::Input { name, .. } => Some(name),
        Item::Definition(definition) => Some(&definition.name),
        Item::Verdict { .. } | Item::Hint { .. } => None,
    }
}

fn columns(item: &Item) -> usize {
    match item {
        Item::Facts { columns, .. } => columns.len(),
        Item::Definition(definition) => definition.columns.len(),
        // An input keeps its columns: its rows follow from its name.
        Item::Input { .. } | Item::Verdict { .. } | Item::Hint { .. } => 0,
    }
}

/// The item with a change at every formula.
fn rewritten(item: &Item, change: &dyn Fn(&Formula) -> Option<Formula>) -> Item {
    match item {
        Item::Definition(definition) => {
            let clauses = definition.clauses.iter();
            let clauses = clauses.map(|(label, body)| (label.clone(), rewrite(body, change))).collect();
            Item::Definition(Definition { clauses, ..definition.clone() })
        }
        Item::Verdict { kind, condition: Some(condition) } => {
            Item::Verdict { kind, condition: Some(rewrite(condition, change)) }
        }
        other => other.clone(),
    }
}

fn rewrite(formula: &Formula, change: &dyn Fn(&Formula) -> Option<Formula>) -> Formula {
    if let Some(changed) = change(formula) {
        return changed;
    }
    let boxed = |inner: &Formula| Box::new(rewrite(inner, change));
    match formula {
        Formula::Not(inner) => Formula::Not(boxed(inner)),
        Formula::And(parts) => Formula::And(parts.iter().map(|part| rewrite(part, change)).collect()),
        Formula::Or(parts) => Formula::Or(parts.iter().map(|part| rewrite(part, change)).collect()),
        Formula::Implies(left, right) => Formula::Implies(boxed(left), boxed(right)),
        Formula::Iff(left, right) => Formula::Iff(boxed(left), boxed(right)),
        Formula::Quantified(all, bound, inner) => Formula::Quantified(*all, bound.clone(), boxed(inner)),
        Formula::Unrolled(each, name, lo, hi, inner) => {
            Formula::Unrolled(*each, name.clone(), lo.clone(), hi.clone(), boxed(inner))
        }
        leaf => leaf.clone(),
    }
}

/// A constant in place of every atom of a relation.
fn without(item: &Item, gone: &str, value: bool) -> Item {
    rewritten(item, &|formula| match formula {
        Formula::Atom(name, ..) if name == gone => Some(Formula::Const(value)),
        _ => None,
    })
}

fn drop_column(item: &Item, relation: Option<&str>, column: usize) -> Item {
    let mut item = rewritten(item, &|formula| match formula {
        Formula::Atom(name, at, args) if Some(name.as_str()) == relation && column < args.len() => {
            let mut args = args.clone();
            args.remove(column);
            Some(Formula::Atom(name.clone(), at.clone(), args))
        }
        _ => None,
    });
    if name(&item) == relation {
        match &mut item {
            Item::Facts { columns, rows, .. } => {
                columns.remove(column);
                rows.iter_mut().for_each(|row| drop(row.remove(column)));
            }
            Item::Definition(definition) => drop(definition.columns.remove(column)),
            Item::Input { .. } | Item::Verdict { .. } | Item::Hint { .. } => {}
        }
    }
    item
}

fn smaller_items(item: &Item) -> Vec<Item> {
    match item {
        Item::Input { .. } | Item::Hint { .. } | Item::Verdict { condition: None, .. } => Vec::new(),
        Item::Verdict { kind, condition: Some(condition) } => {
            let smaller = smaller_formulas(condition).into_iter();
            smaller.map(|condition| Item::Verdict { kind, condition: Some(condition) }).collect()
        }
        Item::Facts { name, columns, rows } => {
            let less = |at: usize| {
                let mut rows = rows.clone();
                rows.remove(at);
                Item::Facts { name: name.clone(), columns: columns.clone(), rows }
            };
            (0..rows.len()).map(less).collect()
        }
        Item::Definition(definition) => {
            let mut out = Vec::new();
            let mut push = |change: &dyn Fn(&mut Definition)| {
                let mut changed = definition.clone();
                change(&mut changed);
                out.push(Item::Definition(changed));
            };
            for at in 0..definition.clauses.len() {
                if definition.clauses.len() > 1 {
                    push(&|changed| drop(changed.clauses.remove(at)));
                }
            }
            if matches!(definition.kind, "mu" | "nu") {
                push(&|changed| changed.kind = "let");
            }
            if let Some((_, lo, hi)) = definition.index
                && lo < hi
            {
                push(&|changed| changed.index.as_mut().expect("a family").2 -= 1);
            }
            for at in 0..definition.clauses.len() {
                if definition.clauses[at].0.is_some() {
                    push(&|changed| changed.clauses[at].0 = None);
                }
                for smaller in smaller_formulas(&definition.clauses[at].1) {
                    push(&|changed| changed.clauses[at].1 = smaller.clone());
                }
            }
            out
        }
    }
}

fn smaller_formulas(formula: &Formula) -> Vec<Formula> {
    let mut out = Vec::new();
    if !matches!(formula, Formula::Const(_)) {
        out.extend([Formula::Const(true), Formula::Const(false)]);
    }
    let inside = |inner: &Formula, wrap: &dyn Fn(Box<Formula>) -> Formula, out: &mut Vec<Formula>| {
        out.extend(smaller_formulas(inner).into_iter().map(|inner| wrap(Box::new(inner))));
    };
    match formula {
        Formula::Const(_) | Formula::Static(..) => {}
        Formula::Holds(held) => out.extend(smaller_terms(held).into_iter().map(Formula::Holds)),
        Formula::Compare(op, left, right) => {
            out.extend(smaller_terms(left).into_iter().map(|left| Formula::Compare(op, left, right.clone())));
            out.extend(
                smaller_terms(right).into_iter().map(|right| Formula::Compare(op, left.clone(), right)),
            );
        }
        Formula::Atom(name, at, args) => {
            let args = smaller_lists(args).into_iter();
            out.extend(args.map(|args| Formula::Atom(name.clone(), at.clone(), args)));
        }
        Formula::Not(inner) => {
            out.push((**inner).clone());
            inside(inner, &Formula::Not, &mut out);
        }
        Formula::And(parts) | Formula::Or(parts) => {
            let wrap = |parts: Vec<Formula>| match formula {
                Formula::And(_) => Formula::And(parts),
                _ => Formula::Or(parts),
            };
            out.extend(parts.iter().cloned());
            for at in 0..parts.len() {
                let mut rest = parts.clone();
                if rest.len() > 2 {
                    rest.remove(at);
                    out.push(wrap(rest));
                }
                for smaller in smaller_formulas(&parts[at]) {
                    let mut parts = parts.clone();
                    parts[at] = smaller;
                    out.push(wrap(parts));
                }
            }
        }
        Formula::Implies(left, right) | Formula::Iff(left, right) => {
            let wrap = |left: Box<Formula>, right: Box<Formula>| match formula {
                Formula::Implies(..) => Formula::Implies(left, right),
                _ => Formula::Iff(left, right),
            };
            out.extend([(**left).clone(), (**right).clone()]);
            inside(left, &|left| wrap(left, right.clone()), &mut out);
            inside(right, &|right| wrap(left.clone(), right), &mut out);
        }
        Formula::Quantified(all, bound, inner) => {
            out.push((**inner).clone());
            for at in 0..bound.len() {
                let mut rest = bound.clone();
                if rest.len() > 1 {
                    rest.remove(at);
                    out.push(Formula::Quantified(*all, rest, inner.clone()));
                }
            }
            inside(inner, &|inner| Formula::Quantified(*all, bound.clone(), inner), &mut out);
        }
        Formula::Unrolled(each, name, lo, hi, inner) => {
            out.push((**inner).clone());
            let wrap = |inner| Formula::Unrolled(*each, name.clone(), lo.clone(), hi.clone(), inner);
            inside(inner, &wrap, &mut out);
        }
    }
    out
}

fn smaller_lists(terms: &[Term]) -> Vec<Vec<Term>> {
    let mut out = Vec::new();
    for at in 0..terms.len() {
        for smaller in smaller_terms(&terms[at]) {
            let mut terms = terms.to_vec();
            terms[at] = smaller;
            out.push(terms);
        }
    }
    out
}

/// The terms inside a term; those of another sort are for the checker to refuse.
fn smaller_terms(term: &Term) -> Vec<Term> {
    match term {
        Term::Var(_) | Term::Const(_) | Term::Static(_) => Vec::new(),
        Term::Field(base, field) => {
            let mut out = vec![(**base).clone()];
            if let Term::Record(_, fields) | Term::With(_, fields) = &**base {
                out.extend(fields.iter().filter(|(name, _)| name == field).map(|(_, value)| value.clone()));
            }
            out.extend(
                smaller_terms(base).into_iter().map(|base| Term::Field(Box::new(base), field.clone())),
            );
            out
        }
        Term::Element(base, at) => {
            smaller_terms(base).into_iter().map(|base| Term::Element(Box::new(base), at.clone())).collect()
        }
        Term::Slice(base, lo, hi) => {
            let smaller = smaller_terms(base).into_iter();
            let smaller = smaller.map(|base| Term::Slice(Box::new(base), lo.clone(), hi.clone()));
            [(**base).clone()].into_iter().chain(smaller).collect()
        }
        Term::Concat(left, right) => {
            let mut out = vec![(**left).clone(), (**right).clone()];
            out.extend(
                smaller_terms(left).into_iter().map(|left| Term::Concat(Box::new(left), right.clone())),
            );
            out.extend(
                smaller_terms(right).into_iter().map(|right| Term::Concat(left.clone(), Box::new(right))),
            );
            out
        }
        Term::Update(base, at, value) => {
            let mut out = vec![(**base).clone(), (**value).clone()];
            let update = |base: &Term, value: &Term| {
                Term::Update(Box::new(base.clone()), at.clone(), Box::new(value.clone()))
            };
            out.extend(smaller_terms(base).iter().map(|base| update(base, value)));
            out.extend(smaller_terms(value).iter().map(|value| update(base, value)));
            out
        }
        Term::With(base, fields) => {
            let mut out = vec![(**base).clone()];
            out.extend(
                smaller_terms(base).into_iter().map(|base| Term::With(Box::new(base), fields.clone())),
            );
            out.extend(smaller_fields(fields).into_iter().map(|fields| Term::With(base.clone(), fields)));
            out
        }
        Term::Record(name, fields) => {
            let mut out = fields.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
            out.extend(smaller_fields(fields).into_iter().map(|fields| Term::Record(name.clone(), fields)));
            out
        }
        Term::Vector(parts) => smaller_lists(parts).into_iter().map(Term::Vector).collect(),
        Term::Arithmetic(op, left, right) => {
            let mut out = vec![(**left).clone(), (**right).clone()];
            let with = |left: &Term, right: &Term| {
                Term::Arithmetic(op, Box::new(left.clone()), Box::new(right.clone()))
            };
            out.extend(smaller_terms(left).iter().map(|left| with(left, right)));
            out.extend(smaller_terms(right).iter().map(|right| with(left, right)));
            out
        }
    }
}

fn smaller_fields(fields: &[(String, Term)]) -> Vec<Vec<(String, Term)>> {
    let values = fields.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
    let names = || fields.iter().map(|(name, _)| name.clone());
    smaller_lists(&values).into_iter().map(|values| names().zip(values).collect()).collect()
}
