//! Which assignments satisfy a function, one after the other, in an order that does not depend on the diagram.

use super::{Bdd, Stop, Var};

/// Satisfying assignments in lexicographic order; see [`Bdd::assignments`].
pub struct Assignments {
    vars: Vec<Var>,
    /// Values of the first variables.
    prefix: Vec<bool>,
    /// Where to go on, the nearest last: a length of the prefix, the value that comes next (none at the very
    /// start), and what is left of the function after that value. Never empty functions.
    open: Vec<(usize, Option<bool>, Bdd)>,
}

impl Bdd {
    /// The assignments to exactly these variables that satisfy the function, which must depend on no others:
    /// lexicographically in the order given, false before true. Found as they are asked for.
    pub fn assignments(&self, vars: &[Var]) -> Assignments {
        self.expect_support_in(vars, "enumerating");
        let open = if self.is_zero() { Vec::new() } else { vec![(0, None, self.clone())] };
        Assignments { vars: vars.to_vec(), prefix: Vec::new(), open }
    }
}

impl Assignments {
    fn advance(&mut self) -> Result<Option<Vec<bool>>, Stop> {
        while let Some((length, value, rest)) = self.open.pop() {
            self.prefix.truncate(length);
            self.prefix.extend(value);
            let length = self.prefix.len();
            let Some(&var) = self.vars.get(length) else { return Ok(Some(self.prefix.clone())) };
            for value in [true, false] {
                let rest = rest.cofactor(var, value)?;
                if !rest.is_zero() {
                    self.open.push((length, Some(value), rest));
                }
            }
        }
        Ok(None)
    }
}

impl Iterator for Assignments {
    type Item = Result<Vec<bool>, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.advance();
        if found.is_err() {
            self.open.clear();
        }
        found.transpose()
    }
}
