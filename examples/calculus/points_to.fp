//! Points-to analysis after Andersen: which variable may hold the address of which object.
//!
//! The program is given as facts: run it with `--facts facts/points_to`. The folder has one file for each
//! `input`, with a row per line and a tab between the columns. Variables and what objects hold depend on
//! each other, so `Points` and `Holds` are one component and are solved together.

enum Variable { p, q, r, s, t, u }
enum Object { A, B, C }

input new(v: Variable, o: Object);  // v = new o
input assign(v, w: Variable);       // v = w
input load(v, w: Variable);         // v = *w
input store(v, w: Variable);        // *v = w

mu Points(v: Variable, o: Object) =
    new:    new(v, o)
  | assign: exists w. assign(v, w) & Points(w, o)
  | load:   exists w, h. load(v, w) & Points(w, h) & Holds(h, o);

mu Holds(h, o: Object) =
    store: exists v, w. store(v, w) & Points(v, h) & Points(w, o);

query PointsTo(v: Variable, o: Object) = Points(v, o);
query Heap(h, o: Object) = Holds(h, o);
query Aliases(v, w: Variable) = v < w & exists o. Points(v, o) & Points(w, o);

//@ facts=facts/points_to PointsTo: 6 tuples
//@ facts=facts/points_to Heap: 2 tuples
//@ facts=facts/points_to Aliases: 3 tuples
