//! Runs that never end, of a pushdown system with one stack: can one of them pass accepting heads again and again? The
//! user gives the control states and the rules over them, and says which heads are accepting: `use "lib/heads.fp"
//! with Control = …, first = …, swap = …, call = …, back = …, join = …, accepting = …;`. The stack symbols, and the
//! stack in the beginning, are those of the vocabulary.
//!
//! Esparza, Hansel, Rossmanith and Schwoon, Efficient algorithms for model checking pushdown systems: there is such a
//! run if and only if a head can be reached from which a run comes back to it, with an accepting head on the way,
//! and never pops what is below. Forwards, as post_star.fp: only heads that can be reached are looked at. The paper's
//! labels of edges are the flag f here: an accepting head was on the way.
use pushdown;

sort Control;
rel first(p: Control);                                              // a run begins in p
rel swap(p: Control, a: Symbol, q: Control, b: Symbol);             // the rules: overwrite,
rel call(p: Control, a: Symbol, q: Control, b, c: Symbol);          // push,
rel back(p: Control, a: Symbol, q: Control, y: Result);             // pop,
rel join(p: Control, y: Result, c: Symbol, q: Control, a: Symbol);  // and merge
rel accepting(p: Control, a: Symbol);

// A run is in p, with a on top of a level that was entered with e in r; f: since then a rule was applied to an
// accepting head.
mu Top(p: Control, a, e: Symbol, r: Control, f: bool) =
    start: first(p) & start[1](a, e) & r = p & !f
  | swap:  exists q, b, g. Top(q, b, e, r, g) & swap(q, b, p, a) & (f <-> g | accepting(q, b))
  | call:  e = a & r = p & !f
           & exists d, z, g, q, b, c. outside Top(q, b, d, z, g) & outside call(q, b, p, a, c)
  | over:  exists q, b, g, h. Top(q, b, e, r, g) & Over(q, b, p, a, h) & (f <-> g | h)
  | rest:  exists q, y, c, d. Gone(q, y, d, r, f) & rest[1](d, c, e) & join(q, y, c, p, a);

// The level has been popped, in p, and hands y down.
mu Gone(p: Control, y: Result, e: Symbol, r: Control, f: bool) =
    exists q, b, g. Top(q, b, e, r, g) & back(q, b, p, y) & (f <-> g | accepting(q, b));

// From p with a on top, a run can push, pop what it pushed, and be in q with b in place of a.
mu Over(p: Control, a: Symbol, q: Control, b: Symbol, f: bool) =
    exists r, d, c, z, y, g. call(p, a, r, d, c) & within Gone(z, y, d, r, g) & join(z, y, c, q, b)
                             & (f <-> g | accepting(p, a));

let Visible(p: Control, a: Symbol) = exists e, r, f. Top(p, a, e, r, f);

// The head (p, a) can be followed by (q, b), and nothing below a is touched.
let Head(p: Control, a: Symbol, q: Control, b: Symbol, f: bool) =
    swap: given Visible(p, a) & swap(p, a, q, b) & (f <-> accepting(p, a))
  | call: given Visible(p, a) & (exists c. call(p, a, q, b, c)) & (f <-> accepting(p, a))
  | over: given Visible(p, a) & Over(p, a, q, b, f);

// From this head on, a run can pass accepting heads for ever; it can pass one more, now or later.
nu Again(p: Control, a: Symbol) = Soon(p, a);
mu Soon(p: Control, a: Symbol) =
    now:   exists q, b. Head(p, a, q, b, true) & Again(q, b)
  | later: exists q, b, f. Head(p, a, q, b, f) & Soon(q, b);

// What a run reaches, and from where it goes on like that.
let Repeats(p: Control, a: Symbol) = Visible(p, a) & Again(p, a);
