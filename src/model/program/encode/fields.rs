//! Variables as fields: `s.lock` for a shared variable, `q.x` for a local or own one where the procedure has it.
//!
//! Each is a relation between a value and the variable's value in it, `Shared.lock(s, y)` or `State.x(q, y)`. Only variables
//! that a file may name have one: the locals among them must keep their values (see [`Layout`]).

use super::layout::Layout;
use crate::model::program::cfg::{Cfg, Loc};
use crate::model::program::resolve::program::{Domain, ProcedureId, Program, Var, Variable};
use crate::model::schema::{SHARED, STATE, STATE_FIELDS};
use calculus::sort::Value;
use calculus::vocabulary::{Bit, BitExpr, OfferedRelation, Row};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The variables that can be named behind shared values, and those that can be named behind states, each once: truth
/// values only.
pub fn names(program: &Program) -> [Vec<String>; 2] {
    let truth = |variable: &&Variable| variable.domain == Domain::Bool;
    let shared = program.shared.iter().filter(truth).map(|variable| variable.name.clone()).collect();
    let locals = program.procedures.iter().flat_map(|procedure| &procedure.locals);
    let mut seen = BTreeSet::new();
    let state = program.own.iter().chain(locals).filter(truth).map(|variable| &variable.name);
    let state = state.filter(|name| seen.insert(*name) && !is_field(name)).cloned().collect();
    [shared, state]
}

fn is_field(name: &str) -> bool {
    STATE_FIELDS.iter().any(|(field, _)| *field == name)
}

/// The relations of the variables that are named.
pub fn relations(
    program: &Program,
    cfg: &Cfg,
    layout: &Layout,
    named: &BTreeSet<String>,
) -> Vec<OfferedRelation> {
    let [shared, state] = names(program);
    let mut out = Vec::new();
    for (var, Variable { name, .. }) in (0..).map(Var::Shared).zip(&program.shared) {
        let bit = layout.bits(ProcedureId(0), var).and_then(|bits| bits.first().copied());
        if let Some(bit) = bit.filter(|_| shared.contains(name) && named.contains(name)) {
            out.push(offered(SHARED.name, name, "s", vec![holds(Vec::new(), Bit { leaf: 0, bit }, 1)]));
        }
    }
    for name in state.iter().filter(|name| named.contains(*name)) {
        out.push(offered(STATE, name, "q", state_rows(program, cfg, layout, name)));
    }
    out
}

/// A row for each location whose procedure has the variable: a local, or else one of its thread block.
fn state_rows(program: &Program, cfg: &Cfg, layout: &Layout, name: &str) -> Vec<Row> {
    let [pc, own, local, value] = [0, 1, 2, STATE_FIELDS.len() as u16];
    let mut out = Vec::new();
    for id in &layout.needed {
        let flow = cfg.flow(*id);
        for (loc, location) in (0..).map(Loc).zip(&flow.locations) {
            let frame = &flow.frames[location.frame as usize];
            let procedure = program.procedure(frame.procedure);
            let local_index = (0..).zip(&procedure.locals).find(|(_, variable)| variable.name == name);
            let own_index = procedure.own.clone().find(|index| program.own[*index as usize].name == name);
            let (var, leaf) = match (local_index, own_index) {
                (Some((index, _)), _) => (Var::Local(frame.base + index), local),
                (None, Some(index)) => (Var::Own(index), own),
                (None, None) => continue,
            };
            let bits = layout.bits(*id, var).filter(|_| *cfg.domain(*id, var) == Domain::Bool);
            let bit = bits.and_then(|bits| Some(Bit { leaf, bit: *bits.first()? }));
            let at = vec![(pc, Value::Name(layout.pc(*id, loc)))];
            out.extend(bit.map(|bit| holds(at, bit, value)));
        }
    }
    out
}

/// The variable has the value of the last leaf.
fn holds(fixed: Vec<(u16, Value)>, variable: Bit, value: u16) -> Row {
    let value = Bit { leaf: value, bit: 0 };
    Row { fixed, core: BitExpr::Const(true), equal: vec![(variable, value).into()] }
}

fn offered(sort: &str, name: &str, column: &str, rows: Vec<Row>) -> OfferedRelation {
    let columns = vec![(column.to_string(), sort.to_string()), (name.to_string(), "bool".to_string())];
    let instances = vec![Rc::from(rows)];
    OfferedRelation { name: format!("{sort}.{name}"), index: None, columns, instances, moves: false }
}

/// A relation without tuples for a variable that some program may have.
pub fn of_any_program(sort: &str, name: &str) -> OfferedRelation {
    offered(sort, name, "of", Vec::new())
}
