//! Tuples of a program's pushdown system, as what they tell about a run of the program.
//!
//! `init` runs on the stack of the first thread, but it is a thread of its own in the program's terms, at position 0. A
//! `pop` says only that a procedure ends; the `merge` behind it says where the caller goes on, or that `init` has ended.

use super::{Alone, Translation};
use crate::model::schema::RunEvent;
use crate::model::schema::pushdown::{INITIAL, MERGE, OVERWRITE, POP, PUSH, START, SymbolLeaves, TARGET};
use calculus::sort::Value;

impl Translation {
    /// Who alone may move, as a control state says it.
    pub fn alone(&self, shared: &[bool]) -> Alone {
        let code = shared.get(usize::from(self.shared_bits)..).unwrap_or_default();
        let code = code.iter().fold(0, |code, bit| 2 * code + u64::from(*bit));
        let threads = (1..=self.threads).map(Alone::Thread);
        let mut all = [Alone::Nobody, Alone::Init].into_iter().chain(threads);
        all.find(|alone| self.code(*alone) == Some(code)).unwrap_or(Alone::Nobody)
    }

    /// The state that a stack symbol (its location and data) is. Nothing for the bottom and the like.
    pub fn state(&self, symbol: &[Value]) -> Option<[Value; 3]> {
        let [Value::Name(pc), Value::Bits(data)] = symbol else { return None };
        let (own, local) = data.split_at_checked(usize::from(self.own_bits))?;
        let state = [Value::Name(*pc), Value::Bits(own.to_vec()), Value::Bits(local.to_vec())];
        (*pc < self.locations).then_some(state)
    }

    fn symbol(&self, tuple: &[Value], leaves: SymbolLeaves) -> Option<Vec<Value>> {
        let symbol = tuple.get(usize::from(leaves.pc)..=usize::from(leaves.local))?;
        self.state(symbol).map(|state| state.to_vec())
    }

    /// What a tuple tells about a run of the program.
    pub fn event(&self, relation: &str, indices: &[i64], tuple: &[Value]) -> Option<RunEvent<'static>> {
        let control = |leaf: u16| match tuple.get(usize::from(leaf))? {
            Value::Bits(bits) => Some(bits.as_slice()),
            _ => None,
        };
        let shared = |leaf: u16| {
            let bits = control(leaf)?.iter().take(usize::from(self.shared_bits));
            Some(bits.copied().collect::<Vec<_>>())
        };
        let thread = indices.first().copied();
        let position = |leaf: u16| match self.alone(control(leaf)?) {
            Alone::Init => Some(0),
            _ => thread,
        };
        let moves = |before: u16, after: u16, state: Vec<Value>| {
            Some(RunEvent::Move {
                position: Some(position(before)?),
                from: Vec::new(),
                state,
                before: shared(before)?.into(),
                after: shared(after)?.into(),
                new: None,
            })
        };
        if relation == TARGET.name {
            Some(RunEvent::Target)
        } else if relation == INITIAL.name {
            Some(RunEvent::Initial { shared: shared(INITIAL.shared("s"))?.into() })
        } else if relation == START.name {
            let position = thread.filter(|thread| *thread != 1 || !self.init).unwrap_or(0);
            Some(RunEvent::Begin { position, state: self.symbol(tuple, START.symbol("a"))? })
        } else if relation == OVERWRITE.name {
            let state = self.symbol(tuple, OVERWRITE.symbol("b"))?;
            moves(OVERWRITE.shared("s"), OVERWRITE.shared("s'"), state)
        } else if relation == PUSH.name {
            moves(PUSH.shared("s"), PUSH.shared("s'"), self.symbol(tuple, PUSH.symbol("b"))?)
        } else if relation == POP.name {
            moves(POP.shared("s"), POP.shared("s'"), Vec::new())
        } else if relation == MERGE.name {
            let state = self.symbol(tuple, MERGE.symbol("a"))?;
            match tuple.get(usize::from(MERGE.symbol("c").pc))? {
                Value::Name(under) if *under == self.waiting() => {
                    Some(RunEvent::Begin { position: thread?, state })
                }
                _ => Some(RunEvent::Completes {
                    position: position(MERGE.shared("s"))?,
                    state,
                    before: shared(MERGE.shared("s"))?,
                    after: shared(MERGE.shared("s'"))?,
                }),
            }
        } else {
            None
        }
    }
}
