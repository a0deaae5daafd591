//! What m threads really do together within some steps: lib/seats.fp, step by step, so that it ends where numbers have many
//! values. The user says whether it is asked at all: `use "lib/seats_steps.fp" with asked = Seen;`.
use program;
use "seats.fp";

param depth in 1.. = 40;
rel asked();

keyed range Depth = 0..depth;

// After so many steps the threads can be in v, and the one on seat j is running.
mu Real[j in 1..m](d: Depth, v: Seat[1..m], s: Shared) =
    start:  d = 0 & given asked & Init(s) & v[j].who > 0 & (each i in 1..m: Begin[i](v[i]))
            & each i in 1..m, l in 1..i-1: Apart[i, l](v[i].who, v[l].who)
  | switch: v[j].who > 0 & some o in 1..m: o != j & Real[o](d, v, s) & Stop[o](v[o].at, s)
  | step:   exists e, p, r. e + 1 = d & Real[j](e, v[j := { v[j] with at = p }], r)
                            & step(p, r, v[j].at, s) by j
  | spawn:  program.spawns = 1
            & some l in 1..m: l != j & v[l].who = many
                              & exists e, p, r, y. e + 1 = d
                                                   & Real[j](e, v[j := { v[j] with at = p }][l := y], r)
                                                   & y.who = 0 & spawn(p, r, v[j].at, s, v[l].at) by j
  | unseen: program.spawns = 1
            & exists e, p, r, x. e + 1 = d & Real[j](e, v[j := { v[j] with at = p }], r)
                                 & spawn(p, r, v[j].at, s, x) by j;

query Met = (some j in 1..m: exists d, v, s. Real[j](d, v, s) & target(v[j].at)) | InitFails;
