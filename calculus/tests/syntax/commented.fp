//! Comments everywhere.
//@ answer: safe

// a paragraph of its own

use program; // behind
// below, and before the next
enum Pc { // behind the brace
    // before the first value
    Start,   // behind Start
    Middle, Last,
    // before the brace
} // behind the enum
record Game { who: Player, // whose turn
  u, v: Shared[1..2], // both
  fresh: bool }
rel edge(x, y: 0..9) = { // rows
    (0, 1), (0, 2), // from 0
    // from 1
    (1, 2),
    (2,
     3) // split
};
mu Reach(
    x: Node, // from
    y: Node  // to
) = // the closure
    // the first
    one:  edge(x, y) // at once
    // the second
  | two:  exists z. Reach(x, z) // recursive
                    // one more
                    & edge(z, y) & // behind the operator
                    (x = 1 // inside
                     | y = 2)
  // not done
  ; // done


// almost the end
query All // odd
   (x: Node) =
    Reach(x, x) // behind
;
verdict safe if All;
// the end
