//! What can be reached by the edges of a relation. Families: the sort and the relations stand in the
//! brackets, and the sort may be left out, as in `Closure[edge](x, y)`.

// Some edges lead from x to y: one, or more.
mu Closure[T: sort, edge: rel(T, T)](x, y: T) =
    edge: edge(x, y)
  | more: exists z. Closure[T, edge](x, z) & edge(z, y);

// Edges lead from one of the first to x; from x to one of the last: none, or more.
mu From[T: sort, first: rel(T), edge: rel(T, T)](x: T) =
    first: first(x)
  | edge:  exists w. From[T, first, edge](w) & edge(w, x);
mu To[T: sort, last: rel(T), edge: rel(T, T)](x: T) =
    last: last(x)
  | edge: exists y. edge(x, y) & To[T, last, edge](y);

// Edges lead from x to y and back: they are in one component.
let Together[T: sort, edge: rel(T, T)](x, y: T) =
    same: x = y
  | both: Closure[T, edge](x, y) & Closure[T, edge](y, x);
