//! Targets that pushdown threads meet together, within `rounds` rounds.
use pushdown;
use "spans.fp";

// Threads 1 to t take a to b in k rounds, and end with the tops of pattern i.
mu Meet[t in 1..n, k in 1..rounds](i: Pattern, a, b: Shared[1..k]) =
    first: t = 1 & initial(a[1]) & exists x. Some[1, k](a, x, b) & target_top[1](i, x)
  | more:  t > 1 & exists m, x. Meet[t-1, k](i, a, m) & Some[t, k](m, x, b) & target_top[t](i, x);

// The rounds fit together: each begins as the one before has ended.
let Met =
    some k in 1..rounds: exists i, a, f. Meet[n, k](i, a, f) & target(i, f[k])
                                         & each j in 1..k-1: a[j+1] = f[j];
