//! Games of two players on a graph, over the positions that the user gives: `use "lib/game.fp" with
//! Position = …, eve = …, move = …;`. Eve moves where `eve` holds, Adam elsewhere; whoever cannot move has
//! lost. Adam's side is the same file with `eve` the other way round: `as adam with eve = { x | !mine(x)
//! }`.
sort Position;
rel eve(x: Position);
rel move(x, y: Position);

// The control predecessor: Eve forces the next position into X.
let Forces[X: rel(Position)](x: Position) =
    eve:  eve(x) & exists y. move(x, y) & X(y)
  | adam: !eve(x) & forall y. move(x, y) -> X(y);

// The attractor: Eve forces the token into X, now or later.
mu Attractor[X: rel(Position)](x: Position) =
    goal:  X(x)
  | force: Forces[Attractor[X]](x);

// Eve keeps the token in X for ever.
nu Keep[X: rel(Position)](x: Position) = X(x) & Forces[Keep[X]](x);

// A Büchi game: Eve forces the token through X again and again. νZ μY. (X ∧ ◇Z) ∨ ◇Y
nu Again[X: rel(Position)](x: Position) = Meet[X](x);
mu Meet[X: rel(Position)](x: Position) =
    now:   X(x) & Forces[Again[X]](x)
  | later: Forces[Meet[X]](x);

// Its dual, a co-Büchi game: from some time on Eve keeps the token in X. μZ νY. (X ∨ ◇Z) ∧ ◇Y
mu Settle[X: rel(Position)](x: Position) = Avoid[X](x);
nu Avoid[X: rel(Position)](x: Position) = (X(x) | Forces[Settle[X]](x)) & Forces[Avoid[X]](x);
