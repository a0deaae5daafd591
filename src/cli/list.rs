//! `fpsolve list`: the bundled algorithms, each with the first sentence of its header.

use super::Exit;
use super::output::{print, width};
use crate::bundled;
use crate::report::table::{Align, table};

pub fn list() -> Exit {
    let rows = bundled::runnable().map(|algorithm| vec![algorithm.name().to_string(), algorithm.summary()]);
    let rows = rows.collect::<Vec<_>>();
    if rows.is_empty() {
        print("no algorithms are bundled with this build\n");
    } else {
        print(&table(&rows, &[Align::Left, Align::Left], 0, width()));
    }
    Exit::Success
}
