//! Wide numbers that meet, also those of different sorts: a thread's ticket in `Local` and the counter in `Shared`. Their bits
//! take turns in decision diagrams, the least significant first; otherwise a comparison has exponential size.
//!
//! Small numbers have their places from [`super::affinity`] and [`Layout`], beside the truth values that they meet.

use super::layout::Layout;
use crate::model::program::cfg::{Action, AssignedValue, Cfg};
use crate::model::program::predicate::{Predicate, is_called};
use crate::model::program::resolve::program::{Domain, Expr, ProcedureId, Program, Var};
use crate::model::schema::{LOCAL, OWN, SHARED};
use calculus::graph::Classes;
use calculus::vocabulary::Weave;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of fewer bits are small in any order.
pub const WIDE: u32 = 5;

/// A number somewhere in the program.
type Word = (ProcedureId, Var);

pub fn weaves(program: &Program, cfg: &Cfg, layout: &Layout) -> Vec<Weave> {
    let locals = cfg.flows.iter().flat_map(|flow| &flow.locals);
    if !cfg.shared.iter().chain(&cfg.own).chain(locals).any(|variable| is_wide(&variable.domain)) {
        return Vec::new();
    }
    let mut bits = Bits::new(layout);
    for id in &layout.needed {
        for edge in &cfg.flow(*id).edges {
            let here = |expr: &Expr| expr.variables().map(|var| (*id, var)).collect::<Vec<_>>();
            edge.guard.conjuncts().iter().for_each(|part| bits.meet(cfg, here(part)));
            match &edge.action {
                Action::Assign { values, constraint, others } => {
                    for (var, value) in values {
                        let read =
                            if let AssignedValue::Is(value) = value { here(value) } else { Vec::new() };
                        bits.meet(cfg, read.into_iter().chain([(*id, *var)]));
                    }
                    let constraint = constraint.iter().flat_map(Expr::conjuncts);
                    constraint.for_each(|part| bits.meet(cfg, here(&part)));
                    for bearer in others.iter().flat_map(|others| &others.bearers) {
                        let of_others = others.iter().flat_map(|others| others.theirs());
                        let running = others.iter().flat_map(|others| others.of_the_running());
                        let all = of_others.map(|var| (*bearer, var));
                        bits.meet(cfg, all.chain(running.map(|var| (*id, var))));
                    }
                }
                Action::Call { callee, arguments, targets } => {
                    for (local, argument) in (0..).zip(arguments) {
                        bits.meet(cfg, here(argument).into_iter().chain([(*callee, Var::Local(local))]));
                    }
                    for (target, result) in targets.iter().zip(&cfg.flow(*callee).results) {
                        bits.meet(
                            cfg,
                            target.map(|target| (*id, target)).into_iter().chain([(*callee, *result)]),
                        );
                    }
                }
                Action::Create(spawn) => {
                    let (flow, _) = cfg.births[spawn.birth as usize];
                    for (var, value) in spawn.variables.iter().zip(&spawn.values) {
                        bits.meet(cfg, here(value).into_iter().chain([(flow, *var)]));
                    }
                }
            }
        }
    }
    for predicate in &program.predicates {
        let words = mentioned(program, cfg, layout, predicate);
        bits.meet(cfg, words);
    }
    bits.weaves()
}

fn is_wide(domain: &Domain) -> bool {
    matches!(domain, Domain::Range { .. }) && domain.bits() >= WIDE
}

/// All variables that a predicate can be about.
fn mentioned(program: &Program, cfg: &Cfg, layout: &Layout, predicate: &Predicate) -> Vec<Word> {
    let named = |name: &str| predicate.names.iter().any(|mention| is_called(name, &mention.name));
    let first = layout.needed.first().copied().unwrap_or(ProcedureId(0));
    let shared = (0..).map(Var::Shared).zip(&program.shared).filter(|(_, variable)| named(&variable.name));
    let own = (0..).map(Var::Own).zip(&program.own).filter(|(_, variable)| named(&variable.name));
    let mut words = shared.chain(own).map(|(var, _)| (first, var)).collect::<Vec<_>>();
    for id in &layout.needed {
        let locals = (0..).zip(&cfg.flow(*id).locals).filter(|(_, variable)| named(&variable.name));
        words.extend(locals.map(|(index, _)| (*id, Var::Local(index))));
    }
    words
}

/// Which bits belong together, all bits of all sorts counted through.
struct Bits<'a> {
    layout: &'a Layout,
    classes: Classes,
    /// The largest significance that a bit has in a wide number.
    significance: BTreeMap<usize, u32>,
}

impl<'a> Bits<'a> {
    fn new(layout: &'a Layout) -> Bits<'a> {
        let count = layout.shared_bits + layout.own_bits + layout.local_bits;
        Bits { layout, classes: Classes::new(count as usize), significance: BTreeMap::new() }
    }

    /// The first bit of the sort of a variable.
    fn first(&self, var: Var) -> usize {
        let (shared, own) = (self.layout.shared_bits as usize, self.layout.own_bits as usize);
        match var {
            Var::Shared(_) => 0,
            Var::Own(_) => shared,
            Var::Local(_) => shared + own,
        }
    }

    /// The wide numbers among these variables meet.
    fn meet(&mut self, cfg: &Cfg, words: impl IntoIterator<Item = Word>) {
        let mut before = None;
        for (flow, var) in words {
            let domain = cfg.domain(flow, var);
            if !is_wide(domain) {
                continue;
            }
            let first = self.first(var);
            for (significance, bit) in (0..).zip(self.layout.bits(flow, var).into_iter().flatten()) {
                let bit = first + usize::from(*bit);
                let known = self.significance.entry(bit).or_default();
                *known = significance.max(*known);
                self.classes.join(bit, *before.get_or_insert(bit));
            }
        }
    }

    fn weaves(mut self) -> Vec<Weave> {
        let (shared, own) = (self.layout.shared_bits as usize, self.layout.own_bits as usize);
        let place = |bit: usize| match bit {
            bit if bit < shared => (SHARED.name, bit),
            bit if bit < shared + own => (OWN.name, bit - shared),
            bit => (LOCAL.name, bit - shared - own),
        };
        let mut classes: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
        for (&bit, &significance) in &self.significance {
            classes.entry(self.classes.root(bit)).or_default().push((significance, bit));
        }
        // A number that meets no other keeps its place.
        let several = |class: &Vec<(u32, usize)>| {
            let significances = class.iter().map(|(significance, _)| significance).collect::<BTreeSet<_>>();
            significances.len() < class.len()
        };
        let woven = classes.into_values().filter(several).map(|mut class| {
            class.sort_unstable();
            let place = |(_, bit): (u32, usize)| {
                let (sort, bit) = place(bit);
                (sort.to_string(), bit as u16)
            };
            class.into_iter().map(place).collect()
        });
        woven.collect()
    }
}
