//! Does every run of a pushdown system with one stack satisfy a formula of linear temporal logic? Sound and complete:
//! the verdict is safe or unsafe. The formula is given with the run, `--ltl 'G (lock -> F unlock)'`, and comes as
//! a Büchi automaton that accepts what violates it; the system and the automaton run together. The trace is a run, and
//! the part that repeats. Esparza, Hansel, Rossmanith and Schwoon, Efficient algorithms for model checking pushdown
//! systems.
//!
//! A run is a sequence of heads: the automaton reads the letter of each head, which says what holds of it. With `ends`
//! = 1 a run that cannot go on stays where it is, so that every run has a value; with `ends` = 0 only infinite runs
//! count, and a run that ends satisfies every formula.
use pushdown;
use ltl;

require pushdown.threads = 1 "{pushdown.threads} threads: use ltl_threads.fp";
require ltl.given = 1 "no formula is given: --ltl 'G (p -> F q)'";

param ends in 0..1 = 1;

record Pair { s: Shared, x: Place }

// The automaton reads the letter of the head that a rule is applied to. What has no letter, as an `init` block, is
// not a part of the run.
let Counts(s: Shared, a: Symbol) = exists l. ltl_letter[1](s, a, l);
let Read(s: Shared, a: Symbol, x, y: Place) =
    letter: exists l. ltl_letter[1](s, a, l) & ltl_next(x, l, y)
  | before: !Counts(s, a) & x = y;

// No rule applies to this head.
let Stuck(s: Shared, a: Symbol) =
    !(exists r, b. overwrite[1](s, a, r, b)) & !(exists r, b, c. push[1](s, a, r, b, c))
    & !exists r, y. pop[1](s, a, r, y);

let Swap(p: Pair, a: Symbol, q: Pair, b: Symbol) =
    rule: overwrite[1](p.s, a, q.s, b) by 1 & Read(p.s, a, p.x, q.x)
  | end:  ends = 1 & Stuck(p.s, a) & Read(p.s, a, p.x, q.x) & q.s = p.s & b = a;

use "lib/heads.fp" with Control = Pair,
                        first = { p | initial(p.s) & ltl_initial(p.x) },
                        swap = Swap,
                        call = { (p, a, q, b, c) | push[1](p.s, a, q.s, b, c) by 1 & Read(p.s, a, p.x, q.x) },
                        back = { (p, a, q, y) | pop[1](p.s, a, q.s, y) by 1 & Read(p.s, a, p.x, q.x) },
                        join = { (p, y, c, q, a) | merge[1](p.s, y, c, q.s, a) by 1 & p.x = q.x },
                        accepting = { (p, a) | ltl_accepting(p.x) & Counts(p.s, a) };

query Where(s: Shared, a: Symbol) = exists p. Repeats(p, a) & p.s = s;
query Violated = exists p, a. Repeats(p, a);

verdict unsafe "some run violates the formula" if Violated;
verdict safe "every run satisfies the formula";
