//! A program's values in the program's words: `driver:14 mine=1`.

use super::layout::Layout;
use crate::model::program::cfg::{Cfg, Loc};
use crate::model::program::predicate::Predicate;
use crate::model::program::resolve::program::{Domain, ProcedureId, Program, Var, Variable};
use crate::model::schema;
use calculus::sort::Value;
use calculus::vocabulary::{Show, ShownParts};
use std::collections::BTreeMap;
use std::rc::Rc;

pub struct Names {
    cfg: Rc<Cfg>,
    layout: Rc<Layout>,
    /// The variables that can be named behind shared values, and behind states.
    behind: [Vec<String>; 2],
    /// The names of locations that are in several frames: they are told with the calls that lead there.
    alike: BTreeMap<String, bool>,
    /// The texts of predicates about one thread, and of those about two.
    predicates: [Vec<String>; 2],
}

impl Names {
    pub fn new(program: &Program, cfg: Rc<Cfg>, layout: Rc<Layout>, behind: [Vec<String>; 2]) -> Names {
        let mut frames: BTreeMap<String, (ProcedureId, u32)> = BTreeMap::new();
        let mut alike = BTreeMap::new();
        for id in &layout.needed {
            for (loc, location) in (0..).map(Loc).zip(&cfg.flow(*id).locations) {
                let here = (*id, location.frame);
                let name = cfg.location_name(*id, loc);
                let first = *frames.entry(name.clone()).or_insert(here);
                *alike.entry(name).or_default() |= first != here;
            }
        }
        alike.retain(|_, several| *several);
        let text = |predicate: &Predicate| predicate.text.clone();
        let (two, one) = program.predicates.iter().partition::<Vec<&Predicate>, _>(|one| one.is_about_two());
        let predicates = [one, two].map(|those| those.into_iter().map(text).collect());
        Names { cfg, layout, behind, alike, predicates }
    }

    /// `deposit:20/acquire:12` where `acquire` is inlined in several places, else `acquire:12`.
    fn location(&self, pc: u64) -> String {
        let (id, loc) = self.layout.location(pc);
        let name = self.cfg.location_name(id, loc);
        if !self.alike.contains_key(&name) {
            return name;
        }
        let calls = self.cfg.calls_to(id, loc);
        let path = calls.into_iter().map(|(procedure, line)| format!("{procedure}:{line}/"));
        path.chain([name]).collect()
    }

    /// Values of variables that a flow sees, of those that have bits.
    fn values<'a>(
        &'a self,
        flow: ProcedureId,
        variables: impl Iterator<Item = (Var, &'a Variable)> + 'a,
        bits: &'a [bool],
    ) -> impl Iterator<Item = Shown<'a>> {
        variables.filter_map(move |(var, variable)| {
            Some((variable, self.layout.value(flow, var, &variable.domain, bits)?))
        })
    }

    fn shared<'a>(&'a self, bits: &'a [bool]) -> impl Iterator<Item = Shown<'a>> {
        self.values(ProcedureId(0), (0..).map(Var::Shared).zip(&self.cfg.shared), bits)
    }

    fn own<'a>(&'a self, bits: &'a [bool]) -> impl Iterator<Item = Shown<'a>> {
        self.values(ProcedureId(0), (0..).map(Var::Own).zip(&self.cfg.own), bits)
    }

    /// The locals whose values matter at a location.
    fn locals<'a>(&'a self, pc: u64, bits: &'a [bool]) -> impl Iterator<Item = Shown<'a>> {
        let (id, loc) = self.layout.location(pc);
        let flow = self.cfg.flow(id);
        let live = (0..self.layout.local_count(id)).filter(move |index| self.layout.is_live(id, loc, *index));
        self.values(id, live.map(|index| (Var::Local(index), &flow.locals[index as usize])), bits)
    }

    fn state(&self, parts: &[Value]) -> Option<String> {
        let [Value::Name(pc), Value::Bits(own), Value::Bits(local)] = parts else { return None };
        let parts = [self.location(*pc), join(self.own(own)), join(self.locals(*pc, local))];
        Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
    }

    fn location_parts(&self, pc: u64) -> ShownParts {
        let (id, loc) = self.layout.location(pc);
        let flow = self.cfg.flow(id);
        let location = &flow.locations[loc.index()];
        let procedure = flow.frames.get(location.frame as usize).map_or(id, |frame| frame.procedure);
        let place = |procedure: &str, line: usize| {
            vec![("procedure".into(), text(procedure)), ("line".into(), ShownParts::Number(line as i64))]
        };
        let mut parts = vec![("name".into(), text(&self.location(pc))), ("thread".into(), text(&flow.name))];
        parts.extend(place(&self.cfg.flow(procedure).name, self.cfg.line(location.span)));
        let calls = self.cfg.calls_to(id, loc).into_iter();
        let calls = calls.map(|(procedure, line)| ShownParts::Object(place(procedure, line)));
        parts.push(("calls".into(), ShownParts::List(calls.collect())));
        ShownParts::Object(parts)
    }

    fn state_parts(&self, parts: &[Value]) -> Option<ShownParts> {
        let [Value::Name(pc), Value::Bits(own), Value::Bits(local)] = parts else { return None };
        let place = ("pc".to_string(), self.location_parts(*pc));
        let values = named(self.own(own).chain(self.locals(*pc, local)));
        // A variable that is called as the location is has to give way.
        let values = values.into_iter().filter(|(name, _)| name != "pc");
        Some(ShownParts::Object([place].into_iter().chain(values).collect()))
    }
}

fn text(text: &str) -> ShownParts {
    ShownParts::Text(text.into())
}

/// A variable with its value.
type Shown<'a> = (&'a Variable, i64);

fn named<'a>(values: impl Iterator<Item = Shown<'a>>) -> Vec<(String, ShownParts)> {
    let part = |domain: &Domain, value: i64| match domain {
        Domain::Bool => ShownParts::Bool(value != 0),
        Domain::Range { .. } => ShownParts::Number(value),
        Domain::Names(_) => ShownParts::Text(domain.show(value).to_string()),
    };
    values.map(|(variable, value)| (variable.name.clone(), part(&variable.domain, value))).collect()
}

fn join<'a>(values: impl Iterator<Item = Shown<'a>>) -> String {
    let shown = values.map(|(variable, value)| format!("{}={}", variable.name, variable.domain.show(value)));
    shown.collect::<Vec<_>>().join(" ")
}

impl Show for Names {
    fn show(&self, sort: &str, value: &Value) -> Option<String> {
        let shown = match value {
            Value::Name(pc) if sort == schema::PC.name => self.location(*pc),
            Value::Bits(bits) if sort == schema::SHARED.name => join(self.shared(bits)),
            Value::Bits(bits) if sort == schema::OWN.name => join(self.own(bits)),
            Value::Record(parts) if sort == schema::STATE => self.state(parts)?,
            _ => return None,
        };
        Some(if shown.is_empty() { "-".into() } else { shown })
    }

    fn parts(&self, sort: &str, value: &Value) -> Option<ShownParts> {
        match value {
            Value::Name(pc) if sort == schema::PC.name => Some(self.location_parts(*pc)),
            Value::Name(line) if sort == schema::LINE.name => Some(ShownParts::Number(*line as i64)),
            Value::Bits(bits) if sort == schema::SHARED.name => {
                Some(ShownParts::Object(named(self.shared(bits))))
            }
            Value::Bits(bits) if sort == schema::OWN.name => Some(ShownParts::Object(named(self.own(bits)))),
            Value::Record(parts) if sort == schema::STATE => self.state_parts(parts),
            _ => None,
        }
    }

    fn names_behind(&self, sort: &str) -> Vec<String> {
        let [shared, state] = &self.behind;
        match sort {
            _ if sort == schema::SHARED.name => shared.clone(),
            _ if sort == schema::STATE => {
                let fields = schema::STATE_FIELDS.iter().map(|(name, _)| name.to_string());
                fields.chain(state.iter().cloned()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn told(&self, relation: &str, indices: &[i64]) -> Option<String> {
        let [one, two] = &self.predicates;
        let texts = match relation {
            _ if relation == schema::PREDICATE.name => one,
            _ if relation == schema::PREDICATE_OF_TWO.name => two,
            _ => return None,
        };
        let at = usize::try_from(*indices.first()?).ok()?.checked_sub(1)?;
        texts.get(at).cloned()
    }
}
