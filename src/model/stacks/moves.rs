//! Tuples of a program's pushdown system, as what they tell about a run of the program.

use super::{Alone, Translation};
use crate::model::moves::Fact;
use crate::model::schema::pushdown::{INITIAL, MERGE, OVERWRITE, POP, PUSH, START, SymbolLeaves};
use calculus::sort::Value;

/// What a move of the pushdown system is in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFact {
    /// A move to this state (location, own and local values), with the shared values before and after.
    Move { init: bool, state: [Value; 3], before: Vec<bool>, after: Vec<bool> },
    /// `init` has ended, and the first thread begins in this state.
    Begins([Value; 3]),
    /// A thread has ended: no move of the program.
    Ended,
}

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

    fn symbol(&self, tuple: &[Value], leaves: SymbolLeaves) -> Option<[Value; 3]> {
        self.state(tuple.get(usize::from(leaves.pc)..=usize::from(leaves.local))?)
    }

    fn control<'f>(&self, tuple: &'f [Value], leaf: u16) -> Option<&'f [bool]> {
        match tuple.get(usize::from(leaf))? {
            Value::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    fn shared(&self, bits: &[bool]) -> Vec<bool> {
        bits.iter().take(usize::from(self.shared_bits)).copied().collect()
    }

    /// The shared values with which a run begins.
    pub fn first_shared(&self, initial: &Fact) -> Option<Vec<bool>> {
        self.control(&initial.tuple, INITIAL.shared("s")).map(|bits| self.shared(bits))
    }

    /// Where a thread begins: its position, which is 0 for `init`, and its state.
    pub fn begin(&self, start: &Fact) -> Option<(i64, [Value; 3])> {
        let thread = *start.indices.first()?;
        let position = if thread == 1 && self.init { 0 } else { thread };
        Some((position, self.symbol(&start.tuple, START.symbol("a"))?))
    }

    /// What a move is, with what completes it.
    pub fn told(&self, fact: &Fact, then: Option<&Fact>) -> Option<ProgramFact> {
        let went = |tuple: &[Value], states: (u16, u16), to: SymbolLeaves| {
            let (before, after) = (self.control(tuple, states.0)?, self.control(tuple, states.1)?);
            let init = self.alone(before) == Alone::Init;
            let state = self.symbol(tuple, to)?;
            Some(ProgramFact::Move { init, state, before: self.shared(before), after: self.shared(after) })
        };
        if *fact.relation == *OVERWRITE.name {
            let states = (OVERWRITE.shared("s"), OVERWRITE.shared("s'"));
            return went(&fact.tuple, states, OVERWRITE.symbol("b"));
        }
        if *fact.relation == *PUSH.name {
            return went(&fact.tuple, (PUSH.shared("s"), PUSH.shared("s'")), PUSH.symbol("b"));
        }
        if *fact.relation != *POP.name {
            return None;
        }
        let Some(merge) = then else { return Some(ProgramFact::Ended) };
        let under = match merge.tuple.get(usize::from(MERGE.symbol("c").pc))? {
            Value::Name(pc) => *pc,
            _ => return None,
        };
        match under {
            _ if under == self.bottom() => Some(ProgramFact::Ended),
            _ if under == self.waiting() => {
                Some(ProgramFact::Begins(self.symbol(&merge.tuple, MERGE.symbol("a"))?))
            }
            _ => went(&merge.tuple, (MERGE.shared("s"), MERGE.shared("s'")), MERGE.symbol("a")),
        }
    }
}
