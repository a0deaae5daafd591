//! Proofs for pushdown threads and any number of rounds: context-unbounded analysis. A visible state is the shared state with
//! the symbol on top of each stack. If one more round brings no new visible state, and every visible state that a pop might
//! produce is there already, nothing new ever comes: `rounds` rounds reach all visible states. Sound; the verdict is
//! unknown if `rounds` or `tall` is too small, and for some systems it always is. Liu and Wahl, CUBA: interprocedural
//! context-unbounded analysis of concurrent programs.
//!
//! Two differences. (1) Rounds in place of contexts. (2) The paper's generators have any symbol of the thread come up
//! when another one is popped; here it is one that can be under it in the control flow (`Under`, lib/visible.fp).
//!
//! Why: let c -> c' be the first step of a run to a visible state that is not reached within `rounds`. Some d that is
//! reached within them has the visible state of c. If the step is no pop, d can make it too, in one round more, and what it
//! leads to would be new. A pop leads into Popping, all of which is reached.
use pushdown;
use "lib/spans.fp";
use "lib/visible.fp";

// Threads 1 to t take a to b in k rounds, and end with v on top of their stacks.
mu Tops[t in 1..n, k in 1..last](a, b: Shared[1..k], v: Symbol[1..t]) =
    first: t = 1 & initial(a[1]) & Some[1, k](a, v[1], b)
  | more:  t > 1 & exists m. Tops[t-1, k](a, m, v[..t-1]) & Some[t, k](m, v[t], b);
mu Visible[k in 1..last](s: Shared, v: Symbol[1..n]) =
    exists a, f. Tops[n, k](a, f, v) & f[k] = s & each j in 1..k-1: a[j+1] = f[j];

query Hit =
    some k in 1..rounds: exists i, s, v. Visible[k](s, v) & target(i, s)
                                         & each t in 1..n: target_top[t](i, v[t]);

// What keeps the proof: a pop might produce it, or one more round does.
query Missing(s: Shared, v: Symbol[1..n]) = Popping(s, v) & !Visible[rounds](s, v);
query New(s: Shared, v: Symbol[1..n]) = Visible[last](s, v) & !Visible[rounds](s, v);

query All(s: Shared, v: Symbol[1..n]) = Visible[rounds](s, v);

verdict unsafe if Hit;
verdict safe "{rounds} rounds reach every visible state, and none is a target" if !(exists s, v.
                                                                                      Missing(s, v))
                                                                                  & !exists s, v. New(s, v);
verdict unknown "more than {rounds} rounds may be needed: see Missing and New";

hint symbolic Pc;
