//! The values of a pushdown system as its files write them.

use super::encode::Layout;
use crate::model::schema::pushdown::{PATTERN, PC, RESULT, SHARED, SYMBOL};
use calculus::sort::Value;
use calculus::vocabulary::Show;
use std::rc::Rc;

pub struct Names {
    pub layout: Rc<Layout>,
    pub targets: Vec<String>,
}

impl Names {
    fn location(&self, location: u64) -> String {
        match self.layout.top(location) {
            Some(top) => top.to_string(),
            None => format!("level {}", location - self.layout.symbols.len() as u64),
        }
    }
}

impl Show for Names {
    fn show(&self, sort: &str, value: &Value) -> Option<String> {
        Some(match value {
            Value::Name(state) if sort == SHARED.name => state.to_string(),
            Value::Name(location) if sort == PC.name => self.location(*location),
            Value::Name(number) if sort == PATTERN.name => {
                self.targets.get(*number as usize).cloned().unwrap_or_else(|| "-".into())
            }
            Value::Name(_) if sort == RESULT.name => "-".into(),
            Value::Record(parts) if sort == SYMBOL => match parts.first()? {
                Value::Name(location) => self.location(*location),
                _ => return None,
            },
            _ => return None,
        })
    }
}
