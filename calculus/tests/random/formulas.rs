//! Random formulas, well-sorted, and positive in what they are recursive in.

use super::draft::{Formula, Index, Sort, Term};
use super::scope::{Dice, Scope, SortTable, Static};
use super::terms::Terms;

/// Evaluations of a formula in one round that the oracle can afford.
const AFFORDABLE: usize = 4_000;

/// What others may know of a relation.
#[derive(Clone, Debug)]
pub struct Signature {
    pub name: String,
    /// The name and bounds of a family's index.
    pub index: Option<(String, i64, i64)>,
    pub columns: Vec<Sort>,
    /// Relations speak of groups before their own as they like, and of their own group positively.
    pub group: usize,
    /// A `let` speaks only of `let`s before it.
    pub is_let: bool,
    pub number: usize,
}

/// Under how many negations a formula stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    Positive,
    Negative,
    /// Inside `<->`.
    Both,
}

impl Polarity {
    fn flip(self) -> Polarity {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
            Polarity::Both => Polarity::Both,
        }
    }
}

/// Grows the formulas of one definition.
pub struct Formulas<'t> {
    pub sorts: &'t SortTable,
    pub relations: &'t [Signature],
    pub own: Signature,
    /// So many variables have names by now.
    pub names: usize,
}

impl Formulas<'_> {
    fn terms(&self) -> Terms<'_> {
        Terms { sorts: self.sorts }
    }

    pub fn formula(&mut self, scope: &Scope, polarity: Polarity, fuel: usize, dice: &mut Dice) -> Formula {
        if fuel == 0 {
            return self.leaf(scope, polarity, dice);
        }
        let statics = usize::from(!scope.statics.is_empty());
        match dice.weighted(&[26, 20, 8, 8, 4, 4, 18, 7, 5, 14 * statics]) {
            0 => self.leaf(scope, polarity, dice),
            1 => Formula::And(self.several(scope, polarity, fuel, dice)),
            2 => Formula::Or(self.several(scope, polarity, fuel, dice)),
            3 => Formula::Not(Box::new(self.formula(scope, polarity.flip(), fuel - 1, dice))),
            4 => Formula::Implies(
                Box::new(self.formula(scope, polarity.flip(), fuel - 1, dice)),
                Box::new(self.formula(scope, polarity, fuel - 1, dice)),
            ),
            5 => Formula::Iff(
                Box::new(self.formula(scope, Polarity::Both, fuel - 1, dice)),
                Box::new(self.formula(scope, Polarity::Both, fuel - 1, dice)),
            ),
            6 => self.quantified(false, scope, polarity, fuel, dice),
            7 => self.quantified(true, scope, polarity, fuel, dice),
            8 => self.unrolled(scope, polarity, fuel, dice),
            _ => self.guarded(scope, polarity, fuel, dice),
        }
    }

    fn several(&mut self, scope: &Scope, polarity: Polarity, fuel: usize, dice: &mut Dice) -> Vec<Formula> {
        (0..2 + dice.below(2)).map(|_| self.formula(scope, polarity, fuel - 1, dice)).collect()
    }

    fn leaf(&mut self, scope: &Scope, polarity: Polarity, dice: &mut Dice) -> Formula {
        for _ in 0..4 {
            let found = match dice.weighted(&[55, 34, 10, 1]) {
                0 => self.atom(scope, polarity, dice),
                1 => self.comparison(scope, dice),
                2 => self
                    .terms()
                    .term(&Sort::Bool, scope, 0, dice)
                    .filter(|t| !matches!(t, Term::Const(_)))
                    .map(Formula::Holds),
                _ => Some(Formula::Const(dice.percent(50))),
            };
            if let Some(found) = found {
                return found;
            }
        }
        Formula::Const(dice.percent(50))
    }

    pub fn comparison(&mut self, scope: &Scope, dice: &mut Dice) -> Option<Formula> {
        let parts = self.sorts.parts(scope);
        if parts.is_empty() {
            return None;
        }
        let (left, sort) = dice.pick(&parts).clone();
        let mut left = left;
        if dice.percent(25)
            && let Some(other) = self.terms().term(&sort, scope, 2, dice)
            && !matches!(other, Term::Const(_) | Term::Static(_) | Term::Vector(_))
        {
            left = other;
        }
        let mut right = self.terms().term(&sort, scope, 2, dice)?;
        for _ in 0..2 {
            if right == left {
                right = self.terms().term(&sort, scope, 2, dice)?;
            }
        }
        if let Some((lo, hi)) = self.sorts.range(&sort)
            && dice.percent(12)
        {
            // A number that need not be a value of the range.
            right = Term::Const(dice.from(lo - 2, hi + 2).to_string());
        }
        let op = if self.sorts.ordered(&sort) {
            *dice.pick(&["=", "=", "=", "!=", "<", "<=", ">", ">="])
        } else {
            *dice.pick(&["=", "=", "!="])
        };
        Some(if dice.percent(85) {
            Formula::Compare(op, left, right)
        } else {
            Formula::Compare(op, right, left)
        })
    }

    fn allowed(&self, other: &Signature, polarity: Polarity) -> bool {
        let inner = other.group == self.own.group
            && polarity == Polarity::Positive
            && !(self.own.is_let && other.is_let && other.number >= self.own.number);
        other.group < self.own.group || inner
    }

    pub fn atom(&mut self, scope: &Scope, polarity: Polarity, dice: &mut Dice) -> Option<Formula> {
        let mut choices =
            self.relations.iter().filter(|other| self.allowed(other, polarity)).cloned().collect::<Vec<_>>();
        let mates = choices.iter().filter(|other| other.group == self.own.group).cloned().collect::<Vec<_>>();
        if !mates.is_empty() && dice.percent(50) {
            choices = mates;
        }
        if choices.is_empty() {
            return None;
        }
        let relation = dice.pick(&choices).clone();
        self.atom_of(&relation, scope, dice)
    }

    pub fn atom_of(&mut self, relation: &Signature, scope: &Scope, dice: &mut Dice) -> Option<Formula> {
        let (at, columns) = self.instance(relation, scope, dice)?;
        let args = columns.iter().map(|sort| {
            let fuel = if dice.percent(30) { 2 } else { 0 };
            self.terms().term(sort, scope, fuel, dice)
        });
        Some(Formula::Atom(relation.name.clone(), at, args.collect::<Option<_>>()?))
    }

    /// An instance of a family that certainly exists, with its columns.
    fn instance(
        &self,
        relation: &Signature,
        scope: &Scope,
        dice: &mut Dice,
    ) -> Option<(Option<Index>, Vec<Sort>)> {
        let Some((var, lo, hi)) = &relation.index else { return Some((None, relation.columns.clone())) };
        let inside = |index: &Index| scope.inside(index, &Index::of(*lo), &Index::of(*hi));
        let mut indices = scope.indices().into_iter().filter(inside).collect::<Vec<_>>();
        let dynamic = indices.iter().filter(|index| index.var.is_some()).cloned().collect::<Vec<_>>();
        if !dynamic.is_empty() && dice.percent(75) {
            indices = dynamic;
        }
        if indices.is_empty() {
            return None;
        }
        let at = dice.pick(&indices).clone();
        let columns = relation.columns.iter().map(|sort| replace(sort, var, &at)).collect();
        Some((Some(at), columns))
    }

    fn fresh(&mut self, dice: &mut Dice) -> String {
        self.names += 1;
        format!("{}{}", dice.pick(&["x", "y", "z"]), self.names) + *dice.pick(&["", "", "", "'"])
    }

    fn quantified(
        &mut self,
        all: bool,
        scope: &Scope,
        polarity: Polarity,
        fuel: usize,
        dice: &mut Dice,
    ) -> Formula {
        let mut inner = scope.clone();
        let mut bound = Vec::new();
        for _ in 0..1 + dice.below(2) {
            let sort = self.likely_sort(dice);
            let cost = inner.cost * self.sorts.size(&sort, scope);
            if cost <= AFFORDABLE {
                let name = self.fresh(dice);
                // New variables stand first: terms prefer them.
                inner.vars.insert(0, (name.clone(), sort.clone()));
                inner.cost = cost;
                bound.push((name, sort));
            }
        }
        let body = match (dice.percent(60), all) {
            (true, false) => Formula::And(vec![
                self.leaf(&inner, polarity, dice),
                self.formula(&inner, polarity, fuel - 1, dice),
            ]),
            (true, true) => Formula::Implies(
                Box::new(self.leaf(&inner, polarity.flip(), dice)),
                Box::new(self.formula(&inner, polarity, fuel - 1, dice)),
            ),
            (false, _) => self.formula(&inner, polarity, fuel - 1, dice),
        };
        bind(all, bound, body, dice)
    }

    /// A sort that some relation has as a column.
    fn likely_sort(&self, dice: &mut Dice) -> Sort {
        let fixed =
            |sort: &&Sort| !matches!(sort, Sort::Vector(_, lo, hi) if lo.var.is_some() || hi.var.is_some());
        let used =
            self.relations.iter().flat_map(|other| &other.columns).filter(fixed).cloned().collect::<Vec<_>>();
        if used.is_empty() || dice.percent(15) { self.sorts.pick(dice) } else { dice.pick(&used).clone() }
    }

    fn unrolled(&mut self, scope: &Scope, polarity: Polarity, fuel: usize, dice: &mut Dice) -> Formula {
        self.names += 1;
        let name = format!("j{}", self.names);
        let lo = dice.from(0, 2);
        let mut inner = scope.clone();
        let limit = match scope.statics.first() {
            Some(known) if dice.percent(70) => {
                let limit = Index::var(&known.name, dice.from(-1, 0));
                let hi = known.hi + limit.plus;
                inner.statics.push(Static {
                    name: name.clone(),
                    lo,
                    hi: hi.max(lo),
                    upto: Some(limit.clone()),
                });
                limit
            }
            _ => {
                let hi = lo + dice.from(-1, 2);
                inner.statics.push(Static { name: name.clone(), lo, hi: hi.max(lo), upto: None });
                Index::of(hi)
            }
        };
        let body = self.formula(&inner, polarity, fuel - 1, dice);
        Formula::Unrolled(dice.percent(50), name, Index::of(lo), limit, Box::new(body))
    }

    /// A static condition and a formula that is only looked at where it decides.
    fn guarded(&mut self, scope: &Scope, polarity: Polarity, fuel: usize, dice: &mut Dice) -> Formula {
        let at = dice.below(scope.statics.len());
        let known = scope.statics[at].clone();
        let index = Index::var(&known.name, 0);
        if known.lo == known.hi {
            return self.formula(scope, polarity, fuel - 1, dice);
        }
        let mut inner = scope.clone();
        let (op, not, number) = match dice.below(3) {
            0 => {
                inner.statics[at].lo += 1;
                (">", "<=", known.lo)
            }
            1 => {
                inner.statics[at].hi -= 1;
                ("<", ">=", known.hi)
            }
            _ => {
                let number = dice.from(known.lo, known.hi);
                (inner.statics[at].lo, inner.statics[at].hi) = (number, number);
                ("=", "!=", number)
            }
        };
        let body = self.formula(&inner, polarity, fuel - 1, dice);
        let condition = |op| Formula::Static(index.clone(), op, Index::of(number));
        match dice.below(4) {
            0 | 1 => Formula::And(vec![condition(op), body]),
            2 => Formula::Or(vec![condition(not), body]),
            _ => Formula::Implies(Box::new(condition(op)), Box::new(body)),
        }
    }

    /// A condition that few tuples meet: a column is a constant, or facts list its values.
    pub fn narrow(&mut self, scope: &Scope, dice: &mut Dice) -> Option<Formula> {
        if dice.percent(35) {
            let facts = self.relations.iter().filter(|other| other.group == 0).cloned().collect::<Vec<_>>();
            let relation = dice.pick(&facts).clone();
            return self.atom_of(&relation, scope, dice);
        }
        if scope.vars.is_empty() {
            return None;
        }
        let (name, sort) = dice.pick(&scope.vars).clone();
        let constant = self.sorts.constant(&sort, dice)?;
        Some(Formula::Compare("=", Term::Var(name), Term::Const(constant)))
    }

    /// A step of a recursion: the relation itself with some columns replaced, and what joins old and new.
    pub fn step(&mut self, scope: &Scope, mate: &Signature, least: bool, dice: &mut Dice) -> Option<Formula> {
        let (at, columns) = self.instance(mate, scope, dice)?;
        let mut inner = scope.clone();
        let (mut bound, mut args, mut joined) = (Vec::new(), Vec::new(), Vec::new());
        for sort in &columns {
            let same = scope
                .vars
                .iter()
                .filter(|(_, other)| other == sort)
                .map(|(name, _)| name.clone())
                .collect::<Vec<_>>();
            let cost = inner.cost * self.sorts.size(sort, scope);
            let replace = cost <= AFFORDABLE && (same.is_empty() || dice.percent(60));
            if replace && !matches!(sort, Sort::Vector(_, lo, hi) if lo.var.is_some() || hi.var.is_some()) {
                let name = self.fresh(dice);
                inner.vars.insert(0, (name.clone(), sort.clone()));
                inner.cost = cost;
                if !same.is_empty() {
                    joined.push((name.clone(), dice.pick(&same).clone(), sort.clone()));
                }
                bound.push((name.clone(), sort.clone()));
                args.push(Term::Var(name));
            } else {
                args.push(self.terms().term(sort, scope, 0, dice)?);
            }
        }
        let recursive = Formula::Atom(mate.name.clone(), at, args);
        let mut links = Vec::new();
        if mate.number != self.own.number && dice.percent(50) {
            // Back to this relation, so that the two depend on each other.
            links.extend(self.atom_of(&self.own.clone(), &inner, dice));
        }
        let linked = links.len();
        for (new, old, sort) in joined {
            links.push(self.link(&new, &old, &sort, &inner, dice));
        }
        if dice.percent(25) {
            links.push(self.leaf(&inner, Polarity::Both, dice));
        }
        let all = !least && dice.percent(60) || least && dice.percent(12);
        let body = if all {
            let guard = Formula::And(links.split_off(linked));
            let goal = [vec![recursive], links].concat();
            match dice.percent(50) {
                true => {
                    Formula::Implies(Box::new(simplified(guard)), Box::new(simplified(Formula::And(goal))))
                }
                false => Formula::Or(vec![
                    Formula::Not(Box::new(simplified(guard))),
                    simplified(Formula::And(goal)),
                ]),
            }
        } else {
            links.insert(dice.below(links.len() + 1), recursive);
            simplified(Formula::And(links))
        };
        Some(bind(all, bound, body, dice))
    }

    /// Joins two variables of the same sort: by a relation, by counting, by changing a part.
    fn link(&mut self, new: &str, old: &str, sort: &Sort, scope: &Scope, dice: &mut Dice) -> Formula {
        let (new_term, old_term) = (Term::Var(new.into()), Term::Var(old.into()));
        let edges = self.relations.iter().filter(|other| {
            self.allowed(other, Polarity::Both)
                && other.index.is_none()
                && other.columns == [sort.clone(), sort.clone()]
        });
        let edges = edges.cloned().collect::<Vec<_>>();
        if !edges.is_empty() && dice.percent(60) {
            let args = if dice.percent(50) { vec![new_term, old_term] } else { vec![old_term, new_term] };
            return Formula::Atom(dice.pick(&edges).name.clone(), None, args);
        }
        if self.sorts.range(sort).is_some() && dice.percent(80) {
            let changed = match dice.below(4) {
                0 => self.terms().arithmetic(sort, new_term, scope, 1, dice),
                at => Term::Arithmetic(
                    if at == 1 { "-" } else { "+" },
                    Box::new(new_term),
                    Box::new(Term::Const("1".into())),
                ),
            };
            return Formula::Compare("=", old_term, changed);
        }
        let only = Scope { vars: vec![(new.into(), sort.clone())], ..scope.clone() };
        let changed = self.terms().term(sort, &only, 2, dice).unwrap_or(new_term);
        let op = if dice.percent(65) { "=" } else { "!=" };
        Formula::Compare(op, old_term, changed)
    }
}

pub fn simplified(formula: Formula) -> Formula {
    match formula {
        Formula::And(mut parts) if parts.len() == 1 => parts.remove(0),
        Formula::And(parts) if parts.is_empty() => Formula::Const(true),
        other => other,
    }
}

/// Quantifies the variables that the body mentions; some sorts are left to inference.
fn bind(all: bool, bound: Vec<(String, Sort)>, body: Formula, dice: &mut Dice) -> Formula {
    let used = bound.into_iter().filter(|(name, _)| body.mentions(name)).collect::<Vec<_>>();
    if used.is_empty() {
        return body;
    }
    let settle = |(name, sort): (String, Sort)| {
        let written = !body.settles(&name) || dice.percent(40);
        (name, written.then_some(sort))
    };
    let mut binders = used.into_iter().map(settle).collect::<Vec<_>>();
    // In `x, y: T` both have the sort T: those whose sort is left out stand last.
    binders.sort_by_key(|(_, sort)| sort.is_none());
    Formula::Quantified(all, binders, Box::new(body))
}

/// The sort with an index in place of a family's index.
pub fn replace(sort: &Sort, var: &str, at: &Index) -> Sort {
    let end = |end: &Index| match &end.var {
        Some(name) if name == var => Index { var: at.var.clone(), plus: at.plus + end.plus },
        _ => end.clone(),
    };
    match sort {
        Sort::Vector(element, lo, hi) => Sort::Vector(Box::new(replace(element, var, at)), end(lo), end(hi)),
        other => other.clone(),
    }
}
