//! A reachability game: from where can Eve force the token to the goal, whatever Adam does?
//!
//! Eve's attractor, a least fixed point with a `forall` in it. At her positions one good move is enough, at
//! Adam's all moves must be good. A `forall` over no moves holds: whoever cannot move has lost, as at
//! position 8.

enum Player { Eve, Adam }
range Position = 0..8;

rel owner(x: Position, who: Player) = {
    (0, Eve), (1, Adam), (2, Eve), (3, Adam), (4, Eve), (5, Adam), (6, Eve), (7, Eve), (8, Adam),
};
rel move(x, y: Position) = {
    (0, 1), (0, 2),
    (1, 0), (1, 3), (1, 8),
    (2, 3), (2, 4),
    (3, 6), (3, 7),
    (4, 5),
    (5, 4), (5, 7),
    (6, 2), (6, 7),
};
rel goal(x: Position) = { 7 };

mu Win(x: Position) =
    goal: goal(x)
  | eve:  owner(x, Eve) & exists y. move(x, y) & Win(y)
  | adam: owner(x, Adam) & forall y. move(x, y) -> Win(y);

query EveWins(x: Position) = Win(x);
// Adam moves between 4 and 5 for ever.
query AdamWins(x: Position) = !Win(x);
query Start = Win(0);

//@ EveWins: 7 tuples
//@ AdamWins: 2 tuples
//@ Start: true
