//! A program's values in the program's words: `driver:14 mine=1`.

use super::layout::Layout;
use crate::model::program::cfg::Cfg;
use crate::model::schema;
use calculus::sort::Value;
use calculus::vocabulary::Show;
use std::rc::Rc;

pub struct Names {
    pub cfg: Rc<Cfg>,
    pub layout: Rc<Layout>,
    /// The variables that can be named behind shared values, and behind states.
    pub behind: [Vec<String>; 2],
}

impl Names {
    fn location(&self, pc: u64) -> String {
        let (id, loc) = self.layout.location(pc);
        self.cfg.location_name(id, loc)
    }

    fn shared(&self, bits: &[bool]) -> String {
        let values = self.cfg.shared.iter().enumerate();
        join(
            values
                .map(|(index, var)| (var.name.as_str(), bits[usize::from(self.layout.shared(index as u32))])),
        )
    }

    fn own(&self, bits: &[bool]) -> String {
        let values = self.cfg.own.iter().enumerate();
        join(values.map(|(index, var)| (var.name.as_str(), bits[usize::from(self.layout.own(index as u32))])))
    }

    fn state(&self, parts: &[Value]) -> Option<String> {
        let [Value::Name(pc), Value::Bits(own), Value::Bits(local)] = parts else { return None };
        let (id, loc) = self.layout.location(*pc);
        let flow = self.cfg.flow(id);
        let live = (0..self.layout.local_count(id)).filter(|index| self.layout.is_live(id, loc, *index));
        let locals = live.filter_map(|index| {
            Some((
                flow.locals[index as usize].name.as_str(),
                local[usize::from(self.layout.local(id, index)?)],
            ))
        });
        let parts = [self.location(*pc), self.own(own), join(locals)];
        Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
    }
}

fn join<'a>(values: impl Iterator<Item = (&'a str, bool)>) -> String {
    values.map(|(name, value)| format!("{name}={}", u8::from(value))).collect::<Vec<_>>().join(" ")
}

impl Show for Names {
    fn show(&self, sort: &str, value: &Value) -> Option<String> {
        let shown = match value {
            Value::Name(pc) if sort == schema::PC.name => self.location(*pc),
            Value::Bits(bits) if sort == schema::SHARED.name => self.shared(bits),
            Value::Bits(bits) if sort == schema::OWN.name => self.own(bits),
            Value::Record(parts) if sort == schema::STATE => self.state(parts)?,
            _ => return None,
        };
        Some(if shown.is_empty() { "-".into() } else { shown })
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
}
