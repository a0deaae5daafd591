//! A Büchi game: from where can Eve force the token through accepting positions infinitely often?
//!
//! Two nested fixed points, νZ μY. (accepting ∧ ◇Z) ∨ ◇Y, where ◇ is "Eve forces the next position into".
//! They stand in lib/game.fp: the equations of one component are nested by the order of the text, so
//! `Again`, which stands first there, is the outer one, and `Meet` is computed anew for each of its
//! approximations.
//!
//! The dual is Adam's co-Büchi game, from where on he keeps the token away from accepting positions after
//! some time: μZ νY. (¬accepting ∨ □Z) ∧ □Y. It is solved separately, with the same file from his side, and
//! the queries show that the two winners share out all positions: the game is determined.

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

use "lib/game.fp" as eve with eve = { x | owner(x, Eve) };
use "lib/game.fp" as adam with eve = { x | owner(x, Adam) };

let Again(x: Position) = eve.Again[accepting](x);
let Settle(x: Position) = adam.Settle[{ y | !accepting(y) }](x);

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
