//! Same generation: who stands equally far below a common ancestor.
//!
//! The classic query that a transitive closure cannot express: two people are of one generation if they are
//! the same person, or if parents of theirs are. The recursive occurrence stands between two edges, one up
//! and one down.

enum Person { Ada, Ben, Cleo, Dora, Emil, Finn, Gus, Hanna }

rel parent(of, child: Person) = {
    (Ada, Ben), (Ada, Cleo),
    (Ben, Dora), (Ben, Emil), (Cleo, Finn),
    (Dora, Hanna), (Finn, Gus),
};

mu Same(x, y: Person) =
    self:  x = y
  | below: exists p, q. Same(p, q) & parent(p, x) & parent(q, y);

let Siblings(x, y: Person) = exists p. parent(p, x) & parent(p, y);

query Generation(x, y: Person) = Same(x, y);
// Each pair once: enums are ordered as they are written.
query Cousins(x, y: Person) = x < y & Same(x, y) & !Siblings(x, y);

// Generations of 1, 2, 3 and 2 people: 1 + 4 + 9 + 4.
//@ Generation: 18 tuples
// Dora and Finn, Emil and Finn, Gus and Hanna.
//@ Cousins: 3 tuples
