//! What the atoms of a formula mean in a pushdown system: `state = 3` is the control state, `top = 7` the symbol on top
//! of the stack, `top = -` the empty stack. With several threads, `top2 = 7` is about the second.

use super::PushdownSystem;
use super::encode::Layout;
use super::system::Top;
use crate::model::ltl::{Atom, Basic, Meaning};
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeSet;

impl PushdownSystem {
    pub(super) fn meaning(&self, atom: &Atom) -> Meaning {
        let unknown = |title: String, help: &str| {
            Err(Diagnostic::error("ltl::unknown_atom", title).label(atom.span, "not known").help(help))
        };
        let threads = self.system.threads.len();
        let thread = match (atom.name.as_str(), &atom.thread) {
            ("state", None) => None,
            ("top", None) if threads == 1 => Some(1),
            (name, None) => name.strip_prefix("top").and_then(|number| number.parse().ok()),
            _ => Some(0),
        };
        if thread.is_some_and(|thread| thread == 0 || thread > threads)
            || (thread.is_none() && atom.name != "state")
        {
            let title = format!("a pushdown system has no `{}`", atom.name);
            let help = match threads {
                1 => {
                    "a formula speaks of the control state, `state = 0`, and the top of the stack, `top = 1`"
                        .into()
                }
                _ => format!(
                    "a formula speaks of the control state, `state = 0`, and of tops, `top1 = 1` to `top{threads} = 1`"
                ),
            };
            return unknown(title, &help);
        }
        let Some(value) = atom.equal()? else {
            let title = format!("`{}` is compared with nothing", atom.name);
            let problem = Diagnostic::error("ltl::value", title).label(atom.span, "without a value");
            return Err(problem.help(format!("`{} = 1`", atom.name)));
        };
        let number = value.parse::<u32>();
        match (thread, number) {
            (None, Ok(state)) if state < self.system.shared => {
                Ok(vec![(Basic::SharedValue(state.into()), true)])
            }
            (None, _) => {
                let title = format!("there is no control state `{value}`");
                unknown(title, &format!("control states are 0 to {}", self.system.shared.saturating_sub(1)))
            }
            (Some(thread), number) => {
                let top = match number {
                    Err(_) if value == "-" => Some(Top::Bottom),
                    number => number.ok().map(Top::Symbol),
                };
                let layout = Layout::new(&self.system);
                let known = |top: &Top| match top {
                    Top::Bottom => true,
                    Top::Symbol(symbol) => layout.symbols.binary_search(symbol).is_ok(),
                };
                match top.filter(known) {
                    Some(top) => {
                        let locations = BTreeSet::from([layout.location(top)]);
                        Ok(vec![(Basic::At { thread, locations }, true)])
                    }
                    None => unknown(
                        format!("no rule and no stack has the symbol `{value}`"),
                        "`-` is the empty stack",
                    ),
                }
            }
        }
    }
}
