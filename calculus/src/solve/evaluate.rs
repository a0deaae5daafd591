//! Evaluating one rule: its steps join, filter and forget, row by row of keys.

use super::bind::{BoundAtom, BoundKind, BoundPlan, FramedView};
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Operand, Summand, in_range};
use crate::index::IdVec;
use crate::plan::{KeySource, OutKey};
use crate::relation::{Key, Relation};
use crate::sort::{Sort, SortId, Value};
use crate::space::{Space, code, value_of};
use rustc_hash::FxHashMap;

/// How many rows are handled between two looks at the limits.
const POLL: usize = 1024;

/// Rows of bound keys with what is known of the bits. Mostly there are few of them: a location has few successors.
#[derive(Default)]
struct Partial {
    rows: Vec<(Key, Bdd)>,
    /// Where each is, once there are many.
    at: FxHashMap<Key, usize>,
}

/// So many rows are looked through one by one.
const FEW: usize = 8;

impl Partial {
    fn add(&mut self, key: Key, bits: Bdd) -> Result<(), Stop> {
        let there = match self.at.is_empty() {
            true => self.rows.iter().position(|(other, _)| *other == key),
            false => self.at.get(&key).copied(),
        };
        if let Some(at) = there {
            self.rows[at].1 = self.rows[at].1.or(&bits)?;
            return Ok(());
        }
        if !self.at.is_empty() {
            self.at.insert(key.clone(), self.rows.len());
        } else if self.rows.len() == FEW {
            let numbered = self.rows.iter().enumerate().map(|(at, (key, _))| (key.clone(), at));
            self.at = numbered.chain([(key.clone(), FEW)]).collect();
        }
        self.rows.push((key, bits));
        Ok(())
    }
}

/// The rows that a rule derives. `seed` replaces the rows of the first atom.
pub fn evaluate(
    space: &Space,
    relations: &IdVec<RelId, Relation>,
    rule: &mut BoundPlan,
    seed: Option<&[(Key, Bdd)]>,
) -> Result<Vec<(Key, Bdd)>, Stop> {
    let mut rows: Vec<(Key, Bdd)> = vec![(Key::default(), space.manager.one())];
    for at in 0..rule.steps.len() {
        let (before, after) = rule.steps.split_at_mut(at + 1);
        let (step, following) = (&mut before[at], after.first());
        let mut next = Partial::default();
        // A key tuple is a new allocation, so it is made only for rows that survive.
        let mut keep =
            |from: &[u32], column: &[u32], own: u32, bits: Bdd, out: &[OutKey]| -> Result<(), Stop> {
                if bits.is_zero() {
                    return Ok(());
                }
                next.add(bound_after(from, column, own, out), bits)
            };
        let (forget, out) = (&step.forget, &step.out);
        for (number, (key, bits)) in rows.iter().enumerate() {
            // Rows of keys alone make no nodes, so that nothing else would notice a limit.
            if number % POLL == POLL - 1 {
                space.manager.check()?;
            }
            match &mut step.kind {
                BoundKind::Atom(atom) if atom.negative => {
                    let kept = match negative_row(&relations[atom.relation], atom, key)? {
                        Some(view) => bits.and_exists(&view.not(), forget)?,
                        None => bits.exists(forget)?,
                    };
                    keep(key, &[], 0, kept, out)?;
                }
                BoundKind::Atom(atom) => {
                    let relation = &relations[atom.relation];
                    let seed = if at == 0 { seed } else { None };
                    if atom.is_framed {
                        framed_join(space, relation, atom, key, &mut |row, view| {
                            let mut joined = bits.and_exists(&view.core, &view.forget)?;
                            if let Some((moves, moved)) = &view.moves {
                                joined = joined.and_exists(moves, moved)?;
                            }
                            keep(key, row, 0, joined, out)
                        })?;
                        continue;
                    }
                    // Most rows of a program's control flow are no calls: looking up the next atom's keys first
                    // saves the work on bits where nothing would join, if there is any.
                    let following =
                        following.filter(|_| !atom.view.is_free() || !forget.is_empty() || !bits.is_one());
                    let promising = |row: &[u32]| {
                        following.is_none_or(|step| {
                            leads_on(relations, &step.kind, &bound_after(key, row, 0, out))
                        })
                    };
                    join(relation, atom, key, seed, &promising, &mut |row, view| {
                        keep(key, row, 0, bits.and_exists(view, forget)?, out)
                    })?;
                }
                BoundKind::Condition(condition) => {
                    let holds = condition.of(space, key)?;
                    keep(key, &[], 0, bits.and_exists(&holds, forget)?, out)?;
                }
                BoundKind::KeyDomain(size) => {
                    let bits = bits.exists(forget)?;
                    for code in 0..*size {
                        if (code as usize).is_multiple_of(POLL) {
                            space.manager.check()?;
                        }
                        keep(key, &[], code, bits.clone(), out)?;
                    }
                }
                BoundKind::BitDomain(valid) => keep(key, &[], 0, bits.and_exists(valid, forget)?, out)?,
                BoundKind::Compute { other, sort, shift } => {
                    if let Some(own) = computed(space, other, key, *sort, *shift) {
                        keep(key, &[], own, bits.exists(forget)?, out)?;
                    }
                }
            }
        }
        rows = next.rows;
        if rows.is_empty() {
            return Ok(rows);
        }
    }
    finish(rule, rows)
}

/// The code of the key with `key + shift = other`, if there is one. The other side must have a value too.
fn computed(space: &Space, other: &Operand, bound: &[u32], sort: SortId, shift: i128) -> Option<u32> {
    let sorts = &space.sorts;
    // Only ranges have numbers: other values are equal if their codes are.
    if !matches!(sorts.get(sort), Sort::Range { .. }) {
        return match other.as_arg()? {
            Arg::Const(value) => Some(code(sorts, sort, value) as u32),
            Arg::Var(position) => Some(bound[*position]),
        };
    }
    let number = |value: &Value| match value {
        Value::Int(number) => Some(i128::from(*number)),
        _ => None,
    };
    let known = |part: &Summand| match &part.arg {
        Arg::Const(value) => number(value),
        Arg::Var(position) => number(&value_of(sorts, part.sort, u64::from(bound[*position]))),
    };
    let value = other.number.value(&known).filter(|value| in_range(sorts, other.sort, *value).is_some())?;
    in_range(sorts, sort, value - shift).map(|own| code(sorts, sort, &own) as u32)
}

/// The bound keys after a step.
fn bound_after(from: &[u32], column: &[u32], own: u32, out: &[OutKey]) -> Key {
    let code = |source: &OutKey| match source {
        OutKey::Before(position) => from[*position],
        OutKey::Column(position) => column[*position],
        OutKey::Own => own,
    };
    out.iter().map(code).collect()
}

/// Whether a step can find rows for these bound keys.
fn leads_on(relations: &IdVec<RelId, Relation>, kind: &BoundKind, bound: &[u32]) -> bool {
    let BoundKind::Atom(atom) = kind else { return true };
    if atom.negative {
        return true;
    }
    let relation = &relations[atom.relation];
    let values = atom.lookup.iter().filter_map(|&column| known(bound, &atom.keys[column])).collect::<Key>();
    match atom.exact {
        true => relation.get(&values).is_some(),
        false => !relation.matching(atom.index, &values).is_empty(),
    }
}

/// Calls `found` with the key columns and the view of every row of an atom that fits the bound keys and is promising.
fn join(
    relation: &Relation,
    atom: &mut BoundAtom,
    bound: &[u32],
    seed: Option<&[(Key, Bdd)]>,
    promising: &impl Fn(&[u32]) -> bool,
    found: &mut impl FnMut(&[u32], &Bdd) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if let Some(seed) = seed {
        for (row, bits) in seed {
            if fits(bound, row, &atom.keys) && promising(row) {
                found(row, &atom.view.of(row, bits, false)?)?;
            }
        }
        return Ok(());
    }
    let values = atom.lookup.iter().filter_map(|&column| known(bound, &atom.keys[column])).collect::<Key>();
    if atom.exact {
        if let Some(bits) = relation.get(&values)
            && promising(&values)
        {
            found(&values, &atom.view.of(&values, bits, true)?)?;
        }
        return Ok(());
    }
    for row in relation.matching(atom.index, &values) {
        if fits(bound, row, &atom.keys) && promising(row) {
            let bits = relation.get(row).expect("an index lists existing rows");
            found(row, &atom.view.of(row, bits, true)?)?;
        }
    }
    Ok(())
}

/// The same for a relation some of whose rows have frames.
fn framed_join(
    space: &Space,
    relation: &Relation,
    atom: &mut BoundAtom,
    bound: &[u32],
    found: &mut impl FnMut(&[u32], &FramedView) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let values = atom.lookup.iter().filter_map(|&column| known(bound, &atom.keys[column])).collect::<Key>();
    for (row, view) in atom.framed_views(space, relation, &values, |row, keys| fits(bound, row, keys))? {
        found(row, view)?;
    }
    Ok(())
}

/// The code of a key column, if it is known before the join.
fn known(bound: &[u32], key: &KeySource) -> Option<u32> {
    match key {
        KeySource::Const(code) => Some(*code),
        KeySource::Bound(position) => Some(bound[*position]),
        KeySource::Free | KeySource::Same(_) => None,
    }
}

/// Whether a row has the known codes, and equal codes where the same variable stands.
fn fits(bound: &[u32], row: &[u32], keys: &[KeySource]) -> bool {
    keys.iter().zip(row).all(|(key, code)| match key {
        KeySource::Same(column) => row[*column] == *code,
        other => known(bound, other).is_none_or(|wanted| wanted == *code),
    })
}

/// What a negative atom takes away; all its keys are bound.
fn negative_row(relation: &Relation, atom: &mut BoundAtom, bound: &[u32]) -> Result<Option<Bdd>, Stop> {
    let key = atom
        .keys
        .iter()
        .map(|key| known(bound, key).expect("a negative atom binds nothing"))
        .collect::<Key>();
    match (relation.get(&key), relation.frame(&key)) {
        (None, _) => Ok(None),
        (Some(bits), None) => atom.view.of(&key, bits, true).map(Some),
        (Some(_), Some(_)) => atom.view.of(&key, &relation.expanded(&key)?, true).map(Some),
    }
}

fn finish(rule: &BoundPlan, rows: Vec<(Key, Bdd)>) -> Result<Vec<(Key, Bdd)>, Stop> {
    let mut out = Vec::with_capacity(rows.len());
    for (bound, bits) in rows {
        let key = rule
            .head_keys
            .iter()
            .map(|key| known(&bound, key).expect("the head's keys are bound"))
            .collect::<Key>();
        let mut bits = bits.rename(&rule.head_renaming)?;
        if let Some(filter) = &rule.head_filter {
            bits = bits.and(filter)?;
        }
        out.push((key, bits));
    }
    Ok(out)
}
