//! The values of a program's pushdown system in the program's words.

use super::{Alone, Translation};
use crate::model::schema;
use crate::model::schema::pushdown::{PATTERN, PC, SHARED, SYMBOL};
use calculus::sort::Value;
use calculus::vocabulary::Show;
use std::rc::Rc;

pub struct Words {
    pub plan: Translation,
    pub program: Rc<dyn Show>,
}

impl Words {
    fn location(&self, pc: u64) -> Option<String> {
        let plan = &self.plan;
        match pc {
            _ if pc < plan.locations => self.program.show(schema::PC.name, &Value::Name(pc)),
            _ if pc == plan.bottom() => Some("-".into()),
            _ if pc == plan.waiting() => Some("behind init".into()),
            _ => Some(format!("level {}", pc - plan.level(0) + 1)),
        }
    }

    fn shared(&self, bits: &[bool]) -> Option<String> {
        let values = Value::Bits(bits[..usize::from(self.plan.shared_bits)].to_vec());
        let values = self.program.show(schema::SHARED.name, &values)?;
        Some(match self.plan.alone(bits) {
            Alone::Nobody => values,
            Alone::Init => format!("{values} (init)"),
            Alone::Thread(thread) => format!("{values} (atomic {thread})"),
        })
    }
}

impl Show for Words {
    fn show(&self, sort: &str, value: &Value) -> Option<String> {
        match value {
            Value::Name(pc) if sort == PC.name => self.location(*pc),
            Value::Name(pattern) if sort == PATTERN.name => Some((pattern + 1).to_string()),
            Value::Bits(bits) if sort == SHARED.name => self.shared(bits),
            Value::Record(parts) if sort == SYMBOL => {
                let [Value::Name(pc), Value::Bits(_)] = parts.as_slice() else { return None };
                match self.plan.state(parts) {
                    Some(state) => self.program.show(schema::STATE, &Value::Record(state.to_vec())),
                    None => self.location(*pc),
                }
            }
            _ => None,
        }
    }
}
