//! Pushdown threads with explicit stacks of at most d symbols, for any schedule: the product of all threads. The user
//! says which d: `use "lib/bounded.fp" with least = …, most = …;`.
use pushdown;

require pushdown.atomic = 0 "atomic sections: here threads are switched at every step";

param least in 2.. = 2;
param most in 2.. = 2;
const n = pushdown.threads;

// The threads can have these stacks, their tops first. Behind the last symbol there is only the bottom.
mu Reach[d in least..most](s: Shared, w: Symbol[1..d][1..n]) =
    start:     initial(s) & each t in 1..n: First[d, t](w[t])
  | overwrite: some t in 1..n: exists r, b. Reach[d](r, w[t := w[t][1 := b]])
                                            & overwrite[t](r, b, s, w[t][1]) by t
  | push:      some t in 1..n: exists r, u. Reach[d](r, w[t := u])
                                            & push[t](r, u[1], s, w[t][1], w[t][2]) by t & empty(u[d])
                                            & each i in 3..d: w[t][i] = u[i-1]
  | pop:       some t in 1..n: exists r, q, y, u. Reach[d](r, w[t := u]) & pop[t](r, u[1], q, y) by t
                                                  & merge[t](q, y, u[2], s, w[t][1]) by t & empty(w[t][d])
                                                  & each i in 2..d-1: w[t][i] = u[i+1];

// The stack with which thread t begins: it must fit.
let First[d in least..most, t in 1..n](u: Symbol[1..d]) =
    exists e: Symbol[1..d]. start[t](u[1], e[1]) & (each i in 1..d-1: Below[t](u[i], e[i], u[i+1], e[i+1]))
                            & !exists c, x. rest[t](e[d], c, x) & !empty(c);
let Below[t in 1..n](a, e, c, x: Symbol) = rest[t](e, c, x) | empty(a) & empty(c) & x = e;

// A stack with which a thread begins is cut off, or one is full and would have to grow.
let Deeper[d in least..most] =
    cut:  some t in 1..n: !exists u. First[d, t](u)
  | full: some t in 1..n: exists s, w, r, b, c. Reach[d](s, w) & push[t](s, w[t][1], r, b, c)
                                                & !empty(w[t][d]);
let Cut[d in least..most] = some t in 1..n: !exists u. First[d, t](u);

// The symbols on top.
let Seen[d in least..most](s: Shared, v: Symbol[1..n]) =
    exists w. Reach[d](s, w) & each t in 1..n: v[t] = w[t][1];

// A target is met.
let Met[d in least..most] =
    exists i, s, v. Seen[d](s, v) & target(i, s) & each t in 1..n: target_top[t](i, v[t]);
