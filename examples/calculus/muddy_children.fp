//! Common knowledge: the muddy children. Each child sees who of the others is muddy, but not itself. The
//! father says that somebody is, and then asks again and again who knows whether he or she is. If m
//! children are muddy, nobody knows in the first m - 1 rounds, and then the muddy ones do.
//!
//! A world says who is muddy. To know something is that it holds in every world that looks the same; what
//! is commonly known (everybody knows it, everybody knows that everybody knows it, …) is a greatest fixed
//! point. What nobody could say in a round, everybody has heard: the worlds in which somebody would have
//! known are left out of the next one.

param children in 1.. = 4;
const n = children;
sort World = bool[1..n];

// Child i cannot tell v from w.
let Alike[i in 1..n](v, w: World) = each j in 1..n: j = i | (v[j] <-> w[j]);

// The worlds that are possible for all who heard that somebody is muddy, and k times that nobody knows.
let Possible[k in 0..n](w: World) =
    told:  k = 0 & some i in 1..n: w[i]
  | asked: k > 0 & Possible[k-1](w) & !some i in 1..n: Knows[k-1, i](w);

// Child i knows whether it is muddy.
let Knows[k in 0..n, i in 1..n](w: World) =
    muddy: Possible[k](w) & forall v. Possible[k](v) & Alike[i](v, w) -> v[i]
  | clean: Possible[k](w) & forall v. Possible[k](v) & Alike[i](v, w) -> !v[i];

// X is commonly known in round k.
nu Common[k in 0..n, X: rel(World)](w: World) =
    X(w) & each i in 1..n: forall v. Possible[k](v) & Alike[i](v, w) -> Common[k, X](v);

let AtLeast[m in 0..n](w: World) = m = 0 | m > 0 & some i in 1..n: w[i] & AtLeast[m-1](w[i := false]);
let Two(w: World) = AtLeast[min(2, n)](w);

// In world w the children with mud know it after k rounds of silence.
query When(w: World, k: 0..n) =
    some j in 0..n: k = j & Possible[j](w) & each i in 1..n: w[i] -> Knows[j, i](w);
// Before anybody was asked, each child may see two muddy ones; but that there are two is commonly known
// only after a round.
query Before(w: World) = Possible[0](w) & Common[0, Two](w);
query After(w: World) = Possible[1](w) & Common[1, Two](w);
query Everybody(w: World) =
    Possible[0](w) & each i in 1..n: forall v. Possible[0](v) & Alike[i](v, w) -> Two(v);

//@ When: 15 tuples
//@ Before: 0 tuples
//@ After: 11 tuples
//@ Everybody: 5 tuples
//@ children=2 When: 3 tuples
//@ children=6 When: 63 tuples
