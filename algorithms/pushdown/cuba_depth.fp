//! Proofs for pushdown threads, for any schedule and stacks of any depth, by the depth of the stacks: cuba.fp with `depth` in place of rounds.
//! If stacks of one symbol more bring no new visible state (the shared state with the symbol on top of each stack), and
//! every visible state that a pop might produce is there already, nothing new ever comes. Sound; the verdict is
//! unknown if `depth` or `tall` is too small, and for some systems it always is. The idea is that of Liu and Wahl, CUBA:
//! interprocedural context-unbounded analysis of concurrent programs.
//!
//! Why: let c -> c' be the first step of a run to a visible state that is not reached with stacks of `depth`. Some d that
//! is reached with such stacks has the visible state of c. If the step is no pop, d can make it too, with one symbol more at
//! most, and what it leads to would be new. A pop leads into Popping, all of which is reached.
use pushdown;
use "lib/bounded.fp" with least = depth, most = depth + 1;
use "lib/visible.fp";

param depth in 2.. = 2;

query Hit = Met[depth]();

// What keeps the proof: a pop might produce it, or stacks of one symbol more do.
query Missing(s: Shared, v: Symbol[1..n]) = Popping(s, v) & !Seen[depth](s, v);
query New(s: Shared, v: Symbol[1..n]) = Seen[depth+1](s, v) & !Seen[depth](s, v);

query Visible(s: Shared, v: Symbol[1..n]) = Seen[depth](s, v);

verdict unsafe if Hit;
verdict safe "no run needs stacks of more than {depth} symbols" if !Deeper[depth]();
verdict safe "stacks of {depth} symbols show every visible state, and none is a target" if !Cut[depth]()
                                                                                           & !(exists s, v.
                                                                                               Missing(s, v))
                                                                                           & !exists s, v.
                                                                                               New(s, v);
verdict unknown "stacks of more than {depth} symbols may be needed: see Missing and New";

hint symbolic Pc;
