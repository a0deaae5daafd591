//! Explicit execution: a control state, stacks as lists, and one function for one rule. It knows nothing of the encoding.

use super::system::{Configuration, Right, Rule, System, Top};

impl Rule {
    /// The configuration after a thread has applied the rule, if it applies.
    pub fn apply(&self, thread: usize, at: &Configuration) -> Option<Configuration> {
        if at.shared != self.from || at.top(thread) != self.top {
            return None;
        }
        let mut after = Configuration { shared: self.to, stacks: at.stacks.clone() };
        let stack = &mut after.stacks[thread];
        if self.top != Top::Bottom {
            stack.remove(0);
        }
        match self.right {
            Right::Pop => {}
            Right::Overwrite(next) => stack.insert(0, next),
            Right::Push(pushed, under) => drop(stack.splice(0..0, [pushed, under])),
        }
        Some(after)
    }
}

impl System {
    /// All that a thread can do in a configuration.
    pub fn steps<'s>(
        &'s self,
        thread: usize,
        at: &Configuration,
    ) -> impl Iterator<Item = (&'s Rule, Configuration)> {
        let at = at.clone();
        self.threads[thread].rules.iter().filter_map(move |rule| Some((rule, rule.apply(thread, &at)?)))
    }
}

/// Whether a part of a run can be repeated for ever: what each thread looks at in it is there again at its end. `part` has
/// the configurations from the beginning of the part to its end, and `movers` who moves from each to the next.
pub fn repeats(part: &[Configuration], movers: &[usize]) -> bool {
    let (Some(begin), Some(end)) = (part.first(), part.last()) else { return false };
    let again = |thread: usize| {
        let moves = movers.iter().zip(part).filter(|(mover, _)| **mover == thread);
        let Some(lowest) = moves.map(|(_, before)| before.stacks[thread].len()).min() else { return true };
        let (begin, end) = (&begin.stacks[thread], &end.stacks[thread]);
        match lowest.checked_sub(1) {
            // It has seen that the stack is empty.
            None => begin == end,
            // It has seen what is above this many symbols.
            Some(below) => {
                let seen = begin.len() - below;
                end.len() >= seen && end[..seen] == begin[..seen]
            }
        }
    };
    begin.shared == end.shared && (0..begin.stacks.len()).all(again)
}
