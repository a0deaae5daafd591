//! Proofs for pushdown threads by induction over rounds: k-induction with amplification for recursive threads. If no target
//! is met within `rounds` rounds (6), and every state from which one is met within one round more meets one within
//! `rounds` (7), then none is ever met. Sound; the verdict is unknown if `rounds` or `tall` is too small, and for some systems it always is.
//! Prabhu, Reps, Lal and Kidd, Verifying concurrent programs via bounded context-switching and induction, section 4.
//!
//! One difference. (7) compares sets of stacks, and the paper complements automata for that. Here a stack is known by its
//! top symbol only, and (7) is decided from both sides: a state *may* meet a target if it does with some
//! stack under the top, of those that the control flow allows; it *must* meet one if a run does without ever popping the top, so that
//! nothing depends on what is under it. The envelope (lib/visible.fp) is the paper's, and knows shared states too.
use pushdown;
use "lib/spans.fp";
use "lib/meet.fp";
use "lib/visible.fp";

// Thread t has x on top when m rounds begin. They begin with z and have left g. Now a is on top, of x's level or of one
// that was under it. deep: x's level has been popped.
mu From[t in 1..n, m in 1..last](x: Symbol, z: Shared[1..m], deep: bool, a: Symbol, g: Shared[1..m]) =
    start:     m = 1 & a = x & g = z & !deep & exists s, v. Envelope(s, v) & v[t] = x
  | overwrite: exists b, r. From[t, m](x, z, deep, b, g[m := r]) & overwrite[t](r, b, g[m], a)
  | over:      some i in 1..m: exists b, r. From[t, i](x, z[..i], deep, b, g[..i-1] ++ [r])
                                            & Over[t, m-i+1](b, [r] ++ z[i+1..], a, [g[i]] ++ g[i+1..])
  | pop:       deep
               & exists f, b, r, q, y, c. From[t, m](x, z, f, b, g[m := r]) & pop[t](r, b, q, y)
                                          & Under[t](b, c) & merge[t](q, y, c, g[m], a)
  | resume:    m > 1 & From[t, m-1](x, z[..m-1], deep, a, g[..m-1]) & g[m] = z[m];

// The same with a on top of any level.
mu Run[t in 1..n, m in 1..last](x: Symbol, z: Shared[1..m], deep: bool, a: Symbol, g: Shared[1..m]) =
    from:      From[t, m](x, z, deep, a, g)
  | overwrite: exists b, r. Run[t, m](x, z, deep, b, g[m := r]) & overwrite[t](r, b, g[m], a)
  | push:      exists b, r, c. Run[t, m](x, z, deep, b, g[m := r]) & push[t](r, b, g[m], a, c)
  | over:      some i in 1..m: exists b, r. Run[t, i](x, z[..i], deep, b, g[..i-1] ++ [r])
                                            & Over[t, m-i+1](b, [r] ++ z[i+1..], a, [g[i]] ++ g[i+1..])
  | resume:    m > 1 & Run[t, m-1](x, z[..m-1], deep, a, g[..m-1]) & g[m] = z[m];

// Threads 1 to t begin with v on top and end with the tops of pattern i. may = 0: what they began with is never popped.
mu Runs[may in 0..1, t in 1..n, m in 1..last](i: Pattern, v: Symbol[1..t], a, b: Shared[1..m]) =
    first: t = 1 & exists deep, x. Run[1, m](v[1], a, deep, x, b) & target_top[1](i, x) & (may = 1 | !deep)
  | more:  t > 1
           & exists h, deep, x. Runs[may, t-1, m](i, v[..t-1], a, h) & Run[t, m](v[t], h, deep, x, b)
                                & target_top[t](i, x) & (may = 1 | !deep);
mu Back[may in 0..1, m in 1..last](s: Shared, v: Symbol[1..n]) =
    exists i, a, f. Runs[may, n, m](i, v, a, f) & s = a[1] & target(i, f[m])
                    & each j in 1..m-1: a[j+1] = f[j];

// (6)
query Hit = Met;

// (7): what blocks the induction. From these states a target may be met in the last round, and need not be met before.
query Blocking(s: Shared, v: Symbol[1..n]) = Envelope(s, v) & Back[1, last](s, v) & !Back[0, rounds](s, v);

verdict unsafe if Hit;
verdict safe "a proof by induction over {rounds} rounds" if !exists s, v. Blocking(s, v);
verdict unknown "{rounds} rounds are too few for a proof: see Blocking, or try more";

hint symbolic Pc;
