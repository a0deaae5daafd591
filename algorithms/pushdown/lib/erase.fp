//! What a pushdown system with one stack can do to the symbol on top, whatever is below it: pop it, or push onto it and
//! come back. Backwards, for all heads, reachable or not. Bouajjani, Esparza and Maler, Reachability analysis of
//! pushdown automata.
use pushdown;

// The edge s -a-> s' of the paper's automaton: from s with a on top, a run can pop this a and be in s', with y for
// what is below.
mu Erase(s: Shared, a: Symbol, s': Shared, y: Result) =
    pop:       pop[1](s, a, s', y) by 1
  | overwrite: exists r, b. overwrite[1](s, a, r, b) by 1 & Erase(r, b, s', y)
  | over:      exists r, b. Over(s, a, r, b) & Erase(r, b, s', y);

// A run can push, pop what it pushed, and be in s' with b in place of a.
mu Over(s: Shared, a: Symbol, s': Shared, b: Symbol) =
    exists r, d, c, q, y. push[1](s, a, r, d, c) by 1 & Erase(r, d, q, y) & merge[1](q, y, c, s', b) by 1;

// The levels of the initial stack that a run can come to: the level e is on top, and a on top of it, when the levels
// above have just been popped.
mu Bared(s: Shared, a, e: Symbol) =
    start: initial(s) & start[1](a, e)
  | rest:  exists s', b, d, q, c, y. Bared(s', b, d) & Erase(s', b, q, y) & rest[1](d, c, e)
                                     & merge[1](q, y, c, s, a) by 1;
