//! The heads from which a pushdown system with one stack can reach a target, backwards: pre*. A target is a shared
//! state with a symbol on top, and anything below. Sound and complete: the verdict is safe or unsafe. Bouajjani,
//! Esparza and Maler, Reachability analysis of pushdown automata.
use pushdown;
use "lib/erase.fp";

require pushdown.threads = 1 "{pushdown.threads} threads: use cuba_depth.fp, or cba.fp within some rounds";

// From s with a on top, a run can come to a target before it pops this a: the edge s -a-> accepting.
mu Meet(s: Shared, a: Symbol) =
    target:    exists i. target(i, s) & target_top[1](i, a)
  | overwrite: exists r, b. overwrite[1](s, a, r, b) by 1 & Meet(r, b)
  | push:      exists r, b, c. push[1](s, a, r, b, c) by 1 & Meet(r, b)
  | over:      exists r, b. Over(s, a, r, b) & Meet(r, b);

query Can(s: Shared, a: Symbol) = Meet(s, a);
query Hit = exists s, a, e. Bared(s, a, e) & Meet(s, a);

verdict unsafe if Hit;
verdict safe;
