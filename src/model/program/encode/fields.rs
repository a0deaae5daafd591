//! Variables as fields: `s.lock` for a shared variable, `q.x` for a local or own one where the procedure has it.
//!
//! Each is a relation between a value and the variable's value in it, `Shared.lock(s, y)` or `State.x(q, y)`. Only variables
//! that a file may name have one: the locals among them must keep their values (see [`Layout`]). The values of an enumeration
//! are texts, so that they clash with no name of a file.

use super::bits::{and, not, xor};
use super::layout::Layout;
use super::word::{Word, valid};
use crate::model::program::cfg::{Cfg, Loc};
use crate::model::program::resolve::program::{Domain, ProcedureId, Program, Var, Variable};
use crate::model::schema::{SHARED, STATE, STATE_FIELDS};
use calculus::sort::Value;
use calculus::vocabulary::{Bit, BitExpr, OPEN_SORT, OfferedRelation, OfferedSymbol, Row, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The variables that can be named behind shared values, and those that can be named behind states, each once.
pub struct Fields {
    shared: Vec<Field>,
    state: Vec<Field>,
}

/// A name behind a dot.
struct Field {
    name: String,
    /// The values of all variables of this name; nothing if they are of several kinds.
    domain: Option<Domain>,
}

impl Fields {
    pub fn new(program: &Program) -> Fields {
        let locals = program.procedures.iter().flat_map(|procedure| &procedure.locals);
        let is_field = |name: &str| STATE_FIELDS.iter().any(|(field, _)| *field == name);
        let state = program.own.iter().chain(locals).filter(|variable| !is_field(&variable.name));
        Fields { shared: fields(program.shared.iter()), state: fields(state) }
    }

    /// What is listed where a file names something else.
    pub fn names(&self) -> [Vec<String>; 2] {
        [&self.shared, &self.state].map(|fields| fields.iter().map(Field::listed).collect())
    }

    /// Offers those that are named.
    pub fn offer(
        &self,
        program: &Program,
        cfg: &Cfg,
        layout: &Layout,
        named: &BTreeSet<String>,
        vocabulary: &mut Vocabulary,
    ) {
        let mut offer = |sort: &str, column: &str, field: &Field, rows: &dyn Fn(&Domain) -> Vec<Row>| {
            let Some(domain) = field.domain.as_ref().filter(|_| named.contains(&field.name)) else { return };
            vocabulary.relations.push(offered(sort, &field.name, column, sort_of(domain), rows(domain)));
            if let Domain::Names(names) = domain
                && vocabulary.symbols.iter().all(|known| known.name != sort_of(domain))
            {
                let (name, texts) = (sort_of(domain), names.to_vec());
                vocabulary.symbols.push(OfferedSymbol { name, texts, complete: true, keyed: false });
            }
        };
        for (var, field) in (0..).map(Var::Shared).zip(&self.shared) {
            let bits = layout.bits(ProcedureId(0), var).unwrap_or_default();
            let rows = |domain: &Domain| vec![holds(Vec::new(), (domain, 0, bits), (domain, 1))];
            offer(SHARED.name, "s", field, &rows);
        }
        for field in &self.state {
            let rows = |domain: &Domain| state_rows(program, cfg, layout, &field.name, domain);
            offer(STATE, "q", field, &rows);
        }
    }
}

impl Field {
    fn listed(&self) -> String {
        match self.domain {
            Some(_) => self.name.clone(),
            None => format!("{} (no: its variables are of several kinds)", self.name),
        }
    }
}

fn fields<'a>(variables: impl Iterator<Item = &'a Variable>) -> Vec<Field> {
    let (mut out, mut known) = (Vec::<Field>::new(), BTreeMap::<&str, usize>::new());
    for Variable { name, domain, .. } in variables {
        match known.get(name.as_str()) {
            Some(at) => {
                let field = &mut out[*at];
                field.domain = field.domain.take().and_then(|first| both(first, domain));
            }
            None => {
                known.insert(name, out.len());
                out.push(Field { name: name.clone(), domain: Some(domain.clone()) });
            }
        }
    }
    out
}

/// The values of two domains of one kind.
fn both(first: Domain, second: &Domain) -> Option<Domain> {
    match (&first, second) {
        (Domain::Range { low: a, high: b, .. }, Domain::Range { low: c, high: d, .. }) => {
            let (low, high) = (*a.min(c), *b.max(d));
            let few = high.checked_sub(low).is_some_and(|size| size < 1 << 40);
            few.then_some(Domain::Range { low, high, wraps: false })
        }
        _ => (first == *second).then_some(first),
    }
}

/// The sort of the values of a domain: `bool`, `0..3`, or the texts of an enumeration.
fn sort_of(domain: &Domain) -> String {
    match domain {
        Domain::Range { low, high, .. } => format!("{low}..{high}"),
        Domain::Bool | Domain::Names(_) => domain.to_string(),
    }
}

/// A row for each location whose procedure has the variable: a local, or else one of its thread block.
fn state_rows(program: &Program, cfg: &Cfg, layout: &Layout, name: &str, values: &Domain) -> Vec<Row> {
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
            let at = vec![(pc, Value::Name(layout.pc(*id, loc)))];
            let bits = layout.bits(*id, var);
            out.extend(bits.map(|bits| holds(at, (cfg.domain(*id, var), leaf, bits), (values, value))));
        }
    }
    out
}

/// The variable with these bits of a leaf, from the least significant one on, has the value of another leaf.
fn holds(
    fixed: Vec<(u16, Value)>,
    (domain, leaf, bits): (&Domain, u16, &[u16]),
    (values, value): (&Domain, u16),
) -> Row {
    let code = bits.iter().map(|bit| BitExpr::Bit(Bit { leaf, bit: *bit })).collect::<Vec<_>>();
    let (mut core, mut equal) = (valid(domain, &code), Vec::new());
    // Numbers of a sort have their most significant bit first.
    let places = (0..values.bits() as u16).rev().map(|bit| Bit { leaf: value, bit });
    for (place, bit) in places.zip(Word::of(domain, code).code(values)) {
        match bit {
            BitExpr::Bit(from) => equal.push((from, place).into()),
            bit => core = and(core, not(xor(BitExpr::Bit(place), bit))),
        }
    }
    Row { fixed, core, equal }
}

fn offered(sort: &str, name: &str, column: &str, values: String, rows: Vec<Row>) -> OfferedRelation {
    let columns = vec![(column.to_string(), sort.to_string()), (name.to_string(), values)];
    let instances = vec![Rc::from(rows)];
    OfferedRelation { name: format!("{sort}.{name}"), index: None, columns, instances, moves: false }
}

/// A relation without tuples for a variable that some program may have.
pub fn of_any_program(sort: &str, name: &str) -> OfferedRelation {
    offered(sort, name, "of", OPEN_SORT.into(), Vec::new())
}
