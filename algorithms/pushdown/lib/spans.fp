//! Pushdown threads that share their control state, for a number of rounds: in a round each thread runs once, for as
//! long as it likes, in the order of the file. Each thread alone is taken through its rounds, from all shared states; those who
//! use this file tie the threads together. Lal and Reps, Reducing concurrent analysis under a context bound to
//! sequential analysis, sections 4 and 5.
//!
//! The paper's transducers for a thread are its runs `Some` here: the shared states with which the rounds begin, those which
//! they leave, and the symbol on top. What a level of the stack does depends only on the shared states with which
//! the rounds begin *that it lives in*, not on those before. So a level is summarised once for all rounds, with its rounds
//! counted from 1, and the summary serves wherever the level is entered.
use pushdown;

require pushdown.atomic = 0 "atomic sections: here threads are switched at every step";

const n = pushdown.threads;
param rounds in 1.. = 2;
const last = rounds + 1;  // nothing of the last round is computed unless it is asked for

// A level is entered with e on top and z[1]. It lives through m rounds, which begin with z. Now a is on top of it,
// and the rounds have left g.
mu Span[t in 1..n, m in 1..last](e: Symbol, z: Shared[1..m], a: Symbol, g: Shared[1..m]) =
    enter:     m = 1 & a = e & z = g & exists r, b, c. outside push[t](r, b, g[1], a, c)
  | overwrite: exists b, r. Span[t, m](e, z, b, g[m := r]) & overwrite[t](r, b, g[m], a) by t at m
  | over:      some i in 1..m: exists b, r. Span[t, i](e, z[..i], b, g[..i-1] ++ [r])
                                            & within Over[t, m-i+1](b, [r] ++ z[i+1..], a,
                                                                    [g[i]] ++ g[i+1..]) at i
  | resume:    m > 1 & Span[t, m-1](e, z[..m-1], a, g[..m-1]) & g[m] = z[m];

// Such a level is popped in its last round, and hands y down.
mu Popped[t in 1..n, m in 1..last](e: Symbol, z: Shared[1..m], y: Result, g: Shared[1..m]) =
    exists b, r. Span[t, m](e, z, b, g[m := r]) & pop[t](r, b, g[m], y) by t at m;

// With b on top, in a round that is in z[1] now, thread t pushes. m - 1 rounds later it has popped what it pushed,
// and a is in place of b.
mu Over[t in 1..n, m in 1..last](b: Symbol, z: Shared[1..m], a: Symbol, g: Shared[1..m]) =
    exists x, d, c, q, y. push[t](z[1], b, x, d, c) by t at 1 & Popped[t, m](d, z[1 := x], y, g[m := q])
                          & merge[t](q, y, c, g[m], a) by t at m;

// Thread t has begun k rounds with z and left g. The level e of its initial stack is on top, and a on top of it.
mu Base[t in 1..n, k in 1..last](z: Shared[1..k], e, a: Symbol, g: Shared[1..k]) =
    start:     k = 1 & start[t](a, e) & z = g
  | overwrite: exists b, r. Base[t, k](z, e, b, g[k := r]) & overwrite[t](r, b, g[k], a) by t at k
  | over:      some i in 1..k: exists b, r. Base[t, i](z[..i], e, b, g[..i-1] ++ [r])
                                            & within Over[t, k-i+1](b, [r] ++ z[i+1..], a,
                                                                    [g[i]] ++ g[i+1..]) at i
  | pop:       exists d, b, r, q, y, c. Base[t, k](z, d, b, g[k := r]) & pop[t](r, b, q, y) by t at k
                                        & rest[t](d, c, e) & merge[t](q, y, c, g[k], a) by t at k
  | resume:    k > 1 & Base[t, k-1](z[..k-1], e, a, g[..k-1]) & g[k] = z[k];

// The same with a on top of any level: all that thread t can do.
mu Some[t in 1..n, k in 1..last](z: Shared[1..k], a: Symbol, g: Shared[1..k]) =
    base:      exists e. Base[t, k](z, e, a, g)
  | overwrite: exists b, r. Some[t, k](z, b, g[k := r]) & overwrite[t](r, b, g[k], a) by t at k
  | push:      exists b, r, c. Some[t, k](z, b, g[k := r]) & push[t](r, b, g[k], a, c) by t at k
  | over:      some i in 1..k: exists b, r. Some[t, i](z[..i], b, g[..i-1] ++ [r])
                                            & within Over[t, k-i+1](b, [r] ++ z[i+1..], a,
                                                                    [g[i]] ++ g[i+1..]) at i
  | resume:    k > 1 & Some[t, k-1](z[..k-1], a, g[..k-1]) & g[k] = z[k];
