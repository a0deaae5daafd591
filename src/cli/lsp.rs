//! `fpsolve lsp`: serves an editor.

use super::Exit;
use super::output::complain;
use crate::lsp::serve;

pub fn lsp() -> Exit {
    match serve() {
        Ok(()) => Exit::Success,
        Err(why) => {
            complain(&format!("the editor went away: {why}\n"));
            Exit::Mistake
        }
    }
}
