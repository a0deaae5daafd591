//! An order of the bits in which those that affect each other are near.
//!
//! Variables that meet in a statement attract each other, less so in wide statements. The order is built from
//! one end: always the bit that is most attracted by those placed before, the recent ones counting most. Numbers that
//! meet attract each other bit by bit, and neighbouring bits of a number as much: so they are interleaved, the
//! least significant bits first.

use crate::model::program::cfg::{Action, AssignedValue, Cfg, Edge};
use crate::model::program::resolve::program::{ProcedureId, Var, Variable};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A bit of a variable, counted from the least significant one.
type BitOf = (Var, u32);

/// The bits of each shared and of each own variable, from the least significant one on.
pub fn order(cfg: &Cfg, needed: &[ProcedureId]) -> (Vec<Vec<u16>>, Vec<Vec<u16>>) {
    let mut pull: BTreeMap<(BitOf, BitOf), f64> = BTreeMap::new();
    for edge in needed.iter().flat_map(|id| &cfg.flow(*id).edges) {
        let vars = together(cfg, edge);
        let weight = 1.0 / vars.len().max(1) as f64;
        // A statement that mentions everything says nothing about nearness.
        if vars.len() > 24 {
            continue;
        }
        for (at, a) in vars.iter().enumerate() {
            for bit in 1..bits(cfg, *a) {
                *pull.entry(((*a, bit - 1), (*a, bit))).or_default() += weight;
            }
            for b in &vars[at + 1..] {
                for bit in 0..bits(cfg, *a).min(bits(cfg, *b)) {
                    *pull.entry(((*a, bit), (*b, bit))).or_default() += weight;
                }
            }
        }
    }
    let arranged = |variables: &[Variable], var: fn(u32) -> Var| {
        let of = |(index, variable): (u32, &Variable)| {
            (0..variable.domain.bits()).map(move |bit| (var(index), bit))
        };
        let mut places = arrange((0..).zip(variables).flat_map(of).collect(), &pull).into_iter();
        let bits = |variable: &Variable| places.by_ref().take(variable.domain.bits() as usize).collect();
        variables.iter().map(bits).collect()
    };
    (arranged(&cfg.shared, Var::Shared), arranged(&cfg.own, Var::Own))
}

/// How many bits a shared or own variable has.
fn bits(cfg: &Cfg, var: Var) -> u32 {
    match var {
        Var::Shared(index) => cfg.shared[index as usize].domain.bits(),
        Var::Own(index) => cfg.own[index as usize].domain.bits(),
        Var::Local(_) => 0,
    }
}

/// The shared and own variables of an edge, sorted.
fn together(cfg: &Cfg, edge: &Edge) -> Vec<Var> {
    let mut vars = edge.guard.variables().collect::<Vec<_>>();
    match &edge.action {
        Action::Assign { values, constraint, others } => {
            for (var, value) in values {
                vars.push(*var);
                if let AssignedValue::Is(value) = value {
                    vars.extend(value.variables());
                }
            }
            vars.extend(constraint.iter().flat_map(|constraint| constraint.variables()));
            vars.extend(others.iter().flat_map(|others| others.theirs().chain(others.of_the_running())));
        }
        Action::Call { arguments, .. } => {
            vars.extend(arguments.iter().flat_map(|argument| argument.variables()))
        }
        Action::Create(spawn) => vars.extend(spawn.values.iter().flat_map(|value| value.variables())),
    }
    vars.retain(|var| !matches!(var, Var::Local(_)) && cfg.hold != Some(*var));
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// Positions for the bits, in the order of `vars`.
///
/// Placing a bit halves all scores and then adds its weights. So the order of two scores only changes where a weight is added: a score is
/// kept as it was then, and compared by what it would have been at the beginning. Below the smallest number it is 0.
fn arrange(vars: Vec<BitOf>, pull: &BTreeMap<(BitOf, BitOf), f64>) -> Vec<u16> {
    let index = vars.iter().enumerate().map(|(at, var)| (*var, at)).collect::<BTreeMap<_, _>>();
    let mut near = vec![Vec::new(); vars.len()];
    for ((a, b), weight) in pull {
        if let (Some(a), Some(b)) = (index.get(a), index.get(b)) {
            near[*a].push((*b, *weight));
            near[*b].push((*a, *weight));
        }
    }
    let mut scores = vec![Score::default(); vars.len()];
    // Those with a score, the best one last; among equals the first in the text.
    let mut attracted: BTreeSet<(Rank, Reverse<usize>)> = BTreeSet::new();
    let mut placed = vec![false; vars.len()];
    let mut position = vec![0; vars.len()];
    let mut first = 0;
    for place in 0..vars.len() {
        if attracted.last().is_some_and(|(rank, _)| rank.is_zero(place)) {
            attracted.clear();
        }
        let best = match attracted.pop_last() {
            Some((_, Reverse(best))) => best,
            None => {
                while placed[first] {
                    first += 1;
                }
                first
            }
        };
        placed[best] = true;
        position[best] = u16::try_from(place).expect("the bits were counted before");
        for &(at, weight) in near[best].iter().filter(|(at, _)| !placed[*at]) {
            attracted.remove(&(scores[at].rank(), Reverse(at)));
            scores[at] = Score { value: scores[at].at(place + 1) + weight, time: place + 1 };
            attracted.insert((scores[at].rank(), Reverse(at)));
        }
    }
    position
}

/// A score when so many variables were placed.
#[derive(Clone, Copy, Default)]
struct Score {
    value: f64,
    time: usize,
}

/// The exponent that a score would have had at the beginning, and its other bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(i64, u64);

impl Score {
    /// What has become of it when so many are placed.
    fn at(self, time: usize) -> f64 {
        let halvings = i32::try_from(time - self.time).unwrap_or(i32::MAX);
        self.value * 0.5f64.powi(halvings)
    }

    fn rank(self) -> Rank {
        let bits = self.value.to_bits();
        Rank((bits >> 52) as i64 + self.time as i64, bits & ((1 << 52) - 1))
    }
}

impl Rank {
    /// Whether nothing is left of the score when so many are placed.
    fn is_zero(self, time: usize) -> bool {
        self.0 - time as i64 <= -52
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule as the head of this file has it.
    fn slowly(vars: &[BitOf], pull: &BTreeMap<(BitOf, BitOf), f64>) -> Vec<u16> {
        let weight = |a: BitOf, b: BitOf| pull.get(&(a.min(b), a.max(b))).copied().unwrap_or(0.0);
        let mut scores = vec![0.0; vars.len()];
        let mut position = vec![u16::MAX; vars.len()];
        for place in 0..vars.len() {
            let open = (0..vars.len()).filter(|&at| position[at] == u16::MAX);
            let best = open.reduce(|best, at| if scores[best] >= scores[at] { best } else { at });
            let best = best.expect("one is open");
            position[best] = place as u16;
            for (at, score) in scores.iter_mut().enumerate() {
                *score = *score * 0.5 + weight(vars[best], vars[at]);
            }
        }
        position
    }

    #[test]
    fn the_order_is_that_of_the_rule() {
        let mut state = 1u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for (count, pairs) in
            [(0, 0), (1, 0), (2, 1), (5, 4), (9, 30), (40, 25), (40, 200), (300, 500), (1300, 400)]
        {
            let bit = |at: u32| (Var::Shared(at), 0);
            let vars = (0..count as u32).map(bit).collect::<Vec<_>>();
            let mut pull = BTreeMap::new();
            for _ in 0..pairs {
                let (a, b) = (random(count) as u32, random(count) as u32);
                if a != b {
                    *pull.entry((bit(a.min(b)), bit(a.max(b)))).or_default() += 1.0 / (2 + random(5)) as f64;
                }
            }
            assert_eq!(
                arrange(vars.clone(), &pull),
                slowly(&vars, &pull),
                "{count} variables, {pairs} pairs"
            );
        }
    }
}
