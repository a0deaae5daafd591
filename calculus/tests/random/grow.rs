//! Random files: sorts first, then the headers of all relations, then their bodies.

use super::draft::{Declared, Definition, Draft, Formula, Index, Item, Sort, SortItem};
use super::formulas::{Formulas, Polarity, Signature, simplified};
use super::scope::{Dice, Scope, SortTable, Static};

/// Tuples a relation may have.
const TUPLES: usize = 300;

/// Kinds that follow the index of a family.
const BY_INDEX: &[&str] = &[
    "mu if i % 2 = 1 else nu",
    "nu if i % 2 = 1 else mu",
    "mu if i = 1 | !(i < 2) else nu",
    "nu if min(i, 1) != i & true else mu",
];

/// What a kind of random file is rich in, as shares of a hundred.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Records and vectors.
    pub parts: usize,
    pub families: usize,
    /// Definitions that join the component of the one before.
    pub together: usize,
    /// `nu` among `mu`.
    pub greatest: usize,
    /// Files with one component whose fixed points are of the two kinds in turn.
    pub deep: usize,
    /// Sorts of texts, and inputs that bring them.
    pub symbols: usize,
}

pub fn draft(profile: Profile, dice: &mut Dice) -> Draft {
    let sorts = sorts(profile, dice);
    let is_deep = dice.percent(profile.deep);
    let mut grower = Grower { sorts, relations: Vec::new(), items: Vec::new(), profile, is_deep };
    let facts = 1 + dice.below(3);
    (0..facts).for_each(|at| grower.facts(at, dice));
    if profile.symbols > 0 {
        (0..dice.below(3)).for_each(|_| grower.input(dice));
    }
    grower.definitions(dice);
    if !is_deep {
        dice.shuffle(&mut grower.items);
    }
    grower.queries(dice);
    grower.verdicts(dice);
    grower.hints(dice);
    Draft { sorts: grower.sorts.items, items: grower.items }
}

fn sorts(profile: Profile, dice: &mut Dice) -> SortTable {
    let mut table = SortTable::default();
    for at in 0..1 + dice.below(3) {
        let (name, keyed) = (format!("S{at}"), dice.percent(30));
        let declared = if profile.symbols > 0 && dice.percent(profile.symbols) {
            Declared::Symbol
        } else if dice.percent(45) {
            let count = *dice.pick(&[1, 2, 3, 3, 3, 4, 4, 4]);
            Declared::Enum((0..count).map(|value| format!("E{at}{}", ["a", "b", "c", "d"][value])).collect())
        } else {
            let lo = dice.from(-2, 3);
            Declared::Range(lo, lo + *dice.pick(&[0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 9, 11]))
        };
        table.pool.push(Sort::Named(name.clone()));
        table.items.push(SortItem { name, keyed, declared });
    }
    if dice.percent(60) {
        table.pool.push(Sort::Bool);
    }
    if dice.percent(40) {
        table.pool.push(Sort::Range(1, dice.from(1, 4)));
    }
    let scalars = table.pool.clone();
    if dice.percent(profile.parts) {
        let fields = (0..1 + dice.below(3)).map(|at| (format!("f{at}"), dice.pick(&scalars).clone()));
        let fields = fields.collect::<Vec<_>>();
        if product(&table, fields.iter().map(|(_, sort)| sort)) <= 24 {
            let item = SortItem { name: "R".into(), keyed: false, declared: Declared::Record(fields) };
            table.items.push(item);
            table.pool.push(Sort::Named("R".into()));
        }
    }
    for _ in 0..2 {
        if dice.percent(profile.parts) {
            let lo = dice.from(0, 2);
            let hi = lo + dice.from(-1, 2);
            // An in-place range cannot be written as an element.
            let elements = scalars.iter().filter(|sort| !matches!(sort, Sort::Range(..))).collect::<Vec<_>>();
            let sort = Sort::Vector(Box::new((*dice.pick(&elements)).clone()), Index::of(lo), Index::of(hi));
            if product(&table, [&sort].into_iter()) <= 27 {
                table.pool.push(sort.clone());
                if dice.percent(15) && !table.items.iter().any(|item| item.name == "W") {
                    let declared = Declared::Record(vec![("v".into(), sort), ("on".into(), Sort::Bool)]);
                    table.items.push(SortItem { name: "W".into(), keyed: false, declared });
                    table.pool.push(Sort::Named("W".into()));
                }
            }
        }
    }
    // The compound ones stand last.
    let last = table.pool[table.pool.len() - 1].clone();
    table.main = vec![
        dice.pick(&table.pool).clone(),
        if dice.percent(50) { last } else { dice.pick(&table.pool).clone() },
    ];
    table
}

fn product<'s>(table: &SortTable, sorts: impl Iterator<Item = &'s Sort>) -> usize {
    let scope = Scope { statics: vec![], ..Scope::default() };
    sorts.map(|sort| table.size(sort, &scope)).product()
}

struct Grower {
    sorts: SortTable,
    relations: Vec<Signature>,
    items: Vec<Item>,
    profile: Profile,
    is_deep: bool,
}

impl Grower {
    /// Columns whose tuples can be listed.
    fn columns(&self, most: usize, scope: &Scope, dice: &mut Dice) -> Vec<Sort> {
        let mut columns: Vec<Sort> = Vec::new();
        let mut tuples = 1;
        let count = if dice.percent(8) { 0 } else { 1 + dice.below(most) };
        for _ in 0..count {
            let sort = if !columns.is_empty() && dice.percent(40) {
                columns[0].clone()
            } else {
                self.sorts.pick(dice)
            };
            let size = self.sorts.size(&sort, scope);
            if tuples * size <= TUPLES {
                tuples *= size;
                columns.push(sort);
            }
        }
        columns
    }

    fn facts(&mut self, at: usize, dice: &mut Dice) {
        let columns = if dice.percent(50) {
            let sort = self.sorts.pick(dice);
            vec![sort.clone(), sort]
        } else {
            let mut columns = self.columns(2, &Scope::default(), dice);
            if columns.is_empty() && dice.percent(80) {
                columns.push(dice.pick(&self.sorts.pool).clone());
            }
            columns
        };
        let possible = product(&self.sorts, columns.iter());
        if possible > TUPLES {
            return self.facts(at, dice);
        }
        let rows = (0..dice.below(possible.min(12) + 1)).filter_map(|_| {
            columns.iter().map(|sort| self.sorts.constant(sort, dice)).collect::<Option<Vec<_>>>()
        });
        let rows = rows.collect();
        let name = format!("fact{at}");
        let columns =
            columns.into_iter().enumerate().map(|(at, sort)| (format!("c{at}"), sort)).collect::<Vec<_>>();
        self.relations.push(Signature {
            name: name.clone(),
            index: None,
            columns: columns.iter().map(|(_, sort)| sort.clone()).collect(),
            group: 0,
            is_let: false,
            number: at,
        });
        self.items.push(Item::Facts { name, columns, rows });
    }

    /// An input of texts, if there is a sort of them.
    fn input(&mut self, dice: &mut Dice) {
        let is_text = |sort: &&Sort| match sort {
            Sort::Named(name) => matches!(self.sorts.declared(name), Declared::Symbol),
            _ => false,
        };
        let texts = self.sorts.pool.iter().filter(is_text).cloned().collect::<Vec<_>>();
        if texts.is_empty() {
            return;
        }
        let columns = (0..1 + dice.below(2)).map(|_| dice.pick(&texts).clone()).collect::<Vec<_>>();
        let name = format!("input{}w{}", dice.below(500), columns.len());
        if self.relations.iter().any(|other| other.name == name) {
            return;
        }
        let number = self.relations.len();
        let named = columns.iter().enumerate().map(|(at, sort)| (format!("c{at}"), sort.clone())).collect();
        let own = Signature { name: name.clone(), index: None, columns, group: 0, is_let: false, number };
        self.relations.push(own);
        self.items.push(Item::Input { name, columns: named });
    }

    /// Headers first, because definitions of one group speak of each other.
    fn definitions(&mut self, dice: &mut Dice) {
        let mut group = 1;
        let mut planned = Vec::new();
        let (count, first) =
            if self.is_deep { (3 + dice.below(3), dice.below(2)) } else { (2 + dice.below(5), 0) };
        for at in 0..count {
            if at > 0 && !self.is_deep && !dice.percent(self.profile.together) {
                group += 1;
            }
            let kind = match dice.percent(18) {
                _ if self.is_deep => ["mu", "nu"][(first + at) % 2],
                true => "let",
                false if dice.percent(self.profile.greatest) => "nu",
                false => "mu",
            };
            let index = dice.percent(self.profile.families).then(|| {
                let lo = dice.from(0, 2);
                ("i".to_string(), lo, lo + dice.from(0, 2))
            });
            let kind = match &index {
                Some(_) if kind != "let" && dice.percent(60) => *dice.pick(BY_INDEX),
                _ => kind,
            };
            let mut scope = Scope::default();
            if let Some((name, lo, hi)) = &index {
                scope.statics.push(Static { name: name.clone(), lo: *lo, hi: *hi, upto: None });
            }
            let mut columns = self.columns(3, &scope, dice);
            if let Some((name, _, hi)) = &index
                && dice.percent(45)
            {
                let elements = self.sorts.pool.iter().filter(|sort| !matches!(sort, Sort::Range(..)));
                let element = (*dice.pick(&elements.collect::<Vec<_>>())).clone();
                let sort = Sort::Vector(Box::new(element), Index::of(1), Index::var(name, 0));
                let others = columns.iter().map(|sort| self.sorts.size(sort, &scope)).product::<usize>();
                if *hi <= 3 && self.sorts.size(&sort, &scope) * others <= TUPLES {
                    columns.insert(0, sort);
                }
            }
            let (name, is_let, number) = (format!("P{at}"), kind == "let", self.relations.len());
            self.relations.push(Signature { name, index, columns, group, is_let, number });
            planned.push((number, kind));
        }
        for (number, kind) in planned {
            let definition = self.definition(number, kind, dice);
            self.items.push(Item::Definition(definition));
        }
    }

    fn definition(&mut self, number: usize, kind: &'static str, dice: &mut Dice) -> Definition {
        let own = self.relations[number].clone();
        let mut scope = Scope { cost: 1, ..Scope::default() };
        if let Some((name, lo, hi)) = &own.index {
            scope.statics.push(Static { name: name.clone(), lo: *lo, hi: *hi, upto: None });
        }
        for (at, sort) in own.columns.iter().enumerate() {
            scope.cost *= self.sorts.size(sort, &scope);
            scope.vars.push((format!("c{at}"), sort.clone()));
        }
        let columns = scope.vars.clone();
        let mut formulas =
            Formulas { sorts: &self.sorts, relations: &self.relations, own: own.clone(), names: 0 };
        let mut bodies = Vec::new();
        let is_fixed = !matches!(kind, "let" | "query");
        let is_least = kind == "mu" || is_fixed && kind != "nu" && dice.percent(50);
        let recursive = is_fixed && (self.is_deep || dice.percent(80));
        for _ in 0..1 + dice.below(if recursive { 2 } else { 3 }) {
            let fuel = 1 + dice.below(3);
            let mut body = formulas.formula(&scope, Polarity::Positive, fuel, dice);
            // Neither empty nor everything, as the base of a recursion ought to be.
            if (is_least || !is_fixed) && dice.percent(if recursive { 70 } else { 40 }) {
                let narrow = (0..1 + dice.below(2)).filter_map(|_| formulas.narrow(&scope, dice));
                let mut parts = narrow.collect::<Vec<_>>();
                if dice.percent(40) {
                    parts.push(body);
                }
                body = simplified(Formula::And(parts));
            }
            bodies.push(body);
        }
        if recursive {
            let mates = self.relations.iter().filter(|other| other.group == own.group && !other.is_let);
            let mates = mates.cloned().collect::<Vec<_>>();
            // The next of its group, the last one the first: so that groups become components.
            let next = mates.iter().find(|other| other.number > own.number).unwrap_or(&mates[0]);
            let mate = match dice.weighted(&[25, 55, 20]) {
                _ if self.is_deep => next.clone(),
                0 => own.clone(),
                1 => next.clone(),
                _ => dice.pick(&mates).clone(),
            };
            let mut further = None;
            let by_index = !matches!(kind, "mu" | "nu");
            if by_index || self.is_deep && dice.percent(60) {
                let other =
                    if by_index || dice.percent(50) { own.clone() } else { dice.pick(&mates).clone() };
                further = formulas.step(&scope, &other, is_least, dice);
            }
            if let Some(step) = formulas.step(&scope, &mate, is_least, dice) {
                if is_least {
                    bodies.push(step);
                    bodies.extend(further);
                } else {
                    bodies.truncate(1);
                    let first = match formulas.narrow(&scope, dice) {
                        Some(narrow) if dice.percent(70) => Formula::Not(Box::new(narrow)),
                        _ => bodies.remove(0),
                    };
                    bodies = vec![Formula::And([first, step].into_iter().chain(further).collect())];
                }
            }
        }
        dice.shuffle(&mut bodies);
        let labelled = dice.percent(40);
        let name = |at: usize, dice: &mut Dice| (labelled && dice.percent(70)).then(|| format!("clause{at}"));
        let clauses = bodies.into_iter().enumerate().map(|(at, body)| (name(at, dice), body)).collect();
        Definition { kind, name: own.name, index: own.index, columns, clauses }
    }

    fn queries(&mut self, dice: &mut Dice) {
        let group = self.relations.iter().map(|other| other.group).max().unwrap_or(0) + 1;
        let count = 1 + dice.below(3);
        for at in 0..count {
            let columns =
                if dice.percent(30) { Vec::new() } else { self.columns(2, &Scope::default(), dice) };
            let number = self.relations.len();
            self.relations.push(Signature {
                name: format!("Q{at}"),
                index: None,
                columns,
                group,
                is_let: true,
                number,
            });
            let definition = self.definition(number, "query", dice);
            self.items.push(Item::Definition(definition));
        }
        // Every relation is asked for by one query or another.
        for (number, relation) in self.relations.clone().into_iter().enumerate() {
            if relation.group == 0 || relation.group == group || dice.percent(25) {
                continue;
            }
            let at = relation.index.as_ref().map(|(_, lo, hi)| Index::of(dice.from(*lo, *hi)));
            let columns = relation.columns.iter().map(|sort| match (&relation.index, &at) {
                (Some((var, ..)), Some(at)) => super::formulas::replace(sort, var, at),
                _ => sort.clone(),
            });
            let columns = columns.enumerate().map(|(at, sort)| (format!("c{at}"), sort)).collect::<Vec<_>>();
            let args = columns.iter().map(|(name, _)| super::draft::Term::Var(name.clone())).collect();
            let clauses = vec![(None, Formula::Atom(relation.name, at, args))];
            let definition =
                Definition { kind: "query", name: format!("All{number}"), index: None, columns, clauses };
            self.items.push(Item::Definition(definition));
        }
    }

    fn verdicts(&mut self, dice: &mut Dice) {
        if dice.percent(35) {
            return;
        }
        let group = self.relations.iter().map(|other| other.group).max().unwrap_or(0) + 1;
        for _ in 0..1 + dice.below(2) {
            let own = Signature {
                name: String::new(),
                index: None,
                columns: Vec::new(),
                group,
                is_let: true,
                number: self.relations.len(),
            };
            let mut formulas = Formulas { sorts: &self.sorts, relations: &self.relations, own, names: 0 };
            let scope = Scope { cost: 1, ..Scope::default() };
            let condition = formulas.formula(&scope, Polarity::Positive, 1 + dice.below(2), dice);
            let kind = *dice.pick(&["unsafe", "safe", "bounded", "unknown"]);
            self.items.push(Item::Verdict { kind, condition: Some(condition) });
        }
        if dice.percent(40) {
            let kind = if dice.percent(50) { "bounded" } else { "unknown" };
            self.items.push(Item::Verdict { kind, condition: None });
        }
    }

    fn hints(&mut self, dice: &mut Dice) {
        for item in &self.sorts.items {
            if !matches!(item.declared, Declared::Record(_)) && dice.percent(10) {
                self.items.push(Item::Hint { keyed: dice.percent(50), sort: item.name.clone() });
            }
        }
    }
}
