//! What abstraction by predicates needs: `pred[i](q, s)`, `pred2[i](q, p, s)`, `outline(q, s, k, o)`, `mentioned(q, s, k, o)`
//! and `loop_head(pc)`.
//!
//! A predicate has one row for all locations at which its names mean the same variables, so the rows of two threads stay
//! few: the locations are a part of the row's expression.

use super::bits::{and, meaning_by, not, or};
use super::rows::{Rows, pc};
use super::runs::{Changed, Of, zero};
use crate::model::program::cfg::{Cfg, Loc};
use crate::model::program::predicate::{Mention, Predicate, is_called, spoken};
use crate::model::program::resolve::program::{Domain, ProcedureId, Program, Var};
use crate::model::schema::{LOOP_HEAD, OUTLINE, PREDICATE, PREDICATE_OF_TWO, RelationSchema, StateLeaves};
use calculus::sort::Value;
use calculus::vocabulary::{Bit, BitExpr, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Numbers with at most so many values are kept as they are if no predicate speaks of them.
const FEW: u64 = 16;

/// The variables that the names of one thread mean, and where they do.
struct Bound {
    flow: ProcedureId,
    variables: Vec<Option<Var>>,
    locations: Vec<u64>,
}

/// The rows of all predicates, those of one thread and those of two.
pub struct PredicateRows {
    pub single: Vec<Rc<[Row]>>,
    pub pairs: Vec<Rc<[Row]>>,
}

impl Rows<'_> {
    pub fn predicates(&self, program: &Program) -> PredicateRows {
        let (pairs, single) =
            program.predicates.iter().partition::<Vec<&Predicate>, _>(|predicate| predicate.is_about_two());
        let own = |predicate: &Predicate| {
            let side = PREDICATE.side("q", "s");
            let rows = self.bound(program, &predicate.names, false).into_iter();
            rows.map(|bound| self.row(predicate, &[(&bound, side)])).collect()
        };
        let both = |predicate: &Predicate| {
            let sides = [PREDICATE_OF_TWO.side("q", "s"), PREDICATE_OF_TWO.side("p", "s")];
            let others = self.bound(program, &predicate.names, true);
            let mut rows = Vec::new();
            for bound in self.bound(program, &predicate.names, false) {
                rows.extend(
                    others.iter().map(|other| self.row(predicate, &[(&bound, sides[0]), (other, sides[1])])),
                );
            }
            rows.into()
        };
        PredicateRows {
            single: single.into_iter().map(own).collect(),
            pairs: pairs.into_iter().map(both).collect(),
        }
    }

    /// What the names of a thread can mean; nothing where one of them has no variable, or one whose value means nothing.
    fn bound(&self, program: &Program, names: &[Mention], other: bool) -> Vec<Bound> {
        let mut found: BTreeMap<(ProcedureId, Vec<Option<Var>>), Vec<u64>> = BTreeMap::new();
        for &flow in &self.layout.needed {
            for loc in (0..self.cfg.flow(flow).locations.len() as u32).map(Loc) {
                let variable = |mention: &Mention| match mention.other == other {
                    true => self.variable_at(program, flow, loc, &mention.name).map(Some),
                    false => Some(None),
                };
                if let Some(variables) = names.iter().map(variable).collect::<Option<Vec<_>>>() {
                    let local = variables.iter().any(|var| matches!(var, Some(Var::Local(_))));
                    // Shared and own variables are the same in all flows.
                    let of = if local { flow } else { self.layout.needed[0] };
                    found.entry((of, variables)).or_default().push(self.layout.pc(flow, loc));
                }
            }
        }
        let bound = found.into_iter();
        bound.map(|((flow, variables), locations)| Bound { flow, variables, locations }).collect()
    }

    /// The variable of a name at a location: that of the innermost procedure which has one, if its value is read later. What is
    /// not read is seldom of any use, and would make more abstract states.
    fn variable_at(&self, program: &Program, flow: ProcedureId, loc: Loc, name: &str) -> Option<Var> {
        let graph = self.cfg.flow(flow);
        let mut frame = Some(graph.locations[loc.index()].frame);
        while let Some(at) = frame {
            let here = &graph.frames[at as usize];
            let procedure = program.procedure(here.procedure);
            let named = (0..).zip(&procedure.locals).filter(|(_, variable)| spoken(&variable.name) == name);
            let locals = named.map(|(index, _)| here.base + index).collect::<Vec<_>>();
            if !locals.is_empty() {
                // A procedure of C has one for each declaration of the name: that which is read is meant.
                let means = |local: &&u32| {
                    self.layout.bits(flow, Var::Local(**local)).is_some()
                        && self.layout.is_read(flow, loc, **local)
                };
                return locals.iter().rev().find(means).map(|local| Var::Local(*local));
            }
            let mut own = procedure.own.clone();
            if let Some(own) = own.find(|index| program.own[*index as usize].name == name) {
                return Some(Var::Own(own));
            }
            frame = here.caller.map(|(caller, _)| caller);
        }
        let shared = program.shared.iter().position(|variable| variable.name == name)?;
        Some(Var::Shared(shared as u32))
    }

    /// The predicate where the threads are at these places.
    fn row(&self, predicate: &Predicate, threads: &[(&Bound, StateLeaves)]) -> Row {
        let mut core = BitExpr::Const(true);
        for (bound, side) in threads {
            let width = u64::BITS - (u64::from(self.layout.locations.max(1)) - 1).leading_zeros();
            core = and(core, among(side.pc, width as u16, 0, &bound.locations));
        }
        let read = |op| {
            let name = Predicate::mention(op).expect("a predicate reads its names only");
            let meant =
                threads.iter().find_map(|(bound, side)| Some((bound.flow, *side, bound.variables[name]?)));
            let (flow, side, var) = meant.expect("each name is one of a thread");
            self.read(flow, side, var)
        };
        let holds = meaning_by(&predicate.code, &read).one();
        Row { fixed: Vec::new(), core: and(core, holds), equal: Vec::new() }
    }

    /// `outline(q, s, k, o)`: the numbers become 0, and everything else stays; `mentioned(q, s, k, o)`: those become 0 that no
    /// predicate mentions. A row for each location looks at all variables.
    pub fn forgetting(&self, program: &Program, schema: &RelationSchema) -> Vec<Row> {
        let (from, to) = (schema.side("q", "s"), schema.side("k", "o"));
        let all = schema.name == OUTLINE.name;
        let shared_of =
            |side: StateLeaves| side.shared.expect("the relation has shared values on both sides");
        let mentions = program.predicates.iter().flat_map(|predicate| &predicate.names);
        let mentioned = mentions.map(|mention| mention.name.as_str()).collect::<BTreeSet<_>>();
        let mut rows = Vec::new();
        for &flow in &self.layout.needed {
            for loc in (0..self.cfg.flow(flow).locations.len() as u32).map(Loc) {
                let (mut shared, mut own, mut local) =
                    (Changed::default(), Changed::default(), Changed::default());
                for var in variables(self.cfg, self.layout.live(flow, loc)) {
                    let variable = match var {
                        Var::Shared(index) => &self.cfg.shared[index as usize],
                        Var::Own(index) => &self.cfg.own[index as usize],
                        Var::Local(index) => &self.cfg.flow(flow).locals[index as usize],
                    };
                    let is_mentioned = mentioned.iter().any(|name| is_called(&variable.name, name));
                    if !is_forgotten(&variable.domain, is_mentioned) || is_mentioned && !all {
                        continue;
                    }
                    let changed = match var {
                        Var::Shared(_) => &mut shared,
                        Var::Own(_) => &mut own,
                        Var::Local(_) => &mut local,
                    };
                    self.layout.bits(flow, var).into_iter().flatten().for_each(|bit| changed.add(*bit));
                }
                let mut core = self.valid_at(flow, loc, from);
                core = zero(
                    core,
                    from.local,
                    Of::Others(self.layout.occupied(flow, loc), self.layout.local_bits),
                );
                core = zero(core, to.own, Of::These(own.bits()));
                core = zero(core, to.local, Of::These(local.bits()));
                core = zero(core, shared_of(to), Of::These(shared.bits()));
                let mut equal = Vec::new();
                shared.others_stay(shared_of(from), shared_of(to), self.layout.shared_bits, &mut equal);
                own.others_stay(from.own, to.own, self.layout.own_bits, &mut equal);
                local.others_stay(from.local, to.local, self.layout.local_bits, &mut equal);
                let at = self.layout.pc(flow, loc);
                rows.push(Row { fixed: vec![pc(from, at), pc(to, at)], core, equal });
            }
        }
        rows
    }

    /// `loop_head(pc)`: an edge leads back to it.
    pub fn loop_heads(&self) -> Vec<Row> {
        let mut heads = BTreeSet::new();
        for &flow in &self.layout.needed {
            let edges = self.cfg.flow(flow).edges.iter().filter(|edge| edge.to <= edge.from);
            heads.extend(edges.map(|edge| self.layout.pc(flow, edge.to)));
        }
        let head = |at: u64| Row {
            fixed: vec![(LOOP_HEAD.pc("pc"), Value::Name(at))],
            core: BitExpr::Const(true),
            equal: Vec::new(),
        };
        heads.into_iter().map(head).collect()
    }
}

/// All variables that mean something where these locals do.
fn variables(cfg: &Cfg, locals: impl Iterator<Item = u32>) -> impl Iterator<Item = Var> {
    let shared = (0..cfg.shared.len() as u32).map(Var::Shared);
    let own = (0..cfg.own.len() as u32).map(Var::Own);
    shared.chain(own).chain(locals.map(Var::Local))
}

/// Whether predicates stand for the value of a variable.
fn is_forgotten(domain: &Domain, mentioned: bool) -> bool {
    matches!(domain, Domain::Range { .. }) && (mentioned || domain.count() > FEW)
}

/// The bits of a leaf from `at` on are those of one of these numbers, which are sorted.
fn among(leaf: u16, width: u16, at: u16, numbers: &[u64]) -> BitExpr {
    let left = width - at;
    if numbers.is_empty() {
        return BitExpr::Const(false);
    }
    if numbers.len() as u64 == 1 << left {
        return BitExpr::Const(true);
    }
    let split = numbers.partition_point(|number| number >> (left - 1) & 1 == 0);
    let bit = BitExpr::Bit(Bit { leaf, bit: at });
    let (zero, one) = numbers.split_at(split);
    or(and(not(bit.clone()), among(leaf, width, at + 1, zero)), and(bit, among(leaf, width, at + 1, one)))
}
