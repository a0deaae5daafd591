//! Andersen's points-to analysis with fields, over the names of a program: which variable may hold which object.
//!
//! Variables, objects and fields are texts, as a front end finds them: `symbol` sorts have the texts that the inputs
//! bring. Run it with `--facts facts/andersen`, which has the facts of this program; an object is named after its line.
//!
//!     2  List a = new List();      6  a.head = i;           10  Item y = b.head;
//!     3  List b = new List();      7  b.head = j;           11  c = b;
//!     4  Item i = new Item();      8  List c = a;
//!     5  Item j = new Item();      9  Item x = c.head;
//!
//! The analysis ignores the order of the lines, so `c` may be `b` in line 9, and `x` may be `j`.

symbol Var;
symbol Object;
symbol Field;

input new(v: Var, o: Object);           // v = new o
input assign(v, w: Var);                // v = w
input load(v, w: Var, f: Field);        // v = w.f
input store(v: Var, f: Field, w: Var);  // v.f = w

mu Points(v: Var, o: Object) =
    new:    new(v, o)
  | assign: exists w. assign(v, w) & Points(w, o)
  | load:   exists w, f, h. load(v, w, f) & Points(w, h) & Holds(h, f, o);

mu Holds(h: Object, f: Field, o: Object) =
    store: exists v, w. store(v, f, w) & Points(v, h) & Points(w, o);

query PointsTo(v: Var, o: Object) = Points(v, o);
query Heap(h: Object, f: Field, o: Object) = Holds(h, f, o);
query Aliases(v, w: Var) = v != w & exists o. Points(v, o) & Points(w, o);
query Without(v: Var) = !Points(v, "new Item, line 5");
query Imprecise = Points("Main.main/x", "new Item, line 5");

//@ facts=facts/andersen PointsTo: 9 tuples
//@ facts=facts/andersen Heap: 2 tuples
//@ facts=facts/andersen Aliases: 12 tuples
//@ facts=facts/andersen Without: 4 tuples
//@ facts=facts/andersen Imprecise: true
