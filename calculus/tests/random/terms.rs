//! Random terms of a given sort.

use super::draft::{Index, Sort, Term};
use super::scope::{Dice, Scope, SortTable};

pub struct Terms<'t> {
    pub sorts: &'t SortTable,
}

impl Terms<'_> {
    /// A term of the sort, if the scope allows one.
    pub fn term(&self, sort: &Sort, scope: &Scope, fuel: usize, dice: &mut Dice) -> Option<Term> {
        let parts = self.sorts.parts(scope);
        let fitting =
            parts.iter().filter(|(_, other)| other == sort).map(|(term, _)| term.clone()).collect::<Vec<_>>();
        for _ in 0..6 {
            let found = match dice.weighted(&[60, 14, if fuel > 0 { 26 } else { 0 }]) {
                0 if fitting.is_empty() => None,
                // Whole variables stand first.
                0 if dice.percent(25) => Some(fitting[0].clone()),
                0 => Some(dice.pick(&fitting).clone()),
                1 => self.constant(sort, scope, dice),
                _ => self.compound(sort, scope, fuel - 1, &parts, dice),
            };
            if found.is_some() {
                return found;
            }
        }
        if fitting.is_empty() { self.constant(sort, scope, dice) } else { Some(dice.pick(&fitting).clone()) }
    }

    fn constant(&self, sort: &Sort, scope: &Scope, dice: &mut Dice) -> Option<Term> {
        if let Some((lo, hi)) = self.sorts.range(sort)
            && dice.percent(40)
        {
            let fits =
                |index: &Index| index.var.is_some() && scope.inside(index, &Index::of(lo), &Index::of(hi));
            let fitting = scope.indices().into_iter().filter(fits).collect::<Vec<_>>();
            if !fitting.is_empty() {
                return Some(Term::Static(dice.pick(&fitting).clone()));
            }
        }
        self.sorts.constant(sort, dice).map(Term::Const)
    }

    fn compound(
        &self,
        sort: &Sort,
        scope: &Scope,
        fuel: usize,
        parts: &[(Term, Sort)],
        dice: &mut Dice,
    ) -> Option<Term> {
        if self.sorts.range(sort).is_some() {
            let base = self.term(sort, scope, fuel, dice)?;
            if matches!(base, Term::Const(_) | Term::Static(_)) {
                return Some(base);
            }
            return Some(self.arithmetic(sort, base, scope, fuel, dice));
        }
        if let Some(fields) = self.sorts.fields(sort) {
            let fields = fields.to_vec();
            let Sort::Named(name) = sort else { return None };
            if dice.percent(50) {
                let values =
                    fields.iter().map(|(field, of)| Some((field.clone(), self.term(of, scope, fuel, dice)?)));
                return Some(Term::Record(name.clone(), values.collect::<Option<_>>()?));
            }
            let base = self.term(sort, scope, fuel, dice)?;
            let (field, of) = dice.pick(&fields).clone();
            return Some(Term::With(Box::new(base), vec![(field, self.term(&of, scope, fuel, dice)?)]));
        }
        if let Sort::Vector(element, lo, hi) = sort {
            return match dice.below(4) {
                0 => self.update(sort, element, lo, hi, scope, fuel, dice),
                1 => self.literal(element, lo, hi, scope, fuel, dice).map(Term::Vector),
                2 => slices(element, lo, hi, scope, parts, dice),
                _ => self.concat(element, lo, hi, scope, fuel, parts, dice),
            };
        }
        // A part of a compound term: its other parts must have values too.
        let records = self.sorts.pool.iter().filter(|of| {
            self.sorts.fields(of).is_some_and(|fields| fields.iter().any(|(_, field)| field == sort))
        });
        let records = records.cloned().collect::<Vec<_>>();
        if records.is_empty() {
            return None;
        }
        let record = dice.pick(&records).clone();
        let fields =
            self.sorts.fields(&record)?.iter().filter(|(_, of)| of == sort).cloned().collect::<Vec<_>>();
        let base = self.term(&record, scope, fuel, dice)?;
        if matches!(base, Term::Const(_)) {
            return None;
        }
        Some(Term::Field(Box::new(base), dice.pick(&fields).0.clone()))
    }

    /// Something computed from a term of a range, and perhaps from another one of it or of a range in place.
    pub fn arithmetic(&self, sort: &Sort, base: Term, scope: &Scope, fuel: usize, dice: &mut Dice) -> Term {
        let number = |number: i64| Box::new(Term::Const(number.to_string()));
        let base = Box::new(base);
        let other = |dice: &mut Dice| -> Box<Term> {
            let goes_with = |of: &Sort| of == sort || matches!(of, Sort::Range(..));
            let parts = self.sorts.parts(scope).into_iter().filter(|(_, of)| goes_with(of));
            let parts = parts.map(|(term, _)| term).collect::<Vec<_>>();
            let deeper =
                if fuel > 0 && dice.percent(30) { self.term(sort, scope, fuel - 1, dice) } else { None };
            match deeper {
                Some(term) => Box::new(term),
                None if parts.is_empty() => number(2),
                None => Box::new(dice.pick(&parts).clone()),
            }
        };
        match dice.below(12) {
            0..=3 => {
                let op = if dice.percent(50) { "+" } else { "-" };
                Term::Arithmetic(op, base, number(*dice.pick(&[1, 1, 1, 2, 2, 0, 7])))
            }
            4 => Term::Arithmetic("+", base, other(dice)),
            5 => Term::Arithmetic("-", base, other(dice)),
            6 => Term::Arithmetic("-", other(dice), base),
            7 => Term::Arithmetic("*", base, number(*dice.pick(&[2, 2, 3, 0, -1, -2]))),
            8 => Term::Arithmetic("/", base, number(*dice.pick(&[2, 2, 3, 1, -2, -3, 5]))),
            9 => Term::Arithmetic("%", base, number(*dice.pick(&[2, 2, 3, 1, -2, -3, 5]))),
            10 => Term::Arithmetic("min", base, other(dice)),
            _ => Term::Arithmetic("max", other(dice), base),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a vector sort has three parts")]
    fn update(
        &self,
        sort: &Sort,
        element: &Sort,
        lo: &Index,
        hi: &Index,
        scope: &Scope,
        fuel: usize,
        dice: &mut Dice,
    ) -> Option<Term> {
        let inside =
            scope.indices().into_iter().filter(|index| scope.inside(index, lo, hi)).collect::<Vec<_>>();
        if inside.is_empty() {
            return None;
        }
        let base = self.term(sort, scope, fuel, dice)?;
        let value = self.term(element, scope, fuel, dice)?;
        Some(Term::Update(Box::new(base), dice.pick(&inside).clone(), Box::new(value)))
    }

    fn literal(
        &self,
        element: &Sort,
        lo: &Index,
        hi: &Index,
        scope: &Scope,
        fuel: usize,
        dice: &mut Dice,
    ) -> Option<Vec<Term>> {
        if lo.var != hi.var || hi.plus - lo.plus > 3 {
            return None;
        }
        (lo.plus..=hi.plus).map(|_| self.term(element, scope, fuel, dice)).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "a vector sort has three parts")]
    fn concat(
        &self,
        element: &Sort,
        lo: &Index,
        hi: &Index,
        scope: &Scope,
        fuel: usize,
        parts: &[(Term, Sort)],
        dice: &mut Dice,
    ) -> Option<Term> {
        // One element more than a shorter vector, or two vectors of known lengths.
        let middles = scope.indices().into_iter().chain([Index { var: hi.var.clone(), plus: hi.plus - 1 }]);
        let before = Index { var: lo.var.clone(), plus: lo.plus - 1 };
        let middles = middles.filter(|middle| {
            middle.var == hi.var && scope.at_most(&before, middle) && scope.at_most(middle, hi)
        });
        let middles = middles.collect::<Vec<_>>();
        if middles.is_empty() {
            return None;
        }
        let middle = dice.pick(&middles).clone();
        let left = match slices(element, lo, &middle, scope, parts, dice) {
            Some(slice) => slice,
            None => self.term(
                &Sort::Vector(Box::new(element.clone()), lo.clone(), middle.clone()),
                scope,
                0,
                dice,
            )?,
        };
        let next = Index { var: middle.var.clone(), plus: middle.plus + 1 };
        let right = match slices(element, &next, hi, scope, parts, dice) {
            Some(slice) if dice.percent(50) => slice,
            _ => Term::Vector(self.literal(element, &next, hi, scope, fuel, dice)?),
        };
        let untyped = |term: &Term| matches!(term, Term::Const(_));
        if untyped(&left) { None } else { Some(Term::Concat(Box::new(left), Box::new(right))) }
    }
}

/// A slice with these bounds, of a vector that has them.
fn slices(
    element: &Sort,
    lo: &Index,
    hi: &Index,
    scope: &Scope,
    parts: &[(Term, Sort)],
    dice: &mut Dice,
) -> Option<Term> {
    let mut found = Vec::new();
    for (base, sort) in parts {
        if let Sort::Vector(of, first, last) = sort
            && **of == *element
            && scope.at_most(first, lo)
            && scope.at_most(hi, last)
        {
            let end = |end: &Index, natural: &Index| (end != natural).then(|| end.clone());
            found.push(Term::Slice(Box::new(base.clone()), end(lo, first), end(hi, last)));
        }
    }
    if found.is_empty() { None } else { Some(dice.pick(&found).clone()) }
}
