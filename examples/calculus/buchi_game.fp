//! A Büchi game: from where can Eve force the token through accepting positions infinitely often?
//!
//! Two nested fixed points, νZ μY. (accepting ∧ ◇Z) ∨ ◇Y, where ◇ is "Eve forces the next position into".
//! The equations of one component are nested by the order of the text: `Again` stands first, so it is the
//! outer one, and `Meet` is computed anew for each of its approximations. `let` definitions are no fixed
//! points of their own; they stand for their formulas.
//!
//! The dual is Adam's co-Büchi game, from where on he keeps the token away from accepting positions after
//! some time: μZ νY. (¬accepting ∨ □Z) ∧ □Y. It is solved separately, and the queries show that the two
//! winners share out all positions: the game is determined.

enum Player { Eve, Adam }
range Position = 0..7;

rel owner(x: Position, who: Player) = {
    (0, Eve), (1, Adam), (2, Eve), (3, Eve), (4, Adam), (5, Adam), (6, Adam), (7, Eve),
};
rel move(x, y: Position) = {
    (0, 1), (0, 3),
    (1, 2), (1, 5),
    (2, 0),
    (3, 3), (3, 4),
    (4, 4), (4, 5),
    (5, 6),
    (6, 5),
    (7, 4),
};
rel accepting(x: Position) = { 2, 5, 7 };

// Eve forces the token into Again, into Meet.
let ToAgain(x: Position) =
    owner(x, Eve) & (exists y. move(x, y) & Again(y))
  | owner(x, Adam) & forall y. move(x, y) -> Again(y);
let ToMeet(x: Position) =
    owner(x, Eve) & (exists y. move(x, y) & Meet(y))
  | owner(x, Adam) & forall y. move(x, y) -> Meet(y);

nu Again(x: Position) = Meet(x);
mu Meet(x: Position) =
    now:   accepting(x) & ToAgain(x)
  | later: ToMeet(x);

// Adam forces the token into Settle, into Avoid.
let ToSettle(x: Position) =
    owner(x, Adam) & (exists y. move(x, y) & Settle(y))
  | owner(x, Eve) & forall y. move(x, y) -> Settle(y);
let ToAvoid(x: Position) =
    owner(x, Adam) & (exists y. move(x, y) & Avoid(y))
  | owner(x, Eve) & forall y. move(x, y) -> Avoid(y);

mu Settle(x: Position) = Avoid(x);
nu Avoid(x: Position) = (!accepting(x) | ToSettle(x)) & ToAvoid(x);

query EveWins(x: Position) = Again(x);
query AdamWins(x: Position) = Settle(x);
query Both(x: Position) = Again(x) & Settle(x);
query Neither(x: Position) = !Again(x) & !Settle(x);
query Determined = forall x. Again(x) <-> !Settle(x);

// 0, 1, 2, 5, 6. Position 7 is accepting, but only once.
//@ EveWins: 5 tuples
//@ AdamWins: 3 tuples
//@ Both: 0 tuples
//@ Neither: 0 tuples
//@ Determined: true
