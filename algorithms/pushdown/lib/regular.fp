//! Can a pushdown system with one stack reach a configuration of a regular set? Backwards, as pre_star.fp, with an automaton
//! that reads a stack from its top. The user gives it: `use "pushdown/lib/regular.fp" with Place = …, goal_first = …,
//! goal_next = …, goal_end = …;`. Bouajjani, Esparza and Maler, Reachability analysis of pushdown automata.
use pushdown;
use "erase.fp";

require pushdown.threads = 1 "{pushdown.threads} threads: use cuba_depth.fp, or cba.fp within some rounds";

sort Place;
rel goal_first(s: Shared, a: Symbol, x: Place);  // in s, the symbol on top leads to x
rel goal_next(x: Place, a: Symbol, y: Place);    // the symbol below leads on to y
rel goal_end(x: Place);                          // behind the bottom: the stack is in the set

// The edge s -a-> x: from s with a on top, a run can come to a stack of which the automaton reads the part in the place of
// this a, and is in x.
mu Meet(s: Shared, a: Symbol, x: Place) =
    goal:      goal_first(s, a, x)
  | overwrite: exists r, b. overwrite[1](s, a, r, b) by 1 & Meet(r, b, x)
  | over:      exists r, b. Over(s, a, r, b) & Meet(r, b, x)
  | push:      exists r, b, c, y. push[1](s, a, r, b, c) by 1 & Meet(r, b, y) & goal_next(y, c, x);

// The automaton has read the initial stack, or what became of it, down to the level e.
mu Behind(x: Place, e: Symbol) =
    meet: exists s, a. Bared(s, a, e) & Meet(s, a, x)
  | rest: exists y, d, c. Behind(y, d) & rest[1](d, c, e) & goal_next(y, c, x);

let Reached = exists x, e. Behind(x, e) & goal_end(x) & !exists c, d. rest[1](e, c, d);
