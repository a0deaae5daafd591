//! A counter of `width` digits: which values it takes, and whether it is full within `ticks` ticks.
//!
//! The value is a vector of digits, the lowest first. A tick finds the lowest digit that is not at its end:
//! those below start again, that one goes up, and those above, a slice, stay. At `k = width` the slice is
//! empty, and at `v[k] = base - 1` the term `v[k] + 1` has no value, so the equation with it is false
//! there: no condition has to say so.
//!
//! `After` is a family, one relation for each number of ticks; the static conditions `n = 0` and `n > 0`
//! choose the clause.

param width in 1..8 = 4;
param base in 2..10 = 3;
param ticks in 0..10_000 = 10;

range Digit = 0..base-1;

let Zero(v: Digit[1..width]) = each i in 1..width: v[i] = 0;
let Full(v: Digit[1..width]) = each i in 1..width: v[i] = base - 1;
let Tick(v, w: Digit[1..width]) =
    some k in 1..width: (each j in 1..k-1: v[j] = base - 1 & w[j] = 0) & w[k] = v[k] + 1
                        & w[k+1..] = v[k+1..];

mu Reach(v: Digit[1..width]) =
    start: Zero(v)
  | tick:  exists u. Reach(u) & Tick(u, v);

let After[n in 0..ticks](v: Digit[1..width]) =
    start: n = 0 & Zero(v)
  | tick:  n > 0 & exists u. After[n-1](u) & Tick(u, v);

query Values(v: Digit[1..width]) = Reach(v);
query Overflow = some n in 0..ticks: exists v. After[n](v) & Full(v);

verdict unsafe "the counter is full after {ticks} ticks or less" if Overflow;
verdict bounded "it is not full within {ticks} ticks";

// Three to the fourth, and the last value after 80 ticks.
//@ Values: 81 tuples
//@ Overflow: false
//@ verdict: bounded
//@ ticks=79 verdict: bounded
//@ ticks=80 verdict: unsafe
//@ base=2 width=8 Values: 256 tuples
//@ base=2 width=8 ticks=255 Overflow: true
