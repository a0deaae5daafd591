//! Two threads that hand a turn to each other, and a check behind the last time: a proof by induction needs as
//! many epochs as there are times.

use super::Text;

/// `left` gives the turn away and waits for it `points` times. `right` says that it is done before it gives the
/// turn back for the last time, and `left` checks that. A state in which `left` is one time ahead leads
/// to an error, an epoch for each time that is left; no run comes to it.
pub fn program(points: usize) -> String {
    let mut text = Text::default();
    text.line("decl turn_right, done;");
    text.line("");
    text.open("init begin");
    text.simple("turn_right, done := F, F");
    text.close("end");
    text.line("");
    text.open("thread left begin");
    for _ in 0..points {
        text.simple("assume(!turn_right)");
        text.simple("turn_right := T");
    }
    text.simple("assume(!turn_right)");
    text.simple("assert(done)");
    text.close("end");
    text.line("");
    text.open("thread right begin");
    for point in 1..=points {
        text.simple("assume(turn_right)");
        if point == points {
            text.simple("done := T");
        }
        text.simple("turn_right := F");
    }
    text.close("end");
    text.out
}
